#include <math.h>
#include <string.h>

#include "rank_report.h"
#include "term.h"

static void tell_wish(const ranking_task *t, FILE *out)
{
    const args *a = t->r.a;

    if (args_given(a, "precision"))
        term_row(out, "wish", "precision %g%s", args_real(a, "precision"),
                 t->list->cut.precision < args_real(a, "precision")
                     ? ": OUT OF REACH, the nearest is taken"
                     : "");
    else if (args_given(a, "recall"))
        term_row(out, "wish", "recall %g", args_real(a, "recall"));
    else if (args_given(a, "budget"))
        term_row(out, "wish", "the first %lld nodes",
                 (long long)args_integer(a, "budget"));
    else
        term_row(out, "wish", "none: every node is ranked");
}

static bool ranks_only(const kith_ranking *r)
{
    kith_one_class one;

    return kith_model_one_class(r->model, &one) && !one.probabilities;
}

static void tell_expected(const ranking_task *t, FILE *out)
{
    const kith_threshold *c = &t->list->cut;
    const double n = t->list->listed;
    kith_one_class one;
    const int digits = n * c->precision < 10 ? 1 : 0;
    char a[TERM_NUMBER], b[TERM_NUMBER];

    term_row(out, "listed", "%s of %s unknown nodes, from %s %.4g",
             term_count(t->list->listed, a), term_count(t->list->nodes, b),
             ranks_only(t->list) ? "score" : "probability",
             t->list->listed > 0
                 ? (double)t->list->probability[t->list->listed - 1]
                 : (double)NAN);
    if (t->list->unreached > 0)
        term_row(out, "left out",
                 "%s without evidence: nothing known reaches "
                 "them",
                 term_count(t->list->unreached, a));
    if (!isnan(c->precision))
        term_row(out, "expected hits", "%.*f (%.*f to %.*f)", digits,
                 n * c->precision, digits, n * c->precision_low, digits,
                 n * c->precision_high);
    if (!isnan(c->precision))
        term_row(out, "precision", "%.3f (%.3f to %.3f, 95 %%)", c->precision,
                 c->precision_low, c->precision_high);
    term_row(out, "recall", "%.3f (%.3f to %.3f, 95 %%)", c->recall,
             c->recall_low, c->recall_high);
    term_row(out, "judged on", "%d positive and %d other labelled nodes, %s",
             (int)c->positives, (int)c->negatives,
             t->list->crossed ? "each by a model that has not seen it"
                              : "those named for tuning");
    if (args_real(t->r.a, "prevalence") > 0)
        term_row(out, "prevalence", "%g, as given",
                 args_real(t->r.a, "prevalence"));
    else if (isnan(t->list->prevalence))
        term_row(out, "prevalence",
                 "cannot be told, so neither can the precision; --prevalence "
                 "if you know");
    else if (kith_model_one_class(t->list->model, &one))
        term_row(out, "prevalence",
                 "%.3g; see 'labels'; --prevalence if it "
                 "differs",
                 t->list->prevalence);
    else
        term_row(out, "prevalence",
                 "%.3g, as among the labelled; --prevalence if it differs",
                 t->list->prevalence);
}

/* A share of the test nodes, with how sure it is. */
static void test_row(FILE *out, const char *name, int64_t hits, int64_t of,
                     const char *what)
{
    const kith_interval sure = kith_share_interval((double)hits, (double)of);

    if (of == 0)
        term_row(out, name, "- (0 %s)", what);
    else
        term_row(out, name, "%.4f (%.3f to %.3f, 95 %%; %lld of %lld %s)",
                 (double)hits / (double)of, sure.low, sure.high,
                 (long long)hits, (long long)of, what);
}

static void tell_test(const ranking_task *t, FILE *out)
{
    const kith_rank_test n = t->list->test;

    if (t->list->n_test == 0)
        return;
    fputc('\n', out);
    term_heading(out, "Test nodes of the split");
    test_row(out, "precision", n.hits, n.listed, "listed");
    test_row(out, "recall", n.hits, n.positives, "positives");
}

/* Precision and recall of shorter and longer lists. */
static void tell_lengths(const kith_ranking *r, FILE *out)
{
    const term_style style = term_style_of(out);
    char number[TERM_NUMBER];

    fprintf(out, "\n%s%12s  %9s  %9s  %14s  %7s%s\n", style.bold, "the first",
            "from p", "precision", "95 %", "recall", style.reset);
    for (int32_t i = 0; i < r->n_lengths; i++) {
        const kith_rank_length *l = &r->lengths[i];

        if (l->holds.hits + l->holds.misses == 0)
            continue; /* none of the known is as high up */
        if (isnan(l->holds.precision)) {
            fprintf(out, "%12s  %9.4g  %9s  %14s  %7.3f\n",
                    term_count(l->first, number), (double)l->probability, "-",
                    "-", l->holds.recall);
            continue;
        }
        fprintf(out, "%12s  %9.4g  %9.3f  %5.3f to %5.3f  %7.3f  ",
                term_count(l->first, number), (double)l->probability,
                l->holds.precision, l->holds.precision_low,
                l->holds.precision_high, l->holds.recall);
        term_bar(out, l->holds.precision, 12);
        fputc('\n', out);
    }
}

void rank_text(FILE *out, const ranking_task *t)
{
    const char *list = args_text(t->r.a, "output");
    char time[TERM_NUMBER];
    const kith_model *m = t->list->model;
    kith_one_class one;

    term_heading(out, "List");
    fprintf(out, "  %-16s  ", "positive");
    term_foreign(out, kith_model_class_name(m, t->list->options.positive), 40,
                 false);
    fputs(positive_wanted(t->r.a)
              ? "\n"
              : ", the rarest class; --positive names another\n",
          out);
    if (kith_model_one_class(m, &one))
        term_row(out, "labels", "%s", kith_model_why(m));
    else
        term_row(out, "method", "%s%s", kith_model_method(m),
                 kith_model_balanced(m) ? ", classes balanced" : "");
    tell_wish(t, out);
    tell_expected(t, out);
    tell_test(t, out);
    tell_lengths(t->list, out);
    fputc('\n', out);
    if (args_text(t->r.a, "save"))
        term_line(out, "%s: the model", args_text(t->r.a, "save"));
    if (args_text(t->r.a, "report"))
        term_line(out, "%s: one page, open it in a browser",
                  args_text(t->r.a, "report"));
    if (list)
        term_line(out, "%s: %d nodes",
                  strcmp(list, "-") == 0 ? "standard output" : list,
                  (int)t->list->listed);
    else
        fputs("nothing was written: '-o FILE' keeps the list\n", out);
    fprintf(out, "took %s\n", term_seconds(seconds_now() - t->r.begun, time));
}

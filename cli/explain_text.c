#include <math.h>
#include <stdlib.h>

#include "explain_report.h"
#include "node_ids.h"
#include "term.h"

enum {
    BAR_WIDTH = 21,
    ID_WIDTH = 24,
    CLASS_WIDTH = 14,
    OF_WIDTH = 22,
    COLUMN_WIDTH = 16
};

/* The side of the bar tells the sign as well as the '+' or '-' before it. */
static void value_and_bar(FILE *out, double value, double most)
{
    fprintf(out, most >= 0.01 ? "%+11.5f  " : "%+11.2e  ", value);
    if (most > 0)
        term_signed_bar(out, value / most, BAR_WIDTH);
    fputc('\n', out);
}

static void sum_row(FILE *out, const char *what, double value, double most)
{
    fprintf(out, "  %-42s", what);
    value_and_bar(out, value, most);
}

static void sum_part(FILE *out, const told_explanation *t)
{
    const kith_explanation *e = t->e;
    const double size = fmax(fabs(e->belief), 1e-300);
    kith_summand part[KITH_SUMMANDS_MOST];
    const int32_t n = kith_explanation_summands(e, part);
    double most = fabs(e->belief);

    for (int32_t i = 0; i < n; i++)
        most = fmax(most, fabs(part[i].value));
    fputc('\n', out);
    term_heading(out, "What the belief is made of");
    for (int32_t i = 0; i < n; i++)
        sum_row(out, part[i].what, part[i].value, most);
    sum_row(out, "sum", e->sum, most);
    fprintf(out,
            "  belief %+.7g; sum of the contributions %+.7g; residual %.1e "
            "(%.1e relative)\n",
            e->belief, e->sum, e->residual, fabs(e->residual) / size);
}

static void label_of(FILE *out, const told_explanation *t, int32_t c)
{
    term_foreign(out, c < 0 ? "" : kith_model_class_name(t->model, c),
                 CLASS_WIDTH, true);
}

static void part_rows(FILE *out, const told_explanation *t, const char *title,
                      const kith_part *list, int32_t n)
{
    if (n == 0)
        return;
    fputc('\n', out);
    term_heading(out, title);
    for (int32_t i = 0; i < n; i++) {
        fputs("  ", out);
        node_id_text(out, t->data->graph, list[i].node, ID_WIDTH, true);
        fputs("  ", out);
        label_of(out, t, list[i].label);
        fputs("  ", out);
        value_and_bar(out, list[i].value, fabs(list[0].value));
    }
}

static void neighbour_rows(FILE *out, const told_explanation *t)
{
    const kith_explanation *e = t->e;

    if (e->n_neighbours == 0)
        return;
    fputc('\n', out);
    term_heading(out, "Neighbours that it arrives through (label, weight)");
    for (int32_t i = 0; i < e->n_neighbours; i++) {
        const kith_via *v = &e->neighbours[i];

        fputs("  ", out);
        node_id_text(out, t->data->graph, v->node, ID_WIDTH, true);
        fputs("  ", out);
        label_of(out, t, kith_solution_trained(t->solution, v->node));
        fprintf(out, "  %7.4f", v->weight);
        value_and_bar(out, v->value, fabs(e->neighbours[0].value));
    }
    fprintf(out, "  all neighbours together %+.5g\n", e->through_neighbours);
}

static void path_rows(FILE *out, const told_explanation *t)
{
    const kith_explanation *e = t->e;

    if (e->n_paths == 0)
        return;
    fputc('\n', out);
    term_heading(out, e->paths_complete
                          ? "Strongest paths (value = weights x coupling)"
                          : "Strong paths found (value = weights x coupling)");
    for (int32_t i = 0; i < e->n_paths; i++) {
        const kith_path *p = &e->paths[i];

        fprintf(out, fabs(e->paths[0].value) >= .01 ? "  %+.5f  " : "  %+.2e  ",
                p->value);
        for (int32_t j = 0; j <= p->length; j++) {
            node_id_text(out, t->data->graph, p->node[j], ID_WIDTH, false);
            if (j < p->length)
                fprintf(out, " -(%.3f)- ", p->weight[j]);
        }
        fprintf(out, "  coupling %+.4f\n", p->coupling);
    }
}

/* By its name or, where it has none, its number. */
static void column_name(FILE *out, const kith_feature_part *p)
{
    fputs("  ", out);
    if (p->name)
        term_foreign(out, p->name, COLUMN_WIDTH, true);
    else
        fprintf(out, "%6d", (int)p->column);
}

static void feature_rows(FILE *out, const told_explanation *t)
{
    const kith_explanation *e = t->e;

    if (e->n_features == 0)
        return;
    fputc('\n', out);
    term_heading(out, "Features in its logistic regression (column, whose, "
                      "amount, weight)");
    for (int32_t i = 0; i < e->n_features; i++) {
        const kith_feature_part *p = &e->features[i];

        column_name(out, p);
        fprintf(out, "  %-*s  %8.4f  %+8.3f", OF_WIDTH, p->of, p->amount,
                p->weight);
        value_and_bar(out, p->value, fabs(e->features[0].value));
    }
    fprintf(out, "  bias %+.5f, all together %+.5f%s\n", e->bias,
            e->feature_sum,
            e->clamped ? "; its label stands in their place" : "");
}

static void class_row(FILE *out, const told_explanation *t, const char *key,
                      int32_t c, double probability)
{
    fprintf(out, "  %-16s  ", key);
    term_foreign(out, kith_model_class_name(t->model, c), 40, false);
    if (!isnan(probability))
        fprintf(out, ", probability %.4f", probability);
    fputc('\n', out);
}

/* The class explained, the likeliest if that is another, the one learnt from.
 */
static void class_rows(FILE *out, const told_explanation *t)
{
    const kith_explanation *e = t->e;
    const int32_t trained = kith_solution_trained(t->solution, e->node);

    class_row(out, t, "class", e->of_class, e->probability);
    if (e->likeliest != e->of_class)
        class_row(out, t, "but predicted", e->likeliest,
                  e->likeliest_probability);
    if (trained >= 0)
        class_row(out, t, "known label", trained, (double)NAN);
}

void explain_text(FILE *out, const void *told)
{
    const told_explanation *t = told;
    const kith_explanation *e = t->e;
    const term_style style = term_style_of(out);

    fputs(style.bold, out);
    node_id_text(out, t->data->graph, e->node, 60, false);
    fprintf(out, "%s\n\n", style.reset);
    term_paragraph(out, t->sentences);
    fputc('\n', out);
    class_rows(out, t);
    term_row(out, "method", "%s", kith_model_method(t->model));
    term_row(out, "belief", "%+.6f (above 0 speaks for the class)", e->belief);
    term_row(out, "contributions", "%s", kith_explanation_words(e));
    sum_part(out, t);
    part_rows(out, t, "Labelled nodes that add most (label)", e->top_labelled,
              e->n_labelled);
    part_rows(out, t, "Other nodes that add most", e->top_others, e->n_others);
    neighbour_rows(out, t);
    path_rows(out, t);
    feature_rows(out, t);
}

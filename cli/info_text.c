#include <math.h>
#include <stdlib.h>

#include "cleaning_text.h"
#include "cmd_shared.h"
#include "graph_facts.h"
#include "term.h"

enum { BAR_WIDTH = 32, CLASSES_SHOWN = 12, NAME_WIDTH = 18, NAMES_SHOWN = 12 };

/* "1 node", "2,708 nodes" */
static const char *counted(int64_t n, const char *one, const char *many,
                           char *out, size_t size)
{
    out[0] = '\0';
    summary_add(out, size, n, one, many);
    return out;
}

static void head(FILE *out, const graph_facts *f)
{
    const term_style style = term_style_of(out);
    char size[TERM_NUMBER];
    char name[300];

    fputs(style.bold, out);
    term_foreign(out, input_name(f->path, name, sizeof(name)), 60, false);
    fputs(style.reset, out);
    if (f->bytes >= 0)
        fprintf(out, "  %s%s", term_bytes((double)f->bytes, size),
                f->verified ? ", verified" : "");
    fputs("\n\n", out);
}

static void graph_part(FILE *out, const graph_facts *f)
{
    const kith_graph *g = f->data->graph;
    const double n = kith_graph_nodes(g);
    const double m = (double)kith_graph_edges(g);
    char number[TERM_NUMBER];

    term_heading(out, "Graph");
    term_row(out, "nodes", "%s", term_count(kith_graph_nodes(g), number));
    term_row(out, "edges", "%s", term_count(kith_graph_edges(g), number));
    term_row(out, "weighted", kith_graph_weights(g) ? "yes" : "no");
    if (n > 1)
        term_row(out, "density", "%.3g", m / (n * (n - 1) / 2));
    term_row(out, "hash", "%016llx", (unsigned long long)kith_graph_hash(g));
}

/* Degrees 2^(b-1) to 2^b - 1 in a row, from the first that occurs to the
 * last. */
static void histogram(FILE *out, const int64_t bucket[32])
{
    int first = 0, last = 31;
    int64_t most = 1;

    while (first < 31 && bucket[first] == 0)
        first++;
    while (last >= first && bucket[last] == 0)
        last--;
    for (int b = first; b <= last; b++)
        most = bucket[b] > most ? bucket[b] : most;
    for (int b = first; b <= last; b++) {
        const long long low = b ? 1LL << (b - 1) : 0, high = (1LL << b) - 1;
        char range[TERM_NUMBER], number[TERM_NUMBER];

        if (low >= high)
            snprintf(range, sizeof(range), "%lld", low);
        else
            snprintf(range, sizeof(range), "%lld-%lld", low, high);
        fprintf(out, "  %16s  %13s  ", range, term_count(bucket[b], number));
        term_bar(out, (double)bucket[b] / (double)most, BAR_WIDTH);
        fputc('\n', out);
    }
}

static void degree_part(FILE *out, const kith_graph_stats *s)
{
    static const char *const names[] = {"10%", "50%", "90%", "99%", "99.9%"};
    char text[200] = "", number[TERM_NUMBER];
    size_t used = 0;

    for (int i = 0; i < 5; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s: %s",
                                 i ? "   " : "", names[i],
                                 term_count(s->percentile[i], number));
    fputc('\n', out);
    term_heading(out, "Degrees");
    term_row(out, "mean", "%.2f", s->mean_degree);
    term_row(out, "percentiles", "%s", text);
    term_row(out, "max", "%s", term_count(s->max_degree, number));
    histogram(out, s->degree_bucket);
}

static void component_part(FILE *out, const graph_facts *f)
{
    const kith_graph_stats *s = &f->facts->stats;
    const double n = kith_graph_nodes(f->data->graph);
    char number[TERM_NUMBER], share[TERM_NUMBER], nodes[60];

    fputc('\n', out);
    term_heading(out, "Components");
    term_row(out, "components", "%s", term_count(s->components, number));
    if (n > 0)
        term_row(out, "largest", "%s (%s)",
                 counted(s->largest, "node", "nodes", nodes, sizeof(nodes)),
                 term_share((double)s->largest / n, share));
    term_row(out, "isolated", "%s",
             counted(s->isolated, "node", "nodes", nodes, sizeof(nodes)));
}

/* A bar as long as its share of `most`; none if that is 0. */
static void class_row(FILE *out, const char *name, int64_t count,
                      const graph_facts *f, double most)
{
    char number[TERM_NUMBER], share[TERM_NUMBER];
    const double part = (double)count /
                        fmax(1, (double)f->data->labels->labelled);

    fputs("  ", out);
    term_foreign(out, name, NAME_WIDTH, true);
    fprintf(out, "  %11s  %8s  ", term_count(count, number),
            term_share(part, share));
    if (most > 0)
        term_bar(out, (double)count / most, BAR_WIDTH - 8);
    fputc('\n', out);
}

/* The class with the most nodes that is not yet shown; -1 if there is none. */
static int32_t next_largest(const graph_facts *f, const bool *shown)
{
    int32_t best = -1;

    for (int32_t c = 0; c < f->data->labels->classes; c++)
        if (!shown[c] && (best < 0 || f->facts->class_count[c] >
                                          f->facts->class_count[best]))
            best = c;
    return best;
}

/* All classes in their order if they are few, else the largest and the rest. */
static void class_rows(FILE *out, const graph_facts *f)
{
    const kith_labels *l = f->data->labels;
    const bool few = l->classes <= CLASSES_SHOWN;
    const int32_t rows = few ? l->classes : CLASSES_SHOWN;
    bool *shown = calloc((size_t)l->classes + 1, sizeof(*shown));
    char rest[40];
    int64_t left = l->labelled;
    double most = 0;

    if (!shown)
        return;
    for (int32_t c = 0; c < l->classes; c++)
        most = fmax(most, (double)f->facts->class_count[c]);
    for (int32_t i = 0; i < rows; i++) {
        const int32_t c = few ? i : next_largest(f, shown);

        shown[c] = true;
        left -= f->facts->class_count[c];
        class_row(out, l->names[c], f->facts->class_count[c], f, most);
    }
    if (!few) {
        snprintf(rest, sizeof(rest), "%d more", (int)(l->classes - rows));
        class_row(out, rest, left, f, 0); /* no bar: not one class */
    }
    free(shown);
}

static void label_part(FILE *out, const graph_facts *f)
{
    const kith_labels *l = f->data->labels;
    char number[TERM_NUMBER], of[TERM_NUMBER], share[TERM_NUMBER];

    if (!l)
        return;
    fputc('\n', out);
    term_heading(out, "Labels");
    term_row(out, "classes", "%s", term_count(l->classes, number));
    term_row(out, "labelled", "%s of %s nodes (%s)",
             term_count(l->labelled, number), term_count(l->nodes, of),
             term_share((double)l->labelled / fmax(1, l->nodes), share));
    if (isnan(f->facts->homophily))
        term_row(out, "edge homophily", "no edge with both ends labelled");
    else
        term_row(
            out, "edge homophily",
            "%.4f (%s of %s edges with both ends labelled)",
            f->facts->homophily,
            term_count(llround(f->facts->homophily * (double)f->facts->counted),
                       number),
            term_count(f->facts->counted, of));
    class_rows(out, f);
}

static void feature_part(FILE *out, const graph_facts *f)
{
    const kith_features *x = f->data->features;
    char number[TERM_NUMBER], size[TERM_NUMBER];

    if (!x)
        return;
    fputc('\n', out);
    term_heading(out, "Features");
    term_row(out, "columns", "%s", term_count(x->columns, number));
    term_row(out, "stored as", "%s, %s",
             x->row ? x->value ? "sparse" : "sparse, all ones" : "dense",
             term_bytes(f->facts->feature_bytes, size));
    term_row(out, x->row ? "nonzeros" : "entries", "%s (%.1f a node)",
             term_count(x->entries, number),
             (double)x->entries / fmax(1, x->nodes));
}

static void split_part(FILE *out, const graph_facts *f)
{
    char a[TERM_NUMBER], b[TERM_NUMBER], c[TERM_NUMBER];

    if (f->facts->split_count == 0)
        return;
    fputc('\n', out);
    term_heading(out, "Splits");
    for (int i = 0; i < f->facts->splits_read; i++) {
        const kith_split *s = &f->facts->split[i];

        term_row(out, f->facts->splits[i], "%s train, %s val, %s test",
                 term_count(s->n_train, a), term_count(s->n_val, b),
                 term_count(s->n_test, c));
    }
    for (int i = f->facts->splits_read;
         i < f->facts->split_count && i < NAMES_SHOWN; i++) {
        fputs(i == f->facts->splits_read ? "  and " : ", ", out);
        term_foreign(out, f->facts->splits[i], 60, false);
    }
    if (f->facts->split_count > NAMES_SHOWN)
        fprintf(out, " and %d more", f->facts->split_count - NAMES_SHOWN);
    if (f->facts->splits_read < f->facts->split_count)
        fputc('\n', out);
}

static void forecast_part(FILE *out, const graph_facts *f)
{
    char size[TERM_NUMBER];

    fputc('\n', out);
    term_heading(out, "Memory each method will need");
    for (int i = 0; i < KITH_FORECASTS; i++) {
        const kith_forecast *c = &f->facts->forecast[i];

        if (isnan(c->bytes))
            term_row(out, c->method, "needs features");
        else
            term_row(out, c->method, "%s", term_bytes(c->bytes, size));
    }
    if (!f->data->labels)
        fputs("  (no labels: 2 classes assumed)\n", out);
    else
        fprintf(out, "  (nodes to learn from: %.0f; --split says otherwise)\n",
                f->facts->learnt);
}

void info_text(FILE *stream, const graph_facts *f)
{
    head(stream, f);
    graph_part(stream, f);
    degree_part(stream, &f->facts->stats);
    component_part(stream, f);
    label_part(stream, f);
    feature_part(stream, f);
    split_part(stream, f);
    if (cleaning_known(&f->data->cleaning)) {
        fputc('\n', stream);
        term_heading(stream, "Read and cleaned");
        cleaning_print(stream, &f->data->cleaning);
    }
    forecast_part(stream, f);
}

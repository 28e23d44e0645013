#include "predictions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node_ids.h"
#include "out_text.h"
#include "term.h"

enum { ROWS_BETWEEN_LOOKS = 1 << 14 }; /* for an interrupt or a failed write */

float *predictions_new(const kith_graph *g, int32_t classes)
{
    return calloc((size_t)kith_graph_nodes(g) * (size_t)classes + 1,
                  sizeof(float));
}

int32_t predicted_class(const float *row, int32_t classes)
{
    int32_t best = 0;

    for (int32_t c = 1; c < classes; c++)
        if (row[c] > row[best])
            best = c;
    return best;
}

int predictions_check_name(const command *cmd, const char *path)
{
    const size_t length = path ? strlen(path) : 0;

    if ((length > 3 && strcmp(path + length - 3, ".gz") == 0) ||
        (length > 4 && strcmp(path + length - 4, ".zst") == 0))
        return usage_error(cmd,
                           "'%s': tables are written as plain text; pack them "
                           "with '-o - | gzip'",
                           path);
    return EXIT_OK;
}

static void put_tame(FILE *out, const char *text, size_t length)
{
    char *copy = strndup(text, length);

    if (copy) {
        term_tame(copy);
        fputs(copy, out);
    }
    free(copy);
}

/* Text for one field.  A tab or newline in it would break the table.  Files and
 * programs get it byte for byte, a terminal tamed. */
static kith_status put_field(run *r, FILE *out, const char *text, size_t length,
                             const char *what)
{
    char shown[SHOWN_ID];

    for (size_t i = 0; i < length; i++)
        if (text[i] == '\t' || text[i] == '\n')
            return run_fail(r, KITH_ERR_ARGUMENT, NULL,
                            "%s '%s' cannot be written: it has a tab or line "
                            "break",
                            what, shown_id(text, length, shown));
    if (out == stdout && r->terminal)
        put_tame(out, text, length);
    else
        fwrite(text, 1, length, out);
    return KITH_OK;
}

kith_status put_node(run *r, FILE *out, const kith_graph *g, int32_t u)
{
    char buffer[KITH_ID_BUFFER];
    size_t length;
    const char *id = kith_graph_id(g, u, buffer, &length);

    return put_field(r, out, id, length, "node");
}

static kith_status put_class(run *r, FILE *out, const kith_model *m, int32_t c)
{
    const char *name = kith_model_class_name(m, c);

    return put_field(r, out, name, strlen(name), "class");
}

static kith_status put_header(run *r, FILE *out, const kith_model *m)
{
    kith_status st = KITH_OK;

    fputs("node\tlabel\tconfidence", out);
    for (int32_t c = 0; st == KITH_OK && c < kith_model_classes(m); c++) {
        fputc('\t', out);
        st = put_class(r, out, m, c);
    }
    fputc('\n', out);
    return st;
}

static kith_status put_row(run *r, FILE *out, const kith_graph *g, int32_t u,
                           const kith_model *m, const float *row)
{
    const int32_t classes = kith_model_classes(m);
    const int32_t best = predicted_class(row, classes);
    char buffer[KITH_ID_BUFFER], shown[SHOWN_ID];
    size_t length;
    const char *id = kith_graph_id(g, u, buffer, &length);
    double sum = 0;
    kith_status st;

    for (int32_t c = 0; c < classes; c++)
        sum += row[c];
    if (!isfinite(sum) || sum <= 0)
        return run_fail(r, KITH_ERR_RANGE, NULL,
                        "node '%s' has no probabilities that can be written",
                        shown_id(id, length, shown));
    st = put_field(r, out, id, length, "node");
    fputc('\t', out);
    if (st == KITH_OK)
        st = put_class(r, out, m, best);
    fprintf(out, "\t%.7g", row[best] / sum);
    for (int32_t c = 0; c < classes; c++)
        fprintf(out, "\t%.7g", row[c] / sum);
    fputc('\n', out);
    return st;
}

kith_status predictions_write(run *r, const kith_graph *g, const kith_model *m,
                              const float *p, const char *path,
                              kith_outputs *with)
{
    const int64_t classes = kith_model_classes(m);
    const int32_t n = kith_graph_nodes(g);
    out_text o;
    kith_status st = out_text_open(r, path, with, &o);

    if (st == KITH_OK)
        st = put_header(r, o.stream, m);
    for (int32_t i = 0; st == KITH_OK && i < n; i++) {
        const int32_t u = kith_graph_listed(g, i);

        st = put_row(r, o.stream, g, u, m, p + u * classes);
        if (i % ROWS_BETWEEN_LOOKS == 0) {
            if (ferror(o.stream))
                break; /* told at the commit */
            if (st == KITH_OK)
                st = run_cancelled();
        }
    }
    if (st == KITH_OK)
        return out_text_commit(r, &o);
    out_text_abort(&o);
    return st;
}

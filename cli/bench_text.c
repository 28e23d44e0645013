#include <math.h>
#include <string.h>

#include "bench_report.h"
#include "json_text.h"

double bench_cost(const bench_row *row, double seconds)
{
    return row->edges > 0 ? seconds * 1e9 / (2 * (double)row->edges) : 0;
}

const bench_row *bench_row_of(const bench_report *b, const char *graph)
{
    for (int i = 0; i < b->n_rows; i++)
        if (strcmp(b->rows[i].name, graph) == 0)
            return &b->rows[i];
    return NULL;
}

/* x with that many decimals and a unit, or "-" where nothing was measured. */
static const char *number(double x, int decimals, const char *unit,
                          char out[32])
{
    if (x > 0)
        snprintf(out, 32, "%.*f%s", decimals, x, unit);
    else
        snprintf(out, 32, "-");
    return out;
}

/* Gathers a second of the step, as a share of random ones. */
static double gather_share(const bench_report *b, const bench_row *r)
{
    return 2 * (double)r->edges / r->t.step / b->limits.gathers;
}

/* Bytes that must pass: neighbours once, X, Q and Y once. */
static double triad_share(const bench_report *b, const bench_row *r)
{
    const double bytes = 8 * (double)r->edges + 16.0 * r->nodes * b->classes +
                         12.0 * r->nodes;

    return bytes / r->t.step / b->limits.triad;
}

static void put_rows(const bench_report *b, FILE *out)
{
    char x[5][32];

    fputs("| graph | nodes | edges | numbered by | build s | prepare s | step "
          "ms | without AVX2 | weighted | plain loop | plain / "
          "step | ns a "
          "neighbour | gathers | triad |\n|---|---:|---:|---|---:|---:|---:|"
          "---:|---:|---:|---:|---:|---:|---:|\n",
          out);
    for (int i = 0; i < b->n_rows; i++) {
        const bench_row *r = &b->rows[i];
        const kith_bench_times *t = &r->t;

        fprintf(
            out,
            "| %s | %d | %lld | %s | %s | %.2f | %.3f | %s | %s | %s | %s "
            "| "
            "%.2f | %.0f %% | %.0f %% |\n",
            r->name, (int)r->nodes, (long long)r->edges,
            r->numbered ? "degree" : "input", number(r->build, 2, "", x[0]),
            t->prepare, 1e3 * t->step, number(1e3 * t->portable, 3, "", x[1]),
            number(1e3 * t->weighted, 3, "", x[2]),
            number(1e3 * t->plain, 3, "", x[3]),
            number(t->plain / t->step, 1, "x", x[4]), bench_cost(r, t->step),
            100 * gather_share(b, r), 100 * triad_share(b, r));
    }
}

static void put_peers(const bench_report *b, FILE *out)
{
    if (b->n_peers == 0)
        return;
    fputs("\n| graph | peer | ms | peer / step |\n|---|---|---:|---:|\n", out);
    for (int i = 0; i < b->n_peers; i++) {
        const bench_peer *p = &b->peers[i];
        const bench_row *r = bench_row_of(b, p->graph);

        if (p->skipped[0])
            fprintf(out, "| %s | %s | skipped: %s | |\n",
                    p->graph[0] ? p->graph : "all", p->name, p->skipped);
        else if (r)
            fprintf(out, "| %s | %s | %.3f | %.1fx |\n", p->graph, p->name,
                    1e3 * p->seconds, p->seconds / r->t.step);
    }
}

void bench_markdown(const bench_report *b, FILE *out)
{
    fprintf(out,
            "# A step of LinBP on this machine\n\nY = Q + W X H for %d %s, "
            "least of %d, %d %s.\n\nMemory in order (STREAM triad): %.1f GB "
            "a second. Floats from random places of 256 MiB: %.0f million a "
            "second.\n\n",
            b->classes, b->classes == 1 ? "class" : "classes", b->repeats,
            b->limits.threads, b->limits.threads == 1 ? "thread" : "threads",
            b->limits.triad / 1e9, b->limits.gathers / 1e6);
    put_rows(b, out);
    put_peers(b, out);
    fputs("\n*build*: from the file as listed to the built one, numbered as "
          "`--order auto` says. *prepare*: what a method does once before its "
          "first step. *gathers*: neighbours a second, as a share of random "
          "gathers; above 100 % where the cache serves them. *triad*: the "
          "bytes that must pass at least once, as a share of the triad.\n",
          out);
}

/* ---- JSON ---------------------------------------------------------------- */

static json_t *row_json(const bench_report *b, const bench_row *r)
{
    json_t *o = json_object();

    json_object_set_new(o, "graph", json_text(r->name));
    json_object_set_new(o, "nodes", json_count(r->nodes));
    json_object_set_new(o, "edges", json_count(r->edges));
    json_object_set_new(o, "order",
                        json_text(r->numbered ? "degree" : "input"));
    json_object_set_new(o, "build_seconds", json_number(r->build));
    json_object_set_new(o, "prepare_seconds", json_number(r->t.prepare));
    json_object_set_new(o, "step_seconds", json_number(r->t.step));
    json_object_set_new(o, "portable_seconds", json_number(r->t.portable));
    json_object_set_new(o, "weighted_seconds", json_number(r->t.weighted));
    json_object_set_new(o, "plain_seconds", json_number(r->t.plain));
    json_object_set_new(o, "ns_per_neighbour",
                        json_number(bench_cost(r, r->t.step)));
    json_object_set_new(o, "share_of_gathers", json_number(gather_share(b, r)));
    json_object_set_new(o, "share_of_triad", json_number(triad_share(b, r)));
    return o;
}

static json_t *peer_json(const bench_peer *p)
{
    json_t *o = json_object();

    json_object_set_new(o, "graph", json_text(p->graph));
    json_object_set_new(o, "peer", json_text(p->name));
    if (p->skipped[0])
        json_object_set_new(o, "skipped", json_text(p->skipped));
    else
        json_object_set_new(o, "seconds", json_number(p->seconds));
    return o;
}

json_t *bench_json(const bench_report *b)
{
    json_t *o = json_object(), *rows = json_array(), *peers = json_array();

    for (int i = 0; i < b->n_rows; i++)
        json_array_append_new(rows, row_json(b, &b->rows[i]));
    for (int i = 0; i < b->n_peers; i++)
        json_array_append_new(peers, peer_json(&b->peers[i]));
    json_object_set_new(o, "classes", json_count(b->classes));
    json_object_set_new(o, "repeats", json_count(b->repeats));
    json_object_set_new(o, "threads", json_count(b->limits.threads));
    json_object_set_new(o, "triad_bytes_per_second",
                        json_number(b->limits.triad));
    json_object_set_new(o, "gathers_per_second",
                        json_number(b->limits.gathers));
    json_object_set_new(o, "graphs", rows);
    json_object_set_new(o, "peers", peers);
    return o;
}

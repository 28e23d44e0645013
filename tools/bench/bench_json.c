/*
 * bench_json.c: what was measured, against what memory allows.
 */
#include "bench/bench.h"
#include "io/json_writer.h"

double kith_bench_cost(const kith_bench_row *row, double seconds)
{
    return row->edges > 0 ? seconds * 1e9 / (2 * (double)row->edges) : 0;
}

double kith_bench_share_of_gathers(const kith_bench_report *b,
                                   const kith_bench_row *r)
{
    return 2 * (double)r->edges / r->t.step / b->limits.gathers;
}

/* Bytes that must pass: neighbours once, X, Q and Y once. */
double kith_bench_share_of_triad(const kith_bench_report *b,
                                 const kith_bench_row *r)
{
    const double bytes = 8 * (double)r->edges + 16.0 * r->nodes * b->classes +
                         12.0 * r->nodes;

    return bytes / r->t.step / b->limits.triad;
}

static void put_row(kith__json *j, const kith_bench_report *b,
                    const kith_bench_row *r)
{
    kith__json_open(j, NULL, '{');
    kith__json_string(j, "graph", r->name);
    kith__json_count(j, "nodes", r->nodes);
    kith__json_count(j, "edges", r->edges);
    kith__json_string(j, "order", r->numbered ? "degree" : "input");
    kith__json_number(j, "build_seconds", r->build);
    kith__json_number(j, "prepare_seconds", r->t.prepare);
    kith__json_number(j, "step_seconds", r->t.step);
    kith__json_number(j, "portable_seconds", r->t.portable);
    kith__json_number(j, "weighted_seconds", r->t.weighted);
    kith__json_number(j, "plain_seconds", r->t.plain);
    kith__json_number(j, "ns_per_neighbour", kith_bench_cost(r, r->t.step));
    kith__json_number(j, "share_of_gathers", kith_bench_share_of_gathers(b, r));
    kith__json_number(j, "share_of_triad", kith_bench_share_of_triad(b, r));
    kith__json_close(j, '}');
}

static void put_peer(kith__json *j, const kith_bench_peer *p)
{
    kith__json_open(j, NULL, '{');
    kith__json_string(j, "graph", p->graph);
    kith__json_string(j, "peer", p->name);
    if (p->skipped[0])
        kith__json_string(j, "skipped", p->skipped);
    else
        kith__json_number(j, "seconds", p->seconds);
    kith__json_close(j, '}');
}

kith_status kith_bench_json(const kith_bench_report *b, char **json,
                            size_t *length, kith_error *err)
{
    kith__json j = {.indented = true};

    kith__json_open(&j, NULL, '{');
    kith__json_count(&j, "classes", b->classes);
    kith__json_count(&j, "repeats", b->repeats);
    kith__json_count(&j, "threads", b->limits.threads);
    kith__json_number(&j, "triad_bytes_per_second", b->limits.triad);
    kith__json_number(&j, "gathers_per_second", b->limits.gathers);
    kith__json_open(&j, "graphs", '[');
    for (int i = 0; i < b->n_rows; i++)
        put_row(&j, b, &b->rows[i]);
    kith__json_close(&j, ']');
    kith__json_open(&j, "peers", '[');
    for (int i = 0; i < b->n_peers; i++)
        put_peer(&j, &b->peers[i]);
    kith__json_close(&j, ']');
    kith__json_close(&j, '}');
    return kith__json_take(&j, json, length, err);
}

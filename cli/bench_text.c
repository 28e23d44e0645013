#include <math.h>
#include <string.h>

#include "bench_report.h"

const kith_bench_row *bench_row_of(const kith_bench_report *b,
                                   const char *graph)
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

static void put_rows(const kith_bench_report *b, FILE *out)
{
    char x[5][32];

    fputs("| graph | nodes | edges | numbered by | build s | prepare s | step "
          "ms | without AVX2 | weighted | plain loop | plain / "
          "step | ns a "
          "neighbour | gathers | triad |\n|---|---:|---:|---|---:|---:|---:|"
          "---:|---:|---:|---:|---:|---:|---:|\n",
          out);
    for (int i = 0; i < b->n_rows; i++) {
        const kith_bench_row *r = &b->rows[i];
        const kith_bench_times *t = &r->t;

        fprintf(out,
                "| %s | %d | %lld | %s | %s | %.2f | %.3f | %s | %s | %s | %s "
                "| "
                "%.2f | %.0f %% | %.0f %% |\n",
                r->name, (int)r->nodes, (long long)r->edges,
                r->numbered ? "degree" : "input", number(r->build, 2, "", x[0]),
                t->prepare, 1e3 * t->step,
                number(1e3 * t->portable, 3, "", x[1]),
                number(1e3 * t->weighted, 3, "", x[2]),
                number(1e3 * t->plain, 3, "", x[3]),
                number(t->plain / t->step, 1, "x", x[4]),
                kith_bench_cost(r, t->step),
                100 * kith_bench_share_of_gathers(b, r),
                100 * kith_bench_share_of_triad(b, r));
    }
}

static void put_peers(const kith_bench_report *b, FILE *out)
{
    if (b->n_peers == 0)
        return;
    fputs("\n| graph | peer | ms | peer / step |\n|---|---|---:|---:|\n", out);
    for (int i = 0; i < b->n_peers; i++) {
        const kith_bench_peer *p = &b->peers[i];
        const kith_bench_row *r = bench_row_of(b, p->graph);

        if (p->skipped[0])
            fprintf(out, "| %s | %s | skipped: %s | |\n",
                    p->graph[0] ? p->graph : "all", p->name, p->skipped);
        else if (r)
            fprintf(out, "| %s | %s | %.3f | %.1fx |\n", p->graph, p->name,
                    1e3 * p->seconds, p->seconds / r->t.step);
    }
}

void bench_markdown(FILE *out, const void *report)
{
    const kith_bench_report *b = report;
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

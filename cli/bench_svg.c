/*
 * bench_svg.c: nanoseconds a neighbour over edges, both as powers of ten.
 */
#include <math.h>
#include <string.h>

#include "bench_report.h"

enum {
    WIDTH = 720,
    HEIGHT = 440,
    LEFT = 60,
    RIGHT = 180,
    TOP = 30,
    BOTTOM = 50
};

/* Powers of ten that the axes span. */
typedef struct frame {
    double x0, x1, y0, y1;
} frame;

static const char *const colours[] = {"#0b6e4f", "#c1121f", "#1d3557",
                                      "#e07a00", "#7b2cbf", "#5c677d",
                                      "#2a9d8f", "#9c6644"};

static double x_at(const frame *f, double edges)
{
    return LEFT +
           (log10(edges) - f->x0) / (f->x1 - f->x0) * (WIDTH - LEFT - RIGHT);
}

static double y_at(const frame *f, double cost)
{
    return HEIGHT - BOTTOM -
           (log10(cost) - f->y0) / (f->y1 - f->y0) * (HEIGHT - TOP - BOTTOM);
}

static void stretch(frame *f, double edges, double cost)
{
    if (!(edges > 0 && cost > 0))
        return;
    f->x0 = fmin(f->x0, floor(log10(edges)));
    f->x1 = fmax(f->x1, ceil(log10(edges)));
    f->y0 = fmin(f->y0, floor(log10(cost)));
    f->y1 = fmax(f->y1, ceil(log10(cost)));
}

static frame frame_of(const kith_bench_report *b)
{
    frame f = {1e9, -1e9, 1e9, -1e9};

    for (int i = 0; i < b->n_rows; i++) {
        const kith_bench_row *r = &b->rows[i];

        stretch(&f, (double)r->edges, kith_bench_cost(r, r->t.step));
        stretch(&f, (double)r->edges, kith_bench_cost(r, r->t.plain));
    }
    for (int i = 0; i < b->n_peers; i++) {
        const kith_bench_row *r = bench_row_of(b, b->peers[i].graph);

        if (r)
            stretch(&f, (double)r->edges,
                    kith_bench_cost(r, b->peers[i].seconds));
    }
    if (f.x0 > f.x1)
        f = (frame){0, 1, 0, 1};
    f.x1 = fmax(f.x1, f.x0 + 1);
    f.y1 = fmax(f.y1, f.y0 + 1);
    return f;
}

static void put_axes(const frame *f, FILE *out)
{
    for (int e = (int)f->x0; e <= (int)f->x1; e++) {
        const double x = x_at(f, pow(10, e));

        fprintf(out,
                "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#ddd'/>"
                "<text x='%.1f' y='%d' text-anchor='middle'>1e%d</text>\n",
                x, TOP, x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 18, e);
    }
    for (int e = (int)f->y0; e <= (int)f->y1; e++) {
        const double y = y_at(f, pow(10, e));

        fprintf(out,
                "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#ddd'/>"
                "<text x='%d' y='%.1f' text-anchor='end'>%g</text>\n",
                LEFT, y, WIDTH - RIGHT, y, LEFT - 6, y + 4, pow(10, e));
    }
    fprintf(out,
            "<text x='%d' y='%d' text-anchor='middle'>edges</text>"
            "<text x='%d' y='18'>nanoseconds a stored neighbour</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, LEFT - 40);
}

static void put_point(const frame *f, const char *colour,
                      const kith_bench_row *r, double seconds, const char *what,
                      FILE *out)
{
    if (!(seconds > 0 && r->edges > 0))
        return;
    fprintf(out,
            "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'><title>%s, %s: %.2f "
            "ns</title></circle>\n",
            x_at(f, (double)r->edges), y_at(f, kith_bench_cost(r, seconds)),
            colour, what, r->name, kith_bench_cost(r, seconds));
}

static void put_name(int at, const char *colour, const char *name, FILE *out)
{
    fprintf(out,
            "<circle cx='%d' cy='%d' r='4' fill='%s'/><text x='%d' y='%d'>%s"
            "</text>\n",
            WIDTH - RIGHT + 20, TOP + 10 + at * 20, colour, WIDTH - RIGHT + 30,
            TOP + 14 + at * 20, name);
}

/* The number of a peer among the different names so far. */
static int peer_number(const kith_bench_report *b, int i)
{
    int number = 0;

    for (int j = 0; j <= i; j++) {
        int first = 0;

        while (strcmp(b->peers[first].name, b->peers[j].name) != 0)
            first++;
        if (strcmp(b->peers[j].name, b->peers[i].name) == 0)
            return number;
        number += first == j;
    }
    return number;
}

void bench_svg(FILE *out, const void *report)
{
    const kith_bench_report *b = report;
    const int n_colours = sizeof(colours) / sizeof(*colours);
    const frame f = frame_of(b);

    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' "
            "font-family='sans-serif' font-size='12'>\n<rect width='100%%' "
            "height='100%%' fill='white'/>\n",
            WIDTH, HEIGHT);
    put_axes(&f, out);
    for (int i = 0; i < b->n_rows; i++) {
        const kith_bench_row *r = &b->rows[i];

        put_point(&f, colours[0], r, r->t.step, "kith", out);
        put_point(&f, colours[1], r, r->t.plain, "plain loop", out);
    }
    put_name(0, colours[0], "kith", out);
    put_name(1, colours[1], "plain loop", out);
    for (int i = 0; i < b->n_peers; i++) {
        const kith_bench_peer *p = &b->peers[i];
        const kith_bench_row *r = bench_row_of(b, p->graph);
        const int number = peer_number(b, i) + 2;

        if (!r || p->skipped[0])
            continue;
        put_point(&f, colours[number % n_colours], r, p->seconds, p->name, out);
        put_name(number, colours[number % n_colours], p->name, out);
    }
    fputs("</svg>\n", out);
}

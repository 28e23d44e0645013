/*
 * write_html.c: one page with tables and SVG figures: no script, no other file.
 * All text is escaped, ours too.
 */
#include <math.h>

#include "core/alloc.h"
#include "paper/doc.h"
#include "report/page.h"

/* Where a chart's lines are drawn, of a picture 340 wide. */
enum { LEFT = 40, RIGHT = 330, TOP = 10, BOTTOM = 190, HEIGHT = 226 };
enum { COLOURS = 8, NAMED_MOST = 24 };

static void put_text(kith__json *to, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            kith__put(to, "&amp;");
            break;
        case '<':
            kith__put(to, "&lt;");
            break;
        case '>':
            kith__put(to, "&gt;");
            break;
        case '"':
            kith__put(to, "&quot;");
            break;
        case '\'':
            kith__put(to, "&#39;");
            break;
        default:
            kith__json_raw(to, text, 1);
        }
}

/* <TAG ATTRIBUTES>text</TAG> */
static void put_element(kith__json *to, const char *tag, const char *attributes,
                        const char *text)
{
    kith__put(to, "<%s%s>", tag, attributes);
    put_text(to, text);
    kith__put(to, "</%s>", tag);
}

/* ---- tables -------------------------------------------------------------- */

static void put_rows(kith__json *to, const kith__table *t)
{
    char text[KITH__CELL_TEXT];

    for (int i = 0; i < t->rows; i++) {
        const bool new_group = i > 0 && t->group[i] != t->group[i - 1];

        kith__put(to, "<tr%s>", new_group ? " class=\"group\"" : "");
        put_element(to, "th", " scope=\"row\"", t->row[i]);
        for (int j = 0; j < t->columns; j++) {
            const kith__cell *c = kith__cell_at(t, i, j);

            put_element(to, "td", " class=\"num\"",
                        kith__cell_ours(c, "±", text));
            if (kith__has_paper(t, j))
                put_element(to, "td", " class=\"num soft\"",
                            kith__cell_paper(c, "±", text));
        }
        kith__put(to, "</tr>\n");
    }
}

static void put_table(kith__json *to, const kith__table *t)
{
    kith__put(to, "<div class=\"scroll card\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"");
    put_text(to, t->title);
    kith__put(to, "\"><table><thead><tr><td></td>");
    for (int j = 0; j < t->columns; j++) {
        put_element(to, "th", " class=\"num\" scope=\"col\"", t->column[j]);
        if (kith__has_paper(t, j))
            put_element(to, "th", " class=\"num soft\" scope=\"col\"", "paper");
    }
    kith__put(to, "</tr></thead><tbody>\n");
    put_rows(to, t);
    kith__put(to, "</tbody></table></div>\n");
}

/* ---- charts -------------------------------------------------------------- */

/* The part of a table that one chart shows, and its scale. */
typedef struct view {
    const kith__table *t;
    int from, to;     /* rows */
    double low, high; /* of all rows of the table, so that charts compare */
} view;

static double x_of(const view *v, int column)
{
    const int last = v->t->columns > 1 ? v->t->columns - 1 : 1;

    return LEFT + 14 + (RIGHT - LEFT - 28.) * column / last;
}

static double y_of(const view *v, double accuracy)
{
    return BOTTOM - (accuracy - v->low) / (v->high - v->low) * (BOTTOM - TOP);
}

static void scale(view *v)
{
    v->low = 1;
    v->high = 0;
    for (int i = 0; i < v->t->rows * v->t->columns; i++) {
        const kith_spread *s = &v->t->cell[i].ours;

        if (s->n == 0)
            continue;
        v->low = fmin(v->low, s->mean);
        v->high = fmax(v->high, s->mean);
    }
    v->low = fmax(0, floor(v->low * 10) / 10);
    v->high = fmin(1, ceil(v->high * 10) / 10);
    if (v->high - v->low < .1)
        v->low = fmax(0, v->high - .1);
    if (v->high - v->low < .1)
        v->high = v->low + .1;
}

static bool any_in_row(const kith__table *t, int row)
{
    for (int j = 0; j < t->columns; j++)
        if (kith__cell_at(t, row, j)->ours.n > 0)
            return true;
    return false;
}

static void put_axes(kith__json *to, const view *v)
{
    for (int k = 0; k <= 4; k++) {
        const double a = v->low + (v->high - v->low) * k / 4;

        kith__put(to,
                  "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
                  "y2=\"%.1f\"/><text class=\"soft\" x=\"%d\" y=\"%.1f\" "
                  "text-anchor=\"end\">%.3g</text>\n",
                  LEFT, RIGHT, y_of(v, a), y_of(v, a), LEFT - 5, y_of(v, a) + 4,
                  a);
    }
    for (int j = 0; j < v->t->columns; j++) {
        kith__put(to,
                  "<text class=\"soft\" x=\"%.1f\" y=\"%d\" "
                  "text-anchor=\"middle\">",
                  x_of(v, j), BOTTOM + 15);
        put_text(to, v->t->column[j]);
        kith__put(to, "</text>\n");
    }
    kith__put(to,
              "<path class=\"axis\" d=\"M%d %dV%dH%d\"/><text class=\"soft\" "
              "x=\"%d\" y=\"%d\" text-anchor=\"middle\">training nodes per "
              "class</text>\n",
              LEFT, TOP, BOTTOM, RIGHT, (LEFT + RIGHT) / 2, BOTTOM + 31);
}

static void put_stroke(kith__json *to, int number)
{
    static const char *const dashes[COLOURS] = {
        "", "7 3", "2 3", "9 3 2 3", "4 2", "1 2", "12 4", "6 2 2 2"};

    kith__put(to,
              " fill=\"none\" stroke-width=\"1.8\" stroke-dasharray=\"%s\" "
              "style=\"stroke:var(--c%d)\"/>",
              dashes[number % COLOURS], number % COLOURS);
}

static void put_line(kith__json *to, const view *v, int row, int number)
{
    bool begun = false;

    kith__put(to, "<path d=\"");
    for (int j = 0; j < v->t->columns; j++) {
        const kith_spread *s = &kith__cell_at(v->t, row, j)->ours;

        if (s->n > 0)
            kith__put(to, "%c%.1f %.1f", begun ? 'L' : 'M', x_of(v, j),
                      y_of(v, s->mean));
        begun |= s->n > 0;
    }
    kith__put(to, "\"");
    put_stroke(to, number);
    for (int j = 0; j < v->t->columns; j++) {
        const kith_spread *s = &kith__cell_at(v->t, row, j)->ours;

        if (s->n == 0)
            continue;
        kith__put(to,
                  "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\" "
                  "style=\"fill:var(--c%d)\"><title>",
                  x_of(v, j), y_of(v, s->mean), number % COLOURS);
        put_text(to, v->t->row[row]);
        kith__put(to, ", ");
        put_text(to, v->t->column[j]);
        kith__put(to, ": %.3f</title></circle>", s->mean);
    }
    kith__put(to, "\n");
}

static void put_legend(kith__json *to, const view *v)
{
    int number = 0;

    kith__put(to, "<ul class=\"legend\">");
    for (int i = v->from; i < v->to; i++) {
        if (!any_in_row(v->t, i))
            continue;
        kith__put(to,
                  "<li><svg viewBox=\"0 0 26 8\" aria-hidden=\"true\"><path "
                  "d=\"M0 4H26\"");
        put_stroke(to, number++);
        kith__put(to, "</svg> ");
        put_text(to, v->t->row[i]);
        kith__put(to, "</li>");
    }
    kith__put(to, "</ul>");
}

static void put_chart(kith__json *to, const view *v)
{
    const char *title = v->t->group[v->from];
    int number = 0;

    kith__put(to, "<section class=\"card\">");
    put_element(to, "h3", "", title);
    kith__put(to, "<svg viewBox=\"0 0 340 %d\" role=\"img\" aria-label=\"",
              HEIGHT);
    put_text(to, v->t->title);
    kith__put(to, ": ");
    put_text(to, title);
    kith__put(to, "\"><title>");
    put_text(to, v->t->title);
    kith__put(to, ": ");
    put_text(to, title);
    kith__put(to, "</title>\n");
    put_axes(to, v);
    for (int i = v->from; i < v->to; i++)
        if (any_in_row(v->t, i))
            put_line(to, v, i, number++);
    kith__put(to, "</svg>");
    put_legend(to, v);
    kith__put(to, "</section>\n");
}

/* A chart for each group of rows that has something to show. */
static void put_charts(kith__json *to, const kith__table *t)
{
    view v = {.t = t};

    scale(&v);
    kith__put(to, "<div class=\"cards\">\n");
    for (v.from = 0; v.from < t->rows; v.from = v.to) {
        bool any = false;

        for (v.to = v.from;
             v.to < t->rows && t->group[v.to] == t->group[v.from]; v.to++)
            any |= any_in_row(t, v.to);
        if (any)
            put_chart(to, &v);
    }
    kith__put(to, "</div>\n");
}

/* ---- matrices ------------------------------------------------------------ */

/* A square for each value: blue above 0, orange below, deeper if larger. */
static void put_square(kith__json *to, const kith__matrix *m, int i, int j,
                       double most)
{
    const double x = (double)m->value[(int64_t)i * m->size + j];

    kith__put(to,
              "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"1\" "
              "height=\"1\" fill-opacity=\"%.2g\"",
              x < 0 ? "minus" : "plus", j, i, fabs(x) / most);
    if (m->size > NAMED_MOST) {
        kith__put(to, "/>");
        return;
    }
    kith__put(to, "><title>");
    put_text(to, m->name[i]);
    kith__put(to, " and ");
    put_text(to, m->name[j]);
    kith__put(to, ": %+.4f</title></rect>", x);
}

static void put_matrix(kith__json *to, const kith__matrix *m)
{
    double most = 1e-30;

    for (int64_t i = 0; i < (int64_t)m->size * m->size; i++)
        most = fmax(most, fabs((double)m->value[i]));
    kith__put(to, "<section class=\"card\">");
    put_element(to, "h3", "", m->title);
    kith__put(to,
              "<svg class=\"matrix\" viewBox=\"0 0 %d %d\" role=\"img\" "
              "aria-label=\"",
              m->size, m->size);
    put_text(to, m->title);
    kith__put(to, "\"><title>");
    put_text(to, m->title);
    kith__put(to, "</title>\n");
    for (int i = 0; i < m->size; i++) {
        for (int j = 0; j < m->size; j++)
            put_square(to, m, i, j, most);
        kith__put(to, "\n");
    }
    kith__put(to,
              "</svg><p class=\"soft\">%d classes; the deepest colour is "
              "%.3g. Blue: above 0, such nodes like to be linked. Orange: "
              "below 0.</p></section>\n",
              m->size, most);
}

/* ---- the page ------------------------------------------------------------ */

static void put_notes(kith__json *to, const kith__doc *d)
{
    if (d->unfinished)
        put_element(to, "p", "",
                    "Unfinished: some results are missing. The same command "
                    "goes on from here.");
    if (d->notes == 0)
        return;
    kith__put(to, "<ul>");
    for (int64_t i = 0; i < d->notes; i++)
        put_element(to, "li", "", d->note[i]);
    kith__put(to, "</ul>\n");
}

static void put_part(kith__json *to, const kith__doc *d, const kith__table *t)
{
    put_element(to, "h2", "", t->title);
    put_element(to, "p", " class=\"soft\"", t->text);
    if (strcmp(t->id, "figure1") == 0) {
        kith__put(to, "<div class=\"cards\">\n");
        for (int64_t i = 0; i < d->matrices; i++)
            put_matrix(to, &d->matrix[i]);
        kith__put(to, "</div>\n");
    }
    if (t->chart)
        put_charts(to, t);
    put_table(to, t);
}

void kith__write_html(kith__json *to, const kith__doc *d)
{
    kith__page_head(to, "The paper's evaluation");
    kith__put(to,
              "<main id=\"page\">\n<h1>The paper&#39;s evaluation</h1>\n"
              "<p class=\"soft\">Learning coupling matrices (Wang, Jia, "
              "Gong, AAAI 2021): its tables and figures, by kith paper%s. "
              "Kith %s.</p>\n",
              d->quick ? " --quick, which shows the form and not the results"
                       : "",
              kith_version());
    put_notes(to, d);
    for (int64_t i = 0; i < d->tables; i++)
        put_part(to, d, &d->table[i]);
    kith__put(to, "</main>\n</body>\n</html>\n");
}

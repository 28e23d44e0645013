/*
 * explain_words.c: an explanation in a few plain sentences, the same for
 * terminal, page, JSON and Python:
 *
 *     Likely fraud (0.97, strong evidence). Linked directly to 3 nodes known as
 *     fraud (a, b, c) and 1 known as good (d); within two steps 2 more known as
 *     fraud. Without knowing a it would be 0.61.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "io/json_writer.h"
#include "models/explain/around.h"
#include "models/model_object.h"

enum { NAMED = 3, NAME_BYTES = 48 };

/* ---- plain text ---------------------------------------------------------- */

static void say(kith__json *j, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(kith__json *j, const char *format, ...)
{
    char text[256];
    va_list args;
    int n;

    va_start(args, format);
    n = kith__print_list(text, sizeof(text), format, args);
    va_end(args);
    if (n > 0)
        kith__json_raw(j, text,
                       (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* May it stand in a sentence without quotes? */
static bool is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];

        if (c <= ' ' || strchr(",;()'\"?", c) || c == 0x7F)
            return false;
    }
    return length > 0 && text[length - 1] != '.';
}

/* An id or a class's name: in quotes if it could be read as more than a name,
 * control characters as '?', cut where it is long. */
static void say_name(kith__json *j, const char *text, size_t length)
{
    const bool quoted = !is_plain(text, length), cut = length > NAME_BYTES;

    if (cut)
        for (length = NAME_BYTES; ((unsigned char)text[length] & 0xC0) == 0x80;)
            length--; /* whole code points */
    if (quoted)
        say(j, "'");
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];

        kith__json_raw(j, c < ' ' || c == 0x7F ? "?" : text + i, 1);
    }
    say(j, "%s%s", cut ? "..." : "", quoted ? "'" : "");
}

static void say_node(kith__json *j, const kith_solution *s, int32_t node)
{
    char buffer[KITH_ID_BUFFER];
    size_t length;
    const char *id = kith_graph_id(s->data->graph, node, buffer, &length);

    say_name(j, id, length);
}

/* A class by its name, "class 3" if that is a number. */
static void say_class(kith__json *j, const kith_solution *s, int32_t c)
{
    const char *name = kith_model_class_name(s->model, c);
    const size_t length = strlen(name);

    if (length > 0 && strspn(name, "0123456789") == length)
        say(j, "class ");
    say_name(j, name, length);
}

/* Two digits; what is not certain never reads as certain. */
static void say_probability(kith__json *j, double p)
{
    if (p < .005)
        say(j, "below 0.01");
    else if (p >= .995)
        say(j, "above 0.99");
    else
        say(j, "%.2f", p);
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- the verdict --------------------------------------------------------- */

/* "(0.97, strong evidence)." */
static void say_how_sure(kith__json *j, const kith_solution *s, int32_t node,
                         double p)
{
    const uint8_t *evidence = kith_solution_evidence(s);

    say(j, " (");
    say_probability(j, p);
    if (evidence)
        say(j, ", %s evidence",
            kith_evidence_name((kith_evidence)evidence[node]));
    say(j, ").");
}

static void say_known(kith__json *j, const kith_solution *s,
                      const kith_explanation *e, int32_t known)
{
    say(j, "Known as ");
    say_class(j, s, known);
    if (e->likeliest != known) {
        say(j, ", but the model takes it for ");
        say_class(j, s, e->likeliest);
    }
    say_how_sure(j, s, e->node, e->likeliest_probability);
}

static void say_verdict(kith__json *j, const kith_solution *s,
                        const kith_explanation *e)
{
    const uint8_t *evidence = kith_solution_evidence(s);
    const double p = e->likeliest_probability;
    const int32_t known = s->trained[e->node];

    if (known >= 0) {
        say_known(j, s, e, known);
    } else if (evidence && evidence[e->node] == KITH_EVIDENCE_NONE) {
        say(j, "No verdict: nothing known reaches it; any such node gets ");
        say_probability(j, e->probability);
        say(j, " for ");
        say_class(j, s, e->of_class);
        say(j, ".");
        return;
    } else {
        say(j, p >= .75 ? "Likely "
               : p > .5 ? "Perhaps "
                        : "Undecided, first ");
        say_class(j, s, e->likeliest);
        say_how_sure(j, s, e->node, p);
    }
    if (e->likeliest == e->of_class)
        return;
    say(j, " Asked about ");
    say_class(j, s, e->of_class);
    say(j, ", which gets ");
    say_probability(j, e->probability);
    say(j, ".");
}

/* ---- the labelled nodes around it ---------------------------------------- */

/* Labelled nodes of one class around the node. */
typedef struct side {
    int32_t linked, near;
    double adds; /* of those linked */
    int32_t top[NAMED];
    double size[NAMED];
} side;

/* Of the nodes linked (or, without any, near) those that add most; ties by the
 * order of the input. */
static void keep_name(side *of, int32_t n, int32_t node, double size)
{
    int32_t i;

    if (n >= NAMED && size <= of->size[NAMED - 1])
        return;
    for (i = n < NAMED ? n : NAMED - 1; i > 0 && of->size[i - 1] < size; i--) {
        of->top[i] = of->top[i - 1];
        of->size[i] = of->size[i - 1];
    }
    of->top[i] = node;
    of->size[i] = size;
}

static double adds(const kith_explanation *e, int32_t v)
{
    return e->contribution ? e->contribution[v] : 0;
}

/* Count by class, names of those `steps` away. */
static void count_sides(const kith_solution *s, const kith_explanation *e,
                        const uint8_t *steps, int named, side *sides)
{
    const kith__task *t = &s->storage.task;

    memset(sides, 0, (size_t)t->classes * sizeof(*sides));
    for (int32_t l = 0; l < t->n_train; l++) {
        side *of = &sides[t->truth[l]];
        const double a = adds(e, t->train[l]);

        if (steps[l] == named)
            keep_name(of, named == KITH__LINKED ? of->linked : of->near,
                      t->train[l], fabs(a));
        of->linked += steps[l] == KITH__LINKED;
        of->near += steps[l] == KITH__TWO_STEPS;
        of->adds += steps[l] == KITH__LINKED ? a : 0;
    }
}

/* "3 nodes known as fraud (a, b, c)"; then "1 known as good (d)" */
static void say_side(kith__json *j, const kith_solution *s, const side *of,
                     int32_t c, int32_t n, const char *noun)
{
    say(j, "%d %s%s%sknown as ", (int)n, noun, *noun ? plural(n) : "",
        *noun ? " " : "");
    say_class(j, s, c);
    say(j, " (");
    for (int32_t i = 0; i < n && i < NAMED; i++) {
        say(j, i ? ", " : "");
        say_node(j, s, of->top[i]);
    }
    say(j, n > NAMED ? ", ...)" : ")");
}

/* The class with most nodes there, of_class left out; -1 if there are none. */
static int32_t most_of_others(const kith_explanation *e, const side *sides,
                              bool linked)
{
    int32_t best = -1, most = 0;

    for (int32_t c = 0; c < e->classes; c++) {
        const int32_t n = linked ? sides[c].linked : sides[c].near;

        if (c != e->of_class && n > most) {
            best = c;
            most = n;
        }
    }
    return best;
}

/* "3 nodes known as fraud (a, b, c), 1 known as good (d) and 2 of others" */
static void say_sides(kith__json *j, const kith_solution *s,
                      const kith_explanation *e, const side *sides, bool linked)
{
    const int32_t own = linked ? sides[e->of_class].linked
                               : sides[e->of_class].near;
    const int32_t other = most_of_others(e, sides, linked);
    int32_t rest = 0, n;

    for (int32_t c = 0; c < e->classes; c++)
        if (c != e->of_class && c != other)
            rest += linked ? sides[c].linked : sides[c].near;
    if (own > 0)
        say_side(j, s, &sides[e->of_class], e->of_class, own, "node");
    if (other >= 0) {
        n = linked ? sides[other].linked : sides[other].near;
        say(j, own == 0 ? "" : rest > 0 ? ", " : " and ");
        say_side(j, s, &sides[other], other, n, own > 0 ? "" : "node");
    }
    if (rest > 0)
        say(j, " and %d of other classes", (int)rest);
}

/* "; within two steps 2 more known as fraud and 40 as others" */
static void say_nearby(kith__json *j, const kith_solution *s,
                       const kith_explanation *e, const side *sides)
{
    const int32_t own = sides[e->of_class].near;
    int32_t others = 0;

    for (int32_t c = 0; c < e->classes; c++)
        others += c == e->of_class ? 0 : sides[c].near;
    if (own + others == 0)
        return;
    say(j, "; within two steps ");
    if (own > 0) {
        say(j, "%d more known as ", (int)own);
        say_class(j, s, e->of_class);
    }
    if (others > 0 && e->classes == 2) {
        say(j, own > 0 ? " and %d as " : "%d more known as ", (int)others);
        say_class(j, s, 1 - e->of_class);
    } else if (others > 0) {
        say(j,
            own > 0 ? " and %d of other classes"
                    : "%d more known as other classes",
            (int)others);
    }
}

/* Where links to another class speak for this one, that is worth a clause. */
static void say_unlike(kith__json *j, const kith_solution *s,
                       const kith_explanation *e, const side *sides)
{
    const int32_t other = most_of_others(e, sides, true);

    if (other < 0 || sides[other].adds <= 0 ||
        sides[other].adds <= sides[e->of_class].adds)
        return;
    say(j, "; here links to ");
    say_class(j, s, other);
    say(j, " speak for ");
    say_class(j, s, e->of_class);
}

static kith_status say_links(kith__json *j, const kith_solution *s,
                             const kith_explanation *e, kith_error *err)
{
    kith_status st = KITH_OK;
    const int32_t known = s->storage.task.classes,
                  classes = known > e->classes ? known : e->classes;
    kith__around around = {0};
    side *sides = NULL;
    int64_t linked = 0, near = 0;

    if (e->kind == KITH_SUM_FEATURES || e->kind == KITH_SUM_OWN) {
        say(j, " The model looks at the node alone, not at its links.");
        return KITH_OK;
    }
    TRY(kith__around_new(s, &around, err));
    TRY_NEW(sides, kith__alloc_zeroed(classes, sizeof(*sides)));
    kith__look_around(s, e->node, &around);
    count_sides(s, e, around.steps, KITH__LINKED, sides);
    for (int32_t c = 0; c < e->classes; c++) {
        linked += sides[c].linked;
        near += sides[c].near;
    }
    if (linked > 0) {
        say(j, " Linked directly to ");
        say_sides(j, s, e, sides, true);
        say_nearby(j, s, e, sides);
        say_unlike(j, s, e, sides);
        say(j, ".");
    } else if (near > 0) {
        count_sides(s, e, around.steps, KITH__TWO_STEPS, sides);
        say(j, " No labelled node is linked to it; within two steps ");
        say_sides(j, s, e, sides, false);
        say(j, ".");
    } else if (s->op.rows[e->node] == s->op.rows[e->node + 1]) {
        say(j, " It has no links.");
    } else {
        say(j, " No labelled node is within two steps.");
    }
out:
    kith__around_release(&around);
    kith__free(sides);
    return st;
}

/* ---- features ------------------------------------------------------------ */

/* " (amount, age)": the columns that speak most for the class, at most NAMED;
 * "columns 3, 8" without names; or what else they are of. */
static void say_columns(kith__json *j, const kith_explanation *e)
{
    int32_t said = 0;

    for (int32_t i = 0; i < e->n_features && said < NAMED; i++) {
        const kith_feature_part *p = &e->features[i];

        if (p->value <= 0)
            continue;
        say(j, said++ ? ", " : " (");
        if (p->name)
            say_name(j, p->name, strlen(p->name));
        else if (p->structural)
            say(j, "its %s", p->of);
        else
            say(j, "column %d", (int)p->column);
    }
    say(j, said ? ")" : "");
}

static void say_other_nodes(kith__json *j, const kith_solution *s,
                            const kith_explanation *e)
{
    int32_t said = 0;

    for (int32_t i = 0; i < e->n_others && said < NAMED; i++) {
        if (e->top_others[i].value <= 0)
            continue;
        say(j, said++ ? ", " : " (");
        say_node(j, s, e->top_others[i].node);
    }
    say(j, said ? ")" : "");
}

/* Where more comes from what nodes are than from labels, that is said. */
static void say_features(kith__json *j, const kith_solution *s,
                         const kith_explanation *e)
{
    const bool alone = e->kind == KITH_SUM_FEATURES || e->kind == KITH_SUM_OWN;
    const double own = e->own + e->echo;

    if (e->n_features == 0)
        return;
    if (alone) {
        say(j, " What speaks for it most are its features");
        say_columns(j, e);
        say(j, ".");
    } else if (own > 0 && own >= e->labelled && own >= e->others) {
        if (e->clamped)
            return; /* said below: what it would be without its label */
        say(j, " Most of it comes from its own features");
        say_columns(j, e);
        say(j, ".");
    } else if (e->others > 0 && e->others >= e->labelled) {
        say(j, " Most of it comes from the features of other nodes");
        say_other_nodes(j, s, e);
        say(j, ".");
    }
}

/* ---- without ------------------------------------------------------------- */

static void say_without(kith__json *j, const kith_solution *s,
                        const kith_explanation *e)
{
    const double change = e->probability - e->without_probability;

    if (e->without < 0 || !isfinite(e->without_probability))
        return;
    if (e->without == e->node) {
        say(j, " Without its own label");
    } else {
        say(j, e->kind == KITH_SUM_BESIDE ? " Without its link to "
                                          : " Without knowing ");
        say_node(j, s, e->without);
    }
    say(j, fabs(change) < .02 ? " it would still be " : " it would be ");
    say_probability(j, e->without_probability);
    say(j, ".");
}

/* ---- all of it ----------------------------------------------------------- */

kith_status kith_explanation_sentences(const kith_solution *s,
                                       const kith_explanation *e, char **text,
                                       size_t *length, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__json j = {0};

    *text = NULL;
    say_verdict(&j, s, e);
    TRY(say_links(&j, s, e, err));
    say_features(&j, s, e);
    say_without(&j, s, e);
    if (e->graph_changed)
        say(&j, " The graph has changed since the model was trained; this is "
                "about the graph as it is now.");
    TRY(kith__json_take(&j, text, length, err));
out:
    kith__free(j.at);
    return st;
}

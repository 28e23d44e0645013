/*
 * words.c: a verdict in sentences, one function for each.
 *
 * They are what a person acts on, so: what is doubtful is said first, no score
 * stands without its interval, and numbers have the digits that decide
 * something, about two.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/number.h"
#include "kith/words.h"

enum {
    NAME_MOST = 40,   /* bytes of a class's name in a sentence */
    CLASSES_SAID = 3, /* of many in the headline */
    ECE_NODES = 100   /* fewer say little of the calibration */
};

/* ---- numbers ------------------------------------------------------------- */

/* 97 %; at the ends, where a tenth decides, 99.7 %; 100 % if it is that. */
const char *kith_say_share(double x, char out[KITH_SHARE])
{
    const double percent = 100 * x, rest = fmin(percent, 100 - percent);

    if (isnan(x))
        kith__print(out, KITH_SHARE, "unknown");
    else if (rest < 1e-9)
        kith__print(out, KITH_SHARE, "%d %%", percent > 50 ? 100 : 0);
    else if (rest < .05)
        kith__print(out, KITH_SHARE,
                    percent > 50 ? "over 99.9 %%" : "under 0.1 %%");
    else
        kith__print(out, KITH_SHARE, "%.*f %%", rest < 1 ? 1 : 0, percent);
    return out;
}

/* .83, .997, 1 if it is that; minus and zero as they are. */
const char *kith_say_score(double x, char out[KITH_SHARE])
{
    char digits[KITH_SHARE];
    const double rest = fmin(fabs(x), fabs(1 - x));
    const int places = rest >= .02 ? 2 : rest >= .0005 ? 3 : 4;

    if (isnan(x)) {
        kith__print(out, KITH_SHARE, "unknown");
    } else if (rest < 1e-9) {
        kith__print(out, KITH_SHARE, "%d", x > .5);
    } else {
        kith__print(digits, sizeof(digits), "%.*f", places, x);
        kith__print(out, KITH_SHARE, "%s",
                    digits[0] == '0' ? digits + 1 : digits);
    }
    return out;
}

/* "1,234,567" */
static const char *count(int64_t n, char out[KITH_SHARE])
{
    char digits[KITH_SHARE];
    const int length = kith__print(digits, sizeof(digits), "%lld",
                                   (long long)n);
    int at = 0;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

/* "two", "140" */
static const char *few(int64_t n, char out[KITH_SHARE])
{
    static const char *const words[] = {"no",    "one",  "two", "three",
                                        "four",  "five", "six", "seven",
                                        "eight", "nine"};

    if (n >= 0 && n < (int64_t)(sizeof(words) / sizeof(*words)))
        return words[n];
    return count(n, out);
}

/* ---- a sentence grows ---------------------------------------------------- */

typedef struct line {
    char *at;
    size_t used;
} line;

static void add(line *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(line *l, const char *format, ...)
{
    const size_t room = KITH_SENTENCE - l->used;
    va_list values;
    int n;

    va_start(values, format);
    n = kith__print_list(l->at + l->used, room, format, values);
    va_end(values);
    l->used += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static void add_count(line *l, int64_t n, const char *one, const char *many)
{
    char number[KITH_SHARE];

    add(l, "%s %s", count(n, number), n == 1 ? one : many);
}

/* A class's name, cut between characters if it is long; a number is told from
 * the counts beside it. */
static void add_class(line *l, const kith_verdict *v, int32_t c)
{
    const char *name = kith_model_class_name(v->in.model, c);
    const char *class = name[0] >= '0' && name[0] <= '9' ? "class " : "";
    size_t length = strlen(name);

    if (length <= NAME_MOST) {
        add(l, "%s%s", class, name);
        return;
    }
    for (length = NAME_MOST - 3; length > 0 && (name[length] & 0xC0) == 0x80;)
        length--;
    add(l, "%s%.*s...", class, (int)length, name);
}

/* "63 fraud", "63 of class 1" */
static void add_members(line *l, const kith_verdict *v, int64_t n, int32_t c)
{
    const char first = kith_model_class_name(v->in.model, c)[0];
    char number[KITH_SHARE];

    add(l, "%s %s", count(n, number),
        first >= '0' && first <= '9' ? "of " : "");
    add_class(l, v, c);
}

/* "97 % right (94 to 99)": the ends without their signs. */
static void add_shares(line *l, double x, kith_interval i, const char *what)
{
    char a[KITH_SHARE], b[KITH_SHARE], c[KITH_SHARE];

    kith_say_share(x, a);
    kith_say_share(i.low, b);
    kith_say_share(i.high, c);
    b[strcspn(b, "%") - (b[strcspn(b, "%")] == '%')] = '\0';
    c[strcspn(c, "%") - (c[strcspn(c, "%")] == '%')] = '\0';
    add(l, "%s%s (%s to %s)", a, what, b, c);
}

/* ---- the headline -------------------------------------------------------- */

static void say_doubt(line *l, const kith_verdict *v)
{
    char number[KITH_SHARE];
    const char *labels = few(v->learnt, number);

    if (v->trust != KITH_TRUST_GUESS && v->learnt >= 10)
        return;
    if (v->learnt < 10)
        add(l, "%c%s label%s: this is a guess. ", labels[0] - 'a' + 'A',
            labels + 1, v->learnt == 1 ? "" : "s");
    else
        add(l, "Only %s labelled node%s to judge by: this is a guess. ",
            count(v->scores.nodes, number), v->scores.nodes == 1 ? "" : "s");
}

/* How many of the calls are right, as far as that can be told. */
static void say_right(line *l, const kith_verdict *v)
{
    char number[KITH_SHARE];

    if (v->scores.nodes == 0) {
        add(l, "; how many of these are right cannot be told");
        return;
    }
    if (v->listed == 0)
        return;
    if (v->listed < 10) {
        add(l,
            v->hits == v->listed ? " (all %s that were checked are right)"
                                 : " (%s of %d that were checked are right)",
            few(v->hits, number), (int)v->listed);
        return;
    }
    add(l, "; expect ");
    add_shares(l, (double)v->hits / v->listed, v->right, " right");
}

/* "812 Theory, 400 Neural Networks, 188 of 4 other classes" */
static void say_classes(line *l, const kith_verdict *v, const int64_t *n)
{
    int64_t left = 0, last = INT64_MAX;
    int32_t last_class = -1, said = 0, kinds = 0;
    char number[KITH_SHARE];

    for (int32_t c = 0; c < v->classes; c++) {
        left += n[c];
        kinds += n[c] > 0;
    }
    for (; said < kinds && (said < CLASSES_SAID || kinds == said + 1); said++) {
        int32_t best = -1;

        /* the largest after the last one, of equals in their order */
        for (int32_t c = 0; c < v->classes; c++)
            if ((n[c] < last || (n[c] == last && c > last_class)) &&
                (best < 0 || n[c] > n[best]))
                best = c;
        add(l, "%s", said ? ", " : "");
        add_members(l, v, n[best], best);
        left -= n[best];
        last = n[best];
        last_class = best;
    }
    if (kinds > said)
        add(l, " and %s of %d other classes", count(left, number),
            (int)(kinds - said));
}

static void say_headline(line *l, const kith_verdict *v)
{
    char number[KITH_SHARE];
    kith_one_class one;

    say_doubt(l, v);
    if (v->unknown == 0) {
        add(l, "Every node is known: nothing is left to label");
        return;
    }
    if (kith_model_one_class(v->in.model, &one) && !one.probabilities) {
        add_count(l, v->unknown, "unknown node", "unknown nodes");
        add(l, " ranked; how many are likely ");
        add_class(l, v, one.known);
        add(l, " cannot be told");
        return;
    }
    if (v->positive >= 0) {
        add(l, "%s of ", count(v->said[v->positive], number));
        add_count(l, v->unknown, "unknown node", "unknown nodes");
        add(l, " likely ");
        add_class(l, v, v->positive);
    } else {
        add_count(l, v->unknown, "unknown node: ", "unknown nodes: ");
        say_classes(l, v, v->said);
    }
    say_right(l, v);
}

/* ---- what it learnt from ------------------------------------------------- */

static void say_learnt(line *l, const kith_verdict *v)
{
    char number[KITH_SHARE];
    int64_t least = INT64_MAX, most = 0;
    kith_one_class one;

    if (v->learnt < kith_model_trained(v->in.model))
        add(l, "learnt from %s nodes, of which this graph has ",
            count(kith_model_trained(v->in.model), number));
    else
        add(l, "learnt from ");
    if (v->classes == 2 && v->positive >= 0) {
        add_members(l, v, v->of[v->positive], v->positive);
        if (kith_model_one_class(v->in.model, &one))
            return; /* nothing else is known */
        add(l, " and ");
        add_members(l, v, v->of[!v->positive], !v->positive);
        return;
    }
    for (int32_t c = 0; c < v->classes; c++) {
        least = v->of[c] < least ? v->of[c] : least;
        most = v->of[c] > most ? v->of[c] : most;
    }
    add_count(l, v->learnt, "node", "nodes");
    add(l, " of %d classes, %s", (int)v->classes, count(least, number));
    if (most > least)
        add(l, " to %s", count(most, number));
    add(l, " each");
}

static void say_method(line *l, const kith_verdict *v)
{
    const char *why = kith_model_why(v->in.model);

    add(l, "method %s", kith_model_method(v->in.model));
    if (why)
        add(l, ", %s", why);
}

/* ---- trust --------------------------------------------------------------- */

static void add_score(line *l, const char *name, double x, kith_interval i)
{
    char a[KITH_SHARE], b[KITH_SHARE], c[KITH_SHARE];

    add(l, "%s %s (%s to %s)", name, kith_say_score(x, a),
        kith_say_score(i.low, b), kith_say_score(i.high, c));
}

static void add_judged(line *l, const kith_verdict *v)
{
    char number[KITH_SHARE];

    if (v->in.chosen_by)
        add(l, " on %s nodes that it was tuned on but not taught",
            count(v->scores.nodes, number));
    else
        add(l, " on %s nodes not learnt from", count(v->scores.nodes, number));
}

static void add_calibration(line *l, const kith_verdict *v)
{
    char ece[KITH_SHARE];

    if (v->scores.nodes < ECE_NODES)
        return;
    add(l, "; %s (ECE %s)",
        v->scores.ece <= .05  ? "calibrated"
        : v->scores.ece <= .1 ? "roughly calibrated"
                              : "its probabilities are off",
        kith_say_score(v->scores.ece, ece));
}

static void say_trust(line *l, const kith_verdict *v)
{
    if (v->trust == KITH_TRUST_UNKNOWN) {
        add(l, "unknown: no labelled node is left to judge by");
        return;
    }
    add(l, "%s: ", kith_trust_name(v->trust));
    if (v->positive >= 0 && !isnan(v->scores.auc))
        add_score(l, "AUC", v->scores.auc, v->intervals.auc);
    else
        add_score(l, "accuracy", v->scores.accuracy, v->intervals.accuracy);
    add_judged(l, v);
    add_calibration(l, v);
}

static void say_meaning(line *l, const kith_verdict *v)
{
    const kith_scores *s = &v->scores;
    char n[KITH_SHARE];

    if (v->trust == KITH_TRUST_UNKNOWN) {
        add(l, "No labelled node was kept apart, so nobody has checked it: "
               "give more labels, or name some to judge by");
        return;
    }
    add(l, "On %s labelled nodes %s, it ", count(s->nodes, n),
        v->in.chosen_by ? "that it was tuned on but not taught"
                        : "that it was not taught");
    if (v->positive >= 0 && !isnan(s->auc)) {
        add(l, "ranked one that is ");
        add_class(l, v, v->positive);
        add(l, " above one that is not ");
        add_shares(l, s->auc, v->intervals.auc, " of the time");
    } else {
        add(l, "named the right class ");
        add_shares(l, s->accuracy, v->intervals.accuracy, " of the time");
    }
}

/* ---- evidence ------------------------------------------------------------ */

static void say_evidence(line *l, const kith_verdict *v)
{
    const int64_t none = v->evidence[KITH_EVIDENCE_NONE],
                  weak = v->evidence[KITH_EVIDENCE_WEAK];
    char number[KITH_SHARE];

    if (!v->in.evidence)
        return;
    if (none > 0)
        add(l, "%s without evidence", count(none, number));
    if (weak > 0)
        add(l, "%s%s with weak evidence", none > 0 ? ", " : "",
            count(weak, number));
}

const char *kith_verdict_say(const kith_verdict *v, kith_sentence s,
                             char out[KITH_SENTENCE])
{
    static void (*const say[KITH_SENTENCES])(line *, const kith_verdict *) = {
        say_headline, say_learnt,  say_method,
        say_trust,    say_meaning, say_evidence};
    line l = {out, 0};

    out[0] = '\0';
    say[s](&l, v);
    return out;
}

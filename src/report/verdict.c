/*
 * verdict.c: what a run came to, counted: how many nodes it calls what, how
 * many of those calls are right where that can be checked, what it cannot see.
 *
 * A call is a node's likeliest class; a node without evidence is called
 * nothing.  Calls are counted of unknown nodes, and checked on judged ones.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/status.h"
#include "kith/words.h"
#include "models/model_object.h"
#include "report/measures.h"

enum {
    LABELS_FEW = 10, /* below, whatever comes of it is a guess */
    JUDGED_FEW = 10,
    RARE_FEW = 3,   /* judged nodes of the rarer of two classes */
    ECE_NODES = 100 /* below, the calibration error is mostly chance */
};

/* Lower ends of intervals, and the calibration error, that set the trust. */
static const double AUC_GOOD = .85, AUC_FAIR = .65, SKILL_GOOD = .5,
                    SKILL_FAIR = .15, ECE_GOOD = .1;

void kith_verdict_input_init(kith_verdict_input *in)
{
    *in = (kith_verdict_input){0};
}

/* Does the split name test nodes whose label is known? */
static bool can_be_tested(const kith_dataset *d, const kith_split *s)
{
    bool any = false;

    for (int32_t i = 0; i < s->n_test && !any; i++)
        any = d->labels->of[s->test[i]] >= 0;
    return any;
}

void kith_verdict_input_of(kith_verdict_input *in, const kith_dataset *d,
                           const kith_protocol *p, const kith_classification *c)
{
    const kith_split *whole = &p->whole, *tuning = &p->tuning;

    kith_verdict_input_init(in);
    in->data = d;
    in->model = c->model;
    in->probabilities = c->probabilities;
    in->evidence = c->evidence;
    in->known = whole->val;
    in->n_known = whole->n_val;
    if (can_be_tested(d, whole)) {
        in->judged = whole->test;
        in->n_judged = whole->n_test;
        in->judged_what = "the test nodes of the split";
    } else if (tuning->n_val > 0) {
        in->judged = tuning->val;
        in->n_judged = c->unseen ? tuning->n_val : 0;
        in->judged_what = "labelled nodes held out for tuning, by a model that "
                          "has not learnt from them";
        in->judged_by = c->unseen;
        in->chosen_by = true;
    } else if (whole->n_val > 0) {
        in->judged = whole->val;
        in->n_judged = whole->n_val;
        in->judged_what = "the nodes named for tuning";
        in->chosen_by = true;
    }
}

/* ---- who is known -------------------------------------------------------- */

static kith_status no_such_node(const kith_verdict *v, int32_t u,
                                kith_error *err)
{
    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "node %d is none of the graph's %d", (int)u,
                      (int)v->nodes);
}

/* The nodes learnt from and those known otherwise, marked. */
static kith_status mark_known(kith_verdict *v, kith_error *err)
{
    const kith_model *m = v->in.model;

    for (int32_t l = 0; l < m->train.n; l++) {
        const int32_t u = kith__model_node(m, l, v->in.data->graph);

        if (u < 0)
            continue;
        v->learnt += !v->is_known[u];
        v->of[m->train_class[l]] += !v->is_known[u];
        v->is_known[u] = true;
    }
    for (int32_t i = 0; i < v->in.n_known; i++) {
        const int32_t u = v->in.known[i];

        if (u < 0 || u >= v->nodes)
            return no_such_node(v, u, err);
        v->is_known[u] = true;
    }
    return KITH_OK;
}

/* Of two classes the one asked about, or that with fewer known nodes, unless
 * none of the other is known; of equals the second, as for the AUC. */
static kith_status choose_positive(kith_verdict *v, kith_error *err)
{
    kith_one_class one;

    v->positive = v->classes == 2 ? v->of[0] >= v->of[1] : -1;
    if (v->classes == 2 && kith_model_one_class(v->in.model, &one))
        v->positive = one.known;
    if (!v->in.positive)
        return KITH_OK;
    for (int32_t c = 0; c < v->classes; c++)
        if (strcmp(kith_model_class_name(v->in.model, c), v->in.positive) ==
            0) {
            v->positive = c;
            return KITH_OK;
        }
    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "the model has no class '%.60s'", v->in.positive);
}

static void count_calls(kith_verdict *v)
{
    for (int32_t u = 0; u < v->nodes; u++) {
        const kith_evidence e = v->in.evidence ? v->in.evidence[u]
                                               : KITH_EVIDENCE_STRONG;

        if (v->is_known[u])
            continue;
        v->unknown++;
        v->evidence[e]++;
        if (e != KITH_EVIDENCE_NONE)
            v->said[kith__likeliest(
                v->in.probabilities + (int64_t)u * v->classes, v->classes)]++;
    }
}

/* ---- how it did where that can be checked -------------------------------- */

/* The nodes to judge by; none where labels are of other classes. */
static kith_status choose_judged(kith_verdict *v, kith_error *err)
{
    const kith_labels *l = v->in.data->labels;
    const int32_t *given = v->in.judged;
    const int32_t n = given ? v->in.n_judged : v->nodes;
    kith_status st = KITH_OK;

    if (!l || l->classes != v->classes)
        return KITH_OK;
    TRY_NEW(v->judged, kith__alloc(n, sizeof(*v->judged)));
    for (int32_t i = 0; i < n; i++) {
        const int32_t u = given ? given[i] : i;

        if (u < 0 || u >= v->nodes)
            TRY(no_such_node(v, u, err));
        if (l->of[u] >= 0 && (given || !v->is_known[u]))
            v->judged[v->n_judged++] = u;
    }
out:
    return st;
}

/* Judged calls that are right; *commonest: judged nodes of the largest class;
 * *positives: of the class asked about. */
static kith_status check_calls(kith_verdict *v, int64_t *commonest,
                               int64_t *positives, kith_error *err)
{
    const float *p = v->in.judged_by ? v->in.judged_by : v->in.probabilities;
    const kith_labels *l = v->in.data->labels;
    kith_status st = KITH_OK;
    int64_t *count = NULL;

    TRY_NEW(count, kith__alloc_zeroed(v->classes, sizeof(*count)));
    for (int32_t i = 0; i < v->n_judged; i++) {
        const int32_t u = v->judged[i];
        const int call = kith__likeliest(p + (int64_t)u * v->classes,
                                         v->classes);

        count[l->of[u]]++;
        if (!v->in.judged_by && v->in.evidence &&
            v->in.evidence[u] == KITH_EVIDENCE_NONE)
            continue;
        if (v->positive >= 0 && call != v->positive)
            continue;
        v->listed++;
        v->hits += l->of[u] == call;
    }
    *commonest = *positives = 0;
    for (int32_t c = 0; c < v->classes; c++)
        *commonest = count[c] > *commonest ? count[c] : *commonest;
    if (v->positive >= 0)
        *positives = count[v->positive];
out:
    kith__free(count);
    return st;
}

/* Accuracy above that of calling everything the largest class, as a share of
 * what there is above it. */
static double skill(double accuracy, double base)
{
    return base < 1 ? (accuracy - base) / (1 - base) : 0;
}

static kith_trust trust_of(const kith_verdict *v, int64_t commonest,
                           int64_t positives)
{
    const int32_t n = v->scores.nodes;
    const bool off = n >= ECE_NODES && v->scores.ece > ECE_GOOD;
    const bool by_auc = v->positive >= 0 && !isnan(v->scores.auc);
    double low, good = AUC_GOOD, fair = AUC_FAIR;

    if (n == 0)
        return KITH_TRUST_UNKNOWN;
    if (v->learnt < LABELS_FEW || n < JUDGED_FEW ||
        (v->positive >= 0 &&
         (positives < RARE_FEW || n - positives < RARE_FEW)))
        return KITH_TRUST_GUESS;
    if (by_auc) {
        low = v->intervals.auc.low;
    } else {
        low = skill(v->intervals.accuracy.low, (double)commonest / n);
        good = SKILL_GOOD;
        fair = SKILL_FAIR;
    }
    if (low >= good && !off)
        return KITH_TRUST_GOOD;
    return low >= fair ? KITH_TRUST_FAIR : KITH_TRUST_POOR;
}

static kith_status judge(kith_verdict *v, kith_error *err)
{
    const kith_labels *l = v->in.data->labels;
    const float *p = v->in.judged_by ? v->in.judged_by : v->in.probabilities;
    int64_t commonest, positives;
    kith_status st = KITH_OK;

    if (v->n_judged == 0)
        return KITH_OK;
    TRY(kith_score(p, l, v->judged, v->n_judged, v->positive, &v->scores, err));
    TRY(check_calls(v, &commonest, &positives, err));
    TRY(kith_score_intervals(v->in.data->graph, p, l, v->judged, v->n_judged,
                             v->positive, 1, v->in.job, &v->intervals, err));
    kith_model_mask_scores(v->in.model, &v->scores, &v->intervals);
    v->right = kith_share_interval(v->hits, v->listed);
    v->trust = trust_of(v, commonest, positives);
out:
    return st;
}

kith_status kith_verdict_new(const kith_verdict_input *in, kith_verdict **out,
                             kith_error *err)
{
    kith_status st = KITH_OK;
    kith_verdict *v = NULL;

    *out = NULL;
    TRY_NEW(v, kith__alloc_zeroed(1, sizeof(*v)));
    v->in = *in;
    v->nodes = kith_graph_nodes(in->data->graph);
    v->classes = kith_model_classes(in->model);
    TRY_NEW(v->of, kith__alloc_zeroed(v->classes, sizeof(*v->of)));
    TRY_NEW(v->said, kith__alloc_zeroed(v->classes, sizeof(*v->said)));
    TRY_NEW(v->is_known, kith__alloc_zeroed(v->nodes, sizeof(bool)));
    TRY(mark_known(v, err));
    TRY(choose_positive(v, err));
    count_calls(v);
    TRY(choose_judged(v, err));
    TRY(judge(v, err));
    *out = v;
    v = NULL;
out:
    kith_verdict_free(v);
    return st;
}

void kith_verdict_free(kith_verdict *v)
{
    if (!v)
        return;
    kith__free(v->of);
    kith__free(v->said);
    kith__free(v->is_known);
    kith__free(v->judged);
    kith__free(v);
}

const char *kith_trust_name(kith_trust t)
{
    static const char *const names[] = {"unknown", "a guess", "poor", "fair",
                                        "good"};

    return names[t];
}

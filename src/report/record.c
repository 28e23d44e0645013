#include "report/record.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "core/status.h"
#include "data/features.h"
#include "kith/report.h"
#include "models/model_object.h"

/* Numbers are written and read by one walk over the fields, so that the two
 * cannot differ. */
typedef struct cursor {
    double *at;
    bool load, fits; /* every number read was one that its field holds */
} cursor;

static void real(cursor *c, double *field)
{
    if (c->load)
        *field = *c->at;
    else
        *c->at = *field;
    c->at++;
}

/* low .. most; what is no such number becomes low. */
static void whole(cursor *c, int64_t *field, int64_t low, int64_t most)
{
    if (!c->load) {
        *c->at++ = (double)*field;
        return;
    }
    if (*c->at >= (double)low && *c->at <= (double)most)
        *field = (int64_t)*c->at;
    else
        c->fits = false;
    c->at++;
}

static void small(cursor *c, int32_t *field, int32_t low)
{
    int64_t wide = *field;

    whole(c, &wide, low, INT32_MAX);
    *field = (int32_t)wide;
}

static void interval(cursor *c, kith_interval *i)
{
    real(c, &i->low);
    real(c, &i->high);
}

static void counts(cursor *c, kith__record *r)
{
    static const int64_t MOST = 1LL << 53;
    kith_verdict *v = &r->v;

    small(c, &v->nodes, 0);
    small(c, &v->unknown, 0);
    small(c, &v->learnt, 0);
    small(c, &v->positive, -1);
    small(c, &v->listed, 0);
    small(c, &v->hits, 0);
    whole(c, &r->edges, 0, MOST);
    whole(c, &r->columns, 0, MOST);
    for (int e = 0; e < 4; e++)
        whole(c, &v->evidence[e], 0, MOST);
    for (int32_t k = 0; k < v->classes; k++) {
        whole(c, &v->of[k], 0, MOST);
        whole(c, &v->said[k], 0, MOST);
    }
}

static void scores(cursor *c, kith_verdict *v)
{
    small(c, &v->scores.nodes, 0);
    real(c, &v->scores.accuracy);
    real(c, &v->scores.macro_f1);
    real(c, &v->scores.auc);
    real(c, &v->scores.average_precision);
    real(c, &v->scores.log_loss);
    real(c, &v->scores.ece);
    interval(c, &v->intervals.accuracy);
    interval(c, &v->intervals.macro_f1);
    interval(c, &v->intervals.auc);
    interval(c, &v->intervals.average_precision);
    interval(c, &v->intervals.log_loss);
    interval(c, &v->right);
}

/* All numbers of a record. */
static void walk(cursor *c, kith__record *r)
{
    int32_t trust = (int32_t)r->v.trust, tuned = r->v.in.chosen_by,
            told = r->v.in.evidence != NULL;
    static const uint8_t is_told = 0; /* of no node: that it was told */
    int64_t high = (int64_t)(r->features >> 32),
            low = (int64_t)(r->features & UINT32_MAX);

    counts(c, r);
    scores(c, &r->v);
    small(c, &trust, 0);
    small(c, &tuned, 0);
    small(c, &told, 0);
    whole(c, &high, 0, UINT32_MAX);
    whole(c, &low, 0, UINT32_MAX);
    if (!c->load)
        return;
    c->fits = c->fits && trust <= KITH_TRUST_GOOD && tuned <= 1 && told <= 1 &&
              r->v.positive < r->v.classes;
    r->v.trust = c->fits ? (kith_trust)trust : KITH_TRUST_UNKNOWN;
    r->v.in.chosen_by = tuned == 1;
    r->v.in.evidence = told == 1 ? &is_told : NULL;
    r->features = (uint64_t)high << 32 | (uint64_t)low;
}

/* How many numbers; see walk(). */
static int64_t size_of(int32_t classes)
{
    enum { COUNTS = 12, SCORES = 19, REST = 5 };

    return COUNTS + 2 * (int64_t)classes + SCORES + REST;
}

kith_status kith_model_keep_verdict(kith_model *m, const kith_verdict *v,
                                    kith_error *err)
{
    const kith_features *f = v->in.data->features;
    kith__record r = {.v = *v,
                      .edges = kith_graph_edges(v->in.data->graph),
                      .columns = f ? f->columns : 0,
                      .features = f ? kith__features_hash(f) : 0};
    kith_status st = KITH_OK;
    double *numbers = NULL;
    char note[400];
    char *text = NULL;
    cursor c = {0};

    TRY_NEW(numbers, kith__alloc(size_of(v->classes), sizeof(*numbers)));
    kith__print(note, sizeof(note), "%s\n%.300s", kith_version(),
                v->in.judged_what ? v->in.judged_what : "");
    TRY_NEW(text, kith__copy_string(note, strlen(note)));
    c.at = numbers;
    walk(&c, &r);
    kith__free(m->record);
    kith__free(m->note);
    m->record = numbers;
    m->n_record = size_of(v->classes);
    m->note = text;
    numbers = NULL;
    text = NULL;
out:
    kith__free(numbers);
    kith__free(text);
    return st;
}

kith_status kith__record_of(const kith_model *m, kith__record *out, bool *known,
                            kith_error *err)
{
    kith_status st = KITH_OK;
    cursor c = {.load = true, .fits = true};
    const char *end;

    *out = (kith__record){.v.classes = m->classes, .v.in.model = m};
    *known = m->record != NULL;
    if (!*known)
        return KITH_OK;
    end = strchr(m->note, '\n');
    if (m->n_record != size_of(m->classes) || !end ||
        (size_t)(end - m->note) >= sizeof(out->version))
        TRY(kith__fail(err, KITH_ERR_CORRUPT, NULL, 0,
                       "what was kept of the model's verdict does not fit"));
    TRY_NEW(out->v.of, kith__alloc_zeroed(m->classes, sizeof(*out->v.of)));
    TRY_NEW(out->v.said, kith__alloc_zeroed(m->classes, sizeof(*out->v.said)));
    c.at = m->record;
    walk(&c, out);
    if (!c.fits)
        TRY(kith__fail(err, KITH_ERR_CORRUPT, NULL, 0,
                       "what was kept of the model's verdict is out of range"));
    memcpy(out->version, m->note, (size_t)(end - m->note));
    out->judged_on = end + 1;
    out->v.in.judged_what = out->judged_on;
out:
    return st;
}

void kith__record_release(kith__record *r)
{
    kith__free(r->v.of);
    kith__free(r->v.said);
    *r = (kith__record){0};
}

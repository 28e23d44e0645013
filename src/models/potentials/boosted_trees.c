#include "models/potentials/boosted_trees.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/number.h"
#include "kernels/softmax.h"

#ifdef KITH_HAVE_XGBOOST
#include <dlfcn.h>
#include <pthread.h>
#include <xgboost/c_api.h>

/* ---- XGBoost ------------------------------------------------------------- */

#define CALLS(X)                   \
    X(XGBoostVersion)              \
    X(XGBGetLastError)             \
    X(XGDMatrixCreateFromCSREx)    \
    X(XGDMatrixSetFloatInfo)       \
    X(XGDMatrixFree)               \
    X(XGBoosterCreate)             \
    X(XGBoosterSetParam)           \
    X(XGBoosterUpdateOneIter)      \
    X(XGBoosterPredictFromDMatrix) \
    X(XGBoosterFree)

#define POINTER(name) static __typeof__(name) *name##_;
CALLS(POINTER)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool there;
static char version[32];

static void load(void)
{
    void *library = dlopen("libxgboost.so.0", RTLD_NOW | RTLD_LOCAL), *found;
    int major = 0, minor = 0, patch = 0;

    if (!library)
        return;
    there = true;
#define FIND(name)                             \
    found = dlsym(library, #name);             \
    memcpy(&name##_, &found, sizeof(name##_)); \
    there = there && found;
    CALLS(FIND)
    if (!there)
        return;
    XGBoostVersion_(&major, &minor, &patch);
    snprintf(version, sizeof(version), "%d.%d.%d", major, minor, patch);
}

const char *kith__trees_version(void)
{
    return pthread_once(&once, load) == 0 && there ? version : NULL;
}

/* What a call of XGBoost said, as a status. */
static kith_status check(int code, kith_error *err)
{
    const char *why = code ? XGBGetLastError_() : "";

    if (code == 0)
        return KITH_OK;
    if (strstr(why, "bad_alloc"))
        return kith__no_memory(err);
    return kith__fail(err, KITH_ERR_RANGE, NULL, 0, "XGBoost: %.150s", why);
}

/* ---- matrices ------------------------------------------------------------ */

/* A matrix of XGBoost's own, with labels and weights if there are any. */
static kith_status matrix_new(const kith__tree_rows *rows, DMatrixHandle *out,
                              kith_error *err)
{
    const kith__csr_matrix *x = rows->x;
    const int64_t entries = x->row[x->n];
    kith_status st = KITH_OK;
    size_t *begin = NULL;
    float *label = NULL;

    *out = NULL;
    TRY_NEW(begin, kith__alloc((int64_t)x->n + 1, sizeof(*begin)));
    for (int64_t i = 0; i <= x->n; i++)
        begin[i] = (size_t)x->row[i];
    TRY(check(XGDMatrixCreateFromCSREx_(
                  begin, (const unsigned *)x->column, x->value,
                  (size_t)x->n + 1, (size_t)entries, (size_t)x->columns, out),
              err));
    if (rows->truth) {
        TRY_NEW(label, kith__alloc(x->n, sizeof(*label)));
        for (int32_t i = 0; i < x->n; i++)
            label[i] = (float)rows->truth[i];
        TRY(check(XGDMatrixSetFloatInfo_(*out, "label", label, (bst_ulong)x->n),
                  err));
    }
    if (rows->weight)
        TRY(check(XGDMatrixSetFloatInfo_(*out, "weight", rows->weight,
                                         (bst_ulong)x->n),
                  err));
out:
    kith__free(begin);
    kith__free(label);
    return st;
}

static void matrix_free(DMatrixHandle m)
{
    if (m)
        (void)XGDMatrixFree_(m);
}

/* ---- fitting ------------------------------------------------------------- */

struct kith__trees {
    BoosterHandle booster;
    int classes, rounds;
};

void kith__trees_free(kith__trees *t)
{
    if (!t)
        return;
    if (t->booster)
        (void)XGBoosterFree_(t->booster);
    kith__free(t);
}

static kith_status set(kith__trees *t, const char *name, const char *value,
                       kith_error *err)
{
    return check(XGBoosterSetParam_(t->booster, name, value), err);
}

static kith_status set_all(kith__trees *t, const kith__tree_options *o,
                           kith_error *err)
{
    static const char *const usual[][2] = {
        {"max_depth", "6"},   {"eta", "0.1"},
        {"subsample", "0.8"}, {"tree_method", "hist"},
        {"nthread", "1"},     {"seed", "1"},
        {"verbosity", "0"},   {"disable_default_eval_metric", "1"}};
    kith_status st = KITH_OK;
    char number[32];

    for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
        TRY(set(t, usual[i][0], usual[i][1], err));
    kith__print(number, sizeof(number), "%g", o->columns);
    TRY(set(t, "colsample_bytree", number, err));
    TRY(set(t, "objective",
            o->classes == 2 ? "binary:logistic" : "multi:softprob", err));
    if (o->classes > 2) {
        kith__print(number, sizeof(number), "%d", o->classes);
        TRY(set(t, "num_class", number, err));
    }
out:
    return st;
}

/* Margins as logits, rows centred. */
static void centre(const float *margin, int64_t n, int C, float *Z)
{
    for (int64_t u = 0; u < n; u++) {
        double mean = 0;

        for (int c = 0; c < C; c++) {
            Z[u * C + c] = C == 2 ? (c ? margin[u] / 2 : -margin[u] / 2)
                                  : margin[u * C + c];
            mean += (double)Z[u * C + c] / C;
        }
        for (int c = 0; c < C; c++)
            Z[u * C + c] -= (float)mean;
    }
}

/* Logits of the first `rounds` rounds (0: all) for n rows. */
static kith_status logits(const kith__trees *t, DMatrixHandle m, int32_t n,
                          int rounds, float *Z, kith_error *err)
{
    const int64_t cells = t->classes == 2 ? n : (int64_t)n * t->classes;
    const float *margin = NULL;
    const bst_ulong *shape;
    bst_ulong dimensions, count = 1;
    kith_status st = KITH_OK;
    char how[160];

    kith__print(how, sizeof(how),
                "{\"type\": 1, \"training\": false, \"iteration_begin\": 0, "
                "\"iteration_end\": %d, \"strict_shape\": true}",
                rounds);
    TRY(check(XGBoosterPredictFromDMatrix_(t->booster, m, how, &shape,
                                           &dimensions, &margin),
              err));
    for (bst_ulong i = 0; i < dimensions; i++)
        count *= shape[i];
    if (count != (bst_ulong)cells)
        TRY(kith__fail(err, KITH_ERR_RANGE, NULL, 0,
                       "XGBoost gave %lld numbers, expected %lld",
                       (long long)count, (long long)cells));
    centre(margin, n, t->classes, Z);
out:
    return st;
}

static double mean_loss(const float *Z, const int32_t *truth, int32_t n, int C)
{
    double sum = 0;

    for (int32_t i = 0; i < n; i++) {
        const float *z = Z + (int64_t)i * C;

        sum += kith__log_sum_exp(z, C, 1) - (double)z[truth[i]];
    }
    return sum / n;
}

/* Round after round, until `watch` has not gained for a while; t->rounds is
 * the best. */
static kith_status boost(kith__trees *t, const kith__tree_options *o,
                         DMatrixHandle rows, DMatrixHandle seen,
                         const kith__tree_rows *watch, const kith_job *job,
                         kith_error *err)
{
    kith_status st = KITH_OK;
    double least = INFINITY;
    float *Z = NULL;

    if (watch)
        TRY_NEW(Z, kith__alloc((int64_t)watch->x->n * t->classes, sizeof(*Z)));
    for (int i = 0; i < o->rounds; i++) {
        double loss;

        TRY(kith__progress(job, "growing trees", i, o->rounds, "rounds", err));
        TRY(check(XGBoosterUpdateOneIter_(t->booster, i, rows), err));
        if (!watch) {
            t->rounds = i + 1;
            continue;
        }
        TRY(logits(t, seen, watch->x->n, i + 1, Z, err));
        loss = mean_loss(Z, watch->truth, watch->x->n, t->classes);
        if (loss < least) {
            least = loss;
            t->rounds = i + 1;
        } else if (i + 1 - t->rounds >= o->patience) {
            break;
        }
    }
out:
    kith__free(Z);
    return st;
}

kith_status kith__trees_fit(const kith__tree_options *o,
                            const kith__tree_rows *rows,
                            const kith__tree_rows *watch, const kith_job *job,
                            kith__trees **out, int *rounds, kith_error *err)
{
    DMatrixHandle known[2] = {NULL, NULL};
    kith_status st = KITH_OK;
    kith__trees *t = NULL;

    *out = NULL;
    if (!kith__trees_version())
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "boosted trees need XGBoost (libxgboost.so.0), which is "
                       "not installed"));
    TRY_NEW(t, kith__alloc_zeroed(1, sizeof(*t)));
    t->classes = o->classes;
    TRY(matrix_new(rows, &known[0], err));
    if (watch)
        TRY(matrix_new(watch, &known[1], err));
    TRY(check(XGBoosterCreate_(known, watch ? 2 : 1, &t->booster), err));
    TRY(set_all(t, o, err));
    TRY(boost(t, o, known[0], known[1], watch, job, err));
    *rounds = t->rounds;
    *out = t;
    t = NULL;
out:
    kith__trees_free(t);
    matrix_free(known[0]);
    matrix_free(known[1]);
    return st;
}

kith_status kith__trees_predict(kith__trees *t, const kith__csr_matrix *x,
                                int threads, float *Z, kith_error *err)
{
    const kith__tree_rows rows = {.x = x};
    DMatrixHandle m = NULL;
    kith_status st = KITH_OK;
    char number[32];

    kith__print(number, sizeof(number), "%d", threads);
    TRY(set(t, "nthread", number, err));
    TRY(matrix_new(&rows, &m, err));
    TRY(logits(t, m, x->n, t->rounds, Z, err));
out:
    matrix_free(m);
    return st;
}
#else
const char *kith__trees_version(void)
{
    return NULL;
}

kith_status kith__trees_fit(const kith__tree_options *o,
                            const kith__tree_rows *rows,
                            const kith__tree_rows *watch, const kith_job *job,
                            kith__trees **out, int *rounds, kith_error *err)
{
    (void)o, (void)rows, (void)watch, (void)job, (void)rounds;
    *out = NULL;
    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "this build is without boosted trees (XGBoost)");
}

void kith__trees_free(kith__trees *t)
{
    (void)t;
}

kith_status kith__trees_predict(kith__trees *t, const kith__csr_matrix *x,
                                int threads, float *Z, kith_error *err)
{
    (void)t, (void)x, (void)threads, (void)Z;
    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "this build is without boosted trees (XGBoost)");
}
#endif

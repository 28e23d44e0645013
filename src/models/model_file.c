/*
 * model_file.c: saving and opening models; docs/formats/model.md has the
 * layout byte by byte, sections.h the container.
 */
#include <float.h>
#include <math.h>
#include <string.h>
#include <xxhash.h>

#include "core/alloc.h"
#include "io/sections.h"
#include "models/fit_state_file.h"
#include "models/model_object.h"
#include "models/params.h"

static const kith__sections_format format = {
    .magic = {0x89, 'K', 'I', 'T', 'H', 'M', 13, 10},
    .version = 2, /* which has no calibration but a temperature */
    .newest = 3,
    .noun = "model",
    .remedy = "train it again"};

enum {
    METHOD_LONGEST = 32,
    WHY_LONGEST = 1000,
    RECORD_LONGEST = 1 << 20, /* numbers */
    NOTE_LONGEST = 1000,
    PARAMS_LEAST = 17 /* there were as many in the first files of version 2 */
};

/* Bytes 24 to 55 of the header. */
typedef struct counts {
    int32_t classes, columns;
    int64_t trained;
    uint32_t id_kind, zero;
    int64_t id_base;
} counts;

_Static_assert(sizeof(counts) == KITH__SECTIONS_OWN, "as documented");

/* ---- numbers ------------------------------------------------------------- */

/* A number in the file; which of the two, its field says. */
typedef union word {
    int64_t whole;
    double real;
} word;

typedef enum kind {
    WHOLE,      /* int32_t, an enum */
    LOGICAL,    /* bool */
    BITS,       /* uint64_t, any */
    REAL,       /* double */
    REAL_OR_NAN /* the same, unknown too */
} kind;

/* A number of a model: where it is, and the range it must lie in. */
typedef struct field {
    const char *name;
    size_t at;
    kind kind;
    double low, high;
} field;

/* A section of such numbers. */
typedef struct group {
    const char *tag;
    int n;
    const field *fields;
} group;

#define FIELD(NAME)  #NAME, offsetof(kith_model, NAME)
#define COUNT(ARRAY) (int)(sizeof(ARRAY) / sizeof((ARRAY)[0]))

/* Beside the parameters, which have their table: params.c.  Order and ranges
 * are those of the document. */
static const field certificate[] = {
    {FIELD(certificate.rho), REAL_OR_NAN, 0, INFINITY},
    {FIELD(certificate.residual), REAL_OR_NAN, 0, INFINITY},
    {FIELD(certificate.iterations), WHOLE, 0, INT32_MAX},
    {FIELD(certificate.converged), LOGICAL, 0, 1},
};

static const field temperature = {FIELD(temperature), REAL, DBL_TRUE_MIN,
                                  DBL_MAX};
static const field validation = {FIELD(validation), REAL_OR_NAN, 0, 1};
static const field graph_hash = {FIELD(graph_hash), BITS, 0, 0};

static const group groups[] = {
    {"certif", COUNT(certificate), certificate},
    {"temper", 1, &temperature},
    {"valid", 1, &validation},
    {"graph", 1, &graph_hash},
};

enum { MOST_FIELDS = COUNT(certificate) };

static word load(const kith_model *m, const field *f)
{
    const char *from = (const char *)m + f->at;
    word w = {0};
    int32_t whole;
    bool logical;

    if (f->kind == WHOLE) {
        memcpy(&whole, from, sizeof(whole));
        w.whole = whole;
    } else if (f->kind == LOGICAL) {
        memcpy(&logical, from, sizeof(logical));
        w.whole = logical;
    } else {
        memcpy(&w, from, sizeof(w));
        if (f->kind == REAL_OR_NAN && isnan(w.real))
            w.real = NAN; /* there are many: one, for the same bytes */
    }
    return w;
}

/* Set a number that is in its range. */
static void store(kith_model *m, const field *f, word w)
{
    char *to = (char *)m + f->at;
    const int32_t whole = (int32_t)w.whole;
    const bool logical = w.whole != 0;

    if (f->kind == WHOLE)
        memcpy(to, &whole, sizeof(whole));
    else if (f->kind == LOGICAL)
        memcpy(to, &logical, sizeof(logical));
    else
        memcpy(to, &w, sizeof(w));
}

static bool in_range(const field *f, word w)
{
    const bool real = f->kind == REAL || f->kind == REAL_OR_NAN;
    const double value = real ? w.real : (double)w.whole;

    return f->kind == BITS || (f->kind == REAL_OR_NAN && isnan(value)) ||
           (value >= f->low && value <= f->high);
}

/* A parameter as the file has it, and back. */
static word param_word(const kith_option_info *row, double value)
{
    word w = {.real = value};

    if (row->type != KITH_OPTION_REAL)
        w.whole = (int64_t)value;
    return w;
}

static double param_value(const kith_option_info *row, word w)
{
    return row->type == KITH_OPTION_REAL ? w.real : (double)w.whole;
}

/* ---- what a model must be ------------------------------------------------ */

static bool method_valid(const char *method)
{
    const size_t n = strlen(method);

    return n > 0 && n <= METHOD_LONGEST &&
           strspn(method, "abcdefghijklmnopqrstuvwxyz0123456789-") == n;
}

static bool why_valid(const char *why)
{
    const size_t n = why ? strlen(why) : 1;

    return n > 0 && n <= WHY_LONGEST;
}

static bool all_between(const float *x, int64_t n, float low)
{
    for (int64_t i = 0; x && i < n; i++)
        if (!(x[i] >= low && x[i] <= FLT_MAX))
            return false;
    return true;
}

static bool ids_valid(const kith__ids *ids)
{
    return ids->kind >= KITH__IDS_RANGE && ids->kind <= KITH__IDS_TEXT &&
           ids->n >= 0 && ids->n < INT32_MAX && kith__ids_valid(ids);
}

static bool classes_valid(const kith_model *m)
{
    for (int32_t i = 0; i < m->train.n; i++)
        if (m->train_class[i] < 0 || m->train_class[i] >= m->classes)
            return false;
    return true;
}

static int64_t coupling_size(const kith_model *m)
{
    return (int64_t)m->classes * m->classes;
}

static int64_t weights_size(const kith_model *m)
{
    return ((int64_t)m->columns + 1) * m->classes;
}

static bool needs_idf(const kith_model *m)
{
    return m->columns > 0 && m->params.prep == KITH_PREP_TFIDF;
}

/* Numbers of the calibration: how, a, kappa, lam; prior; without evidence. */
enum { CALIBRATION_HEAD = 4 };

static int64_t calibration_size(const kith_model *m)
{
    return CALIBRATION_HEAD + 2 * (int64_t)m->classes;
}

static bool shares_valid(const double *x, int32_t n)
{
    double sum = 0;

    for (int32_t c = 0; c < n; c++) {
        if (!(x[c] > 0 && x[c] <= 1))
            return false;
        sum += x[c];
    }
    return fabs(sum - 1) < 1e-6;
}

static bool calibration_valid(const kith_model *m)
{
    const kith__calibration *c = &m->calibration;

    const kith__share_fit *f = &c->share;

    return fabs(f->a) <= 1e3 && f->kappa >= 0 && f->kappa <= 1 && f->lam >= 0 &&
           f->lam < 1 && shares_valid(c->prior, m->classes) &&
           shares_valid(c->unreached, m->classes);
}

/* Scores ascend from 0; none is above that of the last of so many classes. */
static bool conformal_valid(const kith__conformal *c)
{
    double last = 0;

    for (int32_t i = 0; i < c->n; i++) {
        if (!(c->score[i] >= last && c->score[i] <= 1e9))
            return false;
        last = c->score[i];
    }
    return c->coverage >= 0 && c->coverage < 1 && c->n >= 0;
}

/* The name of what is wrong with a model, NULL if nothing is. */
static const char *fault_of(const kith_model *m)
{
    const kith_option_info *row;

    for (int slot = 0; (row = kith__param_at_slot(slot)); slot++)
        if (!kith__param_accepts(row, kith_params_get(&m->params, row)))
            return row->key;
    for (int g = 0; g < COUNT(groups); g++)
        for (int i = 0; i < groups[g].n; i++)
            if (!in_range(&groups[g].fields[i], load(m, &groups[g].fields[i])))
                return groups[g].fields[i].name;
    if (!method_valid(m->method))
        return "method";
    if (!why_valid(m->why))
        return "why";
    if (m->classes < 1)
        return "classes";
    if (m->columns < 0 || m->columns == INT32_MAX)
        return "columns";
    if (!all_between(m->coupling, coupling_size(m), -FLT_MAX))
        return "coupling";
    if (!m->weights != (m->columns == 0) ||
        !all_between(m->weights, weights_size(m), -FLT_MAX))
        return "weights";
    if (!m->idf == needs_idf(m) || !all_between(m->idf, m->columns, 0))
        return "idf";
    if (!ids_valid(&m->train))
        return "training ids";
    if (!classes_valid(m))
        return "training classes";
    if (!calibration_valid(m))
        return "calibration";
    if (!conformal_valid(&m->conformal))
        return "sets";
    return kith__fit_state_fault(&m->state);
}

/* ---- hash ---------------------------------------------------------------- */

/* Each part is hashed with the hash of those before it. */
static void mix(uint64_t *h, const void *bytes, int64_t size)
{
    if (bytes)
        *h = XXH3_64bits_withSeed(bytes, (size_t)size, *h);
}

static void mix_text(uint64_t *h, const char *text)
{
    mix(h, text, text ? (int64_t)strlen(text) : 0);
}

static void mix_ids(uint64_t *h, const kith__ids *ids)
{
    for (int32_t i = 0; i < ids->n; i++) {
        char buffer[KITH_ID_BUFFER];
        size_t length;
        const char *id = kith__ids_get(ids, i, buffer, &length);

        mix(h, id, (int64_t)length);
    }
}

static void mix_state(uint64_t *h, const kith__fit_state *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        const kith__entry *e = &s->entries[i];

        mix_text(h, e->name);
        mix_text(h, e->text);
        mix(h, &e->number, sizeof(e->number));
        mix(h, e->values, e->rows * e->columns * 4);
    }
}

static void mix_params(uint64_t *h, const kith_params *p)
{
    const kith_option_info *row;

    for (int n = 0; (row = kith__param_at_slot(n)); n++) {
        const double value = kith_params_get(p, row);

        mix(h, &value, sizeof(value));
    }
}

static void mix_calibration(uint64_t *h, const kith_model *m)
{
    const kith__calibration *c = &m->calibration;
    const double head[] = {c->by_share, c->share.a, c->share.kappa,
                           c->share.lam};

    mix(h, head, sizeof(head));
    mix(h, c->prior, (int64_t)m->classes * 8);
    mix(h, c->unreached, (int64_t)m->classes * 8);
}

uint64_t kith__model_hash(const kith_model *m)
{
    uint64_t h = 0;

    mix_text(&h, m->method);
    mix_params(&h, &m->params);
    for (int g = 0; g < COUNT(groups); g++)
        for (int i = 0; i < groups[g].n; i++) {
            const word w = load(m, &groups[g].fields[i]);

            mix(&h, &w, sizeof(w));
        }
    mix_calibration(&h, m);
    for (int c = 0; c < m->classes; c++)
        mix_text(&h, m->names[c]);
    mix(&h, m->coupling, coupling_size(m) * 4);
    mix(&h, m->weights, weights_size(m) * 4);
    mix(&h, m->idf, (int64_t)m->columns * 4);
    mix_ids(&h, &m->train);
    mix(&h, m->train_class, (int64_t)m->train.n * 4);
    mix_state(&h, &m->state);
    if (m->conformal.coverage > 0) {
        mix(&h, &m->conformal.coverage, sizeof(m->conformal.coverage));
        mix(&h, m->conformal.score, (int64_t)m->conformal.n * 8);
    }
    return h;
}

/* ---- saving -------------------------------------------------------------- */

static kith_status put_params(kith__sections_writer *w, const kith_params *p,
                              kith_error *err)
{
    word words[KITH__PARAMS_MOST];
    const kith_option_info *row;
    int n = 0;

    for (; (row = kith__param_at_slot(n)); n++)
        words[n] = param_word(row, kith_params_get(p, row));
    return kith__sections_put(w, "params", sizeof(word), words, n, err);
}

static kith_status put_numbers(kith__sections_writer *w, const kith_model *m,
                               kith_error *err)
{
    kith_status st = KITH_OK;
    word words[MOST_FIELDS];

    TRY(put_params(w, &m->params, err));
    for (int g = 0; g < COUNT(groups); g++) {
        for (int i = 0; i < groups[g].n; i++)
            words[i] = load(m, &groups[g].fields[i]);
        TRY(kith__sections_put(w, groups[g].tag, sizeof(word), words,
                               groups[g].n, err));
    }
out:
    return st;
}

static kith_status put_calibration(kith__sections_writer *w,
                                   const kith_model *m, kith_error *err)
{
    const kith__calibration *c = &m->calibration;
    const double head[CALIBRATION_HEAD] = {c->by_share, c->share.a,
                                           c->share.kappa, c->share.lam};
    kith_status st = KITH_OK;

    TRY(kith__sections_begin(w, "calib", 8, err));
    TRY(kith__sections_append(w, head, sizeof(head), err));
    TRY(kith__sections_append(w, c->prior, (int64_t)m->classes * 8, err));
    TRY(kith__sections_append(w, c->unreached, (int64_t)m->classes * 8, err));
    kith__sections_end(w);
out:
    return st;
}

static kith_status put_names(kith__sections_writer *w, const kith_model *m,
                             kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__sections_begin(w, "names", 1, err));
    for (int32_t c = 0; c < m->classes; c++)
        TRY(kith__sections_append(w, m->names[c],
                                  (int64_t)strlen(m->names[c]) + 1, err));
    kith__sections_end(w);
out:
    return st;
}

static kith_status put_arrays(kith__sections_writer *w, const kith_model *m,
                              kith_error *err)
{
    kith_status st = KITH_OK;

    if (m->coupling)
        TRY(kith__sections_put(w, "coupling", 4, m->coupling, coupling_size(m),
                               err));
    if (m->weights)
        TRY(kith__sections_put(w, "weights", 4, m->weights, weights_size(m),
                               err));
    if (m->idf)
        TRY(kith__sections_put(w, "idf", 4, m->idf, m->columns, err));
    TRY(kith__sections_put_ids(w, &m->train, err));
    TRY(kith__sections_put(w, "trained", 4, m->train_class, m->train.n, err));
out:
    return st;
}

/* The coverage asked for, whether by folds, and the scores. */
enum { CONFORMAL_HEAD = 2 };

static kith_status put_conformal(kith__sections_writer *w,
                                 const kith__conformal *c, kith_error *err)
{
    const double head[CONFORMAL_HEAD] = {c->coverage, c->folds};
    kith_status st = KITH_OK;

    if (c->coverage == 0)
        return KITH_OK;
    TRY(kith__sections_begin(w, "sets", 8, err));
    TRY(kith__sections_append(w, head, sizeof(head), err));
    if (c->n > 0)
        TRY(kith__sections_append(w, c->score, (int64_t)c->n * 8, err));
    kith__sections_end(w);
out:
    return st;
}

/* What came of it, for its card. */
static kith_status put_record(kith__sections_writer *w, const kith_model *m,
                              kith_error *err)
{
    kith_status st = KITH_OK;

    if (!m->record)
        return KITH_OK;
    TRY(kith__sections_put(w, "record", 8, m->record, m->n_record, err));
    TRY(kith__sections_put(w, "note", 1, m->note, (int64_t)strlen(m->note),
                           err));
out:
    return st;
}

kith_status kith_model_save_with(const kith_model *m, const char *path,
                                 kith_outputs *with, kith_error *err)
{
    const counts own = {.classes = m->classes,
                        .columns = m->columns,
                        .trained = m->train.n,
                        .id_kind = (uint32_t)m->train.kind,
                        .id_base = m->train.base};
    const char *fault = fault_of(m);
    kith__sections_writer *w = NULL;
    kith_status st = KITH_OK;

    if (fault)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                       "is not written: '%s' of the model is out of range",
                       fault));
    TRY(kith__sections_create(&format, path, &w, err));
    kith__sections_set_version(w, format.newest);
    TRY(kith__sections_put(w, "method", 1, m->method,
                           (int64_t)strlen(m->method), err));
    TRY(put_numbers(w, m, err));
    TRY(put_calibration(w, m, err));
    TRY(put_names(w, m, err));
    TRY(put_arrays(w, m, err));
    TRY(kith__fit_state_put(w, &m->state, err));
    TRY(put_conformal(w, &m->conformal, err));
    TRY(put_record(w, m, err));
    if (m->column_names)
        TRY(kith__sections_put(w, "columns", 8, &m->column_names, 1, err));
    if (m->why)
        TRY(kith__sections_put(w, "why", 1, m->why, (int64_t)strlen(m->why),
                               err));
    st = kith__sections_add(w, &own, with, err);
    w = NULL;
out:
    kith__sections_abort(w);
    return st;
}

kith_status kith_model_save(const kith_model *m, const char *path,
                            kith_error *err)
{
    return kith_model_save_with(m, path, NULL, err);
}

/* ---- opening ------------------------------------------------------------- */

/* Refuse the file for one of its parts. */
static kith_status refuse(const kith__sections *s, const char *part,
                          const char *why, kith_error *err)
{
    char what[96];

    snprintf(what, sizeof(what), "'%s' %s", part, why);
    return kith__sections_corrupt(s, err, what);
}

/* A copy of a section of exactly `count` elements. */
static kith_status copy_section(const kith__sections *s, const char *tag,
                                uint32_t element, int64_t count, void **out,
                                kith_error *err)
{
    const void *from = kith__sections_get(s, tag, element, count, NULL);
    kith_status st = KITH_OK;

    if (!from)
        return refuse(s, tag, "is missing or does not fit", err);
    TRY_NEW(*out, kith__alloc(count, element));
    memcpy(*out, from, (size_t)count * element);
out:
    return st;
}

static kith_status read_counts(const kith__sections *s, counts *own,
                               kith_model *m, kith_error *err)
{
    memcpy(own, s->own, sizeof(*own));
    if (own->classes < 1 || own->columns < 0 || own->columns == INT32_MAX ||
        own->trained < 0 || own->trained >= INT32_MAX)
        return kith__sections_corrupt(s, err, "impossible counts");
    m->columns = own->columns;
    return KITH_OK;
}

/* A section that is one text. */
static kith_status get_text(const kith__sections *s, const char *tag,
                            int64_t longest, char **out, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t n = 0;
    const char *text = kith__sections_get(s, tag, 1, -1, &n);

    if (!text || n > longest || memchr(text, '\0', (size_t)n))
        TRY(refuse(s, tag, "is missing or does not fit", err));
    TRY_NEW(*out, kith__copy_string(text, (size_t)n));
out:
    return st;
}

/* A file from before a parameter was added stands for its default. */
static kith_status get_params(const kith__sections *s, kith_params *p,
                              kith_error *err)
{
    int64_t n = 0;
    const word *words = kith__sections_get(s, "params", sizeof(word), -1, &n);

    if (!words || n < PARAMS_LEAST || n > KITH__PARAMS_MOST ||
        !kith__param_at_slot((int)n - 1))
        return refuse(s, "params", "is missing or does not fit", err);
    kith_params_init(p);
    for (int slot = 0; slot < n; slot++) {
        const kith_option_info *row = kith__param_at_slot(slot);
        const double value = param_value(row, words[slot]);

        if (!kith__param_accepts(row, value))
            return refuse(s, row->key, "is out of range", err);
        kith__param_store(p, row, value);
    }
    return KITH_OK;
}

static kith_status get_numbers(const kith__sections *s, kith_model *m,
                               kith_error *err)
{
    const kith_status st = get_params(s, &m->params, err);

    if (st != KITH_OK)
        return st;
    for (int g = 0; g < COUNT(groups); g++) {
        const word *words = kith__sections_get(s, groups[g].tag, sizeof(word),
                                               groups[g].n, NULL);

        if (!words)
            return refuse(s, groups[g].tag, "is missing or does not fit", err);
        for (int i = 0; i < groups[g].n; i++) {
            const field *f = &groups[g].fields[i];

            if (!in_range(f, words[i]))
                return refuse(s, f->name, "is out of range", err);
            store(m, f, words[i]);
        }
    }
    return KITH_OK;
}

static kith_status get_names(const kith__sections *s, int32_t classes,
                             kith_model *m, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t size = 0, at = 0;
    const char *bytes = kith__sections_get(s, "names", 1, -1, &size);

    if (!bytes || classes > size)
        TRY(refuse(s, "names", "is missing or does not fit", err));
    m->classes = classes;
    TRY(kith__sections_get_names(s, bytes, size, &at, classes, &m->names, err));
    if (at != size)
        TRY(refuse(s, "names", "has more than the classes", err));
out:
    return st;
}

static kith_status get_floats(const kith__sections *s, kith_model *m,
                              kith_error *err)
{
    kith_status st = KITH_OK;

    if (kith__sections_find(s, "coupling"))
        TRY(copy_section(s, "coupling", 4, coupling_size(m),
                         (void **)&m->coupling, err));
    if (m->columns > 0)
        TRY(copy_section(s, "weights", 4, weights_size(m), (void **)&m->weights,
                         err));
    if (needs_idf(m))
        TRY(copy_section(s, "idf", 4, m->columns, (void **)&m->idf, err));
out:
    return st;
}

static kith_status get_trained(const kith__sections *s, const counts *own,
                               kith_model *m, kith_error *err)
{
    kith__ids ids = {.kind = (int)own->id_kind,
                     .n = (int32_t)own->trained,
                     .base = own->id_base};
    kith_status st = KITH_OK;

    if (!kith__sections_get_ids(s, &ids))
        TRY(refuse(s, "training ids", "are missing or do not fit", err));
    TRY(copy_section(s, "trained", 4, own->trained, (void **)&m->train_class,
                     err));
    TRY(kith__ids_copy(&ids, &m->train, err));
out:
    return st;
}

/* Of a file of version 2 as if nothing had been learnt of probabilities but
 * their temperature. */
static kith_status get_calibration(const kith__sections *s, kith_model *m,
                                   kith_error *err)
{
    const int32_t C = m->classes;
    kith__calibration *c = &m->calibration;
    kith_status st = KITH_OK;
    const double *from;

    if (s->version == format.version)
        return classes_valid(m)
                   ? kith__calibrate_by_training(m->train_class, m->train.n, C,
                                                 c, err)
                   : refuse(s, "training classes", "is out of range", err);
    from = kith__sections_get(s, "calib", 8, calibration_size(m), NULL);
    if (!from || (from[0] != 0 && from[0] != 1))
        return refuse(s, "calib", "is missing or does not fit", err);
    *c = (kith__calibration){.by_share = from[0] == 1,
                             .share = {from[1], from[2], from[3]}};
    TRY_NEW(c->prior, kith__alloc(C, sizeof(*c->prior)));
    TRY_NEW(c->unreached, kith__alloc(C, sizeof(*c->unreached)));
    memcpy(c->prior, from + CALIBRATION_HEAD, (size_t)C * 8);
    memcpy(c->unreached, from + CALIBRATION_HEAD + C, (size_t)C * 8);
out:
    return st;
}

static kith_status get_conformal(const kith__sections *s, kith__conformal *c,
                                 kith_error *err)
{
    kith_status st = KITH_OK;
    const double *from;
    int64_t n = 0;

    if (!kith__sections_find(s, "sets"))
        return KITH_OK;
    from = kith__sections_get(s, "sets", 8, -1, &n);
    if (!from || n < CONFORMAL_HEAD || n >= INT32_MAX || !(from[0] > 0) ||
        (from[1] != 0 && from[1] != 1))
        return refuse(s, "sets", "is missing or does not fit", err);
    n -= CONFORMAL_HEAD;
    TRY_NEW(c->score, kith__alloc(n, sizeof(*c->score)));
    memcpy(c->score, from + CONFORMAL_HEAD, (size_t)n * sizeof(*c->score));
    c->coverage = from[0];
    c->folds = from[1] != 0;
    c->n = (int32_t)n;
out:
    return st;
}

static kith_status get_record(const kith__sections *s, kith_model *m,
                              kith_error *err)
{
    kith_status st = KITH_OK;
    const double *from;

    if (!kith__sections_find(s, "record"))
        return KITH_OK;
    from = kith__sections_get(s, "record", 8, -1, &m->n_record);
    if (!from || m->n_record > RECORD_LONGEST) {
        st = refuse(s, "record", "is missing or does not fit", err);
        goto out;
    }
    TRY_NEW(m->record, kith__alloc(m->n_record, sizeof(*m->record)));
    memcpy(m->record, from, (size_t)m->n_record * sizeof(*m->record));
    TRY(get_text(s, "note", NOTE_LONGEST, &m->note, err));
out:
    return st;
}

static kith_status get_column_names(const kith__sections *s, kith_model *m,
                                    kith_error *err)
{
    const uint64_t *from;

    if (!kith__sections_find(s, "columns"))
        return KITH_OK;
    from = kith__sections_get(s, "columns", 8, 1, NULL);
    if (!from)
        return refuse(s, "columns", "does not fit", err);
    m->column_names = *from;
    return KITH_OK;
}

static kith_status read_model(const kith__sections *s, kith_model *m,
                              kith_error *err)
{
    kith_status st = KITH_OK;
    const char *fault;
    counts own;

    TRY(kith__sections_verify(s, NULL, err));
    if (!kith__sections_packed(s))
        TRY(kith__sections_corrupt(s, err, "there is more than its sections"));
    TRY(read_counts(s, &own, m, err));
    TRY(get_text(s, "method", METHOD_LONGEST, &m->method, err));
    if (kith__sections_find(s, "why"))
        TRY(get_text(s, "why", WHY_LONGEST, &m->why, err));
    TRY(get_numbers(s, m, err));
    TRY(get_names(s, own.classes, m, err));
    TRY(get_floats(s, m, err));
    TRY(get_trained(s, &own, m, err));
    TRY(get_calibration(s, m, err));
    TRY(kith__fit_state_get(s, &m->state, err));
    TRY(get_conformal(s, &m->conformal, err));
    TRY(get_record(s, m, err));
    TRY(get_column_names(s, m, err));
    fault = fault_of(m);
    if (fault)
        TRY(refuse(s, fault, "is out of range", err));
out:
    return st;
}

kith_status kith_model_open(const char *path, kith_model **out, kith_error *err)
{
    kith__sections s = {0};
    kith_status st = KITH_OK;
    kith_model *m = NULL;

    *out = NULL;
    TRY(kith__sections_open(&format, path, &s, err));
    TRY_NEW(m, kith__alloc_zeroed(1, sizeof(*m)));
    TRY(read_model(&s, m, err));
    *out = m;
    m = NULL;
out:
    kith_model_free(m);
    kith__map_release(s.map);
    return st;
}

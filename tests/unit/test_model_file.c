#include <fcntl.h>

#include "../fuzz/mend.h"
#include "check.h"
#include "core/alloc.h"
#include "models/model_object.h"

/* ---- models by hand ------------------------------------------------------ */

enum { CLASSES = 3, COLUMNS = 5, TRAINED = 19 };
enum {
    COUPLING = 1,
    WEIGHTS = 2,
    IDF = 4,
    STATE = 8,
    WHY = 16
}; /* IDF needs WEIGHTS */

static float *some_floats(int64_t n, float first)
{
    float *x = kith__alloc(n, sizeof(*x));

    for (int64_t i = 0; i < n; i++)
        x[i] = first + (float)i / 8;
    return x;
}

static char *copy(const char *text)
{
    return kith__copy_string(text, strlen(text));
}

/* 19 ids, so that text has a second group. */
static void make_ids(int kind, kith__ids *out)
{
    kith__id_set set = {0};
    kith_error err;

    if (kind == KITH__IDS_RANGE) {
        *out = (kith__ids){.kind = kind, .n = TRAINED, .base = 100};
        return;
    }
    for (int i = 0; i < TRAINED; i++) {
        char id[300];
        const int n = kind == KITH__IDS_INTEGER
                          ? snprintf(id, sizeof(id), "%d", i * i)
                          : snprintf(id, sizeof(id), "n%0*d", i == 3 ? 200 : 1,
                                     i);

        CHECK_INT(kith__id_set_add(&set, id, (size_t)n, NULL), i);
    }
    CHECK_OK(kith__ids_from_set(&set, false, NULL, out, &err));
    CHECK_INT(out->kind, kind);
}

/* Every parameter unlike its neighbours and unlike its default. */
static kith_params some_params(void)
{
    return (kith_params){.prep = KITH_PREP_L2,
                         .smooth = 7,
                         .penalty = 0.25,
                         .clamp = true,
                         .balance = false,
                         .iterations = 1000,
                         .tolerance = 1e-9,
                         .damping = 0.75,
                         .g1 = 0.5,
                         .g2 = 3,
                         .lambda = 1e300,
                         .outer = 11,
                         .inner = 12,
                         .as_written = true,
                         .uncentred = false,
                         .bound = 0.9,
                         .gradient = KITH_GRADIENT_EXACT};
}

static void make_state(kith__fit_state *s)
{
    float *x = kith__fit_state_array(s, "layer 1", 3, 2);

    for (int i = 0; x && i < 6; i++)
        x[i] = (float)i - 2.5f;
    CHECK(kith__fit_state_set(s, "h", 0.1));
    CHECK(kith__fit_state_choose(s, "start", "tf-idf"));
    CHECK(kith__fit_state_array(s, "layer 2", 1, 1) != NULL);
    CHECK(kith__fit_state_choose(s, "empty", ""));
    CHECK(kith__fit_state_set(s, "h", -0.25)); /* instead of the first */
}

static kith_model *make_model(int ids, int parts)
{
    static const char *const names[CLASSES] = {"a", "", "Theor\303\251tique"};
    kith_model *m = kith__alloc_zeroed(1, sizeof(*m));

    m->method = copy("lcm-l1");
    m->params = some_params();
    m->certificate = (kith_certificate){0.875, 1e-6, 42, true};
    m->temperature = 1.5;
    m->calibration =
        (kith__calibration){.by_share = true,
                            .share = {-.5, .25, .125},
                            .prior = kith__alloc(CLASSES, sizeof(double)),
                            .unreached = kith__alloc(CLASSES, sizeof(double))};
    for (int c = 0; c < CLASSES; c++) {
        m->calibration.prior[c] = (c + 1) / 6.0;
        m->calibration.unreached[c] = (3 - c) / 6.0;
    }
    m->validation = 0.8125;
    m->graph_hash = 0xfedcba9876543210u;
    m->classes = CLASSES;
    m->names = kith__alloc(CLASSES, sizeof(*m->names));
    for (int c = 0; c < CLASSES; c++)
        m->names[c] = copy(names[c]);
    if (parts & COUPLING)
        m->coupling = some_floats(CLASSES * CLASSES, -0.5f);
    if (parts & WEIGHTS) {
        m->columns = COLUMNS;
        m->weights = some_floats((COLUMNS + 1) * CLASSES, -2);
    }
    if (parts & IDF) {
        m->params.prep = KITH_PREP_TFIDF;
        m->idf = some_floats(COLUMNS, 0);
    }
    if (parts & STATE)
        make_state(&m->state);
    if (parts & WHY)
        m->why = copy("best of validation: lcm 0.8125");
    make_ids(ids, &m->train);
    m->train_class = kith__alloc(TRAINED, sizeof(*m->train_class));
    for (int i = 0; i < TRAINED; i++)
        m->train_class[i] = i * 7 % CLASSES;
    return m;
}

/* ---- comparing ----------------------------------------------------------- */

static void check_params(const kith_params *a, const kith_params *b)
{
    CHECK_INT(b->prep, a->prep);
    CHECK_INT(b->smooth, a->smooth);
    CHECK(b->penalty == a->penalty);
    CHECK_INT(b->clamp, a->clamp);
    CHECK_INT(b->balance, a->balance);
    CHECK_INT(b->iterations, a->iterations);
    CHECK(b->tolerance == a->tolerance);
    CHECK(b->damping == a->damping);
    CHECK(b->g1 == a->g1);
    CHECK(b->g2 == a->g2);
    CHECK(b->lambda == a->lambda);
    CHECK_INT(b->outer, a->outer);
    CHECK_INT(b->inner, a->inner);
    CHECK_INT(b->as_written, a->as_written);
    CHECK_INT(b->uncentred, a->uncentred);
    CHECK(b->bound == a->bound);
    CHECK_INT(b->gradient, a->gradient);
}

static void check_floats(const float *a, const float *b, size_t n)
{
    CHECK(!a == !b);
    CHECK(!a || !b || memcmp(a, b, n * sizeof(*a)) == 0);
}

static void check_trained(const kith_model *a, const kith_model *b)
{
    CHECK_INT(b->train.kind, a->train.kind);
    CHECK_INT(b->train.n, a->train.n);
    for (int32_t i = 0; i < a->train.n; i++) {
        char x[KITH_ID_BUFFER], y[KITH_ID_BUFFER];
        size_t nx, ny;
        const char *ix = kith__ids_get(&a->train, i, x, &nx);
        const char *iy = kith__ids_get(&b->train, i, y, &ny);

        CHECK(nx == ny && memcmp(ix, iy, nx) == 0);
        CHECK_INT(kith__ids_find(&b->train, ix, nx), i);
        CHECK_INT(b->train_class[i], a->train_class[i]);
    }
}

static void check_entry(const kith__entry *a, const kith__entry *b)
{
    CHECK_TEXT(b->name, a->name);
    CHECK(!a->text == !b->text && (!a->text || strcmp(a->text, b->text) == 0));
    CHECK(a->number == b->number);
    CHECK_INT(b->rows, a->rows);
    CHECK_INT(b->columns, a->columns);
    check_floats(a->values, b->values, (size_t)(a->rows * a->columns));
}

static void check_same(const kith_model *a, const kith_model *b)
{
    const kith_certificate *ca = &a->certificate, *cb;

    CHECK_TEXT(kith_model_method(b), a->method);
    CHECK(!kith_model_why(b) == !a->why);
    CHECK(!a->why || strcmp(kith_model_why(b), a->why) == 0);
    check_params(&a->params, kith_model_params(b));
    cb = kith_model_certificate(b);
    CHECK(cb->rho == ca->rho || (isnan(cb->rho) && isnan(ca->rho)));
    CHECK(cb->residual == ca->residual ||
          (isnan(cb->residual) && isnan(ca->residual)));
    CHECK_INT(cb->iterations, ca->iterations);
    CHECK_INT(cb->converged, ca->converged);
    CHECK(kith_model_temperature(b) == a->temperature);
    CHECK(a->calibration.by_share == b->calibration.by_share);
    CHECK(a->calibration.share.a == b->calibration.share.a);
    CHECK(a->calibration.share.kappa == b->calibration.share.kappa);
    CHECK(a->calibration.share.lam == b->calibration.share.lam);
    for (int c = 0; c < a->classes; c++) {
        CHECK(a->calibration.prior[c] == b->calibration.prior[c]);
        CHECK(a->calibration.unreached[c] == b->calibration.unreached[c]);
    }
    CHECK(kith_model_validation(b) == a->validation ||
          (isnan(kith_model_validation(b)) && isnan(a->validation)));
    CHECK(kith_model_graph_hash(b) == a->graph_hash);
    CHECK_INT(kith_model_classes(b), a->classes);
    for (int32_t c = 0; c < a->classes; c++)
        CHECK_TEXT(kith_model_class_name(b, c), a->names[c]);
    CHECK_INT(b->columns, a->columns);
    check_floats(a->coupling, kith_model_coupling(b), CLASSES * CLASSES);
    check_floats(a->weights, b->weights, (COLUMNS + 1) * CLASSES);
    check_floats(a->idf, b->idf, COLUMNS);
    check_trained(a, b);
    CHECK_INT(b->state.n, a->state.n);
    for (int64_t i = 0; i < b->state.n; i++)
        check_entry(&a->state.entries[i], &b->state.entries[i]);
}

/* Save and open again. */
static void check_round_trip(const kith_model *m)
{
    kith_model *back = NULL;
    kith_error err;

    CHECK_OK(kith_model_save(m, check_path("trip.km"), &err));
    CHECK_OK(kith_model_open(check_path("trip.km"), &back, &err));
    if (back)
        check_same(m, back);
    kith_model_free(back);
}

/* ---- what is saved is opened --------------------------------------------- */

TEST(a_saved_model_is_opened_as_it_was)
{
    static const int parts[] = {0,
                                COUPLING,
                                WEIGHTS,
                                COUPLING | WEIGHTS,
                                WEIGHTS | IDF,
                                COUPLING | WEIGHTS | IDF,
                                STATE,
                                STATE | WHY};

    for (int ids = KITH__IDS_RANGE; ids <= KITH__IDS_TEXT; ids++)
        for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
            kith_model *m = make_model(ids, parts[i]);

            check_round_trip(m);
            kith_model_free(m);
        }
}

TEST(one_class_is_enough)
{
    kith_model *m = make_model(KITH__IDS_TEXT, 0);

    for (int c = 1; c < CLASSES; c++)
        kith__free(m->names[c]);
    m->classes = 1;
    m->calibration.prior[0] = m->calibration.unreached[0] = 1;
    memset(m->train_class, 0, TRAINED * sizeof(*m->train_class));
    check_round_trip(m);
    kith_model_free(m);
}

TEST(what_is_unknown_or_without_bound_is_kept)
{
    kith_model *m = make_model(KITH__IDS_RANGE, 0);

    m->certificate = (kith_certificate){NAN, INFINITY, 0, false};
    m->validation = NAN;
    m->params.prep = KITH_PREP_TFIDF; /* but no features, hence no idf */
    m->params.clamp = false;
    m->params.balance = true;
    m->params.uncentred = true;
    m->params.tolerance = 0;
    check_round_trip(m);
    m->train.n = 0; /* no training node at all */
    check_round_trip(m);
    kith_model_free(m);
}

TEST(the_same_model_gives_the_same_bytes)
{
    kith_model *m = make_model(KITH__IDS_TEXT, COUPLING | WEIGHTS);
    size_t n[2];
    char *bytes[2];
    kith_error err;

    for (int i = 0; i < 2; i++) {
        m->validation = i == 0 ? NAN : -NAN; /* unlike in memory */
        CHECK_OK(kith_model_save(m, check_path("same.km"), &err));
        bytes[i] = check_read(check_path("same.km"), &n[i]);
    }
    CHECK(n[0] == n[1] && memcmp(bytes[0], bytes[1], n[0]) == 0);
    free(bytes[0]);
    free(bytes[1]);
    kith_model_free(m);
}

/* ---- the bytes ----------------------------------------------------------- */

/* A saved file with everything in it, and its bytes, to be freed. */
static char *whole_file(int ids, size_t *n)
{
    kith_model *m = make_model(ids, COUPLING | WEIGHTS | IDF | STATE | WHY);
    kith_error err;

    CHECK_OK(kith_model_save(m, check_path("whole.km"), &err));
    kith_model_free(m);
    return check_read(check_path("whole.km"), n);
}

/* The table's entry of a tag. */
static char *find_entry(char *bytes, const char *tag)
{
    for (int i = 0; i < bytes[MEND_COUNT_AT]; i++) {
        char *entry = bytes + MEND_HEADER + MEND_SECTION * i;

        if (strncmp(entry, tag, 8) == 0)
            return entry;
    }
    check_failed(__FILE__, __LINE__, "no section '%s'", tag);
    return bytes + MEND_HEADER;
}

static char *find_bytes(char *bytes, const char *tag)
{
    int64_t offset;

    memcpy(&offset, find_entry(bytes, tag) + 8, 8);
    return bytes + offset;
}

static int64_t number_at(const char *bytes, int n)
{
    int64_t value = 0;

    memcpy(&value, bytes, (size_t)n);
    return value;
}

static double real_at(const char *bytes)
{
    double value;

    memcpy(&value, bytes, 8);
    return value;
}

TEST(the_bytes_are_as_documented)
{
    static const char *const tags[] = {
        "method",  "params",   "certif",  "temper",   "valid",
        "graph",   "calib",    "names",   "coupling", "weights",
        "idf",     "idgroups", "idbytes", "idslots",  "trained",
        "entries", "numbers",  "texts",   "arrays",   "why"};
    size_t n;
    char *bytes = whole_file(KITH__IDS_TEXT, &n);
    const char *params = find_bytes(bytes, "params");

    CHECK(memcmp(bytes, "\211KITHM\r\n", 8) == 0);
    CHECK_INT(number_at(bytes + 8, 4), 3);
    CHECK_INT(number_at(bytes + 12, 4), 20);
    CHECK_INT(number_at(bytes + 16, 8), n);
    CHECK_INT(number_at(bytes + 24, 4), CLASSES);
    CHECK_INT(number_at(bytes + 28, 4), COLUMNS);
    CHECK_INT(number_at(bytes + 32, 8), TRAINED);
    CHECK_INT(number_at(bytes + 40, 4), 2);
    CHECK_INT(number_at(bytes + 48, 8), 0);
    for (int i = 0; i < 20; i++) {
        CHECK(find_entry(bytes, tags[i]) == bytes + 64 + 40 * i);
        CHECK_INT(number_at(bytes + 64 + 40 * i + 8, 8) % 4096, 0);
    }
    CHECK_INT(number_at(params, 8), KITH_PREP_TFIDF);
    CHECK(real_at(params + 2 * 8) == 0.25); /* penalty */
    CHECK_INT(number_at(params + 5 * 8, 8), 1000);
    CHECK_INT(number_at(params + 13 * 8, 8), 1); /* as_written */
    CHECK(real_at(params + 15 * 8) == 0.9);
    CHECK_INT(number_at(find_bytes(bytes, "certif") + 2 * 8, 8), 42);
    CHECK(real_at(find_bytes(bytes, "temper")) == 1.5);
    CHECK(real_at(find_bytes(bytes, "calib")) == 1);
    CHECK(real_at(find_bytes(bytes, "calib") + 8) == -.5);
    CHECK(real_at(find_bytes(bytes, "calib") + 2 * 8) == .25);
    CHECK(real_at(find_bytes(bytes, "calib") + 3 * 8) == .125);
    CHECK(real_at(find_bytes(bytes, "calib") + 4 * 8) == 1 / 6.0);
    CHECK(real_at(find_bytes(bytes, "calib") + 7 * 8) == .5);
    CHECK(memcmp(find_bytes(bytes, "names"), "a\0\0Theor\303\251tique", 16) ==
          0);
    CHECK_INT(number_at(find_bytes(bytes, "trained") + 4, 4), 1); /* 7 mod 3 */
    free(bytes);
}

/* Open what should be refused. */
static kith_status try_open(const char *path, kith_error *err)
{
    kith_model *m = NULL;
    const kith_status st = kith_model_open(path, &m, err);

    CHECK(!m == (st != KITH_OK));
    kith_model_free(m);
    return st;
}

/* Every single one, those between the sections too. */
TEST(a_changed_byte_is_noticed)
{
    size_t n;
    char *bytes = whole_file(KITH__IDS_TEXT, &n);
    const char *path = check_path("whole.km");
    const int fd = open(path, O_RDWR);
    int unnoticed = 0;
    kith_error err = {0};

    CHECK(fd >= 0 && try_open(path, &err) == KITH_OK);
    for (size_t i = 0; i < n; i++) {
        const char changed = (char)(bytes[i] ^ 0x20);

        CHECK(pwrite(fd, &changed, 1, (off_t)i) == 1);
        unnoticed += try_open(path, &err) == KITH_OK;
        CHECK(pwrite(fd, &bytes[i], 1, (off_t)i) == 1);
    }
    CHECK_INT(unnoticed, 0);
    CHECK(try_open(path, &err) == KITH_OK);
    close(fd);
    free(bytes);
}

TEST(a_cut_file_is_refused)
{
    size_t n;
    char *bytes = whole_file(KITH__IDS_INTEGER, &n);
    const char *path = check_path("whole.km");
    const int fd = open(path, O_RDWR);
    int accepted = 0;
    kith_error err = {0};

    for (size_t keep = n; keep-- > 0;) {
        CHECK(ftruncate(fd, (off_t)keep) == 0);
        accepted += try_open(path, &err) == KITH_OK;
    }
    CHECK_INT(accepted, 0);
    CHECK(pwrite(fd, bytes, n, 0) == (ssize_t)n && pwrite(fd, "", 1, (off_t)n));
    CHECK(try_open(path, &err) == KITH_ERR_CORRUPT);
    CHECK(strstr(err.text, "cut off or has grown") != NULL);
    close(fd);
    free(bytes);
}

/* ---- refusals, by name --------------------------------------------------- */

/* Open changed bytes; they must be refused with `why`. */
static void check_refused(char *bytes, size_t n, kith_status status,
                          const char *why)
{
    kith_error err = {0};

    check_file_bytes("changed.km", bytes, n);
    CHECK_INT(try_open(check_path("changed.km"), &err), status);
    if (!strstr(err.text, why))
        check_failed(__FILE__, __LINE__, "'%s' is not in '%s'", why, err.text);
}

TEST(another_version_is_refused_by_name)
{
    size_t n;
    char *bytes = whole_file(KITH__IDS_RANGE, &n);

    bytes[8] = 9;
    check_refused(bytes, n, KITH_ERR_PARSE,
                  "has version 9, expected at most 3: train it again");
    free(bytes);
}

/* Without a calibration but a temperature: the prior is that of 19 training
 * nodes, i mod 3 of 7 i: 7, 6 and 6 of them. */
TEST(version_2_has_no_calibration)
{
    size_t n;
    char *bytes = whole_file(KITH__IDS_RANGE, &n);
    kith_error err;
    kith_model *m = NULL;

    bytes[8] = 2;
    find_entry(bytes, "calib")[0] = '?'; /* a tag that it does not know */
    mend((uint8_t *)bytes, n);
    check_file_bytes("two.km", bytes, n);
    CHECK_OK(kith_model_open(check_path("two.km"), &m, &err));
    CHECK(!m->calibration.by_share);
    CHECK_NEAR(m->calibration.prior[0], 8.0 / 22, 1e-12);
    CHECK_NEAR(m->calibration.prior[1], 7.0 / 22, 1e-12);
    CHECK_NEAR(m->calibration.unreached[2], 7.0 / 22, 1e-12);
    kith_model_free(m);
    free(bytes);
}

TEST(another_kind_of_file_is_no_model)
{
    size_t n;
    char *bytes = whole_file(KITH__IDS_RANGE, &n);
    kith_error err = {0};

    bytes[5] = 'G'; /* a built graph */
    check_refused(bytes, n, KITH_ERR_CORRUPT,
                  "is not a sound model: it does not begin like one");
    free(bytes);
    CHECK(try_open(check_file("empty.km", ""), &err) == KITH_ERR_CORRUPT);
    CHECK(try_open(check_path("absent.km"), &err) == KITH_ERR_IO);
}

/* A number of a section, or (tag NULL) of the header, made senseless under
 * checksums that match. */
typedef struct change {
    const char *tag;
    int at, size;
    union {
        int64_t whole;
        double real;
        float single;
    } to;
    const char *why;
} change;

static const change changes[] = {
    {NULL, 24, 4, {.whole = 0}, "impossible counts"},
    {NULL, 24, 4, {.whole = -1}, "impossible counts"},
    {NULL, 24, 4, {.whole = INT32_MAX}, "'names' is missing or"},
    {NULL, 24, 4, {.whole = 2}, "'names' has more than the classes"},
    {NULL, 24, 4, {.whole = 4}, "class names do not fit"},
    {NULL, 28, 4, {.whole = -1}, "impossible counts"},
    {NULL, 28, 4, {.whole = INT32_MAX}, "impossible counts"},
    {NULL, 28, 4, {.whole = INT32_MAX - 1}, "'weights' is missing or"},
    {NULL, 28, 4, {.whole = 6}, "'weights' is missing or does not fit"},
    {NULL, 32, 8, {.whole = -1}, "impossible counts"},
    {NULL, 32, 8, {.whole = INT64_MAX}, "impossible counts"},
    {NULL, 32, 8, {.whole = TRAINED + 1}, "'trained' is missing or"},
    {NULL, 40, 4, {.whole = 3}, "'training ids' are missing"},
    {NULL, 40, 4, {.whole = 0}, ""}, /* a range after all: no harm */
    {"method", 0, 1, {.whole = 'L'}, "'method' is out of range"},
    {"method", 2, 1, {.whole = 0}, "'method' is missing or does not fit"},
    {"params", 0, 8, {.whole = 4}, "'prep' is out of range"},
    {"params", 0, 8, {.whole = 1}, ""}, /* l2: the idf is not looked at */
    {"params", 8, 8, {.whole = 9}, "'smooth' is"},
    {"params", 8, 8, {.whole = (int64_t)1 << 32}, "'smooth' is"},
    {"params", 16, 8, {.real = 0}, "'penalty' is"},
    {"params", 16, 8, {.real = NAN}, "'penalty' is"},
    {"params", 24, 8, {.whole = 2}, "'clamp' is"},
    {"params", 32, 8, {.whole = 256}, "'balance' is"},
    {"params", 40, 8, {.whole = 0}, "'iterations' is"},
    {"params", 40, 8, {.whole = 1001}, "'iterations' is"},
    {"params", 48, 8, {.real = -1e-300}, "'tolerance' is"},
    {"params", 56, 8, {.real = 1}, "'damping' is"},
    {"params", 64, 8, {.real = -1}, "'g1' is"},
    {"params", 72, 8, {.real = INFINITY}, "'g2' is"},
    {"params", 80, 8, {.real = NAN}, "'lambda' is"},
    {"params", 88, 8, {.whole = 1001}, "'outer' is"},
    {"params", 96, 8, {.whole = INT64_MAX}, "'inner' is"},
    {"params", 104, 8, {.whole = -1}, "'as_written' is"},
    {"params", 112, 8, {.whole = 2}, "'uncentred' is"},
    {"params", 120, 8, {.real = 0}, "'bound' is"},
    {"params", 120, 8, {.real = 1}, "'bound' is"},
    {"params", 128, 8, {.whole = 2}, "'gradient' is"},
    {"certif", 0, 8, {.real = -1}, "'certificate.rho' is"},
    {"certif", 8, 8, {.real = -1}, "'certificate.residual' is"},
    {"certif", 16, 8, {.whole = -1}, "'certificate.iterations' is"},
    {"certif", 24, 8, {.whole = 2}, "'certificate.converged' is"},
    {"temper", 0, 8, {.real = 0}, "'temperature' is"},
    {"temper", 0, 8, {.real = INFINITY}, "'temperature' is"},
    {"calib", 0, 8, {.real = .5}, "'calib' is missing or does not fit"},
    {"calib", 8, 8, {.real = NAN}, "'calibration' is"},
    {"calib", 8, 8, {.real = -1001}, "'calibration' is"},
    {"calib", 16, 8, {.real = -.1}, "'calibration' is"},
    {"calib", 24, 8, {.real = 1}, "'calibration' is"},
    {"calib", 32, 8, {.real = 0}, "'calibration' is"},
    {"calib", 72, 8, {.real = .9}, "'calibration' is"},
    {"valid", 0, 8, {.real = 1.01}, "'validation' is"},
    {"coupling", 4 * 8, 4, {.single = NAN}, "'coupling' is"},
    {"weights", 4 * 17, 4, {.single = INFINITY}, "'weights' is"},
    {"idf", 0, 4, {.single = -1}, "'idf' is"},
    {"idbytes", 0, 1, {.whole = 3}, "'training ids' is out of range"},
    {"idgroups", 8, 8, {.whole = 1}, "'training ids' is"},
    {"trained", 4 * 18, 4, {.whole = CLASSES}, "'training classes' is"},
    {"trained", 0, 4, {.whole = -1}, "'training classes' is"},
    {"entries", 0, 8, {.whole = 3}, "'entries' do not fit"},
    {"entries", 0, 8, {.whole = 1}, "'entries' do not fit"},
    {"entries", 8, 8, {.whole = -3}, "'entries' do not fit"},
    {"entries", 8, 8, {.whole = 2}, "'entries' do not fit"},
    {"entries", 16, 8, {.whole = INT64_MAX}, "'entries' do not fit"},
    {"numbers", 8, 8, {.real = NAN}, "'entries' do not fit"},
    {"texts", 0, 1, {.whole = 0}, "'entries' do not fit"},
    {"arrays", 4, 4, {.single = INFINITY}, "'entries' do not fit"},
    {"why", 4, 1, {.whole = 0}, "'why' is missing or does not fit"},
};

TEST(senseless_numbers_are_refused_by_name)
{
    size_t n;
    char *bytes = whole_file(KITH__IDS_TEXT, &n), *copied = malloc(n);

    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        const change *c = &changes[i];
        char *base;

        memcpy(copied, bytes, n);
        base = c->tag ? find_bytes(copied, c->tag) : copied;
        memcpy(base + c->at, &c->to, (size_t)c->size);
        mend((uint8_t *)copied, n);
        check_refused(copied, n, c->why[0] ? KITH_ERR_CORRUPT : KITH_OK,
                      c->why);
    }
    free(copied);
    free(bytes);
}

/* Only the coupling may be left out, and tags not known are skipped. */
TEST(a_missing_section_is_refused_by_name)
{
    static const char *const tags[] = {
        "method", "params", "certif",  "temper", "valid",   "graph",
        "calib",  "names",  "weights", "idf",    "trained", "idvals"};
    size_t n;
    char *bytes = whole_file(KITH__IDS_INTEGER, &n), *copied = malloc(n);

    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        char why[64];

        snprintf(why, sizeof(why), "'%s' %s missing",
                 strcmp(tags[i], "idvals") ? tags[i] : "training ids",
                 strcmp(tags[i], "idvals") ? "is" : "are");
        memcpy(copied, bytes, n);
        find_entry(copied, tags[i])[0] = '?';
        mend((uint8_t *)copied, n);
        check_refused(copied, n, KITH_ERR_CORRUPT, why);
    }
    memcpy(copied, bytes, n);
    find_entry(copied, "coupling")[0] = '?';
    mend((uint8_t *)copied, n);
    check_refused(copied, n, KITH_OK, "");
    free(copied);
    free(bytes);
}

/* ---- what is not saved --------------------------------------------------- */

/* Saving fails, names the culprit, and leaves no file. */
static void check_unsaved(const kith_model *m, const char *culprit)
{
    kith_error err = {0};

    CHECK(kith_model_save(m, check_path("unsaved.km"), &err) ==
          KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, culprit) != NULL);
    CHECK(access(check_path("unsaved.km"), F_OK) != 0);
}

TEST(a_model_that_could_not_be_opened_is_not_saved)
{
    kith_model *m = make_model(KITH__IDS_RANGE, WEIGHTS | IDF);

    m->weights[3] = NAN;
    check_unsaved(m, "'weights' of the model is out of range");
    m->weights[3] = 0;
    m->params.prep = KITH_PREP_L2; /* but there is an idf */
    check_unsaved(m, "'idf'");
    m->params.prep = KITH_PREP_TFIDF;
    m->train_class[0] = CLASSES;
    check_unsaved(m, "'training classes'");
    m->train_class[0] = 0;
    m->method[0] = ' ';
    check_unsaved(m, "'method'");
    m->method[0] = 'l';
    m->params.smooth = 9;
    check_unsaved(m, "'smooth'");
    m->params.smooth = 8;
    check_round_trip(m);
    kith_model_free(m);
}

TEST(a_state_is_asked_by_name)
{
    kith_model *m = make_model(KITH__IDS_RANGE, STATE);

    CHECK(kith__fit_state_number(&m->state, "h", 7) == -0.25);
    CHECK(kith__fit_state_number(&m->state, "start", 7) == 7);
    CHECK_TEXT(kith__fit_state_text(&m->state, "start"), "tf-idf");
    CHECK_TEXT(kith__fit_state_text(&m->state, "h"), "");
    CHECK(kith__fit_state_values(&m->state, "layer 1", 3, 2) != NULL);
    CHECK(kith__fit_state_values(&m->state, "layer 1", 2, 3) == NULL);
    CHECK_INT(kith_model_settings(m), 3);
    CHECK_TEXT(kith_model_setting(m, 1).text, "tf-idf");
    m->state.entries[0].values[0] = INFINITY;
    check_unsaved(m, "'layer 1'");
    kith_model_free(m);
}

TEST(a_model_needs_a_file)
{
    kith_model *m = make_model(KITH__IDS_RANGE, 0);
    kith_error err = {0};

    CHECK(kith_model_save(m, "/dev/null", &err) == KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "expected a file for a model") != NULL);
    CHECK(kith_model_save(m, check_path("no/such/folder.km"), &err) ==
          KITH_ERR_IO);
    kith_model_free(m);
}

TEST(saving_and_opening_survive_every_failed_allocation)
{
    for (int ids = KITH__IDS_RANGE; ids <= KITH__IDS_TEXT; ids++) {
        kith_model *m = make_model(ids, COUPLING | WEIGHTS | IDF | STATE | WHY);
        const char *path = check_path("oom.km");
        kith_model *back = NULL;

        CHECK_OOM(st = kith_model_save(m, path, NULL), );
        CHECK_OOM(st = kith_model_open(path, &back, NULL),
                  kith_model_free(back));
        kith_model_free(m);
    }
}

TEST(impossible_counts_are_not_saved)
{
    kith_model *m = make_model(KITH__IDS_RANGE, WEIGHTS);
    const int32_t classes = m->classes;

    m->columns = -1;
    check_unsaved(m, "'columns'");
    m->columns = INT32_MAX;
    check_unsaved(m, "'columns'");
    m->columns = 0; /* but there are weights */
    check_unsaved(m, "'weights'");
    m->columns = COLUMNS;
    m->classes = 0;
    check_unsaved(m, "'classes'");
    m->classes = classes;
    check_round_trip(m);
    kith_model_free(m);
}

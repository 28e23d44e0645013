/* Numbers as text, in the C locale and in one that has commas for points. */
#include <locale.h>
#include <sys/stat.h>

#include "check.h"
#include "core/number.h"

TEST(numbers_are_read_strictly)
{
    double x;
    int64_t i;

    CHECK(kith__parse_real("0.1", 3, &x) && x == 0.1);
    CHECK(kith__parse_real("-2.5e-3", 7, &x) && x == -2.5e-3);
    CHECK(kith__parse_real("123456789012345", 15, &x) &&
          x == 123456789012345.0);
    CHECK(kith__parse_real("0.30000000000000004", 19, &x) &&
          x == 0.30000000000000004);
    CHECK(kith__parse_real("7.", 2, &x) && x == 7);
    CHECK(kith__parse_real(".5", 2, &x) && x == 0.5);
    CHECK(!kith__parse_real(".", 1, &x));
    CHECK(!kith__parse_real("", 0, &x));
    CHECK(!kith__parse_real("-", 1, &x));
    CHECK(!kith__parse_real("1x", 2, &x));
    CHECK(!kith__parse_real(" 1", 2, &x));
    CHECK(!kith__parse_real("0x10", 4, &x));
    CHECK(kith__parse_int("-7", 2, &i) && i == -7);
    CHECK(!kith__parse_int("9223372036854775808", 19, &i));
    CHECK(!kith__parse_int("1.0", 3, &i));
    CHECK(!kith__parse_int("-", 1, &i));
}

/* Correctly rounded, or a text that reads back would be another number. */
TEST(short_decimals_are_read_as_the_c_library_reads_them)
{
    static const char *const texts[] = {
        "0",      "-0",      "0.3", "123456.789",       "9007199254740993",
        "1e22",   "1e-7",    ".1",  "99999999999999.9", "0.000000000000001",
        "1E+300", "4.9e-324"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        const double want = strtod(texts[i], NULL);
        double x = -1;

        CHECK(kith__parse_real(texts[i], strlen(texts[i]), &x));
        CHECK(memcmp(&x, &want, sizeof(x)) == 0);
    }
}

static void check_float(float x, const char *want)
{
    char text[KITH_FLOAT_BUFFER];

    CHECK_TEXT(kith__print_float(text, x), want);
}

TEST(floats_take_as_many_digits_as_they_need)
{
    check_float(.1f, "0.1");
    check_float(1, "1");
    check_float(1.0f / 3, "0.33333334");
    check_float(16777216, "16777216");
    check_float(1e-45f, "1.4013e-45");
    check_float(-2.5e10f, "-2.5e+10");
}

/* ---- a host program with a locale of its own ----------------------------- */

/*
 * Make a locale whose numbers are written 1.234,5, as glibc stores LC_NUMERIC:
 * a magic number, how many items there are and where, and the items: point,
 * separator, grouping, point and separator as wide characters, codeset.
 */
static void set_comma_locale(void)
{
    uint32_t file[14] = {
        0x20031115u ^ LC_NUMERIC, 6, 32, 34, 36, 40, 44, 48, 0, 0, ',', '.'};
    char *bytes = (char *)file;
    const struct lconv *now;

    bytes[32] = ',';
    bytes[34] = '.';
    bytes[36] = bytes[37] = 3;
    memcpy(bytes + 48, "UTF-8", 6);
    CHECK(mkdir(check_path("locale"), 0700) == 0);
    CHECK(mkdir(check_path("locale/comma"), 0700) == 0);
    check_file_bytes("locale/comma/LC_NUMERIC", file, 54);
    setenv("LOCPATH", check_path("locale"), 1);
    if (!setlocale(LC_NUMERIC, "comma"))
        check_skip("this C library takes no locale made by hand");
    now = localeconv();
    CHECK_TEXT(now->decimal_point, ",");
    CHECK(strtod("2,5", NULL) == 2.5);
}

static const char edges[] =
    "a\tb\t0.25\nb\tc\t1.5e-3\nc\td\t0.12345678901234567\n"
    "d\te\t3\ne\tf\t.5\nf\ta\t2.75\n";
static const char labels[] = "a\tx\nb\ty\nc\tx\nd\ty\ne\tx\nf\ty\n";
static const char features[] = "1 1:0.5 2:1e-2\n0 2:2.5\n1 1:1.25\n0 2:.75\n"
                               "1 1:3.5\n0 2:0.125\n";
static const char nodes[] = "a\nb\nc\nd\ne\nf\n";

static const char *in(const char *folder, const char *name)
{
    char path[200];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return check_path(path);
}

static void write_data(const char *folder, const kith_dataset *d)
{
    static const char *const graphs[] = {"g.tsv", "g.csv", "g.mtx", "g.npz",
                                         "g.kg"};
    static const char *const matrices[] = {"f.mtx", "f.svm", "f.npz"};
    kith_error err;

    for (int i = 0; i < 5; i++)
        CHECK_OK(kith_graph_write(d->graph, in(folder, graphs[i]),
                                  KITH_GRAPH_AUTO, NULL, &err));
    for (int i = 0; i < 3; i++)
        CHECK_OK(kith_features_write(d->features, in(folder, matrices[i]),
                                     KITH_FEATURES_AUTO, &err));
}

static void put(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "wb");

    CHECK(f && fwrite(text, 1, n, f) == n && fclose(f) == 0);
}

/* A model and its page: JSON within HTML. */
static void write_model(const char *folder, const kith_dataset *d,
                        const char *method)
{
    int32_t train[] = {0, 1, 2, 3}, test[] = {4, 5};
    const kith_split split = {
        .train = train, .test = test, .n_train = 4, .n_test = 2};
    kith_train_options o;
    kith_report_input page = {.title = "g", .validation = (double)NAN};
    kith_verdict_input judged;
    kith_verdict *v = NULL;
    float *p = calloc((size_t)d->labels->nodes * (size_t)d->labels->classes,
                      sizeof(*p));
    kith_model *m = NULL;
    kith_solution *s = NULL;
    kith_error err;
    char name[40], *html = NULL;
    size_t n = 0;

    kith_train_options_init(&o);
    CHECK_OK(kith_solution_train(d, method, &split, &o, &m, &s, &err));
    snprintf(name, sizeof(name), "%s.model", method);
    CHECK_OK(kith_model_save(m, in(folder, name), &err));
    page.solution = s;
    kith_solution_probabilities(s, p);
    kith_verdict_input_init(&judged);
    judged.data = d;
    judged.model = m;
    judged.probabilities = p;
    judged.judged = test;
    judged.n_judged = 2;
    CHECK_OK(kith_verdict_new(&judged, &v, &err));
    page.verdict = v;
    CHECK_OK(kith_report(&page, &html, &n, &err));
    snprintf(name, sizeof(name), "%s.html", method);
    put(in(folder, name), html, n);
    kith_array_free(html);
    kith_verdict_free(v);
    free(p);
    kith_solution_free(s);
    kith_model_free(m);
}

/* Read what is in text, and write all that the library writes numbers to. */
static void read_and_write(const char *folder)
{
    kith_dataset *d = NULL;
    kith_graph *g = NULL;
    kith_error err = {0};
    const char *bad;

    CHECK(mkdir(check_path(folder), 0700) == 0);
    CHECK(mkdir(in(folder, "set"), 0700) == 0);
    put(in(folder, "set/edges.tsv"), edges, strlen(edges));
    put(in(folder, "set/labels.tsv"), labels, strlen(labels));
    put(in(folder, "set/features.svm"), features, strlen(features));
    put(in(folder, "set/nodes.txt"), nodes, strlen(nodes));
    CHECK_OK(kith_dataset_open(in(folder, "set"), NULL, &d, &err));
    write_data(folder, d);
    write_model(folder, d, "lcm");
    write_model(folder, d, "lcm-em");
    kith_dataset_free(d);
    bad = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 -0.5\n";
    put(in(folder, "bad.mtx"), bad, strlen(bad));
    CHECK(kith_graph_read(in(folder, "bad.mtx"), NULL, &g, NULL, &err) ==
          KITH_ERR_PARSE);
    put(in(folder, "message"), err.text, strlen(err.text));
}

TEST(a_host_with_commas_for_points_reads_and_writes_the_same_bytes)
{
    static const char *const files[] = {
        "g.tsv",       "g.csv",   "g.mtx",    "g.npz",    "g.kg",
        "f.mtx",       "f.svm",   "f.npz",    "lcm.html", "lcm-em.model",
        "lcm-em.html", "message", "lcm.model"};

    read_and_write("points");
    set_comma_locale();
    read_and_write("commas");
    CHECK(strtod("2,5", NULL) == 2.5); /* and it is the host's still */
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        size_t n = 0, m = 0;
        char *a = check_read(in("points", files[i]), &n);
        char *b = check_read(in("commas", files[i]), &m);

        if (!a || !b || n != m || memcmp(a, b, n) != 0)
            check_failed(__FILE__, __LINE__, "%s differs", files[i]);
        free(a);
        free(b);
    }
    setlocale(LC_NUMERIC, "C");
}

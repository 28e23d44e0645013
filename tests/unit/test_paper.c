/* The parts of `kith paper`: kept results, drawn nodes, numbers as text. */
#include <sys/stat.h>

#include "generated.h"
#include "paper/paper.h"
#include "paper/parts.h"

/* ---- kept results -------------------------------------------------------- */

static const char key[] = "data 1 split 2 method lcm how tuned kith 0.1.0";

static kith__result sample(void)
{
    static float H[] = {.4f, -.4f, -.4f, .4f};
    static char chosen[] = "g1=0.05 lambda=0.05";

    return (kith__result){.accuracy = .8125,
                          .validation = (double)NAN,
                          .seconds = 1.5,
                          .weights = {.1, .2, .3, (double)NAN},
                          .chosen = chosen,
                          .classes = 2,
                          .coupling = H};
}

TEST(a_result_comes_back_as_it_was)
{
    const kith__result r = sample();
    const char *path = check_path("r.txt");
    kith__result got;
    kith_error err;

    CHECK_OK(kith__result_write(path, key, &r, &err));
    CHECK_OK(kith__result_read(path, key, &got, &err));
    CHECK_NEAR(got.accuracy, .8125, 0);
    CHECK(isnan(got.validation));
    CHECK_NEAR(got.seconds, 1.5, 0);
    CHECK_NEAR(got.weights[2], .3, 0);
    CHECK(isnan(got.weights[3]));
    CHECK_TEXT(got.chosen, "g1=0.05 lambda=0.05");
    CHECK_INT(got.classes, 2);
    CHECK(memcmp(got.coupling, r.coupling, 4 * sizeof(float)) == 0);
    kith__result_release(&got);
}

TEST(a_result_that_was_cut_or_changed_anywhere_is_refused)
{
    const kith__result r = sample();
    const char *path = check_path("r.txt");
    kith__result got;
    kith_error err;
    size_t length = 0;
    char *bytes;

    CHECK_OK(kith__result_write(path, key, &r, &err));
    bytes = check_read(path, &length);
    CHECK(length > 100);
    for (size_t n = 0; n < length; n++) {
        check_file_bytes("r.txt", bytes, n);
        CHECK(kith__result_read(path, key, &got, &err) != KITH_OK);
    }
    for (size_t n = 0; n < length; n++) {
        bytes[n] ^= 1;
        check_file_bytes("r.txt", bytes, length);
        CHECK(kith__result_read(path, key, &got, &err) == KITH_ERR_CORRUPT);
        bytes[n] ^= 1;
    }
    free(bytes);
}

TEST(a_result_of_something_else_is_refused)
{
    const kith__result r = sample();
    const char *path = check_path("r.txt");
    kith__result got;
    kith_error err;

    CHECK_OK(kith__result_write(path, "data 9 and so on", &r, &err));
    CHECK(kith__result_read(path, key, &got, &err) == KITH_ERR_CORRUPT);
    CHECK_TEXT(err.text, "is the result of something else");
    check_file("r.txt", "a shopping list, longer than it seems\n");
    CHECK(kith__result_read(path, key, &got, &err) == KITH_ERR_CORRUPT);
    CHECK_TEXT(err.text, "is no result of kith paper");
}

TEST(writing_a_result_survives_every_failed_allocation)
{
    const kith__result r = sample();
    const char *path = check_path("r.txt");
    kith_error err;

    CHECK_OOM(st = kith__result_write(path, key, &r, &err), (void)0);
}

TEST(reading_a_result_survives_every_failed_allocation)
{
    const kith__result r = sample();
    const char *path = check_path("r.txt");
    kith__result got;
    kith_error err;

    CHECK_OK(kith__result_write(path, key, &r, &err));
    CHECK_OOM(st = kith__result_read(path, key, &got, &err),
              kith__result_release(&got));
}

/* ---- drawn nodes --------------------------------------------------------- */

static int count_in(const int32_t *list, int32_t n, const kith_labels *l, int c)
{
    int count = 0;

    for (int32_t i = 0; i < n; i++)
        count += l->of[list[i]] == c;
    return count;
}

static bool contains(const int32_t *list, int32_t n, int32_t node)
{
    for (int32_t i = 0; i < n; i++)
        if (list[i] == node)
            return true;
    return false;
}

static bool overlap(const int32_t *a, int32_t n, const int32_t *b, int32_t m)
{
    for (int32_t i = 0; i < n; i++)
        if (contains(b, m, a[i]))
            return true;
    return false;
}

TEST(training_nodes_of_figure_2_are_new_ones_and_grow)
{
    kith__paper_set s = {.data = generated_with(300, 3, 0, .8, 10)};
    kith_split few = {0}, many = {0};
    kith_error err;

    CHECK_OK(kith_split_read(s.data, "0", &s.split[0], &err));
    CHECK_OK(kith__draw_training(&s, 4, 7, 0, &few, &err));
    CHECK_OK(kith__draw_training(&s, 9, 7, 0, &many, &err));
    for (int c = 0; c < 3; c++) {
        CHECK_INT(count_in(few.train, few.n_train, s.data->labels, c), 4);
        CHECK_INT(count_in(many.train, many.n_train, s.data->labels, c), 9);
    }
    CHECK(!overlap(many.train, many.n_train, many.val, many.n_val));
    CHECK(!overlap(many.train, many.n_train, many.test, many.n_test));
    for (int32_t i = 0; i < few.n_train; i++)
        CHECK(contains(many.train, many.n_train, few.train[i]));
    CHECK_INT(few.n_val, s.split[0].n_val);
    CHECK(memcmp(few.test, s.split[0].test,
                 (size_t)few.n_test * sizeof(int32_t)) == 0);
    CHECK(few.hash != many.hash);
    kith_split_release(&few);
    kith_split_release(&many);
    kith_split_release(&s.split[0]);
    kith_dataset_free(s.data);
}

TEST(drawing_training_nodes_survives_every_failed_allocation)
{
    kith__paper_set s = {.data = generated_with(300, 3, 0, .8, 10)};
    kith_error err;

    CHECK_OK(kith_split_read(s.data, "0", &s.split[0], &err));
    CHECK_OOM(kith_split out = {0};
              st = kith__draw_training(&s, 4, 7, 0, &out, &err);
              kith_split_release(&out), (void)0);
    kith_split_release(&s.split[0]);
    kith_dataset_free(s.data);
}

TEST(stand_ins_have_balanced_splits_without_overlap)
{
    const char *folder = check_path("nothing");
    kith_paper_options o = {
        .data = folder, .out = check_path("out"), .quick = true, .seed = 1};
    kith_paper_summary sum;
    kith__doc doc = {0};
    kith__paper_run r = {.options = &o, .summary = &sum, .doc = &doc};
    const kith__paper_set *twitter = &r.set[5];
    kith_error err;

    CHECK(mkdir(folder, 0777) == 0);
    CHECK_OK(kith__paper_open(&r, &err));
    CHECK(!r.set[0].data && doc.notes == 4); /* the four that are not there */
    CHECK(twitter->data && twitter->stand_in);
    CHECK_INT(twitter->splits, 2);
    for (int i = 0; i < twitter->splits; i++) {
        const kith_split *s = &twitter->split[i];

        for (int c = 0; c < 2; c++) {
            const kith_labels *l = twitter->data->labels;

            CHECK_INT(count_in(s->train, s->n_train, l, c), 5);
            CHECK_INT(count_in(s->val, s->n_val, l, c), 6);
            CHECK_INT(count_in(s->test, s->n_test, l, c), 10);
        }
        CHECK(!overlap(s->train, s->n_train, s->val, s->n_val));
        CHECK(!overlap(s->train, s->n_train, s->test, s->n_test));
        CHECK(!overlap(s->val, s->n_val, s->test, s->n_test));
    }
    CHECK(twitter->split[0].hash != twitter->split[1].hash);
    kith__paper_close(&r);
    kith__doc_release(&doc);
}

/* ---- pages --------------------------------------------------------------- */

TEST(cells_read_as_the_paper_writes_them)
{
    kith__cell c = {.ours = {.823, .0144, 5}, .wanted = 5, .paper = .5};
    char out[KITH__CELL_TEXT];

    CHECK_TEXT(kith__cell_ours(&c, "±", out), ".823 ±.014");
    CHECK_TEXT(kith__cell_paper(&c, "±", out), ".500");
    c.ours.n = 3;
    CHECK_TEXT(kith__cell_ours(&c, "±", out), ".823 ±.014 (3 of 5)");
    c.ours = kith_spread_of(NULL, 0);
    c.paper = 0;
    CHECK_TEXT(kith__cell_ours(&c, "±", out), "");
    CHECK_TEXT(kith__cell_paper(&c, "±", out), "");
    c = (kith__cell){.ours = {12.345, 0, 1}, .wanted = 1, .unit = KITH__RATIO};
    CHECK_TEXT(kith__cell_ours(&c, "±", out), "12.3x");
}

/* A document whose only table, matrix and note carry this name. */
static kith__doc document(const char *name)
{
    kith__doc d = {0};
    kith__table *t = kith__doc_table(&d, "figure1", 1, 2, KITH__SHARE, 1);
    kith__matrix *m = kith__doc_matrix(&d, "figure1-x", 2);
    const double x = .5;

    CHECK(t && m && kith__doc_note(&d, name));
    snprintf(t->title, sizeof(t->title), "%s", name);
    snprintf(t->text, sizeof(t->text), "%s", name);
    snprintf(t->row[0], KITH__LABEL, "%s", name);
    snprintf(t->column[0], KITH__LABEL, "%s", name);
    snprintf(m->title, sizeof(m->title), "%s", name);
    snprintf(m->name[0], KITH__LABEL, "%s", name);
    t->group[0] = name;
    t->chart = true;
    t->cell[0].ours = kith_spread_of(&x, 1);
    m->value[0] = 1;
    return d;
}

static bool has(const kith__json *text, const char *part)
{
    return strstr(text->at, part) != NULL;
}

TEST(names_stay_text_on_the_page)
{
    kith__doc d = document("<script>\"'&");
    kith__json html = {0}, json = {0};

    kith__write_html(&html, &d);
    kith__write_json(&json, &d);
    CHECK(!has(&html, "<script") && !has(&html, "\"'&"));
    CHECK(has(&html, "&lt;script&gt;&quot;&#39;&amp;"));
    CHECK(has(&json, "\\u003cscript\\u003e\\u0022'\\u0026"));
    kith_array_free(html.at);
    kith_array_free(json.at);
    kith__doc_release(&d);
}

/* A table and a matrix in all four formats; no page, if memory ran out. */
static kith_status write_all(kith__doc *d, kith_error *err)
{
    static kith__write_fn *const formats[] = {
        kith__write_markdown, kith__write_json, kith__write_latex,
        kith__write_html};
    kith_status st = KITH_OK;

    for (int i = 0; st == KITH_OK && i < 4; i++) {
        kith__json text = {0};

        formats[i](&text, d);
        st = kith__text_save(&text, check_path("page"), err);
    }
    return st;
}

TEST(writing_pages_survives_every_failed_allocation)
{
    kith__doc d = document("name");
    kith_error err;

    CHECK_OOM(st = write_all(&d, &err), (void)0);
    kith__doc_release(&d);
}

TEST(names_stay_text_in_latex)
{
    kith__doc d = document("a_b & 5% $x$ {#} \\input");
    kith__json tex = {0};

    kith__write_latex(&tex, &d);
    CHECK(has(&tex, "a\\_b \\& 5\\% \\$x\\$ \\{\\#\\} \\textbackslash{}input"));
    kith_array_free(tex.at);
    kith__doc_release(&d);
}

TEST(a_chart_puts_points_where_the_numbers_are)
{
    kith__doc d = document("group");
    kith__json html = {0};

    /* one value, .5: the scale is .4 to .5, so it is at the top, 10; the first
     * of two columns is 14 right of the axis at 40 */
    kith__write_html(&html, &d);
    CHECK(has(&html, "<circle cx=\"54.0\" cy=\"10.0\""));
    kith_array_free(html.at);
    kith__doc_release(&d);
}

/* ---- all of it ----------------------------------------------------------- */

/* How often progress was told, and when that is enough. */
typedef struct patience {
    int calls, most;
} patience;

static int stop_soon(void *user, const kith_progress *step)
{
    patience *p = user;

    (void)step;
    return ++p->calls > p->most;
}

/* A data set folder of that name under data/, with the split paper-0. */
static void make_cora(void)
{
    kith_dataset_free(generated_with(200, 2, 0, .8, 10));
    CHECK(mkdir(check_path("data"), 0777) == 0);
    CHECK(rename(check_path("g200-2-0-0.8-10"), check_path("data/cora")) == 0);
    CHECK(rename(check_path("data/cora/splits/0"),
                 check_path("data/cora/splits/paper-0")) == 0);
}

TEST(a_cancelled_run_leaves_pages_and_goes_on)
{
    static const char *const methods[] = {"linbp", "lcm"};
    patience p = {0, 20};
    kith_paper_options o;
    kith_paper_summary sum;
    kith_error err;
    int cancelled = 0;

    make_cora();
    kith_paper_options_init(&o);
    o.parts = KITH_PAPER_TABLE1 | KITH_PAPER_FIGURE1;
    o.data = check_path("data");
    o.out = check_path("paper");
    o.methods = methods;
    o.n_methods = 2;
    o.quick = true;
    o.job.progress = stop_soon;
    o.job.user = &p;
    while (kith_paper(&o, &sum, &err) == KITH_ERR_CANCELLED && p.most < 1e6) {
        cancelled++;
        p = (patience){0, 2 * p.most};
    }
    CHECK(cancelled > 0 && p.most < 1e6);
    CHECK_INT(sum.done, sum.wanted);
    CHECK(access(check_path("paper/paper.html"), R_OK) == 0);
    o.job.progress = NULL;
    CHECK_OK(kith_paper(&o, &sum, &err));
    CHECK_INT(sum.kept, sum.wanted);
    CHECK_OOM(st = kith_paper(&o, NULL, &err), (void)0);
}

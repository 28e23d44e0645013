/*
 * test_predictions.c: tables of four nodes, to the byte, and back.
 */
#include "check.h"
#include "models/model_object.h"

static char good[] = "good", bad[] = "bad", tab[] = "a\tb", node[] = "node";

typedef struct fixture {
    kith_graph *graph;
    char *names[2];
    kith_model model;
} fixture;

static void set_up(fixture *f)
{
    kith_error err;

    *f = (fixture){.names = {bad, good}};
    f->model = (kith_model){.classes = 2, .names = f->names};
    CHECK_OK(kith_graph_read(check_file("g.tsv", "x\ty\ny\tz\nz\tw\n"), NULL,
                             &f->graph, NULL, &err));
}

/* Node x, y, z, w by number, whatever that is. */
static int32_t number_of(const fixture *f, const char *id)
{
    return kith_graph_find(f->graph, id, strlen(id));
}

static void check_bytes(const char *path, const char *wanted)
{
    size_t n;
    char *text = check_read(path, &n);

    CHECK(text != NULL);
    if (text)
        CHECK_TEXT(text, wanted);
    free(text);
}

static void fill(const fixture *f, float p[8])
{
    const char *const ids[] = {"x", "y", "z", "w"};
    const float first[] = {.25f, .5f, 1, 0}, second[] = {.75f, .5f, 1, .125f};

    for (int i = 0; i < 4; i++) {
        p[2 * number_of(f, ids[i])] = first[i];
        p[2 * number_of(f, ids[i]) + 1] = second[i];
    }
}

TEST(a_row_per_node_in_the_order_of_the_input_scaled_to_sum_to_1)
{
    const char *path = check_path("p.tsv");
    kith_error err;
    float p[8];
    const kith_predictions what = {.probabilities = p};
    fixture f;

    set_up(&f);
    fill(&f, p);
    CHECK_OK(kith_predictions_write(f.graph, &f.model, &what, path, NULL, NULL,
                                    &err));
    check_bytes(path, "node\tlabel\tconfidence\tbad\tgood\n"
                      "x\tgood\t0.75\t0.25\t0.75\n"
                      "y\tbad\t0.5\t0.5\t0.5\n"
                      "z\tbad\t0.5\t0.5\t0.5\n"
                      "w\tgood\t1\t0\t1\n");
    kith_graph_free(f.graph);
}

TEST(what_was_written_is_read_again)
{
    const char *path = check_path("again.tsv");
    const char *const classes[] = {good, bad}; /* in another order */
    kith_error err;
    float p[8], q[8];
    const kith_predictions what = {.probabilities = p};
    int32_t found;
    fixture f;

    set_up(&f);
    fill(&f, p);
    CHECK_OK(kith_predictions_write(f.graph, &f.model, &what, path, NULL, NULL,
                                    &err));
    CHECK_OK(kith_predictions_read(path, f.graph, classes, 2, q, &found, &err));
    CHECK_INT(found, 4);
    CHECK_NEAR((double)q[2 * number_of(&f, "x")], .75, 0);
    CHECK_NEAR((double)q[2 * number_of(&f, "x") + 1], .25, 0);
    CHECK_NEAR((double)q[2 * number_of(&f, "w")], 1, 0);
    kith_graph_free(f.graph);
}

/* Columns may stand anywhere and others beside them; a class may be called
 * "node": of columns of one name the first is the node, the last the class. */
TEST(columns_go_by_their_names)
{
    const char *const classes[] = {node, good};
    const char *path = check_file(
        "moved.tsv", "note\tgood\tnode\tgood\tnode\nhm\tno\ty\t0.5\t0.25\n");
    kith_error err;
    int32_t found;
    float q[8];
    fixture f;

    set_up(&f);
    CHECK_OK(kith_predictions_read(path, f.graph, classes, 2, q, &found, &err));
    CHECK_INT(found, 1);
    CHECK_NEAR((double)q[2 * number_of(&f, "y")], .25, 0);
    CHECK_NEAR((double)q[2 * number_of(&f, "y") + 1], .5, 0);
    CHECK(isnan(q[2 * number_of(&f, "x")])); /* has no row */
    kith_graph_free(f.graph);
}

TEST(tables_that_cannot_be_are_refused_with_their_line)
{
    static const struct {
        const char *text;
        int line;
        const char *says;
    } cases[] = {
        {"", 0, "is empty"},
        {"id\tbad\tgood\n", 1, "'node'"},
        {"node\tbad\n", 1, "'good'"},
        {"node\tbad\tgood\nx\t1\n", 2, "3 fields"},
        {"node\tbad\tgood\nx\t1\t0\t0\n", 2, "3 fields"},
        {"node\tbad\tgood\nq\t1\t0\n", 2, "unknown node 'q'"},
        {"node\tbad\tgood\nx\t1\t0\nx\t1\t0\n", 3, "second row"},
        {"node\tbad\tgood\nx\t1.5\t0\n", 2, "field 2"},
        {"node\tbad\tgood\nx\t1\tnan\n", 2, "field 3"},
        {"node\tbad\tgood\nx\t1\t\n", 2, "field 3"},
    };
    const char *const classes[] = {bad, good};
    kith_error err;
    float q[8];
    fixture f;

    set_up(&f);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        CHECK_INT(kith_predictions_read(check_file("bad.tsv", cases[i].text),
                                        f.graph, classes, 2, q, NULL, &err),
                  KITH_ERR_PARSE);
        CHECK_INT(err.line, cases[i].line);
        CHECK(strstr(err.text, cases[i].says) != NULL);
    }
    CHECK_INT(kith_predictions_read(check_path("nowhere"), f.graph, classes, 2,
                                    q, NULL, &err),
              KITH_ERR_IO);
    kith_graph_free(f.graph);
}

static int stop(void *user, const kith_progress *step)
{
    (void)user;
    (void)step;
    return 1;
}

TEST(what_cannot_be_written_leaves_no_file)
{
    const char *path = check_path("none.tsv");
    const kith_job job = {.progress = stop};
    kith_error err;
    float p[8] = {0};
    const kith_predictions what = {.probabilities = p};
    fixture f;

    set_up(&f);
    CHECK_INT(kith_predictions_write(f.graph, &f.model, &what, path, NULL, NULL,
                                     &err),
              KITH_ERR_RANGE); /* rows of zeros */
    fill(&f, p);
    CHECK_INT(kith_predictions_write(f.graph, &f.model, &what, path, &job, NULL,
                                     &err),
              KITH_ERR_CANCELLED);
    f.names[1] = tab;
    CHECK_INT(kith_predictions_write(f.graph, &f.model, &what, path, NULL, NULL,
                                     &err),
              KITH_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "class 'a?b' cannot be written: it has a tab or line "
                         "break (.csv and .jsonl can hold it)");
    CHECK(access(path, F_OK) != 0);
    kith_graph_free(f.graph);
}

TEST(suggestions_and_ranked_lists_are_tables_too)
{
    const char *path = check_path("list.tsv");
    int32_t order[2];
    float p[] = {.75f, .5f};
    kith_ranking r = {.listed = 2, .node = order, .probability = p};
    kith_suggestion s = {0, 1.5, .5, 3};
    kith_error err;
    fixture f;

    set_up(&f);
    order[0] = number_of(&f, "z");
    order[1] = s.node = number_of(&f, "x");
    CHECK_OK(kith_ranking_write(&r, f.graph, path, NULL, &err));
    check_bytes(path, "rank\tnode\tprobability\n1\tz\t0.75\n2\tx\t0.5\n");
    CHECK_OK(kith_suggestions_write(&s, 1, f.graph, path, NULL, &err));
    check_bytes(path, "node\tscore\tuncertainty\tinfluence\nx\t1.5\t0.5\t3\n");
    kith_graph_free(f.graph);
}

TEST(tables_survive_every_failed_allocation)
{
    const char *path = check_path("oom.tsv");
    const char *const classes[] = {bad, good};
    kith_error err;
    float p[8], q[8];
    const kith_predictions what = {.probabilities = p};
    fixture f;

    set_up(&f);
    fill(&f, p);
    CHECK_OOM(st = kith_predictions_write(f.graph, &f.model, &what, path, NULL,
                                          NULL, NULL),
              (void)p);
    CHECK_OK(kith_predictions_write(f.graph, &f.model, &what, path, NULL, NULL,
                                    &err));
    CHECK_OOM(
        st = kith_predictions_read(path, f.graph, classes, 2, q, NULL, NULL),
        (void)q);
    kith_graph_free(f.graph);
}

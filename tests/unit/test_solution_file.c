/*
 * test_solution_file.c: a solution that was kept says the same as the one it
 * was made from, and belongs to one model on one graph.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fuzz/mend.h"
#include "generated.h"
#include "models/model_object.h"
#include "models/solution.h"

enum { N = 120, CLASSES = 3 };

typedef struct fixture {
    kith_dataset *data;
    kith_split split;
    kith_model like, *model;
    kith_solution *solution;
    const char *path;
} fixture;

static void open_data(fixture *f, bool features)
{
    kith_error err;

    memset(f, 0, sizeof(*f));
    f->data = generated_with(N, CLASSES, features ? 30 : 0, .7, 10);
    CHECK_OK(kith_split_read(f->data, "0", &f->split, &err));
    f->path = check_path("kept.ks");
}

/* Train with the choices that are in f->like. */
static void train(fixture *f, const char *method)
{
    kith_train_options o;
    kith_error err;

    kith_train_options_init(&o);
    o.job.threads = 2;
    o.params.iterations = 10;
    o.fixed = KITH_FIX_ALL;
    if (f->like.state.n > 0)
        o.like = &f->like;
    CHECK_OK(kith_solution_train(f->data, method, &f->split, &o, &f->model,
                                 &f->solution, &err));
}

static void say(fixture *f, const char *name, const char *text)
{
    CHECK(kith__fit_state_choose(&f->like.state, name, text));
}

static void put(fixture *f, const char *name, double number)
{
    CHECK(kith__fit_state_set(&f->like.state, name, number));
}

static void choose_em(fixture *f, double g1)
{
    say(f, "potentials", "em-features");
    say(f, "prep", "tfidf");
    say(f, "beliefs", g1 > 0 ? "P" : "p");
    put(f, "a", .2);
    put(f, "start_penalty", .1);
    put(f, "h", .5);
    put(f, "hops", 12);
    put(f, "rounds", 2);
    put(f, "kappa", .85);
    put(f, "unknown", 1);
    put(f, "penalty", 1);
    put(f, "balance", .25);
    put(f, "beta", 1);
    if (g1 > 0) {
        put(f, "g1", g1);
        put(f, "g2", .002);
        put(f, "consistency", .2);
    }
}

static void choose_heterophily(fixture *f)
{
    say(f, "potentials", "beside");
    say(f, "graph", "fitted");
    put(f, "blocks", 5); /* own features and neighbours' */
    put(f, "penalty", .1);
    put(f, "strength", .5);
    put(f, "lambda", 1);
}

static void tear_down(fixture *f)
{
    kith_solution_free(f->solution);
    kith_model_free(f->model);
    kith__fit_state_release(&f->like.state);
    kith_split_release(&f->split);
    kith_dataset_free(f->data);
    unlink(f->path);
}

static void check_same_explanation(const kith_solution *a,
                                   const kith_solution *b, int32_t node)
{
    kith_explanation *one = NULL, *two = NULL;
    kith_error err;

    CHECK_OK(kith_explain(a, node, -1, 5, &one, &err));
    CHECK_OK(kith_explain(b, node, -1, 5, &two, &err));
    CHECK_INT(one->of_class, two->of_class);
    CHECK_INT(one->kind, two->kind);
    CHECK(memcmp(&one->belief, &two->belief, sizeof(one->belief)) == 0);
    CHECK(memcmp(&one->sum, &two->sum, sizeof(one->sum)) == 0);
    CHECK_INT(one->n_neighbours, two->n_neighbours);
    CHECK_INT(one->n_features, two->n_features);
    for (int32_t i = 0; i < one->n_features; i++)
        CHECK(one->features[i].value == two->features[i].value);
    if (one->contribution)
        CHECK(memcmp(one->contribution, two->contribution,
                     N * sizeof(*one->contribution)) == 0);
    kith_explanation_free(one);
    kith_explanation_free(two);
}

/* Kept and had again: the same probabilities and explanations, bit for bit. */
static void check_kept(fixture *f, bool explained)
{
    static float before[N * CLASSES], after[N * CLASSES];
    kith_solution *again = NULL;
    kith_error err;

    CHECK_OK(kith_solution_save(f->solution, f->path, NULL, &err));
    CHECK_OK(
        kith_solution_open(f->path, f->model, f->data, NULL, &again, &err));
    kith_solution_probabilities(f->solution, before);
    kith_solution_probabilities(again, after);
    CHECK(memcmp(before, after, sizeof(before)) == 0);
    CHECK(memcmp(&f->solution->b.certificate.iterations,
                 &again->b.certificate.iterations, sizeof(int32_t)) == 0);
    for (int32_t u = 0; u < N; u += 17) {
        CHECK_INT(kith_solution_trained(f->solution, u),
                  kith_solution_trained(again, u));
        if (explained)
            check_same_explanation(f->solution, again, u);
    }
    for (int64_t p = 0; p < kith_graph_rows(f->data->graph)[1]; p++)
        CHECK(kith_solution_weight(f->solution, 0, p) ==
              kith_solution_weight(again, 0, p));
    kith_solution_free(again);
}

TEST(what_was_kept_is_what_was_there)
{
    static const struct {
        const char *method;
        bool explained;
    } kinds[] = {{"linbp", true},  {"lcm", true}, {"lcm-l2", true},
                 {"logreg", true}, {"bp", false}, {"gcn", false},
                 {"lcm-em", true}};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        fixture f;

        open_data(&f, true);
        train(&f, kinds[i].method);
        check_kept(&f, kinds[i].explained);
        tear_down(&f);
    }
}

TEST(every_way_of_lcm_em_is_kept)
{
    for (int way = 0; way < 4; way++) {
        fixture f;

        open_data(&f, way > 0);
        if (way == 1 || way == 2)
            choose_em(&f, way == 1 ? 0 : .2);
        else if (way == 3)
            choose_heterophily(&f);
        train(&f, "lcm-em");
        check_kept(&f, true);
        tear_down(&f);
    }
}

TEST(a_solution_of_other_data_or_another_model_is_refused)
{
    fixture f, other;
    kith_solution *s = NULL;
    kith_dataset mixed;
    kith_features features;
    kith_error err;

    open_data(&f, true);
    train(&f, "linbp");
    CHECK_OK(kith_solution_save(f.solution, f.path, NULL, &err));

    open_data(&other, true);
    train(&other, "lcm");
    CHECK_INT(kith_solution_open(f.path, other.model, f.data, NULL, &s, &err),
              KITH_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "is the solution of another model, expected that of "
                         "this model on this data");
    CHECK(s == NULL);

    mixed = *f.data;
    features = *f.data->features; /* all the same, but one value less */
    features.entries--;
    mixed.features = &features;
    CHECK_INT(kith_solution_open(f.path, f.model, &mixed, NULL, &s, &err),
              KITH_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "is the solution of other features, expected that of "
                         "this model on this data");
    tear_down(&other);

    CHECK_OK(kith_solution_save(f.solution, f.path, NULL, &err));
    open_data(&other, false);
    kith_dataset_free(other.data);
    other.data = generated_with(N, CLASSES, 30, .6, 10);
    CHECK_INT(kith_solution_open(f.path, f.model, other.data, NULL, &s, &err),
              KITH_ERR_ARGUMENT);
    CHECK_TEXT(err.text, "is the solution of another graph, expected that of "
                         "this model on this data");
    tear_down(&other);
    tear_down(&f);
}

TEST(a_change_of_any_parameter_of_a_model_is_another_model)
{
    fixture f;
    uint64_t hash;

    open_data(&f, true);
    train(&f, "lcm");
    hash = kith__model_hash(f.model);
    f.model->params.lambda += 1e-9;
    CHECK(kith__model_hash(f.model) != hash);
    f.model->params.lambda = .05;
    CHECK(kith__model_hash(f.model) == hash);
    f.model->temperature *= 2;
    CHECK(kith__model_hash(f.model) != hash);
    f.model->temperature /= 2;
    f.model->weights[3] += 1;
    CHECK(kith__model_hash(f.model) != hash);
    f.model->weights[3] -= 1;
    f.model->train_class[0] ^= 1;
    CHECK(kith__model_hash(f.model) != hash);
    f.model->train_class[0] ^= 1;
    CHECK(kith__fit_state_set(&f.model->state, "h", .5));
    CHECK(kith__model_hash(f.model) != hash);
    tear_down(&f);
}

/* One byte of the file, wherever: refused, or nothing that is looked at. */
TEST(no_changed_byte_is_taken)
{
    fixture f;
    struct stat info;
    kith_error err;

    open_data(&f, false);
    train(&f, "lcm");
    CHECK_OK(kith_solution_save(f.solution, f.path, NULL, &err));
    CHECK_INT(stat(f.path, &info), 0);
    for (off_t at = 0; at < info.st_size; at += at < 600 ? 7 : 997) {
        kith_solution *s = NULL;
        const int fd = open(f.path, O_RDWR);
        unsigned char byte, changed;

        CHECK_INT(pread(fd, &byte, 1, at), 1);
        changed = byte ^ 4;
        CHECK_INT(pwrite(fd, &changed, 1, at), 1);
        CHECK(kith_solution_open(f.path, f.model, f.data, NULL, &s, &err) !=
              KITH_OK);
        CHECK(s == NULL);
        CHECK_INT(pwrite(fd, &byte, 1, at), 1);
        close(fd);
    }
    tear_down(&f);
}

/* With checksums that match. */
static kith_status change(const fixture *f, long at, unsigned char to,
                          kith_error *err)
{
    static uint8_t bytes[1 << 17];
    FILE *file = fopen(f->path, "rb");
    const size_t n = fread(bytes, 1, sizeof(bytes), file);
    kith_solution *s = NULL;
    kith_status st;

    CHECK(n > 0 && n < sizeof(bytes));
    (void)fclose(file);
    bytes[at] = to;
    mend(bytes, n);
    check_file_bytes("changed.ks", (char *)bytes, n);
    st = kith_solution_open(check_path("changed.ks"), f->model, f->data, NULL,
                            &s, err);
    kith_solution_free(s);
    unlink(check_path("changed.ks"));
    return st;
}

/* Where the last section of the file is. */
static long last_section(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint32_t count = 0;
    int64_t offset = 0;

    (void)fseek(file, MEND_COUNT_AT, SEEK_SET);
    CHECK_INT(fread(&count, 4, 1, file), 1);
    (void)fseek(file, MEND_HEADER + MEND_SECTION * ((long)count - 1) + 8,
                SEEK_SET);
    CHECK_INT(fread(&offset, 8, 1, file), 1);
    (void)fclose(file);
    return (long)offset;
}

TEST(another_version_is_refused_by_name)
{
    kith_error err = {0};
    fixture f;

    open_data(&f, false);
    train(&f, "linbp");
    CHECK_OK(kith_solution_save(f.solution, f.path, NULL, &err));
    CHECK_OK(change(&f, 8, 2, &err));
    CHECK_INT(change(&f, 8, 1, &err), KITH_ERR_PARSE);
    CHECK_TEXT(err.text, "has version 1, expected at most 3: make it again");
    tear_down(&f);
}

/* A class that there is not, or no label at all. */
TEST(labels_of_an_updated_solution_are_not_trusted)
{
    const int32_t node = 3, class = 1;
    kith_error err = {0};
    fixture f;
    long at;

    open_data(&f, false);
    train(&f, "linbp");
    CHECK_OK(kith_solution_update(f.solution, &node, &class, 1, NULL, &err));
    CHECK_OK(kith_solution_save(f.solution, f.path, NULL, &err));
    at = last_section(f.path);
    CHECK_OK(change(&f, at + 4 * node, 2, &err));
    CHECK_INT(change(&f, at + 4 * node, CLASSES, &err), KITH_ERR_CORRUPT);
    CHECK(strstr(err.text, "'trained'") != NULL);
    CHECK_INT(change(&f, at + 4 * node + 3, 0x80, &err), KITH_ERR_CORRUPT);
    tear_down(&f);
}

TEST(keeping_and_opening_survive_every_failed_allocation)
{
    fixture f;
    kith_solution *s = NULL;

    open_data(&f, true);
    choose_em(&f, .2);
    train(&f, "lcm-em");
    CHECK_OOM(st = kith_solution_save(f.solution, f.path, NULL, NULL), (void)0);
    CHECK_OOM(st = kith_solution_open(f.path, f.model, f.data, NULL, &s, NULL),
              kith_solution_free(s));
    tear_down(&f);
}

/* Threads of the host that train on one data set at the same time get what
 * each would get alone. */
#include <pthread.h>

#include "generated.h"

static const char *const methods[] = {"lcm", "linbp", "lcm-em"};
enum { METHODS = 3, AT_ONCE = 2 };

typedef struct worker {
    const kith_dataset *d;
    const kith_split *split;
    float *probabilities[METHODS];
    int first; /* method to begin with */
    kith_error err;
    bool failed;
} worker;

static void *train_all(void *user)
{
    worker *w = user;

    for (int i = 0; i < METHODS && !w->failed; i++) {
        const int k = (w->first + i) % METHODS;
        kith_train_options o;
        kith_model *m = NULL;

        kith_train_options_init(&o);
        o.job.threads = 2;
        w->failed = kith_model_train(w->d, methods[k], w->split, &o, &m,
                                     w->probabilities[k], &w->err) != KITH_OK;
        kith_model_free(m);
    }
    return NULL;
}

static void release(worker *w)
{
    for (int i = 0; i < METHODS; i++)
        free(w->probabilities[i]);
}

static void check_same(const worker *w, const worker *alone)
{
    if (w->failed)
        check_failed(__FILE__, __LINE__, "%s", w->err.text);
    for (int k = 0; k < METHODS; k++)
        if (memcmp(w->probabilities[k], alone->probabilities[k],
                   bytes_of(w->d)) != 0)
            check_failed(__FILE__, __LINE__, "%s differs", methods[k]);
}

/* Each begins with another method; so different ones run side by side, and at
 * times the same. */
static void train_side_by_side(const kith_dataset *d)
{
    worker w[AT_ONCE + 1] = {0};
    pthread_t thread[AT_ONCE];
    kith_split split;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &split, &err));
    for (int t = 0; t <= AT_ONCE; t++) {
        w[t].d = d;
        w[t].split = &split;
        w[t].first = t % METHODS;
        for (int k = 0; k < METHODS; k++)
            w[t].probabilities[k] = room(d);
    }
    train_all(&w[AT_ONCE]);
    for (int t = 0; t < AT_ONCE; t++)
        CHECK(pthread_create(&thread[t], NULL, train_all, &w[t]) == 0);
    for (int t = 0; t < AT_ONCE; t++)
        CHECK(pthread_join(thread[t], NULL) == 0);
    for (int t = 0; t < AT_ONCE; t++)
        check_same(&w[t], &w[AT_ONCE]);
    for (int t = 0; t <= AT_ONCE; t++)
        release(&w[t]);
    kith_split_release(&split);
}

TEST(threads_train_on_one_data_set_at_the_same_time)
{
    kith_dataset *d = generated_with(72, 2, 6, .8, 8);

    train_side_by_side(d);
    kith_dataset_free(d);
}

/* A built file: its arrays are mapped, and counted by their users. */
TEST(threads_train_on_one_built_graph_at_the_same_time)
{
    kith_dataset *d = generated_with(60, 2, 0, .8, 0), *built = NULL;
    kith_error err;

    CHECK_OK(kith_dataset_save(d, check_path("built.kg"), NULL, &err));
    CHECK_OK(kith_dataset_open(check_path("built.kg"), NULL, &built, &err));
    built->splits_at = d->splits_at;
    d->splits_at = NULL;
    train_side_by_side(built);
    kith_dataset_free(built);
    kith_dataset_free(d);
}

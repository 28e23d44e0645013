#include "generated.h"
#include "models/params.h"
#include "other_value.h"

/* Stop as soon as there is a checkpoint. */
static int stop_when_there(void *user, const kith_progress *step)
{
    (void)step;
    return access(user, F_OK) == 0;
}

/* A checkpoint of tuned lcm, given up on the way. */
static kith_train_options left_behind(const kith_dataset *d,
                                      const kith_split *s, char *path)
{
    kith_train_options o;
    kith_model *m = NULL;
    kith_error err;

    kith_train_options_init(&o);
    o.job = (kith_job){.threads = 1, .progress = stop_when_there, .user = path};
    o.checkpoint = path;
    CHECK_INT(kith_model_train(d, "lcm", s, &o, &m, NULL, &err),
              KITH_ERR_CANCELLED);
    CHECK(access(path, F_OK) == 0);
    o.job = (kith_job){.threads = 1};
    return o;
}

/* A run of other options or other data must not go on from it. */
static void check_refused(const kith_dataset *d, const kith_split *s,
                          const kith_train_options *o)
{
    kith_model *m = NULL;
    kith_error err;

    CHECK_INT(kith_model_train(d, "lcm", s, o, &m, NULL, &err),
              KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "is the checkpoint of another run") != NULL);
    kith_model_free(m);
}

TEST(a_checkpoint_belongs_to_its_parameters)
{
    kith_dataset *d = generated_with(200, 3, 30, .8, 5);
    char *path = strdup(check_path("parameters"));
    const kith_option_info *row;
    kith_train_options o;
    kith_split s;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    o = left_behind(d, &s, path);
    for (int slot = 0; (row = kith__param_at_slot(slot)); slot++) {
        kith_train_options other = o;
        const double value = kith_params_get(&o.params, row);

        CHECK(!row->neutral); /* else it must be taken up, not refused */
        kith__param_store(&other.params, row, other_value(row, value));
        check_refused(d, &s, &other);
    }
    kith_split_release(&s);
    kith_dataset_free(d);
    free(path);
}

TEST(a_checkpoint_belongs_to_the_rows_of_the_features)
{
    kith_dataset *d = generated_with(200, 3, 30, .8, 5);
    char *path = strdup(check_path("rows"));
    kith_features moved = *d->features, *was = d->features;
    const size_t bytes = ((size_t)moved.nodes + 1) * sizeof(*moved.row);
    kith_train_options o;
    kith_split s;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    o = left_behind(d, &s, path);
    moved.row = malloc(bytes);
    memcpy(moved.row, was->row, bytes);
    CHECK(moved.row[11] > moved.row[10]);
    moved.row[11]--; /* its last entry is the next row's first */
    d->features = &moved;
    check_refused(d, &s, &o);
    d->features = was;
    free(moved.row);
    kith_split_release(&s);
    kith_dataset_free(d);
    free(path);
}

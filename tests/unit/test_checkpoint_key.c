#include "generated.h"

/* Every parameter is changed below; a new one must be too. */
_Static_assert(sizeof(kith_params) == 96, "see change(), and train.c's key");

enum { PARAMS = 17 };

static void change(kith_params *p, int which)
{
    switch (which) {
    case 0:
        p->prep = KITH_PREP_TFIDF;
        break;
    case 1:
        p->smooth++;
        break;
    case 2:
        p->penalty *= 2;
        break;
    case 3:
        p->clamp = !p->clamp;
        break;
    case 4:
        p->balance = !p->balance;
        break;
    case 5:
        p->iterations = 7;
        break;
    case 6:
        p->tolerance *= 2;
        break;
    case 7:
        p->damping = .5;
        break;
    case 8:
        p->g1 *= 2;
        break;
    case 9:
        p->g2 *= 2;
        break;
    case 10:
        p->lambda *= 2;
        break;
    case 11:
        p->outer++;
        break;
    case 12:
        p->inner++;
        break;
    case 13:
        p->as_written = !p->as_written;
        break;
    case 14:
        p->uncentred = !p->uncentred;
        break;
    case 15:
        p->bound = .9;
        break;
    default:
        p->gradient = KITH_GRADIENT_EXACT;
        break;
    }
}

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
    kith_train_options o;
    kith_split s;
    kith_error err;

    CHECK_OK(kith_split_read(d, "0", &s, &err));
    o = left_behind(d, &s, path);
    for (int i = 0; i < PARAMS; i++) {
        kith_train_options other = o;

        change(&other.params, i);
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

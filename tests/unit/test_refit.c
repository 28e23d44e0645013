/*
 * test_refit.c: a model fitted again with labels that arrived since.
 */
#include "generated.h"

/* Old and new labels of a data set: every 8th node, and every 8th after it. */
static kith_labels *some(const kith_labels *l, int32_t from)
{
    kith_labels *out = calloc(1, sizeof(*out));

    *out = *l;
    out->of = malloc((size_t)l->nodes * sizeof(*out->of));
    out->labelled = 0;
    for (int32_t u = 0; u < l->nodes; u++) {
        out->of[u] = u % 8 == from ? l->of[u] : -1;
        out->labelled += out->of[u] >= 0;
    }
    return out;
}

static kith_model *fit(kith_dataset *d, kith_labels *l,
                       const kith_train_options *o)
{
    kith_dataset data = *d;
    kith_protocol p = {0};
    kith_model *m = NULL;
    kith_error err;

    data.labels = l;
    CHECK_OK(kith_protocol_make(&data, NULL, 0, 1, &p, &err));
    CHECK_OK(kith_model_train(&data, "linbp", &p.whole, o, &m, NULL, &err));
    kith_protocol_release(&p);
    return m;
}

TEST(a_refit_learns_from_old_and_new_and_keeps_the_choices)
{
    kith_dataset *d = generated_with(200, 3, 0, .7, 5), late = *d;
    kith_labels *old = some(d->labels, 0), *new = some(d->labels, 3);
    kith_train_options o;
    kith_model *m, *again = NULL;
    kith_refit told;
    kith_error err;

    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    o.params.iterations = 7;
    o.temperature = .25;
    m = fit(d, old, &o);
    late.labels = new;
    CHECK_OK(kith_model_refit(m, &late, NULL, &again, &told, &err));
    CHECK_INT(told.kept, old->labelled);
    CHECK_INT(told.added, new->labelled);
    CHECK_INT(told.changed + told.gone, 0);
    CHECK_INT(kith_model_trained(again), old->labelled + new->labelled);
    CHECK_INT(kith_model_params(again)->iterations, 7);
    CHECK_NEAR(kith_model_temperature(again), .25, 0);
    kith_model_free(again);
    /* labels it has: nothing new, one changed */
    late.labels = old;
    old->of[0] = (old->of[0] + 1) % 3;
    CHECK_OK(kith_model_refit(m, &late, NULL, &again, &told, &err));
    CHECK_INT(told.added, 0);
    CHECK_INT(told.changed, 1);
    CHECK_INT(told.kept, old->labelled - 1);
    kith_model_free(again);
    late.labels = NULL;
    CHECK_INT(kith_model_refit(m, &late, NULL, &again, NULL, &err),
              KITH_ERR_ARGUMENT);
    CHECK(!again);
    late.labels = new;
    o.job.threads = 1;
    CHECK_OOM(st = kith_model_refit(m, &late, &o.job, &again, NULL, &err),
              kith_model_free(again));
    kith_model_free(m);
    free(old->of);
    free(old);
    free(new->of);
    free(new);
    kith_dataset_free(d);
}

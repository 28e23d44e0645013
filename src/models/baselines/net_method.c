#include "models/baselines/net_method.h"

#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "models/model_object.h"
#include "nn/residual.h"

enum { EPOCHS_MOST = 300, PATIENCE = 50 };

kith_certificate kith__plain_certificate(int32_t iterations)
{
    return (kith_certificate){.rho = (double)NAN,
                              .residual = (double)NAN,
                              .iterations = iterations,
                              .converged = true};
}

bool kith__may_choose(const kith_train_options *options,
                      const kith__labelled_nodes *val,
                      const kith__fit_state *state)
{
    return val->n > 0 && state->n == 0 && options->fixed != KITH_FIX_ALL;
}

/* ---- which graph --------------------------------------------------------- */

/* Its hash in four floats of sixteen bits. */
static void hash_in_floats(const kith_graph *g, float out[4])
{
    const uint64_t hash = kith_graph_hash(g);

    for (int i = 0; i < 4; i++)
        out[i] = (float)(hash >> (16 * i) & 0xffff);
}

kith_status kith__bind_graph(kith__fit_state *state, const kith_graph *g,
                             kith_error *err)
{
    float *to = kith__fit_state_array(state, "graph", 1, 4);

    if (!to)
        return kith__no_memory(err);
    hash_in_floats(g, to);
    return KITH_OK;
}

kith_status kith__check_graph(const kith__fit_state *state, const kith_graph *g,
                              kith_error *err)
{
    const float *kept = kith__fit_state_values(state, "graph", 1, 4);
    bool same = kept != NULL;
    float now[4];

    hash_in_floats(g, now);
    for (int i = 0; same && i < 4; i++)
        same = kept[i] == now[i];
    if (!same)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "the model learnt a vector for each node of its "
                          "graph, and this is another graph");
    return KITH_OK;
}

const float *kith__known_vectors(const kith_train_options *options,
                                 const kith_graph *g, int64_t columns)
{
    const kith__fit_state *s = options->like ? &options->like->state : NULL;

    return s && kith__check_graph(s, g, NULL) == KITH_OK
               ? kith__fit_state_values(s, "vectors", kith_graph_nodes(g),
                                        columns)
               : NULL;
}

/* ---- settings in the state ----------------------------------------------- */

static kith_status keep_settings(kith__fit_state *state, const kith__net *net,
                                 int32_t epochs, kith_error *err)
{
    const kith__net_settings *how = &net->how, *usual = net->type->settings;
    const struct {
        const char *name;
        double value;
        bool there; /* does this type of network have it? */
    } numbers[] = {
        {"features", net->x.features ? net->x.columns : 0, true},
        {"hidden", how->hidden, usual->hidden > 0},
        {"heads", how->heads, usual->heads > 0},
        {"hops", how->hops, usual->hops > 0},
        {"layers", how->layers, how->layers > 0},
        {"shared", how->shared, how->shared},
        {"alpha", how->alpha, usual->alpha > 0},
        {"dropout", how->dropout, true},
        {"rate", how->rate, true},
        {"decay", how->decay, true},
        {"epochs", epochs, true},
    };

    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        if (numbers[i].there &&
            !kith__fit_state_set(state, numbers[i].name, numbers[i].value))
            return kith__no_memory(err);
    return KITH_OK;
}

/* A number of the state, which may come from a file, or `otherwise`. */
static double number(const kith__fit_state *s, const char *name, double least,
                     double most, double otherwise)
{
    const double x = kith__fit_state_number(s, name, otherwise);

    return x >= least && x <= most ? x : otherwise;
}

static kith__net_settings read_settings(const kith__fit_state *s,
                                        const kith__net_settings *usual)
{
    return (kith__net_settings){
        .hidden = (int)number(s, "hidden", 0, 1024, usual->hidden),
        .heads = (int)number(s, "heads", 0, 8, usual->heads),
        .hops = (int)number(s, "hops", 0, 100, usual->hops),
        .layers = (int)number(s, "layers", 0, KITH__LAYERS_MOST, 0),
        .shared = number(s, "shared", 0, 1, 0) > 0,
        .alpha = number(s, "alpha", 0, 1e6, usual->alpha),
        .dropout = number(s, "dropout", 0, .99, usual->dropout),
        .rate = number(s, "rate", 0, 10, usual->rate),
        .decay = number(s, "decay", 0, 1e6, usual->decay)};
}

/* ---- training ------------------------------------------------------------ */

/* The best epoch so far, of all settings; its weights are in the state. */
typedef struct best_epoch {
    double accuracy, loss;
    int32_t epoch;
    kith__net_settings how;
} best_epoch;

static kith_status save_weights(kith__fit_state *state, const kith__net *net,
                                kith_error *err)
{
    for (int i = 0; i < net->n_weights; i++) {
        const kith__weights *w = &net->weights[i];
        /* room for them is there from the second time on */
        float *to = (float *)kith__fit_state_values(state, w->name, w->rows,
                                                    w->columns);

        if (!to)
            to = kith__fit_state_array(state, w->name, w->rows, w->columns);
        if (!to)
            return kith__no_memory(err);
        memcpy(to, w->value, (size_t)(w->rows * w->columns) * sizeof(*to));
    }
    return KITH_OK;
}

static kith_status load_weights(const kith__fit_state *state, kith__net *net,
                                kith_error *err)
{
    for (int i = 0; i < net->n_weights; i++) {
        kith__weights *w = &net->weights[i];
        const float *from = kith__fit_state_values(state, w->name, w->rows,
                                                   w->columns);

        if (!from)
            return kith__fail(err, KITH_ERR_CORRUPT, NULL, 0,
                              "the model's '%s' is not %lld x %lld", w->name,
                              (long long)w->rows, (long long)w->columns);
        memcpy(w->value, from, (size_t)(w->rows * w->columns) * sizeof(*from));
    }
    return KITH_OK;
}

/* Log-loss on the validation nodes at the temperature that suits it, of a few:
 * a network that is too sure of itself may yet tell classes apart best. */
static double loss_of(const kith__net *net, const kith__labelled_nodes *val)
{
    static const double temperatures[] = {.25, .5, 1, 2, 4, 8};
    double least = HUGE_VAL;

    for (size_t i = 0; i < sizeof(temperatures) / sizeof(*temperatures); i++)
        least = fmin(
            least, kith__log_loss(net->Z, net->classes, val, temperatures[i]));
    return least;
}

/* Train with the settings of the net for at most `epochs`, stopping early. */
static kith_status train_watched(kith__net *net, const kith__task *task,
                                 const kith__labelled_nodes *val,
                                 const kith__near near[2], int32_t epochs,
                                 best_epoch *best, kith__fit_state *state,
                                 kith_error *err)
{
    double accuracy = -1, loss = HUGE_VAL;
    kith_status st = KITH_OK;
    int32_t since = 0;

    kith__net_start(net);
    for (int32_t e = 1; e <= epochs && since < PATIENCE; e++) {
        double a, l;

        TRY(kith__progress(task->job, "training", e, epochs, "epochs", err));
        kith__net_step(net, task->train, task->truth, task->n_train, &near[0]);
        kith__net_predict(net, &near[1]);
        a = kith__accuracy(net->Z, net->classes, val);
        l = loss_of(net, val);
        since = a > accuracy || l < loss ? 0 : since + 1;
        accuracy = fmax(accuracy, a);
        loss = fmin(loss, l);
        if (l > best->loss || (l == best->loss && a <= best->accuracy))
            continue;
        *best = (best_epoch){a, l, e, net->how};
        TRY(save_weights(state, net, err));
    }
out:
    return st;
}

/* Do settings differ only in numbers that a net does not hang on? */
static bool same_shape(const kith__net_settings *a, const kith__net_settings *b)
{
    return a->hidden == b->hidden && a->heads == b->heads &&
           a->layers == b->layers && a->shared == b->shared;
}

/* Give the net those settings; it is built anew where its shape is another. */
static kith_status reshape(kith__net *net, const kith__task *task,
                           const kith_features *features,
                           const kith__net_settings *how, kith_error *err)
{
    const kith__net_type *type = net->type;
    float *Z = net->Z;

    if (same_shape(&net->how, how)) {
        net->how = *how;
        return KITH_OK;
    }
    kith__net_release(net);
    return kith__net_new(type, how, task->graph, features, task->classes,
                         task->threads, true, Z, net, err);
}

/*
 * Multiplications of an epoch of a residual network, of about seven products of
 * rows with d x d matrices and four sums over neighbours in a layer; those that
 * would take more than EPOCH_MOST are not tried: there the graph is large, or
 * labels are few enough for two layers.
 */
static bool is_affordable(const kith__net_settings *how, const kith_graph *g)
{
    static const double EPOCH_MOST = 2e9;
    const double d = (double)how->hidden * fmax(how->heads, 1);
    const double n = kith_graph_nodes(g),
                 edges = (double)kith_graph_rows(g)[kith_graph_nodes(g)];

    return how->layers == 0 ||
           how->layers * (7 * n * d * d + 4 * edges * d) <= EPOCH_MOST;
}

static kith_status choose(kith__net *net, const kith__task *task,
                          const kith_features *features,
                          const kith_train_options *options,
                          const kith__labelled_nodes *val,
                          kith__fit_state *state, kith_error *err)
{
    best_epoch best = {.accuracy = -1, .loss = HUGE_VAL};
    const int32_t epochs = options->fixed & KITH_FIX_ITERATIONS
                               ? options->params.iterations
                               : EPOCHS_MOST;
    const kith__net_type *type = net->type;
    kith__near near[2] = {0};
    kith_status st = KITH_OK;

    TRY(kith__near_new(task->graph, task->train, task->n_train, &near[0], err));
    TRY(kith__near_new(task->graph, val->node, val->n, &near[1], err));
    for (int i = 0; i < type->grid; i++) {
        if (!is_affordable(&type->settings[i], task->graph))
            continue;
        TRY(reshape(net, task, features, &type->settings[i], err));
        TRY(train_watched(net, task, val, near, epochs, &best, state, err));
    }
    TRY(reshape(net, task, features, &best.how, err));
    TRY(load_weights(state, net, err));
    kith__fit_state_drop_arrays(state); /* those of other shapes */
    TRY(save_weights(state, net, err));
    TRY(keep_settings(state, net, best.epoch, err));
out:
    kith__near_release(&near[0]);
    kith__near_release(&near[1]);
    return st;
}

/* A fixed number of epochs with the settings of the net. */
static kith_status train_plainly(kith__net *net, const kith__task *task,
                                 int32_t epochs, kith__fit_state *state,
                                 kith_error *err)
{
    kith__near near = {0};
    kith_status st = KITH_OK;

    TRY(kith__near_new(task->graph, task->train, task->n_train, &near, err));
    kith__net_start(net);
    for (int32_t e = 1; e <= epochs; e++) {
        TRY(kith__progress(task->job, "training", e, epochs, "epochs", err));
        kith__net_step(net, task->train, task->truth, task->n_train, &near);
    }
    TRY(save_weights(state, net, err));
    TRY(keep_settings(state, net, epochs, err));
out:
    kith__near_release(&near);
    return st;
}

kith_status kith__net_fit(const kith__net_type *type, const kith__task *task,
                          const kith_features *features,
                          const kith_train_options *options,
                          const kith__labelled_nodes *val,
                          kith__fit_state *state, kith__beliefs *out,
                          kith_error *err)
{
    const bool choosing = kith__may_choose(options, val, state);
    const kith__net_settings how = read_settings(state, &type->settings[0]);
    const int32_t epochs = (int32_t)number(state, "epochs", 1, 1e6,
                                           options->params.iterations);
    kith_status st = KITH_OK;
    kith__net net = {0};

    TRY(kith__net_new(type, &how, task->graph, features, task->classes,
                      task->threads, true, out->P, &net, err));
    if (type->prepare)
        TRY(type->prepare(
            &net,
            kith__known_vectors(options, task->graph, net.weights[0].columns),
            task->job, err));
    if (choosing)
        TRY(choose(&net, task, features, options, val, state, err));
    else
        TRY(train_plainly(&net, task, epochs, state, err));
    if (!features || type->prepare)
        TRY(kith__bind_graph(state, task->graph, err));
    kith__net_predict(&net, NULL);
    out->has_coupling = false;
    out->certificate =
        kith__plain_certificate((int32_t)number(state, "epochs", 0, 1e6, 0));
out:
    kith__net_release(&net);
    return st;
}

kith_status kith__net_apply(const kith__net_type *type, const kith__task *task,
                            const kith_features *features,
                            const kith__fit_state *state, kith__beliefs *out,
                            kith_error *err)
{
    const kith__net_settings how = read_settings(state, &type->settings[0]);
    const int trained = (int)number(state, "features", 0, INT32_MAX, 0);
    kith_status st = KITH_OK;
    kith__net net = {0};

    if (trained != (features ? features->columns : 0))
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "the model was trained with %d features, the data has "
                       "%d",
                       trained, features ? (int)features->columns : 0));
    if (!features || type->prepare)
        TRY(kith__check_graph(state, task->graph, err));
    TRY(kith__net_new(type, &how, task->graph, features, task->classes,
                      task->threads, false, out->P, &net, err));
    TRY(load_weights(state, &net, err));
    kith__net_predict(&net, NULL);
    out->has_coupling = false;
    out->certificate =
        kith__plain_certificate((int32_t)number(state, "epochs", 0, 1e6, 0));
out:
    kith__net_release(&net);
    return st;
}

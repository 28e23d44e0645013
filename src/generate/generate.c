/*
 * generate.c: presets, checks, and the way from options to files:
 * classes (labels_plan.c) -> edges of a model (sbm.c, rmat.c, powerlaw.c) ->
 * builder -> file, with features and split beside (generate_output.c).
 */
#include "kith/generate.h"

#include <math.h>

#include "core/alloc.h"
#include "core/job.h"
#include "generate/edge_source.h"
#include "generate/generate_output.h"
#include "generate/node_features.h"
#include "graph/builder.h"

/* ---- presets ------------------------------------------------------------- */

static const struct preset {
    const char *name;
    kith_generate_options options;
} presets[] = {
    {"sbm",
     {.model = KITH_SBM,
      .nodes = 2000,
      .edges = 10000,
      .classes = 4,
      .homophily = .8,
      .train = 20,
      .val = 30,
      .test = 200}},
    {"rmat",
     {.model = KITH_RMAT,
      .nodes = 1 << 16,
      .edges = 1 << 20,
      .classes = 4,
      .homophily = .8,
      .train = 100,
      .val = 100,
      .test = 1000}},
    {"google-plus",
     {.model = KITH_POWERLAW,
      .nodes = 5735175,
      .edges = 30644909,
      .classes = 2,
      .homophily = .78,
      .train = 1000,
      .val = 1000,
      .test = 5000}},
    {"twitter",
     {.model = KITH_POWERLAW,
      .nodes = 41652230,
      .edges = 1202513046,
      .classes = 2,
      .rare = .006,
      .homophily = .9903,
      .train = 1000,
      .val = 1000,
      .test = 5000}},
};

static int32_t scaled(int32_t x, double scale)
{
    const double y = round(x * scale);

    return x == 0 ? 0 : y < 1 ? 1 : (int32_t)y;
}

/* The nearest power of two, on a scale of powers. */
static int32_t power_of_two(double x)
{
    const double bits = round(log2(x));

    return 1 << (int)(bits < 0 ? 0 : bits > 30 ? 30 : bits);
}

static int64_t all_pairs(int64_t nodes)
{
    return nodes * (nodes - 1) / 2;
}

/* Tiny graphs keep a node per class, and edges that fit them. */
static void shrink(kith_generate_options *o, double scale)
{
    const double per_node = (double)o->edges / o->nodes;
    const int32_t nodes = o->model == KITH_RMAT ? power_of_two(o->nodes * scale)
                                                : scaled(o->nodes, scale);
    int64_t edges = llround((double)o->edges * scale), most;

    o->nodes = nodes < o->classes ? o->classes : nodes;
    if (o->model == KITH_RMAT)
        edges = llround(o->nodes * per_node);
    most = all_pairs(o->nodes);
    edges = edges < o->nodes - 1 ? o->nodes - 1 : edges;
    o->edges = edges > most ? most : edges;
    o->train = scaled(o->train, scale);
    o->val = scaled(o->val, scale);
    o->test = scaled(o->test, scale);
}

kith_status kith_generate_preset(const char *name, double scale,
                                 kith_generate_options *out, kith_error *err)
{
    const int count = (int)(sizeof(presets) / sizeof(*presets));
    char quoted[KITH_QUOTE_BUFFER];

    *out = (kith_generate_options){0};
    if (!(scale > 0 && scale <= 1))
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "scale is %g, expected above 0 and at most 1", scale);
    for (int i = 0; i < count; i++) {
        if (strcmp(name, presets[i].name) != 0)
            continue;
        *out = presets[i].options;
        out->exponent = 2.3;
        out->rmat[0] = .57;
        out->rmat[1] = out->rmat[2] = .19;
        out->signal = .5;
        out->seed = 1;
        shrink(out, scale);
        return KITH_OK;
    }
    return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                      "unknown model '%s', expected sbm, rmat, google-plus or "
                      "twitter",
                      kith__quote(quoted, name, strlen(name)));
}

/* ---- checks -------------------------------------------------------------- */

static bool is_share(double x)
{
    return x >= 0 && x <= 1; /* NaN is not */
}

/* Words per row, if left to us. */
static int32_t usual_words(const kith_generate_options *o)
{
    return o->features < 20 ? o->features : 20;
}

static kith_status check_nodes(const kith_generate_options *o, kith_error *err)
{
    const bool exact = o->model == KITH_POWERLAW;
    const int64_t n = o->nodes;
    const int64_t least = exact ? n - 1 : 0;
    const int64_t most = exact ? all_pairs(n) : (int64_t)1 << 40;

    if (o->nodes < 1)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "nodes is %d, expected at least 1", o->nodes);
    if (o->model == KITH_RMAT && (o->nodes & (o->nodes - 1)) != 0)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "nodes is %d, expected a power of two for rmat",
                          o->nodes);
    if (o->edges < least || o->edges > most)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "edges is %lld, expected %lld to %lld for %d nodes",
                          (long long)o->edges, (long long)least,
                          (long long)most, o->nodes);
    return KITH_OK;
}

static kith_status check_classes(const kith_generate_options *o,
                                 kith_error *err)
{
    const int32_t most = o->nodes < 1000 ? o->nodes : 1000;

    if (o->classes < 1 || o->classes > most)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "classes is %d, expected 1 to %d", o->classes, most);
    if (!(o->rare >= 0 && o->rare < 1))
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "rare is %g, expected 0 (classes alike) or the share "
                          "of the last class, below 1",
                          o->rare);
    if (o->rare > 0 && o->classes < 2)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "rare is %g, expected 0 for one class", o->rare);
    if (!is_share(o->homophily))
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "homophily is %g, expected 0 to 1", o->homophily);
    return KITH_OK;
}

static kith_status check_model(const kith_generate_options *o, kith_error *err)
{
    const double *q = o->rmat;

    if (o->model != KITH_SBM && o->model != KITH_RMAT &&
        o->model != KITH_POWERLAW)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "model is %d, expected sbm, rmat or powerlaw",
                          (int)o->model);
    if (o->model == KITH_POWERLAW && !(o->exponent > 2 && o->exponent <= 100))
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "exponent is %g, expected above 2 and at most 100",
                          o->exponent);
    if (o->model == KITH_RMAT &&
        !(is_share(q[0]) && is_share(q[1]) && is_share(q[2]) &&
          q[0] + q[1] + q[2] <= 1 + 1e-9))
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "rmat's a, b, c are %g, %g, %g, expected "
                          "probabilities that sum to at most 1",
                          q[0], q[1], q[2]);
    return KITH_OK;
}

static kith_status check_rest(const kith_generate_options *o, kith_error *err)
{
    if (o->features < 0)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "features is %d, expected 0 (none) or more",
                          o->features);
    if (o->features > 0 && (o->words < 1 || o->words > o->features))
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "words is %d, expected 1 to %d, the number of "
                          "features",
                          o->words, o->features);
    if (o->features > 0 && !is_share(o->signal))
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "signal is %g, expected 0 to 1", o->signal);
    if (o->train < 0 || o->val < 0 || o->test < 0)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "train, val, test are %d, %d, %d, expected 0 or more",
                          o->train, o->val, o->test);
    if (o->job.memory < 0)
        return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                          "memory is %lld, expected 0 (no limit) or more",
                          (long long)o->job.memory);
    return KITH_OK;
}

static kith_status check(const kith_generate_options *o, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(check_model(o, err));
    TRY(check_nodes(o, err));
    TRY(check_classes(o, err));
    TRY(check_rest(o, err));
out:
    return st;
}

/* ---- edges --------------------------------------------------------------- */

static kith_status start(kith__edge_source *s, const kith__label_plan *plan,
                         const kith_generate_options *o, kith_error *err)
{
    switch (o->model) {
    case KITH_RMAT:
        return kith__rmat_start(s, plan, o, err);
    case KITH_POWERLAW:
        return kith__powerlaw_start(s, plan, o, err);
    case KITH_SBM:
    default:
        return kith__sbm_start(s, plan, o, err);
    }
}

/*
 * Edges to draw before they go to the builder.  Each block that spills becomes
 * a sorted run, and long runs merge faster and take less disk: so as many as
 * the builder sorts at once.  In memory, blocks are shared out to threads, and
 * those of 32 MiB go back to the system as soon as they are freed.
 */
static int64_t block_edges(const kith_generate_options *o)
{
    const bool spills = o->job.memory > 0 && o->edges > o->job.memory / 32;
    const int64_t wish = spills ? o->job.memory / 160 : o->edges / 64;
    const int64_t least = 1 << 16, most = spills ? 1 << 26 : 1 << 22;

    return wish < least ? least : wish > most ? most : wish;
}

static void draw_parts(const kith__edge_source *s, int64_t first, int64_t end,
                       int threads, uint32_t *ends)
{
    const int64_t before = s->before(s, first);

#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++)
        for (int64_t part = first + t; part < end; part += threads)
            s->draw(s, part, t, ends + 2 * (s->before(s, part) - before));
}

static kith_status draw_edges(const kith__edge_source *s, kith__builder *b,
                              const kith_generate_options *o, kith_error *err)
{
    const int threads = kith__threads(&o->job);
    const int64_t most = block_edges(o);
    kith_status st = KITH_OK;
    kith__edges block = {0};

    for (int64_t part = 0, next; part < s->parts; part = next) {
        const int64_t before = s->before(s, part);

        TRY(kith__progress(&o->job, "generating", before, s->edges, "edges",
                           err));
        for (next = part + 1; next < s->parts; next++)
            if (s->before(s, next + 1) - before > most)
                break;
        block.n = block.capacity = s->before(s, next) - before;
        TRY_NEW(block.ends, kith__alloc(2 * block.n, sizeof(*block.ends)));
        draw_parts(s, part, next, threads, block.ends);
        TRY(kith__builder_add(b, &block, err));
    }
out:
    kith__edges_release(&block);
    return st;
}

/* Draw all edges into a builder; the model's memory is freed at the end. */
static kith_status fill_builder(kith__builder *b, const kith__label_plan *plan,
                                const kith_generate_options *o, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__edge_source s = {0};

    TRY(start(&s, plan, o, err));
    TRY(draw_edges(&s, b, o, err));
out:
    if (s.release)
        s.release(&s);
    return st;
}

static kith_status put_graph(kith__output *out, const kith__label_plan *plan,
                             const kith_generate_options *o,
                             kith_cleaning *cleaning, kith_error *err)
{
    kith__ids ids = {.kind = KITH__IDS_RANGE, .n = o->nodes};
    kith_build_options build = {.job = o->job};
    kith_status st = KITH_OK;
    kith__builder *b = NULL;
    kith__csr csr = {0};
    char *folder = NULL;

    TRY_NEW(folder, kith__folder_of(out->target));
    build.spill_to = folder;
    TRY(kith__builder_new(&build, false, false, &b, err));
    TRY(fill_builder(b, plan, o, err));
    cleaning->entries = kith__builder_edges(b);
    TRY(kith__builder_finish(b, o->nodes, kith__kg_put_neighbours, out->graph,
                             &csr, &ids, cleaning, err));
    TRY(kith__kg_put_graph(out->graph, o->nodes, csr.rows, &ids, err));
out:
    kith__csr_release(&csr);
    kith__builder_free(b);
    kith__free(folder);
    return st;
}

static kith_status put_features(kith__output *out, const kith__label_plan *plan,
                                const kith_generate_options *o, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_features features = {0};

    if (o->features == 0)
        return KITH_OK;
    TRY(kith__progress(&o->job, "drawing features", 0, o->nodes, "nodes", err));
    TRY(kith__node_features_draw(plan, o, &features, err));
    TRY(kith__kg_put_features(out->graph, &features, err));
out:
    kith__node_features_release(&features);
    return st;
}

kith_status kith_generate(const kith_generate_options *options,
                          const char *path, kith_error *err)
{
    kith_generate_options o = *options;
    kith_status st = KITH_OK;
    kith_cleaning cleaning = {0};
    kith__label_plan plan = {0};
    kith__output out = {0};

    if (o.words == 0)
        o.words = usual_words(&o);
    TRY(check(&o, err));
    TRY(kith__output_open(&out, path, err));
    TRY(kith__label_plan_init(&plan, &o, err));
    TRY(put_graph(&out, &plan, &o, &cleaning, err));
    TRY(kith__kg_put_labels(out.graph, &plan.labels, err));
    TRY(put_features(&out, &plan, &o, err));
    TRY(kith__kg_put_cleaning(out.graph, &cleaning, err));
    TRY(kith__output_side_files(&out, &plan, &o, err));
    TRY(kith__output_commit(&out, err));
out:
    kith__output_close(&out);
    kith__label_plan_release(&plan);
    return st;
}

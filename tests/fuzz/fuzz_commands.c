/*
 * What the commands do with a built graph or a model, of any bytes with
 * checksums that match: classify, predict, explain, suggest, report, convert.
 * Whatever opens must be safe to work with.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "kith/kith.h"
#include "mutate.h"
#include "small_set.h"

/* Larger ones cost time and tell nothing more. */
enum { NODES_MOST = 200, CLASSES_MOST = 20, COLUMNS_MOST = 2000 };

static bool is_small(const kith_dataset *d)
{
    return kith_graph_nodes(d->graph) <= NODES_MOST &&
           (!d->labels || d->labels->classes <= CLASSES_MOST) &&
           (!d->features || d->features->columns <= COLUMNS_MOST);
}

/* The page, judged by one node. */
static void show(const kith_solution *s, const kith_model *m,
                 const kith_dataset *d, const float *P, int32_t node)
{
    const kith_verdict_input in = {.data = d,
                                   .model = m,
                                   .probabilities = P,
                                   .judged = &node,
                                   .n_judged = d->labels ? 1 : 0};
    kith_verdict *v = NULL;
    char *html = NULL;
    size_t length;
    kith_error err;

    if (kith_verdict_new(&in, &v, &err) == KITH_OK &&
        kith_report(
            &(kith_report_input){.solution = s, .verdict = v, .title = "fuzz"},
            &html, &length, &err) == KITH_OK)
        kith_array_free(html);
    kith_verdict_free(v);
}

static void look_at(const kith_solution *s, const kith_model *m,
                    const kith_dataset *d, const float *P, int32_t node)
{
    kith_suggestion next[2];
    kith_explanation *e = NULL;
    char *html = NULL;
    size_t length;
    kith_error err;
    int32_t found;

    if (kith_explain(s, node, -1, 3, &e, &err) == KITH_OK &&
        kith_report_explanation(s, e, &html, &length, &err) == KITH_OK)
        kith_array_free(html);
    kith_explanation_free(e);
    (void)kith_suggest(s, NULL, 0, 2, next, &found, &err);
    show(s, m, d, P, node);
}

/* predict, explain, suggest and report a model on a data set. */
static void use_model(const kith_model *m, const kith_dataset *d)
{
    const int32_t n = kith_graph_nodes(d->graph);
    const kith_job job = {.threads = 1};
    kith_solution *s = NULL;
    kith_error err;
    float *P;

    if (n == 0 || kith_model_classes(m) > CLASSES_MOST)
        return;
    P = calloc((size_t)n * (size_t)kith_model_classes(m), sizeof(*P));
    if (P && kith_model_predict(m, d, &job, P, NULL, NULL, &err) == KITH_OK &&
        kith_solution_new(m, d, &job, &s, &err) == KITH_OK)
        look_at(s, m, d, P, n - 1);
    kith_solution_free(s);
    free(P);
}

/* classify, then all that can be done with the model. */
static void classify(const kith_dataset *d, const char *method)
{
    kith_train_options o;
    kith_split split = {0};
    kith_model *m = NULL;
    kith_error err;

    kith_train_options_init(&o);
    o.job.threads = 1;
    o.params.iterations = 3;
    o.fixed = KITH_FIX_ITERATIONS;
    if (d->labels &&
        kith_split_random(d->graph, d->labels, 3, 4, 1, 0, &split, &err) ==
            KITH_OK &&
        kith_model_train(d, method, &split, &o, &m, NULL, &err) == KITH_OK)
        use_model(m, d);
    kith_model_free(m);
    kith_split_release(&split);
}

static void use_graph(const kith_dataset *d, int method)
{
    kith_graph_stats stats;
    kith_error err;
    int methods;
    const kith_method_info *all = kith_methods(&methods);

    if (!is_small(d))
        return;
    (void)kith_graph_stats_compute(d->graph, NULL, &stats, &err);
    (void)kith_graph_write(d->graph, "/dev/null", KITH_GRAPH_TSV, NULL, &err);
    classify(d, all[method % methods].name);
}

/* On the set that it was made for, which its classes tell. */
static void use_on_small_sets(const kith_model *m)
{
    static kith_dataset *sets[SMALL_SETS];

    for (int i = 0; i < SMALL_SETS; i++) {
        if (!sets[i])
            sets[i] = small_set(i);
        if (sets[i] && sets[i]->labels &&
            kith_model_found(m, sets[i]->graph) > 0)
            use_model(m, sets[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[1 << 18];
    const kith_build_options o = {.job.threads = 1};
    kith_dataset *d = NULL;
    kith_model *m = NULL;
    kith_error err;

    if (size > sizeof(bytes) || size < MEND_PAGE)
        return 0;
    memcpy(bytes, data, size);
    mend(bytes, size);
    if (bytes[5] == 'M' &&
        kith_model_open(kith_fuzz_file(bytes, size), &m, &err) == KITH_OK) {
        kith_fuzz_opened = true;
        use_on_small_sets(m);
    } else if (bytes[5] == 'G' && kith_dataset_open(kith_fuzz_file(bytes, size),
                                                    &o, &d, &err) == KITH_OK) {
        kith_fuzz_opened = true;
        use_graph(d, bytes[METHOD_AT]);
    }
    kith_model_free(m);
    kith_dataset_free(d);
    return 0;
}

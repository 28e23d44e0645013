/*
 * The page about a model: each part against the slow way, from the graph and
 * the probabilities alone.
 */
#include "core/alloc.h"
#include "core/number.h"
#include "generated.h"
#include "io/json_writer.h"

typedef struct page {
    kith_dataset *opened, own, *data; /* data: own, with fewer labels */
    kith_labels labels;
    int32_t of[300];
    kith_model *model;
    kith_solution *solution;
    float *p;
    int32_t n;
    int classes;
    char *html;
} page;

/* Every other label is unknown, but for those that are learnt from. */
static void hide_labels(page *g, const kith_split *split)
{
    const kith_labels *l = g->opened->labels;

    g->labels = *l;
    g->labels.of = g->of;
    g->labels.labelled = 0;
    for (int32_t u = 0; u < 300; u++)
        g->of[u] = u % 2 ? -1 : l->of[u];
    for (int32_t i = 0; i < split->n_train; i++)
        g->of[split->train[i]] = l->of[split->train[i]];
    for (int32_t u = 0; u < 300; u++)
        g->labels.labelled += g->of[u] >= 0;
    g->own = *g->opened;
    g->own.labels = &g->labels;
    g->data = &g->own;
}

/* 300 nodes of three classes. */
static page *page_new(const char *method, int iterations)
{
    page *g = calloc(1, sizeof(*g));
    kith_report_input in = {.title = "t", .validation = .5, .n_validation = 30};
    kith_verdict_input judged;
    kith_verdict *verdict = NULL;
    kith_train_options o;
    kith_split split = {0};
    kith_error err;
    size_t length;

    g->opened = generated_with(300, 3, 0, .6, 10);
    CHECK_OK(kith_split_read(g->opened, "0", &split, &err));
    hide_labels(g, &split);
    kith_train_options_init(&o);
    o.fixed = KITH_FIX_ALL;
    o.params.iterations = iterations;
    CHECK_OK(
        kith_model_train(g->data, method, &split, &o, &g->model, NULL, &err));
    CHECK_OK(kith_solution_new(g->model, g->data, NULL, &g->solution, &err));
    g->n = kith_graph_nodes(g->data->graph);
    g->classes = g->labels.classes;
    g->p = room(g->data);
    kith_solution_probabilities(g->solution, g->p);
    in.solution = g->solution;
    kith_verdict_input_init(&judged);
    judged.data = g->data;
    judged.model = g->model;
    judged.probabilities = g->p;
    CHECK_OK(kith_verdict_new(&judged, &verdict, &err));
    in.verdict = verdict;
    CHECK_OK(kith_report(&in, &g->html, &length, &err));
    CHECK_INT(strlen(g->html), length);
    kith_verdict_free(verdict);
    kith_split_release(&split);
    return g;
}

static void page_free(page *g)
{
    kith_array_free(g->html);
    free(g->p);
    kith_solution_free(g->solution);
    kith_model_free(g->model);
    kith_dataset_free(g->opened);
    free(g);
}

static int64_t degree(const page *g, int32_t u)
{
    return kith_graph_rows(g->data->graph)[u + 1] -
           kith_graph_rows(g->data->graph)[u];
}

static int best(const page *g, int32_t u)
{
    const float *row = g->p + (size_t)u * (size_t)g->classes;
    int c = 0;

    for (int k = 1; k < g->classes; k++)
        c = row[k] > row[c] ? k : c;
    return c;
}

static float confidence(const page *g, int32_t u)
{
    return g->p[u * g->classes + best(g, u)];
}

static bool told(const page *g, const char *text)
{
    const bool found = strstr(g->html, text) != NULL;

    if (!found)
        printf("# no %.300s\n", text);
    return found;
}

/* ---- counts -------------------------------------------------------------- */

TEST(nodes_edges_and_classes_are_counted)
{
    page *g = page_new("linbp", 10);
    int64_t known[3] = {0}, predicted[3] = {0}, same = 0, both = 0;
    int trained = 0;
    char text[400];

    for (int32_t u = 0; u < g->n; u++) {
        predicted[best(g, u)]++;
        if (kith_solution_trained(g->solution, u) >= 0) {
            known[kith_solution_trained(g->solution, u)]++;
            trained++;
        }
        for (int64_t k = kith_graph_rows(g->data->graph)[u];
             k < kith_graph_rows(g->data->graph)[u + 1]; k++) {
            const int32_t v = kith_graph_neighbours(g->data->graph)[k];
            const int32_t a = g->data->labels->of[u],
                          b = g->data->labels->of[v];

            both += a >= 0 && b >= 0;
            same += a >= 0 && a == b;
        }
    }
    snprintf(text, sizeof(text),
             "\"nodes\":%d,\"edges\":%lld,\"columns\":0,\"labelled\":%lld,"
             "\"trained\":%d,\"homophily\":%.6g,",
             g->n, (long long)kith_graph_edges(g->data->graph),
             (long long)g->data->labels->labelled, trained,
             (double)same / (double)both);
    CHECK(told(g, text));
    snprintf(text, sizeof(text),
             "\"class_count\":3,\"classes\":[[\"0\",%lld,%lld],[\"1\",%lld,"
             "%lld],[\"2\",%lld,%lld]],",
             (long long)known[0], (long long)predicted[0], (long long)known[1],
             (long long)predicted[1], (long long)known[2],
             (long long)predicted[2]);
    CHECK(told(g, text));
    CHECK(told(g, "\"coupling_how\":\"given\",\"coupling\":["));
    CHECK(told(g, "\"validation\":0.5,\"n_validation\":30,"));
    page_free(g);
}

/* ---- lists --------------------------------------------------------------- */

static const page *sorted; /* for qsort, which hands over nothing */
static bool surprising;

/* Least certain, or most surprising, first; of equals the first node. */
static float rank_of(int32_t u)
{
    const float top = confidence(sorted, u);
    const int32_t label = sorted->data->labels->of[u];

    return surprising ? top - sorted->p[u * sorted->classes + label] : 1 - top;
}

static int compare(const void *a, const void *b)
{
    const int32_t u = *(const int32_t *)a, v = *(const int32_t *)b;
    const float x = rank_of(u), y = rank_of(v);

    return x != y ? (x < y) - (x > y) : (u > v) - (u < v);
}

/* The page's rows begin with what is compared here. */
static void check_list(const page *g, const char *name)
{
    int32_t *node = malloc((size_t)g->n * sizeof(*node));
    const char *at;
    char text[200];
    int n = 0;

    for (int32_t u = 0; u < g->n; u++) {
        const int32_t label = g->data->labels->of[u];

        if (surprising ? label >= 0 && label != best(g, u)
                       : kith_solution_trained(g->solution, u) < 0)
            node[n++] = u;
    }
    CHECK(n > 0);
    sorted = g;
    qsort(node, (size_t)n, sizeof(*node), compare);
    snprintf(text, sizeof(text), "\"%s\":[[", name);
    at = strstr(g->html, text);
    CHECK(at != NULL);
    for (int i = 0; i < n && at; i++) {
        const int32_t u = node[i];
        char id[24];
        kith__json j = {0};

        snprintf(id, sizeof(id), "%d", u);
        kith__json_open(&j, NULL, '[');
        kith__json_string(&j, NULL, id);
        kith__json_number(&j, NULL, best(g, u));
        kith__json_number(&j, NULL,
                          round((double)confidence(g, u) * 1e5) / 1e5);
        kith__json_number(&j, NULL, -1);
        kith__json_number(&j, NULL, g->data->labels->of[u]);
        kith__json_number(&j, NULL, (double)degree(g, u));
        at = strstr(at, "[\"");
        CHECK(at && strncmp(at, j.at, strlen(j.at)) == 0);
        at = at ? at + 1 : NULL;
        kith__free(j.at);
    }
    free(node);
}

TEST(lists_hold_the_nodes_that_a_full_sort_puts_first)
{
    page *g = page_new("linbp", 10);

    surprising = false;
    check_list(g, "uncertain");
    surprising = true;
    check_list(g, "surprising");
    CHECK(told(g, "\"likely\":[],")); /* three classes: none is asked about */
    page_free(g);
}

/* Every row's words against its links. */
TEST(a_row_names_its_known_neighbours)
{
    page *g = page_new("linbp", 10);
    int32_t u = 0;
    char text[200];

    /* the least certain node that is linked to one known node alone */
    for (int32_t v = 0; v < g->n; v++) {
        const int64_t *rows = kith_graph_rows(g->data->graph);
        const int32_t *to = kith_graph_neighbours(g->data->graph);
        int known = 0;

        for (int64_t k = rows[v]; k < rows[v + 1]; k++)
            if (kith_solution_trained(g->solution, to[k]) >= 0) {
                known++;
                u = to[k];
            }
        if (known != 1 || kith_solution_trained(g->solution, v) >= 0)
            continue;
        snprintf(text, sizeof(text),
                 "[\"%d\",%d,%.6g,-1,%d,%d,\"linked to 1 known of class %d "
                 "(%d)\",",
                 v, best(g, v), round((double)confidence(g, v) * 1e5) / 1e5,
                 g->data->labels->of[v], (int)degree(g, v),
                 (int)kith_solution_trained(g->solution, u), u);
        CHECK(told(g, text));
    }
    page_free(g);
}

/* ---- how many to review -------------------------------------------------- */

/* The last point lists every unknown node: of the judged, all whose confidence
 * is not below that of the least sure. */
TEST(the_curve_ends_with_every_judged_node)
{
    page *g = page_new("linbp", 10);
    int judged = 0, right = 0, unknown = 0;
    float least = 1;
    char text[200];

    for (int32_t u = 0; u < g->n; u++) {
        if (kith_solution_trained(g->solution, u) >= 0)
            continue;
        unknown++;
        least = fminf(least, confidence(g, u));
        judged += g->data->labels->of[u] >= 0;
        right += g->data->labels->of[u] == best(g, u);
    }
    snprintf(text, sizeof(text),
             "\"review\":{\"unknown\":%d,\"judged\":%d,\"positives\":0,"
             "\"points\":[[1,",
             unknown, judged);
    CHECK(told(g, text));
    snprintf(text, sizeof(text), ",[%d,%.6g,%d,%d,", unknown, (double)least,
             judged, right);
    CHECK(told(g, text));
    page_free(g);
}

/* ---- weights ------------------------------------------------------------- */

/* 32 bins from 0 to the largest weight. */
TEST(histograms_count_each_edge_once)
{
    page *g = page_new("linbp", 10);
    const int64_t *rows = kith_graph_rows(g->data->graph);
    const int32_t *to = kith_graph_neighbours(g->data->graph);
    double high = 0, sum[2] = {0}, n[2] = {0}, count[2][32] = {{0}};
    const char *at = strstr(g->html, "\"weights\":{\"low\":0,\"high\":");
    char text[100];

    CHECK(at != NULL);
    for (int32_t u = 0; u < g->n; u++)
        for (int64_t k = rows[u]; k < rows[u + 1]; k++)
            high = fmax(high, 1 / sqrt((double)degree(g, u) *
                                       (double)degree(g, to[k])));
    for (int32_t u = 0; u < g->n; u++)
        for (int64_t k = rows[u]; k < rows[u + 1]; k++) {
            const int32_t *of = g->data->labels->of, v = to[k];
            const int a = of[u] >= 0 ? of[u] : best(g, u);
            const int b = of[v] >= 0 ? of[v] : best(g, v);
            const double w = 1 /
                             sqrt((double)degree(g, u) * (double)degree(g, v));

            sum[a != b] += w;
            n[a != b]++;
            count[a != b][w < high ? (int)(w / high * 32 + 1e-6) : 31]++;
        }
    snprintf(text, sizeof(text),
             "\"high\":%.6g,\"guessed\":true,\"learnt\":"
             "false,\"same_before\":[",
             high);
    CHECK(told(g, text));
    snprintf(text, sizeof(text), "\"means\":[%.6g,%.6g,%.6g,%.6g]}",
             sum[0] / n[0], sum[1] / n[1], sum[0] / n[0], sum[1] / n[1]);
    CHECK(told(g, text));
    for (int k = 0; k < 4; k++) {
        static const char *const names[] = {"same_before", "other_before",
                                            "same_after", "other_after"};
        kith__json j = {0};

        kith__json_open(&j, names[k], '[');
        for (int b = 0; b < 32; b++)
            kith__json_number(&j, NULL, count[k % 2][b] / 2);
        kith__json_close(&j, ']');
        CHECK(told(g, j.at));
        kith__free(j.at);
    }
    page_free(g);
}

TEST(weights_and_coupling_that_were_learnt_are_told)
{
    page *g = page_new("lcm", 10);

    CHECK(told(g, "\"learnt\":true,"));
    CHECK(told(g, "\"coupling_how\":\"learnt\",\"coupling_start\":["));
    CHECK(told(g, "\"lcm\":true"));
    CHECK(told(g, "[\"g1 (step for the weights)\",0.05,\""));
    CHECK(told(g, "\"trace_after\":true,\"trace\":["));
    page_free(g);
}

/* A page without a verdict, or with one on another model. */
TEST(a_verdict_on_the_same_model_is_asked_for)
{
    page *g = page_new("linbp", 4), *other = page_new("linbp", 5);
    kith_report_input in = {.solution = g->solution, .title = "t"};
    kith_verdict_input judged;
    kith_verdict *verdict = NULL;
    kith_error err;
    char *html;
    size_t length;

    CHECK_INT(kith_report(&in, &html, &length, &err), KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "verdict") && !html && length == 0);
    kith_verdict_input_init(&judged);
    judged.data = other->data;
    judged.model = other->model;
    judged.probabilities = other->p;
    CHECK_OK(kith_verdict_new(&judged, &verdict, &err));
    in.verdict = verdict;
    CHECK_INT(kith_report(&in, &html, &length, &err), KITH_ERR_ARGUMENT);
    CHECK(strstr(err.text, "another model") && !html);
    kith_verdict_free(verdict);
    page_free(other);
    page_free(g);
}

/* ---- trace --------------------------------------------------------------- */

/* P = Q + W P H from P = Q in doubles; the largest change of each step. */
TEST(the_trace_is_the_change_of_each_step)
{
    page *g = page_new("linbp", 4);
    const char *at = strstr(g->html, "\"trace\":[");
    const kith_certificate *c = kith_solution_certificate(g->solution);
    double last = 1e9;
    int n = 0;

    CHECK(told(g, "\"trace_after\":false,"));
    CHECK_INT(c->iterations, 4);
    if (at)
        for (at += strlen("\"trace\":["); *at && *at != ']'; n++) {
            const size_t length = strcspn(at, ",]");
            double x = 0;

            CHECK(kith__parse_real(at, length, &x));
            CHECK(x > 0 && x < last);
            last = x;
            at += length + (at[length] == ',');
        }
    CHECK_INT(n, 4);
    CHECK_NEAR(last, c->residual, 1e-6);
    page_free(g);
}

/* ---- one node ------------------------------------------------------------ */

/* Numbers that no run gave, so that each is seen in its place. */
TEST(an_explanation_is_written_number_by_number)
{
    page *g = page_new("linbp", 10);
    kith_part labelled[] = {{0, 1, 2.5}, {1, -1, -.25}},
              others[] = {{2, -1, 3}};
    kith_via via[] = {{4, .5, 7}, {5, .125, 8}};
    kith_path paths[] = {{2, {0, 1, 2}, {.5, .25}, 6, .75},
                         {1, {3, 2}, {.2}, 5, 1}};
    kith_feature_part features[] = {{9, 1.5, 2, 3, "own", NULL, false}};
    const kith_explanation e = {.node = 2,
                                .of_class = 1,
                                .likeliest = 2,
                                .belief = .1,
                                .probability = .2,
                                .likeliest_probability = .3,
                                .sum = .4,
                                .residual = .5,
                                .own = .6,
                                .labelled = .7,
                                .others = .8,
                                .iterations = 12,
                                .through_neighbours = .9,
                                .bias = 1.1,
                                .feature_sum = 1.2,
                                .paths_complete = true,
                                .n_labelled = 2,
                                .n_others = 1,
                                .n_neighbours = 2,
                                .n_paths = 2,
                                .n_features = 1,
                                .top_labelled = labelled,
                                .top_others = others,
                                .neighbours = via,
                                .paths = paths,
                                .features = features};
    kith_error err;
    size_t length;

    kith_array_free(g->html);
    CHECK_OK(kith_report_explanation(g->solution, &e, &g->html, &length, &err));
    CHECK_INT(strlen(g->html), length);
    CHECK(told(g, "{\"kind\":\"explanation\",\"node\":\"2\",\"class\":\"1\","
                  "\"likeliest\":\"2\",\"is_likeliest\":false,\"method\":"
                  "\"linbp\","));
    CHECK(told(g, "\"known\":\"\",\"clamped\":false,"));
    CHECK(told(g, "\"probability\":0.2,\"belief\":0.1,\"sum\":0.4,"
                  "\"residual\":0.5,\"iterations\":12,"
                  "\"through_neighbours\":0.9,\"bias\":1.1,"
                  "\"feature_sum\":1.2,\"likeliest_probability\":0.3,"));
    CHECK(told(g, ",0.6]"));
    CHECK(told(g, ",0.7]"));
    CHECK(told(g, ",0.8]"));
    CHECK(told(g, "\"paths_complete\":true,\"top_labelled\":[[\"0\",\"1\",2.5],"
                  "[\"1\",\"\",-0.25]],\"top_others\":[[\"2\",\"\",3]],"));
    CHECK(told(g, ",0.5,7],["));
    CHECK(told(g, ",0.125,8]],\"paths\":[{\"nodes\":[\"0\",\"1\",\"2\"],"
                  "\"weights\":[0.5,0.25],\"coupling\":6,\"value\":0.75},"
                  "{\"nodes\":[\"3\",\"2\"],\"weights\":[0.2],\"coupling\":5,"
                  "\"value\":1}],\"features\":[[9,\"own\",1.5,2,3]]}"));
    page_free(g);
}

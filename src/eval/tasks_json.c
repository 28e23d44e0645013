/*
 * tasks_json.c: what came of many tasks, as JSON.
 */
#include "data/tasks.h"
#include "io/json_writer.h"

/* ---- of a run ------------------------------------------------------------ */

/* Nodes that are likelier of the class than not. */
static int64_t count_likely(const kith_tasks_run *r, int32_t task)
{
    int64_t count = 0;

    for (int64_t u = 0; u < r->nodes; u++)
        count += r->probabilities[u * r->tasks + task] >= .5f;
    return count;
}

static void put_fit(kith__json *j, const kith_tasks *t, const kith_tasks_run *r,
                    int32_t c)
{
    const kith_task_fit *f = &r->fit[c];

    kith__json_open(j, NULL, '{');
    kith__json_string(j, "task", t->names[c]);
    kith__json_count(j, "positives", f->positives);
    kith__json_count(j, "negatives", f->negatives);
    kith__json_count(j, "likely", count_likely(r, c));
    kith__json_number(j, "validation", f->validation);
    kith__json_number(j, "temperature", f->temperature);
    kith__json_close(j, '}');
}

kith_status kith_tasks_run_json(const kith_tasks *t, const kith_tasks_run *r,
                                const char *method, char **json, size_t *length,
                                kith_error *err)
{
    kith__json j = {.indented = true};

    kith__json_open(&j, NULL, '{');
    kith__json_count(&j, "nodes", r->nodes);
    kith__json_count(&j, "labelled", t->strata->labelled);
    kith__json_string(&j, "method", method);
    kith__json_string(&j, "version", kith_version());
    kith__json_open(&j, "tasks", '[');
    for (int32_t c = 0; c < r->tasks; c++)
        put_fit(&j, t, r, c);
    kith__json_close(&j, ']');
    kith__json_close(&j, '}');
    return kith__json_take(&j, json, length, err);
}

/* ---- of an evaluation ---------------------------------------------------- */

static const char *const names[KITH_TASKS_MEASURES] = {
    [KITH_TASKS_ACCURACY] = "accuracy",
    [KITH_TASKS_AUC] = "auc",
    [KITH_TASKS_AVERAGE_PRECISION] = "average_precision",
    [KITH_TASKS_MICRO_F1] = "micro_f1",
    [KITH_TASKS_MACRO_F1] = "macro_f1",
    [KITH_TASKS_SECONDS] = "seconds"};

static void put_task(kith__json *j, const kith_tasks_evaluation *e, int m,
                     int32_t t)
{
    kith__json_open(j, NULL, '{');
    kith__json_string(j, "task", e->tasks->names[t]);
    kith__json_count(j, "positives", e->tasks->of[t].positives);
    kith__json_number(j, "accuracy",
                      kith_tasks_spread(e, m, t, KITH_TASKS_ACCURACY).mean);
    kith__json_number(j, "auc",
                      kith_tasks_spread(e, m, t, KITH_TASKS_AUC).mean);
    kith__json_number(
        j, "average_precision",
        kith_tasks_spread(e, m, t, KITH_TASKS_AVERAGE_PRECISION).mean);
    kith__json_number(j, "f1",
                      kith_tasks_spread(e, m, t, KITH_TASKS_MACRO_F1).mean);
    kith__json_close(j, '}');
}

static void put_method(kith__json *j, const kith_tasks_evaluation *e, int m)
{
    kith__json_open(j, NULL, '{');
    kith__json_string(j, "method", e->method[m]);
    for (int i = 0; i < KITH_TASKS_MEASURES; i++) {
        const kith_spread s = kith_tasks_spread(e, m, -1,
                                                (kith_tasks_measure)i);

        if (i != KITH_TASKS_ACCURACY) {
            kith__json_number(j, names[i], s.mean);
            continue;
        }
        kith__json_open(j, names[i], '{');
        kith__json_number(j, "mean", s.mean);
        kith__json_number(j, "std", s.std);
        kith__json_close(j, '}');
    }
    kith__json_open(j, "tasks", '[');
    for (int32_t t = 0; t < e->tasks->count; t++)
        put_task(j, e, m, t);
    kith__json_close(j, ']');
    kith__json_close(j, '}');
}

kith_status kith_tasks_evaluation_json(const kith_tasks_evaluation *e,
                                       const char *name, const char *path,
                                       char **json, size_t *length,
                                       kith_error *err)
{
    kith__json j = {.indented = true};

    kith__json_open(&j, NULL, '{');
    kith__json_string(&j, "dataset", name);
    kith__json_string(&j, "path", path);
    kith__json_count(&j, "nodes", kith_graph_nodes(e->data->graph));
    kith__json_count(&j, "edges", kith_graph_edges(e->data->graph));
    kith__json_count(&j, "tasks", e->tasks->count);
    kith__json_count(&j, "labelled", e->tasks->strata->labelled);
    kith__json_hash(&j, "graph_hash", kith_graph_hash(e->data->graph));
    kith__json_string(&j, "version", kith_version());
    kith__json_open(&j, "splits", '[');
    for (int i = 0; i < e->splits; i++) {
        kith__json_open(&j, NULL, '{');
        kith__json_string(&j, "name", e->split[i].name ? e->split[i].name : "");
        kith__json_hash(&j, "hash", e->split[i].hash);
        kith__json_close(&j, '}');
    }
    kith__json_close(&j, ']');
    kith__json_open(&j, "results", '[');
    for (int i = 0; i < e->methods; i++)
        put_method(&j, e, i);
    kith__json_close(&j, ']');
    kith__json_close(&j, '}');
    return kith__json_take(&j, json, length, err);
}

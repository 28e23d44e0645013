#include "model_options.h"

#include "reading_options.h"
#include "term.h"

const argument model_argument[] = {
    {"MODEL", OPTION_FILE, NULL, false,
     "Model file of 'kith classify --save'."},
    {.name = NULL},
};

const option model_rows[] = {
    {.name = "graph",
     .letter = 'g',
     .type = OPTION_FILE,
     .value = "DATA",
     .help = "The graph or data set, as for 'kith classify'. Needed.",
     .missing = "the graph is missing: --graph DATA (a model file does not "
                "hold it)"},
    {.name = "solution",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "The model's beliefs on this graph, which 'kith classify "
             "--save-solution' kept. Without it the model is run again."},
    ROW_END,
};

kith_status asked_open(asked *q)
{
    const args *a = q->r.a;
    kith_status st = check_output(&q->r, args_text(a, "output"));

    if (st == KITH_OK)
        st = kith_model_open(args_plain(a, 0), &q->model, &q->r.err);
    if (st == KITH_OK)
        st = open_given(&q->r, args_text(a, "graph"), &q->data);
    return st;
}

kith_status asked_solve(asked *q)
{
    const char *path = args_text(q->r.a, "solution");

    if (path)
        return kith_solution_open(path, q->model, q->data, &q->r.job,
                                  &q->solution, &q->r.err);
    if (!q->r.quiet)
        term_line(stderr, "kith: running the model again: 'kith classify "
                          "--save-solution FILE' would keep what it comes to");
    return kith_solution_new(q->model, q->data, &q->r.job, &q->solution,
                             &q->r.err);
}

int asked_end(asked *q, kith_status st)
{
    kith_solution_free(q->solution);
    kith_model_free(q->model);
    kith_dataset_free(q->data);
    return run_end(&q->r, st);
}

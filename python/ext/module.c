/* module.c: the functions of kith._kith; python/kith/ is what users see. */
#include "ext.h"

static PyMethodDef functions[] = {
    METHOD(before_fork, "Let go of OpenMP's threads."),
    METHOD(arrow_read, "Columns of an Arrow stream."),
    METHOD(open_data, "A data set or graph file."),
    METHOD(graph_from_csr, "A graph from a sparse matrix by rows."),
    METHOD(graph_from_coo, "A graph from arrays of node numbers."),
    METHOD(graph_from_ids, "A graph from arrays of node ids."),
    METHOD(ids_from_strings, "Ids of nodes."),
    METHOD(features_from_dense, "Features from a matrix."),
    METHOD(features_from_csr, "Features from a sparse matrix by rows."),
    METHOD(labels_from_array, "Labels of nodes."),
    METHOD(data_with, "A graph with other labels and features."),
    METHOD(save_data, "Write a data set as one built file."),
    METHOD(graph_counts, "Counts of a graph."),
    METHOD(graph_facts, "JSON of all there is to say about a data set."),
    METHOD(graph_rows, "Where rows, neighbours and weights are."),
    METHOD(graph_ids, "Ids of all nodes."),
    METHOD(graph_find, "Places of ids."),
    METHOD(graph_order, "Numbers of nodes by place."),
    METHOD(data_labels, "Labels of a data set."),
    METHOD(data_splits, "Names of the splits of a data set."),
    METHOD(split_read, "A split of a data set."),
    METHOD(split_random, "A random split of the labelled nodes."),
    METHOD(options, "The table of options."),
    METHOD(methods, "The methods."),
    METHOD(classify, "Label every node."),
    METHOD(fit_arrays, "Where the results of a classification are."),
    METHOD(fit_model, "The model of a classification."),
    METHOD(verdict, "What came of it, in words, as JSON and as a page."),
    METHOD(predictions_write, "The table of the command."),
    METHOD(tasks_classify, "Label every node in many tasks."),
    METHOD(rank, "A ranked list."),
    METHOD(evaluate, "Methods on splits."),
    METHOD(model_facts, "What a model says of itself."),
    METHOD(model_save, "Write a model."),
    METHOD(model_open, "Read a model."),
    METHOD(model_predict, "Probabilities by a model."),
    METHOD(model_refit, "Fit a model again with more labels."),
    METHOD(model_sets, "Sets of classes that hold the truth."),
    METHOD(solution_new, "A model run on a graph."),
    METHOD(explain, "Why a node got its belief."),
    METHOD(suggest, "Which nodes to label next."),
    {NULL, NULL, 0, NULL},
};

static int fill(PyObject *module)
{
    return PyModule_AddStringConstant(module, "version", kith_version()) ||
           PyModule_AddStringConstant(module, "built", kith_features_built()) ||
           PyModule_AddIntConstant(module, "path_most", KITH_PATH_MOST);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)fill},
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_kith",
    .m_doc = "The C library, as python/kith/ calls it.",
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__kith(void);
PyMODINIT_FUNC PyInit__kith(void)
{
    return PyModuleDef_Init(&definition);
}

/*
 * test_explain_words.c: sentences letter by letter; their numbers by hand.
 *
 * One iteration of linbp on two classes: q = (1/2, -1/2), H = .4 (1 -1; -1 1),
 * so that a labelled leaf gives a hub of degree d the belief .4 / sqrt(d), and
 * probabilities are 1 / (1 + exp(-2 p)).
 */
#include "core/alloc.h"
#include "models/solution.h"
#include "small_graphs.h"

typedef struct fixture {
    kith_dataset data;
    kith_model *model;
    kith_solution *solution;
    kith_explanation *e;
} fixture;

static void set_up(fixture *f, const char *edges, const char *labels, int steps)
{
    kith_train_options o;
    kith_protocol all;
    kith_error err;

    memset(f, 0, sizeof(*f));
    kith_train_options_init(&o);
    o.params.iterations = steps;
    CHECK_OK(kith_graph_read(check_file("edges.tsv", edges), NULL,
                             &f->data.graph, NULL, &err));
    CHECK_OK(kith_labels_read(check_file("labels.tsv", labels), f->data.graph,
                              &f->data.labels, &err));
    CHECK_OK(kith_protocol_make(&f->data, NULL, 0, 1, &all, &err));
    CHECK_OK(kith_model_train(&f->data, "linbp", &all.whole, &o, &f->model,
                              NULL, &err));
    CHECK_OK(kith_solution_new(f->model, &f->data, NULL, &f->solution, &err));
    kith_protocol_release(&all);
}

static void tear_down(fixture *f)
{
    kith_explanation_free(f->e);
    kith_solution_free(f->solution);
    kith_model_free(f->model);
    kith_labels_free(f->data.labels);
    kith_graph_free(f->data.graph);
}

static void explain(fixture *f, const char *id, int of_class)
{
    const int32_t node = kith_graph_find(f->data.graph, id, strlen(id));
    kith_error err;

    kith_explanation_free(f->e);
    f->e = NULL;
    CHECK_OK(kith_explain(f->solution, node, of_class, 5, &f->e, &err));
}

static void check_said(const fixture *f, const char *expected)
{
    char *text = NULL;
    size_t length = 0;
    kith_error err;

    CHECK_OK(
        kith_explanation_sentences(f->solution, f->e, &text, &length, &err));
    CHECK_TEXT(text, expected);
    CHECK_INT(length, strlen(expected));
    kith_array_free(text);
}

/* u has degree 5: .8 / sqrt(5) = .3578 from a, b, c less d, p = .6716; without
 * a .4 / sqrt(5) = .1789, p = .5885. */
static const char star[] = "u\ta\nu\tb\nu\tc\nu\td\nu\te\ne\tf\n";
static const char known[] = "a\tfraud\nb\tfraud\nc\tfraud\nd\tgood\nf\tfraud\n";

TEST(what_is_linked_what_is_near_and_what_it_would_be_without)
{
    fixture f;

    set_up(&f, star, known, 1);
    explain(&f, "u", -1);
    CHECK_NEAR(f.e->belief, .8 / sqrt(5), 1e-6);
    check_said(&f, "Perhaps fraud (0.67, strong evidence). Linked directly to "
                   "3 nodes known as "
                   "fraud (a, b, c) and 1 known as good (d); within two steps "
                   "1 more known as fraud. Without knowing a it would be "
                   "0.59.");
    /* of good 1/(1 + e^.7155); without d it would have -1.2 / sqrt(5) */
    explain(&f, "u", 1);
    check_said(&f, "Perhaps fraud (0.67, strong evidence). Asked about good, "
                   "which gets 0.33. "
                   "Linked directly to 1 node known as good (d) and 3 known as "
                   "fraud (a, b, c); within two steps 1 more known as fraud. "
                   "Without knowing d it would be 0.25.");
    tear_down(&f);
}

/* a: q stays .5, and after one step nothing else arrives: 1/(1 + e^-1) = .731;
 * without its label nothing is left. */
TEST(a_known_node_and_its_own_label)
{
    fixture f;

    set_up(&f, star, known, 1);
    explain(&f, "a", -1);
    check_said(&f, "Known as fraud (0.73, strong evidence). No labelled node "
                   "is linked to it; "
                   "within two steps 2 nodes known as fraud (b, c) and 1 known "
                   "as good (d). Without its own label it would be 0.50.");
    tear_down(&f);
}

/* Path 0 - 1 - 2 with 0 known, two steps: p_2 = .16 by test_explain.c. */
TEST(a_path_of_two_steps)
{
    fixture f;

    set_up(&f, "0\t1\n1\t2\n2\t3\n7\t8\n7\t9\n", "0\t1\n7\t2\n", 2);
    explain(&f, "2", -1);
    check_said(&f, "Perhaps class 1 (0.56, weak evidence). No labelled node is "
                   "linked to it; "
                   "within two steps 1 node known as class 1 (0). Without "
                   "knowing 0 it would be 0.50.");
    explain(&f, "3", -1);
    check_said(&f, "No verdict: nothing known reaches it; any such node gets "
                   "0.50 for class 2. No labelled node is within two "
                   "steps.");
    tear_down(&f);
}

/* Evidence is told where the solution has it. */
TEST(evidence_is_part_of_the_verdict)
{
    fixture f;

    set_up(&f, star, known, 1);
    kith__free(f.solution->b.evidence.level);
    f.solution->b.evidence.level = kith__alloc(7, 1);
    memset(f.solution->b.evidence.level, KITH_EVIDENCE_STRONG, 7);
    explain(&f, "u", -1);
    check_said(&f, "Perhaps fraud (0.67, strong evidence). Linked directly to "
                   "3 nodes known as fraud (a, b, c) and 1 known as good (d); "
                   "within two steps 1 more known as fraud. Without knowing a "
                   "it would be 0.59.");
    memset(f.solution->b.evidence.level, KITH_EVIDENCE_NONE, 7);
    explain(&f, "e", -1);
    f.e->without = -1;
    check_said(&f, "No verdict: nothing known reaches it; any such node gets "
                   "0.71 for fraud. Linked directly to 1 node known as fraud "
                   "(f); within two steps 3 more known as fraud and 1 as "
                   "good.");
    f.e->graph_changed = true;
    f.e->kind = KITH_SUM_OWN;
    check_said(&f, "No verdict: nothing known reaches it; any such node gets "
                   "0.71 for fraud. The model looks at the node alone, not at "
                   "its links. The graph has changed since the model was "
                   "trained; this is about the graph as it is now.");
    tear_down(&f);
}

/* Where unlike nodes link, that is said; the numbers are put there. */
TEST(links_to_the_other_class_may_speak_for_this_one)
{
    fixture f;

    set_up(&f, star, known, 1);
    explain(&f, "u", 1);
    for (const char *v = "abc"; *v; v++)
        f.e->contribution[kith_graph_find(f.data.graph, v, 1)] = .1;
    f.e->likeliest = 1;
    f.e->likeliest_probability = f.e->probability = .999;
    f.e->without = -1;
    check_said(&f, "Likely good (above 0.99, strong evidence). Linked directly "
                   "to 1 node known "
                   "as good (d) and 3 known as fraud (a, b, c); within two "
                   "steps 1 more known as fraud; here links to fraud speak for "
                   "good.");
    tear_down(&f);
}

/* Features are named where the data names them; structure by what it is. */
TEST(features_are_named)
{
    kith_feature_part parts[] = {{3, 1, 2, 2, "own", "amount", false},
                                 {4, 1, -1, -1, "own", "age", false},
                                 {0, 1, .5, .5, "degree", NULL, true},
                                 {9, 1, .25, .25, "own", NULL, false}};
    fixture f;

    set_up(&f, star, known, 1);
    explain(&f, "u", -1);
    f.e->kind = KITH_SUM_FEATURES;
    f.e->features = parts;
    f.e->n_features = 4;
    f.e->without = -1;
    check_said(&f, "Perhaps fraud (0.67, strong evidence). The model looks at "
                   "the node alone, "
                   "not at its links. What speaks for it most are its features "
                   "(amount, its degree, column 9).");
    f.e->kind = KITH_SUM_STEPS;
    f.e->own = 1;
    check_said(&f, "Perhaps fraud (0.67, strong evidence). Linked directly to "
                   "3 nodes known as "
                   "fraud (a, b, c) and 1 known as good (d); within two steps "
                   "1 more known as fraud. Most of it comes from its own "
                   "features (amount, its degree, column 9).");
    f.e->features = NULL;
    tear_down(&f);
}

/* What could be read as more than a name is quoted, and cannot be obeyed. */
TEST(hostile_names_stay_names)
{
    fixture f;

    set_up(&f,
           "u\tx, y\nu\t\033[2J\nu\t"
           "0123456789012345678901234567890123456789012345678\303\251\nu\tq\n"
           "u\tr\nu\ts\nu\tt\nu\tv\nu\tw\n",
           "x, y\tbad. Very\n\033[2J\tbad. Very\n"
           "0123456789012345678901234567890123456789012345678\303\251\tgood\n",
           1);
    explain(&f, "u", -1);
    check_said(&f, "Perhaps 'bad. Very' (0.57, strong evidence). Linked "
                   "directly to 2 nodes "
                   "known as 'bad. Very' ('x, y', '?[2J') and 1 known as good "
                   "(012345678901234567890123456789012345678901234567...). "
                   "Without knowing 'x, y' it would be 0.50.");
    tear_down(&f);
}

TEST(sentences_survive_every_failed_allocation)
{
    char *text = NULL;
    size_t length;
    fixture f;

    set_up(&f, star, known, 1);
    explain(&f, "u", -1);
    CHECK_OOM(
        st = kith_explanation_sentences(f.solution, f.e, &text, &length, NULL),
        kith_array_free(text));
    tear_down(&f);
}

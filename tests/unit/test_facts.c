/*
 * test_facts.c: a data set of four nodes described by hand.
 */
#include "check.h"

static char A[] = "a", B[] = "b", *names[] = {A, B};

/* 0 - 1 - 2, 3 alone; a a b -. */
static void set_up(kith_dataset *d, kith_labels *l, int32_t of[4])
{
    const kith_build_options o = {
        .nodes = check_file("nodes.txt", "0\n1\n2\n3\n")};
    kith_error err;

    of[0] = of[1] = 0;
    of[2] = 1;
    of[3] = -1;
    *l = (kith_labels){
        .nodes = 4, .classes = 2, .labelled = 3, .of = of, .names = names};
    *d = (kith_dataset){.labels = l};
    CHECK_OK(kith_graph_read(check_file("g.tsv", "0\t1\n1\t2\n"), &o, &d->graph,
                             &d->cleaning, &err));
}

TEST(facts_of_four_nodes)
{
    int32_t known[] = {0, 1, 2};
    kith_split all = {.train = known, .n_train = 3};
    kith_train_options o;
    kith_plan plan;
    kith_facts *f = NULL;
    kith_dataset d;
    kith_labels l;
    kith_error err;
    int32_t of[4];
    char *json = NULL;
    size_t length;

    kith_train_options_init(&o);
    set_up(&d, &l, of);
    CHECK_OK(kith_facts_find(&d, NULL, NULL, &f, &err));
    CHECK_INT(f->class_count[0], 2);
    CHECK_INT(f->class_count[1], 1);
    CHECK_NEAR(f->homophily, .5, 0); /* 0 - 1 of two */
    CHECK_INT(f->stats.isolated, 1);
    CHECK_NEAR(f->learnt, 3, 0);
    CHECK(isnan(f->forecast[0].bytes)); /* logreg without features */
    CHECK_TEXT(f->forecast[1].method, "linbp");
    CHECK_TEXT(f->forecast[3].method, "lcm");
    /* The plan of a training that learns from all three of them. */
    CHECK_OK(kith_model_plan(&d, "linbp", &all, &o, &plan, &err));
    CHECK_NEAR(f->forecast[1].bytes, plan.memory, 0);
    CHECK_OK(kith_model_plan(&d, "lcm", &all, &o, &plan, &err));
    CHECK_NEAR(f->forecast[3].bytes, plan.memory, 0);
    CHECK_OK(kith_facts_json(f, &json, &length, &err));
    CHECK(
        strstr(json, "\"class_counts\": {\n    \"a\": 2,\n    \"b\": 1\n  }"));
    CHECK(strstr(json, "\"logreg\": null"));
    kith_array_free(json);
    kith_facts_free(f);
    CHECK_INT(kith_facts_find(&d, "nowhere", NULL, &f, &err), KITH_ERR_IO);
    CHECK(!f);
    kith_graph_free(d.graph);
}

TEST(facts_survive_every_failed_allocation)
{
    kith_facts *f = NULL;
    kith_dataset d;
    kith_labels l;
    int32_t of[4];

    set_up(&d, &l, of);
    CHECK_OOM(
        st = kith_facts_find(&d, NULL, &(kith_job){.threads = 1}, &f, NULL),
        kith_facts_free(f));
    kith_graph_free(d.graph);
}

/*
 * explain.c: what a belief is made of: contributions that sum to it.
 *
 *     cc explain.c $(pkg-config --cflags --libs kith) -o explain && ./explain
 */
#include "karate.h"

static void print(const kith_explanation *e)
{
    printf("member %d: %s, belief %+.4f\n", (int)e->node, leaders[e->of_class],
           e->belief);
    for (int i = 0; i < e->n_labelled; i++)
        printf("  %+.4f from member %d, who follows %s\n",
               e->top_labelled[i].value, (int)e->top_labelled[i].node,
               leaders[e->top_labelled[i].label]);
}

int main(void)
{
    static const int32_t known[] = {0, 1, 32, 33};
    kith_dataset *d = NULL;
    kith_model *m = NULL;
    kith_solution *s = NULL;
    kith_explanation *e = NULL;
    kith_split split = {0};
    kith_train_options o;
    kith_error err;

    kith_train_options_init(&o);
    if (club(known, 4, &d, &split, &err) != KITH_OK ||
        kith_solution_train(d, "linbp", &split, &o, &m, &s, &err) != KITH_OK ||
        kith_explain(s, 8, -1, 4, &e, &err) != KITH_OK)
        return failed(&err);
    print(e);
    kith_explanation_free(e);
    kith_solution_free(s);
    kith_model_free(m);
    kith_split_release(&split);
    kith_dataset_free(d);
    return 0;
}

/*
 * test_shared_data.c: the real graphs beside the project, if they are there:
 * counts as their README files give them.
 */
#include "check.h"

/* `what` N, or N `what`, in a README; -1 if it does not say. */
static int64_t number_after(const char *text, const char *what)
{
    const char *at = strstr(text, what);

    return at ? strtoll(at + strlen(what), NULL, 10) : -1;
}

static char *readme_of(const char *folder)
{
    char path[4096];
    size_t n;

    snprintf(path, sizeof(path), "%s/README", folder);
    return check_read(path, &n);
}

/* Most say "nodes N, undirected edges M"; one says "N nodes, M undirected". */
static void counts_of(const char *readme, int64_t *nodes, int64_t *edges)
{
    const char *counted = strstr(readme, "Counted: ");

    *nodes = number_after(counted, "Counted: nodes ");
    *edges = number_after(counted, "undirected edges ");
    if (*nodes < 0) {
        *nodes = number_after(counted, "Counted: ");
        *edges = number_after(counted, " nodes, ");
    }
}

static void check_set(const char *name)
{
    check_needs("gzip");
    const char *folder = check_shared(name);
    char *readme = readme_of(folder);
    int64_t nodes, edges, classes, columns, labelled, nonzeros;
    const char *features = strstr(readme, "Features: ");
    kith_dataset *d = NULL;
    kith_error err;

    counts_of(readme, &nodes, &edges);
    CHECK_OK(kith_dataset_open(folder, NULL, &d, &err));
    CHECK_INT(kith_graph_nodes(d->graph), nodes);
    CHECK_INT(kith_graph_edges(d->graph), edges);
    classes = number_after(readme, "Classes: ");
    if (classes > 0) {
        labelled = number_after(readme, "labelled nodes ");
        CHECK_INT(d->labels->classes, classes);
        CHECK_INT(d->labels->labelled, labelled);
    } else if (strstr(readme, "2 classes")) {
        CHECK_INT(d->labels->classes, 2);
    } else {
        CHECK(d->labels == NULL);
    }
    columns = features ? number_after(features, "Features: ") : 0;
    if (columns > 0) {
        nonzeros = number_after(features, "columns, ");
        CHECK_INT(d->features->columns, columns);
        CHECK_INT(d->features->nodes, nodes);
        CHECK_INT(d->features->entries, nonzeros);
    } else {
        CHECK(d->features == NULL);
    }
    if (strstr(readme, "Edge homophily: 0."))
        CHECK_NEAR(kith_homophily(d->graph, d->labels, NULL),
                   strtod(strstr(readme, "Edge homophily: ") + 16, NULL),
                   5.1e-5);
    kith_dataset_free(d);
    free(readme);
}

#define SHARED_SET(NAME)                               \
    TEST(shared_##NAME##_has_the_counts_of_its_readme) \
    {                                                  \
        check_set(#NAME);                              \
    }

SHARED_SET(actor)
SHARED_SET(chameleon_filtered)
SHARED_SET(citeseer)
SHARED_SET(cnr2000)
SHARED_SET(cora)
SHARED_SET(cora_ml)
SHARED_SET(cornell)
SHARED_SET(facebook_sybil)
SHARED_SET(nell)
SHARED_SET(polblogs)
SHARED_SET(pubmed)
SHARED_SET(squirrel_filtered)
SHARED_SET(texas)
SHARED_SET(tolokers)

TEST(shared_splits_load_and_do_not_overlap)
{
    check_needs("gzip");
    static const char *const sets[] = {"cora", "nell", "texas", "citeseer"};

    for (int i = 0; i < 4; i++) {
        kith_dataset *d = NULL;
        kith_error err;
        char **names;
        int n;

        CHECK_OK(kith_dataset_open(check_shared(sets[i]), NULL, &d, &err));
        CHECK_OK(kith_dataset_splits(d, &names, &n, &err));
        CHECK(n >= 5);
        for (int k = 0; k < n; k++) {
            kith_split s = {0};

            CHECK_OK(kith_split_read(d, names[k], &s, &err));
            CHECK(s.n_train > 0 && s.n_test > 0);
            kith_split_release(&s);
        }
        kith_names_free(names, n);
        kith_dataset_free(d);
    }
}

#include "io/foreign.h"

#include "io/gather.h"

typedef struct kind {
    const char *what;
    const char *magic;     /* its first bytes, NULL: known by its name alone */
    const char *ending[3]; /* names that are enough */
    const char *before, *after; /* Python around the file's name, which makes it
                                  readable */
} kind;

static const kind kinds[] = {
    {"Parquet",
     "PAR1",
     {".parquet", NULL},
     "import pandas; pandas.read_parquet('",
     "').to_csv('out.csv', index=False)"},
    {"an Excel workbook",
     NULL,
     {".xlsx", ".xls", NULL},
     "import pandas; pandas.read_excel('",
     "').to_csv('out.csv', index=False)"},
    {"a PyTorch file",
     NULL,
     {".pt", ".pth", NULL},
     "import torch, numpy; numpy.savetxt('edges.tsv', torch.load('",
     "').edge_index.T, '%d', '\\t')"},
    {"a Python pickle (it could run code)",
     NULL,
     {".pkl", ".pickle", NULL},
     "import pickle, networkx; networkx.write_graphml(pickle.load(open('",
     "', 'rb')), 'out.graphml')"},
    {"GML",
     NULL,
     {".gml", NULL},
     "import networkx; networkx.write_graphml(networkx.read_gml('",
     "'), 'out.graphml')"},
    {"Pajek",
     "*Vertices",
     {".net", ".paj", NULL},
     "import networkx; networkx.write_graphml(networkx.read_pajek('",
     "'), 'out.graphml')"},
    {"HDF5",
     "\x89HDF\r\n",
     {".h5", ".hdf5", NULL},
     "import pandas; pandas.read_hdf('",
     "').to_csv('out.csv', index=False)"},
};

static bool is_kind(const kind *k, const char *path, const char *first)
{
    for (int i = 0; i < 3 && k->ending[i]; i++)
        if (kith__named(path, k->ending[i]))
            return true;
    return k->magic && strncasecmp(first, k->magic, strlen(k->magic)) == 0;
}

/* Pickles of protocol 2 and later begin so whatever they are called. */
static bool is_pickle(const char *first)
{
    return first[0] == '\x80' && first[1] >= 2 && first[1] <= 5 && first[2];
}

kith_status kith__foreign_check(const char *path, const char first[16],
                                kith_error *err)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char line[200];

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        const kind *k = &kinds[i];

        if (!is_kind(k, path, first) &&
            !(is_pickle(first) && strcmp(k->ending[0], ".pkl") == 0))
            continue;
        snprintf(line, sizeof(line), "%s%s%s", k->before, name, k->after);
        return kith__fail(err, KITH_ERR_PARSE, path, 0,
                          "is %s, which is not read; in Python: %s", k->what,
                          line);
    }
    return KITH_OK;
}

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench_report.h"
#include "cmd_shared.h"
#include "commands.h"
#include "out_text.h"
#include "term.h"

static const char *const usage[] = {"[GRAPHS] [OPTIONS]", NULL};

static const char *const description[] = {
    "Times one step of linearised belief propagation, Y = Q + W X H: as the "
    "methods do it, without AVX2, with a weight stored for every edge, and as "
    "a plain loop over the rows as the input lists them; all in turn, so that "
    "they meet the same noise, and compared in what they come to. First it "
    "measures what memory allows: bytes in order, and floats from random "
    "places.",
    "Without GRAPHS it generates R-MAT graphs of 10^5 edges, 10^6 and so on "
    "up to --max-edges, with 16 edges to a node and shuffled ids, and builds "
    "them with --order auto.",
    "With --threads 1 the processor's time is told instead of the clock's, so "
    "that other processes on a busy machine do not count.",
    "Peers are not part of the command: bench/peers.sh runs those that are "
    "installed on the same graphs and hands over what they took (--peers).",
    NULL,
};

static const argument arguments[] = {
    {"GRAPHS", OPTION_FILE, NULL, true,
     "Graphs to use, with commas between them: whatever 'kith graph build' "
     "reads."},
    {.name = NULL},
};

static const option options[] = {
    {.name = "output",
     .letter = 'o',
     .type = OPTION_FOLDER,
     .value = "DIR",
     .help = "Folder for bench.json, bench.md and bench.svg, a chart; made if "
             "it is not there. The tables go to standard output in any case."},
    {.name = "max-edges",
     .type = OPTION_INTEGER,
     .value = "M",
     .preset = "1e7",
     .least = 1e5,
     .most = 1e10,
     .help = "Edges of the largest graph to generate."},
    {.name = "classes",
     .type = OPTION_INTEGER,
     .value = "K",
     .preset = "2",
     .least = 1,
     .most = 64,
     .help = "Columns of X."},
    {.name = "repeats",
     .type = OPTION_INTEGER,
     .value = "N",
     .preset = "7",
     .least = 1,
     .most = 99,
     .help = "Times that each is measured; the least is told."},
    {.name = "order",
     .type = OPTION_CHOICE,
     .value = "HOW",
     .preset = "auto",
     .choices = "auto|input|degree",
     .help = "How to number the nodes, as for 'kith graph build'. A built file "
             "is used as it is."},
    {.name = "no-plain",
     .help = "Leave out what needs a weight per edge in memory: for graphs of "
             "a size where that does not fit."},
    {.name = "peers",
     .type = OPTION_FILE,
     .value = "FILE",
     .help = "Times of peers, a JSON object a line with graph, peer and "
             "seconds, or peer and skipped."},
    ROWS(running_rows),
    ROW_END,
};

static const example examples[] = {
    {"kith bench", "graphs of 10^5 to 10^7 edges"},
    {"kith bench g.kg --classes 8 -o report", "one graph, with a report"},
    {"bench/peers.sh build g.kg", "with peers, from the sources"},
    {NULL, NULL},
};

typedef struct task {
    run r;
    kith_bench_report report;
    char temp[PATH_MAX]; /* folder of generated graphs, "" if none */
} task;

/* ---- graphs -------------------------------------------------------------- */

/* The last part of a path without .kg, of letters, digits and ._- only. */
static void name_graph(const char *path, char out[KITH_BENCH_NAME])
{
    size_t length, n = 0;
    const char *base = base_name(path, &length);

    if (length > 3 && memcmp(base + length - 3, ".kg", 3) == 0)
        length -= 3;
    for (; n < length && n < KITH_BENCH_NAME - 1; n++)
        out[n] = isalnum((unsigned char)base[n]) || strchr("._-", base[n])
                     ? base[n]
                     : '_';
    out[n] = '\0';
}

static bool is_numbered(const kith_graph *g)
{
    for (int32_t u = 0; u < kith_graph_nodes(g); u++)
        if (kith_graph_place(g, u) != u)
            return true;
    return false;
}

/* Time a step on a built graph. */
static kith_status time_graph(task *t, const char *path, const char *name,
                              double build)
{
    const args *a = t->r.a;
    kith_bench_row *row = &t->report.rows[t->report.n_rows];
    kith_graph *g = NULL;
    kith_status st = kith_graph_open(path, &g, &t->r.err);

    if (st == KITH_OK) {
        *row = (kith_bench_row){.nodes = kith_graph_nodes(g),
                                .edges = kith_graph_edges(g),
                                .numbered = is_numbered(g),
                                .build = build};
        snprintf(row->name, sizeof(row->name), "%s", name);
        st = kith_bench_step(g, t->report.classes, t->report.repeats,
                             !args_flag(a, "no-plain"), &t->r.job, &row->t,
                             &t->r.err);
    }
    if (st == KITH_OK)
        t->report.n_rows++;
    kith_graph_free(g);
    return st;
}

/* Build with --order what was read or generated, and time that. */
static kith_status time_built(task *t, const char *from, const char *name)
{
    kith_build_options o = {.job = t->r.job,
                            .order = (kith_order)args_choice(t->r.a, "order")};
    char path[PATH_MAX + KITH_BENCH_NAME];
    double begun = seconds_now();
    kith_status st;

    snprintf(path, sizeof(path), "%s/built.kg", t->temp);
    o.spill_to = t->temp;
    st = kith_dataset_build(from, path, &o, NULL, &t->r.err);
    begun = seconds_now() - begun;
    if (st == KITH_OK)
        st = time_graph(t, path, name, begun);
    (void)unlink(path);
    return st;
}

static kith_status generate(task *t, int64_t edges)
{
    kith_generate_options o;
    char path[PATH_MAX + KITH_BENCH_NAME], side[PATH_MAX + KITH_BENCH_NAME];
    char name[KITH_BENCH_NAME];
    kith_status st = kith_generate_preset("rmat", 1, &o, &t->r.err);

    if (st != KITH_OK)
        return st;
    o.job = t->r.job;
    o.edges = edges;
    for (o.nodes = 1 << 10; (int64_t)o.nodes * 16 < edges;)
        o.nodes *= 2;
    o.train = o.val = o.test = 0;
    snprintf(name, sizeof(name), "rmat-%.0e", (double)edges);
    snprintf(path, sizeof(path), "%s/%s.kg", t->temp, name);
    snprintf(side, sizeof(side), "%s/%s.labels.tsv", t->temp, name);
    st = kith_generate(&o, path, &t->r.err);
    (void)unlink(side);
    if (st == KITH_OK)
        st = time_built(t, path, name);
    (void)unlink(path);
    return st;
}

static kith_status generated(task *t)
{
    const int64_t most = args_integer(t->r.a, "max-edges");
    kith_status st = KITH_OK;

    for (int64_t edges = 100000; st == KITH_OK && edges <= most; edges *= 10)
        st = generate(t, edges);
    return st;
}

static kith_status given(task *t, const char *list)
{
    kith_status st = KITH_OK;
    name_list graphs = {0};

    switch (name_list_read(list, false, &graphs)) {
    case NAMES_OK:
        break;
    case NAMES_NO_MEMORY:
        return run_no_memory(&t->r);
    default:
        return run_fail(&t->r, KITH_ERR_ARGUMENT, NULL,
                        "'%.60s' is no list of graphs with commas between them",
                        list);
    }
    if (graphs.count > KITH_BENCH_ROWS)
        st = run_fail(&t->r, KITH_ERR_ARGUMENT, NULL,
                      "%d graphs, expected at most %d", graphs.count,
                      KITH_BENCH_ROWS);
    for (int i = 0; st == KITH_OK && i < graphs.count; i++) {
        char name[KITH_BENCH_NAME];

        name_graph(graphs.name[i], name);
        st = name_ends(graphs.name[i], ".kg")
                 ? time_graph(t, graphs.name[i], name, 0)
                 : time_built(t, graphs.name[i], name);
    }
    name_list_release(&graphs);
    return st;
}

static kith_status make_temp(task *t)
{
    const char *parent = getenv("TMPDIR");
    const int n = snprintf(t->temp, sizeof(t->temp), "%s/kith-bench-XXXXXX",
                           parent && *parent ? parent : "/tmp");

    if (n >= (int)sizeof(t->temp))
        errno = ENAMETOOLONG;
    else if (n > 0 && mkdtemp(t->temp))
        return KITH_OK;
    t->temp[0] = '\0';
    return run_fail(&t->r, KITH_ERR_IO, NULL,
                    "cannot create a temporary folder: %s", strerror(errno));
}

/* ---- peers --------------------------------------------------------------- */

static const char *behind_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* A string at *at, which moves behind it; what would be markup, or a terminal
 * might obey, becomes '_'. */
static bool take_string(const char **at, char out[KITH_BENCH_NAME])
{
    const char *c = behind_blanks(*at);
    size_t n = 0;

    if (*c != '"')
        return false;
    for (c++; *c && *c != '"'; c++) {
        if (*c == '\\' && !*++c)
            return false;
        if (n < KITH_BENCH_NAME - 1)
            out[n++] = strchr("<>&'\"|", *c) || iscntrl((unsigned char)*c) ? '_'
                                                                           : *c;
    }
    out[n] = '\0';
    term_tame(out);
    *at = behind_blanks(c + (*c == '"'));
    return *c == '"';
}

/* "key": value, of those that a peer has. */
static bool take_pair(const char **at, kith_bench_peer *p)
{
    char key[KITH_BENCH_NAME], other[KITH_BENCH_NAME], *end;
    char *text = other;
    double number;

    if (!take_string(at, key) || **at != ':')
        return false;
    *at = behind_blanks(*at + 1);
    if (strcmp(key, "graph") == 0)
        text = p->graph;
    else if (strcmp(key, "peer") == 0)
        text = p->name;
    else if (strcmp(key, "skipped") == 0)
        text = p->skipped;
    if (**at == '"')
        return take_string(at, text);
    number = strtod(*at, &end);
    if (strcmp(key, "seconds") == 0)
        p->seconds = number;
    if (end == *at)
        return false;
    *at = behind_blanks(end);
    return true;
}

/* A JSON object of strings and numbers. */
static bool take_object(const char *at, kith_bench_peer *p)
{
    at = behind_blanks(at);
    if (*at != '{')
        return false;
    do {
        at++;
        if (!take_pair(&at, p))
            return false;
    } while (*at == ',');
    return *at == '}' && !*behind_blanks(at + 1);
}

static kith_status take_peer(task *t, const char *path, int line,
                             const char *text)
{
    kith_bench_peer *p = &t->report.peers[t->report.n_peers];

    *p = (kith_bench_peer){0};
    if (!take_object(text, p) || !p->name[0] ||
        (!p->skipped[0] && !(p->seconds > 0 && p->graph[0])) ||
        t->report.n_peers == KITH_BENCH_PEERS - 1) {
        t->r.err.line = line;
        return run_fail(&t->r, KITH_ERR_PARSE, path,
                        "line %d: expected a JSON object with graph, peer and "
                        "seconds, or peer and skipped, on at most %d lines",
                        line, KITH_BENCH_PEERS - 1);
    }
    t->report.n_peers++;
    return KITH_OK;
}

static kith_status read_peers(task *t)
{
    const char *path = args_text(t->r.a, "peers");
    FILE *f = path ? fopen(path, "r") : NULL;
    kith_status st = KITH_OK;
    char *text = NULL;
    size_t room = 0;

    if (!path)
        return KITH_OK;
    if (!f)
        return run_fail(&t->r, KITH_ERR_IO, path, "cannot open: %s",
                        strerror(errno));
    for (int line = 1; st == KITH_OK && getline(&text, &room, f) > 0; line++)
        st = take_peer(t, path, line, text);
    free(text);
    (void)fclose(f);
    return st;
}

/* ---- the report ---------------------------------------------------------- */

/* A file of the report: printed, or JSON without `print`. */
static kith_status write_file(task *t, kith_outputs *with, const char *name,
                              print_fn *print)
{
    const char *folder = args_text(t->r.a, "output");
    char path[4096], *json = NULL;
    size_t length;
    kith_status st;

    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >=
        (int)sizeof(path))
        return run_fail(&t->r, KITH_ERR_ARGUMENT, NULL,
                        "the name of the folder is too long");
    if (print)
        return out_print(&t->r, path, with, print, &t->report);
    st = kith_bench_json(&t->report, &json, &length, &t->r.err);
    return st == KITH_OK ? out_write(&t->r, path, with, json, length) : st;
}

static kith_status write_report(task *t)
{
    kith_outputs *all = NULL;
    kith_status st;

    bench_markdown(stdout, &t->report);
    if (!args_text(t->r.a, "output"))
        return KITH_OK;
    st = kith_outputs_new(&all, &t->r.err);
    if (st == KITH_OK)
        st = write_file(t, all, "bench.json", NULL);
    if (st == KITH_OK)
        st = write_file(t, all, "bench.md", bench_markdown);
    if (st == KITH_OK)
        st = write_file(t, all, "bench.svg", bench_svg);
    if (st == KITH_OK)
        st = kith_outputs_commit(all, &t->r.err);
    kith_outputs_free(all);
    return st;
}

static kith_status make_folder(task *t)
{
    const char *folder = args_text(t->r.a, "output");

    if (!folder || is_folder(folder) || mkdir(folder, 0777) == 0)
        return KITH_OK;
    return run_fail(&t->r, KITH_ERR_IO, folder, "cannot create: %s",
                    strerror(errno));
}

static int bench(const args *a)
{
    static task t; /* its tables are large */
    kith_status st;

    t = (task){0};
    run_begin(&t.r, a);
    t.report.classes = (int)args_integer(a, "classes");
    t.report.repeats = (int)args_integer(a, "repeats");
    st = make_folder(&t);
    if (st == KITH_OK)
        st = read_peers(&t);
    if (st == KITH_OK)
        st = make_temp(&t);
    if (st == KITH_OK)
        st = kith_bench_measure(&t.r.job, &t.report.limits, &t.r.err);
    if (st == KITH_OK)
        st = args_plain(a, 0) ? given(&t, args_plain(a, 0)) : generated(&t);
    progress_end(&t.r.tty);
    if (t.temp[0])
        (void)rmdir(t.temp);
    if (st == KITH_OK)
        st = write_report(&t);
    return run_end(&t.r, st);
}

const command cmd_bench = {
    .name = "bench",
    .summary = "time a step of belief propagation beside what memory allows",
    .usage = usage,
    .description = description,
    .arguments = arguments,
    .options = options,
    .examples = examples,
    .run = bench,
};

/*
 * paper.c: the parts in their order, twice: to count what there is to do, and
 * to do it; then the pages.
 */
#include "paper/paper.h"

#include "core/alloc.h"
#include "data/files.h"
#include "paper/run.h"

/* The methods' steps become: which result, how many there are. */
static int pass_on(void *user, const kith_progress *from)
{
    const kith__paper_run *r = user;
    const kith_progress with = {.stage = r->stage[0] ? r->stage : from->stage,
                                .done = r->summary->done,
                                .total = r->summary->wanted,
                                .unit = "results"};

    return r->options->job.progress(r->options->job.user, &with);
}

void kith_paper_options_init(kith_paper_options *o)
{
    *o = (kith_paper_options){.parts = KITH_PAPER_ALL, .seed = 1};
}

/* The rows of the methods asked for, in the order of the tables. */
static kith_status choose_rows(kith__paper_run *r, kith_error *err)
{
    const kith_paper_options *o = r->options;
    bool wanted[sizeof(r->row) / sizeof(r->row[0])] = {false};

    for (int32_t i = 0; i < o->n_methods; i++) {
        int at = 0;

        while (at < kith__paper_row_count &&
               strcmp(kith__paper_rows[at].method, o->methods[i]) != 0)
            at++;
        if (at == kith__paper_row_count)
            return kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                              "no method '%.60s', expected one that `kith "
                              "methods` lists",
                              o->methods[i]);
        wanted[at] = true;
    }
    for (int i = 0; i < kith__paper_row_count; i++)
        if (o->n_methods == 0
                ? kith_method_is_available(kith__paper_rows[i].method)
                : wanted[i])
            r->row[r->rows++] = &kith__paper_rows[i];
    return KITH_OK;
}

static kith_status all_parts(kith__paper_run *r, kith_error *err)
{
    static const struct {
        uint32_t bit;
        kith__part_fn *run;
    } parts[] = {{KITH_PAPER_TABLE1, kith__paper_table1},
                 {KITH_PAPER_TABLE2, kith__paper_table2},
                 {KITH_PAPER_TABLE3, kith__paper_table3},
                 {KITH_PAPER_FIGURE1, kith__paper_figure1},
                 {KITH_PAPER_FIGURE2, kith__paper_figure2}};
    kith_status st = KITH_OK;

    for (size_t i = 0; st == KITH_OK && i < sizeof(parts) / sizeof(*parts); i++)
        if (r->options->parts & parts[i].bit)
            st = parts[i].run(r, err);
    return st;
}

static kith_status write_page(const kith__paper_run *r, const char *name,
                              kith__write_fn *write, kith_outputs *with,
                              kith_error *err)
{
    char *path = kith__join(r->options->out, name, "");
    kith__json text = {0};
    kith_status st;

    if (!path)
        return kith__no_memory(err);
    write(&text, r->doc);
    st = kith__text_add(&text, path, with, err);
    kith__free(path);
    return st;
}

static kith_status write_pages(const kith__paper_run *r, kith_error *err)
{
    kith_status st = KITH_OK;
    kith_outputs *all = NULL;

    TRY(kith_outputs_new(&all, err));
    TRY(write_page(r, "/paper.md", kith__write_markdown, all, err));
    TRY(write_page(r, "/paper.json", kith__write_json, all, err));
    TRY(write_page(r, "/paper.tex", kith__write_latex, all, err));
    TRY(write_page(r, "/paper.html", kith__write_html, all, err));
    TRY(kith_outputs_commit(all, err));
out:
    kith_outputs_free(all);
    return st;
}

static kith_status prepare(kith__paper_run *r, kith_error *err)
{
    bool any = false;
    kith_status st = KITH_OK;

    TRY(choose_rows(r, err));
    TRY_NEW(r->results, kith__join(r->options->out, "/results", ""));
    TRY(kith__make_folders(r->results, err));
    TRY(kith__paper_open(r, err));
    for (int i = 0; i < KITH__SETS; i++)
        any |= r->set[i].data && !r->set[i].stand_in;
    if (!any)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, r->options->data, 0,
                       "has none of the paper's data sets, expected folders "
                       "such as cora with splits paper-0 to paper-4"));
out:
    return st;
}

/* Count into a document of its own, of which only the notes are kept. */
static kith_status count(kith__paper_run *r, kith_error *err)
{
    kith__doc *notes = r->doc, empty = {0};
    kith_status st = KITH_OK;

    r->counting = true;
    r->doc = &empty;
    TRY(all_parts(r, err));
    for (int64_t i = 0; i < empty.notes; i++)
        if (!kith__doc_note(notes, empty.note[i]))
            TRY(kith__no_memory(err));
out:
    kith__doc_release(&empty);
    r->counting = false;
    r->doc = notes;
    return st;
}

kith_status kith_paper(const kith_paper_options *options,
                       kith_paper_summary *summary, kith_error *err)
{
    kith_paper_summary unwanted = {0};
    kith__doc doc = {.quick = options->quick, .fit = options->fit};
    kith__paper_run r = {.options = options,
                         .summary = summary ? summary : &unwanted,
                         .doc = &doc,
                         .job = options->job};
    kith_status st = KITH_OK;

    *r.summary = (kith_paper_summary){0};
    if (options->job.progress)
        r.job.progress = pass_on;
    r.job.user = &r;
    TRY(prepare(&r, err));
    TRY(count(&r, err));
    TRY(all_parts(&r, err));
    TRY(write_pages(&r, err));
    st = r.stopped;
out:
    kith__paper_close(&r);
    kith__doc_release(&doc);
    return st;
}

#include "io/ids_text.h"

#include "core/alloc.h"
#include "core/out_set.h"
#include "io/reader.h"

static bool has_any(const char *text, size_t length, const char *set)
{
    for (size_t i = 0; i < length; i++)
        if (strchr(set, text[i]))
            return true;
    return false;
}

static kith_status refuse(const char *text, size_t length,
                          const kith__writer *w, bool table, kith_error *err)
{
    char shown[KITH_QUOTE_BUFFER];

    return kith__fail(err, KITH_ERR_ARGUMENT, kith__writer_path(w), 0,
                      "cannot hold node id '%s', which has %s file",
                      kith__quote(shown, text, length),
                      table ? "a tab, a line end or a comment mark: write a "
                              ".csv or .kg"
                            : "a line end: write a .kg");
}

/* As readers see it: behind blanks. */
static bool begins_comment(const char *id, size_t length)
{
    while (length > 0 && *id == ' ') {
        id++;
        length--;
    }
    return length > 0 && (*id == '#' || *id == '%');
}

static void write_quoted(kith__writer *w, const char *text, size_t length)
{
    kith__writer_bytes(w, "\"", 1);
    for (size_t i = 0; i < length; i++)
        kith__writer_bytes(w, text[i] == '"' ? "\"\"" : &text[i],
                           text[i] == '"' ? 2 : 1);
    kith__writer_bytes(w, "\"", 1);
}

kith_status kith__write_id(kith__writer *w, const kith_graph *g, int32_t node,
                           char separator, kith_error *err)
{
    char buffer[KITH_ID_BUFFER];
    size_t length;
    const char *id = kith_graph_id(g, node, buffer, &length);
    bool comment, blank;

    if (g->ids.kind != KITH__IDS_TEXT) {
        kith__writer_bytes(w, id, length);
        return KITH_OK;
    }
    blank = id[0] == ' ' || id[length - 1] == ' ';
    comment = begins_comment(id, length);
    if (has_any(id, length, separator == '\t' ? "\t\n\r" : "\n\r") ||
        (comment && separator == '\t'))
        return refuse(id, length, w, separator == '\t', err);
    if (separator == ',' && (comment || blank || has_any(id, length, "\t,;\"")))
        write_quoted(w, id, length);
    else
        kith__writer_bytes(w, id, length);
    return KITH_OK;
}

kith_status kith__id_list_read(const char *path, kith__ids *out,
                               kith_error *err)
{
    kith_status st = KITH_OK;
    kith__id_set set = {0};
    kith__reader r = {0};
    bool more, added;

    TRY(kith__reader_open(path, &r, err));
    for (;;) {
        char shown[KITH_QUOTE_BUFFER];
        int32_t number;

        TRY(kith__reader_next(&r, &more, err));
        if (!more)
            break;
        if (r.length == 0)
            TRY(kith__reader_fail(&r, err, "is blank, expected a node id"));
        if (r.length > KITH__ID_LONGEST)
            TRY(kith__reader_fail(&r, err,
                                  "node id has %lld bytes, expected "
                                  "at most %d",
                                  (long long)r.length, KITH__ID_LONGEST));
        number = kith__id_set_add(&set, r.text, (size_t)r.length, &added);
        if (number < 0)
            TRY(kith__no_memory(err));
        if (!added)
            TRY(kith__reader_fail(
                &r, err, "node '%s' is listed twice, first on line %d",
                kith__quote(shown, r.text, (size_t)r.length), (int)number + 1));
    }
    TRY(kith__ids_from_set(&set, false, NULL, out, err));
out:
    kith__id_set_release(&set);
    kith__reader_close(&r);
    return st;
}

kith_status kith__id_list_write(const kith_graph *g, const char *path,
                                kith_outputs *with, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__writer *w = NULL;

    TRY(kith__writer_open(path, &w, err));
    for (int32_t i = 0; i < g->n; i++) {
        TRY(kith__write_id(w, g, kith_graph_listed(g, i), '\n', err));
        kith__writer_bytes(w, "\n", 1);
    }
    st = kith__writer_add(w, with, err);
    w = NULL;
out:
    kith__writer_abort(w);
    return st;
}

kith_status kith__id_list_beside(const char *path, char **out, kith_error *err)
{
    *out = NULL;
    if (kith_path_is_stream(path))
        return KITH_OK;
    *out = kith__join(path, ".nodes.txt", "");
    return *out ? KITH_OK : kith__no_memory(err);
}

kith_status kith__commit_with_list(kith__writer *w, const char *path,
                                   const kith_graph *g, bool needed,
                                   kith_error *err)
{
    kith_status st = KITH_OK;
    kith_outputs *both = NULL;
    char *beside = NULL;

    TRY(kith_outputs_new(&both, err));
    TRY(kith__id_list_beside(path, &beside, err));
    st = kith__writer_add(w, both, err);
    w = NULL;
    TRY(st);
    if (beside && needed)
        TRY(kith__id_list_write(g, beside, both, err));
    else if (beside)
        TRY(kith__outputs_add_removal(both, beside, err));
    TRY(kith_outputs_commit(both, err));
out:
    kith__writer_abort(w);
    kith_outputs_free(both);
    kith__free(beside);
    return st;
}

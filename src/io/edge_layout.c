/*
 * edge_layout.c: how the lines of an edge list look, told from the first of
 * them: separator, header, weights, or the columns of a table.
 */
#include <math.h>

#include "core/alloc.h"
#include "core/job.h"
#include "io/edge_lines.h"

/* A line's first three fields; returns how many fields it has, up to 4. */
static int look_at_line(const char *line, size_t length, char separator,
                        kith__field *f, char *copy)
{
    char *at = copy;
    kith__field rest;
    int n = 0;

    memcpy(copy, line, length);
    while (n < 4 && kith__field_next(&at, copy + length, separator,
                                     n < 3 ? &f[n] : &rest))
        n++;
    return n;
}

static bool is_integer(const kith__field *f)
{
    int64_t value;

    return kith__id_integer(f->text, f->length, &value);
}

static bool is_number(const kith__field *f)
{
    double value;

    return kith__parse_real(f->text, f->length, &value);
}

static bool same_word(const kith__field *f, const char *word)
{
    return f->length == strlen(word) &&
           strncasecmp(f->text, word, f->length) == 0;
}

/* Names that people give to the two ends of an edge. */
static bool is_column_name(const kith__field *f)
{
    static const char *const names[] = {
        "source",     "target",    "src",    "dst",    "dest",   "destination",
        "from",       "to",        "u",      "v",      "node1",  "node2",
        "id1",        "id2",       "head",   "tail",   "start",  "end",
        "source_id",  "target_id", "node_1", "node_2", "src_id", "dst_id",
        "fromnodeid", "tonodeid"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (same_word(f, names[i]))
            return true;
    return false;
}

/* Is the first line a header, seen beside the second (n2 = 0: there is none)?
 */
static bool looks_like_header(const kith__field *f1, int n1,
                              const kith__field *f2, int n2)
{
    if (n1 < 2)
        return false;
    if (is_column_name(&f1[0]) && is_column_name(&f1[1]))
        return true;
    if (n2 < 2)
        return false;
    return !is_integer(&f1[0]) && !is_integer(&f1[1]) && is_integer(&f2[0]) &&
           is_integer(&f2[1]);
}

/* A first line of two listed nodes is an edge, whatever it looks like. */
static bool are_nodes(const kith__ids *nodes, const kith__field *f)
{
    return nodes && kith__ids_find(nodes, f[0].text, f[0].length) >= 0 &&
           kith__ids_find(nodes, f[1].text, f[1].length) >= 0;
}

/* The next line of the block that is no comment; NULL at the end. */
static const char *next_data_line(const char **at, const char *stop,
                                  const char **end)
{
    while (*at < stop) {
        const char *begin = *at;
        const char *after = memchr(begin, '\n', (size_t)(stop - begin));

        *at = after + 1;
        *end = kith__line_end(begin, after + 1);
        if (!kith__line_is_comment(begin, *end))
            return begin;
    }
    return NULL;
}

/* Also with a decimal comma, which is then refused rather than ignored. */
static bool looks_like_weight(const kith__field *f)
{
    return is_number(f) || kith__has_decimal_comma(f);
}

/* A whole number that is seconds since 1970, from 2001 to 2033, as SNAP has
 * them behind the ends of edges. */
static bool is_epoch(const kith__field *f)
{
    int64_t value;

    return kith__parse_int(f->text, f->length, &value) && value > 1000000000 &&
           value < 2000000000;
}

/* Find separator, header and weights from the first two data lines. */
static kith_status look_at_block(const kith__block *b, kith__edge_layout *look,
                                 const kith_build_options *options,
                                 const kith__known *known, kith_error *err)
{
    const char *at = b->text, *stop = at + b->length, *end1, *end2 = NULL;
    const char *line1 = next_data_line(&at, stop, &end1);
    const char *line2 = next_data_line(&at, stop, &end2);
    kith_status st = KITH_OK;
    kith__field f1[3], f2[3];
    char *copy1 = NULL, *copy2 = NULL;
    int n1, n2 = 0, data;

    look->separator = ' ';
    if (!line1)
        return KITH_OK;
    look->separator = kith__separator_of(line1, (size_t)(end1 - line1));
    TRY_NEW(copy1, kith__alloc(end1 - line1 + 1, 1));
    n1 = look_at_line(line1, (size_t)(end1 - line1), look->separator, f1,
                      copy1);
    if (line2) {
        TRY_NEW(copy2, kith__alloc(end2 - line2 + 1, 1));
        n2 = look_at_line(line2, (size_t)(end2 - line2), look->separator, f2,
                          copy2);
    }
    look->header = options->header == KITH_YES ||
                   (options->header == KITH_AUTO &&
                    looks_like_header(f1, n1, f2, n2) &&
                    !are_nodes(known->nodes, f1));
    data = look->header ? n2 : n1;
    look->times = options->weights == KITH_AUTO && !look->header && n1 == 3 &&
                  n2 == 3 && is_epoch(&f1[2]) && is_epoch(&f2[2]);
    look->weighted =
        options->weights == KITH_YES ||
        (options->weights == KITH_AUTO && data == 3 && !look->times &&
         looks_like_weight(look->header ? &f2[2] : &f1[2]) &&
         !(look->header && n1 == 3 && kith__column_is(&f1[2], KITH__TIME)));
out:
    kith__free(copy1);
    kith__free(copy2);
    return st;
}

/* Are the first line's ends listed nodes?  Then it is an edge. */
static bool begins_with_nodes(const kith__head *h, const kith__ids *nodes)
{
    return h->rows > 0 && h->columns > 1 && are_nodes(nodes, h->cell);
}

/* What becomes of edges that are given several times; plain: of an edge list
 * whose columns were not named. */
static void decide_merge(kith__edge_parser *p, bool by_name, bool plain)
{
    kith__edge_layout *look = &p->look;

    p->merging = *p->options;
    if (p->merging.merge == KITH_MERGE_AUTO)
        p->merging.merge = plain || !by_name   ? KITH_MERGE_MAX
                           : look->weight >= 0 ? KITH_MERGE_SUM
                                               : KITH_MERGE_COUNT;
    look->counted = p->merging.merge == KITH_MERGE_COUNT;
    look->weighted = look->counted ||
                     (by_name ? look->weight >= 0 : look->weighted);
    if (look->counted)
        look->weight = -1;
}

static const char *merge_text(kith_merge merge)
{
    switch (merge) {
    case KITH_MERGE_SUM:
        return "added up where an edge is given several times";
    case KITH_MERGE_MEAN:
        return "their mean where an edge is given several times";
    default:
        return "the largest where an edge is given several times";
    }
}

/* Say which columns were taken, and what becomes of repeats. */
static void tell_columns(const kith__edge_parser *p, const kith__head *h,
                         const kith__edge_columns *e)
{
    const kith__edge_layout *look = &p->look;
    char a[KITH_QUOTE_BUFFER], b[KITH_QUOTE_BUFFER], w[KITH_QUOTE_BUFFER];
    const bool named = p->options->table && p->options->table->source;
    const int weight = e->by_name                         ? look->weight
                       : look->weighted && !look->counted ? 2
                                                          : -1;

    if ((!e->header && !named) || h->columns < 2)
        return;
    kith__column_name(h, e->header, e->by_name ? e->source : 0, a);
    kith__column_name(h, e->header, e->by_name ? e->target : 1, b);
    if (weight >= 0 && weight < h->columns)
        kith__tell(p->options, "columns",
                   "source '%s', target '%s', weight "
                   "'%s'",
                   a, b, kith__column_name(h, e->header, weight, w));
    else
        kith__tell(p->options, "columns", "source '%s', target '%s'%s", a, b,
                   h->columns == 2 ? "" : ", no weights");
    if (look->counted)
        kith__tell(p->options, "weights", "how often each edge is given");
    else if (e->by_name && weight >= 0)
        kith__tell(p->options, "weights", "%s", merge_text(p->merging.merge));
}

/* Lay out a table that is read by its columns. */
static kith_status take_columns(kith__edge_parser *p,
                                const kith__edge_columns *e, kith_error *err)
{
    const kith_table_options *t = p->options->table;
    const int at[] = {e->source, e->target, e->weight, e->time};
    kith__edge_layout *look = &p->look;
    kith_status st = KITH_OK;

    look->header = e->header;
    look->source = e->source;
    look->target = e->target;
    look->weight = e->weight;
    look->time = t && t->until ? e->time : -1;
    look->until = HUGE_VAL;
    for (int i = 0; i < 4; i++)
        look->fields = at[i] >= look->fields ? at[i] + 1 : look->fields;
    for (int i = 0; i < p->threads; i++)
        TRY_NEW(p->gathered[i].field,
                kith__alloc(look->fields, sizeof(kith__field)));
    if (t && t->until && e->time < 0)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, kith__source_path(p->source), 0,
                       "--until needs --time COL, the column of an edge's "
                       "time"));
    if (t && t->until &&
        !kith__parse_time(t->until, strlen(t->until), &look->until))
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, NULL, 0,
                       "time '%.60s' is neither a number nor a date, expected "
                       "one as 1717150000 or 2024-05-31 12:00",
                       t->until));
out:
    return st;
}

/* Lines that end in CR alone, as on old Macs. */
static bool ends_as_mac(kith__block *b)
{
    char *at = memchr(b->text, '\r', (size_t)b->length);

    if (!at || memchr(b->text, '\n', (size_t)b->length - 1))
        return false;
    for (; at; at = memchr(at, '\r', (size_t)(b->text + b->length - at)))
        *at = '\n';
    return true;
}

/* "% asym weighted": KONECT says so in a comment at the start. */
static bool is_konect(const kith__block *b, const char *kind)
{
    const size_t n = strlen(kind);

    return b->length > (int64_t)n + 3 && memcmp(b->text, "% ", 2) == 0 &&
           memcmp(b->text + 2, kind, n) == 0 && b->text[2 + n] == ' ';
}

/* Its third column is a weight, its fourth a time. */
static kith_status take_konect(const kith__edge_parser *p, const kith__block *b,
                               const kith__head *h, kith__edge_columns *e,
                               kith_error *err)
{
    const kith_table_options *t = p->options->table;

    if ((t && t->source) || h->columns < 2 || p->options->header == KITH_YES)
        return KITH_OK;
    if (is_konect(b, "bip"))
        return kith__fail(
            err, KITH_ERR_PARSE, kith__source_path(p->source), 0,
            "is bipartite (KONECT's 'bip'): its sides are numbered apart, so "
            "that 1 is two nodes; write their ids apart first, as with "
            "awk '!/^%%/ {print \"a\" $1, \"b\" $2}'");
    if (!is_konect(b, "sym") && !is_konect(b, "asym"))
        return KITH_OK;
    *e = (kith__edge_columns){.by_name = true, .target = 1};
    e->weight = h->columns > 2 && p->options->weights != KITH_NO ? 2 : -1;
    e->time = h->columns > 3 ? 3 : -1;
    kith__tell(p->options, "columns", "of KONECT: two ends%s%s",
               e->weight < 0 ? "" : ", weight", e->time < 0 ? "" : ", time");
    return KITH_OK;
}

kith_status kith__edge_lines_look(kith__edge_parser *p, kith__block *b,
                                  const kith__known *known, kith_error *err)
{
    const char *path = kith__source_path(p->source);
    kith_build_options how = *p->options;
    kith_status st = KITH_OK;
    kith__edge_columns e;
    kith__head head = {0};
    bool old_mac, known_columns;

    if (b->length >= 3 && memcmp(b->text, "\xef\xbb\xbf", 3) == 0) {
        b->text += 3;
        b->length -= 3;
    }
    old_mac = ends_as_mac(b);
    TRY(look_at_block(b, &p->look, p->options, known, err));
    TRY(kith__head_read(b, p->look.separator, &head, err));
    if (how.header == KITH_AUTO && begins_with_nodes(&head, known->nodes))
        how.header = KITH_NO;
    TRY(kith__edge_columns_find(&head, path, &how, p->look.header,
                                kith__source_names_columns(p->source), &e,
                                err));
    TRY(take_konect(p, b, &head, &e, err));
    known_columns = e.by_name;
    if (old_mac && !e.by_name && head.columns > 1)
        e = (kith__edge_columns){.header = p->look.header,
                                 .by_name = true,
                                 .target = 1,
                                 .weight = p->look.weighted ? 2 : -1,
                                 .time = -1};
    if (e.by_name)
        TRY(take_columns(p, &e, err));
    decide_merge(p, e.by_name, old_mac && !known_columns);
    tell_columns(p, &head, &e);
    if (p->look.times && !e.by_name)
        kith__tell(p->options, "no weights",
                   "the third column looks like times; --weights yes if it "
                   "holds weights");
out:
    kith__head_release(&head);
    return st;
}

/* Skip the header record of the first block of a table. */
static void pass_header(kith__edge_parser *p, kith__edge_block *r,
                        kith__block *block)
{
    char *at = block->text, *end = at + block->length;
    kith__field *field = r->to->field;
    int found;

    for (; at < end && kith__record_is_comment(at, end); r->comments++)
        at = (char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    r->lines += r->comments;
    if (at < end &&
        kith__record_split(&at, end, p->look.separator, p->records.quotes,
                           field, 0, &found, &r->lines))
        p->cleaning->headers = 1;
    block->length -= at - block->text;
    block->text = at;
}

void kith__edge_lines_trim(kith__edge_parser *p, kith__edge_block *r,
                           kith__block *block)
{
    const char *at = block->text, *end;
    const char *stop = at + block->length;
    int64_t used = 0;

    if (p->look.fields > 0) {
        if (p->look.header)
            pass_header(p, r, block);
        return;
    }
    if (block->length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        used = 3;
    if (p->look.header) {
        const char *begin;

        at += used;
        begin = next_data_line(&at, stop, &end);
        for (const char *c = block->text + used; begin && c < begin; c++)
            r->comments += *c == '\n';
        r->lines += r->comments + (begin != NULL);
        used = at - block->text;
        p->cleaning->headers = begin != NULL;
    }
    block->text += used;
    block->length -= used;
}

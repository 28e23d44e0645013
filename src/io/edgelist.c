/*
 * edgelist.c: `u<TAB>v` lines, with tabs, commas, semicolons or blanks between
 * the fields, a header and a weight column if there are any.
 *
 * Ids that are all small integers are taken as they are, in one pass ("raw").
 * Otherwise the ids are collected first, in order of appearance, and looked up
 * in a second pass.  Blocks of lines are parsed by all threads; what must be in
 * order (new ids, the first error) is merged block after block.
 */
#include <math.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/alloc.h"
#include "core/job.h"
#include "io/columns.h"
#include "io/gather.h"
#include "io/reader.h"

/* Blocks in a round, a thread: many, since threads wait for each other at its
 * end; fewer if each has to keep its text. */
enum { PLAIN_PER_THREAD = 64, UNPACKED_PER_THREAD = 8 };

/* Edges a thread gathers before the builder gets them, if memory allows: large
 * arrays cost fewer page faults, and the order of edges does not matter. */
enum { HAND_OVER = 1 << 21 };

/* How the file's lines look. */
typedef struct layout {
    char separator; /* ' ' means any blanks */
    bool header;
    bool weighted; /* edges carry weights */
    bool counted;  /* all of them 1, to be added up */
    bool times;    /* the third column looks like times, so it is no weight */
    /* A table read by column name: the fields that are wanted, and how many of
     * a record hold them; of a plain edge list, 0. */
    int source, target, weight, time, fields;
    double until; /* the last time, if time >= 0 */
} layout;

typedef enum pass {
    PASS_RAW,     /* ids are integers: edges at once */
    PASS_COLLECT, /* ids only */
    PASS_LOOK_UP  /* edges, ids found in a table */
} pass;

/* What a thread gathers from the blocks that it parses. */
typedef struct gathering {
    kith__block text; /* the one at hand, if the source is plain */
    kith__edges edges;
    kith__rank seen;    /* PASS_RAW: the ids met */
    kith__field *field; /* of a record, if read by column name */
} gathering;

/* One block's result. */
typedef struct parsed {
    kith__block block;
    gathering *to; /* of the thread that parses it */
    int64_t added; /* how many of them come from this block */
    kith__id_set ids;
    int64_t lines, comments, extra;
    int64_t halves, later; /* records without both ends, or after `until` */
    bool not_raw;          /* met an id that is not a small integer */
    kith_status st;
    kith_error error;
} parsed;

typedef struct parser {
    kith__source *source;
    const kith_build_options *options;
    kith_build_options merging; /* the same, the merge decided */
    kith__records records;      /* if read by column name */
    layout look;
    pass mode;
    const kith__ids *ids; /* PASS_LOOK_UP */
    kith__id_set *all;    /* PASS_COLLECT */
    kith__builder *builder;
    kith_cleaning *cleaning;
    int64_t lines; /* before the current round */
    int64_t halves, later;
    gathering *gathered; /* one a thread */
    int threads;
    int64_t hand_over; /* edges in one before the builder gets it */
    int64_t id_limit;  /* PASS_RAW: ids from here on are too large */
    parsed *slots;
    int n_slots;
} parser;

/* ---- one line ------------------------------------------------------------ */

/* Take a line's end off: the newline before `after`, and a CR. */
static const char *line_end(const char *begin, const char *after)
{
    after--;
    return after > begin && after[-1] == '\r' ? after - 1 : after;
}

static bool is_comment(const char *begin, const char *end)
{
    while (begin < end && kith__is_blank(*begin))
        begin++;
    return begin == end || *begin == '#' || *begin == '%';
}

#define line_fail(r, ...)                                                \
    ((r)->st = kith__fail(&(r)->error, KITH_ERR_PARSE, NULL, (r)->lines, \
                          __VA_ARGS__))

/* Check the two ids of a line. */
static bool ids_fit(parsed *r, const kith__field *f)
{
    for (int i = 0; i < 2; i++) {
        if (f[i].length == 0)
            line_fail(r, "node id is empty, expected two node ids");
        else if (f[i].length > KITH__ID_LONGEST)
            line_fail(r, "node id has %zu bytes, expected at most %d",
                      f[i].length, KITH__ID_LONGEST);
        else if (memchr(f[i].text, '\0', f[i].length))
            line_fail(r, "has a NUL byte, expected text");
        else if (memchr(f[i].text, '\r', f[i].length))
            line_fail(r, "has a carriage return inside, expected lines that "
                         "end in a line feed");
        else if (memchr(f[i].text, '\n', f[i].length))
            line_fail(r, "node id has a line end inside, expected it in other "
                         "columns only");
    }
    return r->st == KITH_OK;
}

/* "0,5", as some spreadsheets write numbers. */
static bool has_decimal_comma(const kith__field *f)
{
    const char *comma = memchr(f->text, ',', f->length);
    int64_t whole, part;

    return comma &&
           kith__parse_int(f->text, (size_t)(comma - f->text), &whole) &&
           kith__parse_int(comma + 1, f->length - (size_t)(comma + 1 - f->text),
                           &part);
}

static bool read_weight(parsed *r, const kith__field *f, float *weight)
{
    char shown[KITH_QUOTE_BUFFER];
    double value = 0;

    kith__quote(shown, f->text, f->length);
    if (has_decimal_comma(f))
        line_fail(r, "weight '%s' has a comma, expected a decimal point",
                  shown);
    else if (!kith__parse_real(f->text, f->length, &value))
        line_fail(r, "weight '%s' is not a number, expected one of 0 or more",
                  shown);
    else if (value < 0)
        line_fail(r, "weight '%s' is negative, expected 0 or more", shown);
    else if (!isfinite((float)value))
        line_fail(r,
                  "weight '%s' is infinite or not a number, expected 0 or "
                  "more",
                  shown);
    *weight = (float)value + 0.0f; /* no minus zero */
    return r->st == KITH_OK;
}

/* Split a data line into two ids and a weight. */
static bool split_line(parsed *r, const layout *look, char *begin,
                       const char *end, kith__field *id, float *weight)
{
    char *at = begin;
    kith__field third;
    int found = 0;
    bool weighted;

    while (found < 2 && kith__field_next(&at, end, look->separator, &id[found]))
        found++;
    if (!at) {
        line_fail(r,
                  "a quoted field does not end, expected \" before %s or "
                  "the end of the line",
                  kith__separator_name(look->separator));
        return false;
    }
    if (found < 2) {
        line_fail(r, "expected two node ids separated by %s, found %s",
                  kith__separator_name(look->separator),
                  found ? "one" : "none");
        return false;
    }
    if (!ids_fit(r, id))
        return false;
    *weight = 1;
    weighted = look->weighted && !look->counted;
    if (!kith__field_next(&at, end, look->separator, &third)) {
        if (weighted)
            line_fail(r, "expected a weight in the third field, found none");
        return r->st == KITH_OK;
    }
    if (weighted && !read_weight(r, &third, weight))
        return false;
    r->extra += !weighted ||
                kith__field_next(&at, end, look->separator, &third);
    return true;
}

static void push_edge(parsed *r, uint32_t u, uint32_t v, bool weighted,
                      float weight)
{
    kith__edges *e = &r->to->edges;

    if (e->n == e->capacity && !kith__edges_reserve(e, 1, weighted)) {
        r->st = kith__no_memory(&r->error);
        return;
    }
    e->ends[2 * e->n] = u;
    e->ends[2 * e->n + 1] = v;
    if (weighted)
        e->weights[e->n] = weight;
    e->n++;
}

static void use_raw(const parser *p, parsed *r, const kith__field *id,
                    float weight)
{
    kith__rank *seen = &r->to->seen;
    int64_t u, v;

    if (!kith__id_integer(id[0].text, id[0].length, &u) ||
        !kith__id_integer(id[1].text, id[1].length, &v) || u >= p->id_limit ||
        v >= p->id_limit) {
        r->not_raw = true;
        return;
    }
    if (!kith__rank_reserve(seen, (uint32_t)(u > v ? u : v))) {
        r->st = kith__no_memory(&r->error);
        return;
    }
    kith__rank_mark(seen, (uint32_t)u);
    kith__rank_mark(seen, (uint32_t)v);
    push_edge(r, (uint32_t)u, (uint32_t)v, p->look.weighted, weight);
}

static void use_ids(parsed *r, const kith__field *id)
{
    for (int i = 0; i < 2; i++)
        if (kith__id_set_add(&r->ids, id[i].text, id[i].length, NULL) < 0)
            r->st = kith__no_memory(&r->error);
}

static void use_table(const parser *p, parsed *r, const kith__field *id,
                      float weight)
{
    int32_t node[2];

    for (int i = 0; i < 2; i++) {
        node[i] = kith__ids_find(p->ids, id[i].text, id[i].length);
        if (node[i] < 0) {
            char shown[KITH_QUOTE_BUFFER];

            line_fail(r,
                      "unknown node '%s', expected one of the %d in the "
                      "list of nodes",
                      kith__quote(shown, id[i].text, id[i].length),
                      (int)p->ids->n);
            return;
        }
    }
    push_edge(r, (uint32_t)node[0], (uint32_t)node[1], p->look.weighted,
              weight);
}

static void use_edge(const parser *p, parsed *r, const kith__field *id,
                     float weight)
{
    if (p->mode == PASS_RAW)
        use_raw(p, r, id, weight);
    else if (p->mode == PASS_COLLECT)
        use_ids(r, id);
    else
        use_table(p, r, id, weight);
}

/* Any line: [begin, after), ending in a newline. */
static void parse_line(const parser *p, parsed *r, char *begin,
                       const char *after)
{
    const char *end = line_end(begin, after);
    kith__field id[2];
    float weight;

    r->lines++;
    if (is_comment(begin, end)) {
        r->comments++;
        return;
    }
    if (split_line(r, &p->look, begin, end, id, &weight))
        use_edge(p, r, id, weight);
}

/* ---- one record of a table read by column name --------------------------- */

/* Is it after the last time that is wanted? */
static bool is_later(const layout *look, parsed *r, const kith__field *f)
{
    char shown[KITH_QUOTE_BUFFER];
    double time;

    if (kith__parse_time(f->text, f->length, &time))
        return time > look->until;
    line_fail(r,
              "time '%s' is neither a number nor a date, expected one "
              "as 1717150000 or 2024-05-31 12:00",
              kith__quote(shown, f->text, f->length));
    return true;
}

/* The edge of a record of `found` fields. */
static void use_record(const parser *p, parsed *r, const kith__field *f,
                       int found)
{
    const layout *look = &p->look;
    kith__field id[2];
    float weight = 1;

    if (found < look->fields) {
        line_fail(r,
                  "has %d fields, expected at least %d as the header has "
                  "them",
                  found, look->fields);
        return;
    }
    id[0] = f[look->source];
    id[1] = f[look->target];
    if (look->time >= 0 && is_later(look, r, &f[look->time])) {
        r->later++;
        return;
    }
    if (id[0].length == 0 || id[1].length == 0) {
        r->halves++;
        return;
    }
    if (ids_fit(r, id) &&
        (look->weight < 0 || read_weight(r, &f[look->weight], &weight)))
        use_edge(p, r, id, weight);
}

static void parse_records(const parser *p, parsed *r, const kith__block *block)
{
    char *at = block->text, *end = at + block->length;
    kith__field *field = r->to->field;

    while (at < end && r->st == KITH_OK && !r->not_raw) {
        int64_t lines = 0;
        int found;

        r->lines++; /* where a fault is */
        if (kith__record_is_comment(at, end)) {
            at = (char *)memchr(at, '\n', (size_t)(end - at)) + 1;
            r->comments++;
            continue;
        }
        if (!kith__record_split(&at, end, p->look.separator, p->records.quotes,
                                field, p->look.fields, &found, &lines)) {
            line_fail(r,
                      "a quoted field does not end, expected \" before %s "
                      "or the end of the line",
                      kith__separator_name(p->look.separator));
            return;
        }
        use_record(p, r, field, found);
        r->lines += lines - 1;
    }
}

/* ---- the fast path: "123<TAB>456\n" -------------------------------------- */

/* Which of the 64 bytes at p are no digits, a bit each. */
static inline uint64_t non_digits(const char *p)
{
    uint64_t marks = 0;

#ifdef __SSE2__
    for (int i = 0; i < 4; i++) {
        const __m128i x = _mm_loadu_si128((const void *)(p + 16 * i));
        /* '9' becomes the largest byte there is, and what follows it wraps. */
        const __m128i moved = _mm_add_epi8(x, _mm_set1_epi8(127 - '9'));
        const __m128i digit = _mm_cmpgt_epi8(moved, _mm_set1_epi8(127 - 10));

        marks |= (uint64_t)(uint32_t)_mm_movemask_epi8(digit) << (16 * i);
    }
    return ~marks;
#else
    for (int i = 0; i < 8; i++) {
        uint64_t x;

        memcpy(&x, p + 8 * i, 8);
        x ^= 0x3030303030303030u; /* digits are 0 to 9 now */
        x |= (x & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u;
        x = (x & 0x8080808080808080u) >> 7; /* gather the 8 bits */
        marks |= (x * 0x0102040810204080u) >> 56 << (8 * i);
    }
    return marks;
#endif
}

/* The n digits at p, 1 to 8 of them, at the top of a word. */
static inline uint64_t load_digits(const char *p, int n)
{
    uint64_t x;

    memcpy(&x, p, 8);
    return (x & 0x0f0f0f0f0f0f0f0fu) << (64 - 8 * n);
}

/* The values of two words of 8 digits: joined pairwise to 4 numbers of two
 * digits, 2 of four, 1 of eight. */
#ifdef __SSE2__
static inline void join_digits(uint64_t a, uint64_t b, uint32_t *to)
{
    const __m128i ones = _mm_set_epi64x((long long)b, (long long)a);
    const __m128i tens = _mm_and_si128(ones, _mm_set1_epi16(255));
    const __m128i two = _mm_add_epi16(_mm_mullo_epi16(tens, _mm_set1_epi16(10)),
                                      _mm_srli_epi16(ones, 8));
    const __m128i four = _mm_madd_epi16(two, _mm_set1_epi32(1 << 16 | 100));
    const __m128i packed = _mm_packs_epi32(four, four);

    _mm_storel_epi64((void *)to,
                     _mm_madd_epi16(packed, _mm_set1_epi32(1 << 16 | 10000)));
}
#else
static inline uint32_t join_8(uint64_t x)
{
    x = x * 10 + (x >> 8);
    return (
        uint32_t)((((x & 0x000000ff000000ffu) * 0x000f424000000064u) +
                   (((x >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u)) >>
                  32);
}

static inline void join_digits(uint64_t a, uint64_t b, uint32_t *to)
{
    to[0] = join_8(a);
    to[1] = join_8(b);
}
#endif

/* Are the n digits at p an id as we print it, and short? */
static inline bool is_short(const char *p, int n)
{
    return (unsigned)n - 1 < 8 && (*p != '0' || n == 1);
}

/*
 * Take the lines among the 64 bytes at p that are two short integers which
 * `seen` has room for and nothing else, up to the first that is not; returns
 * where that begins.  Finding the ends of the fields first makes their values
 * independent of each other, so that the processor works on several at once.
 */
static inline int parse_chunk(const char *p, char separator, kith__rank *seen,
                              uint32_t **edges)
{
    const uint32_t limit = (uint32_t)(seen->words * 64);
    uint64_t marks = non_digits(p), rest;
    uint32_t *to = *edges;
    int begin = 0;

    for (; (rest = marks & (marks - 1)) != 0; to += 2) {
        const int middle = __builtin_ctzll(marks), second = middle + 1;
        int end = __builtin_ctzll(rest);

        if (p[middle] != separator || !is_short(p + begin, middle - begin) ||
            !is_short(p + second, end - second))
            break;
        join_digits(load_digits(p + begin, middle - begin),
                    load_digits(p + second, end - second), to);
        marks = rest & (rest - 1);
        if (p[end] == '\r') {
            end++;
            marks &= marks - 1;
        }
        if (p[end] != '\n' || to[0] >= limit || to[1] >= limit)
            break;
        kith__rank_mark(seen, to[0]);
        kith__rank_mark(seen, to[1]);
        begin = end + 1;
    }
    *edges = to;
    return begin;
}

/* Take short lines from `at` on, as long as they are nothing else and there is
 * room for their edges; returns where that ends. */
static char *parse_short_lines(parsed *r, char *at, const char *end,
                               char separator)
{
    enum { LINES = 16 }; /* no more are in a chunk */
    kith__edges *e = &r->to->edges;
    kith__rank seen = r->to->seen;
    uint32_t *to = e->ends + 2 * e->n, *const from = to;
    const uint32_t *room = e->ends + 2 * (e->capacity - LINES);
    int used = 1;

    for (; at < end && used && to <= room; at += used)
        used = parse_chunk(at, separator, &seen, &to);
    e->n += (to - from) / 2;
    r->lines += (to - from) / 2;
    return at;
}

/* Edges to make room for: those of a block, but the first time all that the
 * thread may get before it hands them over. */
static int64_t room_for(const parser *p, const kith__edges *edges,
                        const kith__block *block)
{
    const int64_t here = block->length / 12 + 16;
    int64_t share = kith__source_size(p->source) / 12 / p->threads;

    if (edges->capacity > 0)
        return here;
    share = share < p->hand_over ? share : p->hand_over;
    return share + here;
}

static void parse_block(const parser *p, parsed *r, const kith__block *block)
{
    char *at = block->text, *end = at + block->length;
    const bool fast = p->mode == PASS_RAW && !p->look.weighted;
    kith__edges *edges = &r->to->edges;
    const int64_t before = edges->n;

    if (p->mode != PASS_COLLECT &&
        !kith__edges_reserve(edges, room_for(p, edges, block),
                             p->look.weighted))
        r->st = kith__no_memory(&r->error);
    if (p->look.fields > 0) {
        parse_records(p, r, block);
        at = end;
    }
    while (at < end && r->st == KITH_OK && !r->not_raw) {
        char *next;

        if (fast)
            at = parse_short_lines(r, at, end, p->look.separator);
        if (at == end)
            break;
        next = (char *)memchr(at, '\n', (size_t)(end - at)) + 1;
        parse_line(p, r, at, next);
        at = next;
    }
    r->added = edges->n - before;
}

/* ---- the first lines ----------------------------------------------------- */

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
        *end = line_end(begin, after + 1);
        if (!is_comment(begin, *end))
            return begin;
    }
    return NULL;
}

/* Also with a decimal comma, which is then refused rather than ignored. */
static bool looks_like_weight(const kith__field *f)
{
    return is_number(f) || has_decimal_comma(f);
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
static kith_status look_at_block(const kith__block *b, layout *look,
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
static void decide_merge(parser *p, bool by_name, bool plain)
{
    layout *look = &p->look;

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
static void tell_columns(const parser *p, const kith__head *h,
                         const kith__edge_columns *e)
{
    const layout *look = &p->look;
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
static kith_status take_columns(parser *p, const kith__edge_columns *e,
                                kith_error *err)
{
    const kith_table_options *t = p->options->table;
    const int at[] = {e->source, e->target, e->weight, e->time};
    layout *look = &p->look;
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
static kith_status take_konect(const parser *p, const kith__block *b,
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

/* Find out how the file is to be read, from its first block. */
static kith_status look_at_file(parser *p, kith__block *b,
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
static void pass_header(parser *p, parsed *r, kith__block *block)
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

/* Skip the byte order mark and the header line of the file's first block. */
static void trim_first_block(parser *p, parsed *r, kith__block *block)
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

/* ---- all lines ----------------------------------------------------------- */

static void reset_slot(parsed *r)
{
    kith__id_set_clear(&r->ids);
    r->added = 0;
    r->lines = r->comments = r->extra = 0;
    r->halves = r->later = 0;
    r->not_raw = false;
    r->st = KITH_OK;
}

/* Load and parse the planned blocks, each by one thread. */
static void parse_round(parser *p, int n, bool first)
{
#pragma omp parallel for num_threads(kith__threads(&p->options->job)) \
    schedule(dynamic, 1)
    for (int i = 0; i < n; i++) {
        parsed *r = &p->slots[i];
        kith__block *block = &r->block;

        reset_slot(r);
        r->to = &p->gathered[kith__thread_number()];
        if (block->from >= 0) { /* plain: one text a thread is enough */
            r->to->text.from = block->from;
            r->to->text.to = block->to;
            block = &r->to->text;
        }
        r->st = kith__block_load(p->source, block, &r->error);
        if (r->st != KITH_OK)
            continue;
        if (first && i == 0)
            trim_first_block(p, r, block);
        parse_block(p, r, block);
    }
}

static kith_status take_ids(parser *p, parsed *r, kith_error *err)
{
    for (int32_t i = 0; i < r->ids.n; i++) {
        size_t length;
        const char *text = kith__id_set_get(&r->ids, i, &length);
        const int32_t number = kith__id_set_add(p->all, text, length, NULL);

        if (number == -2)
            return kith__fail(err, KITH_ERR_RANGE, kith__source_path(p->source),
                              0, "has more than 2147483646 nodes");
        if (number < 0)
            return kith__no_memory(err);
    }
    return KITH_OK;
}

/* Take over one block's result, in order. */
static kith_status take_block(parser *p, parsed *r, kith_error *err)
{
    kith_cleaning *c = p->cleaning;

    if (r->st != KITH_OK) {
        if (err) {
            *err = r->error;
            if (err->line > 0)
                err->line += p->lines;
            if (!err->path[0])
                snprintf(err->path, sizeof(err->path), "%s",
                         kith__source_path(p->source));
        }
        return r->st;
    }
    p->lines += r->lines;
    if (p->mode == PASS_COLLECT)
        return take_ids(p, r, err);
    c->lines += r->lines;
    c->comments += r->comments;
    c->extra_fields += r->extra;
    c->entries += r->added;
    p->halves += r->halves;
    p->later += r->later;
    return KITH_OK;
}

/* Give the builder the arrays that hold at least `least` edges. */
static kith_status hand_over(parser *p, int64_t least, kith_error *err)
{
    kith_status st = KITH_OK;

    for (int t = 0; t < p->threads && p->mode != PASS_COLLECT; t++) {
        if (p->gathered[t].edges.n >= least)
            TRY(kith__builder_add(p->builder, &p->gathered[t].edges, err));
    }
out:
    return st;
}

/* Larger ids than these are too sparse for a bit each, one set a thread. */
static int64_t id_limit(const parser *p)
{
    const int64_t limit = ((int64_t)1 << 24) +
                          16 * p->cleaning->entries / p->threads;

    return limit < INT32_MAX - 1 ? limit : INT32_MAX - 1;
}

static kith_status hand_over_ids(parser *p, kith_error *err)
{
    kith_status st = KITH_OK;

    for (int t = 0; t < p->threads && p->mode == PASS_RAW; t++)
        TRY(kith__builder_mark(p->builder, &p->gathered[t].seen, err));
out:
    return st;
}

/* One pass over the file.  *not_raw: PASS_RAW cannot go on. */
static kith_status run_pass(parser *p, bool *not_raw, kith_error *err)
{
    kith_status st = KITH_OK;
    bool first = true;

    *not_raw = false;
    p->lines = p->halves = p->later = 0;
    for (int t = 0; t < p->threads; t++)
        kith__edges_release(&p->gathered[t].edges);
    TRY(kith__source_rewind(p->source, err));
    kith__records_release(&p->records);
    p->records.source = p->source;
    p->records.separator = p->look.separator;
    p->records.quotes = p->look.separator != ' ' &&
                        (p->look.separator != '\t' || p->look.header);
    for (;;) {
        bool more = true;
        int n = 0;

        TRY(kith__progress(&p->options->job,
                           p->mode == PASS_COLLECT ? "reading ids"
                                                   : "reading edges",
                           kith__source_done(p->source),
                           kith__source_size(p->source), "bytes", err));
        for (; n < p->n_slots; n++) {
            kith__block *block = &p->slots[n].block;

            TRY(p->look.fields > 0
                    ? kith__records_next(&p->records, block, &more, err)
                    : kith__source_plan(p->source, block, &more, err));
            if (!more)
                break;
        }
        if (n == 0)
            break;
        p->id_limit = id_limit(p);
        parse_round(p, n, first);
        first = false;
        for (int i = 0; i < n; i++) {
            if (p->slots[i].not_raw) {
                *not_raw = true;
                return KITH_OK;
            }
            TRY(take_block(p, &p->slots[i], err));
        }
        TRY(hand_over(p, p->hand_over, err));
    }
    TRY(hand_over(p, 0, err));
    TRY(hand_over_ids(p, err));
out:
    return st;
}

/* Blocks at once: one that is filled in order keeps its text, and each may hold
 * the ids of its block, half a MiB: an eighth of memory. */
static int slots_for(const parser *p)
{
    const int64_t memory = p->options->job.memory;
    const bool in_order = p->look.fields > 0 ||
                          kith__source_compressed(p->source);
    const int n = p->threads *
                  (in_order ? UNPACKED_PER_THREAD : PLAIN_PER_THREAD);

    if (memory <= 0 || memory >> 22 >= n)
        return n;
    return memory >> 22 > p->threads ? (int)(memory >> 22) : p->threads;
}

static kith_status open_parser(parser *p, const kith__known *known,
                               kith_error *err)
{
    const int64_t memory = p->options->job.memory;
    kith_status st = KITH_OK;
    kith__block first = {0};
    bool more;

    p->threads = kith__threads(&p->options->job);
    p->merging = *p->options;
    p->hand_over = HAND_OVER; /* all arrays together: a sixteenth of memory */
    if (memory > 0 && memory / 16 / 12 / p->threads < HAND_OVER)
        p->hand_over = memory / 16 / 12 / p->threads;
    TRY_NEW(p->gathered, kith__alloc_zeroed(p->threads, sizeof(*p->gathered)));
    TRY(kith__source_plan(p->source, &first, &more, err));
    if (more) {
        TRY(kith__block_load(p->source, &first, err));
        TRY(look_at_file(p, &first, known, err));
    }
    p->n_slots = slots_for(p);
    TRY_NEW(p->slots, kith__alloc_zeroed(p->n_slots, sizeof(*p->slots)));
out:
    kith__block_release(&first);
    return st;
}

static void close_parser(parser *p)
{
    for (int i = 0; p->slots && i < p->n_slots; i++) {
        kith__block_release(&p->slots[i].block);
        kith__id_set_release(&p->slots[i].ids);
    }
    for (int t = 0; p->gathered && t < p->threads; t++) {
        kith__block_release(&p->gathered[t].text);
        kith__edges_release(&p->gathered[t].edges);
        kith__rank_release(&p->gathered[t].seen);
        kith__free(p->gathered[t].field);
    }
    kith__records_release(&p->records);
    kith__free(p->gathered);
    kith__free(p->slots);
}

/* ---- ids ----------------------------------------------------------------- */

/* Ids named elsewhere join the nodes: as bits (raw) or as further ids. */
static kith_status mark_known(const kith__known *known, kith__rank *seen,
                              kith_error *err)
{
    if (known->numbered > 0 &&
        !kith__rank_reserve(seen, (uint32_t)known->numbered - 1))
        return kith__no_memory(err);
    for (int32_t i = 0; i < known->numbered; i++)
        kith__rank_mark(seen, (uint32_t)i);
    for (int32_t i = 0; known->named && i < known->named->n; i++) {
        size_t length;
        const char *text = kith__id_set_get(known->named, i, &length);
        int64_t id = 0;

        (void)kith__id_integer(text, length, &id); /* it is: see below */
        if (!kith__rank_reserve(seen, (uint32_t)id))
            return kith__no_memory(err);
        kith__rank_mark(seen, (uint32_t)id);
    }
    return KITH_OK;
}

/* Raw only if every id named elsewhere is a small integer too. */
static bool known_allow_raw(const kith__known *known, int64_t limit)
{
    if (known->nodes || known->numbered > limit)
        return false;
    for (int32_t i = 0; known->named && i < known->named->n; i++) {
        size_t length;
        const char *text = kith__id_set_get(known->named, i, &length);
        int64_t id;

        if (!kith__id_integer(text, length, &id) || id >= limit)
            return false;
    }
    return true;
}

/* Try to take the ids as integers; *done is false if that cannot be. */
static kith_status read_raw(parser *p, const kith__known *known,
                            kith__gathered *out, bool *done, kith_error *err)
{
    kith_status st = KITH_OK;
    bool not_raw = false;

    *done = false;
    p->mode = PASS_RAW;
    TRY(kith__builder_new(&p->merging, true, p->look.weighted, &p->builder,
                          err));
    TRY(mark_known(known, &p->gathered[0].seen, err));
    TRY(run_pass(p, &not_raw, err));
    if (!not_raw) {
        out->builder = p->builder;
        out->raw = true;
        p->builder = NULL;
        *done = true;
    }
out:
    kith__builder_free(p->builder);
    p->builder = NULL;
    return st;
}

/* Collect the ids unless a list gave them, then look them up. */
static kith_status read_by_table(parser *p, const kith__known *known,
                                 kith__gathered *out, kith_error *err)
{
    kith_status st = KITH_OK;
    kith__id_set all = {0};
    bool ignored;

    *p->cleaning = (kith_cleaning){0};
    if (known->nodes) {
        TRY(kith__ids_copy(known->nodes, &out->ids, err));
    } else {
        p->mode = PASS_COLLECT;
        p->all = &all;
        TRY(run_pass(p, &ignored, err));
        TRY(kith__known_add(known, &all, err));
        TRY(kith__ids_from_set(&all, true, &p->options->job, &out->ids, err));
    }
    p->mode = PASS_LOOK_UP;
    p->ids = &out->ids;
    TRY(kith__builder_new(&p->merging, false, p->look.weighted, &out->builder,
                          err));
    p->builder = out->builder;
    TRY(run_pass(p, &ignored, err));
out:
    p->builder = NULL;
    p->all = NULL;
    kith__id_set_release(&all);
    return st;
}

static void tell_left_out(const parser *p)
{
    if (p->halves > 0)
        kith__tell(p->options, "left out",
                   "%lld %s without a source or a target", (long long)p->halves,
                   p->halves == 1 ? "row" : "rows");
    if (p->later > 0)
        kith__tell(p->options, "left out", "%lld %s after %s",
                   (long long)p->later, p->later == 1 ? "edge" : "edges",
                   p->options->table->until);
}

kith_status kith__edgelist_read(kith__source *source, const kith__known *known,
                                const kith_build_options *options,
                                kith__gathered *out, kith_error *err)
{
    parser p = {
        .options = options, .source = source, .cleaning = &out->cleaning};
    kith_status st = KITH_OK;
    bool done = false;

    TRY(open_parser(&p, known, err));
    if (known_allow_raw(known, id_limit(&p)))
        TRY(read_raw(&p, known, out, &done, err));
    if (!done)
        TRY(read_by_table(&p, known, out, err));
    if (out->cleaning.entries == 0 && !kith__known_any(known))
        TRY(kith__fail(err, KITH_ERR_PARSE, kith__source_path(source), 0,
                       "has no edges, expected lines with two node ids"));
    tell_left_out(&p);
out:
    close_parser(&p);
    return st;
}

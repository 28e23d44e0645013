/*
 * edge_lines.c: blocks of lines to edges, each by one thread.
 *
 * Short lines of two integers, which most large files are made of, are read by
 * whole words (parse_short_lines).
 */
#include "io/edge_lines.h"

#include <math.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/alloc.h"

/* ---- one line ------------------------------------------------------------ */

#define line_fail(r, ...)                                                \
    ((r)->st = kith__fail(&(r)->error, KITH_ERR_PARSE, NULL, (r)->lines, \
                          __VA_ARGS__))

/* Check the two ids of a line. */
static bool ids_fit(kith__edge_block *r, const kith__field *f)
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

static bool read_weight(kith__edge_block *r, const kith__field *f,
                        float *weight)
{
    char shown[KITH_QUOTE_BUFFER];
    double value = 0;

    kith__quote(shown, f->text, f->length);
    if (kith__has_decimal_comma(f))
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
static bool split_line(kith__edge_block *r, const kith__edge_layout *look,
                       char *begin, const char *end, kith__field *id,
                       float *weight)
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

static void push_edge(kith__edge_block *r, uint32_t u, uint32_t v,
                      bool weighted, float weight)
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

static void use_raw(const kith__edge_parser *p, kith__edge_block *r,
                    const kith__field *id, float weight)
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

static void use_ids(kith__edge_block *r, const kith__field *id)
{
    for (int i = 0; i < 2; i++)
        if (kith__id_set_add(&r->ids, id[i].text, id[i].length, NULL) < 0)
            r->st = kith__no_memory(&r->error);
}

static void use_table(const kith__edge_parser *p, kith__edge_block *r,
                      const kith__field *id, float weight)
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

static void use_edge(const kith__edge_parser *p, kith__edge_block *r,
                     const kith__field *id, float weight)
{
    if (p->mode == KITH__PASS_RAW)
        use_raw(p, r, id, weight);
    else if (p->mode == KITH__PASS_COLLECT)
        use_ids(r, id);
    else
        use_table(p, r, id, weight);
}

/* Any line: [begin, after), ending in a newline. */
static void parse_line(const kith__edge_parser *p, kith__edge_block *r,
                       char *begin, const char *after)
{
    const char *end = kith__line_end(begin, after);
    kith__field id[2];
    float weight;

    r->lines++;
    if (kith__line_is_comment(begin, end)) {
        r->comments++;
        return;
    }
    if (split_line(r, &p->look, begin, end, id, &weight))
        use_edge(p, r, id, weight);
}

/* ---- one record of a table read by column name --------------------------- */

/* Is it after the last time that is wanted? */
static bool is_later(const kith__edge_layout *look, kith__edge_block *r,
                     const kith__field *f)
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
static void use_record(const kith__edge_parser *p, kith__edge_block *r,
                       const kith__field *f, int found)
{
    const kith__edge_layout *look = &p->look;
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

static void parse_records(const kith__edge_parser *p, kith__edge_block *r,
                          const kith__block *block)
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
static char *parse_short_lines(kith__edge_block *r, char *at, const char *end,
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
static int64_t room_for(const kith__edge_parser *p, const kith__edges *edges,
                        const kith__block *block)
{
    const int64_t here = block->length / 12 + 16;
    int64_t share = kith__source_size(p->source) / 12 / p->threads;

    if (edges->capacity > 0)
        return here;
    share = share < p->hand_over ? share : p->hand_over;
    return share + here;
}

void kith__edge_lines_parse(const kith__edge_parser *p, kith__edge_block *r,
                            const kith__block *block)
{
    char *at = block->text, *end = at + block->length;
    const bool fast = p->mode == KITH__PASS_RAW && !p->look.weighted;
    kith__edges *edges = &r->to->edges;
    const int64_t before = edges->n;

    if (p->mode != KITH__PASS_COLLECT &&
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

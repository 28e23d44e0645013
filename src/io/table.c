#include "io/table.h"

#include "core/alloc.h"

enum { PADDING = 64 };

/* ---- where records end --------------------------------------------------- */

bool kith__record_is_comment(const char *at, const char *end)
{
    while (at < end && kith__is_blank(*at))
        at++;
    return at == end || *at == '#' || *at == '%' || *at == '\n' ||
           (*at == '\r' && at + 1 < end && at[1] == '\n');
}

/* Behind the quoted text at `at`; NULL if it does not end. */
static char *behind_quote(char *at, const char *end)
{
    at++;
    while (at < end) {
        at = memchr(at, '"', (size_t)(end - at));
        if (!at)
            return NULL;
        if (at + 1 == end || at[1] != '"')
            return at + 1;
        at += 2; /* a quote that stands for itself */
    }
    return NULL;
}

/* Behind the record at `at`; NULL if it does not end in [at, end). */
static char *record_end(char *at, const char *end, char separator)
{
    char *newline = memchr(at, '\n', (size_t)(end - at));

    if (!newline || kith__record_is_comment(at, end) ||
        !memchr(at, '"', (size_t)(newline - at)))
        return newline ? newline + 1 : NULL;
    for (;;) {
        while (at < end && kith__is_blank(*at) && *at != separator)
            at++;
        if (at < end && *at == '"')
            at = behind_quote(at, end);
        if (!at)
            return NULL;
        while (at < end && *at != separator && *at != '\n')
            at++;
        if (at == end)
            return NULL;
        if (*at++ == '\n')
            return at;
    }
}

/* Bytes of whole records at the front of a text. */
static int64_t whole_records(char *text, int64_t n, char separator, bool quotes)
{
    char *at = text, *const end = text + n;

    if (!quotes || !memchr(text, '"', (size_t)n)) {
        while (n > 0 && text[n - 1] != '\n')
            n--;
        return n;
    }
    while (at < end) {
        char *next = record_end(at, end, separator);

        if (!next)
            break;
        at = next;
    }
    return at - text;
}

/* ---- blocks -------------------------------------------------------------- */

void kith__records_release(kith__records *r)
{
    kith__free(r->carry);
    *r = (kith__records){0};
}

static kith_status reserve(const kith__records *r, kith__block *b,
                           int64_t length, kith_error *err)
{
    if (length > KITH__LINE_LONGEST + 4 * KITH__BLOCK_BYTES)
        return kith__fail(err, KITH_ERR_PARSE, kith__source_path(r->source), 0,
                          "has a line longer than 64 MiB, or a quoted field "
                          "that does not end; expected a table");
    if (!kith__grow((void **)&b->memory, &b->capacity, length + PADDING + 2, 1))
        return kith__no_memory(err);
    b->text = b->memory;
    return KITH_OK;
}

static void end_as_unix(char *text, int64_t n)
{
    for (char *c = text; (c = memchr(c, '\r', (size_t)(text + n - c))); c++)
        *c = '\n';
}

/* What the first bytes tell: a mark, how lines end, what parts fields. */
static void look_first(kith__records *r, kith__block *b)
{
    const char *at = b->text, *end;

    r->started = true;
    if (b->length >= 3 && memcmp(b->text, "\xef\xbb\xbf", 3) == 0) {
        memmove(b->text, b->text + 3, (size_t)b->length - 3);
        b->length -= 3;
    }
    end = b->text + b->length;
    r->old_mac = memchr(at, '\r', (size_t)b->length) &&
                 !memchr(at, '\n', (size_t)b->length);
    if (r->old_mac)
        end_as_unix(b->text, b->length);
    for (const char *next; !r->separator && at < end; at = next) {
        next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next + 1 : end;
        if (!kith__record_is_comment(at, end))
            r->separator = kith__separator_of(
                at, (size_t)(next - at - (next[-1] == '\n')));
    }
    if (!r->separator)
        r->separator = '\t';
    r->quotes = r->quotes || r->separator == ',' || r->separator == ';';
}

/* Keep what follows `whole` for the next block. */
static kith_status keep_rest(kith__records *r, kith__block *b, int64_t whole,
                             kith_error *err)
{
    const int64_t n = b->length - whole;

    if (!kith__grow((void **)&r->carry, &r->carry_cap, n, 1))
        return kith__no_memory(err);
    if (n > 0)
        memcpy(r->carry, b->text + whole, (size_t)n);
    r->carry_n = n;
    b->length = whole;
    return KITH_OK;
}

/* Read more bytes behind those of the block. */
static kith_status read_more(kith__records *r, kith__block *b, int64_t want,
                             kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t got;

    TRY(reserve(r, b, b->length + want, err));
    TRY(kith__source_read(r->source, b->text + b->length, want, &got, err));
    if (r->old_mac)
        end_as_unix(b->text + b->length, got);
    b->length += got;
    r->finished = got < want;
    if (!r->started)
        look_first(r, b);
out:
    return st;
}

kith_status kith__records_next(kith__records *r, kith__block *b, bool *more,
                               kith_error *err)
{
    int64_t want = KITH__BLOCK_BYTES, whole = 0;
    kith_status st = KITH_OK;

    b->length = 0;
    b->from = b->to = -1;
    *more = !r->finished;
    if (r->finished)
        goto out;
    TRY(reserve(r, b, r->carry_n + want, err));
    if (r->carry_n > 0)
        memcpy(b->text, r->carry, (size_t)r->carry_n);
    b->length = r->carry_n;
    r->carry_n = 0;
    for (; whole == 0 && !r->finished; want *= 2) {
        TRY(read_more(r, b, want, err));
        whole = whole_records(b->text, b->length, r->separator, r->quotes);
    }
    if (r->finished) {
        if (b->length > 0 && b->text[b->length - 1] != '\n')
            b->text[b->length++] = '\n';
    } else {
        TRY(keep_rest(r, b, whole, err));
    }
    memset(b->text + b->length, 0, PADDING);
    *more = b->length > 0;
out:
    return st;
}

/* ---- fields -------------------------------------------------------------- */

/* A quoted field at *at, unquoted in place; *at moves behind its quote. */
static bool take_quoted(char **at, const char *end, kith__field *out,
                        int64_t *lines)
{
    char *from = *at + 1, *to = from;

    out->text = to;
    for (; from < end && (*from != '"' || (from + 1 < end && from[1] == '"'));
         from++) {
        from += *from == '"';
        *lines += *from == '\n';
        *to++ = *from;
    }
    out->length = (size_t)(to - out->text);
    *at = from + 1;
    return from < end;
}

/* A field that is not quoted, up to `stop`. */
static void take_plain(char *from, char *stop, char separator, kith__field *out)
{
    if (stop > from && *stop == '\n' && stop[-1] == '\r')
        stop--;
    if (separator != '\t')
        while (stop > from && kith__is_blank(stop[-1]))
            stop--;
    *out = (kith__field){from, (size_t)(stop - from)};
}

/* Blanks part the fields of this line. */
static void split_blanks(char *at, char *stop, kith__field *field, int most,
                         int *found)
{
    kith__field f;

    if (stop > at && stop[-1] == '\r')
        stop--;
    while (
        kith__field_next(&at, stop, ' ', *found < most ? &field[*found] : &f))
        ++*found;
}

bool kith__record_split(char **at, char *end, char separator, bool quotes,
                        kith__field *field, int most, int *found,
                        int64_t *lines)
{
    char *c = *at;

    *found = 0;
    ++*lines;
    if (separator == ' ') {
        char *newline = memchr(c, '\n', (size_t)(end - c));

        split_blanks(c, newline, field, most, found);
        *at = newline + 1;
        return true;
    }
    for (;;) {
        kith__field f;
        bool last;

        while (kith__is_blank(*c) && *c != separator)
            c++;
        if (quotes && *c == '"') {
            if (!take_quoted(&c, end, &f, lines))
                return false;
            while (kith__is_blank(*c) && *c != separator)
                c++;
            c += *c == '\r' && c[1] == '\n';
            if (*c != separator && *c != '\n')
                return false;
        } else {
            char *from = c;

            while (*c != separator && *c != '\n')
                c++;
            take_plain(from, c, separator, &f);
        }
        if (*found < most)
            field[*found] = f;
        ++*found;
        last = *c++ == '\n';
        if (last)
            break;
    }
    *at = c;
    return true;
}

/* ---- the head ------------------------------------------------------------ */

void kith__head_release(kith__head *h)
{
    kith__free(h->cell);
    kith__free(h->text);
    *h = (kith__head){0};
}

static void show_line(const char *from, const char *after, char *out,
                      size_t size)
{
    const size_t n = (size_t)(after - from);
    size_t i = 0;

    for (; i < n && i < size - 4; i++) {
        const unsigned char c = (unsigned char)from[i];

        if (c == '\n' || c == '\r')
            break;
        out[i] = c == '\t' || c >= 32 ? from[i] : '?';
    }
    snprintf(out + i, size - i, "%s", i < n && i == size - 4 ? "..." : "");
}

/* How many fields the first record has; 0 if there is none. */
static int first_width(const char *text, int64_t n, char separator,
                       char *scratch)
{
    char *at = scratch, *end = scratch + n;
    int found = 0;
    int64_t lines = 0;

    memcpy(scratch, text, (size_t)n);
    while (at < end && kith__record_is_comment(at, end))
        at = (char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    if (at == end || !kith__record_split(&at, end, separator, separator != '\t',
                                         NULL, 0, &found, &lines))
        return 0;
    return found < KITH__COLUMNS_MOST ? found : KITH__COLUMNS_MOST;
}

/* Bytes of the records that a head is looked for in. */
static int64_t head_length(const kith__block *first, char separator)
{
    const int64_t most = 1 << 16;
    int64_t n = first->length;

    if (n > most) {
        n = whole_records(first->text, most, separator, separator != '\t');
        n = n > 0 ? n : first->length;
    }
    return n;
}

kith_status kith__head_read(const kith__block *first, char separator,
                            kith__head *out, kith_error *err)
{
    const int64_t n = head_length(first, separator);
    kith_status st = KITH_OK;
    int64_t lines = 0;
    char *at, *end;
    int found;

    *out = (kith__head){.separator = separator};
    TRY_NEW(out->text, kith__alloc(n + PADDING, 1));
    out->columns = n ? first_width(first->text, n, separator, out->text) : 0;
    if (out->columns == 0)
        goto out;
    TRY_NEW(out->cell, kith__alloc((int64_t)KITH__HEAD_ROWS * out->columns,
                                   sizeof(*out->cell)));
    memcpy(out->text, first->text, (size_t)n);
    memset(out->text + n, 0, PADDING);
    at = out->text;
    end = at + n;
    for (int shown = 0; at < end && out->rows < KITH__HEAD_ROWS;) {
        const char *from = first->text + (at - out->text);

        if (kith__record_is_comment(at, end)) {
            at = (char *)memchr(at, '\n', (size_t)(end - at)) + 1;
            continue;
        }
        if (!kith__record_split(&at, end, separator, separator != '\t',
                                &out->cell[out->rows * out->columns],
                                out->columns, &found, &lines))
            break;
        if (shown < 2)
            show_line(from, first->text + (at - out->text), out->line[shown++],
                      sizeof(out->line[0]));
        if (found == out->columns)
            out->rows++;
    }
out:
    return st;
}

/* ---- record by record ---------------------------------------------------- */

static kith_status start(kith__table *t, kith_error *err)
{
    kith_status st = KITH_OK;
    bool more;

    t->records.source = t->source;
    t->path = kith__source_path(t->source);
    TRY(kith__source_rewind(t->source, err));
    TRY(kith__records_next(&t->records, &t->block, &more, err));
    t->at = t->block.text;
    if (more)
        TRY(kith__head_read(&t->block, t->records.separator, &t->head, err));
    t->columns = t->head.columns;
    TRY_NEW(t->field, kith__alloc(t->columns, sizeof(*t->field)));
out:
    return st;
}

kith_status kith__table_open(const char *path, kith__table *out,
                             kith_error *err)
{
    kith_status st = KITH_OK;

    *out = (kith__table){0};
    TRY(kith__source_open(path, NULL, NULL, &out->source, err));
    TRY(start(out, err));
out:
    return st;
}

kith_status kith__table_over(kith__source *source, kith__table *out,
                             kith_error *err)
{
    *out = (kith__table){.source = source, .borrowed = true};
    return start(out, err);
}

void kith__table_close(kith__table *t)
{
    if (!t->borrowed)
        kith__source_close(t->source);
    kith__records_release(&t->records);
    kith__head_release(&t->head);
    kith__block_release(&t->block);
    kith__free(t->field);
    *t = (kith__table){0};
}

kith_status kith__table_header(kith__table *t, bool header, kith_error *err)
{
    t->header = header;
    if (t->records.separator == '\t')
        t->records.quotes = header;
    return kith__table_rewind(t, err);
}

kith_status kith__table_rewind(kith__table *t, kith_error *err)
{
    kith_status st = KITH_OK;

    TRY(kith__source_rewind(t->source, err));
    t->records.started = t->records.finished = false;
    t->records.carry_n = 0;
    t->block.length = 0;
    t->at = t->block.text;
    t->line = t->lines = t->comments = 0;
out:
    return st;
}

/* Step over one line. */
static void skip_line(kith__table *t, char *end)
{
    t->at = (char *)memchr(t->at, '\n', (size_t)(end - t->at)) + 1;
    t->lines++;
    t->comments++;
}

/* The next record, be it the header. */
static kith_status next_record(kith__table *t, bool *more, kith_error *err)
{
    kith_status st = KITH_OK;
    char *end;

    for (*more = true;;) {
        end = t->block.text + t->block.length;
        while (t->at < end && kith__record_is_comment(t->at, end))
            skip_line(t, end);
        if (t->at < end)
            break;
        TRY(kith__records_next(&t->records, &t->block, more, err));
        if (!*more)
            goto out;
        t->at = t->block.text;
    }
    t->line = t->lines + 1;
    if (!kith__record_split(&t->at, end, t->records.separator,
                            t->records.quotes, t->field, t->columns, &t->fields,
                            &t->lines))
        TRY(kith__table_fail(t, err,
                             "a quoted field does not end, expected \" before "
                             "%s or the end of the line",
                             kith__separator_name(t->records.separator)));
    for (int i = 0; i < t->fields && i < t->columns; i++)
        if (memchr(t->field[i].text, '\0', t->field[i].length))
            TRY(kith__table_fail(t, err, "has a NUL byte, expected text"));
out:
    return st;
}

kith_status kith__table_next(kith__table *t, bool *more, kith_error *err)
{
    kith_status st = KITH_OK;
    const bool first = t->line == 0;

    TRY(next_record(t, more, err));
    if (first && t->header && *more)
        TRY(next_record(t, more, err));
out:
    return st;
}

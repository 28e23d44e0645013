#include "io/columns.h"

#include <math.h>

#include "core/alloc.h"
#include "core/number.h"

/* ---- words --------------------------------------------------------------- */

static const char *const sources[] = {
    "source", "src",      "from",     "sender",   "payer", "buyer",    "start",
    "origin", "orig",     "head",     "caller",   "u",     "follower", "debtor",
    "giver",  "remitter", "nameorig", "fromnode", NULL};
static const char *const targets[] = {
    "target",      "dst",         "to",       "receiver", "payee",
    "seller",      "end",         "dest",     "tail",     "callee",
    "v",           "followee",    "creditor", "taker",    "recipient",
    "destination", "beneficiary", "namedest", "tonode",   NULL};
static const char *const weights[] = {"weight", "weights", "w",     "amount",
                                      "amt",    "value",   "count", "strength",
                                      "volume", NULL};
static const char *const times[] = {"time",     "timestamp", "date",
                                    "datetime", "ts",        "day",
                                    "when",     "created",   NULL};
static const char *const nodes[] = {
    "node",     "id",  "nodeid", "name",    "user",   "account", "tx", "txid",
    "customer", "key", "uid",    "address", "person", "acct",    NULL};
static const char *const labels[] = {"class",   "label",    "labels", "y",
                                     "target",  "category", "status", "fraud",
                                     "isfraud", "outcome",  NULL};
static const char *const *const words[] = {sources, targets, weights,
                                           times,   nodes,   labels};

/* Words that go with another and say nothing by themselves. */
static const char *const fillers[] = {
    "id",   "ids",  "name",    "account", "acct", "email",    "mail",
    "node", "user", "address", "addr",    "no",   "number",   "key",
    "bank", "card", "wallet",  "person",  "at",   "customer", "client",
    "iban", "is",   "column",  "code",    NULL};

static bool is_word(const char *text, size_t length, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == length && strncasecmp(text, *list, length) == 0)
            return true;
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The word at *at: letters, up to another sign or a capital behind a small. */
static size_t next_word(const char **at, const char *end)
{
    const char *from;

    while (*at < end && !is_letter(**at))
        ++*at;
    for (from = *at; *at < end && is_letter(**at); ++*at)
        if (*at > from && **at <= 'Z' && (*at)[-1] >= 'a')
            break;
    return (size_t)(*at - from);
}

/* ":START_ID(Person)", as Neo4j names columns, behind a name or not. */
static bool has_mark(const kith__field *f, const char *mark)
{
    const size_t n = mark ? strlen(mark) : 0;

    for (size_t i = 0; n > 0 && i + n <= f->length; i++)
        if (strncasecmp(f->text + i, mark, n) == 0)
            return i + n == f->length || f->text[i + n] == '(';
    return false;
}

bool kith__column_is(const kith__field *name, kith__role role)
{
    static const char *const marks[] = {":START_ID", ":END_ID", NULL,
                                        NULL,        ":ID",     ":LABEL"};
    const char *at = name->text, *end = at + name->length;
    int known = 0, others = 0;

    if (is_word(name->text, name->length, words[role]) ||
        (marks[role] && has_mark(name, marks[role])))
        return true;
    for (const char *c = at; c < end; c++)
        if (*c >= '0' && *c <= '9')
            return false; /* "class7" is a class */
    for (size_t n; (n = next_word(&at, end)) > 0;) {
        if (is_word(at - n, n, words[role]))
            known++;
        else
            others += !is_word(at - n, n, fillers);
    }
    return known == 1 && others == 0;
}

/* "txId1" and "txId2": the same but for the last sign. */
static bool are_pair(const kith__field *a, const kith__field *b)
{
    const size_t n = a->length;

    return n > 1 && n == b->length && a->text[n - 1] == '1' &&
           b->text[n - 1] == '2' && strncasecmp(a->text, b->text, n - 1) == 0;
}

int kith__column_of(const kith__head *h, kith__role role)
{
    int found = -1;

    for (int c = 0; c < h->columns; c++) {
        if (!kith__column_is(kith__head_cell(h, 0, c), role))
            continue;
        if (found >= 0)
            return -1;
        found = c;
    }
    return found;
}

/* ---- what is in a column ------------------------------------------------- */

static bool is_number(const kith__field *f)
{
    double value;

    return kith__parse_real(f->text, f->length, &value);
}

static bool same(const kith__field *a, const kith__field *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

bool kith__column_is_numeric(const kith__head *h, int column, int row)
{
    int numbers = 0;

    for (; row < h->rows; row++) {
        const kith__field *f = kith__head_cell(h, row, column);

        if (f->length > 0 && !is_number(f))
            return false;
        numbers += f->length > 0;
    }
    return numbers > 0;
}

bool kith__head_over_numbers(const kith__head *h)
{
    bool over = false;

    for (int c = 0; c < h->columns; c++) {
        const kith__field *f = kith__head_cell(h, 0, c);

        if (f->length == 0 || is_number(f))
            return false;
        for (int b = 0; b < c && h->columns < 1000; b++)
            if (same(f, kith__head_cell(h, 0, b)))
                return false;
        over = over || kith__column_is_numeric(h, c, 1);
    }
    return over;
}

bool kith__head_repeats(const kith__head *h, int column)
{
    for (int r = 1; r < h->rows; r++)
        if (same(kith__head_cell(h, 0, column), kith__head_cell(h, r, column)))
            return true;
    return false;
}

bool kith__head_of_nodes(const kith__head *h)
{
    const int node = kith__column_of(h, KITH__NODE);
    const int label = kith__column_of(h, KITH__LABEL);

    if (h->rows == 0 || h->columns < 2)
        return false;
    if (kith__column_is(kith__head_cell(h, 0, 0), KITH__NODE) &&
        kith__column_is(kith__head_cell(h, 0, 1), KITH__LABEL))
        return true;
    if (kith__head_over_numbers(h))
        return true;
    /* One word is enough if nothing below repeats what the first row says. */
    if (node < 0 && label < 0)
        return false;
    for (int c = 0; c < h->columns; c++)
        if (kith__head_repeats(h, c))
            return false;
    return h->rows > 2;
}

/* ---- columns by name ----------------------------------------------------- */

static int find_named(const kith__head *h, const char *name, bool case_too)
{
    const size_t n = strlen(name);

    for (int c = 0; c < h->columns; c++) {
        const kith__field *f = kith__head_cell(h, 0, c);

        if (f->length == n && (case_too ? memcmp(f->text, name, n)
                                        : strncasecmp(f->text, name, n)) == 0)
            return c;
    }
    return -1;
}

/* The names that there are, as many as have room. */
static void list_names(const kith__head *h, char *out, size_t size)
{
    char quoted[KITH_QUOTE_BUFFER];
    size_t used = 0;

    out[0] = '\0';
    for (int c = 0; c < h->columns && used + 30 < size; c++) {
        const kith__field *f = kith__head_cell(h, 0, c);

        used += (size_t)snprintf(
            out + used, size - used, "%s%.24s%s", c ? ", " : "",
            kith__quote(quoted, f->text, f->length),
            c + 1 < h->columns && used + 60 >= size ? ", ..." : "");
    }
}

kith_status kith__head_column(const kith__head *h, bool header,
                              const char *path, const char *option,
                              const char *name, int *column, kith_error *err)
{
    char names[150];
    int64_t number;

    *column = -1;
    if (header && h->rows > 0) {
        *column = find_named(h, name, true);
        if (*column < 0)
            *column = find_named(h, name, false);
    }
    if (*column < 0 && kith__parse_int(name, strlen(name), &number) &&
        number >= 1 && number <= h->columns)
        *column = (int)number - 1;
    if (*column >= 0)
        return KITH_OK;
    list_names(h, names, sizeof(names));
    return kith__fail(err, KITH_ERR_PARSE, path, 0,
                      "has no column '%.40s' (%s), %s %s", name, option,
                      header ? "its columns are" : "its first line is", names);
}

const char *kith__column_name(const kith__head *h, bool header, int column,
                              char out[KITH_QUOTE_BUFFER])
{
    const kith__field *f = kith__head_cell(h, 0, column);

    if (header)
        return kith__quote(out, f->text, f->length);
    snprintf(out, KITH_QUOTE_BUFFER, "%d", column + 1);
    return out;
}

kith_status kith__head_unsure(const kith__head *h, const char *path,
                              const char *what, const char *options,
                              kith_error *err)
{
    return kith__fail(err, KITH_ERR_PARSE, path, 0,
                      "cannot tell %s; say %s. It begins: %.56s | %.56s", what,
                      options, h->line[0], h->line[1]);
}

/* ---- a table of edges ---------------------------------------------------- */

static kith_status find_given(const kith__head *h, const char *path,
                              const kith_build_options *o, bool plain_header,
                              kith__edge_columns *out, kith_error *err)
{
    const kith_table_options *t = o->table;
    kith_status st = KITH_OK;
    int64_t number;

    if (!t->source || !t->target)
        TRY(kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                       "--source and --target go together: the columns of an "
                       "edge's two ends"));
    out->by_name = true;
    out->header = o->header == KITH_YES ||
                  (o->header == KITH_AUTO &&
                   (plain_header || kith__head_over_numbers(h) ||
                    !kith__parse_int(t->source, strlen(t->source), &number)));
    TRY(kith__head_column(h, out->header, path, "--source", t->source,
                          &out->source, err));
    TRY(kith__head_column(h, out->header, path, "--target", t->target,
                          &out->target, err));
    if (t->weight && o->weights != KITH_NO)
        TRY(kith__head_column(h, out->header, path, "--weight", t->weight,
                              &out->weight, err));
    if (t->time)
        TRY(kith__head_column(h, out->header, path, "--time", t->time,
                              &out->time, err));
out:
    return st;
}

/* A first column of times that grow and are no node's id: dates, seconds since
 * 1970 with a fraction, or whole ones that no other column has. */
static bool begins_with_times(const kith__head *h)
{
    double before = -HUGE_VAL, value;

    if (h->columns < 3 || h->rows < 3)
        return false;
    for (int r = 0; r < h->rows; r++) {
        const kith__field *f = kith__head_cell(h, r, 0);

        if (!kith__parse_time(f->text, f->length, &value) || value < before)
            return false;
        if (is_number(f) && !(value > 9e8 && value < 4.2e9) &&
            !(value > 9e11 && value < 4.2e12))
            return false;
        before = value;
        for (int c = 1; c < 3; c++)
            for (int q = 0; q < h->rows; q++)
                if (same(f, kith__head_cell(h, q, c)))
                    return false;
    }
    return true;
}

/* A name of two words or more of which one is an end's. */
static bool is_compound(const kith__field *f)
{
    return memchr(f->text, '_', f->length) || memchr(f->text, ':', f->length);
}

static kith_status check_no_header(const kith__head *h, const char *path,
                                   int source, int target, kith_error *err)
{
    const int one = source >= 0 ? source : target;

    if (begins_with_times(h))
        return kith__head_unsure(h, path,
                                 "which columns are the ends of edges "
                                 "(the first looks like times)",
                                 "--source COL --target COL", err);
    if (one >= 0 && one < 2 && is_compound(kith__head_cell(h, 0, one)) &&
        !kith__head_repeats(h, one) && h->rows > 1)
        return kith__head_unsure(h, path,
                                 "whether the first line names the "
                                 "columns",
                                 "--header yes or no, or --source COL "
                                 "--target COL",
                                 err);
    return KITH_OK;
}

/* A header beside which the first two columns need not be the ends. */
static bool begins_with_named_time(const kith__head *h)
{
    return kith__column_is(kith__head_cell(h, 0, 0), KITH__TIME) ||
           kith__column_is(kith__head_cell(h, 0, 1), KITH__TIME);
}

/* The ends by well-known names; -1 what has none, or several. */
static void find_ends(const kith__head *h, int *source, int *target)
{
    *source = kith__column_of(h, KITH__SOURCE);
    *target = kith__column_of(h, KITH__TARGET);
    if (*source >= 0 && *target >= 0 && *source != *target)
        return;
    for (int c = 0; c + 1 < h->columns; c++)
        if (are_pair(kith__head_cell(h, 0, c), kith__head_cell(h, 0, c + 1))) {
            *source = c;
            *target = c + 1;
            return;
        }
    if (*source == *target)
        *source = *target = -1;
}

/* Two columns, or text, text, number: as plain edge lists have them. */
static bool has_plain_shape(const kith__head *h)
{
    for (int c = 0; c < 2; c++)
        if (h->columns == 3 && kith__column_is_numeric(h, c, 1))
            return false;
    return !begins_with_named_time(h) &&
           (h->columns == 2 ||
            (h->columns == 3 && kith__column_is_numeric(h, 2, 1)));
}

/* The column of weights of a table whose header was recognised. */
static int weight_beside(const kith__head *h, const kith__edge_columns *e)
{
    const int c = kith__column_of(h, KITH__WEIGHT);
    const int third = h->columns == 3 && e->source < 2 && e->target < 2 ? 2
                                                                        : -1;
    const int at = c >= 0 ? c : third;

    return at >= 0 && at != e->source && at != e->target &&
                   kith__column_is_numeric(h, at, 1) &&
                   !kith__column_is(kith__head_cell(h, 0, at), KITH__TIME)
               ? at
               : -1;
}

/* Where names do not tell the ends the first two columns are, if the table
 * looks like one of edges. */
static kith_status check_first_two(const kith__head *h, const char *path,
                                   bool plain_header, kith_error *err)
{
    if (plain_header ? !begins_with_named_time(h) : has_plain_shape(h))
        return KITH_OK;
    return kith__head_unsure(h, path, "which columns are the ends of edges",
                             "--source COL --target COL", err);
}

/* Of a database's answer: by well-known names, else the first two. */
static kith_status find_answered(const kith__head *h, const char *path,
                                 const kith_build_options *o,
                                 kith__edge_columns *out, kith_error *err)
{
    if (h->columns < 2)
        return kith__fail(err, KITH_ERR_PARSE, path, 0,
                          "has one column, expected the two ends of edges");
    find_ends(h, &out->source, &out->target);
    if (out->source < 0 || out->target < 0) {
        out->source = 0;
        out->target = 1;
    }
    out->header = out->by_name = true;
    if (o->weights != KITH_NO)
        out->weight = weight_beside(h, out);
    return KITH_OK;
}

/* Ends by the words of the first row, or by its place over numbers. */
static kith_status find_by_words(const kith__head *h, const char *path,
                                 const kith_build_options *o, bool plain_header,
                                 kith__edge_columns *out, kith_error *err)
{
    kith_status st = KITH_OK;
    int source, target;
    bool ends;

    find_ends(h, &source, &target);
    ends = source >= 0 && target >= 0 && !kith__head_repeats(h, source) &&
           !kith__head_repeats(h, target);
    if (!plain_header && !ends && !kith__head_over_numbers(h))
        return check_no_header(h, path, source, target, err);
    out->header = true;
    if (!ends) {
        TRY(check_first_two(h, path, plain_header, err));
        source = 0;
        target = 1;
        ends = !plain_header;
    }
    /* What plain edge lists could read already is read as it was. */
    if (plain_header && (!ends || (source == 0 && target == 1)))
        goto out;
    out->by_name = true;
    out->source = source;
    out->target = target;
    if (o->weights != KITH_NO)
        out->weight = weight_beside(h, out);
out:
    return st;
}

kith_status kith__edge_columns_find(const kith__head *h, const char *path,
                                    const kith_build_options *o,
                                    bool plain_header, bool named,
                                    kith__edge_columns *out, kith_error *err)
{
    const kith_table_options *t = o->table;

    *out = (kith__edge_columns){plain_header, false, -1, -1, -1, -1};
    if (h->rows == 0)
        return KITH_OK;
    if (t && (t->source || t->target))
        return find_given(h, path, o, plain_header || named, out, err);
    if (named)
        return find_answered(h, path, o, out, err);
    if (o->header == KITH_NO || h->columns < 2 || h->separator == ' ')
        return KITH_OK;
    return find_by_words(h, path, o, plain_header, out, err);
}

/* ---- times --------------------------------------------------------------- */

/* n digits at *at as a number; -1 if they are none. */
static int digits(const char **at, const char *end, int n)
{
    int value = 0;

    for (; n > 0; n--, ++*at) {
        if (*at >= end || **at < '0' || **at > '9')
            return -1;
        value = value * 10 + (**at - '0');
    }
    return value;
}

static bool take(const char **at, const char *end, const char *any)
{
    if (*at >= end || !strchr(any, **at) || !**at)
        return false;
    ++*at;
    return true;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar: years begin in
 * March, so that the leap day is the last. */
static int64_t days_of(int year, int month, int day)
{
    const int64_t y = month <= 2 ? year - 1 : year;
    const int64_t m = (month + 9) % 12;

    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 -
           719468;
}

/* "12:00[:30[.5]]", as seconds. */
static bool parse_clock(const char **at, const char *end, double *seconds)
{
    const int hour = digits(at, end, 2);
    const int minute = take(at, end, ":") ? digits(at, end, 2) : -1;
    int second = 0;
    double part = 0;

    if (hour < 0 || hour > 24 || minute < 0 || minute > 59)
        return false;
    if (take(at, end, ":"))
        second = digits(at, end, 2);
    if (second < 0 || second > 60)
        return false;
    if (take(at, end, ".,")) {
        double unit = .1;
        int d;

        while (*at < end && (d = digits(at, end, 1)) >= 0) {
            part += d * unit;
            unit /= 10;
        }
    }
    *seconds = hour * 3600.0 + minute * 60.0 + second + part;
    return true;
}

bool kith__parse_time(const char *text, size_t length, double *value)
{
    const char *at = text, *end = text + length;
    double clock = 0;
    int year, month, day;

    if (kith__parse_real(text, length, value))
        return isfinite(*value);
    year = digits(&at, end, 4);
    if (year < 0 || !take(&at, end, "-/"))
        return false;
    month = digits(&at, end, 2);
    if (month < 1 || month > 12 || !take(&at, end, "-/"))
        return false;
    day = digits(&at, end, 2);
    if (day < 1 || day > 31)
        return false;
    if (take(&at, end, " T") && !parse_clock(&at, end, &clock))
        return false;
    (void)take(&at, end, "Z");
    *value = (double)days_of(year, month, day) * 86400 + clock;
    return at == end;
}

void kith__tell(const kith_build_options *options, const char *key,
                const char *format, ...)
{
    char text[512];
    va_list list;

    if (!options || !options->tell)
        return;
    va_start(list, format);
    kith__print_list(text, sizeof(text), format, list);
    va_end(list);
    options->tell(options->tell_user, key, text);
}

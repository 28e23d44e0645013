#include "paper/result.h"

#include <inttypes.h>
#include <xxhash.h>

#include "core/alloc.h"
#include "core/map.h"
#include "core/number.h"
#include "paper/doc.h"

static const char magic[] = "kith paper result 1\n";

void kith__result_release(kith__result *r)
{
    kith__free(r->chosen);
    kith__free(r->coupling);
    *r = (kith__result){0};
}

char *kith__result_path(const char *folder, const char *key, const char *ending)
{
    char name[40];

    snprintf(name, sizeof(name), "/%016" PRIx64 "%s",
             (uint64_t)XXH3_64bits(key, strlen(key)), ending);
    return kith__join(folder, name, "");
}

/* ---- writing ------------------------------------------------------------- */

static void put_result(kith__json *to, const char *key, const kith__result *r)
{
    const double *w = r->weights;

    kith__put(to, "%skey %s\n", magic, key);
    kith__put(to, "accuracy %.17g\nvalidation %.17g\nseconds %.17g\n",
              r->accuracy, r->validation, r->seconds);
    kith__put(to, "weights %.17g %.17g %.17g %.17g\n", w[0], w[1], w[2], w[3]);
    kith__put(to, "chosen %s\ncoupling %d\n", r->chosen ? r->chosen : "",
              (int)r->classes);
    for (int32_t i = 0; i < r->classes; i++)
        for (int32_t j = 0; j < r->classes; j++)
            kith__put(to, "%.9g%c",
                      (double)r->coupling[(int64_t)i * r->classes + j],
                      j + 1 < r->classes ? ' ' : '\n');
}

kith_status kith__result_write(const char *path, const char *key,
                               const kith__result *r, kith_error *err)
{
    kith__json text = {0};

    put_result(&text, key, r);
    if (!text.failed)
        kith__put(&text, "sum %016" PRIx64 "\n",
                  (uint64_t)XXH3_64bits(text.at, (size_t)text.n));
    return kith__text_add(&text, path, NULL, err);
}

/* ---- reading ------------------------------------------------------------- */

/* A text that is read from its start. */
typedef struct cursor {
    const char *at, *end;
    bool no_memory; /* that is why it failed */
} cursor;

static bool take(cursor *c, const char *word)
{
    const size_t length = strlen(word);

    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* A number and the character behind it. */
static bool take_number(cursor *c, char behind, double *out)
{
    const char *end = memchr(c->at, behind, (size_t)(c->end - c->at));

    if (!end || !kith__parse_real(c->at, (size_t)(end - c->at), out))
        return false;
    c->at = end + 1;
    return true;
}

static bool take_chosen(cursor *c, char **out)
{
    const char *end;

    if (!take(c, "chosen "))
        return false;
    end = memchr(c->at, '\n', (size_t)(c->end - c->at));
    if (!end)
        return false;
    *out = kith__copy_string(c->at, (size_t)(end - c->at));
    c->no_memory = !*out;
    if (!*out)
        return false;
    c->at = end + 1;
    return true;
}

static bool take_coupling(cursor *c, kith__result *r)
{
    double n, x;

    if (!take(c, "coupling ") || !take_number(c, '\n', &n) ||
        !(n >= 0 && n <= 10000))
        return false;
    r->coupling = n > 0 ? kith__alloc((int64_t)n * (int64_t)n, sizeof(float))
                        : NULL;
    c->no_memory = n > 0 && !r->coupling;
    if (c->no_memory)
        return false;
    for (int i = 0; i < (int)n; i++)
        for (int j = 0; j < (int)n; j++) {
            if (!take_number(c, j + 1 < (int)n ? ' ' : '\n', &x))
                return false;
            r->coupling[(int64_t)i * (int)n + j] = (float)x;
        }
    r->classes = (int32_t)n;
    return true;
}

static bool take_result(cursor *c, kith__result *r)
{
    return take(c, "accuracy ") && take_number(c, '\n', &r->accuracy) &&
           take(c, "validation ") && take_number(c, '\n', &r->validation) &&
           take(c, "seconds ") && take_number(c, '\n', &r->seconds) &&
           take(c, "weights ") && take_number(c, ' ', &r->weights[0]) &&
           take_number(c, ' ', &r->weights[1]) &&
           take_number(c, ' ', &r->weights[2]) &&
           take_number(c, '\n', &r->weights[3]) && take_chosen(c, &r->chosen) &&
           take_coupling(c, r);
}

/* Does the text end with the hash of what is before?  Its end moves there. */
static bool take_sum(cursor *c)
{
    enum { SUM = 4 + 16 + 1 };
    char sum[SUM + 1];

    if (c->end - c->at < SUM)
        return false;
    c->end -= SUM;
    snprintf(sum, sizeof(sum), "sum %016" PRIx64 "\n",
             (uint64_t)XXH3_64bits(c->at, (size_t)(c->end - c->at)));
    return memcmp(c->end, sum, SUM) == 0;
}

kith_status kith__result_read(const char *path, const char *key,
                              kith__result *out, kith_error *err)
{
    kith__map *map = NULL;
    kith_status st = KITH_OK;
    const char *wrong = NULL;
    cursor c;

    *out = (kith__result){0};
    TRY(kith__map_open(path, &map, err));
    c = (cursor){(const char *)map->bytes, (const char *)map->bytes + map->size,
                 false};
    if (map->size < (int64_t)sizeof(magic) ||
        memcmp(map->bytes, magic, sizeof(magic) - 1) != 0)
        wrong = "is no result of kith paper";
    else if (!take_sum(&c))
        wrong = "is damaged: its checksum does not hold";
    else if (!take(&c, magic) || !take(&c, "key ") || !take(&c, key) ||
             !take(&c, "\n"))
        wrong = "is the result of something else";
    else if (!take_result(&c, out) || c.at != c.end)
        wrong = "is damaged: it is not what it should be";
    if (c.no_memory)
        TRY(kith__no_memory(err));
    if (wrong)
        TRY(kith__fail(err, KITH_ERR_CORRUPT, path, 0, "%s", wrong));
out:
    if (st != KITH_OK)
        kith__result_release(out);
    kith__map_release(map);
    return st;
}

/* ---- parameters as text -------------------------------------------------- */

static void put_setting(kith__json *to, const kith_setting *s)
{
    if (s->text)
        kith__put(to, "%.60s=%.60s ", s->name, s->text);
    else
        kith__put(to, "%.60s=%.6g ", s->name, s->number);
}

/* Those that may be tuned. */
static void put_params(kith__json *to, const kith_params *p)
{
    char value[KITH_OPTION_BUFFER];
    int rows;
    const kith_option_info *row = kith_option_list(&rows);

    for (int i = 0; i < rows; i++)
        if (row[i].fix)
            kith__put(
                to, "%s=%s ", row[i].name,
                kith_option_text(&row[i], kith_params_get(p, &row[i]), value));
}

char *kith__result_chosen(const kith_model *m)
{
    kith__json text = {0};

    kith__put(&text, "method=%.60s ", kith_model_method(m));
    for (int32_t i = 0; i < kith_model_settings(m) && text.n < KITH__CHOSEN;
         i++) {
        const kith_setting s = kith_model_setting(m, i);

        put_setting(&text, &s);
    }
    if (kith_model_settings(m) == 0)
        put_params(&text, kith_model_params(m));
    for (int64_t i = 0; i < text.n; i++)
        if ((unsigned char)text.at[i] < ' ')
            text.at[i] = ' ';
    while (text.n > 0 && text.at[text.n - 1] == ' ')
        text.at[--text.n] = '\0';
    if (text.failed) {
        kith__free(text.at);
        return NULL;
    }
    return text.at;
}

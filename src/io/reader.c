#include "io/reader.h"

kith_status kith__reader_open(const char *path, kith__reader *out,
                              kith_error *err)
{
    kith_status st;

    *out = (kith__reader){0};
    st = kith__source_open(path, NULL, NULL, &out->source, err);
    out->path = st == KITH_OK ? kith__source_path(out->source) : NULL;
    return st;
}

void kith__reader_over(kith__source *source, kith__reader *out)
{
    *out = (kith__reader){
        .source = source, .borrowed = true, .path = kith__source_path(source)};
}

void kith__reader_close(kith__reader *r)
{
    if (!r->borrowed)
        kith__source_close(r->source);
    kith__block_release(&r->block);
    *r = (kith__reader){0};
}

/* Load the next block that has a line; *more is false at the end. */
static kith_status next_block(kith__reader *r, bool *more, kith_error *err)
{
    kith_status st = KITH_OK;

    do {
        TRY(kith__source_plan(r->source, &r->block, more, err));
        if (*more)
            TRY(kith__block_load(r->source, &r->block, err));
    } while (*more && r->block.length == 0);
    r->at = 0;
out:
    return st;
}

kith_status kith__reader_next(kith__reader *r, bool *more, kith_error *err)
{
    kith_status st = KITH_OK;
    char *end;

    *more = true;
    if (r->at >= r->block.length)
        TRY(next_block(r, more, err));
    if (!*more)
        goto out;
    r->text = r->block.text + r->at;
    end = memchr(r->text, '\n', (size_t)(r->block.length - r->at));
    r->at = end + 1 - r->block.text;
    r->line++;
    if (memchr(r->text, '\0', (size_t)(end - r->text)))
        TRY(kith__reader_fail(r, err, "has a NUL byte, expected text"));
    if (end > r->text && end[-1] == '\r')
        end--;
    *end = '\0';
    if (r->line == 1 && strncmp(r->text, "\xef\xbb\xbf", 3) == 0)
        r->text += 3;
    r->length = end - r->text;
    if (memchr(r->text, '\r', (size_t)r->length))
        TRY(kith__reader_fail(r, err,
                              "has a carriage return inside, expected lines "
                              "that end in a line feed"));
out:
    return st;
}

kith_status kith__reader_next_data(kith__reader *r, const char *marks,
                                   bool *more, kith_error *err)
{
    kith_status st = KITH_OK;

    do
        TRY(kith__reader_next(r, more, err));
    while (*more && strchr(marks, r->text[strspn(r->text, " \t")]));
out:
    return st;
}

size_t kith__next_word(const char **at, const char **word)
{
    *at += strspn(*at, " \t");
    *word = *at;
    *at += strcspn(*at, " \t");
    return (size_t)(*at - *word);
}

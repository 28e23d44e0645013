#include "io/xml.h"

#include "core/alloc.h"

const char *kith__xml_attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

#ifdef KITH_HAVE_EXPAT

#include <expat.h>

/* A tag is looked at again with each piece that does not end it, so it is to be
 * short. */
enum { PIECE = 1 << 16, LOOK = 1 << 16, TAG_LONGEST = 1 << 22 };

struct kith__xml {
    kith__walk *walk;
    const kith__xml_handler *handler;
    XML_Parser parser;
    int depth;
    bool wants_text;
    char *text;
    int64_t length, capacity;
    kith_status st; /* of what expat called */
    kith_error *err;
    /* kith__xml_root() */
    char *root;
    size_t root_size;
};

/* ---- memory, for expat --------------------------------------------------- */

static void *xml_alloc(size_t bytes)
{
    return bytes <= PTRDIFF_MAX ? kith__alloc((int64_t)bytes, 1) : NULL;
}

static void *xml_resize(void *block, size_t bytes)
{
    if (!block)
        return xml_alloc(bytes);
    return bytes <= PTRDIFF_MAX ? kith__resize(block, (int64_t)bytes, 1) : NULL;
}

static XML_Parser new_parser(void)
{
    static const XML_Memory_Handling_Suite memory = {xml_alloc, xml_resize,
                                                     kith__free};

    return XML_ParserCreate_MM(NULL, &memory, NULL);
}

/* ---- what expat calls ---------------------------------------------------- */

static void stop(kith__xml *x, kith_status st)
{
    if (st == KITH_OK)
        return;
    x->st = st;
    (void)XML_StopParser(x->parser, XML_FALSE);
}

static void at_line(const kith__xml *x)
{
    kith__walk_at(x->walk, (int64_t)XML_GetCurrentLineNumber(x->parser));
}

static const char *without_prefix(const char *name)
{
    const char *colon = strrchr(name, ':');

    return colon ? colon + 1 : name;
}

static void XMLCALL opened(void *user, const char *name,
                           const char **attributes)
{
    kith__xml *x = user;

    if (x->st != KITH_OK)
        return;
    at_line(x);
    x->length = 0;
    x->wants_text = false;
    if (++x->depth > KITH__XML_DEEPEST)
        stop(x, kith__walk_fail(x->walk, x->err,
                                "elements are nested more than %d deep",
                                KITH__XML_DEEPEST));
    else
        stop(x, x->handler->open(x->handler->user, without_prefix(name),
                                 attributes, x->err));
}

/* The text, without the blanks and line ends that lay XML out. */
static kith__field trimmed(const kith__xml *x)
{
    kith__field text = {x->text ? x->text : "", (size_t)x->length};

    while (text.length > 0 && strchr(" \t\r\n", text.text[text.length - 1]))
        text.length--;
    while (text.length > 0 && strchr(" \t\r\n", *text.text)) {
        text.text++;
        text.length--;
    }
    return text;
}

static void XMLCALL closed(void *user, const char *name)
{
    kith__xml *x = user;
    kith__field text;

    if (x->st != KITH_OK)
        return;
    at_line(x);
    x->depth--;
    text = trimmed(x);
    stop(x, x->handler->close(x->handler->user, without_prefix(name), &text,
                              x->err));
    x->length = 0;
    x->wants_text = false;
}

static void XMLCALL told_text(void *user, const char *text, int length)
{
    kith__xml *x = user;

    if (x->st != KITH_OK || !x->wants_text)
        return;
    if (x->length + length > KITH__LINE_LONGEST) {
        at_line(x);
        stop(x,
             kith__walk_fail(x->walk, x->err, "a text is longer than 64 MiB"));
        return;
    }
    if (!kith__grow((void **)&x->text, &x->capacity, x->length + length, 1)) {
        stop(x, kith__no_memory(x->err));
        return;
    }
    memcpy(x->text + x->length, text, (size_t)length);
    x->length += length;
}

/* Graphs need no entities; those who attack readers do. */
static void XMLCALL declared_entity(void *user, const char *name, int parameter,
                                    const char *value, int length,
                                    const char *base, const char *system_id,
                                    const char *public_id, const char *notation)
{
    kith__xml *x = user;

    (void)name, (void)parameter, (void)value, (void)length, (void)base;
    (void)system_id, (void)public_id, (void)notation;
    at_line(x);
    stop(x, kith__walk_fail(x->walk, x->err,
                            "declares an entity, which is not read"));
}

static void XMLCALL skipped_entity(void *user, const char *name, int parameter)
{
    kith__xml *x = user;
    char shown[KITH_QUOTE_BUFFER];

    (void)parameter;
    at_line(x);
    stop(x, kith__walk_fail(x->walk, x->err,
                            "has the entity '%s', which is "
                            "not declared",
                            kith__quote(shown, name, strlen(name))));
}

void kith__xml_wants_text(kith__xml *x)
{
    x->wants_text = true;
}

/* ---- reading ------------------------------------------------------------- */

/* Why the parser stopped. */
static kith_status failure(kith__xml *x)
{
    const enum XML_Error why = XML_GetErrorCode(x->parser);

    if (x->st != KITH_OK)
        return x->st;
    if (why == XML_ERROR_NO_MEMORY)
        return kith__no_memory(x->err);
    at_line(x);
    return kith__walk_fail(x->walk, x->err, "is not well-formed XML: %s",
                           XML_ErrorString(why));
}

static kith_status parse_piece(kith__xml *x, kith__source *source, int64_t *fed,
                               bool *last, kith_error *err)
{
    kith_status st = KITH_OK;
    int64_t got;
    void *piece = XML_GetBuffer(x->parser, PIECE);

    if (!piece)
        TRY(failure(x));
    TRY(kith__source_read(source, piece, PIECE, &got, err));
    *last = got < PIECE;
    *fed += got;
    if (XML_ParseBuffer(x->parser, (int)got, *last) != XML_STATUS_OK)
        TRY(failure(x));
    /* What is not told yet waits in memory: the tag that does not end. */
    if (*fed - (int64_t)XML_GetCurrentByteIndex(x->parser) > TAG_LONGEST) {
        at_line(x);
        TRY(kith__walk_fail(x->walk, err, "a tag is longer than 4 MiB"));
    }
out:
    return st;
}

kith_status kith__xml_read(kith__walk *w, kith__source *source,
                           const kith__xml_handler *handler, kith__xml **self,
                           kith_error *err)
{
    kith__xml x = {.walk = w, .handler = handler, .err = err};
    kith_status st = KITH_OK;
    int64_t fed = 0;
    bool last = false;

    *self = &x;
    TRY_NEW(x.parser, new_parser());
    XML_SetUserData(x.parser, &x);
    XML_SetElementHandler(x.parser, opened, closed);
    XML_SetCharacterDataHandler(x.parser, told_text);
    XML_SetEntityDeclHandler(x.parser, declared_entity);
    XML_SetSkippedEntityHandler(x.parser, skipped_entity);
    while (!last) {
        TRY(kith__walk_progress(w, err));
        TRY(parse_piece(&x, source, &fed, &last, err));
    }
    kith__walk_at(w, (int64_t)XML_GetCurrentLineNumber(x.parser) -
                         (XML_GetCurrentColumnNumber(x.parser) == 0));
out:
    *self = NULL;
    if (x.parser)
        XML_ParserFree(x.parser);
    kith__free(x.text);
    return st;
}

/* ---- the root ------------------------------------------------------------ */

static void XMLCALL opened_root(void *user, const char *name,
                                const char **attributes)
{
    kith__xml *x = user;

    (void)attributes;
    snprintf(x->root, x->root_size, "%s", without_prefix(name));
    (void)XML_StopParser(x->parser, XML_FALSE);
}

kith_status kith__xml_root(kith__source *source, char *out, size_t size,
                           kith_error *err)
{
    kith__xml x = {.root = out, .root_size = size};
    kith_status st = KITH_OK;
    int64_t got;
    void *piece;

    out[0] = '\0';
    TRY_NEW(x.parser, new_parser());
    XML_SetUserData(x.parser, &x);
    XML_SetStartElementHandler(x.parser, opened_root);
    TRY_NEW(piece, XML_GetBuffer(x.parser, LOOK));
    TRY(kith__source_read(source, piece, LOOK, &got, err));
    if (XML_ParseBuffer(x.parser, (int)got, XML_FALSE) != XML_STATUS_OK &&
        XML_GetErrorCode(x.parser) == XML_ERROR_NO_MEMORY)
        TRY(kith__no_memory(err));
    TRY(kith__source_rewind(source, err));
out:
    if (x.parser)
        XML_ParserFree(x.parser);
    return st;
}

#else

static kith_status unavailable(const char *path, kith_error *err)
{
    return kith__fail(err, KITH_ERR_ARGUMENT, path, 0,
                      "is XML, which this build does not read (made without "
                      "expat)");
}

kith_status kith__xml_read(kith__walk *w, kith__source *source,
                           const kith__xml_handler *handler, kith__xml **self,
                           kith_error *err)
{
    (void)w, (void)handler, (void)self;
    return unavailable(kith__source_path(source), err);
}

void kith__xml_wants_text(kith__xml *x)
{
    (void)x;
}

kith_status kith__xml_root(kith__source *source, char *out, size_t size,
                           kith_error *err)
{
    (void)out, (void)size;
    return unavailable(kith__source_path(source), err);
}

#endif

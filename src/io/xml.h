/*
 * xml.h: XML by its elements, for the formats made of it.
 *
 * The bytes go through expat piece by piece.  Nothing is believed: entities
 * cannot be declared (so none can grow or name a file), elements nest at most
 * 64 deep, and a tag of more than 4 MiB or a text of more than 64 is refused.
 */
#ifndef KITH_IO_XML_H
#define KITH_IO_XML_H

#include "io/fields.h"
#include "io/source.h"
#include "io/walk.h"

enum { KITH__XML_DEEPEST = 64 };

/* Names come without their namespace's prefix; attributes are pairs of name and
 * value, ended by NULL. */
typedef struct kith__xml_handler {
    kith_status (*open)(void *user, const char *name, const char **attributes,
                        kith_error *err);
    /* `text` is what stands behind the last tag, if kith__xml_wants_text() was
     * called when that was opened; else it is empty. */
    kith_status (*close)(void *user, const char *name, const kith__field *text,
                         kith_error *err);
    void *user;
} kith__xml_handler;

typedef struct kith__xml kith__xml;

/* Read all of a walk's source; *self is the reader while that goes on. */
kith_status kith__xml_read(kith__walk *w, kith__source *source,
                           const kith__xml_handler *handler, kith__xml **self,
                           kith_error *err);

/* Called by open(): close() is to be given the text of this element. */
void kith__xml_wants_text(kith__xml *x);

/* The value of an attribute, NULL if there is none. */
const char *kith__xml_attribute(const char **attributes, const char *name);

/* A NUL-terminated text as a field; of NULL an empty one. */
static inline kith__field kith__xml_field(const char *text)
{
    return (kith__field){text, text ? strlen(text) : 0};
}

/* The root element's name, at most size - 1 bytes of it, looked for in the
 * first 64 KiB; "" if there is none.  The source is at its start afterwards. */
kith_status kith__xml_root(kith__source *source, char *out, size_t size,
                           kith_error *err);

#endif

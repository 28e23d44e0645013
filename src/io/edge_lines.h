/*
 * edge_lines.h: blocks of `u<TAB>v` lines, or of records of a table, to edges:
 * what one thread does of reading an edge list (edgelist.c).
 */
#ifndef KITH_IO_EDGE_LINES_H
#define KITH_IO_EDGE_LINES_H

#include "io/columns.h"
#include "io/gather.h"
#include "io/reader.h"

/* How the file's lines look. */
typedef struct kith__edge_layout {
    char separator; /* ' ' means any blanks */
    bool header;
    bool weighted; /* edges carry weights */
    bool counted;  /* all of them 1, to be added up */
    bool times;    /* the third column looks like times, so it is no weight */
    /* A table read by column name: the fields that are wanted, and how many of
     * a record hold them; of a plain edge list, 0. */
    int source, target, weight, time, fields;
    double until; /* the last time, if time >= 0 */
} kith__edge_layout;

typedef enum kith__edge_pass {
    KITH__PASS_RAW,     /* ids are integers: edges at once */
    KITH__PASS_COLLECT, /* ids only */
    KITH__PASS_LOOK_UP  /* edges, ids found in a table */
} kith__edge_pass;

/* What a thread gathers from the blocks that it parses. */
typedef struct kith__edge_gathering {
    kith__block text; /* the one at hand, if the source is plain */
    kith__edges edges;
    kith__rank seen;    /* KITH__PASS_RAW: the ids met */
    kith__field *field; /* of a record, if read by column name */
} kith__edge_gathering;

/* One block's result. */
typedef struct kith__edge_block {
    kith__block block;
    kith__edge_gathering *to; /* of the thread that parses it */
    int64_t added;            /* how many of them come from this block */
    kith__id_set ids;
    int64_t lines, comments, extra;
    int64_t halves, later; /* records without both ends, or after `until` */
    bool not_raw;          /* met an id that is not a small integer */
    kith_status st;
    kith_error error;
} kith__edge_block;

typedef struct kith__edge_parser {
    kith__source *source;
    const kith_build_options *options;
    kith_build_options merging; /* the same, the merge decided */
    kith__records records;      /* if read by column name */
    kith__edge_layout look;
    kith__edge_pass mode;
    const kith__ids *ids; /* KITH__PASS_LOOK_UP */
    kith__id_set *all;    /* KITH__PASS_COLLECT */
    kith__builder *builder;
    kith_cleaning *cleaning;
    int64_t lines; /* before the current round */
    int64_t halves, later;
    kith__edge_gathering *gathered; /* one a thread */
    int threads;
    int64_t hand_over; /* edges in one before the builder gets it */
    int64_t id_limit;  /* KITH__PASS_RAW: ids from here on are too large */
    kith__edge_block *slots;
    int n_slots;
} kith__edge_parser;

/* Take a line's end off: the newline before `after`, and a CR. */
static inline const char *kith__line_end(const char *begin, const char *after)
{
    after--;
    return after > begin && after[-1] == '\r' ? after - 1 : after;
}

static inline bool kith__line_is_comment(const char *begin, const char *end)
{
    while (begin < end && kith__is_blank(*begin))
        begin++;
    return begin == end || *begin == '#' || *begin == '%';
}

/* Parse one block into r, with the memory of its thread. */
void kith__edge_lines_parse(const kith__edge_parser *p, kith__edge_block *r,
                            const kith__block *block);

/* Find out how the file is to be read, from its first block. */
kith_status kith__edge_lines_look(kith__edge_parser *p, kith__block *b,
                                  const kith__known *known, kith_error *err);

/* Skip the byte order mark and the header line of the file's first block. */
void kith__edge_lines_trim(kith__edge_parser *p, kith__edge_block *r,
                           kith__block *block);

#endif

#include "verdict_text.h"

#include <string.h>

#include "out_text.h"
#include "sets_text.h"
#include "term.h"

/* Two parts of a line, each of which may have nothing to say. */
static void pair(FILE *out, const kith_verdict *v, kith_sentence first,
                 kith_sentence second)
{
    char a[KITH_SENTENCE], b[KITH_SENTENCE];

    kith_verdict_say(v, first, a);
    kith_verdict_say(v, second, b);
    term_line(out, "%s%s%s", a, *b ? "; " : "", b);
}

/* What a person would do now: doubtful answers want labels, good ones are
 * looked into. */
static void next_step(const kith_verdict *v, const outcome *o, char *out,
                      size_t size)
{
    const char *model = o->saved ? o->saved : o->from;

    if (!model)
        snprintf(out, size, "--save FILE.km, for 'kith explain' and 'suggest'");
    else if (v->trust <= KITH_TRUST_POOR)
        snprintf(out, size, "kith suggest %s --graph %s", model, o->path);
    else
        snprintf(out, size, "kith explain %s NODE --graph %s", model, o->path);
}

static void files_and_next(FILE *out, const kith_verdict *v, const outcome *o)
{
    const char *const written[] = {o->table, o->saved, o->report};
    char time[TERM_NUMBER], line[1000] = "", next[1000];

    for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++) {
        const size_t used = strlen(line);

        if (written[i])
            snprintf(line + used, sizeof(line) - used, "%s%s", used ? "  " : "",
                     strcmp(written[i], "-") == 0 ? "standard output"
                                                  : written[i]);
    }
    next_step(v, o, next, sizeof(next));
    term_line(out, "%s, took %s; next: %s",
              *line ? line : "nothing was written: '-o FILE' keeps the table",
              term_seconds(o->seconds, time), next);
}

void verdict_text(FILE *out, const kith_verdict *v, const outcome *o)
{
    const term_style style = term_style_of(out);
    char trust[KITH_SENTENCE];

    fputs(style.bold, out);
    pair(out, v, KITH_SAY_HEADLINE, KITH_SAY_EVIDENCE);
    fputs(style.reset, out);
    pair(out, v, KITH_SAY_LEARNT, KITH_SAY_METHOD);
    term_line(out, "trust: %s", kith_verdict_say(v, KITH_SAY_TRUST, trust));
    if (o->sets) {
        char sets[SETS_TEXT];

        term_line(out, "sets: %s", sets_text(o, sets));
    }
    files_and_next(out, v, o);
}

kith_status verdict_json(run *r, const kith_verdict *v, const outcome *o)
{
    const kith_output_name all[] = {
        {"table", o->table}, {"model", o->saved}, {"report", o->report}};
    kith_output_name written[sizeof(all) / sizeof(*all)];
    int32_t n = 0;
    char *json = NULL;
    size_t length;
    kith_status st;

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (all[i].path)
            written[n++] = all[i];
    st = kith_verdict_json(v, o->path, written, n, &json, &length, &r->err);
    return st == KITH_OK ? out_json(r, NULL, json, length) : st;
}

#include "report_file.h"

#include <stdio.h>

#include "out_text.h"

kith_status report_file_write(run *r, const kith_report_input *in,
                              const char *path, kith_outputs *with)
{
    char *html = NULL;
    size_t length = 0;
    out_text o = {0};
    kith_status st = kith_report(in, &html, &length, &r->err);

    if (st == KITH_OK)
        st = out_text_open(r, path, with, &o);
    if (st == KITH_OK) {
        fwrite(html, 1, length, o.stream);
        st = out_text_commit(r, &o);
    }
    kith_array_free(html);
    return st;
}

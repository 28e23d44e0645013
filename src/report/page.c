#include "report/page.h"

#include <string.h>

#include "core/alloc.h"
#include "report/assets.h"

/* The policy lets nothing in but what the page itself holds. */
static const char before_style[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, "
    "initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
    "'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src "
    "data:\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n"
    "<title>";
static const char after_title[] = "</title>\n<style>\n";
static const char before_data[] =
    "<main id=\"page\"><noscript>This page draws "
    "its tables and charts with JavaScript that it holds "
    "itself.</noscript></main>\n<script type=\"application/json\" "
    "id=\"data\">";
/* The parts of the script share one scope, and leave nothing behind. */
static const char before_script[] = "</script>\n<script>\n(function () {\n"
                                    "\"use strict\";\n";
static const char after_script[] = "})();\n</script>\n</body>\n</html>\n";

void kith__page_head(kith__json *j, const char *title)
{
    static const char after_style[] = "</style>\n</head>\n<body>\n";

    kith__json_raw(j, before_style, sizeof(before_style) - 1);
    kith__json_raw(j, title, strlen(title));
    kith__json_raw(j, after_title, sizeof(after_title) - 1);
    kith__json_raw(j, (const char *)kith__asset_report_css,
                   kith__asset_report_css_length);
    kith__json_raw(j, after_style, sizeof(after_style) - 1);
}

void kith__page_begin(kith__json *j)
{
    kith__page_head(j, "Kith report");
    kith__json_raw(j, before_data, sizeof(before_data) - 1);
}

static void put_scripts(kith__json *j)
{
    const struct {
        const unsigned char *text;
        size_t length;
    } part[] = {
        {kith__asset_base_js, kith__asset_base_js_length},
        {kith__asset_charts_js, kith__asset_charts_js_length},
        {kith__asset_why_js, kith__asset_why_js_length},
        {kith__asset_review_js, kith__asset_review_js_length},
        {kith__asset_list_js, kith__asset_list_js_length},
        {kith__asset_report_js, kith__asset_report_js_length},
    };

    for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
        kith__json_raw(j, (const char *)part[i].text, part[i].length);
}

kith_status kith__page_end(kith__json *j, char **html, size_t *length,
                           kith_error *err)
{
    kith__json_raw(j, before_script, sizeof(before_script) - 1);
    put_scripts(j);
    kith__json_raw(j, after_script, sizeof(after_script) - 1);
    *html = NULL;
    *length = 0;
    if (j->failed) {
        kith__free(j->at);
        j->at = NULL;
        return kith__no_memory(err);
    }
    *html = j->at;
    *length = (size_t)j->n;
    j->at = NULL;
    return KITH_OK;
}

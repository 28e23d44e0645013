/*
 * assets.h: the page's style and the parts of its script, embedded at build
 * time by cmake/embed.cmake.
 */
#ifndef KITH_REPORT_ASSETS_H
#define KITH_REPORT_ASSETS_H

#include <stddef.h>

extern const unsigned char kith__asset_report_css[];
extern const size_t kith__asset_report_css_length;
extern const unsigned char kith__asset_base_js[];
extern const size_t kith__asset_base_js_length;
extern const unsigned char kith__asset_charts_js[];
extern const size_t kith__asset_charts_js_length;
extern const unsigned char kith__asset_why_js[];
extern const size_t kith__asset_why_js_length;
extern const unsigned char kith__asset_review_js[];
extern const size_t kith__asset_review_js_length;
extern const unsigned char kith__asset_list_js[];
extern const size_t kith__asset_list_js_length;
extern const unsigned char kith__asset_report_js[];
extern const size_t kith__asset_report_js_length;

#endif

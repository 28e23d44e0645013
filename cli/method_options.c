#include "method_options.h"

#include <stdio.h>
#include <string.h>

#define METHOD_GROUP "Parameters (a value given is not tuned)"

const option method_rows[] = {
    {.name = "no-tune", .type = OPTION_OF_TABLE, .group = METHOD_GROUP},
    {.name = "fit", .type = OPTION_OF_TABLE, .group = METHOD_GROUP},
    {.name = ALL_PARAMETERS, .type = OPTION_OF_TABLE, .group = METHOD_GROUP},
    ROW_END,
};

/* A value that the user gave. */
static kith_status take(run *r, const kith_option_info *row)
{
    const args *a = r->a;

    if (!args_has(a, row->name) || !args_given(a, row->name))
        return KITH_OK;
    if (row->type == KITH_OPTION_TEXT)
        return kith_options_set(r->options, row->name, args_text(a, row->name),
                                &r->err);
    return kith_options_set_number(r->options, row->name,
                                   args_real(a, row->name), &r->err);
}

kith_status method_options(run *r, kith_train_options *out)
{
    int rows;
    const kith_option_info *row = kith_option_list(&rows);
    kith_status st = KITH_OK;

    if (!r->options)
        st = kith_options_new(&r->options, &r->err);
    if (st == KITH_OK)
        kith_options_set_job(r->options, &r->job);
    for (int i = 0; st == KITH_OK && i < rows; i++)
        st = take(r, &row[i]);
    if (st == KITH_OK)
        *out = kith_options_train(r->options);
    return st;
}

/* Is it of lcm and its variants alone? */
static bool only_lcm(const kith_option_info *row)
{
    return row->methods && strncmp(row->methods, "lcm", 3) == 0;
}

const char *method_wanted(const args *a)
{
    int rows;
    const kith_option_info *row = kith_option_list(&rows);

    for (int i = 0; i < rows; i++)
        if (only_lcm(&row[i]) && !args_given(a, "method") &&
            args_given(a, row[i].name))
            return "lcm";
    return args_text(a, "method");
}

const kith_method_info *method_find(const char *name)
{
    int count;
    const kith_method_info *all = kith_methods(&count);

    for (int i = 0; i < count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

int method_unknown(const command *cmd, const char *name)
{
    int count;
    const kith_method_info *all = kith_methods(&count);
    char list[400] = "";
    size_t used = 0;

    for (int i = 0; i < count && used < sizeof(list); i++)
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
                                 i ? ", " : "", all[i].name);
    return usage_error(cmd, "unknown method '%s'; the methods are %s", name,
                       list);
}

#include "method_options.h"

#include <stdio.h>
#include <string.h>

/* A value that the user gave fixes what it names. */
static void take_real(const args *a, const char *name, uint32_t bit,
                      double *value, uint32_t *fixed)
{
    if (!args_given(a, name))
        return;
    *value = args_real(a, name);
    *fixed |= bit;
}

static void take_integer(const args *a, const char *name, uint32_t bit,
                         int32_t *value, uint32_t *fixed)
{
    if (!args_given(a, name))
        return;
    *value = (int32_t)args_integer(a, name);
    *fixed |= bit;
}

kith_train_options method_options(const run *r)
{
    const args *a = r->a;
    kith_train_options o;
    kith_params *p = &o.params;

    kith_train_options_init(&o);
    o.job = r->job;
    if (args_given(a, "prep")) {
        p->prep = (kith_prep)args_choice(a, "prep");
        o.fixed |= KITH_FIX_PREP;
    }
    if (args_given(a, "clamp")) {
        p->clamp = args_choice(a, "clamp") == 0;
        o.fixed |= KITH_FIX_CLAMP;
    }
    take_integer(a, "smooth", KITH_FIX_SMOOTH, &p->smooth, &o.fixed);
    take_real(a, "penalty", KITH_FIX_PENALTY, &p->penalty, &o.fixed);
    take_integer(a, "iterations", KITH_FIX_ITERATIONS, &p->iterations,
                 &o.fixed);
    take_real(a, "tolerance", 0, &p->tolerance, &o.fixed);
    take_real(a, "damping", 0, &p->damping, &o.fixed);
    take_real(a, "g1", KITH_FIX_G1, &p->g1, &o.fixed);
    take_real(a, "g2", KITH_FIX_G2, &p->g2, &o.fixed);
    take_real(a, "lambda", KITH_FIX_LAMBDA, &p->lambda, &o.fixed);
    p->balance = args_flag(a, "balance");
    p->as_written = args_flag(a, "as-written");
    p->uncentred = args_choice(a, "coupling") == 1;
    p->gradient = (kith_gradient)args_choice(a, "gradient");
    if (args_flag(a, "no-tune"))
        o.fixed = KITH_FIX_ALL;
    return o;
}

const char *method_wanted(const args *a)
{
    static const char *const only_lcm[] = {
        "g1", "g2", "lambda", "as-written", "coupling", "gradient"};

    for (size_t i = 0; i < sizeof(only_lcm) / sizeof(*only_lcm); i++)
        if (!args_given(a, "method") && args_given(a, only_lcm[i]))
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

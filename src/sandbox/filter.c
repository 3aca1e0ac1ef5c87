/*
 * filter.c: see filter.h. The filters are made when helve is built (filter_table.c): they are the same on every machine
 * of a kind, and the first command of every session would wait for libseccomp. Built for another kind of machine, helve
 * makes them when it needs them.
 */
#include "sandbox/filter.h"

#ifdef SANDBOX_FILTER_TABLE

#include "filter_table.h"

enum hv_code sandbox_filter_build(struct hv_arena *arena, const struct sandbox_filter_options *options,
                                  struct hv_str *out, struct hv_error *err)
{
    (void)arena, (void)err;
    *out = hv_str_from(filter_table[options->unix_sockets][options->no_internet]);
    return HV_OK;
}

#else

#include "sandbox/filter_make.h"

enum hv_code sandbox_filter_build(struct hv_arena *arena, const struct sandbox_filter_options *options,
                                  struct hv_str *out, struct hv_error *err)
{
    return filter_make(arena, options, out, err);
}

#endif

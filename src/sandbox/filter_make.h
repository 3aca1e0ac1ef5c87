/* filter_make.h: have libseccomp make the filter that filter.h speaks of. */
#ifndef SANDBOX_FILTER_MAKE_H
#define SANDBOX_FILTER_MAKE_H

#include "sandbox/filter.h"

/*
 * The filter for the kind of machine that this runs on, in arena. Errors: HV_EUNSUPPORTED, HV_ENOSPC. Takes about a
 * millisecond; any thread.
 */
enum hv_code filter_make(struct hv_arena *arena, const struct sandbox_filter_options *options, struct hv_str *out,
                         struct hv_error *err) HV_MUST_CHECK;

#endif

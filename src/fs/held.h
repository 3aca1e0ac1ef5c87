/* held.h: the host of one call, which reaches what was judged and nothing else: hv_host.hold of the local machine. */
#ifndef FS_HELD_H
#define FS_HELD_H

#include <helve/host.h>

/* The contract of hv_host.hold. */
enum hv_code fs_held_hold(const struct hv_host *base, struct hv_place *places, size_t count, const struct hv_host **out,
                          struct hv_error *err) HV_MUST_CHECK;

#endif

/* held.h: the host of one call, which reaches what was judged and nothing else: hv_host.hold of the local machine. */
#ifndef FS_HELD_H
#define FS_HELD_H

#include <helve/host.h>

/* The contract of hv_host.hold. */
enum hv_code fs_held_hold(const struct hv_host *base, struct hv_place *places, size_t count, const struct hv_host **out,
                          struct hv_error *err) HV_MUST_CHECK;

/* Where the path itself is when it is a link, its directory resolved; absent: it is none, or cannot be looked at. In
 * arena. Blocks. */
struct hv_str fs_link_itself(const struct hv_host *host, struct hv_arena *arena, struct hv_str path);

/* What a host that fs_held_hold gave reaches a resolved path of its places by, valid as long as that host; the root's
 * for other paths and other hosts. Never NULL. */
const struct hv_handle *fs_held_handle(const struct hv_host *host, struct hv_str resolved);

#endif

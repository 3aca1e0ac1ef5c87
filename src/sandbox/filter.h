/*
 * filter.h: the seccomp filter of confined commands, as bytes for the kernel. It forbids (EPERM) what no build, test or
 * script needs and what the ways out of sandboxes went through: tracing, mounting, namespaces, keys, bpf, io_uring,
 * modules, kexec, putting input into a terminal, sockets of other than the usual families. Programs of a foreign
 * architecture are killed. What it lets pass is bounded by the namespaces.
 */
#ifndef SANDBOX_FILTER_H
#define SANDBOX_FILTER_H

#include <helve/str.h>

struct sandbox_filter_options {
    bool unix_sockets; /* sockets of AF_UNIX may be made; pairs of them always may */
    bool no_internet;  /* not even those of AF_INET: where no network of its own keeps a command in */
};

/* The filter as struct sock_filter after struct sock_filter, in hexadecimal; may be in arena. Errors: those of
 * filter_make, where helve was built for another kind of machine; else none. Any thread. */
enum hv_code sandbox_filter_build(struct hv_arena *arena, const struct sandbox_filter_options *options,
                                  struct hv_str *out, struct hv_error *err) HV_MUST_CHECK;

#endif

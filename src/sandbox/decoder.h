/*
 * decoder.h: confining programs that read foreign bytes for helve itself (poppler's, for PDF), whatever the settings
 * say of commands: they are not the model's, nobody needs to let them out, and what they need is always the same: the
 * system's own programs, libraries and fonts to read, stdin and stdout, and nothing else. No home, no workspace, no
 * network, nothing to write to, and limits of memory and time.
 */
#ifndef SANDBOX_DECODER_H
#define SANDBOX_DECODER_H

#include <helve/host.h>

/* Ways of doing it, best first. Which one works is found out by doing it. */
enum decoder_way {
    DECODER_BUBBLEWRAP = 0, /* as root: without a user namespace */
    DECODER_BUBBLEWRAP_USER,
    DECODER_LANDLOCK, /* where bubblewrap cannot run: Landlock, and the system-call filter */
    DECODER_WAYS,
};

struct decoder_place {
    const struct hv_str *roots; /* the workspace: no program in it is used to confine anything */
    size_t root_count;
    uint64_t memory;      /* bytes of address space */
    unsigned cpu_seconds; /* of processor time */
};

/* The path of one of the system's own programs ("pdftotext"), links resolved, in arena; NULL: not installed where
 * systems put their programs. PATH has no say. Looks at files. */
const char *sandbox_decoder_find(struct hv_arena *arena, const char *name);

/*
 * The arguments that run argv (argv[0] from sandbox_decoder_find) confined in this way, in arena. HV_EUNSUPPORTED: this
 * way is not there (no bubblewrap, not root); others: the helper is missing or cannot be told. Blocks on files for
 * about a millisecond.
 */
enum hv_code sandbox_decoder_argv(struct hv_arena *arena, const struct decoder_place *place, enum decoder_way way,
                                  const char *const *argv, const char *const **out, struct hv_error *err) HV_MUST_CHECK;

/* It ended so because the confinement could not be set up: the program did not run. errors: what came on stderr. */
bool sandbox_decoder_failed(const struct hv_exit *end, struct hv_str errors);

#endif

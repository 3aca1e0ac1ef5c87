/*
 * error.h: how every function of helve says that something went wrong.
 *
 * A function that can fail returns an enum hv_code (0 is success) and takes a struct hv_error * as its last
 * parameter. The struct holds its text in fixed storage, so that an error needs no allocation and can cross
 * arenas and threads by assignment. The function nearest the fault fills it, once; callers may add a prefix.
 * Three kinds are kept apart: a bug in helve is an assert; a fault of the world (a missing file, a full disk,
 * a broken peer) is a code with an hv_error; an answer that happens to be negative (`grep` found nothing) is
 * neither, but a result.
 *
 * Thread-safety: all functions are pure in their arguments; one hv_error belongs to one thread at a time.
 */
#ifndef HELVE_ERROR_H
#define HELVE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#if defined(__GNUC__)
#define HV_API __attribute__((visibility("default")))
#define HV_MUST_CHECK __attribute__((warn_unused_result))
#define HV_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define HV_API
#define HV_MUST_CHECK
#define HV_PRINTF(format_index, first_argument)
#endif

enum hv_code {
    HV_OK = 0,
    HV_EINVAL,       /* the input is wrong: shape, type, range, syntax */
    HV_ENOTFOUND,    /* no such file, tool, session, member */
    HV_EEXIST,       /* already there */
    HV_EACCES,       /* the operating system refused */
    HV_EDENIED,      /* helve's own rules refused */
    HV_ECONFLICT,    /* changed since it was read, locked, duplicate */
    HV_ETOOBIG,      /* over a limit of size, depth or count */
    HV_ETIMEOUT,     /* the time allowed ran out */
    HV_ECANCELLED,   /* the person or the caller cancelled */
    HV_EIO,          /* reading or writing failed */
    HV_ENOSPC,       /* disk, quota or descriptor table full */
    HV_ENET,         /* connection, name look-up, TLS, a stream that was cut */
    HV_EPROTO,       /* a peer sent what its protocol does not allow */
    HV_EAGAIN,       /* temporary: the same call may succeed later */
    HV_EUNSUPPORTED, /* known, but not possible here */
    HV_EINTERNAL,    /* an inner limit; never the caller's fault */
};

enum { HV_ERROR_MESSAGE_MAX = 1024, HV_ERROR_HINT_MAX = 512, HV_ERROR_PLACE_MAX = 256 };

/* What went wrong. All texts are NUL-terminated UTF-8, cut at a character boundary when too long. */
struct hv_error {
    enum hv_code code;
    int sys_errno;                      /* errno of the failed system call, else 0 */
    char message[HV_ERROR_MESSAGE_MAX]; /* what happened: one sentence without a final full stop */
    char hint[HV_ERROR_HINT_MAX];       /* what to do next; may be empty */
    char place[HV_ERROR_PLACE_MAX];     /* field path ("edits[2].old_string") or "file:line"; may be empty */
};

/*
 * Fill *err with a code and a formatted message, clearing hint, place and errno, and return the code, so that
 * `return hv_fail(err, HV_EINVAL, "…")` is one statement. err may be NULL: then only the code is returned.
 */
HV_API enum hv_code hv_fail(struct hv_error *err, enum hv_code code, const char *format, ...) HV_PRINTF(3, 4);

/* As hv_fail, with the code that fits errno_value, the message followed by ": " and the system's text, and a hint where
 * the errno alone says what to do (a full disk, missing permission …). */
HV_API enum hv_code hv_fail_errno(struct hv_error *err, int errno_value, const char *format, ...) HV_PRINTF(3, 4);

/* Set the hint (what to do next) of an error already filled. err may be NULL. */
HV_API void hv_error_hint(struct hv_error *err, const char *format, ...) HV_PRINTF(2, 3);

/* Set the place (field path or file:line) of an error already filled. err may be NULL. */
HV_API void hv_error_place(struct hv_error *err, const char *format, ...) HV_PRINTF(2, 3);

/* Put text in front of the message, as in "settings.json: " + "expected a colon". err may be NULL. */
HV_API void hv_error_prefix(struct hv_error *err, const char *format, ...) HV_PRINTF(2, 3);

/* The code that fits an errno value (ENOENT is HV_ENOTFOUND, ENOSPC and EDQUOT are HV_ENOSPC, …). */
HV_API enum hv_code hv_code_from_errno(int errno_value);

/* A short constant name of a code for machines, such as "not_found". Never NULL. */
HV_API const char *hv_code_name(enum hv_code code);

#endif

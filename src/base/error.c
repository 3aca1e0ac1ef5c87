/* error.c: filling the fixed texts of an hv_error. See helve/error.h. */
#include <errno.h>
#include <helve/error.h>
#include <stdio.h>
#include <string.h>

/* vsnprintf that cuts at a character boundary, so that a cut text stays valid UTF-8. */
static void format_into(char *text, size_t size, const char *format, va_list arguments)
{
    int wanted = vsnprintf(text, size, format, arguments);
    if (wanted < 0) {
        text[0] = '\0';
        return;
    }
    if ((size_t)wanted < size)
        return;
    size_t end = size - 1;
    while (end > 0 && ((unsigned char)text[end - 1] & 0xc0) == 0x80)
        end--;
    if (end > 0 && ((unsigned char)text[end - 1] & 0xc0) == 0xc0) {
        size_t need = (unsigned char)text[end - 1] >= 0xf0 ? 4 : (unsigned char)text[end - 1] >= 0xe0 ? 3 : 2;
        end = size - 1 - (end - 1) >= need ? size - 1 : end - 1;
    } else {
        end = size - 1;
    }
    text[end] = '\0';
}

enum hv_code hv_fail(struct hv_error *err, enum hv_code code, const char *format, ...)
{
    if (err) {
        va_list arguments;
        err->code = code;
        err->sys_errno = 0;
        err->hint[0] = err->place[0] = '\0';
        va_start(arguments, format);
        format_into(err->message, sizeof err->message, format, arguments);
        va_end(arguments);
    }
    return code;
}

/* What to do about it, where that is the same whatever failed; else NULL. */
static const char *advice(int errno_value)
{
    switch (errno_value) {
    case ENOSPC:
    case EDQUOT: return "Free some space on that disk, then try again";
    case EROFS: return "That file system can only be read; choose another place";
    case EACCES:
    case EPERM: return "Its permissions, or those of a directory above it, forbid this; its owner can change them";
    case ENOTDIR: return "A part of the path is a file, not a directory; check the path";
    case ENAMETOOLONG: return "Use a shorter name";
    case ELOOP: return "Its symbolic links lead in a circle; `ls -l` shows where they point";
    case EMFILE:
    case ENFILE: return "Too many files are open; `ulimit -n` raises the limit";
    case EIO: return "The disk, or the way to it, has a fault, which trying again rarely mends: tell the person";
    case EINTR:
    case EAGAIN: return "Try again";
    case EBUSY: return "Something else uses it at this moment; try again later";
    case ENOMEM: return "Memory is short on this machine; end what is not needed, then try again";
    case ESTALE: return "The file was replaced on its server; look at it again, then try again";
    default: return NULL;
    }
}

enum hv_code hv_fail_errno(struct hv_error *err, int errno_value, const char *format, ...)
{
    enum hv_code code = hv_code_from_errno(errno_value);
    if (err) {
        va_list arguments;
        char reason[128];
        err->code = code;
        err->sys_errno = errno_value;
        err->hint[0] = err->place[0] = '\0';
        va_start(arguments, format);
        format_into(err->message, sizeof err->message, format, arguments);
        va_end(arguments);
        const char *text = strerror_r(errno_value, reason, sizeof reason);
        size_t used = strlen(err->message), want = strlen(text) + 2;
        if (used + want < sizeof err->message)
            snprintf(err->message + used, sizeof err->message - used, ": %s", text);
        if (advice(errno_value))
            hv_error_hint(err, "%s", advice(errno_value));
    }
    return code;
}

void hv_error_hint(struct hv_error *err, const char *format, ...)
{
    va_list arguments;
    if (!err)
        return;
    va_start(arguments, format);
    format_into(err->hint, sizeof err->hint, format, arguments);
    va_end(arguments);
}

void hv_error_place(struct hv_error *err, const char *format, ...)
{
    va_list arguments;
    if (!err)
        return;
    va_start(arguments, format);
    format_into(err->place, sizeof err->place, format, arguments);
    va_end(arguments);
}

void hv_error_prefix(struct hv_error *err, const char *format, ...)
{
    va_list arguments;
    char prefix[HV_ERROR_MESSAGE_MAX], rest[HV_ERROR_MESSAGE_MAX];
    if (!err)
        return;
    va_start(arguments, format);
    format_into(prefix, sizeof prefix, format, arguments);
    va_end(arguments);
    memcpy(rest, err->message, sizeof rest);
    size_t used = strlen(prefix), room = sizeof err->message - 1 - used, take = strlen(rest);
    memcpy(err->message, prefix, used);
    if (take > room) /* cut before a started character, never in the middle of one */
        for (take = room; take > 0 && ((unsigned char)rest[take] & 0xc0) == 0x80;)
            take--;
    memcpy(err->message + used, rest, take);
    err->message[used + take] = '\0';
}

enum hv_code hv_code_from_errno(int errno_value)
{
    switch (errno_value) {
    case 0: return HV_OK;
    case ENOENT:
    case ENOTDIR:
    case ESRCH: return HV_ENOTFOUND;
    case EEXIST:
    case ENOTEMPTY: return HV_EEXIST;
    case EACCES:
    case EPERM:
    case EROFS: return HV_EACCES;
    case EINVAL:
    case ELOOP:
    case ENAMETOOLONG:
    case EISDIR:
    case EILSEQ: return HV_EINVAL;
    case EFBIG:
    case E2BIG:
    case EOVERFLOW: return HV_ETOOBIG;
    case ETIMEDOUT: return HV_ETIMEOUT;
    case ECANCELED: return HV_ECANCELLED;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE: return HV_ENOSPC;
    case EAGAIN:
    case EBUSY:
    case EINTR:
    case ENOMEM:
    case ETXTBSY: return HV_EAGAIN;
    case ECONNREFUSED:
    case ECONNRESET:
    case ENETUNREACH:
    case EHOSTUNREACH:
    case EPIPE: return HV_ENET;
    case ENOSYS:
    case EOPNOTSUPP:
    case ENXIO:
    case ENODEV: return HV_EUNSUPPORTED;
    default: return HV_EIO;
    }
}

const char *hv_code_name(enum hv_code code)
{
    static const char *const names[] = {
        [HV_OK] = "ok",
        [HV_EINVAL] = "invalid",
        [HV_ENOTFOUND] = "not_found",
        [HV_EEXIST] = "exists",
        [HV_EACCES] = "access",
        [HV_EDENIED] = "denied",
        [HV_ECONFLICT] = "conflict",
        [HV_ETOOBIG] = "too_big",
        [HV_ETIMEOUT] = "timeout",
        [HV_ECANCELLED] = "cancelled",
        [HV_EIO] = "io",
        [HV_ENOSPC] = "no_space",
        [HV_ENET] = "network",
        [HV_EPROTO] = "protocol",
        [HV_EAGAIN] = "again",
        [HV_EUNSUPPORTED] = "unsupported",
        [HV_EINTERNAL] = "internal",
    };
    return (size_t)code < sizeof names / sizeof *names && names[code] ? names[code] : "unknown";
}

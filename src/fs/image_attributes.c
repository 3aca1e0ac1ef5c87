/*
 * image_attributes.c: what an image knows of a thing besides its bytes: owner, extended attributes (ACLs and
 * capabilities are among them), mode, time. Taken and given by name, without following links: through /proc, so that
 * the directory stays the one that was opened.
 */
#include "base/base64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "fs/image_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
    PLACE_MAX = NAME_MAX + 40,
    VALUE_MAX = 64 << 10, /* what Linux allows, of both */
    NAMES_MAX = 64 << 10,
    NAMES_COUNT_MAX = 256,
    ATTRIBUTES_MAX = 1 << 20
};

/* A name as system calls take it that know no directory. */
static const char *place(char text[PLACE_MAX], int directory, const char *name)
{
    snprintf(text, PLACE_MAX, "/proc/self/fd/%d/%s", directory, name);
    return text;
}

/* What a file loses with its name. What the kernel or a security module derives is none of it. */
static bool is_kept(const char *name)
{
    return strncmp(name, "user.", 5) == 0 || strcmp(name, "system.posix_acl_access") == 0 ||
           strcmp(name, "system.posix_acl_default") == 0 || strcmp(name, "security.capability") == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The kept ones among the names, sorted. */
static size_t kept_names(char *names, ssize_t len, const char *kept[NAMES_COUNT_MAX])
{
    size_t count = 0;
    for (ssize_t at = 0; at < len && count < NAMES_COUNT_MAX; at += (ssize_t)strlen(names + at) + 1)
        if (is_kept(names + at))
            kept[count++] = names + at;
    if (count)
        qsort(kept, count, sizeof *kept, by_name);
    return count;
}

/* 0, or why it cannot be read; one that went a moment ago is none. */
static int put_attribute(struct hv_json_writer *writer, const char *path, const char *name)
{
    CLEANUP_FREE char *value = hv_malloc(VALUE_MAX);
    CLEANUP_BUF struct hv_buf text = {.max = 2 * VALUE_MAX};
    ssize_t len = lgetxattr(path, name, value, VALUE_MAX);
    if (len < 0)
        return errno == ENODATA ? 0 : errno;
    base64_encode(&text, hv_str_of(value, (size_t)len), BASE64_STANDARD);
    hv_json_member_string(writer, name, hv_buf_str(&text));
    return 0;
}

bool image_is_refusal(int reason)
{
    return reason == EPERM || reason == EACCES || reason == ENOTSUP || reason == EINVAL || reason == ENOSYS;
}

static int fault_of(int reason)
{
    return image_is_refusal(reason) ? 0 : reason;
}

int image_take_attributes(struct fs_image *image, int directory, const char *name, struct hv_arena *arena)
{
    char text[PLACE_MAX];
    char first[512]; /* most have none or few */
    const char *path = place(text, directory, name);
    CLEANUP_FREE char *more = NULL;
    char *names = first;
    ssize_t len = llistxattr(path, first, sizeof first);
    if (len < 0 && errno == ERANGE) {
        names = more = hv_malloc(NAMES_MAX);
        len = llistxattr(path, more, NAMES_MAX);
    }
    if (len < 0 && errno != ENOTSUP)
        return fault_of(errno);
    const char *kept[NAMES_COUNT_MAX];
    size_t count = len > 0 ? kept_names(names, len, kept) : 0;
    if (!count) {
        image->attributes = HV_STR("{}");
        return 0;
    }
    CLEANUP_BUF struct hv_buf json = {.max = ATTRIBUTES_MAX};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &json);
    hv_json_begin_object(&writer);
    int reason = 0;
    for (size_t i = 0; i < count && !reason; i++)
        reason = put_attribute(&writer, path, kept[i]);
    hv_json_end_object(&writer);
    if (!json.failed && !reason)
        image->attributes = hv_arena_str(arena, hv_buf_str(&json));
    return fault_of(reason);
}

/* ---- giving ---------------------------------------------------------------------------------------------------- */

/* What went wrong so far: a fault says more than a refusal. */
static void note(int *reason, int result)
{
    if (result && (!*reason || image_is_refusal(*reason)))
        *reason = errno;
}

static void set_one(const char *path, struct hv_arena *arena, const struct hv_json *member, int *reason)
{
    CLEANUP_BUF struct hv_buf value = {.max = VALUE_MAX};
    const char *name = hv_arena_cstr(arena, member->key);
    bool is_good = is_kept(name) && base64_decode(&value, hv_json_string(member), BASE64_STANDARD, NULL) == HV_OK;
    errno = EINVAL;
    note(reason, is_good ? setxattr(path, name, value.data ? value.data : "", value.len, 0) : -1);
}

/* Those that are there and are not wanted. */
static void remove_others(const char *path, const struct hv_json *wanted, int *reason)
{
    CLEANUP_FREE char *names = hv_malloc(NAMES_MAX);
    const char *kept[NAMES_COUNT_MAX];
    ssize_t len = listxattr(path, names, NAMES_MAX);
    size_t count = len > 0 ? kept_names(names, len, kept) : 0;
    note(reason, len < 0 && errno != ENOTSUP);
    for (size_t i = 0; i < count; i++)
        if (!hv_json_get(wanted, kept[i]))
            note(reason, removexattr(path, kept[i]));
}

static void set_attributes(const struct fs_image *image, const char *path, int *reason)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *wanted;
    if (!image->attributes.ptr || hv_json_parse(&arena, image->attributes, HV_JSON_STRICT, &wanted, NULL) != HV_OK)
        return;
    remove_others(path, wanted, reason);
    hv_json_each(member, wanted)
    {
        set_one(path, &arena, member, reason);
    }
}

static int set_time(const struct fs_image *image, int directory, const char *name)
{
    const struct timespec times[2] = {
        {.tv_nsec = UTIME_OMIT},
        {.tv_sec = image->mtime_ns / (int64_t)CLOCK_SECOND, .tv_nsec = image->mtime_ns % (int64_t)CLOCK_SECOND}};
    return image->mtime_ns <= 0 ? 0 : utimensat(directory, name, times, AT_SYMLINK_NOFOLLOW);
}

int image_set_mode(int fd, mode_t mode)
{
    char text[PLACE_MAX];
    snprintf(text, sizeof text, "/proc/self/fd/%d", fd);
    return chmod(text, mode);
}

int image_set_attributes(const struct fs_image *image, int directory, const char *name)
{
    char text[PLACE_MAX];
    struct stat status;
    int reason = 0;
    CLEANUP_FD int fd = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status))
        return errno;
    if (image->has_owner && (status.st_uid != image->uid || status.st_gid != image->gid))
        note(&reason, fchownat(fd, "", image->uid, image->gid, AT_EMPTY_PATH));
    if (!S_ISLNK(status.st_mode)) {
        /* The very thing that was opened, whatever bears the name by now. */
        snprintf(text, sizeof text, "/proc/self/fd/%d", fd);
        set_attributes(image, text, &reason);
        /* The mode comes after them: chown clears set-id bits, and an ACL sets those of the group. */
        note(&reason, image_set_mode(fd, image->mode));
    }
    note(&reason, set_time(image, directory, name));
    return reason;
}

void fs_image_give_time(const struct fs_image *image)
{
    char name[NAME_MAX + 1];
    struct stat status;
    CLEANUP_FD int parent = image_open_parent(image, name);
    if (parent >= 0 && fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode))
        (void)set_time(image, parent, name);
}

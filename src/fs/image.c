/* image.c: see image.h. */
#include "fs/image.h"

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "fs/directory.h"
#include "fs/handle.h"
#include "fs/image_store.h"
#include "fs/open.h"

#include <fcntl.h>
#include <string.h>

enum { TEXT_MAX = 1 << 20, PIECE = 256 << 10, TWIN_ENTRIES_MAX = 10000 };

/* ---- looking ------------------------------------------------------------------------------------------------- */

static int64_t nanoseconds(struct timespec time)
{
    return (int64_t)time.tv_sec * (int64_t)CLOCK_SECOND + time.tv_nsec;
}

void image_fill(struct fs_image *image, const struct stat *status)
{
    image->kind = S_ISREG(status->st_mode)   ? FS_IMAGE_FILE
                  : S_ISLNK(status->st_mode) ? FS_IMAGE_LINK
                  : S_ISDIR(status->st_mode) ? FS_IMAGE_DIRECTORY
                                             : FS_IMAGE_OTHER;
    image->mode = status->st_mode & 07777;
    image->has_owner = true;
    image->uid = status->st_uid;
    image->gid = status->st_gid;
    image->links = image->kind == FS_IMAGE_FILE ? (uint32_t)status->st_nlink : 0;
    image->size = (uint64_t)status->st_size;
    image->mtime_ns = nanoseconds(status->st_mtim);
    image->ctime_ns = nanoseconds(status->st_ctim);
    image->inode = status->st_ino;
    image->device = status->st_dev;
}

int image_open_parent(const struct fs_image *image, char name[NAME_MAX + 1])
{
    struct hv_str last = path_name(image->path);
    if (!last.len || last.len > NAME_MAX) {
        errno = last.len ? ENAMETOOLONG : EISDIR;
        return -1;
    }
    memcpy(name, last.ptr, last.len);
    name[last.len] = '\0';
    return fs_open_at(image->at ? image->at : &fs_root_handle, path_parent(image->path), O_PATH | O_DIRECTORY);
}

int fs_image_look(struct fs_image *image, struct hv_arena *arena)
{
    char name[NAME_MAX + 1], target[FS_PATH_MAX];
    struct stat status;
    *image = (struct fs_image){.path = image->path, .at = image->at};
    CLEANUP_FD int parent = image_open_parent(image, name);
    if (parent >= 0 && fstat(parent, &status) == 0)
        image->folder_ns = nanoseconds(status.st_mtim);
    if (parent < 0 || fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW)) {
        bool is_nothing = errno == ENOENT || errno == ENOTDIR;
        image->kind = is_nothing ? FS_IMAGE_NOTHING : FS_IMAGE_OTHER;
        return is_nothing || errno == ELOOP ? 0 : errno; /* a link on the way: it is somewhere else */
    }
    image_fill(image, &status);
    int reason = image_take_attributes(image, parent, name, arena);
    if (image->kind != FS_IMAGE_LINK)
        return reason;
    ssize_t len = readlinkat(parent, name, target, sizeof target);
    if (len < 0 || (size_t)len == sizeof target) {
        image->kind = FS_IMAGE_OTHER;
        return len < 0 ? errno : ENAMETOOLONG;
    }
    image->target = hv_arena_str(arena, hv_str_of(target, (size_t)len));
    return reason;
}

bool fs_image_sum(struct fs_image *image, struct hv_arena *arena)
{
    char name[NAME_MAX + 1], hex[SHA256_HEX + 1];
    struct stat status;
    struct sha256 sum;
    CLEANUP_FD int parent = image_open_parent(image, name);
    CLEANUP_FD int fd =
        parent < 0 ? -1 : openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    CLEANUP_FREE char *piece = hv_malloc(PIECE);
    sha256_begin(&sum);
    if (fd < 0 || fstat(fd, &status))
        return false;
    errno = 0;
    if (!S_ISREG(status.st_mode))
        return false;
    ssize_t got = 0;
    for (uint64_t offset = 0; (got = fs_read_at(fd, piece, PIECE, offset)) > 0; offset += (uint64_t)got)
        sha256_add(&sum, piece, (size_t)got);
    struct fs_image now = {0};
    if (got < 0 || fstat(fd, &status))
        return false;
    image_fill(&now, &status);
    sha256_end(&sum, hex);
    image->hash = hv_arena_str(arena, hv_str_of(hex, SHA256_HEX));
    errno = 0;
    return fs_image_untouched(image, &now);
}

void fs_image_find_twin(struct fs_image *image, struct hv_arena *arena)
{
    char name[NAME_MAX + 1];
    struct fs_directory directory;
    struct hv_directory_entry entry;
    struct stat status;
    if (image->kind != FS_IMAGE_FILE || image->links < 2)
        return;
    CLEANUP_FD int parent = image_open_parent(image, name);
    int again = parent < 0 ? -1 : openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (again < 0)
        return;
    fs_directory_init(&directory, again);
    for (size_t i = 0; i < TWIN_ENTRIES_MAX && !image->twin.len && fs_directory_next(&directory, &entry) > 0; i++) {
        char other[NAME_MAX + 1];
        snprintf(other, sizeof other, "%.*s", HV_STR_ARG(entry.name));
        if (strcmp(other, name) != 0 && fstatat(again, other, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            status.st_ino == image->inode && status.st_dev == image->device)
            image->twin = hv_arena_format(arena, "%.*s/%s", HV_STR_ARG(path_parent(image->path)), other);
    }
    fs_directory_release(&directory);
    close(again);
}

/* ---- comparing ----------------------------------------------------------------------------------------------- */

bool fs_image_untouched(const struct fs_image *a, const struct fs_image *b)
{
    return a->kind == b->kind && a->inode == b->inode && a->device == b->device && a->size == b->size &&
           a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

bool fs_image_unwritten(const struct fs_image *a, const struct fs_image *b)
{
    return a->kind == b->kind && a->inode && a->inode == b->inode && a->device == b->device && a->size == b->size &&
           a->mtime_ns == b->mtime_ns;
}

bool fs_image_same_content(const struct fs_image *a, const struct fs_image *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case FS_IMAGE_NOTHING:
    case FS_IMAGE_DIRECTORY: return true;
    case FS_IMAGE_LINK: return hv_str_eq(a->target, b->target);
    case FS_IMAGE_FILE:
        if (a->size != b->size)
            return false;
        return fs_image_untouched(a, b) || (a->hash.len && hv_str_eq(a->hash, b->hash));
    case FS_IMAGE_OTHER: break;
    }
    return false;
}

bool fs_image_same(const struct fs_image *a, const struct fs_image *b)
{
    if (a->kind == FS_IMAGE_NOTHING && b->kind == FS_IMAGE_NOTHING)
        return true;
    if (!fs_image_same_content(a, b) || (a->kind != FS_IMAGE_LINK && a->mode != b->mode))
        return false;
    bool same_owner = !a->has_owner || !b->has_owner || (a->uid == b->uid && a->gid == b->gid);
    return same_owner && (!a->attributes.ptr || !b->attributes.ptr || hv_str_eq(a->attributes, b->attributes));
}

bool fs_image_is_of_git(struct hv_str path)
{
    return hv_str_ends(path, HV_STR("/.git")) || hv_str_find(path, HV_STR("/.git/"), 0) != SIZE_MAX;
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static const char *const kind_names[] = {"nothing", "file", "link", "directory", "other"};
enum { KIND_COUNT = sizeof kind_names / sizeof *kind_names };

const char *fs_image_kind_name(enum fs_image_kind kind)
{
    return (unsigned)kind < KIND_COUNT ? kind_names[kind] : "other";
}

static void put_bytes(struct hv_json_writer *writer, const char *name, const char *name64, struct hv_str bytes)
{
    if (!bytes.ptr)
        return;
    if (utf8_valid(bytes)) {
        hv_json_member_string(writer, name, bytes);
        return;
    }
    CLEANUP_BUF struct hv_buf text = {.max = TEXT_MAX};
    base64_encode(&text, bytes, BASE64_STANDARD);
    hv_json_member_string(writer, name64, hv_buf_str(&text));
}

void fs_image_write(struct hv_json_writer *writer, const struct fs_image *image)
{
    hv_json_begin_object(writer);
    put_bytes(writer, "path", "path64", image->path);
    hv_json_member_cstr(writer, "kind", fs_image_kind_name(image->kind));
    if (image->kind != FS_IMAGE_NOTHING) {
        hv_json_member_int(writer, "mode", image->mode);
        if (image->has_owner) {
            hv_json_member_int(writer, "uid", image->uid);
            hv_json_member_int(writer, "gid", image->gid);
        }
        if (image->links > 1)
            hv_json_member_int(writer, "links", image->links);
        hv_json_member_int(writer, "size", (int64_t)image->size);
        hv_json_member_int(writer, "mtime", image->mtime_ns);
        hv_json_member_int(writer, "ctime", image->ctime_ns);
        hv_json_member_int(writer, "inode", (int64_t)image->inode);
        hv_json_member_int(writer, "device", (int64_t)image->device);
    }
    if (image->folder_ns)
        hv_json_member_int(writer, "folder", image->folder_ns);
    if (image->folder_before_ns)
        hv_json_member_int(writer, "folder_before", image->folder_before_ns);
    if (image->hash.ptr)
        hv_json_member_string(writer, "hash", image->hash);
    put_bytes(writer, "target", "target64", image->target);
    put_bytes(writer, "twin", "twin64", image->twin);
    if (image->attributes.ptr)
        hv_json_member_raw(writer, "attributes", image->attributes);
    if (image->unsaved.ptr)
        hv_json_member_string(writer, "unsaved", image->unsaved);
    hv_json_end_object(writer);
}

static bool take_bytes(struct hv_arena *arena, const struct hv_json *value, const char *name, const char *name64,
                       struct hv_str *out)
{
    CLEANUP_BUF struct hv_buf bytes = {.max = TEXT_MAX};
    struct hv_str text = hv_json_get_string(value, name64);
    *out = hv_arena_str(arena, hv_json_get_string(value, name));
    if (!text.ptr)
        return true;
    if (base64_decode(&bytes, text, BASE64_STANDARD, NULL) != HV_OK)
        return false;
    *out = hv_arena_str(arena, hv_buf_str(&bytes));
    return true;
}

static int64_t number(const struct hv_json *value, const char *name)
{
    int64_t result;
    return hv_json_int64(hv_json_get(value, name), &result) ? result : 0;
}

static void take_owner(const struct hv_json *value, struct fs_image *out)
{
    int64_t uid, gid;
    out->has_owner = hv_json_int64(hv_json_get(value, "uid"), &uid) && uid >= 0 && uid < UINT32_MAX &&
                     hv_json_int64(hv_json_get(value, "gid"), &gid) && gid >= 0 && gid < UINT32_MAX;
    if (!out->has_owner)
        return;
    out->uid = (uint32_t)uid;
    out->gid = (uint32_t)gid;
}

static bool take_kind(const struct hv_json *value, enum fs_image_kind *kind)
{
    for (unsigned i = 0; i < KIND_COUNT; i++)
        if (hv_str_is(hv_json_get_string(value, "kind"), kind_names[i])) {
            *kind = (enum fs_image_kind)i;
            return true;
        }
    return false;
}

/* Absolute, tidy, nothing that a system call would take for its end. */
static bool is_path(struct hv_str path)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    return path.len > 1 && path.len < FS_PATH_MAX && path.ptr[0] == '/' &&
           hv_str_find_byte(path, '\0', 0) == SIZE_MAX &&
           hv_str_eq(path, path_expand(&arena, path, HV_STR("/"), (struct hv_str){0}));
}

static struct hv_str attributes_of(struct hv_arena *arena, const struct hv_json *value)
{
    const struct hv_json *attributes = hv_json_get(value, "attributes");
    if (hv_json_type_of(attributes) != HV_JSON_OBJECT)
        return (struct hv_str){0};
    CLEANUP_BUF struct hv_buf text = {.max = TEXT_MAX};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &text);
    hv_json_put_value(&writer, attributes);
    return text.failed ? (struct hv_str){0} : hv_arena_str(arena, hv_buf_str(&text));
}

bool fs_image_read(struct hv_arena *arena, const struct hv_json *value, struct fs_image *out)
{
    *out = (struct fs_image){0};
    if (!take_kind(value, &out->kind) || !take_bytes(arena, value, "path", "path64", &out->path) ||
        !is_path(out->path) || !take_bytes(arena, value, "target", "target64", &out->target) ||
        !take_bytes(arena, value, "twin", "twin64", &out->twin) || (out->twin.ptr && !is_path(out->twin)))
        return false;
    out->mode = (uint32_t)number(value, "mode") & 07777;
    out->links = (uint32_t)number(value, "links");
    take_owner(value, out);
    out->size = (uint64_t)number(value, "size");
    out->mtime_ns = number(value, "mtime");
    out->ctime_ns = number(value, "ctime");
    out->folder_ns = number(value, "folder");
    out->folder_before_ns = number(value, "folder_before");
    out->inode = (uint64_t)number(value, "inode");
    out->device = (uint64_t)number(value, "device");
    out->hash = hv_arena_str(arena, hv_json_get_string(value, "hash"));
    out->unsaved = hv_arena_str(arena, hv_json_get_string(value, "unsaved"));
    out->attributes = attributes_of(arena, value);
    bool link_is_whole = out->kind != FS_IMAGE_LINK || (out->target.len && out->target.len < FS_PATH_MAX &&
                                                        hv_str_find_byte(out->target, '\0', 0) == SIZE_MAX);
    return link_is_whole && (!out->hash.ptr || sha256_is_hex(out->hash));
}

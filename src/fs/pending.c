/* pending.c: see pending.h. A note has a line a thing: "t" (a temporary file), "d" (a directory) or "f" (a folder of
 * the journal), a blank, and the path in base64. */
#include "fs/pending.h"

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "fs/handle.h"
#include "fs/host_files.h"
#include "fs/open.h"
#include "fs/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE_PREFIX "write-"
enum { NOTES_MAX = 10000, NOTE_BYTES_MAX = 1 << 20, DEPTH_MAX = 2048 };

/* A file of our own, locked; false when there is none. */
static bool open_note(struct pending *pending, struct hv_str journal)
{
    struct stat status;
    struct hv_str file = hv_arena_format(&pending->arena, "%.*s/" NOTE_PREFIX "XXXXXX", HV_STR_ARG(journal));
    pending->fd = mkostemp((char *)file.ptr, O_CLOEXEC);
    if (pending->fd < 0)
        return false;
    /* A cleaner that came between its birth and its lock has removed it. */
    bool ours = flock(pending->fd, LOCK_EX | LOCK_NB) == 0 && fstat(pending->fd, &status) == 0 && status.st_nlink > 0;
    if (!ours) {
        (void)unlink(file.ptr);
        close(pending->fd);
        pending->fd = -1;
    }
    pending->file = file;
    return ours;
}

void pending_begin(struct pending *pending, struct hv_str journal)
{
    *pending = (struct pending){.fd = -1};
    if (!journal.len || open_note(pending, journal))
        return;
    if (errno == ENOENT && fs_host_make_directories(NULL, journal, NULL) != HV_OK)
        return;
    (void)open_note(pending, journal);
}

static void add_line(struct pending *pending, char what, struct hv_str path)
{
    CLEANUP_BUF struct hv_buf line = {0};
    hv_buf_init(&line, (size_t)FS_PATH_MAX * 4);
    hv_buf_addf(&line, "%c ", what);
    base64_encode(&line, path, BASE64_STANDARD);
    hv_buf_add_byte(&line, '\n');
    /* A note that cannot be written is one that is not found: a temporary file may stay then. */
    if (!line.failed)
        (void)!write(pending->fd, line.data, line.len);
}

void pending_note_temporary(struct pending *pending, struct hv_str directory, const char *name)
{
    if (pending->fd >= 0)
        add_line(pending, 't', hv_arena_format(&pending->arena, "%.*s/%s", HV_STR_ARG(directory), name));
}

void pending_note_folder(struct pending *pending, struct hv_str folder)
{
    if (pending->fd >= 0)
        add_line(pending, 'f', folder);
}

/* What is held is there, and all above it. */
static bool is_missing(const struct hv_handle *at, struct hv_arena *arena, struct hv_str path)
{
    struct hv_file_stat stat;
    if (at->directory < 0)
        return path.len > 1 && faccessat(AT_FDCWD, hv_arena_cstr(arena, path), F_OK, AT_EACCESS);
    return path.len > at->above.len && fs_stat_at(at, path, &stat, NULL) != HV_OK;
}

size_t pending_missing(struct hv_arena *arena, const struct hv_handle *at, struct hv_str path, struct hv_str **missing)
{
    size_t count = 0;
    struct hv_str next = path;
    for (; count < DEPTH_MAX && is_missing(at, arena, next); count++)
        next = path_parent(next);
    *missing = hv_arena_array(arena, struct hv_str, count + 1);
    next = path;
    for (size_t i = count; i-- > 0; next = path_parent(next))
        (*missing)[i] = hv_arena_str(arena, next);
    return count;
}

void pending_note_directories(struct pending *pending, const struct hv_handle *at, struct hv_str path)
{
    pending->at = at;
    pending->made_count = pending_missing(&pending->arena, at, path, &pending->made);
    for (size_t i = 0; i < pending->made_count && pending->fd >= 0; i++)
        add_line(pending, 'd', pending->made[i]);
}

void pending_undo_directories(struct pending *pending)
{
    for (size_t i = pending->made_count; i-- > 0;)
        pending->stays |= fs_remove_at(pending->at, pending->made[i], AT_REMOVEDIR) && errno != ENOENT &&
                          errno != ENOTEMPTY && errno != EEXIST;
    pending->made_count = 0;
}

void pending_end(struct pending *pending)
{
    if (pending->fd >= 0) {
        if (!pending->stays)
            (void)unlink(pending->file.ptr);
        close(pending->fd);
    }
    pending->fd = -1;
    hv_arena_release(&pending->arena);
}

/* ---- what a killed writer left ----------------------------------------------------------------------------------- */

/* In the directory that was noted: one that is a link now is another. */
static void remove_temporary(struct hv_str path)
{
    CLEANUP_LEAF struct fs_leaf leaf = {.directory = -1};
    struct stat status;
    if (fs_is_temporary(path_name(path)) && fs_leaf_open(&fs_root_handle, path, &leaf) == 0 &&
        fstatat(leaf.directory, leaf.name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        (S_ISREG(status.st_mode) || S_ISLNK(status.st_mode)) &&
        (status.st_uid == geteuid() || geteuid() == 0)) /* root gives files away before they get their names */
        (void)unlinkat(leaf.directory, leaf.name, 0);
}

/* Directories stand in the order in which they were made: the last first. */
static void clean_lines(struct hv_arena *arena, struct hv_str text, void (*unfinished)(struct hv_str folder))
{
    while (text.len) {
        size_t end = text.len - 1; /* of the last line: before its newline */
        size_t begin = hv_str_rfind_byte(hv_str_slice(text, 0, end), '\n');
        begin = begin == SIZE_MAX ? 0 : begin + 1;
        struct hv_str line = hv_str_slice(text, begin, end);
        text = hv_str_slice(text, 0, begin);
        CLEANUP_BUF struct hv_buf path = {0};
        hv_buf_init(&path, NOTE_BYTES_MAX);
        if (line.len < 3 || line.ptr[1] != ' ' ||
            base64_decode(&path, hv_str_slice(line, 2, line.len), BASE64_STANDARD, NULL) != HV_OK)
            continue;
        const char *name = hv_arena_cstr(arena, hv_buf_str(&path));
        if (name[0] == '/' && line.ptr[0] == 't')
            remove_temporary(hv_str_from(name));
        else if (name[0] == '/' && line.ptr[0] == 'd')
            (void)fs_remove_at(&fs_root_handle, hv_str_from(name), AT_REMOVEDIR);
        else if (name[0] == '/' && line.ptr[0] == 'f')
            unfinished(hv_str_from(name));
    }
}

static void clean_note(struct hv_arena *arena, const char *file, void (*unfinished)(struct hv_str folder))
{
    CLEANUP_FD int fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) || fstat(fd, &status) || !S_ISREG(status.st_mode) ||
        status.st_uid != geteuid() || status.st_size > NOTE_BYTES_MAX)
        return;
    char *text = hv_arena_alloc(arena, (size_t)status.st_size + 1);
    ssize_t got = fs_read_at(fd, text, (size_t)status.st_size, 0);
    if (got < 0)
        return;
    size_t whole = hv_str_rfind_byte(hv_str_of(text, (size_t)got), '\n');
    clean_lines(arena, hv_str_of(text, whole == SIZE_MAX ? 0 : whole + 1), unfinished);
    (void)unlink(file);
}

void pending_clean(struct hv_str journal, void (*unfinished)(struct hv_str folder))
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_directory_entry *entries = NULL;
    size_t count = 0;
    bool more;
    if (fs_host_list(NULL, &arena, journal, NOTES_MAX, &entries, &count, &more, NULL) != HV_OK)
        return;
    for (size_t i = 0; i < count; i++)
        if (entries[i].kind == HV_FILE_REGULAR && hv_str_starts(entries[i].name, HV_STR(NOTE_PREFIX)))
            clean_note(&arena,
                       hv_arena_format(&arena, "%.*s/%.*s", HV_STR_ARG(journal), HV_STR_ARG(entries[i].name)).ptr,
                       unfinished);
}

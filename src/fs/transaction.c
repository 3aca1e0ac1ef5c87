/* transaction.c: see transaction.h. A folder holds N.before and N.after for the change N, and the list: one line a
 * change, "kind mode base64-of-path". */
#include "fs/transaction.h"

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "fs/host_files.h"
#include "fs/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BYTES_MAX = 1 << 30, LIST_MAX = 16 << 20, CHANGES_MAX = 10000, STALE_SECONDS = 3600 };

#define FOLDER_PREFIX "change-"
#define LIST_PENDING "list"        /* a kill undoes it */
#define LIST_COMMITTED "committed" /* a kill completes it */
#define LIST_CONFLICT "conflict"   /* for a person */
#define LIST_DRAFT "draft"

enum kind { KIND_CREATE = 'c', KIND_WRITE = 'w', KIND_REMOVE = 'r' };

/* One change as the list has it. */
struct step {
    enum kind kind;
    uint32_t mode;
    struct hv_str path;
};

struct transaction {
    struct hv_arena arena;
    struct hv_str folder;
    int list; /* open and locked for as long as we are at it; -1: none */
    struct step *steps;
    size_t count;
};

static void transaction_release(struct transaction *transaction)
{
    if (transaction->list >= 0)
        close(transaction->list);
    hv_arena_release(&transaction->arena);
}

/* ---- files of the folder -------------------------------------------------------------------------------------------
 */

static struct hv_str in_folder(struct transaction *transaction, const char *name)
{
    return hv_arena_format(&transaction->arena, "%.*s/%s", HV_STR_ARG(transaction->folder), name);
}

static struct hv_str image(struct transaction *transaction, size_t index, const char *which)
{
    return hv_arena_format(&transaction->arena, "%.*s/%zu.%s", HV_STR_ARG(transaction->folder), index, which);
}

static enum hv_code store(struct hv_str path, struct hv_str bytes, struct hv_error *err)
{
    const struct hv_write_options options = {.must_not_exist = true, .mode = 0600};
    return fs_write(path, bytes, &options, NULL, err);
}

static enum hv_code load(struct hv_str path, struct hv_buf *bytes, struct hv_file_stat *status, struct hv_error *err)
{
    hv_buf_init(bytes, (size_t)BYTES_MAX + 1);
    return fs_host_read(NULL, path, 0, (size_t)BYTES_MAX + 1, bytes, status, err);
}

static void remove_folder(struct transaction *transaction)
{
    static const char *const lists[] = {LIST_DRAFT, LIST_PENDING, LIST_COMMITTED};
    static const char *const images[] = {"before", "after"};
    /* The list goes first: a folder without one is no transaction. */
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        (void)unlink(in_folder(transaction, lists[i]).ptr);
    for (size_t i = 0; i < transaction->count; i++)
        for (size_t k = 0; k < 2; k++)
            (void)unlink(image(transaction, i, images[k]).ptr);
    (void)rmdir(transaction->folder.ptr);
}

static bool rename_list(struct transaction *transaction, const char *from, const char *to)
{
    if (rename(in_folder(transaction, from).ptr, in_folder(transaction, to).ptr))
        return false;
    CLEANUP_FD int folder = open(transaction->folder.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder >= 0 && (fsync(folder) == 0 || errno == EINVAL);
}

/* ---- undoing and completing ----------------------------------------------------------------------------------------
 */

/* What stands at a path now. */
enum standing { STANDS_NOTHING, STANDS_BEFORE, STANDS_AFTER, STANDS_OTHER };

static bool same_as(struct hv_str path, struct hv_str bytes)
{
    CLEANUP_BUF struct hv_buf kept = {0};
    return load(path, &kept, NULL, NULL) == HV_OK && hv_str_eq(hv_buf_str(&kept), bytes);
}

static enum standing look(struct transaction *transaction, size_t index)
{
    CLEANUP_BUF struct hv_buf now = {0};
    enum hv_code code = load(transaction->steps[index].path, &now, NULL, NULL);
    if (code == HV_ENOTFOUND)
        return STANDS_NOTHING;
    if (code)
        return STANDS_OTHER;
    if (same_as(image(transaction, index, "after"), hv_buf_str(&now)))
        return STANDS_AFTER;
    return same_as(image(transaction, index, "before"), hv_buf_str(&now)) ? STANDS_BEFORE : STANDS_OTHER;
}

static bool put_back(struct transaction *transaction, size_t index)
{
    const struct step *step = &transaction->steps[index];
    CLEANUP_BUF struct hv_buf bytes = {0};
    const struct hv_write_options options = {.make_parents = true, .mode = step->mode};
    return load(image(transaction, index, "before"), &bytes, NULL, NULL) == HV_OK &&
           fs_write(step->path, hv_buf_str(&bytes), &options, NULL, NULL) == HV_OK;
}

/* True when the file is as it was before. */
static bool undo_step(struct transaction *transaction, size_t index)
{
    enum standing now = look(transaction, index);
    const struct step *step = &transaction->steps[index];
    switch (step->kind) {
    case KIND_CREATE:
        return now == STANDS_NOTHING || (now == STANDS_AFTER && fs_host_remove(NULL, step->path, NULL) == HV_OK);
    case KIND_WRITE: return now == STANDS_BEFORE || (now == STANDS_AFTER && put_back(transaction, index));
    case KIND_REMOVE: return now == STANDS_BEFORE || (now == STANDS_NOTHING && put_back(transaction, index));
    }
    return false;
}

static bool undo(struct transaction *transaction)
{
    bool whole = true;
    for (size_t i = transaction->count; i-- > 0;)
        whole &= undo_step(transaction, i);
    return whole;
}

static bool complete(struct transaction *transaction)
{
    bool whole = true;
    for (size_t i = 0; i < transaction->count; i++) {
        if (transaction->steps[i].kind != KIND_REMOVE)
            continue;
        enum standing now = look(transaction, i);
        whole &= now == STANDS_NOTHING ||
                 (now == STANDS_BEFORE && fs_host_remove(NULL, transaction->steps[i].path, NULL) == HV_OK);
    }
    return whole;
}

/* ---- beginning -----------------------------------------------------------------------------------------------------
 */

static enum hv_code make_folder(struct transaction *transaction, struct hv_str journal, struct hv_error *err)
{
    enum hv_code code = fs_host_make_directories(NULL, journal, err);
    if (code)
        return code;
    struct hv_str folder = hv_arena_format(&transaction->arena, "%.*s/" FOLDER_PREFIX "XXXXXX", HV_STR_ARG(journal));
    if (!mkdtemp((char *)folder.ptr)) /* it is ours alone */
        return hv_fail_errno(err, errno, "Cannot keep a record of the change in %.*s", HV_STR_ARG(journal));
    transaction->folder = folder;
    return HV_OK;
}

/* Keep what the file is and what it becomes. */
static enum hv_code record(struct transaction *transaction, size_t index, const struct hv_file_change *change,
                           struct hv_error *err)
{
    struct step *step = &transaction->steps[index];
    CLEANUP_BUF struct hv_buf before = {0};
    struct hv_file_stat status = {0};
    enum hv_code code = load(change->path, &before, &status, err);
    bool exists = code == HV_OK;
    if (code && (code != HV_ENOTFOUND || !change->bytes.ptr))
        return code;
    if (exists && change->options.must_not_exist)
        return hv_fail(err, HV_EEXIST, "%.*s exists already", HV_STR_ARG(change->path));
    *step = (struct step){.kind = !change->bytes.ptr ? KIND_REMOVE
                                  : exists           ? KIND_WRITE
                                                     : KIND_CREATE,
                          .mode = exists ? status.mode & 07777 : change->options.mode,
                          .path = hv_arena_str(&transaction->arena, change->path)};
    code = HV_OK;
    if (exists)
        code = store(image(transaction, index, "before"), hv_buf_str(&before), err);
    if (!code && change->bytes.ptr)
        code = store(image(transaction, index, "after"), change->bytes, err);
    return code;
}

static enum hv_code write_list(struct transaction *transaction, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf text;
    hv_buf_init(&text, LIST_MAX);
    for (size_t i = 0; i < transaction->count; i++) {
        hv_buf_addf(&text, "%c %o ", transaction->steps[i].kind, transaction->steps[i].mode);
        base64_encode(&text, transaction->steps[i].path, BASE64_STANDARD);
        hv_buf_add_byte(&text, '\n');
    }
    if (text.failed)
        return hv_fail(err, HV_ETOOBIG, "The change names too many files");
    struct hv_str draft = in_folder(transaction, LIST_DRAFT);
    enum hv_code code = store(draft, hv_buf_str(&text), err);
    if (code)
        return code;
    transaction->list = open(draft.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (transaction->list < 0 || flock(transaction->list, LOCK_EX | LOCK_NB) ||
        !rename_list(transaction, LIST_DRAFT, LIST_PENDING))
        return hv_fail_errno(err, errno, "Cannot keep a record of the change in %.*s", HV_STR_ARG(transaction->folder));
    return HV_OK;
}

static enum hv_code begin(struct transaction *transaction, const struct hv_file_change *changes, size_t count,
                          struct hv_str journal, struct hv_error *err)
{
    enum hv_code code = make_folder(transaction, journal, err);
    transaction->steps = hv_arena_array(&transaction->arena, struct step, count);
    for (size_t i = 0; i < count && !code; i++) {
        transaction->count = i + 1;
        code = record(transaction, i, &changes[i], err);
    }
    return code ? code : write_list(transaction, err);
}

/* ---- doing ---------------------------------------------------------------------------------------------------------
 */

static enum hv_code write_all(struct hv_file_change *changes, size_t count, struct hv_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!changes[i].bytes.ptr)
            continue;
        enum hv_code code = fs_write(changes[i].path, changes[i].bytes, &changes[i].options, &changes[i].after, err);
        if (code)
            return code;
    }
    return HV_OK;
}

/* What is to go must still be what was judged. */
static enum hv_code check_removals(const struct hv_file_change *changes, size_t count, struct hv_error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct hv_file_stat now;
        const struct hv_file_stat *expected = changes[i].options.expected;
        if (changes[i].bytes.ptr || !expected)
            continue;
        enum hv_code code = fs_host_stat(NULL, changes[i].path, true, &now, err);
        if (code)
            return code;
        if (now.inode == expected->inode && now.device == expected->device && now.size == expected->size &&
            now.mtime_ns == expected->mtime_ns)
            continue;
        hv_fail(err, HV_ECONFLICT, "%.*s was changed since it was read", HV_STR_ARG(changes[i].path));
        hv_error_hint(err, "Read the file again, then repeat the change");
        return HV_ECONFLICT;
    }
    return HV_OK;
}

static enum hv_code remove_all(const struct hv_file_change *changes, size_t count, struct hv_error *err)
{
    for (size_t i = 0; i < count; i++) {
        enum hv_code code = changes[i].bytes.ptr ? HV_OK : fs_host_remove(NULL, changes[i].path, err);
        if (code)
            return code;
    }
    return HV_OK;
}

enum hv_code fs_change_files(struct hv_file_change *changes, size_t count, struct hv_str journal, struct hv_error *err)
{
    struct transaction transaction = {.list = -1};
    struct hv_error unheard;
    err = err ? err : &unheard;
    if (count > CHANGES_MAX)
        return hv_fail(err, HV_ETOOBIG, "A change of more than %d files", CHANGES_MAX);
    enum hv_code code = begin(&transaction, changes, count, journal, err);
    bool begun = !code;
    if (!code)
        code = check_removals(changes, count, err);
    if (!code)
        code = write_all(changes, count, err);
    if (!code && !rename_list(&transaction, LIST_PENDING, LIST_COMMITTED))
        code = hv_fail_errno(err, errno, "Cannot keep a record of the change in %.*s", HV_STR_ARG(transaction.folder));
    if (!code)
        code = remove_all(changes, count, err);
    if (code && begun && !undo(&transaction)) {
        (void)(rename_list(&transaction, LIST_PENDING, LIST_CONFLICT) ||
               rename_list(&transaction, LIST_COMMITTED, LIST_CONFLICT));
        hv_error_hint(err, "Not all files could be put back; their former bytes are in %.*s",
                      HV_STR_ARG(transaction.folder));
    } else if (transaction.folder.len) {
        remove_folder(&transaction);
    }
    transaction_release(&transaction);
    return code;
}

/* ---- recovery ------------------------------------------------------------------------------------------------------
 */

static bool parse_step(struct transaction *transaction, struct hv_str line, struct step *step)
{
    CLEANUP_BUF struct hv_buf path;
    hv_buf_init(&path, LIST_MAX);
    char *end;
    const char *text = hv_arena_cstr(&transaction->arena, line);
    if (line.len < 4 || !strchr("cwr", text[0]) || text[1] != ' ')
        return false;
    *step = (struct step){.kind = (enum kind)text[0], .mode = (uint32_t)strtoul(text + 2, &end, 8) & 07777};
    if (*end != ' ' || base64_decode(&path, hv_str_from(end + 1), BASE64_STANDARD, NULL) != HV_OK)
        return false;
    step->path = hv_arena_str(&transaction->arena, hv_buf_str(&path));
    return hv_str_starts(step->path, HV_STR("/"));
}

static bool parse_list(struct transaction *transaction, struct hv_str text)
{
    VEC(struct step) steps = {0};
    bool good = true;
    while (good && text.len) {
        size_t end = hv_str_find_byte(text, '\n', 0);
        struct step step = {0};
        good =
            end != SIZE_MAX && steps.count < CHANGES_MAX && parse_step(transaction, hv_str_slice(text, 0, end), &step);
        *vec_push(&steps) = step;
        text = hv_str_slice(text, good ? end + 1 : text.len, text.len);
    }
    transaction->count = steps.count;
    transaction->steps = hv_arena_array(&transaction->arena, struct step, steps.count);
    if (steps.count)
        memcpy(transaction->steps, steps.items, steps.count * sizeof *steps.items);
    vec_release(&steps);
    return good;
}

/* Open the list of that name, if there is one that is ours alone. */
static bool take_list(struct transaction *transaction, const char *name)
{
    struct hv_str path = in_folder(transaction, name);
    CLEANUP_BUF struct hv_buf text = {0};
    struct stat status;
    transaction->list = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (transaction->list < 0)
        return false;
    if (flock(transaction->list, LOCK_EX | LOCK_NB) == 0 && fstat(transaction->list, &status) == 0 &&
        status.st_uid == geteuid() && load(path, &text, NULL, NULL) == HV_OK &&
        parse_list(transaction, hv_buf_str(&text)))
        return true;
    close(transaction->list);
    transaction->list = -1;
    return false;
}

/* A folder that has not got as far as a list: nothing was changed yet. */
static void remove_stale(struct hv_str folder)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_directory_entry *entries = NULL;
    size_t count = 0;
    bool more;
    struct stat status;
    if (lstat(folder.ptr, &status) || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
        time(NULL) - status.st_mtime < STALE_SECONDS ||
        fs_host_list(NULL, &arena, folder, CHANGES_MAX * 3, &entries, &count, &more, NULL) != HV_OK)
        return;
    for (size_t i = 0; i < count; i++)
        if (hv_str_is(entries[i].name, LIST_CONFLICT))
            return;
    for (size_t i = 0; i < count; i++)
        (void)unlink(hv_arena_format(&arena, "%.*s/%.*s", HV_STR_ARG(folder), HV_STR_ARG(entries[i].name)).ptr);
    (void)rmdir(folder.ptr);
}

static void recover_one(struct hv_arena *arena, struct hv_str folder, struct fs_recovery *out)
{
    struct transaction transaction = {.list = -1, .folder = folder};
    bool committed = take_list(&transaction, LIST_COMMITTED);
    if (!committed && !take_list(&transaction, LIST_PENDING)) {
        transaction_release(&transaction);
        if (access(hv_arena_format(arena, "%.*s/" LIST_PENDING, HV_STR_ARG(folder)).ptr, F_OK) &&
            access(hv_arena_format(arena, "%.*s/" LIST_COMMITTED, HV_STR_ARG(folder)).ptr, F_OK))
            remove_stale(folder);
        return;
    }
    if (committed ? complete(&transaction) : undo(&transaction)) {
        remove_folder(&transaction);
        out->completed += committed;
        out->undone += !committed;
    } else {
        (void)rename_list(&transaction, committed ? LIST_COMMITTED : LIST_PENDING, LIST_CONFLICT);
        out->conflicts++;
    }
    transaction_release(&transaction);
}

void fs_recover_changes(struct hv_str journal, struct fs_recovery *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_directory_entry *entries = NULL;
    size_t count = 0;
    bool more;
    *out = (struct fs_recovery){0};
    if (!journal.len || fs_host_list(NULL, &arena, journal, CHANGES_MAX, &entries, &count, &more, NULL) != HV_OK)
        return;
    for (size_t i = 0; i < count; i++)
        if (entries[i].kind == HV_FILE_DIRECTORY && hv_str_starts(entries[i].name, HV_STR(FOLDER_PREFIX)))
            recover_one(&arena, hv_arena_format(&arena, "%.*s/%.*s", HV_STR_ARG(journal), HV_STR_ARG(entries[i].name)),
                        out);
}

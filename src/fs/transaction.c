/* transaction.c: see transaction.h; single steps are in transaction_step.c. A folder holds N.before and N.after for the
 * change N, and the list: one line a change, "kind mode path", and behind it, in base64 as the path, what a new link
 * says, or the image of what stood there. */
#include "fs/transaction.h"

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "fs/folders.h"
#include "fs/handle.h"
#include "fs/host_files.h"
#include "fs/restore.h"
#include "fs/transaction_inner.h"
#include "fs/write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LIST_MAX = 16 << 20, CHANGES_MAX = 10000, STEPS_MAX = 4 * CHANGES_MAX, STALE_SECONDS = 3600 };

#define FOLDER_PREFIX "change-"
#define PLACE_PREFIX "place-" /* of one file that is written in place; looked after first: a change may hold it */

void transaction_release(struct transaction *transaction)
{
    if (transaction->list >= 0)
        close(transaction->list);
    hv_arena_release(&transaction->arena);
}

/* ---- files of the folder ----------------------------------------------------------------------------------------- */

/* The path of a file of the folder; in the transaction's arena. */
static struct hv_str transaction_file(struct transaction *transaction, const char *name)
{
    return hv_arena_format(&transaction->arena, "%.*s/%s", HV_STR_ARG(transaction->folder), name);
}

static enum hv_code store(struct hv_str path, struct hv_str bytes, struct hv_error *err)
{
    const struct hv_write_options options = {.must_not_exist = true, .mode = 0600};
    return fs_write(path, bytes, &options, NULL, err);
}

bool transaction_remove_folder(struct transaction *transaction)
{
    static const char *const lists[] = {LIST_DRAFT, LIST_PENDING, LIST_COMMITTED};
    static const char *const images[] = {"before", "after"};
    /* The list goes first: a folder without one is no transaction. */
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        (void)unlink(transaction_file(transaction, lists[i]).ptr);
    for (size_t i = 0; i < transaction->count; i++)
        for (size_t k = 0; k < 2; k++)
            (void)unlink(transaction_image(transaction, i, images[k]).ptr);
    return rmdir(transaction->folder.ptr) == 0 || errno == ENOENT;
}

bool transaction_rename_list(struct transaction *transaction, const char *from, const char *to)
{
    const char *old = transaction_file(transaction, from).ptr, *new = transaction_file(transaction, to).ptr;
    if (rename(old, new))
        return false;
    CLEANUP_FD int folder = open(transaction->folder.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0 && (fsync(folder) == 0 || errno == EINVAL))
        return true;
    int reason = errno;
    if (rename(new, old))
        return true; /* it bears the name, though the disk did not confirm it */
    errno = reason;
    return false;
}

/* ---- undoing and completing -------------------------------------------------------------------------------------- */

static enum transaction_outcome undo(struct transaction *transaction)
{
    enum transaction_outcome whole = TRANSACTION_WHOLE;
    for (size_t i = transaction->count; i-- > 0;) {
        enum transaction_outcome step = transaction_undo_step(transaction, i);
        whole = step > whole ? step : whole;
    }
    return whole;
}

static enum transaction_outcome complete(struct transaction *transaction)
{
    enum transaction_outcome whole = TRANSACTION_WHOLE;
    for (size_t i = 0; i < transaction->count; i++) {
        enum transaction_outcome step = transaction_complete_step(transaction, i);
        whole = step > whole ? step : whole;
    }
    return whole;
}

/* ---- beginning --------------------------------------------------------------------------------------------------- */

enum hv_code transaction_make_folder(struct transaction *transaction, struct hv_str journal, const char *prefix,
                                     struct pending *pending, struct hv_error *err)
{
    uint64_t number;
    enum hv_code code = fs_host_make_directories(NULL, journal, err);
    if (code)
        return code;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        number = clock_monotonic_ns() ^ ((uint64_t)getpid() << 32);
    struct hv_str folder =
        hv_arena_format(&transaction->arena, "%.*s/%s%016" PRIx64, HV_STR_ARG(journal), prefix, number);
    pending_note_folder(pending, folder);
    if (mkdir(folder.ptr, 0700))
        return hv_fail_errno(err, errno, "Cannot keep a record of the change in %.*s", HV_STR_ARG(journal));
    transaction->folder = folder;
    return HV_OK;
}

/* The next step, zeroed, its place reached from the root. What it keeps is in images of its index. */
static struct transaction_step *add_step(struct transaction *transaction)
{
    if (transaction->count == transaction->room) {
        transaction->room = transaction->room ? transaction->room * 2 : 16;
        struct transaction_step *grown =
            hv_arena_array(&transaction->arena, struct transaction_step, transaction->room);
        if (transaction->count)
            memcpy(grown, transaction->steps, transaction->count * sizeof *grown);
        transaction->steps = grown;
    }
    transaction->steps[transaction->count] = (struct transaction_step){.at = &fs_root_handle};
    return &transaction->steps[transaction->count++];
}

static bool is_listed(const struct transaction *transaction, struct hv_str directory)
{
    for (size_t i = 0; i < transaction->count; i++)
        if (transaction->steps[i].kind == KIND_DIRECTORY && hv_str_eq(transaction->steps[i].path, directory))
            return true;
    return false;
}

/* The directories that will be made for a file, so that undoing can take them away. */
static void record_directories(struct transaction *transaction, const struct hv_handle *at, struct hv_str target)
{
    struct hv_str *missing;
    size_t count = pending_missing(&transaction->arena, at, path_parent(target), &missing);
    for (size_t i = 0; i < count; i++)
        if (!is_listed(transaction, missing[i]))
            *add_step(transaction) = (struct transaction_step){.kind = KIND_DIRECTORY, .at = at, .path = missing[i]};
}

/* The name that a change is about: what a link leads to, unless the link itself goes, or comes. */
static enum hv_code find_place(struct transaction *transaction, const struct hv_file_change *change, struct hv_str *out,
                               struct hv_error *err)
{
    struct hv_arena *arena = &transaction->arena;
    *out = hv_arena_str(arena, change->path);
    if (change->options.at)
        return HV_OK;
    if (change->bytes.ptr)
        return fs_host_resolve(NULL, arena, change->path, out, err);
    struct hv_str parent;
    enum hv_code code = fs_host_resolve(NULL, arena, path_parent(change->path), &parent, err);
    if (!code)
        *out = hv_arena_format(arena, "%.*s/%.*s", parent.len == 1 ? 0 : (int)parent.len, parent.ptr,
                               HV_STR_ARG(path_name(change->path)));
    return code;
}

/* A link that comes says what the one says that it is made like. */
static enum hv_code record_link(struct transaction *transaction, const struct hv_file_change *change,
                                struct transaction_step *step, struct hv_error *err)
{
    struct hv_file_change source = {.path = change->link_like, .options = {.at = change->link_like_at}};
    struct fs_image like = {.at = change->link_like_at};
    enum hv_code code = find_place(transaction, &source, &like.path, err);
    int reason = code ? 0 : fs_image_look(&like, &transaction->arena);
    if (reason || (!code && like.kind != FS_IMAGE_LINK))
        return hv_fail_errno(err, reason ? reason : EINVAL, "Cannot read the symbolic link %.*s",
                             HV_STR_ARG(change->link_like));
    step->kind = KIND_LINK;
    step->link = like.target;
    return code;
}

/* Keep what a file is and what it becomes; *step has its path. */
static enum hv_code record_file(struct transaction *transaction, const struct hv_file_change *change, size_t index,
                                struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf before = {0};
    struct transaction_step *step = &transaction->steps[index];
    struct hv_file_stat status = {0};
    enum hv_code code = transaction_load_place(step, &before, &status, err);
    bool exists = code == HV_OK;
    if (code && (code != HV_ENOTFOUND || !change->bytes.ptr))
        return code;
    if (exists && change->options.must_not_exist)
        return fs_fail_exists(change->path, err);
    step->kind = !change->bytes.ptr ? KIND_REMOVE : exists ? KIND_WRITE : KIND_CREATE;
    step->mode = exists ? status.mode & 07777 : change->options.mode;
    code = HV_OK;
    if (exists)
        code = store(transaction_image(transaction, index, "before"), hv_buf_str(&before), err);
    if (!code && change->bytes.ptr)
        code = store(transaction_image(transaction, index, "after"), change->bytes, err);
    return code;
}

/* Keep what stands there and what it becomes. */
static enum hv_code record(struct transaction *transaction, const struct hv_file_change *change, struct hv_error *err)
{
    struct hv_str place;
    enum hv_code code = find_place(transaction, change, &place, err);
    if (code)
        return code;
    if ((change->bytes.ptr || change->link_like.len) && change->options.make_parents)
        record_directories(transaction, change->options.at ? change->options.at : &fs_root_handle, place);
    size_t index = transaction->count;
    struct transaction_step *step = add_step(transaction);
    step->path = step->image.path = place;
    if (change->options.at)
        step->at = step->image.at = change->options.at;
    int reason = fs_image_look(&step->image, &transaction->arena);
    if (reason)
        return hv_fail_errno(err, reason, "Cannot look at %.*s", HV_STR_ARG(place));
    bool exists = step->image.kind != FS_IMAGE_NOTHING;
    if (change->link_like.len && exists)
        return fs_fail_exists(change->path, err);
    if (change->link_like.len)
        return record_link(transaction, change, step, err);
    if (change->bytes.ptr || step->image.kind != FS_IMAGE_LINK)
        return record_file(transaction, change, index, err);
    step->kind = KIND_REMOVE;
    return HV_OK;
}

enum hv_code transaction_put_list(struct transaction *transaction, const struct hv_buf *text, struct hv_error *err)
{
    if (text->failed)
        return hv_fail(err, HV_ETOOBIG, "The change names too many files");
    struct hv_str draft = transaction_file(transaction, LIST_DRAFT);
    enum hv_code code = store(draft, hv_buf_str(text), err);
    if (code)
        return code;
    transaction->list = open(draft.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (transaction->list < 0 || flock(transaction->list, LOCK_EX | LOCK_NB) ||
        !transaction_rename_list(transaction, LIST_DRAFT, LIST_PENDING))
        return hv_fail_errno(err, errno, "Cannot keep a record of the change in %.*s", HV_STR_ARG(transaction->folder));
    return HV_OK;
}

static void add_image(struct hv_buf *text, const struct fs_image *image)
{
    CLEANUP_BUF struct hv_buf json = {.max = LIST_MAX};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &json);
    fs_image_write(&writer, image);
    base64_encode(text, hv_buf_str(&json), BASE64_STANDARD);
    text->failed |= json.failed;
}

static enum hv_code write_list(struct transaction *transaction, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, LIST_MAX);
    for (size_t i = 0; i < transaction->count; i++) {
        const struct transaction_step *step = &transaction->steps[i];
        hv_buf_addf(&text, "%c %o ", step->kind, step->mode);
        base64_encode(&text, step->path, BASE64_STANDARD);
        hv_buf_add_byte(&text, ' ');
        if (step->kind == KIND_LINK)
            base64_encode(&text, step->link, BASE64_STANDARD);
        else if (step->image.kind != FS_IMAGE_NOTHING)
            add_image(&text, &step->image);
        hv_buf_add_byte(&text, '\n');
    }
    return transaction_put_list(transaction, &text, err);
}

static enum hv_code begin(struct transaction *transaction, const struct hv_file_change *changes, size_t count,
                          struct hv_str journal, struct pending *pending, struct hv_error *err)
{
    enum hv_code code = transaction_make_folder(transaction, journal, FOLDER_PREFIX, pending, err);
    for (size_t i = 0; i < count && !code; i++)
        code = record(transaction, &changes[i], err);
    return code ? code : write_list(transaction, err);
}

/* ---- doing ------------------------------------------------------------------------------------------------------- */

static enum hv_code make_link(const struct transaction_step *step, const struct hv_write_options *options,
                              struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_LEAF struct fs_leaf leaf = {.directory = -1};
    const struct hv_handle *at = options->at ? options->at : &fs_root_handle;
    struct hv_str parent = path_parent(step->path);
    enum hv_code code = options->make_parents ? fs_make_directories_at(at, parent, err) : HV_OK;
    if (code)
        return code;
    if (fs_leaf_open(at, step->path, &leaf) || symlinkat(hv_arena_cstr(&arena, step->link), leaf.directory, leaf.name))
        return fs_fail_at(err, errno, "Cannot make the symbolic link", step->path);
    CLEANUP_FD int fd = openat(leaf.directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && fsync(fd) && errno != EINVAL)
        return hv_fail_errno(err, errno, "The disk did not confirm the symbolic link %.*s", HV_STR_ARG(step->path));
    return HV_OK;
}

static enum hv_code write_file(struct hv_file_change *change, struct hv_str journal, struct hv_error *err)
{
    struct hv_write_options options = change->options;
    options.journal = journal;
    return fs_write(change->path, change->bytes, &options, &change->after, err);
}

/* Steps stand in the order of the changes, with one for each directory that is made before them. */
static enum hv_code write_all(const struct transaction *transaction, struct hv_file_change *changes, size_t count,
                              struct hv_str journal, struct hv_error *err)
{
    enum hv_code code = HV_OK;
    const struct transaction_step *step = transaction->steps;
    for (size_t i = 0; i < count && !code; i++, step++) {
        while (step->kind == KIND_DIRECTORY)
            step++;
        if (changes[i].bytes.ptr)
            code = write_file(&changes[i], journal, err);
        else if (step->kind == KIND_LINK)
            code = make_link(step, &changes[i].options, err);
    }
    return code;
}

static bool is_removal(const struct hv_file_change *change)
{
    return !change->bytes.ptr && !change->link_like.len;
}

/* What a link leads to is looked at for it. */
static enum hv_code look_at_removal(const struct hv_file_change *change, struct hv_file_stat *now, struct hv_error *err)
{
    const struct hv_handle *at = change->options.at;
    enum hv_code code = at ? fs_stat_at(at, change->path, now, err) : HV_OK;
    bool is_link = at && !code && now->kind == HV_FILE_SYMLINK;
    return !at || is_link ? fs_host_stat(NULL, change->path, true, now, err) : code;
}

/* What is to go must still be what was judged. */
static enum hv_code check_removals(const struct hv_file_change *changes, size_t count, struct hv_error *err)
{
    for (size_t i = 0; i < count; i++) {
        struct hv_file_stat now;
        const struct hv_file_stat *expected = changes[i].options.expected;
        if (!is_removal(&changes[i]) || !expected)
            continue;
        enum hv_code code = look_at_removal(&changes[i], &now, err);
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
        const struct hv_file_change *change = &changes[i];
        if (!is_removal(change))
            continue;
        if (change->options.at && fs_remove_at(change->options.at, change->path, 0))
            return fs_fail_at(err, errno, "Cannot remove", change->path);
        enum hv_code code = change->options.at ? HV_OK : fs_host_remove(NULL, change->path, err);
        if (code)
            return code;
    }
    return HV_OK;
}

/* Take back what was done; false when the folder is still needed. From the first step back on a kill must lead back
 * too, so the list loses its name of a committed one before. */
static bool give_up(struct transaction *transaction, bool committed, struct hv_error *err)
{
    if (committed && !transaction_rename_list(transaction, LIST_COMMITTED, LIST_PENDING)) {
        hv_error_hint(err, "All files were written; what is to be removed goes at the next start of helve here");
        return false;
    }
    enum transaction_outcome outcome = undo(transaction);
    if (outcome == TRANSACTION_WHOLE)
        return true;
    if (outcome == TRANSACTION_FOREIGN)
        (void)transaction_rename_list(transaction, LIST_PENDING, LIST_CONFLICT);
    hv_error_hint(err, "Not all files could be put back%s; their former bytes are in %.*s",
                  outcome == TRANSACTION_FOREIGN ? "" : " yet, which the next start of helve here tries again",
                  HV_STR_ARG(transaction->folder));
    return false;
}

enum hv_code fs_change_files(struct hv_file_change *changes, size_t count, struct hv_str journal, struct hv_error *err)
{
    struct transaction transaction = {.list = -1};
    struct hv_error unheard;
    err = err ? err : &unheard;
    if (count > CHANGES_MAX)
        return hv_fail(err, HV_ETOOBIG, "A change of more than %d files", CHANGES_MAX);
    struct pending pending;
    pending_begin(&pending, journal);
    enum hv_code code = begin(&transaction, changes, count, journal, &pending, err);
    bool begun = !code;
    if (!code)
        code = check_removals(changes, count, err);
    if (!code)
        code = write_all(&transaction, changes, count, journal, err);
    if (!code && !transaction_rename_list(&transaction, LIST_PENDING, LIST_COMMITTED))
        code = hv_fail_errno(err, errno, "Cannot keep a record of the change in %.*s", HV_STR_ARG(transaction.folder));
    bool committed = begun && !code;
    if (!code)
        code = remove_all(changes, count, err);
    bool is_over = !code || !begun || give_up(&transaction, committed, err);
    if (is_over && transaction.folder.len)
        pending.stays |= !transaction_remove_folder(&transaction);
    transaction_release(&transaction);
    pending_end(&pending);
    return code;
}

/* ---- in place ---------------------------------------------------------------------------------------------------- */

struct fs_kept {
    struct transaction transaction;
    struct pending *pending; /* of the write that it is kept for */
    int before;              /* open for reading; -1: not yet */
};

static enum hv_code keep(struct fs_kept *kept, const struct hv_file_change *change, struct hv_str journal,
                         struct pending *pending, struct hv_error *err)
{
    struct transaction *transaction = &kept->transaction;
    enum hv_code code = transaction_make_folder(transaction, journal, PLACE_PREFIX, pending, err);
    if (!code)
        code = record(transaction, change, err);
    if (code)
        return code;
    transaction->steps->kind = KIND_PLACE;
    return write_list(transaction, err);
}

enum hv_code fs_keep(struct hv_str path, const struct hv_handle *at, struct hv_str after, struct hv_str journal,
                     struct pending *pending, struct fs_kept **out, struct hv_error *err)
{
    struct fs_kept *kept = hv_calloc(1, sizeof *kept);
    kept->transaction.list = kept->before = -1;
    kept->pending = pending;
    const struct hv_file_change change = {.path = path, .bytes = after.ptr ? after : HV_STR(""), .options = {.at = at}};
    enum hv_code code = keep(kept, &change, journal, pending, err);
    if (code)
        fs_kept_drop(kept);
    else
        *out = kept;
    return code;
}

int fs_kept_bytes(struct fs_kept *kept)
{
    if (kept->before < 0)
        kept->before = open(transaction_image(&kept->transaction, 0, "before").ptr, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return kept->before;
}

struct hv_str fs_kept_folder(const struct fs_kept *kept)
{
    return kept->transaction.folder;
}

static void kept_free(struct fs_kept *kept)
{
    if (kept->before >= 0)
        close(kept->before);
    transaction_release(&kept->transaction);
    free(kept);
}

void fs_kept_drop(struct fs_kept *kept)
{
    if (!kept)
        return;
    if (kept->transaction.folder.len)
        kept->pending->stays |= !transaction_remove_folder(&kept->transaction);
    kept_free(kept);
}

void fs_kept_leave(struct fs_kept *kept)
{
    if (kept)
        kept_free(kept);
}

/* ---- recovery ---------------------------------------------------------------------------------------------------- */

/* What stands behind the path: absent where nothing stood there. */
static bool parse_rest(struct transaction *transaction, struct hv_str text, struct transaction_step *step)
{
    CLEANUP_BUF struct hv_buf rest = {.max = LIST_MAX};
    const struct hv_json *value;
    step->image.path = step->path;
    if (!text.len)
        return step->kind != KIND_LINK;
    if (base64_decode(&rest, text, BASE64_STANDARD, NULL) != HV_OK)
        return false;
    struct hv_str decoded = hv_arena_str(&transaction->arena, hv_buf_str(&rest));
    if (step->kind == KIND_LINK) {
        step->link = decoded;
        return true;
    }
    return hv_json_parse(&transaction->arena, decoded, HV_JSON_STRICT, &value, NULL) == HV_OK &&
           fs_image_read(&transaction->arena, value, &step->image) && hv_str_eq(step->image.path, step->path);
}

static bool parse_step(struct transaction *transaction, struct hv_str line, struct transaction_step *step)
{
    CLEANUP_BUF struct hv_buf path = {0};
    hv_buf_init(&path, LIST_MAX);
    char *end;
    const char *text = hv_arena_cstr(&transaction->arena, line);
    if (line.len < 4 || !strchr(KINDS, text[0]) || text[1] != ' ')
        return false;
    step->kind = (enum transaction_kind)text[0];
    step->mode = (uint32_t)strtoul(text + 2, &end, 8) & 07777;
    if (*end != ' ')
        return false;
    struct hv_str rest = hv_str_from(end + 1), name;
    if (!hv_str_split(&rest, ' ', &name) || base64_decode(&path, name, BASE64_STANDARD, NULL) != HV_OK)
        return false;
    step->path = hv_arena_str(&transaction->arena, hv_buf_str(&path));
    return hv_str_starts(step->path, HV_STR("/")) && parse_rest(transaction, rest, step);
}

static bool parse_list(struct transaction *transaction, struct hv_str text)
{
    while (text.len) {
        size_t end = hv_str_find_byte(text, '\n', 0);
        if (end == SIZE_MAX || transaction->count >= STEPS_MAX ||
            !parse_step(transaction, hv_str_slice(text, 0, end), add_step(transaction)))
            return false;
        text = hv_str_slice(text, end + 1, text.len);
    }
    return true;
}

bool transaction_take_list(struct transaction *transaction, const char *name, struct hv_buf *text)
{
    struct hv_str path = transaction_file(transaction, name);
    struct stat status;
    transaction->list = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (transaction->list < 0)
        return false;
    if (flock(transaction->list, LOCK_EX | LOCK_NB) == 0 && fstat(transaction->list, &status) == 0 &&
        status.st_uid == geteuid() && transaction_load(path, text, NULL, NULL) == HV_OK)
        return true;
    close(transaction->list);
    transaction->list = -1;
    return false;
}

static bool take_list(struct transaction *transaction, const char *name)
{
    CLEANUP_BUF struct hv_buf text = {0};
    if (!transaction_take_list(transaction, name, &text))
        return false;
    if (parse_list(transaction, hv_buf_str(&text)))
        return true;
    close(transaction->list);
    transaction->list = -1;
    return false;
}

/* A folder that has not got as far as a list: nothing was changed yet. */
static void remove_unfinished(struct hv_str folder)
{
    static const char *const lists[] = {LIST_PENDING, LIST_COMMITTED, LIST_CONFLICT};
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_directory_entry *entries = NULL;
    size_t count = 0;
    bool more;
    struct stat status;
    if (lstat(hv_arena_cstr(&arena, folder), &status) || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
        fs_host_list(NULL, &arena, folder, STEPS_MAX * 2 + 8, &entries, &count, &more, NULL) != HV_OK)
        return;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
            if (hv_str_is(entries[i].name, lists[k]))
                return;
    for (size_t i = 0; i < count; i++)
        (void)unlink(hv_arena_format(&arena, "%.*s/%.*s", HV_STR_ARG(folder), HV_STR_ARG(entries[i].name)).ptr);
    (void)rmdir(hv_arena_cstr(&arena, folder));
}

/* The same where no note tells of it: it may still be growing. */
static void remove_stale(struct hv_str folder)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct stat status;
    if (lstat(hv_arena_cstr(&arena, folder), &status) == 0 && time(NULL) - status.st_mtime >= STALE_SECONDS)
        remove_unfinished(folder);
}

/* A folder without a list that is ours alone: another process has it, or nothing was begun. */
static void leave_or_remove(struct transaction *transaction)
{
    if (access(transaction_file(transaction, LIST_PENDING).ptr, F_OK) &&
        access(transaction_file(transaction, LIST_COMMITTED).ptr, F_OK))
        remove_stale(transaction->folder);
}

/* A directory that was made for the change may go. */
static void hold_folders(struct transaction *transaction, struct folders *folders)
{
    for (size_t i = 0; i < transaction->count; i++)
        if (transaction->steps[i].kind == KIND_DIRECTORY)
            folders_pass_over(folders, transaction->steps[i].path);
    for (size_t i = 0; i < transaction->count; i++) {
        struct transaction_step *step = &transaction->steps[i];
        step->at = step->image.at = folders_hold(folders, path_parent(step->path));
    }
}

enum transaction_outcome transaction_outcome_of(enum hv_code code)
{
    return !code ? TRANSACTION_WHOLE : code == HV_ECONFLICT ? TRANSACTION_FOREIGN : TRANSACTION_LATER;
}

static enum transaction_outcome recover_change(struct transaction *transaction, bool *committed)
{
    struct folders folders = {0};
    *committed = take_list(transaction, LIST_COMMITTED);
    if (!*committed && !take_list(transaction, LIST_PENDING))
        return TRANSACTION_LATER;
    hold_folders(transaction, &folders);
    enum transaction_outcome outcome = *committed ? complete(transaction) : undo(transaction);
    if (outcome == TRANSACTION_WHOLE)
        outcome = transaction_outcome_of(folders_check(&folders, NULL));
    folders_release(&folders);
    return outcome;
}

static void recover_one(struct hv_str folder, transaction_recover *recover, struct fs_recovery *out)
{
    struct transaction transaction = {.list = -1, .folder = folder};
    bool committed = false;
    enum transaction_outcome outcome = recover(&transaction, &committed);
    if (transaction.list < 0) {
        leave_or_remove(&transaction);
    } else if (outcome == TRANSACTION_WHOLE) {
        (void)transaction_remove_folder(&transaction);
        out->completed += committed;
        out->undone += !committed;
    } else if (outcome == TRANSACTION_FOREIGN) {
        (void)transaction_rename_list(&transaction, committed ? LIST_COMMITTED : LIST_PENDING, LIST_CONFLICT);
        out->conflicts++;
    } else {
        out->waiting++;
    }
    transaction_release(&transaction);
}

static void recover_all(struct hv_arena *arena, struct hv_str journal, const struct hv_directory_entry *entries,
                        size_t count, const char *prefix, transaction_recover *recover, struct fs_recovery *out)
{
    for (size_t i = 0; i < count; i++)
        if (entries[i].kind == HV_FILE_DIRECTORY && hv_str_starts(entries[i].name, hv_str_from(prefix)))
            recover_one(hv_arena_format(arena, "%.*s/%.*s", HV_STR_ARG(journal), HV_STR_ARG(entries[i].name)), recover,
                        out);
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
    static const char *const prefixes[] = {PLACE_PREFIX, FOLDER_PREFIX};
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
        recover_all(&arena, journal, entries, count, prefixes[k], recover_change, out);
    pending_clean(journal, remove_unfinished);
    /* The times of directories come back with this: nothing may be done in them afterwards. */
    recover_all(&arena, journal, entries, count, RESTORE_PREFIX, restore_recover, out);
}

/* restore.c: see restore.h; single steps are in restore_step.c. The list has a line a step, JSON each; the first line
 * names the store. */
#include "fs/restore.h"

#include "base/cleanup.h"
#include "base/map.h"
#include "base/path.h"
#include "fs/folders.h"
#include "fs/host_files.h"
#include "fs/restore_step.h"
#include "fs/transaction_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { LIST_MAX = 256 << 20, STEPS_MAX = 1 << 20, STORE_LINE_MAX = 64 << 10, FOLDERS_MAX = 10000 };

struct restoration {
    struct transaction transaction;
    struct hv_str store;
    struct restore_step *steps; /* by path */
    size_t count;
    struct folders folders; /* of all steps */
    bool is_exchange_told;  /* of the folders: they are not looked at again */
    struct pending pending;
    size_t incomplete;
};

/* ---- running -------------------------------------------------------------------------------------------------- */

static struct restore_move move_of(struct restoration *restoration, const struct restore_step *step, bool back)
{
    return (struct restore_move){
        .from = back ? &step->wanted : &step->present,
        .to = back ? &step->present : &step->wanted,
        /* On the way back there is no twin: each name had what it had. */
        .how = back && step->how == RESTORE_TWIN ? RESTORE_REPLACE : step->how,
        .inode = step->present.inode,
        .device = step->present.device,
        .twin = step->twin,
        .twin_at = step->twin_at,
        .store = restoration->store,
        .pending = &restoration->pending,
        .incomplete = &restoration->incomplete,
    };
}

typedef enum hv_code restore_act(const struct restore_move *move, struct hv_error *err);

/* Going back, what cannot be done keeps nothing else from being done. A fault is worth another try, whatever else is
 * somebody else's. */
static void act(struct restoration *restoration, size_t index, restore_act *function, bool back, enum hv_code *code,
                struct hv_error *err)
{
    struct restore_step *step = &restoration->steps[index];
    if (back ? !step->is_touched : *code != HV_OK)
        return;
    const struct restore_move move = move_of(restoration, step, back);
    enum hv_code result = function(&move, *code ? NULL : err);
    step->is_touched |= result != HV_ECONFLICT;
    if (!*code || (*code == HV_ECONFLICT && result))
        *code = result;
}

static void put_all(struct restoration *restoration, bool twins, bool back, enum hv_code *code, struct hv_error *err)
{
    for (size_t i = 0; i < restoration->count; i++)
        if ((restoration->steps[i].how == RESTORE_TWIN) == twins)
            act(restoration, i, restore_put, back, code, err);
}

static void open_directories(struct restoration *restoration, bool back)
{
    for (size_t i = 0; i < restoration->count; i++) {
        const struct restore_step *step = &restoration->steps[i];
        const struct restore_move move = move_of(restoration, step, back);
        if (step->wanted.kind == FS_IMAGE_DIRECTORY || step->present.kind == FS_IMAGE_DIRECTORY)
            restore_open_directory(&move);
    }
}

static void close_directories(struct restoration *restoration, bool back, enum hv_code *code, struct hv_error *err)
{
    for (size_t i = restoration->count; i-- > 0;) {
        const struct restore_move move = move_of(restoration, &restoration->steps[i], back);
        if (move.to->kind != FS_IMAGE_DIRECTORY || (*code && !back))
            continue;
        enum hv_code result = restore_close_directory(&move, *code ? NULL : err);
        if (!*code || (*code == HV_ECONFLICT && result))
            *code = result;
    }
}

/* Forward: to what is wanted, up to the first fault. Back: to what there was, as far as that can be done. */
static enum hv_code run(struct restoration *restoration, bool back, struct hv_error *err)
{
    enum hv_code code = HV_OK;
    open_directories(restoration, back);
    for (size_t i = restoration->count; i-- > 0;)
        act(restoration, i, restore_clear, back, &code, err);
    /* A twin shares its bytes with another name: it is the last to come, and the first to go. */
    put_all(restoration, back, back, &code, err);
    put_all(restoration, !back, back, &code, err);
    /* Before directories are closed, which may be to us too. */
    if (!code && !restoration->is_exchange_told)
        code = folders_check(&restoration->folders, err);
    close_directories(restoration, back, &code, err);
    return code;
}

/* ---- how ------------------------------------------------------------------------------------------------------- */

/* A new file could not take the place: it would belong to somebody else, or something is mounted there. */
static bool must_stay(const struct fs_image *present)
{
    char name[NAME_MAX + 1];
    struct statx status;
    CLEANUP_FD int parent = image_open_parent(present, name);
    if (geteuid() && present->has_owner && present->uid != geteuid())
        return true;
    return parent >= 0 && statx(parent, name, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) == 0 &&
           (status.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

static enum restore_how how_alone(const struct fs_image *wanted, const struct fs_image *present)
{
    if (wanted->kind != FS_IMAGE_FILE || present->kind != FS_IMAGE_FILE)
        return RESTORE_REPLACE;
    if (fs_image_same_content(wanted, present) || (!wanted->hash.len && fs_image_unwritten(wanted, present)))
        return RESTORE_METADATA;
    bool is_shared = present->links > 1 && present->inode == wanted->inode && present->device == wanted->device;
    return is_shared || must_stay(present) ? RESTORE_PLACE : RESTORE_REPLACE;
}

static enum restore_how how_to(const struct restore_step *step)
{
    const struct fs_image *wanted = &step->wanted, *present = &step->present;
    enum restore_how how = how_alone(wanted, present);
    bool is_same_file =
        present->inode == wanted->inode && present->device == wanted->device && present->kind == FS_IMAGE_FILE;
    bool is_twin = wanted->kind == FS_IMAGE_FILE && step->twin.len && !is_same_file;
    return how == RESTORE_REPLACE && is_twin ? RESTORE_TWIN : how;
}

/* ---- beginning ------------------------------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
    return hv_str_compare(((const struct restore_step *)a)->wanted.path, ((const struct restore_step *)b)->wanted.path);
}

static void add_step(struct restoration *restoration, const struct fs_restore_step *from)
{
    struct restore_step *step = &restoration->steps[restoration->count++];
    *step = (struct restore_step){.wanted = *from->wanted, .present = *from->present, .twin = from->twin};
}

/* Directories that come or go by a step are none to hold. */
static void hold_folders(struct restoration *restoration)
{
    struct folders *folders = &restoration->folders;
    for (size_t i = 0; i < restoration->count; i++)
        if (restoration->steps[i].wanted.kind != restoration->steps[i].present.kind)
            folders_pass_over(folders, restoration->steps[i].wanted.path);
    for (size_t i = 0; i < restoration->count; i++) {
        struct restore_step *step = &restoration->steps[i];
        step->wanted.at = step->present.at = folders_hold(folders, path_parent(step->wanted.path));
        step->twin_at = step->twin.len ? folders_hold(folders, path_parent(step->twin)) : &fs_root_handle;
    }
}

/* Directories that are missing, and that nobody asked for: they are steps like others, so that they can go again. */
static void add_parents(struct restoration *restoration, struct hv_str path, struct map *known, size_t room)
{
    struct hv_arena *arena = &restoration->transaction.arena;
    struct hv_str *missing;
    size_t count = pending_missing(arena, &fs_root_handle, path_parent(path), &missing);
    for (size_t i = 0; i < count && restoration->count < room; i++) {
        if (map_set(known, missing[i], restoration))
            continue;
        restoration->steps[restoration->count++] = (struct restore_step){
            .wanted = {.path = missing[i], .kind = FS_IMAGE_DIRECTORY, .mode = 0755},
            .present = {.path = missing[i]},
        };
    }
}

static void collect(struct restoration *restoration, const struct fs_restore_step *steps, size_t count)
{
    struct map known = {0};
    size_t room = 2 * count + 1000;
    restoration->steps = hv_arena_array(&restoration->transaction.arena, struct restore_step, room);
    for (size_t i = 0; i < count; i++) {
        add_step(restoration, &steps[i]);
        map_set(&known, steps[i].wanted->path, restoration);
    }
    for (size_t i = 0; i < count; i++)
        if (steps[i].wanted->kind != FS_IMAGE_NOTHING)
            add_parents(restoration, steps[i].wanted->path, &known, room);
    map_release(&known);
    if (restoration->count)
        qsort(restoration->steps, restoration->count, sizeof *restoration->steps, by_path);
    hold_folders(restoration);
    for (size_t i = 0; i < restoration->count; i++)
        restoration->steps[i].how = how_to(&restoration->steps[i]);
}

/* ---- the list -------------------------------------------------------------------------------------------------- */

static void put_image(struct hv_json_writer *writer, const char *name, const struct fs_image *image)
{
    hv_json_name(writer, name);
    fs_image_write(writer, image);
}

static void put_step(struct hv_buf *text, const struct restore_step *step)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, text);
    hv_json_begin_object(&writer);
    hv_json_member_int(&writer, "how", step->how);
    if (step->twin.len) /* as an image, which can bear any name */
        put_image(&writer, "twin", &(struct fs_image){.path = step->twin});
    put_image(&writer, "wanted", &step->wanted);
    put_image(&writer, "present", &step->present);
    hv_json_end_object(&writer);
    hv_buf_add_byte(text, '\n');
}

static enum hv_code write_list(struct restoration *restoration, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf text = {.max = LIST_MAX};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &text);
    fs_image_write(&writer, &(struct fs_image){.path = restoration->store});
    hv_buf_add_byte(&text, '\n');
    for (size_t i = 0; i < restoration->count; i++)
        put_step(&text, &restoration->steps[i]);
    return transaction_put_list(&restoration->transaction, &text, err);
}

static bool read_step(struct hv_arena *arena, struct hv_str line, struct restore_step *step)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *value;
    struct fs_image twin = {0};
    int64_t how;
    if (hv_json_parse(&scratch, line, HV_JSON_STRICT, &value, NULL) != HV_OK ||
        !hv_json_int64(hv_json_get(value, "how"), &how) || how <= 0 || !memchr("rpmt", (int)how & 0xff, 4) ||
        !fs_image_read(arena, hv_json_get(value, "wanted"), &step->wanted) ||
        !fs_image_read(arena, hv_json_get(value, "present"), &step->present))
        return false;
    if (hv_json_get(value, "twin") && !fs_image_read(arena, hv_json_get(value, "twin"), &twin))
        return false;
    step->how = (enum restore_how)how;
    step->twin = twin.path;
    step->is_touched = true; /* nobody knows how far it got */
    return hv_str_eq(step->wanted.path, step->present.path);
}

static bool read_list(struct restoration *restoration, struct hv_str text)
{
    struct hv_arena *arena = &restoration->transaction.arena;
    const struct hv_json *value;
    struct fs_image store;
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    struct hv_str line;
    if (!lines || lines > STEPS_MAX * 2 || !hv_str_split(&text, '\n', &line) ||
        hv_json_parse(arena, line, HV_JSON_STRICT, &value, NULL) != HV_OK || !fs_image_read(arena, value, &store))
        return false;
    restoration->store = store.path;
    restoration->steps = hv_arena_array(arena, struct restore_step, lines);
    while (restoration->count + 1 < lines) {
        if (!hv_str_split(&text, '\n', &line) || !read_step(arena, line, &restoration->steps[restoration->count]))
            return false;
        restoration->count++;
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

static enum hv_code begin(struct restoration *restoration, const struct fs_restore_step *steps, size_t count,
                          struct hv_str journal, struct hv_error *err)
{
    if (count > STEPS_MAX)
        return hv_fail(err, HV_ETOOBIG, "more than %d files are to be brought back", STEPS_MAX);
    collect(restoration, steps, count);
    pending_begin(&restoration->pending, journal);
    enum hv_code code =
        transaction_make_folder(&restoration->transaction, journal, RESTORE_PREFIX, &restoration->pending, err);
    return code ? code : write_list(restoration, err);
}

/* What was begun is taken back. Where that fails, what there was stays in the store, and the list says of what: for the
 * next start, or for a person where others have changed something. */
static void give_up(struct restoration *restoration, struct hv_error *err)
{
    size_t incomplete = restoration->incomplete;
    restoration->is_exchange_told = true;
    enum hv_code code = run(restoration, true, NULL);
    const char *name = LIST_PENDING;
    if (code == HV_OK) {
        hv_error_prefix(err, "nothing was changed: ");
        restoration->pending.stays |= !transaction_remove_folder(&restoration->transaction);
    } else {
        if (code == HV_ECONFLICT && transaction_rename_list(&restoration->transaction, LIST_PENDING, LIST_CONFLICT))
            name = LIST_CONFLICT;
        hv_error_prefix(err, "some files were changed: ");
        hv_error_hint(err, "Not all could be put back%s; %.*s/%s lists them, and their bytes are in %.*s",
                      code == HV_ECONFLICT ? "" : " yet, which the next start of helve here tries again",
                      HV_STR_ARG(restoration->transaction.folder), name, HV_STR_ARG(restoration->store));
    }
    restoration->incomplete = incomplete;
}

enum hv_code fs_restore(const struct fs_restore_step *steps, size_t count, struct hv_str store, struct hv_str journal,
                        size_t *incomplete, struct hv_error *err)
{
    struct restoration restoration = {.transaction = {.list = -1}, .store = store, .pending = {.fd = -1}};
    struct hv_error unheard;
    err = err ? err : &unheard;
    enum hv_code code = begin(&restoration, steps, count, journal, err);
    bool is_listed = !code;
    if (code)
        hv_error_prefix(err, "nothing was changed: ");
    if (!code)
        code = run(&restoration, false, err);
    if (!code && !transaction_rename_list(&restoration.transaction, LIST_PENDING, LIST_COMMITTED))
        code = hv_fail_errno(err, errno, "Cannot keep a record of the change in %.*s", HV_STR_ARG(journal));
    if (code && is_listed)
        give_up(&restoration, err);
    else if (restoration.transaction.folder.len)
        restoration.pending.stays |= !transaction_remove_folder(&restoration.transaction);
    *incomplete = restoration.incomplete;
    folders_release(&restoration.folders);
    pending_end(&restoration.pending);
    transaction_release(&restoration.transaction);
    return code;
}

enum transaction_outcome restore_recover(struct transaction *transaction, bool *committed)
{
    CLEANUP_BUF struct hv_buf text = {0};
    *committed = transaction_take_list(transaction, LIST_COMMITTED, &text);
    if (*committed)
        return TRANSACTION_WHOLE; /* all was done before it got that name */
    hv_buf_release(&text);
    if (!transaction_take_list(transaction, LIST_PENDING, &text))
        return TRANSACTION_LATER;
    struct restoration restoration = {.transaction = *transaction};
    pending_begin(&restoration.pending, path_parent(transaction->folder));
    enum hv_code code = HV_ECONFLICT;
    if (read_list(&restoration, hv_buf_str(&text))) {
        hold_folders(&restoration);
        code = run(&restoration, true, NULL);
    }
    folders_release(&restoration.folders);
    pending_end(&restoration.pending);
    *transaction = restoration.transaction;
    return transaction_outcome_of(code);
}

/* ---- who needs a store ------------------------------------------------------------------------------------------- */

/* The first line of a list names the store; what cannot be read may need any. */
static bool names_store(struct hv_arena *arena, struct hv_str list, struct hv_str store)
{
    CLEANUP_BUF struct hv_buf text = {.max = STORE_LINE_MAX};
    const struct hv_json *value;
    struct fs_image named;
    struct hv_str rest, line;
    enum hv_code code = fs_host_read(NULL, list, 0, STORE_LINE_MAX, &text, NULL, NULL);
    if (code == HV_ENOTFOUND)
        return false;
    rest = hv_buf_str(&text);
    if (code || !hv_str_split(&rest, '\n', &line) ||
        hv_json_parse(arena, line, HV_JSON_STRICT, &value, NULL) != HV_OK || !fs_image_read(arena, value, &named))
        return true;
    /* By its own name and that of its session: what is before them may have been written in another way. */
    return hv_str_eq(path_name(named.path), path_name(store)) &&
           hv_str_eq(path_name(path_parent(named.path)), path_name(path_parent(store)));
}

bool fs_restore_needs(struct hv_str journal, struct hv_str store)
{
    static const char *const lists[] = {LIST_PENDING, LIST_CONFLICT};
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_directory_entry *entries = NULL;
    size_t count = 0;
    bool more;
    enum hv_code code = fs_host_list(NULL, &arena, journal, FOLDERS_MAX, &entries, &count, &more, NULL);
    bool needs = code && code != HV_ENOTFOUND;
    for (size_t i = 0; i < count && !needs; i++)
        for (size_t k = 0; k < sizeof lists / sizeof *lists && !needs; k++)
            needs = hv_str_starts(entries[i].name, HV_STR(RESTORE_PREFIX)) &&
                    names_store(&arena,
                                hv_arena_format(&arena, "%.*s/%.*s/%s", HV_STR_ARG(journal),
                                                HV_STR_ARG(entries[i].name), lists[k]),
                                store);
    return needs;
}

/* transaction_step.c: one change of a transaction, undone or completed: what stands there now decides. */
#include "base/cleanup.h"
#include "base/path.h"
#include "fs/handle.h"
#include "fs/host_files.h"
#include "fs/image_store.h"
#include "fs/open.h"
#include "fs/transaction_inner.h"
#include "fs/write.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES_MAX = 1 << 30 };

/* ---- files of the folder ----------------------------------------------------------------------------------------- */

struct hv_str transaction_image(struct transaction *transaction, size_t index, const char *which)
{
    return hv_arena_format(&transaction->arena, "%.*s/%zu.%s", HV_STR_ARG(transaction->folder), index, which);
}

enum hv_code transaction_load(struct hv_str path, struct hv_buf *bytes, struct hv_file_stat *status,
                              struct hv_error *err)
{
    hv_buf_init(bytes, (size_t)BYTES_MAX + 1);
    return fs_host_read(NULL, path, 0, (size_t)BYTES_MAX + 1, bytes, status, err);
}

enum hv_code transaction_load_place(const struct transaction_step *step, struct hv_buf *bytes,
                                    struct hv_file_stat *status, struct hv_error *err)
{
    CLEANUP_FD int fd = -1;
    struct hv_file_stat found;
    hv_buf_init(bytes, (size_t)BYTES_MAX + 1);
    enum hv_code code = fs_open_regular_at(step->at, step->path, &fd, &found, err);
    if (!code)
        code = fs_read_open(fd, step->path, 0, (size_t)BYTES_MAX + 1, found.size, bytes, err);
    if (!code && status)
        *status = found;
    return code;
}

/* ---- what stands there ------------------------------------------------------------------------------------------- */

/* What stands at a path now. */
enum standing { STANDS_NOTHING, STANDS_BEFORE, STANDS_AFTER, STANDS_MIXED, STANDS_OTHER, STANDS_UNKNOWN };

/* What writing over leaves when it is cut off: of each byte the old or the new one, or a zero where there was none. */
static bool is_mixture(struct hv_str now, struct hv_str before, struct hv_str after)
{
    size_t longest = before.len > after.len ? before.len : after.len;
    for (size_t i = 0; i < now.len && now.len <= longest; i++)
        if (!(i < before.len && now.ptr[i] == before.ptr[i]) && !(i < after.len && now.ptr[i] == after.ptr[i]) &&
            !(i >= before.len && !now.ptr[i]))
            return false;
    return now.len <= longest && now.len >= (before.len < after.len ? before.len : after.len);
}

/* What is no file, or too large, or of which no copy was kept, is somebody else's. */
static enum standing unseen(enum hv_code code)
{
    return code == HV_EUNSUPPORTED || code == HV_ETOOBIG || code == HV_ENOTFOUND || code == HV_EINVAL ||
                   code == HV_ECONFLICT
               ? STANDS_OTHER
               : STANDS_UNKNOWN;
}

static bool is_of_link(const struct transaction_step *step)
{
    return step->kind == KIND_LINK || step->image.kind == FS_IMAGE_LINK;
}

static enum standing look_at_link(const struct transaction_step *step)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct fs_image now = {.path = step->path, .at = step->at};
    if (fs_image_look(&now, &arena))
        return STANDS_UNKNOWN;
    if (now.kind == FS_IMAGE_NOTHING)
        return STANDS_NOTHING;
    struct hv_str text = step->kind == KIND_LINK ? step->link : step->image.target;
    bool is_ours = now.kind == FS_IMAGE_LINK && hv_str_eq(now.target, text);
    return !is_ours ? STANDS_OTHER : step->kind == KIND_LINK ? STANDS_AFTER : STANDS_BEFORE;
}

static enum standing look_at_file(struct transaction *transaction, size_t index)
{
    CLEANUP_BUF struct hv_buf now = {0};
    enum hv_code code = transaction_load_place(&transaction->steps[index], &now, NULL, NULL);
    if (code == HV_ENOTFOUND)
        return STANDS_NOTHING;
    if (code)
        return unseen(code);
    CLEANUP_BUF struct hv_buf before = {0}, after = {0};
    code = transaction_load(transaction_image(transaction, index, "after"), &after, NULL, NULL);
    if (!code && hv_str_eq(hv_buf_str(&after), hv_buf_str(&now)))
        return STANDS_AFTER;
    if (code && code != HV_ENOTFOUND)
        return unseen(code);
    code = transaction_load(transaction_image(transaction, index, "before"), &before, NULL, NULL);
    if (code)
        return unseen(code);
    if (hv_str_eq(hv_buf_str(&before), hv_buf_str(&now)))
        return STANDS_BEFORE;
    bool mixed = transaction->steps[index].kind == KIND_PLACE &&
                 is_mixture(hv_buf_str(&now), hv_buf_str(&before), hv_buf_str(&after));
    return mixed ? STANDS_MIXED : STANDS_OTHER;
}

static enum standing look(struct transaction *transaction, size_t index)
{
    const struct transaction_step *step = &transaction->steps[index];
    return is_of_link(step) ? look_at_link(step) : look_at_file(transaction, index);
}

/* ---- putting back ------------------------------------------------------------------------------------------------ */

/* What may not be given stays as it is. */
static bool give_attributes(const struct transaction_step *step)
{
    char name[NAME_MAX + 1];
    if (step->image.kind == FS_IMAGE_NOTHING)
        return true;
    CLEANUP_FD int parent = image_open_parent(&step->image, name);
    int reason = parent < 0 ? errno : image_set_attributes(&step->image, parent, name);
    return !reason || image_is_refusal(reason);
}

static bool put_back_link(const struct transaction_step *step)
{
    char name[NAME_MAX + 1];
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_FD int parent = image_open_parent(&step->image, name);
    return parent >= 0 && symlinkat(hv_arena_cstr(&arena, step->image.target), parent, name) == 0 &&
           give_attributes(step);
}

static bool put_back_file(struct transaction *transaction, size_t index)
{
    const struct transaction_step *step = &transaction->steps[index];
    CLEANUP_BUF struct hv_buf bytes = {0};
    const struct hv_write_options options = {
        .at = step->at, .make_parents = true, .mode = step->mode, .set_mode = true, .mtime_ns = step->image.mtime_ns};
    if (transaction_load(transaction_image(transaction, index, "before"), &bytes, NULL, NULL) != HV_OK)
        return false;
    if (step->kind == KIND_PLACE)
        return fs_overwrite(step->at, step->path, hv_buf_str(&bytes)) == 0 && give_attributes(step);
    return fs_write_as(step->path, hv_buf_str(&bytes), step->image.kind == FS_IMAGE_FILE ? &step->image : NULL,
                       &options, NULL) == HV_OK;
}

static enum transaction_outcome outcome_of(bool done)
{
    return done ? TRANSACTION_WHOLE : TRANSACTION_LATER;
}

static enum transaction_outcome put_back(struct transaction *transaction, size_t index)
{
    const struct transaction_step *step = &transaction->steps[index];
    return outcome_of(is_of_link(step) ? put_back_link(step) : put_back_file(transaction, index));
}

/* It has its bytes: a link may have been put back a moment ago by somebody who was killed then. */
static enum transaction_outcome keep_standing(const struct transaction_step *step)
{
    return outcome_of(!is_of_link(step) || give_attributes(step));
}

enum transaction_outcome transaction_undo_step(struct transaction *transaction, size_t index)
{
    const struct transaction_step *step = &transaction->steps[index];
    if (step->kind == KIND_DIRECTORY) {
        (void)fs_remove_at(step->at, step->path, AT_REMOVEDIR); /* what somebody put into it keeps it */
        return TRANSACTION_WHOLE;
    }
    enum standing now = look(transaction, index);
    if (now == STANDS_UNKNOWN)
        return TRANSACTION_LATER;
    switch (step->kind) {
    case KIND_CREATE:
    case KIND_LINK:
        if (now == STANDS_AFTER)
            return outcome_of(fs_remove_at(step->at, step->path, 0) == 0);
        return now == STANDS_NOTHING ? TRANSACTION_WHOLE : TRANSACTION_FOREIGN;
    case KIND_WRITE:
    case KIND_REMOVE:
        if (now == (step->kind == KIND_WRITE ? STANDS_AFTER : STANDS_NOTHING))
            return put_back(transaction, index);
        return now == STANDS_BEFORE ? keep_standing(step) : TRANSACTION_FOREIGN;
    case KIND_PLACE: return now == STANDS_MIXED ? put_back(transaction, index) : TRANSACTION_WHOLE;
    case KIND_DIRECTORY: break;
    }
    return TRANSACTION_FOREIGN;
}

enum transaction_outcome transaction_complete_step(struct transaction *transaction, size_t index)
{
    const struct transaction_step *step = &transaction->steps[index];
    if (step->kind != KIND_REMOVE)
        return TRANSACTION_WHOLE;
    switch (look(transaction, index)) {
    case STANDS_NOTHING: return TRANSACTION_WHOLE;
    case STANDS_BEFORE: return outcome_of(fs_remove_at(step->at, step->path, 0) == 0);
    case STANDS_UNKNOWN: return TRANSACTION_LATER;
    case STANDS_AFTER:
    case STANDS_MIXED:
    case STANDS_OTHER: break;
    }
    return TRANSACTION_FOREIGN;
}

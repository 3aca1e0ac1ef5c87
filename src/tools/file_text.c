/* file_text.c: see file_text.h. Kept are at most KEPT_BYTES, those used last. */
#include "tools/file_text.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "fs/open.h"

#include <stdatomic.h>
#include <string.h>

enum {
    KEPT_COUNT = 128,
    KEPT_BYTES = 8 << 20,
    TICK_NS = 20000000,     /* of clocks that stamp files */
    COARSE_NS = 2000000000, /* of file systems whose times are whole seconds, or two */
    DECODED_MAX = (64 << 20) * 3
};

/* A text with what only this file knows of it. */
struct shared_text {
    struct file_text text; /* first: a file_text is one of these */
    struct hv_buf raw, decoded;
    atomic_uint references;
};

struct kept {
    struct shared_text *shared;
    char *path; /* on the heap */
    size_t path_len;
    uint64_t used;
};

struct kept_texts {
    pthread_mutex_t mutex;
    struct kept items[KEPT_COUNT];
    size_t count, bytes;
    uint64_t clock;
};

static void kept_init(void *kept)
{
    pthread_mutex_init(&((struct kept_texts *)kept)->mutex, NULL);
}

static void kept_release(void *pointer)
{
    struct kept_texts *kept = pointer;
    for (size_t i = 0; i < kept->count; i++) {
        file_text_unref(&kept->items[i].shared->text);
        free(kept->items[i].path);
    }
    pthread_mutex_destroy(&kept->mutex);
}

static const struct hv_state_key kept_key = {
    .name = "file texts", .size = sizeof(struct kept_texts), .init = kept_init, .release = kept_release};

/* ---- one text ------------------------------------------------------------------------------------------- */

void file_text_unref(struct file_text *text)
{
    struct shared_text *shared = (struct shared_text *)text;
    if (!shared || atomic_fetch_sub(&shared->references, 1) != 1)
        return;
    hv_buf_release(&shared->raw);
    hv_buf_release(&shared->decoded);
    free(shared);
}

enum hv_code file_text_read(struct hv_context *context, struct hv_str path, size_t limit, size_t max,
                            struct file_text **out, struct hv_error *err)
{
    struct shared_text *shared = hv_calloc(1, sizeof *shared);
    const struct hv_host *host = context->host;
    atomic_init(&shared->references, 1);
    hv_buf_init(&shared->raw, max);
    hv_buf_init(&shared->decoded, DECODED_MAX);
    enum hv_code code = host->read(host, path, 0, limit, &shared->raw, &shared->text.stat, err);
    if (code) {
        file_text_unref(&shared->text);
        return code;
    }
    shared->text.bytes = hv_buf_str(&shared->raw);
    *out = &shared->text;
    return HV_OK;
}

/* '\r' alone ends the lines: show them as lines. */
static void end_lines(struct shared_text *shared)
{
    struct file_text *text = &shared->text;
    if (!shared->decoded.len)
        hv_buf_add_str(&shared->decoded, text->text);
    lines_exchange(shared->decoded.data, shared->decoded.len, '\r', '\n');
    text->text = hv_buf_str(&shared->decoded);
}

enum hv_code file_text_decode(struct file_text *text, struct hv_error *err)
{
    struct shared_text *shared = (struct shared_text *)text;
    text->encoding = encoding_detect(text->bytes);
    text->text = hv_str_slice(text->bytes, text->encoding.mark, text->bytes.len);
    text->damaged = text->encoding.kind == ENCODING_UTF8 &&
                    (text->encoding.confidence < 100 || (text->encoding.mark && !utf8_valid(text->text)));
    if (text->encoding.kind != ENCODING_UTF8 || text->damaged) {
        enum hv_code code = encoding_to_utf8(text->bytes, text->encoding, &shared->decoded, err);
        if (code)
            return code;
        text->text = hv_buf_str(&shared->decoded);
    }
    text->ends = lines_ends(text->text);
    if (text->ends.cr && !text->ends.lf && !text->ends.crlf)
        end_lines(shared);
    text->lines = lines_count(text->text);
    text->hash = hv_str_hash(text->bytes);
    return HV_OK;
}

bool file_is_settled(const struct hv_file_stat *stat, int64_t now_ns)
{
    int64_t changed = stat->ctime_ns > stat->mtime_ns ? stat->ctime_ns : stat->mtime_ns;
    return changed <= now_ns - (changed % 1000000000 ? TICK_NS : COARSE_NS);
}

/* ---- those that are kept -------------------------------------------------------------------------------- */

static struct kept *find(struct kept_texts *kept, struct hv_str key)
{
    for (size_t i = 0; i < kept->count; i++)
        if (hv_str_eq(hv_str_of(kept->items[i].path, kept->items[i].path_len), key))
            return &kept->items[i];
    return NULL;
}

static size_t size_of(const struct shared_text *shared)
{
    return sizeof *shared + shared->raw.capacity + shared->decoded.capacity;
}

static void drop(struct kept_texts *kept, struct kept *item)
{
    kept->bytes -= size_of(item->shared);
    file_text_unref(&item->shared->text);
    free(item->path);
    *item = kept->items[--kept->count];
}

struct file_text *file_text_kept(struct hv_context *context, struct hv_str key, const struct hv_file_stat *stat)
{
    struct kept_texts *kept = hv_state(context, &kept_key);
    LOCK_SCOPE(&kept->mutex);
    struct kept *item = find(kept, key);
    if (!item)
        return NULL;
    if (!fs_stat_untouched(&item->shared->text.stat, stat)) {
        drop(kept, item);
        return NULL;
    }
    item->used = ++kept->clock;
    atomic_fetch_add(&item->shared->references, 1);
    return &item->shared->text;
}

void file_text_keep(struct hv_context *context, struct hv_str key, struct file_text *text)
{
    struct shared_text *shared = (struct shared_text *)text;
    struct kept_texts *kept = hv_state(context, &kept_key);
    if (text->bytes.len > FILE_TEXT_KEPT_MAX)
        return;
    LOCK_SCOPE(&kept->mutex);
    struct kept *item = find(kept, key);
    if (item)
        drop(kept, item);
    while (kept->count == KEPT_COUNT || (kept->count && kept->bytes + size_of(shared) > KEPT_BYTES)) {
        struct kept *oldest = kept->items;
        for (size_t i = 1; i < kept->count; i++)
            if (kept->items[i].used < oldest->used)
                oldest = &kept->items[i];
        drop(kept, oldest);
    }
    item = &kept->items[kept->count++];
    *item = (struct kept){.shared = shared, .path = hv_malloc(key.len + 1), .path_len = key.len, .used = ++kept->clock};
    memcpy(item->path, key.ptr, key.len);
    kept->bytes += size_of(shared);
    atomic_fetch_add(&shared->references, 1);
}

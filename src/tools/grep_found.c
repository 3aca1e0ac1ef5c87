/* grep_found.c: see grep_found.h. */
#include "tools/grep_found.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "tools/file_kind.h"

#include <endian.h>

enum { LIMIT_BYTES_MAX = 1 << 24 };

void found_init(struct grep_found *found, size_t entries_max, size_t bytes_max)
{
    *found = (struct grep_found){.entries_max = entries_max, .bytes_max = bytes_max};
    hv_buf_init(&found->limit, LIMIT_BYTES_MAX);
    pthread_mutex_init(&found->lock, NULL);
}

void found_release(struct grep_found *found)
{
    for (size_t i = 0; i < found->files.count; i++)
        found_file_release(&found->files.items[i]);
    vec_release(&found->files);
    free(found->order);
    hv_buf_release(&found->limit);
    pthread_mutex_destroy(&found->lock);
}

/* ---- paths ----------------------------------------------------------------------------------------------- */

enum { NAMES = (32 << 10) - 64 }; /* bytes of a piece, for as many paths as fit */

/* Each path counts, and the thread that fills it. */
struct found_names {
    atomic_uint users;
    uint32_t end, size;
    char bytes[];
};

static struct found_names *new_names(size_t size)
{
    struct found_names *names = hv_malloc(sizeof *names + size);
    atomic_init(&names->users, 1);
    names->end = 0;
    names->size = (uint32_t)size;
    return names;
}

void found_names_leave(struct found_names *names)
{
    if (names && atomic_fetch_sub_explicit(&names->users, 1, memory_order_acq_rel) == 1)
        free(names);
}

/* Where there is room for so many bytes. */
static struct found_names *names_with_room(struct found_names **own, size_t size)
{
    if (!own || size > NAMES)
        return new_names(size);
    if (!*own || (*own)->size - (*own)->end < size) {
        found_names_leave(*own);
        *own = new_names(NAMES);
    }
    atomic_fetch_add_explicit(&(*own)->users, 1, memory_order_relaxed);
    return *own;
}

static void set_path(struct found_file *file, struct found_names **own, struct hv_str path)
{
    const char *slash = memrchr(path.ptr, '/', path.len);
    struct found_names *names = names_with_room(own, path.len + 1);
    file->names = names;
    file->from = (uint16_t)names->end;
    file->is_plain = file_name_is_plain(path);
    file->path_len = (uint32_t)path.len;
    file->name = slash ? (uint32_t)(slash - path.ptr) + 1 : 0;
    memcpy(names->bytes + names->end, path.ptr, path.len);
    names->bytes[names->end + path.len] = '\0';
    names->end += (uint32_t)path.len + 1;
}

struct hv_str found_path(const struct found_file *file)
{
    return hv_str_of(file->names->bytes + file->from, file->path_len);
}

static struct hv_str file_name(const struct found_file *file)
{
    return hv_str_slice(found_path(file), file->name, file->path_len);
}

/* ---- files ----------------------------------------------------------------------------------------------- */

void found_file_release(struct found_file *file)
{
    free(file->lines);
    found_names_leave(file->names);
    *file = (struct found_file){0};
}

void found_draft_release(struct found_draft *draft)
{
    hv_buf_release(&draft->text);
    vec_release(&draft->lines);
    *draft = (struct found_draft){0};
}

void found_draft_clear(struct found_draft *draft)
{
    enum { MUCH = 1 << 20 }; /* to keep for other files */
    if (draft->text.capacity + draft->lines.capacity * sizeof *draft->lines.items > MUCH) {
        found_draft_release(draft);
        return;
    }
    draft->entries = draft->matches = draft->lines.count = 0;
    hv_buf_clear(&draft->text);
}

void found_take(struct found_draft *draft, struct found_names **names, struct hv_str path, struct found_file *out)
{
    *out = (struct found_file){.entries = (uint32_t)draft->entries, .matches = draft->matches};
    set_path(out, names, path);
    if (draft->lines.count) {
        size_t lines = draft->lines.count * sizeof *draft->lines.items;
        out->lines = hv_malloc(sizeof *out->lines + lines + draft->text.len);
        out->lines->count = draft->lines.count;
        memcpy(out->lines->items, draft->lines.items, lines);
        memcpy(out->lines->items + draft->lines.count, draft->text.len ? draft->text.data : "", draft->text.len);
    }
    found_draft_clear(draft);
}

struct hv_str found_text(const struct found_file *file)
{
    const struct found_line *end = file->lines->items + file->lines->count;
    return hv_str_of((const char *)end, end[-1].end);
}

/* ---- the order ------------------------------------------------------------------------------------------- */

/* How many bytes both begin with. */
static size_t common_length(struct hv_str a, struct hv_str b)
{
    size_t same = 0, most = a.len < b.len ? a.len : b.len;
    for (uint64_t left, right; most - same >= sizeof left; same += sizeof left) {
        memcpy(&left, a.ptr + same, sizeof left);
        memcpy(&right, b.ptr + same, sizeof right);
        if (left != right)
            break;
    }
    while (same < most && a.ptr[same] == b.ptr[same])
        same++;
    return same;
}

/* The rest of a component, from inside it. */
static struct hv_str component(struct hv_str path, size_t from)
{
    size_t slash = hv_str_find_byte(path, '/', from);
    return hv_str_slice(path, from, slash == SIZE_MAX ? path.len : slash);
}

int found_compare(struct hv_str a, bool a_is_directory, struct hv_str b)
{
    size_t same = common_length(a, b);
    if (same == a.len && (same == b.len || (a_is_directory && b.ptr[same] == '/')))
        return 0;
    struct hv_str left = component(a, same), right = component(b, same);
    bool left_inside = a_is_directory || same + left.len < a.len, right_inside = same + right.len < b.len;
    return left_inside != right_inside ? (left_inside ? 1 : -1) : hv_str_compare(left, right);
}

static bool is_before(const struct found_file *a, const struct found_file *b)
{
    return found_compare(found_path(a), false, found_path(b)) < 0;
}

static bool is_same_directory(const struct found_file *a, const struct found_file *b)
{
    return a->name == b->name && memcmp(found_path(a).ptr, found_path(b).ptr, a->name) == 0;
}

/* A file of one directory, and how its name begins: mostly, nobody needs to look at more of it. */
struct entry {
    uint64_t begins;
    const struct found_file *file;
};

static struct entry entry_of(const struct found_file *file)
{
    struct hv_str name = file_name(file);
    unsigned char bytes[sizeof(uint64_t)] = {0};
    uint64_t begins;
    memcpy(bytes, name.ptr, name.len < sizeof bytes ? name.len : sizeof bytes);
    memcpy(&begins, bytes, sizeof begins);
    return (struct entry){be64toh(begins), file};
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    if (left->begins != right->begins)
        return left->begins < right->begins ? -1 : 1;
    return hv_str_compare(file_name(left->file), file_name(right->file));
}

/* Some files of one directory. */
static void arrange_together(struct found_file *files, size_t count)
{
    enum { SOME = 64 };
    struct entry entries[SOME];
    struct found_file before[SOME];
    for (size_t from = 0, some; from < count; from += some) {
        some = count - from < SOME ? count - from : SOME;
        memcpy(before, files + from, some * sizeof *before);
        for (size_t i = 0; i < some; i++)
            entries[i] = entry_of(&before[i]);
        qsort(entries, some, sizeof *entries, compare_entries);
        for (size_t i = 0; i < some; i++) {
            files[from + i] = *entries[i].file;
            files[from + i].follows = i > 0;
        }
    }
}

/* Files of one directory mostly stand together: a thread finds them one after another. */
void found_arrange(struct found_file *files, size_t count)
{
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && is_same_directory(&files[from], &files[to]);)
            to++;
        arrange_together(files + from, to - from);
    }
}

/* Files that follow one another in the order. */
struct run {
    const struct found_file *first;
    size_t count;
};

static int compare_runs(const void *a, const void *b)
{
    const struct found_file *left = ((const struct run *)a)->first, *right = ((const struct run *)b)->first;
    return is_same_directory(left, right) ? 0 : found_compare(found_path(left), false, found_path(right));
}

static size_t find_runs(const struct grep_found *found, struct run *runs)
{
    size_t count = 0;
    for (size_t i = 0; i < found->files.count; i++) {
        const struct found_file *file = &found->files.items[i];
        if (found->is_heap || !file->follows) /* in a heap nothing stands where it stood, and some were left out */
            runs[count++] = (struct run){.first = file};
        runs[count - 1].count++;
    }
    return count;
}

/* All runs of one directory. */
static void join_runs(const struct run *runs, size_t count, struct entry *out)
{
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < runs[i].count; k++)
            out[all++] = count > 1 ? entry_of(&runs[i].first[k]) : (struct entry){.file = &runs[i].first[k]};
    if (count > 1)
        qsort(out, all, sizeof *out, compare_entries);
}

/* The directories first: there are much fewer of them. The files stay where they are. */
void found_sort(struct grep_found *found)
{
    size_t count = found->files.count, done = 0;
    if (!count)
        return;
    CLEANUP_FREE struct run *runs = hv_malloc(count * sizeof *runs);
    CLEANUP_FREE struct entry *entries = hv_malloc(count * sizeof *entries);
    found->order = hv_malloc(count * sizeof *found->order);
    size_t run_count = find_runs(found, runs);
    qsort(runs, run_count, sizeof *runs, compare_runs);
    for (size_t from = 0, to; from < run_count; from = to) {
        size_t together = runs[from].count;
        for (to = from + 1; to < run_count && is_same_directory(runs[from].first, runs[to].first); to++)
            together += runs[to].count;
        join_runs(runs + from, to - from, entries);
        for (size_t i = 0; i < together; i++)
            found->order[done++] = (uint32_t)(entries[i].file - found->files.items);
    }
}

const struct found_file *found_at(const struct grep_found *found, size_t place)
{
    return &found->files.items[found->order[place]];
}

/* ---- the heap -------------------------------------------------------------------------------------------- */

static void swap_files(struct found_file *a, struct found_file *b)
{
    struct found_file held = *a;
    *a = *b;
    *b = held;
}

static void sift_up(struct found_file *items, size_t at)
{
    for (; at && is_before(&items[(at - 1) / 2], &items[at]); at = (at - 1) / 2)
        swap_files(&items[(at - 1) / 2], &items[at]);
}

static void push(struct grep_found *found, const struct found_file *file)
{
    *vec_push(&found->files) = *file;
    if (found->is_heap)
        sift_up(found->files.items, found->files.count - 1);
}

/* Most answers need all that is found, in no order until the end. */
static void make_heap(struct grep_found *found)
{
    for (size_t i = 1; i < found->files.count && !found->is_heap; i++)
        sift_up(found->files.items, i);
    found->is_heap = true;
}

static size_t bytes_of(const struct found_file *file)
{
    size_t shown = file->lines ? file->lines->count * sizeof *file->lines->items + found_text(file).len : 0;
    return sizeof *file + file->path_len + shown;
}

/* Throw away the last file of the order; nothing after it is wanted from now on. */
static void drop_last(struct grep_found *found)
{
    struct found_file *items = found->files.items, *last = &items[0];
    found->entries -= last->entries;
    found->bytes -= bytes_of(last);
    found->has_limit = true;
    hv_buf_clear(&found->limit);
    hv_buf_add_str(&found->limit, found_path(last));
    found_file_release(last);
    *last = items[--found->files.count];
    for (size_t at = 0, child; (child = 2 * at + 1) < found->files.count; at = child) {
        if (child + 1 < found->files.count && is_before(&items[child], &items[child + 1]))
            child++;
        if (!is_before(&items[at], &items[child]))
            break;
        swap_files(&items[at], &items[child]);
    }
}

/* ---- for all threads ------------------------------------------------------------------------------------- */

static bool is_past(const struct grep_found *found, struct hv_str path, bool is_directory)
{
    if (found->has_limit && found_compare(path, is_directory, hv_buf_str(&found->limit)) > 0)
        return true;
    return found->entries >= found->entries_max &&
           found_compare(path, is_directory, found_path(&found->files.items[0])) > 0;
}

bool found_is_past(struct grep_found *found, struct hv_str path, bool is_directory)
{
    if (!atomic_load_explicit(&found->is_full, memory_order_relaxed))
        return false;
    LOCK_SCOPE(&found->lock);
    return is_past(found, path, is_directory);
}

void found_limit(struct grep_found *found, struct hv_buf *path)
{
    if (!atomic_load_explicit(&found->is_full, memory_order_relaxed))
        return;
    LOCK_SCOPE(&found->lock);
    hv_buf_clear(path);
    if (found->entries >= found->entries_max)
        hv_buf_add_str(path, found_path(&found->files.items[0]));
    else
        hv_buf_add_str(path, hv_buf_str(&found->limit));
}

static void add(struct grep_found *found, struct found_file *file)
{
    if (is_past(found, found_path(file), false)) {
        found_file_release(file);
        return;
    }
    found->entries += file->entries;
    found->bytes += bytes_of(file);
    push(found, file);
    *file = (struct found_file){0};
    if (found->entries < found->entries_max && found->bytes <= found->bytes_max)
        return;
    make_heap(found);
    while (found->entries - found->files.items[0].entries >= found->entries_max)
        drop_last(found);
    while (found->bytes > found->bytes_max && found->files.count > 1) {
        drop_last(found);
        found->is_cut = true;
    }
    if (found->has_limit || found->entries >= found->entries_max)
        atomic_store_explicit(&found->is_full, true, memory_order_relaxed);
}

void found_add(struct grep_found *found, struct found_file *files, size_t count)
{
    LOCK_SCOPE(&found->lock);
    for (size_t i = 0; i < count; i++)
        add(found, &files[i]);
}

/* grep_found.c: see grep_found.h. */
#include "tools/grep_found.h"

#include "base/cleanup.h"
#include "base/vec.h"

void found_init(struct grep_found *found, size_t entries_max, size_t bytes_max)
{
    *found = (struct grep_found){.entries_max = entries_max, .bytes_max = bytes_max};
    pthread_mutex_init(&found->lock, NULL);
}

void found_file_release(struct found_file *file)
{
    free(file->path);
    hv_buf_release(&file->text);
    vec_release(&file->lines);
    *file = (struct found_file){0};
}

void found_file_clear(struct found_file *file)
{
    enum { MUCH = 1 << 20 }; /* to keep for other files */
    struct found_file kept = *file;
    if (kept.text.capacity + kept.lines.capacity * sizeof *kept.lines.items > MUCH) {
        found_file_release(file);
        return;
    }
    free(file->path);
    *file = (struct found_file){.text = kept.text, .lines = {kept.lines.items, 0, kept.lines.capacity}};
    hv_buf_clear(&file->text);
}

void found_file_take(struct found_file *file, struct found_file *out)
{
    size_t lines = file->lines.count;
    *out = *file;
    file->path = NULL;
    hv_buf_init(&out->text, file->text.max);
    hv_buf_add_str(&out->text, hv_buf_str(&file->text));
    out->lines.items = lines ? hv_malloc(lines * sizeof *out->lines.items) : NULL;
    out->lines.capacity = lines;
    if (lines)
        memcpy(out->lines.items, file->lines.items, lines * sizeof *out->lines.items);
    found_file_clear(file);
}

void found_release(struct grep_found *found)
{
    for (size_t i = 0; i < found->files.count; i++)
        found_file_release(&found->files.items[i]);
    vec_release(&found->files);
    free(found->limit);
    pthread_mutex_destroy(&found->lock);
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

static struct hv_str path_of(const struct found_file *file)
{
    return hv_str_of(file->path, file->path_len);
}

static bool is_before(const struct found_file *a, const struct found_file *b)
{
    return found_compare(path_of(a), false, path_of(b)) < 0;
}

static int compare_files(const void *a, const void *b)
{
    const struct found_file *left = a, *right = b;
    return found_compare(path_of(left), false, path_of(right));
}

/* Files of one directory that stand together, as they mostly do: a thread finds them one after another. */
struct run {
    const struct found_file *first;
    size_t count, name; /* name: where the names of the files begin in their paths */
};

static size_t name_of(const struct found_file *file)
{
    const char *slash = memrchr(file->path, '/', file->path_len);
    return slash ? (size_t)(slash - file->path) + 1 : 0;
}

static bool is_same_directory(const struct run *run, const struct found_file *file, size_t name)
{
    return name == run->name && memcmp(run->first->path, file->path, name) == 0;
}

static int compare_runs(const void *a, const void *b)
{
    const struct run *left = a, *right = b;
    return is_same_directory(left, right->first, right->name) ? 0 : compare_files(left->first, right->first);
}

static size_t find_runs(const struct grep_found *found, struct run *runs)
{
    size_t count = 0;
    for (size_t i = 0; i < found->files.count; i++) {
        const struct found_file *file = &found->files.items[i];
        size_t name = name_of(file);
        if (!count || !is_same_directory(&runs[count - 1], file, name))
            runs[count++] = (struct run){.first = file, .name = name};
        runs[count - 1].count++;
    }
    return count;
}

/* The directories first: there are much fewer of them. */
void found_sort(struct grep_found *found)
{
    size_t count = found->files.count, run_count, done = 0;
    if (!count)
        return;
    CLEANUP_FREE struct run *runs = hv_malloc(count * sizeof *runs);
    struct found_file *sorted = hv_malloc(count * sizeof *sorted);
    run_count = find_runs(found, runs);
    qsort(runs, run_count, sizeof *runs, compare_runs);
    for (size_t i = 0, from = 0; i < run_count; i++) {
        memcpy(sorted + done, runs[i].first, runs[i].count * sizeof *sorted);
        done += runs[i].count;
        if (i + 1 < run_count && is_same_directory(&runs[i], runs[i + 1].first, runs[i + 1].name))
            continue;
        qsort(sorted + from, done - from, sizeof *sorted, compare_files);
        from = done;
    }
    free(found->files.items);
    found->files.items = sorted;
    found->files.capacity = count;
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
    return sizeof *file + file->path_len + file->text.capacity + file->lines.capacity * sizeof *file->lines.items;
}

/* Throw away the last file of the order; nothing after it is wanted from now on. */
static void drop_last(struct grep_found *found)
{
    struct found_file *items = found->files.items, *last = &items[0];
    found->entries -= last->entries;
    found->bytes -= bytes_of(last);
    free(found->limit);
    found->limit = last->path;
    found->limit_len = last->path_len;
    last->path = NULL;
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
    if (found->limit && found_compare(path, is_directory, hv_str_of(found->limit, found->limit_len)) > 0)
        return true;
    return found->entries >= found->entries_max &&
           found_compare(path, is_directory, path_of(&found->files.items[0])) > 0;
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
        hv_buf_add_str(path, path_of(&found->files.items[0]));
    else if (found->limit)
        hv_buf_add(path, found->limit, found->limit_len);
}

void found_file_name(struct found_file *file, struct hv_str path)
{
    file->path = hv_malloc(path.len + 1);
    memcpy(file->path, path.ptr, path.len);
    file->path[path.len] = '\0';
    file->path_len = path.len;
}

static void add(struct grep_found *found, struct found_file *file)
{
    if (is_past(found, path_of(file), false)) {
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
    if (found->limit || found->entries >= found->entries_max)
        atomic_store_explicit(&found->is_full, true, memory_order_relaxed);
}

void found_add(struct grep_found *found, struct found_file *files, size_t count)
{
    LOCK_SCOPE(&found->lock);
    for (size_t i = 0; i < count; i++)
        add(found, &files[i]);
}

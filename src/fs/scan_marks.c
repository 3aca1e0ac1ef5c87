/*
 * scan_marks.c: see scan_marks.h. Marks are few: the one that was not used for longest makes room for another. Texts
 * are thrown away while no search is under way, so that nobody has to count who reads them: when there was not room for
 * all, those that the last search had no use for.
 */
#include "fs/scan_marks.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "fs/scan.h"
#include "fs/scan_warm.h"
#include "text/find_sketch.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timerfd.h>

enum { FRESH_SECONDS = 120, TEXTS_MAX = 10 << 20, ROOM_MAX = 13 << 20, SMALL_MAX = 24 << 20 };

_Static_assert(sizeof(struct fs_text) + FS_TEXT_MAX <= TEXT_ROOM_MAX, "any text that is kept fits into a block");

void marks_init(struct fs_marks *marks)
{
    *marks = (struct fs_marks){
        .clock = -1, .mounts = -1, .texts_max = TEXTS_MAX, .fresh_ns = FRESH_SECONDS * (int64_t)CLOCK_SECOND};
    pthread_mutex_init(&marks->lock, NULL);
    text_room_init(&marks->room, ROOM_MAX);
    text_room_init(&marks->small, SMALL_MAX);
    sketches_init(&marks->sketches);
}

void marks_free_text(struct fs_marks *marks, struct fs_text *text)
{
    if (!text)
        return;
    size_t size = sizeof *text + text->len;
    if (text->is_small)
        atomic_fetch_sub(&marks->small_texts, size); /* before the sum of all: it is never less than this */
    atomic_fetch_sub(&marks->texts, size);
    atomic_fetch_sub(&marks->text_count, 1);
    text_room_give(text->block, text, size);
}

void marks_free_memory(struct fs_marks *marks, struct fs_memory *memory)
{
    marks_free_text(marks, atomic_load(&memory->text));
    sketches_free(&marks->sketches, atomic_load(&memory->sketch));
}

static void free_spent(struct fs_marks *marks)
{
    for (struct fs_text *text = marks->spent, *next; text; text = next) {
        next = text->next;
        marks_free_text(marks, text);
    }
    marks->spent = NULL;
}

void marks_release(struct fs_marks *marks)
{
    for (size_t i = 0; i < FS_MARKS; i++)
        find_lack_free(marks->marks[i].lack);
    free_spent(marks);
    text_room_release(&marks->room);
    text_room_release(&marks->small);
    sketches_release(&marks->sketches);
    cleanup_fd(&marks->clock);
    cleanup_fd(&marks->mounts);
    pthread_mutex_destroy(&marks->lock);
}

/* ---- whether times can be relied on ---------------------------------------------------------------------------- */

/* A setting of the kernel in hundredths of a second; negative when it cannot be read. */
static int64_t read_setting(const char *path)
{
    char text[32];
    int64_t value;
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (got <= 0 || !hv_str_to_int64(hv_str_trim(hv_str_of(text, (size_t)got)), &value) || value > INT32_MAX)
        return -1;
    return value;
}

/* How long a changed page may wait in memory, where a program that has it mapped changes it with no other time. */
static int64_t find_late(void)
{
    int64_t age = read_setting("/proc/sys/vm/dirty_expire_centisecs");
    int64_t turn = read_setting("/proc/sys/vm/dirty_writeback_centisecs"); /* 0: it waits until somebody asks */
    return age < 0 || turn <= 0 ? -1 : 2 * (age + turn) * (int64_t)(CLOCK_SECOND / 100);
}

/* A timer that the kernel cancels when the wall clock is set. */
static bool watch_clock(struct fs_marks *marks)
{
    struct itimerspec never = {.it_value = {.tv_sec = INT32_MAX}};
    if (marks->clock < 0)
        marks->clock = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (timerfd_settime(marks->clock, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) == 0)
        return true;
    cleanup_fd(&marks->clock);
    marks->clock = -1;
    return false;
}

static bool clock_was_set(const struct fs_marks *marks)
{
    uint64_t expired;
    return marks->clock < 0 || read(marks->clock, &expired, sizeof expired) >= 0 || errno != EAGAIN;
}

/* Whoever has the list of mounts open is told once of each time that it has changed. */
static bool mounts_changed(const struct fs_marks *marks)
{
    struct pollfd list = {.fd = marks->mounts, .events = POLLPRI};
    return marks->mounts < 0 || poll(&list, 1, 0);
}

static bool watch_mounts(struct fs_marks *marks)
{
    if (marks->mounts < 0)
        marks->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    return marks->mounts >= 0;
}

/* May marks be used now? None of those from before the clock was set, or something was mounted, may. */
static bool can_use(struct fs_marks *marks)
{
    if (!marks->late_ns)
        marks->late_ns = find_late();
    if (marks->late_ns < 0)
        return false;
    bool is_set = clock_was_set(marks), is_mounted = mounts_changed(marks);
    if (!is_set && !is_mounted)
        return true;
    for (size_t i = 0; i < FS_MARKS; i++)
        marks->marks[i].since_ns = INT64_MIN;
    marks->epoch += is_set;
    marks->mountings += is_mounted;
    return (!is_set || watch_clock(marks)) && watch_mounts(marks);
}

/* ---- one search ------------------------------------------------------------------------------------------------ */

/* Note which marks rule a file out for the pattern; one of them, when it says the same and is new, is set as well. */
static void find_known(struct fs_marks_use *use, const struct find *find, const struct find_lack *lack, int64_t now_ns)
{
    struct fs_marks *marks = use->marks;
    for (size_t i = 0; i < FS_MARKS; i++) {
        struct fs_mark *mark = &marks->marks[i];
        if (!mark->lack || mark->since_ns == INT64_MIN || !find_lack_rules_out(mark->lack, find))
            continue;
        use->known |= 1u << i;
        use->settled_ns[i] = mark->since_ns - marks->late_ns;
        if (now_ns - mark->since_ns < marks->fresh_ns && find_lack_equals(mark->lack, lack))
            use->own = 1u << i;
    }
}

/* A mark for what the search finds out; 0: all are in use. */
static uint32_t take_mark(struct fs_warm *warm, uint32_t known, struct find_lack **lack, int64_t now_ns)
{
    struct fs_mark *marks = warm->marks.marks, *oldest = NULL;
    for (size_t i = 0; i < FS_MARKS; i++)
        if (!marks[i].users && !(known >> i & 1) && (!oldest || marks[i].used < oldest->used))
            oldest = &marks[i];
    if (!oldest)
        return 0;
    uint32_t bit = 1u << (oldest - marks);
    if (oldest->lack)
        warm_clear_marks(warm, bit);
    find_lack_free(oldest->lack);
    *oldest = (struct fs_mark){.lack = *lack, .since_ns = now_ns};
    *lack = NULL;
    return bit;
}

/* Find out which marks the search has a use for. */
static void begin_marks(struct fs_warm *warm, const struct find *find, struct fs_marks_use *use)
{
    struct find_lack *lack = find_lack_new(find);
    if (!lack)
        return;
    find_known(use, find, lack, use->since_ns);
    if (!use->own)
        use->own = take_mark(warm, use->known, &lack, use->since_ns);
    for (uint32_t mine = use->known | use->own; mine; mine &= mine - 1) {
        struct fs_mark *mark = &use->marks->marks[__builtin_ctz(mine)];
        mark->used = use->search;
        mark->users++;
    }
    find_lack_free(lack);
}

/* Throw away what has to go. */
static void tidy(struct fs_warm *warm)
{
    struct fs_marks *marks = &warm->marks;
    if (marks->under_way)
        return;
    free_spent(marks);
    sketches_tidy(&marks->sketches);
    bool is_full = atomic_exchange(&marks->is_full, false);
    bool small_is_full = atomic_exchange(&marks->small_is_full, false);
    bool is_sparse =
        (is_full && text_room_is_sparse(&marks->room)) || (small_is_full && text_room_is_sparse(&marks->small));
    if (is_sparse)
        warm_forget_texts(warm, 0); /* all of them */
    else if ((is_full || small_is_full) && marks->some_unused)
        warm_forget_texts(warm, marks->searches);
}

void fs_marks_begin(struct fs_warm *warm, const struct find *find, struct fs_marks_use *use)
{
    *use = (struct fs_marks_use){0};
    if (!warm)
        return;
    struct fs_marks *marks = &warm->marks;
    LOCK_SCOPE(&marks->lock);
    sketches_interrupt(&marks->sketches);
    if (!can_use(marks))
        return;
    tidy(warm);
    use->marks = marks;
    use->warm = warm;
    use->ask = find_ask_new(find);
    use->search = ++marks->searches;
    use->epoch = marks->epoch;
    use->mountings = marks->mountings;
    use->since_ns = clock_wall_ns();
    use->late_ns = marks->late_ns;
    use->texts_max = use->search == 1 ? marks->texts_max / 4 : marks->texts_max;
    marks->under_way++;
    begin_marks(warm, find, use);
}

void fs_marks_end(struct fs_marks_use *use)
{
    if (!use->marks)
        return;
    size_t texts = 0;
    for (size_t i = 0; i < FS_SCAN_THREADS_MAX; i++) {
        texts += use->threads[i].texts;
        text_room_leave(&use->marks->room, use->threads[i].block);
        text_room_leave(&use->marks->small, use->threads[i].small);
    }
    pthread_mutex_lock(&use->marks->lock);
    if (use->search == use->marks->searches)
        use->marks->some_unused = texts < atomic_load(&use->marks->text_count);
    for (uint32_t mine = use->known | use->own; mine; mine &= mine - 1)
        use->marks->marks[__builtin_ctz(mine)].users--;
    bool is_last = --use->marks->under_way == 0;
    uint64_t turn = atomic_load(&use->marks->sketches.turn);
    pthread_mutex_unlock(&use->marks->lock);
    if (is_last)
        sketches_begin(use->warm, turn, use->late_ns, use->epoch);
    find_ask_free(use->ask);
    *use = (struct fs_marks_use){0};
}

/* ---- one file -------------------------------------------------------------------------------------------------- */

static int64_t nanoseconds(struct statx_timestamp time)
{
    return time.tv_sec * (int64_t)CLOCK_SECOND + time.tv_nsec;
}

/* When the file last changed; false when that cannot be told, or what lies there is not the directory's own file. */
static bool changed_at(const struct fs_scan_entry *entry, int64_t *changed_ns, int64_t *mtime_ns)
{
    const unsigned wanted = STATX_TYPE | STATX_CTIME | STATX_MTIME;
    struct statx status;
    if (statx(entry->directory, entry->name.ptr, AT_SYMLINK_NOFOLLOW, wanted, &status) ||
        (status.stx_mask & wanted) != wanted || !S_ISREG(status.stx_mode) ||
        !(status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) || status.stx_attributes & STATX_ATTR_MOUNT_ROOT)
        return false;
    *changed_ns = nanoseconds(status.stx_ctime);
    *mtime_ns = nanoseconds(status.stx_mtime);
    return true;
}

static bool is_still_out(const struct fs_marks_use *use, uint32_t known, int64_t changed_ns)
{
    for (; known; known &= known - 1)
        if (changed_ns < use->settled_ns[__builtin_ctz(known)])
            return true;
    return false;
}

/* Does the sketch rule the file out, if it still counts? */
static bool sketch_rules_out(const struct fs_marks_use *use, const struct fs_sketch *sketch)
{
    return use->ask && sketch && sketch->size && sketch->epoch == use->epoch &&
           find_ask_rules_out(use->ask, &(struct find_sketch){sketch->is_ascii, sketch->size, sketch->bits});
}

static void note_use(struct fs_marks_use *use, const struct fs_scan_entry *entry, struct fs_text *text)
{
    atomic_store_explicit(&text->used, use->search, memory_order_relaxed);
    use->threads[entry->worker].texts++;
}

enum fs_known fs_marks_look(struct fs_marks_use *use, const struct fs_scan_entry *entry, struct fs_content *content)
{
    int64_t changed_ns;
    if (!use->marks || !entry->memory)
        return FS_UNKNOWN;
    uint32_t known = atomic_load_explicit(&entry->memory->marks, memory_order_relaxed) & use->known;
    struct fs_text *kept = atomic_load_explicit(&entry->memory->text, memory_order_acquire);
    if (kept && (kept->epoch != use->epoch || kept->mountings != use->mountings))
        kept = NULL;
    const struct fs_sketch *sketch = atomic_load_explicit(&entry->memory->sketch, memory_order_acquire);
    bool lacks = sketch_rules_out(use, sketch);
    if ((!known && !kept && !lacks) || !changed_at(entry, &changed_ns, &content->mtime_ns)) {
        if (!sketch || sketch->epoch != use->epoch)
            sketches_want(&use->marks->sketches, entry->memory);
        return FS_UNKNOWN;
    }
    if (kept && changed_ns >= kept->since_ns - use->late_ns)
        kept = NULL;
    if (sketch && changed_ns >= sketch->since_ns - use->late_ns) {
        sketch = NULL;
        lacks = false;
    }
    if (kept)
        note_use(use, entry, kept);
    if (lacks || is_still_out(use, known, changed_ns)) {
        fs_marks_ruled_out(use, entry);
        return FS_RULED_OUT;
    }
    if (!kept && !sketch)
        sketches_want(&use->marks->sketches, entry->memory);
    if (!kept)
        return FS_UNKNOWN;
    content->text = hv_str_of(kept->bytes, kept->len);
    content->is_plain = kept->is_plain;
    return FS_READ;
}

void fs_marks_ruled_out(const struct fs_marks_use *use, const struct fs_scan_entry *entry)
{
    if (entry->memory && use->own && !(atomic_load_explicit(&entry->memory->marks, memory_order_relaxed) & use->own))
        atomic_fetch_or_explicit(&entry->memory->marks, use->own, memory_order_relaxed);
}

/* It was replaced, but another search may be reading it. */
static void retire(struct fs_marks *marks, struct fs_text *text)
{
    if (!text)
        return;
    LOCK_SCOPE(&marks->lock);
    text->next = marks->spent;
    marks->spent = text;
}

/* Memory for a small text among those; NULL: there is none. */
static struct fs_text *take_small(struct fs_marks *marks, struct text_block **own, size_t size)
{
    struct text_block *block;
    if (atomic_load_explicit(&marks->small_is_full, memory_order_relaxed))
        return NULL;
    struct fs_text *text = text_room_take(&marks->small, own, size, &block);
    if (!text) {
        atomic_store_explicit(&marks->small_is_full, true, memory_order_relaxed);
        return NULL;
    }
    atomic_fetch_add(&marks->texts, size);
    atomic_fetch_add(&marks->small_texts, size);
    *text = (struct fs_text){.block = block, .is_small = true};
    return text;
}

/* The same for any other. */
static struct fs_text *take(struct fs_marks *marks, struct text_block **own, size_t texts_max, size_t size)
{
    struct text_block *block;
    struct fs_text *text = NULL;
    if (atomic_load_explicit(&marks->is_full, memory_order_relaxed))
        return NULL;
    if (atomic_fetch_add(&marks->texts, size) + size <= texts_max + atomic_load(&marks->small_texts))
        text = text_room_take(&marks->room, own, size, &block);
    if (!text) {
        atomic_fetch_sub(&marks->texts, size);
        atomic_store_explicit(&marks->is_full, true, memory_order_relaxed);
        return NULL;
    }
    *text = (struct fs_text){.block = block};
    return text;
}

void fs_marks_keep_text(struct fs_marks_use *use, const struct fs_scan_entry *entry, struct hv_str text)
{
    struct fs_marks *marks = use->marks;
    struct fs_text *kept = NULL;
    size_t size = sizeof *kept + text.len;
    if (!marks || !entry->memory || text.len > FS_TEXT_MAX)
        return;
    struct fs_marks_thread *thread = &use->threads[entry->worker];
    if (text.len <= FS_TEXT_SMALL)
        kept = take_small(marks, &thread->small, size);
    if (!kept)
        kept = take(marks, &thread->block, use->texts_max, size);
    if (!kept)
        return;
    kept->since_ns = use->since_ns;
    kept->epoch = use->epoch;
    kept->mountings = use->mountings;
    kept->len = (uint32_t)text.len;
    kept->is_plain = utf8_is_ascii(text) && hv_str_find_byte(text, '\0', 0) == SIZE_MAX;
    memcpy(kept->bytes, text.ptr, text.len);
    atomic_fetch_add(&marks->text_count, 1);
    note_use(use, entry, kept);
    retire(marks, atomic_exchange_explicit(&entry->memory->text, kept, memory_order_acq_rel));
}

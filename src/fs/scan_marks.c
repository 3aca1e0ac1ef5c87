/* scan_marks.c: see scan_marks.h. Marks are few: the one that was not used for longest makes room for another. */
#include "fs/scan_marks.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "fs/scan.h"
#include "fs/scan_warm.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timerfd.h>

void marks_init(struct fs_marks *marks)
{
    *marks = (struct fs_marks){.clock = -1, .fresh_ns = 600 * (int64_t)CLOCK_SECOND};
    pthread_mutex_init(&marks->lock, NULL);
}

void marks_release(struct fs_marks *marks)
{
    for (size_t i = 0; i < FS_MARKS; i++)
        find_lack_free(marks->marks[i].lack);
    cleanup_fd(&marks->clock);
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

/* May marks be used now? With a clock that was set, none of those before may. */
static bool can_use(struct fs_marks *marks)
{
    uint64_t expired;
    if (!marks->late_ns)
        marks->late_ns = find_late();
    if (marks->late_ns < 0)
        return false;
    if (marks->clock >= 0 && read(marks->clock, &expired, sizeof expired) < 0 && errno == EAGAIN)
        return true;
    for (size_t i = 0; i < FS_MARKS; i++)
        marks->marks[i].since_ns = INT64_MIN;
    return watch_clock(marks);
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

void fs_marks_begin(struct fs_warm *warm, const struct find *find, struct fs_marks_use *use)
{
    struct fs_marks *marks = &warm->marks;
    struct find_lack *lack = find_lack_new(find);
    *use = (struct fs_marks_use){0};
    if (!lack)
        return;
    LOCK_SCOPE(&marks->lock);
    if (can_use(marks)) {
        int64_t now_ns = clock_wall_ns();
        use->marks = marks;
        marks->searches++;
        find_known(use, find, lack, now_ns);
        if (!use->own)
            use->own = take_mark(warm, use->known, &lack, now_ns);
        for (uint32_t mine = use->known | use->own; mine; mine &= mine - 1) {
            struct fs_mark *mark = &marks->marks[__builtin_ctz(mine)];
            mark->used = marks->searches;
            mark->users++;
        }
    }
    find_lack_free(lack);
}

void fs_marks_end(struct fs_marks_use *use)
{
    if (!use->marks)
        return;
    LOCK_SCOPE(&use->marks->lock);
    for (uint32_t mine = use->known | use->own; mine; mine &= mine - 1)
        use->marks->marks[__builtin_ctz(mine)].users--;
    use->marks = NULL;
}

/* When the file last changed; false when that cannot be told, or what lies there is not the directory's own file. */
static bool changed_at(const struct fs_scan_entry *entry, int64_t *changed_ns)
{
    struct statx status;
    if (statx(entry->directory, entry->name.ptr, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_CTIME, &status) ||
        !(status.stx_mask & STATX_CTIME) || !S_ISREG(status.stx_mode) ||
        !(status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) || status.stx_attributes & STATX_ATTR_MOUNT_ROOT)
        return false;
    *changed_ns = status.stx_ctime.tv_sec * (int64_t)CLOCK_SECOND + status.stx_ctime.tv_nsec;
    return true;
}

bool fs_marks_rule_out(const struct fs_marks_use *use, const struct fs_scan_entry *entry)
{
    int64_t changed_ns;
    uint32_t known = entry->marks ? atomic_load_explicit(entry->marks, memory_order_relaxed) & use->known : 0;
    if (!known || !changed_at(entry, &changed_ns))
        return false;
    for (; known; known &= known - 1)
        if (changed_ns < use->settled_ns[__builtin_ctz(known)]) {
            fs_marks_ruled_out(use, entry);
            return true;
        }
    return false;
}

void fs_marks_ruled_out(const struct fs_marks_use *use, const struct fs_scan_entry *entry)
{
    if (entry->marks && !(atomic_load_explicit(entry->marks, memory_order_relaxed) & use->own))
        atomic_fetch_or_explicit(entry->marks, use->own, memory_order_relaxed);
}

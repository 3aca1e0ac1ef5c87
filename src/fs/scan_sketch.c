/*
 * scan_sketch.c: see scan_sketch.h. A job is a list of the directories that are remembered, each counted, made by the
 * thread whose search ended; so the thread that works on it takes no lock that a search waits for, and may be kept from
 * running at any time. It ends when its job is done: another one is started for the next.
 */
#include "fs/scan_sketch.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "fs/open.h"
#include "fs/scan.h"
#include "fs/scan_file.h"
#include "fs/scan_warm.h"
#include "text/encoding.h"
#include "text/find_sketch.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum {
    BYTES_MAX = 24 << 20,
    FILE_MAX = 4 << 20,
    PIECE = 64 << 10,
    HEAD = 8 << 10, /* by which searches tell an encoding */
    WANTED_MIN = 200,
    QUIET_MS = 50,
    MISSES_MAX = 64, /* files that are not in memory, beside a quarter of those that were */
    STACK_SIZE = 256 << 10,
    NICE = 5,
    BURST_MS = 1,     /* of work, until it is asked whether somebody else wanted the processor */
    PAUSE_MIN_MS = 5, /* when somebody did; */
    PAUSE_MAX_MS = 40 /* doubled each time */
};

struct sketch_job {
    uint64_t turn;
    int64_t late_ns;
    unsigned epoch;
    VEC(struct warm_record *) records;
};

/* The thread at work. */
struct maker {
    struct fs_sketches *sketches;
    const struct sketch_job *job;
    struct find_sketcher *sketcher;
    struct scan_files files;
    size_t done, missed;
    bool over;                  /* nothing more can be made */
    uint64_t begun_ns, used_ns; /* when this burst of work began, and what of the processor it had used then */
    uint64_t pause_ns;
    char bytes[PIECE];
};

static void free_job(struct sketch_job *job)
{
    for (size_t i = 0; job && i < job->records.count; i++)
        warm_unref(job->records.items[i]);
    if (job)
        vec_release(&job->records);
    free(job);
}

/* ---- giving way ------------------------------------------------------------------------------------------------ */

static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / CLOCK_SECOND), .tv_nsec = (long)(ns % CLOCK_SECOND)};
}

static uint64_t used_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * CLOCK_SECOND + (uint64_t)used.tv_nsec;
}

/*
 * Never come before others, and after them for the most part. Not in a class that runs when nobody else wants to: on a
 * busy machine a thread of it does not even get so far as to end, for seconds, and its process waits for it. A process
 * that was given another class than most keeps it.
 */
static void be_modest(void)
{
    if (sched_getscheduler(0) != SCHED_OTHER)
        return;
    (void)sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0});
    (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
}

static void begin_burst(struct maker *maker, uint64_t now_ns)
{
    maker->begun_ns = now_ns;
    maker->used_ns = used_ns();
}

static void pause_work(struct maker *maker)
{
    struct fs_sketches *sketches = maker->sketches;
    uint64_t until_ns = clock_monotonic_ns() + maker->pause_ns;
    struct timespec until = timespec_of(until_ns);
    pthread_mutex_lock(&sketches->lock);
    while (!sketches->closing && pthread_cond_timedwait(&sketches->wake, &sketches->lock, &until) != ETIMEDOUT)
        continue;
    pthread_mutex_unlock(&sketches->lock);
    begin_burst(maker, until_ns); /* what comes after was waiting for others, too */
}

/* After each burst: who got much less of the processor than time has passed is in somebody's way. */
static void give_way(struct maker *maker)
{
    uint64_t now_ns = clock_monotonic_ns(), passed_ns = now_ns - maker->begun_ns;
    if (passed_ns < BURST_MS * CLOCK_MILLISECOND)
        return;
    if (4 * (used_ns() - maker->used_ns) >= 3 * passed_ns) {
        maker->pause_ns = PAUSE_MIN_MS * CLOCK_MILLISECOND;
        begin_burst(maker, now_ns);
        return;
    }
    pause_work(maker);
    if (maker->pause_ns < PAUSE_MAX_MS * CLOCK_MILLISECOND)
        maker->pause_ns *= 2;
}

/* ---- one file -------------------------------------------------------------------------------------------------- */

static bool is_wanted_still(struct maker *maker)
{
    give_way(maker);
    maker->over = maker->over || atomic_load_explicit(&maker->sketches->turn, memory_order_relaxed) != maker->job->turn;
    return !maker->over;
}

enum outcome {
    LATER, /* it cannot be read now */
    NEVER, /* it gets no sketch */
    MADE,
};

/* Is it a file that has been left alone, and the directory's own? MADE: *size is what it has. */
static enum outcome may_be_read(const struct maker *maker, int fd, int64_t now_ns, size_t *size)
{
    const unsigned wanted = STATX_TYPE | STATX_CTIME | STATX_SIZE;
    struct statx status;
    if (statx(fd, "", AT_EMPTY_PATH, wanted, &status) || (status.stx_mask & wanted) != wanted ||
        !S_ISREG(status.stx_mode) || !(status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) ||
        status.stx_attributes & STATX_ATTR_MOUNT_ROOT)
        return LATER;
    int64_t changed_ns = status.stx_ctime.tv_sec * (int64_t)CLOCK_SECOND + status.stx_ctime.tv_nsec;
    if (changed_ns >= now_ns - maker->job->late_ns)
        return LATER;
    *size = (size_t)status.stx_size;
    return status.stx_size > FILE_MAX ? NEVER : MADE;
}

/* The next bytes of a file, if they are in memory. */
static struct hv_str read_piece(struct maker *maker, int fd, size_t from, size_t size)
{
    size_t want = size - from < PIECE ? size - from : PIECE;
    struct iovec room = {.iov_base = maker->bytes, .iov_len = want};
    ssize_t got = preadv2(fd, &room, 1, (off_t)from, RWF_NOWAIT);
    maker->missed += got < 0 && errno == EAGAIN;
    maker->over = maker->over || (got < 0 && errno == EOPNOTSUPP) || maker->missed > MISSES_MAX + maker->done / 4;
    return hv_str_of(maker->bytes, got > 0 ? (size_t)got : 0);
}

static bool is_text(struct hv_str piece, size_t from, size_t size)
{
    if (hv_str_find_byte(piece, '\0', 0) != SIZE_MAX)
        return false;
    size_t head = size < HEAD ? size : HEAD;
    return from || (piece.len >= head && encoding_detect_beginning(hv_str_slice(piece, 0, head)).kind == ENCODING_UTF8);
}

/* Go through all of a file. */
static enum outcome read_file(struct maker *maker, int fd, size_t size)
{
    find_sketcher_begin(maker->sketcher, size);
    for (size_t at = 0; at < size;) {
        struct hv_str piece = read_piece(maker, fd, at, size);
        if (!piece.len || !is_wanted_still(maker))
            return LATER;
        if (!is_text(piece, at, size))
            return NEVER;
        find_sketcher_add(maker->sketcher, piece);
        at += piece.len;
    }
    return MADE;
}

/* It was replaced, but a search may be looking at it. */
static void retire(struct fs_sketches *sketches, struct fs_sketch *sketch)
{
    LOCK_SCOPE(&sketches->lock);
    *vec_push(&sketches->spent) = sketch;
}

/* Put it beside its file, where searches may look at the one before. False when there is no room. */
static bool publish(struct maker *maker, struct fs_memory *memory, const struct find_sketch *made, int64_t since_ns)
{
    struct fs_sketches *sketches = maker->sketches;
    size_t bytes = made->size ? find_sketch_bytes(made->size) : 0, size = sizeof(struct fs_sketch) + bytes;
    if (atomic_fetch_add(&sketches->bytes, size) + size > sketches->bytes_max) {
        atomic_fetch_sub(&sketches->bytes, size);
        maker->over = true;
        return false;
    }
    struct fs_sketch *sketch = hv_malloc(size);
    *sketch = (struct fs_sketch){
        .since_ns = since_ns, .epoch = maker->job->epoch, .is_ascii = made->is_ascii, .size = made->size};
    if (bytes)
        memcpy(sketch->bits, made->bits, bytes);
    struct fs_sketch *before = atomic_exchange_explicit(&memory->sketch, sketch, memory_order_acq_rel);
    atomic_fetch_add_explicit(&sketches->made, 1, memory_order_relaxed);
    maker->done++;
    if (before)
        retire(sketches, before);
    return true;
}

static void make_sketch(struct maker *maker, int directory, struct hv_str name, struct fs_memory *memory)
{
    int64_t now_ns = clock_wall_ns();
    size_t size;
    struct fs_scan_entry entry = {.name = name, .directory = directory, .files = &maker->files};
    CLEANUP_FD int fd = fs_scan_open(&entry);
    enum outcome outcome = fd < 0 ? LATER : may_be_read(maker, fd, now_ns, &size);
    if (outcome == MADE)
        outcome = read_file(maker, fd, size);
    struct find_sketch made = {0};
    if (outcome == MADE)
        made = find_sketcher_end(maker->sketcher);
    if (outcome != LATER && publish(maker, memory, &made, now_ns))
        atomic_store_explicit(&memory->is_wanted, false, memory_order_relaxed);
}

/* ---- all that is wanted ---------------------------------------------------------------------------------------- */

/* The directory, if it is still what is remembered. */
static int open_directory(const struct warm_record *record)
{
    char path[PATH_MAX];
    struct stat status;
    struct hv_str known = warm_path(record);
    if (known.len >= sizeof path)
        return -1;
    memcpy(path, known.ptr, known.len);
    path[known.len] = '\0';
    CLEANUP_FD int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 || fstat(fd, &status) || !warm_is_same(record, &status) ? -1 : take_fd(&fd);
}

static bool wants_sketch(const struct fs_memory *memory)
{
    return atomic_load_explicit(&memory->is_wanted, memory_order_relaxed) &&
           !atomic_load_explicit(&memory->text, memory_order_relaxed);
}

static void work_on(struct maker *maker, struct warm_record *record)
{
    struct hv_str names = warm_bytes(record), name;
    CLEANUP_FD int fd = -1;
    size_t file = 0;
    for (size_t at = 0; at < names.len && file < record->file_count; at += 1 + name.len + 1) {
        name = hv_str_from(names.ptr + at + 1);
        if (fs_kind_of_dirent((unsigned char)names.ptr[at]) == HV_FILE_DIRECTORY)
            continue;
        struct fs_memory *memory = &record->memories[file++];
        if (!wants_sketch(memory))
            continue;
        if (!is_wanted_still(maker) || (fd < 0 && (fd = open_directory(record)) < 0))
            return;
        make_sketch(maker, fd, name, memory);
    }
}

static void work(struct fs_sketches *sketches, const struct sketch_job *job)
{
    struct maker *maker = hv_malloc(sizeof *maker);
    *maker = (struct maker){.sketches = sketches,
                            .job = job,
                            .sketcher = find_sketcher_new(),
                            .pause_ns = PAUSE_MIN_MS * CLOCK_MILLISECOND};
    struct scan_room room;
    scan_room_take(&room, &(struct fs_scan_options){0});
    scan_files_init(&maker->files, room.closing);
    begin_burst(maker, clock_monotonic_ns());
    for (size_t i = 0; i < job->records.count && is_wanted_still(maker); i++)
        work_on(maker, job->records.items[i]);
    find_sketcher_free(maker->sketcher);
    free(maker);
}

/* ---- the thread ------------------------------------------------------------------------------------------------ */

/* Wait until nothing has begun for a while. NULL: nothing is left to be done. Called with the lock held. */
static struct sketch_job *take_job(struct fs_sketches *sketches)
{
    const struct sketch_job *seen = NULL;
    while (!sketches->closing && sketches->job != seen) { /* another one has come: from the beginning */
        struct timespec until = timespec_of(clock_monotonic_ns() + sketches->quiet_ns);
        seen = sketches->job;
        while (!sketches->closing && sketches->job == seen &&
               pthread_cond_timedwait(&sketches->wake, &sketches->lock, &until) != ETIMEDOUT)
            continue;
    }
    struct sketch_job *job = sketches->closing ? NULL : sketches->job;
    if (job)
        sketches->job = NULL;
    return job;
}

static void *run_thread(void *data)
{
    struct fs_sketches *sketches = data;
    pthread_mutex_lock(&sketches->lock);
    struct sketch_job *job;
    while ((job = take_job(sketches))) {
        pthread_mutex_unlock(&sketches->lock);
        be_modest();
        work(sketches, job);
        free_job(job);
        pthread_mutex_lock(&sketches->lock);
    }
    sketches->state = SKETCH_ENDED;
    pthread_mutex_unlock(&sketches->lock);
    return NULL;
}

/* Without a thread nothing is made. */
static bool start_thread(struct fs_sketches *sketches)
{
    return thread_start(&sketches->thread, STACK_SIZE, run_thread, sketches) == 0;
}

/* ---- searches and the session ---------------------------------------------------------------------------------- */

void sketches_init(struct fs_sketches *sketches)
{
    pthread_condattr_t attributes;
    *sketches = (struct fs_sketches){
        .bytes_max = BYTES_MAX, .wanted_min = WANTED_MIN, .quiet_ns = QUIET_MS * CLOCK_MILLISECOND};
    pthread_mutex_init(&sketches->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&sketches->wake, &attributes);
    pthread_condattr_destroy(&attributes);
}

void sketches_end(struct fs_sketches *sketches)
{
    sketches_interrupt(sketches);
    pthread_mutex_lock(&sketches->lock);
    sketches->closing = true;
    pthread_cond_signal(&sketches->wake);
    bool started = sketches->state != SKETCH_NO_THREAD;
    pthread_mutex_unlock(&sketches->lock);
    if (started)
        pthread_join(sketches->thread, NULL);
    sketches->state = SKETCH_NO_THREAD;
    free_job(sketches->job);
    sketches->job = NULL;
}

void sketches_release(struct fs_sketches *sketches)
{
    sketches_tidy(sketches);
    vec_release(&sketches->spent);
    pthread_cond_destroy(&sketches->wake);
    pthread_mutex_destroy(&sketches->lock);
}

void sketches_interrupt(struct fs_sketches *sketches)
{
    atomic_fetch_add(&sketches->turn, 1);
}

void sketches_tidy(struct fs_sketches *sketches)
{
    LOCK_SCOPE(&sketches->lock);
    while (sketches->spent.count)
        sketches_free(sketches, sketches->spent.items[--sketches->spent.count]);
}

/* Give the job to the thread, or to a new one. Returns the one that is not needed. */
static struct sketch_job *hand_over(struct fs_sketches *sketches, struct sketch_job *job)
{
    LOCK_SCOPE(&sketches->lock);
    if (sketches->state == SKETCH_ENDED)
        pthread_join(sketches->thread, NULL);
    if (sketches->state != SKETCH_RUNS)
        sketches->state = start_thread(sketches) ? SKETCH_RUNS : SKETCH_NO_THREAD;
    if (sketches->state == SKETCH_NO_THREAD)
        return job;
    struct sketch_job *before = sketches->job;
    sketches->job = job;
    pthread_cond_signal(&sketches->wake);
    return before;
}

void sketches_begin(struct fs_warm *warm, uint64_t turn, int64_t late_ns, unsigned epoch)
{
    struct fs_sketches *sketches = &warm->marks.sketches;
    if (atomic_load(&sketches->wanted) < sketches->wanted_min ||
        atomic_load(&sketches->bytes) + FIND_SKETCH_BYTES_MAX > sketches->bytes_max)
        return;
    struct sketch_job *job = hv_calloc(1, sizeof *job);
    *job = (struct sketch_job){.turn = turn, .late_ns = late_ns, .epoch = epoch};
    for (size_t i = 0; i < FS_WARM_SHARDS; i++) {
        struct warm_shard *shard = &warm->shards[i];
        LOCK_SCOPE(&shard->lock);
        for (size_t at = 0; at < shard->records.capacity; at++) {
            struct warm_record *record = shard->records.slots[at].value;
            if (record && record->file_count)
                *vec_push(&job->records) = warm_ref(record);
        }
    }
    atomic_store(&sketches->wanted, 0);
    free_job(hand_over(sketches, job));
}

void sketches_want(struct fs_sketches *sketches, struct fs_memory *memory)
{
    if (!atomic_load_explicit(&memory->is_wanted, memory_order_relaxed))
        atomic_store_explicit(&memory->is_wanted, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&sketches->wanted, 1, memory_order_relaxed);
}

void sketches_free(struct fs_sketches *sketches, struct fs_sketch *sketch)
{
    if (sketch)
        atomic_fetch_sub_explicit(&sketches->bytes, sizeof *sketch + find_sketch_bytes(sketch->size),
                                  memory_order_relaxed);
    free(sketch);
}

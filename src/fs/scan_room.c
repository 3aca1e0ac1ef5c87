/* scan_room.c: see scan_room.h; and how many threads a scan should have (scan.h). */
#include "fs/scan_room.h"

#include "base/clock.h"
#include "fs/scan.h"
#include "fs/scan_file.h"
#include "fs/scan_queue.h"
#include "fs/scan_warm.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

enum {
    SCARCE = 1024,       /* a limit under which it is counted what the process has open already */
    OF_OTHERS = 64,      /* else that is so many, about */
    OF_OTHERS_LATER = 8, /* what they may open meanwhile */
    OF_SCAN = 4,         /* the root, files of rules */
    OF_THREAD = 2,       /* the directory that it reads, one that it opens or looks for rules in */
    LEAST = 8,           /* that much a scan waits for */
    ASK_NS = 1000000,
};

void scan_rooms_init(struct scan_rooms *rooms)
{
    *rooms = (struct scan_rooms){0};
    pthread_mutex_init(&rooms->lock, NULL);
}

void scan_rooms_release(struct scan_rooms *rooms)
{
    pthread_mutex_destroy(&rooms->lock);
}

static size_t count_open(void)
{
    DIR *list = opendir("/proc/self/fd");
    if (!list)
        return OF_OTHERS;
    size_t count = 0;
    while (readdir(list))
        count++;
    closedir(list);
    return count;
}

static size_t room_of_all(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return 0;
    size_t others = limit.rlim_cur < SCARCE ? count_open() + OF_OTHERS_LATER : OF_OTHERS;
    return limit.rlim_cur > others ? (size_t)limit.rlim_cur - others : 0;
}

/* Divide it, so that a later scan finds some, too. */
static void divide(struct scan_room *room, const struct fs_scan_options *options, size_t most)
{
    room->kept = most / 4 < SCAN_OPEN_MAX ? most / 4 : SCAN_OPEN_MAX;
    room->closing = most >= SCARCE / 2 ? SCAN_CLOSING_MAX : 1;
    size_t of_thread = OF_THREAD + room->closing,
           of_threads = most > room->kept + OF_SCAN ? most - room->kept - OF_SCAN : 0;
    size_t threads_max = of_threads / of_thread;
    if (threads_max > FS_SCAN_THREADS_MAX)
        threads_max = FS_SCAN_THREADS_MAX;
    unsigned wanted = options->ordered ? 1 : options->threads;
    room->threads = wanted < threads_max ? wanted : (unsigned)threads_max;
    if (!room->threads)
        room->threads = 1;
    room->taken = room->kept + OF_SCAN + room->threads * of_thread;
}

static size_t left(const struct scan_rooms *rooms)
{
    return rooms->all > rooms->taken ? rooms->all - rooms->taken : 0;
}

static bool is_over(const struct fs_scan_options *options)
{
    return hv_cancelled(options->cancel) || (options->deadline_ns && clock_monotonic_ns() >= options->deadline_ns);
}

/* With the lock held. Whoever waits has the root open already. */
static void wait_for_room(struct scan_rooms *rooms, const struct fs_scan_options *options)
{
    rooms->taken++;
    while (rooms->scans && left(rooms) < LEAST && !is_over(options)) {
        pthread_mutex_unlock(&rooms->lock);
        nanosleep(&(struct timespec){.tv_nsec = ASK_NS}, NULL);
        pthread_mutex_lock(&rooms->lock);
    }
    rooms->taken--;
}

void scan_room_take(struct scan_room *room, const struct fs_scan_options *options)
{
    struct scan_rooms *rooms = options->warm ? &options->warm->rooms : NULL;
    room->rooms = rooms;
    if (!rooms) {
        divide(room, options, room_of_all());
        return;
    }
    pthread_mutex_lock(&rooms->lock);
    wait_for_room(rooms, options);
    if (!rooms->scans)
        rooms->all = room_of_all();
    divide(room, options, left(rooms));
    rooms->taken += room->taken;
    rooms->scans++;
    pthread_mutex_unlock(&rooms->lock);
}

void scan_room_give(struct scan_room *room)
{
    if (!room->rooms)
        return;
    pthread_mutex_lock(&room->rooms->lock);
    room->rooms->taken -= room->taken;
    room->rooms->scans--;
    pthread_mutex_unlock(&room->rooms->lock);
}

unsigned fs_scan_threads(void)
{
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable)) /* more of them than the set has room for */
        return FS_SCAN_THREADS_WORTH;
    int count = CPU_COUNT(&usable);
    return count < FS_SCAN_THREADS_WORTH ? (unsigned)count : FS_SCAN_THREADS_WORTH;
}

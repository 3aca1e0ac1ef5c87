/* temporary.c: see temporary.h. */
#include "sandbox/temporary.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#define PREFIX "helve-sandbox-"
enum { ENTRIES_MAX = 10 * 1000 * 1000, NAME_SIZE = 32, MAKE_TRIES = 100 };

/* ---- removing ------------------------------------------------------------------------------------------ */

static bool is_dot(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Open a folder in parent for reading its entries, whatever its mode. */
static DIR *open_folder(int parent, const char *name)
{
    CLEANUP_FD int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES && fchmodat(parent, name, 0700, 0) == 0)
        fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fchmod(fd, 0700))
        return NULL;
    DIR *directory = fdopendir(fd);
    if (directory)
        (void)take_fd(&fd);
    return directory;
}

/* Remove what is in name; full folders in it move up to top under new names, so that no depth costs anything. */
static void remove_folder(int top, const char *name, size_t *moved)
{
    char fresh[NAME_SIZE];
    DIR *directory = open_folder(top, name);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (is_dot(entry->d_name) || unlinkat(dirfd(directory), entry->d_name, 0) == 0 ||
            unlinkat(dirfd(directory), entry->d_name, AT_REMOVEDIR) == 0)
            continue;
        snprintf(fresh, sizeof fresh, ".moved-%zu", ++*moved);
        (void)!renameat(dirfd(directory), entry->d_name, top, fresh); /* what cannot be moved stays, and is given up */
    }
    closedir(directory);
    (void)!unlinkat(top, name, AT_REMOVEDIR);
}

/* Remove all that is in the folder; of any depth, links are not followed. Blocks. */
static void temporary_empty(int folder)
{
    size_t moved = 0, before;
    do {
        before = moved;
        DIR *directory = open_folder(folder, ".");
        if (!directory)
            return;
        for (struct dirent *entry; (entry = readdir(directory));)
            if (!is_dot(entry->d_name) && unlinkat(folder, entry->d_name, 0))
                remove_folder(folder, entry->d_name, &moved);
        closedir(directory);
    } while (moved != before && moved < ENTRIES_MAX);
}

/* The folder is ours, and nobody who lives holds it: empty and remove it. */
static void remove_if_dead(int base, const char *name)
{
    struct stat status;
    CLEANUP_FD int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) || status.st_uid != geteuid() || flock(fd, LOCK_EX | LOCK_NB))
        return;
    temporary_empty(fd);
    (void)!unlinkat(base, name, AT_REMOVEDIR);
}

static void remove_dead(const char *base)
{
    DIR *directory = opendir(base);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));)
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) == 0)
            remove_if_dead(dirfd(directory), entry->d_name);
    closedir(directory);
}

/* ---- making -------------------------------------------------------------------------------------------- */

static char *format(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = hv_malloc(size);
    snprintf(text, size, "%s%s", a, b);
    return text;
}

static bool fill(struct temporary *temporary)
{
    temporary->files = format(temporary->folder, "/tmp");
    temporary->copies = format(temporary->folder, "/git");
    temporary->locked = format(temporary->folder, "/locked");
    CLEANUP_FD int file = open(temporary->locked, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0);
    /* It stands in for /tmp, too, and some programs want that to be everybody's; the folder above keeps others out. */
    return file >= 0 && mkdir(temporary->copies, 0700) == 0 && mkdir(temporary->files, 0700) == 0 &&
           chmod(temporary->files, 01777) == 0;
}

static char *fresh_name(const char *base)
{
    uint64_t noise = 0;
    char name[NAME_SIZE];
    if (getrandom(&noise, sizeof noise, GRND_NONBLOCK) < 0)
        noise = clock_monotonic_ns(); /* this early after the start of the machine; a name that is taken is no harm */
    snprintf(name, sizeof name, "/" PREFIX "%08llx", (unsigned long long)(noise & 0xffffffff));
    return format(base, name);
}

/* Make the folder and hold it: 1; 0: it was there, or a session that starts now took it for one that nobody holds; -1:
 * it cannot be. */
static int make_folder(struct temporary *temporary, const struct sweeper *sweeper, const char *base)
{
    struct stat status;
    temporary->folder = fresh_name(base);
    sweeper_tell(sweeper, SWEEP_FOLDER, temporary->folder);
    if (mkdir(temporary->folder, 0700)) {
        int reason = errno;
        free(take_ptr(temporary->folder));
        errno = reason;
        return reason == EEXIST ? 0 : -1;
    }
    CLEANUP_FD int fd = open(temporary->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &status) == 0 && status.st_nlink) {
        temporary->lock = take_fd(&fd);
        return 1;
    }
    int reason = errno;
    bool taken = fd < 0 ? reason == ENOENT : true;
    (void)!rmdir(temporary->folder);
    free(take_ptr(temporary->folder));
    errno = reason;
    return taken ? 0 : -1;
}

enum hv_code temporary_make(struct temporary *temporary, const struct sweeper *sweeper, struct hv_error *err)
{
    const char *base = getenv("TMPDIR");
    int made = 0;
    if (!base || base[0] != '/' || access(base, W_OK | X_OK))
        base = "/tmp";
    remove_dead(base);
    temporary->lock = -1;
    for (int tries = 0; !made && tries < MAKE_TRIES; tries++)
        made = make_folder(temporary, sweeper, base);
    if (made <= 0)
        return hv_fail_errno(err, errno, "cannot make a folder for temporary files in %s", base);
    char *real = realpath(temporary->folder, NULL); /* it is compared with resolved paths */
    if (real) {
        free(temporary->folder);
        temporary->folder = real;
    }
    if (fill(temporary))
        return HV_OK;
    hv_fail_errno(err, errno, "cannot make a folder for temporary files in %s", base);
    temporary_remove(temporary);
    return HV_EIO;
}

void temporary_remove(struct temporary *temporary)
{
    if (!temporary->folder)
        return;
    if (temporary->lock >= 0)
        temporary_empty(temporary->lock);
    (void)!rmdir(temporary->folder);
    cleanup_fd(&temporary->lock);
    free(temporary->folder);
    free(temporary->files);
    free(temporary->copies);
    free(temporary->locked);
    *temporary = (struct temporary){0};
}

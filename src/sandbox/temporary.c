/* temporary.c: see temporary.h. */
#include "sandbox/temporary.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "sandbox/plan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#define PREFIX "helve-sandbox-"
#define MAKER ".helve-"
_Static_assert(SANDBOX_PLACEHOLDER_TIME_NS == SWEEP_PLACEHOLDER_TIME_S * 1000000000ll, "the sweeper knows them, too");
enum { ENTRIES_MAX = 10 * 1000 * 1000, NAME_SIZE = 32, LOCK_TRIES = 20, MAKE_TRIES = 100 };

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
    temporary->locked = format(temporary->folder, "/locked");
    CLEANUP_FD int file = open(temporary->locked, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0);
    /* It stands in for /tmp, too, and some programs want that to be everybody's; the folder above keeps others out. */
    return file >= 0 && mkdir(temporary->files, 0700) == 0 && chmod(temporary->files, 01777) == 0;
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
    free(temporary->locked);
    *temporary = (struct temporary){0};
}

/* ---- placeholders -------------------------------------------------------------------------------------- */

static bool is_empty(int folder)
{
    CLEANUP_FD int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    bool empty = directory != NULL;
    if (!directory)
        return false;
    (void)take_fd(&fd);
    for (struct dirent *entry; empty && (entry = readdir(directory));)
        empty = is_dot(entry->d_name);
    closedir(directory);
    return empty;
}

/* Whatever comes into the folder from now on gives it another time. What came since it was made is seen here: then it
 * is somebody's own folder. */
static void mark(int fd)
{
    const struct timespec time = {SANDBOX_PLACEHOLDER_TIME_NS / 1000000000, SANDBOX_PLACEHOLDER_TIME_NS % 1000000000};
    (void)!futimens(fd, (const struct timespec[2]){time, time});
    if (!is_empty(fd))
        (void)!futimens(fd, NULL);
}

const char *placeholder_maker_name(struct hv_arena *arena, struct hv_str path)
{
    return hv_arena_format(arena, "%.*s" MAKER "%ld", HV_STR_ARG(path), (long)getpid()).ptr;
}

static bool is_maker_name(struct hv_str name)
{
    size_t at = hv_str_find(name, HV_STR(MAKER), 0), digits = at == SIZE_MAX ? name.len : at + strlen(MAKER);
    for (size_t i = digits; i < name.len; i++)
        if (name.ptr[i] < '0' || name.ptr[i] > '9')
            return false;
    return at != 0 && digits < name.len;
}

bool placeholder_is_being_made(int directory, struct hv_str name)
{
    if (!is_maker_name(name))
        return false;
    CLEANUP_FD int fd = openat(directory, name.ptr, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? errno == ENOENT : is_empty(fd);
}

/* A folder at path that has its time from the first moment. False: it is there, or that cannot be done there. */
static bool make_marked(const char *path)
{
    const struct timespec time = {SANDBOX_PLACEHOLDER_TIME_NS / 1000000000, SANDBOX_PLACEHOLDER_TIME_NS % 1000000000};
    CLEANUP_ARENA struct hv_arena arena = {0};
    const char *maker = placeholder_maker_name(&arena, hv_str_from(path));
    struct stat there;
    if (lstat(path, &there) == 0 || mkdir(maker, 0755))
        return false;
    if (utimensat(AT_FDCWD, maker, (const struct timespec[2]){time, time}, AT_SYMLINK_NOFOLLOW) == 0 &&
        renameat2(AT_FDCWD, maker, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return true;
    (void)!rmdir(maker);
    return false;
}

static bool is_placeholder(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
           status.st_mtim.tv_sec * 1000000000ll + status.st_mtim.tv_nsec == SANDBOX_PLACEHOLDER_TIME_NS;
}

bool placeholders_held(const struct placeholders *placeholders, struct hv_str path)
{
    for (size_t i = 0; i < placeholders->list.count; i++)
        if (hv_str_is(path, placeholders->list.items[i].path))
            return true;
    return false;
}

/* Two sessions may come at once: who holds the lock of a folder that is still the one at path may use it. flock keeps
 * those away who remove it meanwhile. */
bool placeholders_hold(struct placeholders *placeholders, struct hv_str path)
{
    CLEANUP_FREE char *text = hv_malloc(path.len + 1);
    struct stat held, named;
    if (placeholders_held(placeholders, path))
        return false;
    memcpy(text, path.ptr, path.len);
    text[path.len] = '\0';
    bool marked = make_marked(text), made = marked || mkdir(text, 0755) == 0;
    CLEANUP_FD int fd = open(text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) || !placeholder_lock(fd)) {
        if (made)
            (void)!rmdir(text);
        return false;
    }
    if (made && !marked)
        mark(fd);
    if (!is_placeholder(fd) || fstat(fd, &held) || lstat(text, &named) || held.st_ino != named.st_ino)
        return false;
    (void)flock(fd, LOCK_UN);
    *vec_push(&placeholders->list) = (struct placeholder){take_ptr(text), take_fd(&fd)};
    return true;
}

/* Another session that ends now looks at it as shortly as we do; who writes into it makes it its own. */
static bool lock_shortly(int fd)
{
    for (int tries = 0; tries < LOCK_TRIES; tries++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return true;
        usleep(1000);
    }
    return false;
}

void placeholders_release(struct placeholders *placeholders)
{
    for (size_t i = 0; i < placeholders->list.count; i++) {
        struct placeholder *placeholder = &placeholders->list.items[i];
        if (lock_shortly(placeholder->lock) && !placeholder_is_held(placeholder->lock) &&
            is_placeholder(placeholder->lock))
            (void)!rmdir(placeholder->path); /* fails when something is in it */
        cleanup_fd(&placeholder->lock);
        free(placeholder->path);
    }
    vec_release(&placeholders->list);
}

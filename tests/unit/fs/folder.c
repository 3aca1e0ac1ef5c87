/* folder.c: see folder.h. */
#include "folder.h"

#include "base/cleanup.h"
#include "fs/host_files.h"

#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { FILE_MAX = 64 << 20, NOBODY = 65534 };

void folder_open(struct folder *folder)
{
    const char *where = getenv("TMPDIR");
    char made[64], real[4096];
    snprintf(made, sizeof made, "%s/helve-fs-XXXXXX", where && strlen(where) < 40 ? where : "/tmp");
    memset(folder, 0, sizeof *folder);
    assert_non_null(mkdtemp(made));
    assert_non_null(realpath(made, real));
    assert_true(strlen(real) < sizeof folder->root);
    memcpy(folder->root, real, strlen(real) + 1);
    folder->path = hv_str_from(folder->root);
}

/*
 * Remove what a directory holds, however deep: a directory inside is emptied by first moving its own directories up, so
 * that no path ever grows long and nothing recurses.
 */
static void empty_directory(int fd)
{
    static unsigned number;
    bool again = true;
    while (again) {
        again = false;
        int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *directory = copy >= 0 ? fdopendir(copy) : NULL;
        assert_non_null(directory);
        for (const struct dirent *entry; (entry = readdir(directory));) {
            const char *name = entry->d_name;
            if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || unlinkat(fd, name, 0) == 0 ||
                unlinkat(fd, name, AT_REMOVEDIR) == 0)
                continue;
            (void)fchmodat(fd, name, 0700, 0);
            CLEANUP_FD int inner = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            DIR *below = inner >= 0 ? fdopendir(dup(inner)) : NULL;
            assert_non_null(below);
            for (const struct dirent *deep; (deep = readdir(below));) {
                if (strcmp(deep->d_name, ".") == 0 || strcmp(deep->d_name, "..") == 0 ||
                    unlinkat(inner, deep->d_name, 0) == 0)
                    continue;
                char moved[32];
                snprintf(moved, sizeof moved, "moved-%u", number++);
                (void)fchmodat(inner, deep->d_name, 0700, 0);
                assert_int_equal(renameat(inner, deep->d_name, fd, moved), 0);
            }
            closedir(below);
            again = true;
        }
        closedir(directory);
    }
}

void folder_close(struct folder *folder)
{
    int fd = open(folder->path.ptr, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    empty_directory(fd);
    close(fd);
    assert_int_equal(rmdir(folder->path.ptr), 0);
    hv_arena_release(&folder->arena);
}

struct hv_str folder_path(struct folder *folder, const char *name)
{
    return hv_arena_format(&folder->arena, "%s%s%s", folder->path.ptr, *name ? "/" : "", name);
}

const char *folder_cpath(struct folder *folder, const char *name)
{
    return folder_path(folder, name).ptr;
}

void folder_make(struct folder *folder, const char *name)
{
    assert_int_equal(fs_host_make_directories(NULL, folder_path(folder, name), NULL), HV_OK);
}

void folder_put_bytes(struct folder *folder, const char *name, struct hv_str bytes)
{
    const char *slash = strrchr(name, '/');
    if (slash)
        folder_make(folder, hv_arena_cstr(&folder->arena, hv_str_of(name, (size_t)(slash - name))));
    FILE *file = fopen(folder_cpath(folder, name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

void folder_put(struct folder *folder, const char *name, const char *text)
{
    folder_put_bytes(folder, name, hv_str_from(text));
}

struct hv_str folder_get(struct folder *folder, const char *name)
{
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, FILE_MAX);
    FILE *file = fopen(folder_cpath(folder, name), "r");
    assert_non_null(file);
    char piece[65536];
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        hv_buf_add(&bytes, piece, got);
    fclose(file);
    return hv_arena_str(&folder->arena, hv_buf_str(&bytes));
}

bool folder_has(struct folder *folder, const char *name)
{
    struct stat status;
    return lstat(folder_cpath(folder, name), &status) == 0;
}

size_t folder_count(struct folder *folder, const char *name)
{
    DIR *directory = opendir(folder_cpath(folder, name));
    assert_non_null(directory);
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

int in_child(int (*function)(struct folder *folder), struct folder *folder, bool unprivileged)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (unprivileged && geteuid() == 0 && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
            _exit(99);
        _exit(function(folder));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int folder_setup(void **state)
{
    static struct folder folder;
    folder_open(&folder);
    *state = &folder;
    return 0;
}

int folder_teardown(void **state)
{
    folder_close(*state);
    return 0;
}

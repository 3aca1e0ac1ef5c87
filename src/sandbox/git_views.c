/* git_views.c: see git_views.h. The copies lie where commands may do anything: nothing in them is followed. */
#include "sandbox/git_views.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/git_settings.h"
#include "fs/open.h"
#include "sandbox/git_changes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VIEWS_MAX = 64 };
#define COPY "config"
#define NEXT_COPY "config.next"
#define SHOWN "/dev/.helve-git" /* where commands see the folder of the copies: in memory, where nobody works */

struct git_view {
    char *path;         /* outside */
    char *link;         /* what is shown in its place */
    char *folder;       /* of the copy */
    struct hv_buf base; /* what the copy was made from */
};

/* ---- copies ---------------------------------------------------------------------------------------------- */

static int open_folder(const struct git_view *view)
{
    return fs_open_no_links(AT_FDCWD, hv_str_from(view->folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static bool write_bytes(int fd, struct hv_str bytes)
{
    while (bytes.ptr && bytes.len) {
        ssize_t written = write(fd, bytes.ptr, bytes.len);
        if (written < 0 && errno != EINTR)
            return false;
        bytes = hv_str_slice(bytes, written > 0 ? (size_t)written : 0, bytes.len);
    }
    return true;
}

/* Make the copy say what is outside. */
static bool make_copy(struct git_view *view, struct hv_str text)
{
    CLEANUP_FD int folder = open_folder(view);
    if (folder < 0)
        return false;
    (void)!unlinkat(folder, NEXT_COPY, 0);
    CLEANUP_FD int fd = openat(folder, NEXT_COPY, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0 || !write_bytes(fd, text) || renameat(folder, NEXT_COPY, folder, COPY))
        return false;
    hv_buf_clear(&view->base);
    hv_buf_add_str(&view->base, text);
    return !view->base.failed;
}

/* Absent: there is none that can be read. */
static struct hv_str read_copy(const struct git_view *view, struct hv_arena *arena)
{
    CLEANUP_FD int folder = open_folder(view);
    return folder < 0 ? (struct hv_str){0} : git_file_read(arena, folder, COPY, O_NOFOLLOW);
}

static bool is_changed(const struct git_view *view, struct hv_str copy)
{
    return !copy.ptr || !hv_str_eq(copy, hv_buf_str(&view->base));
}

/* ---- views ----------------------------------------------------------------------------------------------- */

static void view_release(struct git_view *view)
{
    free(view->path);
    free(view->link);
    free(view->folder);
    hv_buf_release(&view->base);
}

static char *numbered(const char *folder, const char *name, size_t number)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    return hv_strdup(hv_arena_format(&arena, "%s/%s%zu", folder, name, number).ptr);
}

/* NULL: it stays as it is, read-only. */
static struct git_view *view_new(struct git_views *views, const struct temporary *temporary, struct hv_str path,
                                 struct hv_str text)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    size_t number = views->items.count;
    if (number == VIEWS_MAX)
        return NULL;
    struct git_view view = {.path = hv_strdup(hv_arena_cstr(&arena, path)),
                            .link = numbered(temporary->folder, "git-link-", number),
                            .folder = numbered(temporary->copies, "", number)};
    hv_buf_init(&view.base, GIT_FILE_MAX + 1);
    struct hv_str target = hv_arena_format(&arena, SHOWN "/%zu/" COPY, number);
    if (mkdir(view.folder, 0700) == 0 && make_copy(&view, text) && symlink(target.ptr, view.link) == 0)
        return (struct git_view *)memcpy(vec_push(&views->items), &view, sizeof view);
    view_release(&view);
    return NULL;
}

static struct git_view *find_view(const struct git_views *views, struct hv_str path)
{
    for (size_t i = 0; i < views->items.count; i++)
        if (hv_str_eq(hv_str_from(views->items.items[i].path), path))
            return &views->items.items[i];
    return NULL;
}

static bool read_outside(const struct hv_host *host, struct hv_str path, struct hv_buf *text, struct hv_file_stat *stat)
{
    return host->read(host, path, 0, GIT_FILE_MAX, text, stat, NULL) == HV_OK && text->len < GIT_FILE_MAX;
}

/* The link for a configuration; absent: it cannot be shown so. */
static struct hv_str show(struct git_views *views, const struct hv_host *host, const struct temporary *temporary,
                          struct hv_str path, struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf text = {.max = GIT_FILE_MAX + 1};
    struct git_view *view = find_view(views, path);
    if (!read_outside(host, path, &text, NULL))
        return (struct hv_str){0};
    if (!view)
        view = view_new(views, temporary, path, hv_buf_str(&text));
    else if (!is_changed(view, read_copy(view, arena)) && !hv_str_eq(hv_buf_str(&text), hv_buf_str(&view->base)) &&
             !make_copy(view, hv_buf_str(&text)))
        view = NULL;
    return view ? hv_arena_str(arena, hv_str_from(view->link)) : (struct hv_str){0};
}

void git_views_show(struct git_views *views, const struct hv_host *host, const struct temporary *temporary,
                    struct sandbox_plan *plan, struct hv_arena *arena)
{
    struct hv_str *links = hv_arena_array(arena, struct hv_str, plan->mount_count + 1);
    if (sandbox_plan_find(plan, HV_STR(SHOWN)).path.len > 1)
        return; /* settings show the machine's /dev */
    for (size_t i = 0; i < plan->mount_count; i++)
        if (plan->mounts[i].git_config)
            links[i] = show(views, host, temporary, plan->mounts[i].path, arena);
    plan->views = links;
    if (views->items.count) {
        plan->copies = hv_arena_str(arena, hv_str_from(temporary->copies));
        plan->copies_shown = HV_STR(SHOWN);
    }
}

/* ---- afterwards ------------------------------------------------------------------------------------------ */

/* Make what is outside say text. */
static bool keep(const struct git_view *view, const struct hv_host *host, const struct hv_file_stat *stat,
                 struct hv_buf *outside, struct hv_str text, struct hv_error *err)
{
    struct hv_write_options how = {.expected = stat, .expected_bytes = hv_buf_str(outside)};
    if (host->write(host, hv_str_from(view->path), text, &how, NULL, err) != HV_OK)
        return false;
    hv_buf_clear(outside);
    hv_buf_add_str(outside, text);
    return true;
}

static struct hv_str take_one(struct git_view *view, const struct hv_host *host, struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf text = {.max = GIT_FILE_MAX + 1};
    struct hv_file_stat stat;
    struct hv_str path = hv_str_from(view->path), copy = read_copy(view, arena), names = {0}, said = {0};
    struct hv_error err = {0};
    if (!is_changed(view, copy) || !read_outside(host, path, &text, &stat))
        return said;
    if (!copy.ptr) {
        said = hv_arena_format(arena, "The sandbox put %s back, which was gone.", view->path);
    } else if (!hv_str_eq(hv_buf_str(&text), hv_buf_str(&view->base))) {
        said = hv_arena_format(arena, "What was changed in %s is not kept: it was changed outside, too. Do it again.",
                               view->path);
    } else if (!git_changes_are_harmless(hv_buf_str(&view->base), copy, arena, &names)) {
        struct hv_str kept = git_changes_kept(hv_buf_str(&view->base), copy, arena);
        bool some = kept.len && keep(view, host, &stat, &text, kept, &err);
        said =
            hv_arena_format(arena,
                            "The sandbox put %s back%s: %.*s may make git run or read something else outside. Ask to "
                            "leave the sandbox (sandbox: false) to set that.",
                            view->path, some ? " in part, and kept the other changes" : "", HV_STR_ARG(names));
    } else if (!keep(view, host, &stat, &text, copy, &err)) {
        said = hv_arena_format(arena, "What was changed in %s could not be kept: %s", view->path, err.message);
    }
    (void)!make_copy(view, hv_buf_str(&text)); /* one that cannot be made is seen as changed again */
    return said;
}

struct hv_str git_views_take(struct git_views *views, const struct hv_host *host, struct hv_arena *arena)
{
    struct hv_str all = {0};
    for (size_t i = 0; i < views->items.count; i++) {
        struct hv_str one = take_one(&views->items.items[i], host, arena);
        if (one.len)
            all = all.len ? hv_arena_format(arena, "%.*s\n%.*s", HV_STR_ARG(all), HV_STR_ARG(one)) : one;
    }
    return all;
}

void git_views_release(struct git_views *views)
{
    for (size_t i = 0; i < views->items.count; i++)
        view_release(&views->items.items[i]);
    vec_release(&views->items);
}

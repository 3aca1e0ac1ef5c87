/* tree.c: see tree.h. */
#include "tools/tree.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "fs/scan_warm.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

enum { PART_AFTER = 2048 }; /* entries: parting costs as much as some ten files */

static struct hv_str find_variable(const char *const *environment, struct hv_str prefix)
{
    for (size_t i = 0; environment && environment[i]; i++) {
        struct hv_str entry = hv_str_from(environment[i]);
        if (hv_str_starts(entry, prefix))
            return hv_str_slice(entry, prefix.len, entry.len);
    }
    return (struct hv_str){0};
}

struct git_person tree_git_person(const struct hv_context *context)
{
    struct hv_str config_home = find_variable(context->environment, HV_STR("XDG_CONFIG_HOME="));
    bool absolute = config_home.len && config_home.ptr[0] == '/';
    return (struct git_person){context->home, absolute ? config_home : (struct hv_str){0}};
}

static const struct hv_state_key warm_key = {
    .name = "directories", .size = sizeof(struct fs_warm), .init = fs_warm_init, .release = fs_warm_release};

struct fs_warm *tree_memory(struct hv_context *context)
{
    return context->only_call ? NULL : hv_state(context, &warm_key);
}

struct fs_scan_options tree_options(const struct search *search)
{
    struct hv_context *context = search->context;
    struct git_person person = tree_git_person(context);
    return (struct fs_scan_options){.root = search->root,
                                    .home = person.home,
                                    .config_home = person.config_home,
                                    .threads = fs_scan_threads(),
                                    .part_after =
                                        context->host->processes == hv_host_local()->processes ? PART_AFTER : 0,
                                    .warm = tree_memory(context),
                                    .deadline_ns = search->deadline_ns,
                                    .cancel = context->cancel};
}

enum hv_code tree_scan(const struct search *search, const struct fs_scan_options *options, fs_scan_visit *visit,
                       void *user, struct fs_scan_outcome *outcome, struct hv_error *err)
{
    struct hv_context *context = search->context;
    const struct hv_host *host = context->host;
    struct fs_scan_options own = *options;
    CLEANUP_FD int fd = -1;
    enum hv_code code = HV_OK;
    if (host->open)
        code = host->open(host, options->root, HV_FILE_DIRECTORY, &fd, NULL, err);
    if (!code && fd > 0)
        code = host->resolve(host, context->arena, options->root, &own.root, err);
    if (code)
        return code;
    own.descriptor = fd > 0 ? fd : 0;
    return fs_scan(&own, visit, user, context->arena, outcome, err);
}

struct hv_str tree_path(const struct search *search, const struct fs_scan_entry *entry, struct hv_buf *path)
{
    hv_buf_clear(path);
    hv_buf_add_str(path, search->root);
    if (!hv_str_is(search->root, "/"))
        hv_buf_add_byte(path, '/');
    hv_buf_add_str(path, entry->path);
    return hv_buf_str(path);
}

bool tree_is_file(const struct fs_scan_entry *entry, int64_t *mtime_ns)
{
    if (entry->kind == HV_FILE_REGULAR) {
        *mtime_ns = 0; /* where names may be listed and nothing more, the time stays unknown */
        return fs_scan_mtime(entry, mtime_ns) || errno == EACCES;
    }
    struct stat status;
    if (entry->kind != HV_FILE_SYMLINK || fstatat(entry->directory, entry->name.ptr, &status, 0) ||
        !S_ISREG(status.st_mode))
        return false;
    *mtime_ns = (int64_t)status.st_mtim.tv_sec * (int64_t)CLOCK_SECOND + status.st_mtim.tv_nsec;
    return true;
}

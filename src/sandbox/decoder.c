/* decoder.c: see decoder.h. */
#include "sandbox/decoder.h"

#include "base/cleanup.h"
#include "module/module.h"
#include "sandbox/filter.h"
#include "sandbox/helper_protocol.h"
#include "sandbox/sandbox_inner.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLAN_TEXT_MAX = 64 * 1024 };

/* Where systems keep programs, libraries and fonts; /nix holds all three where there is one. */
static const char *const system_folders[] = {"/usr",   "/bin",    "/sbin", "/lib", "/lib32",
                                             "/lib64", "/libx32", "/nix",  NULL};
static const char *const system_files[] = {"/etc/ld.so.cache",      "/etc/alternatives",      "/etc/fonts",
                                           "/var/cache/fontconfig", "/run/current-system/sw", NULL};

const char *sandbox_decoder_find(struct hv_arena *arena, const char *name)
{
    static const char *const folders[] = {"/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin", NULL};
    for (size_t i = 0; folders[i]; i++) {
        char resolved[PATH_MAX];
        struct hv_str path = hv_arena_format(arena, "%s/%s", folders[i], name);
        if (access(path.ptr, X_OK) == 0 && realpath(path.ptr, resolved))
            return hv_arena_cstr(arena, hv_str_from(resolved));
    }
    return NULL;
}

/* ---- the plan ------------------------------------------------------------------------------------------- */

static void put_word(struct hv_buf *out, const char *word)
{
    sandbox_put_item(out, HELPER_BWRAP_WORD, hv_str_from(word));
}

static void put_words(struct hv_buf *out, const char *const *words)
{
    for (; *words; words++)
        put_word(out, *words);
}

/* On systems where /lib is a link to /usr/lib, it is one inside, too. */
static void put_folder(struct hv_buf *out, const char *path)
{
    char target[PATH_MAX];
    struct stat status;
    if (lstat(path, &status))
        return;
    ssize_t len = S_ISLNK(status.st_mode) ? readlink(path, target, sizeof target - 1) : -1;
    if (len >= 0)
        target[len] = '\0';
    put_words(out, (const char *const[]){len >= 0 ? "--symlink" : "--ro-bind", len >= 0 ? target : path, path, NULL});
}

static void put_bubblewrap(struct hv_buf *out, enum decoder_way way, const char *helper)
{
    if (way == DECODER_BUBBLEWRAP_USER)
        put_word(out, "--unshare-user");
    put_words(out, sandbox_unshared);
    for (size_t i = 0; system_folders[i]; i++)
        put_folder(out, system_folders[i]);
    for (size_t i = 0; system_files[i]; i++)
        put_words(out, (const char *const[]){"--ro-bind-try", system_files[i], system_files[i], NULL});
    put_words(out, (const char *const[]){"--ro-bind", helper, helper, "--remount-ro", "/", "--chdir", "/", NULL});
}

/* Paths that are not there are left out by the helper. */
static void put_landlock(struct hv_buf *out)
{
    for (size_t i = 0; system_folders[i]; i++)
        sandbox_put_item(out, HELPER_READABLE, hv_str_from(system_folders[i]));
    for (size_t i = 0; system_files[i]; i++)
        sandbox_put_item(out, HELPER_READABLE, hv_str_from(system_files[i]));
    sandbox_put_item(out, HELPER_DEVICE, HV_STR("/dev/null"));
}

static void put_limit(struct hv_buf *out, struct hv_arena *arena, int resource, uint64_t value)
{
    sandbox_put_item(out, HELPER_LIMIT, hv_arena_format(arena, "%d:%llu", resource, (unsigned long long)value));
}

static enum hv_code put_bounds(struct hv_buf *out, struct hv_arena *arena, const struct decoder_place *place,
                               struct hv_error *err)
{
    enum { DESCRIPTORS = 64 };
    struct sandbox_filter_options options = {.no_internet = true};
    struct hv_str filter;
    put_limit(out, arena, RLIMIT_CORE, 0);
    put_limit(out, arena, RLIMIT_FSIZE, 0);
    put_limit(out, arena, RLIMIT_NOFILE, DESCRIPTORS);
    put_limit(out, arena, RLIMIT_CPU, place->cpu_seconds);
    put_limit(out, arena, RLIMIT_AS, place->memory);
    enum hv_code code = sandbox_filter_build(arena, &options, &filter, err);
    if (!code)
        sandbox_put_item(out, HELPER_FILTER, filter);
    return code;
}

static enum hv_code fail_way(struct hv_error *err)
{
    return hv_fail(err, HV_EUNSUPPORTED, "this way of confining a program is not there");
}

enum hv_code sandbox_decoder_argv(struct hv_arena *arena, const struct decoder_place *place, enum decoder_way way,
                                  const char *const *argv, const char *const **out, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf plan = {0};
    char *helper;
    hv_buf_init(&plan, PLAN_TEXT_MAX);
    enum hv_code code = module_find(arena, "helve-sandbox", "src/sandbox/helve-sandbox", &helper, err);
    if (code)
        return code;
    if (way == DECODER_BUBBLEWRAP && geteuid() != 0)
        return fail_way(err);
    if (way == DECODER_LANDLOCK) {
        put_landlock(&plan);
    } else {
        struct hv_str bubblewrap = probe_find_bubblewrap(arena, place->roots, place->root_count);
        if (!bubblewrap.len)
            return fail_way(err);
        sandbox_put_item(&plan, HELPER_BWRAP, bubblewrap);
        put_bubblewrap(&plan, way, helper);
    }
    code = put_bounds(&plan, arena, place, err);
    if (code)
        return code;
    struct sandbox_run run = {.level = way == DECODER_LANDLOCK ? SANDBOX_LEVEL_LANDLOCK : SANDBOX_LEVEL_FULL,
                              .plan_text = hv_arena_str(arena, hv_buf_str(&plan)),
                              .helper = helper};
    *out = sandbox_argv(&run, arena, argv);
    return HV_OK;
}

bool sandbox_decoder_failed(const struct hv_exit *end, struct hv_str errors)
{
    return end->code == HELPER_EXIT_SANDBOX && hv_str_find(errors, HV_STR(HELPER_NAME), 0) != SIZE_MAX;
}

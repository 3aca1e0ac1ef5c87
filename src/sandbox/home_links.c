/* home_links.c: see home_links.h. */
#include "sandbox/home_links.h"

#include "base/path.h"

#include <string.h>

enum place { AT_ROOT = 0, AT_HOME, ANYWHERE };

static const struct name {
    enum place place;
    const char *text;
} names[] = {
#define SECRET(place, pattern, what) {place, pattern},
#include "sandbox/secret_rows.h"
#define PROTECTED(place, pattern, what) {place, pattern},
#include "sandbox/protected_rows.h"
    /* In folders of the list, what people keep elsewhere file by file. */
    {AT_HOME, ".ssh/config"},           {AT_HOME, ".ssh/rc"},
    {AT_HOME, ".ssh/environment"},      {AT_HOME, ".ssh/authorized_keys"},
    {AT_HOME, ".config/git/config"},    {AT_HOME, ".config/fish/config.fish"},
    {AT_HOME, ".config/fish/conf.d"},   {AT_HOME, ".config/fish/functions"},
    {AT_HOME, ".config/nvim/init.lua"}, {AT_HOME, ".config/nvim/init.vim"},
    {AT_HOME, ".config/nvim/lua"},      {AT_HOME, ".config/systemd/user"},
    {AT_HOME, ".emacs.d/init.el"},      {AT_HOME, ".emacs.d/early-init.el"},
    {AT_HOME, ".helve/settings.json"},  {AT_HOME, ".claude/settings.json"},
    {AT_HOME, ".codex/config.toml"},    {AT_HOME, ".gemini/settings.json"},
};
enum { NAME_COUNT = sizeof names / sizeof *names };

enum { ENTRIES_MAX = 1000 };

/* What lies directly in a folder. Most of the names begin with nothing of it, and need no look of their own. */
struct top {
    struct hv_directory_entry *entries;
    size_t count;
    bool is_known; /* that is all */
};

/* The home, and the folder in it that has many of the names; unknown where that is none. */
struct tops {
    struct top home, config;
};
#define CONFIG ".config"

static const struct hv_directory_entry *find_first(const struct top *top, struct hv_str name)
{
    struct hv_str first = hv_str_slice(name, 0, hv_str_find_byte(name, '/', 0));
    for (size_t i = 0; i < top->count; i++)
        if (hv_str_eq(top->entries[i].name, first))
            return &top->entries[i];
    return NULL;
}

static void read_top(const struct hv_host *host, struct hv_arena *arena, struct hv_str home, struct top *top)
{
    bool more = false;
    *top = (struct top){0};
    top->is_known = host->list &&
                    host->list(host, arena, home, ENTRIES_MAX, &top->entries, &top->count, &more, NULL) == HV_OK &&
                    !more;
    if (!top->is_known)
        top->count = 0;
}

/* Where nothing is at path, a link above it may still say where it would come to be. */
static bool may_lead_elsewhere(const struct hv_host *host, const struct hv_directory_entry *first, struct hv_str name,
                               struct hv_str path)
{
    struct hv_file_stat above;
    size_t steps = 1;
    for (size_t at = 0; at < name.len; at++)
        steps += name.ptr[at] == '/';
    if (steps < 3 && first && first->kind == HV_FILE_DIRECTORY)
        return false;
    if (steps == 3 && first && first->kind == HV_FILE_DIRECTORY)
        return host->stat(host, path_parent(path), false, &above, NULL) == HV_OK && above.kind == HV_FILE_SYMLINK;
    return steps > 1;
}

static bool is_below_config(struct hv_str name)
{
    return hv_str_starts(name, HV_STR(CONFIG "/"));
}

static void look_at(const struct hv_host *host, struct hv_arena *arena, const struct tops *tops, struct hv_str home,
                    struct hv_str name, struct home_links *out)
{
    struct home_link *link = &out->items[out->count];
    const struct hv_directory_entry *first = find_first(&tops->home, name);
    struct hv_file_stat found = {0};
    if ((tops->home.is_known && !first) || (tops->config.is_known && is_below_config(name) &&
                                            !find_first(&tops->config, hv_str_slice(name, sizeof CONFIG, name.len))))
        return;
    link->path = path_join(arena, home, name);
    bool there = host->stat(host, link->path, false, &found, NULL) == HV_OK;
    if (!(there || may_lead_elsewhere(host, first, name, link->path)) ||
        host->resolve(host, arena, link->path, &link->target, NULL) != HV_OK)
        return;
    if ((there && found.kind == HV_FILE_REGULAR && found.links > 1) || !hv_str_eq(link->target, link->path))
        out->count++;
}

void home_links_find(const struct hv_host *host, struct hv_arena *arena, struct hv_str home, struct home_links *out)
{
    struct hv_str real;
    struct tops tops = {0};
    *out = (struct home_links){0};
    if (!home.len || host->resolve(host, arena, home, &real, NULL) != HV_OK)
        return;
    read_top(host, arena, real, &tops.home);
    const struct hv_directory_entry *config = find_first(&tops.home, HV_STR(CONFIG));
    if (config && config->kind == HV_FILE_DIRECTORY)
        read_top(host, arena, path_join(arena, real, HV_STR(CONFIG)), &tops.config);
    out->items = hv_arena_array(arena, struct home_link, NAME_COUNT);
    for (size_t i = 0; i < NAME_COUNT; i++)
        if (names[i].place != AT_ROOT && !strchr(names[i].text, '*'))
            look_at(host, arena, &tops, real, hv_str_from(names[i].text), out);
}

static bool is_same_file(const struct hv_host *host, struct hv_str path, const struct hv_file_stat *file)
{
    struct hv_file_stat found;
    return host->stat(host, path, false, &found, NULL) == HV_OK && found.inode == file->inode &&
           found.device == file->device;
}

struct hv_str home_links_name(const struct home_links *links, const struct hv_host *host, struct hv_arena *arena,
                              struct hv_str path)
{
    struct hv_file_stat found = {0};
    if (!links->count || !path.len)
        return (struct hv_str){0};
    for (size_t i = 0; i < links->count; i++) {
        const struct home_link *link = &links->items[i];
        if (path_inside(path, link->target))
            return hv_str_eq(path, link->target) ? link->path
                                                 : path_join(arena, link->path, path_relative(path, link->target));
    }
    bool has_more =
        host->stat(host, path, false, &found, NULL) == HV_OK && found.kind == HV_FILE_REGULAR && found.links > 1;
    for (size_t i = 0; has_more && i < links->count; i++)
        if (is_same_file(host, links->items[i].target, &found))
            return links->items[i].path;
    return (struct hv_str){0};
}

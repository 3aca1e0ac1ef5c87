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

/* A link above a path that does not exist may say where it would come to be. Few homes have one of these names' first
 * steps and not the rest, so that most names cost one look. */
static bool may_lead_elsewhere(const struct hv_host *host, struct hv_arena *arena, struct hv_str home, const char *name,
                               struct hv_str path, struct hv_file_stat *found)
{
    const char *slash = strchr(name, '/');
    struct hv_file_stat first;
    if (host->stat(host, path, false, found, NULL) == HV_OK)
        return true;
    *found = (struct hv_file_stat){0};
    return slash && host->stat(host, path_join(arena, home, hv_str_of(name, (size_t)(slash - name))), false, &first,
                               NULL) == HV_OK;
}

void home_links_find(const struct hv_host *host, struct hv_arena *arena, struct hv_str home, struct home_links *out)
{
    struct hv_str real;
    *out = (struct home_links){0};
    if (!home.len || host->resolve(host, arena, home, &real, NULL) != HV_OK)
        return;
    out->items = hv_arena_array(arena, struct home_link, NAME_COUNT);
    for (size_t i = 0; i < NAME_COUNT; i++) {
        struct hv_str name = hv_str_from(names[i].text);
        struct hv_file_stat found;
        if (names[i].place == AT_ROOT || hv_str_find_byte(name, '*', 0) != SIZE_MAX)
            continue;
        struct home_link link = {.path = path_join(arena, real, name)};
        if (!may_lead_elsewhere(host, arena, real, names[i].text, link.path, &found) ||
            host->resolve(host, arena, link.path, &link.target, NULL) != HV_OK)
            continue;
        bool has_more = found.kind == HV_FILE_REGULAR && found.links > 1;
        link.device = has_more ? found.device : 0;
        link.inode = has_more ? found.inode : 0;
        if (has_more || !hv_str_eq(link.target, link.path))
            out->items[out->count++] = link;
    }
}

struct hv_str home_links_name(const struct home_links *links, const struct hv_host *host, struct hv_arena *arena,
                              struct hv_str path)
{
    struct hv_file_stat found = {0};
    if (!links->count || !path.len)
        return (struct hv_str){0};
    bool has_more = host->stat(host, path, false, &found, NULL) == HV_OK && found.kind == HV_FILE_REGULAR;
    for (size_t i = 0; i < links->count; i++) {
        const struct home_link *link = &links->items[i];
        if (path_inside(path, link->target))
            return hv_str_eq(path, link->target) ? link->path
                                                 : path_join(arena, link->path, path_relative(path, link->target));
        if (has_more && link->inode && link->inode == found.inode && link->device == found.device)
            return link->path;
    }
    return (struct hv_str){0};
}

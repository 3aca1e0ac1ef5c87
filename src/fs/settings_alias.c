/* settings_alias.c: see settings_alias.h. */
#include "fs/settings_alias.h"

#include <string.h>

const char *const settings_files_in_projects[] = {".helve/settings.json",
                                                  ".helve/settings.local.json",
                                                  ".claude/settings.json",
                                                  ".claude/settings.local.json",
                                                  ".mcp.json",
                                                  NULL};

static const struct {
    const char *variable, *below; /* in what directory, by the environment; NULL: in the person's home */
} of_person[] = {{"HELVE_HOME", "settings.json"},
                 {"XDG_CONFIG_HOME", "helve/settings.json"},
                 {NULL, ".config/helve/settings.json"},
                 {NULL, ".claude/settings.json"}};

struct search {
    const struct hv_host *host;
    struct hv_arena *arena;
    struct hv_file_stat wanted;
    struct hv_str found;
};

static bool try_path(struct search *search, struct hv_str directory, const char *below)
{
    struct hv_file_stat stat;
    if (!directory.len)
        return false;
    struct hv_str path = hv_arena_format(search->arena, "%.*s%s%s", HV_STR_ARG(directory),
                                         hv_str_ends(directory, HV_STR("/")) ? "" : "/", below);
    if (search->host->stat(search->host, path, true, &stat, NULL) != HV_OK || stat.inode != search->wanted.inode ||
        stat.device != search->wanted.device)
        return false;
    search->found = path;
    return true;
}

/* In directory, and in each that it lies in. */
static bool try_projects(struct search *search, struct hv_str directory)
{
    while (directory.len) {
        for (size_t i = 0; settings_files_in_projects[i]; i++)
            if (try_path(search, directory, settings_files_in_projects[i]))
                return true;
        size_t slash = hv_str_rfind_byte(directory, '/');
        if (slash == SIZE_MAX || directory.len == 1)
            return false;
        directory.len = slash ? slash : 1;
    }
    return false;
}

static struct hv_str variable(const char *const *environment, const char *name)
{
    size_t len = strlen(name);
    for (; environment && *environment; environment++)
        if (strncmp(*environment, name, len) == 0 && (*environment)[len] == '=')
            return hv_str_from(*environment + len + 1);
    return (struct hv_str){0};
}

struct hv_str fs_settings_alias(const struct hv_host *host, struct hv_arena *arena,
                                const struct settings_places *places, struct hv_str path)
{
    struct search search = {.host = host, .arena = arena};
    if (host->stat(host, path, true, &search.wanted, NULL) != HV_OK || search.wanted.kind != HV_FILE_REGULAR)
        return search.found;
    if (try_projects(&search, places->directory) || try_path(&search, HV_STR("/etc/helve"), "settings.json"))
        return search.found;
    for (size_t i = 0; i < sizeof of_person / sizeof *of_person && !search.found.len; i++) {
        const char *name = of_person[i].variable;
        (void)try_path(&search, name ? variable(places->environment, name) : places->home, of_person[i].below);
    }
    return search.found;
}

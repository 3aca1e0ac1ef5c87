/* locations.c: where settings stand. See loader.h. */
#include "base/path.h"
#include "config/loader.h"

enum { CLIMB_MAX = 256 };

static struct hv_str join(struct hv_arena *arena, struct hv_str directory, const char *name)
{
    return path_expand(arena, hv_str_from(name), directory, (struct hv_str){0});
}

static struct hv_str below(struct hv_arena *arena, struct hv_str given, struct hv_str home, const char *fallback)
{
    return join(arena, given.len ? given : join(arena, home, fallback), "helve");
}

/* Where the user's files stand: pure. */
static void locations_of_user(const struct settings_options *options, struct hv_arena *arena, struct locations *out)
{
    *out = (struct locations){0};
    struct hv_str home = options->home.len ? options->home : HV_STR("/");
    if (options->helve_home.len) {
        out->user_directory = out->state_directory = join(arena, options->helve_home, ".");
        return;
    }
    out->user_directory = below(arena, options->config_home, home, ".config");
    out->state_directory = below(arena, options->state_home, home, ".local/state");
}

/* kind HV_FILE_UNKNOWN takes anything. */
static bool exists(const struct hv_host *host, struct hv_arena *arena, struct hv_str directory, const char *name,
                   enum hv_file_kind kind)
{
    struct hv_file_stat found;
    struct hv_str path = join(arena, directory, name);
    return host->stat(host, path, true, &found, NULL) == HV_OK && (kind == HV_FILE_UNKNOWN || found.kind == kind);
}

/* Does a project begin here? `.git` is a file in work trees of git. */
static bool is_top(const struct hv_host *host, struct hv_arena *arena, struct hv_str directory, struct locations *out)
{
    out->has_helve = exists(host, arena, directory, ".helve", HV_FILE_DIRECTORY);
    out->has_claude = exists(host, arena, directory, ".claude", HV_FILE_DIRECTORY);
    return out->has_helve || out->has_claude || exists(host, arena, directory, ".git", HV_FILE_UNKNOWN);
}

/* The same directory, also when the home is known by a link and the directory by its real path. */
static bool is_home(const struct hv_host *host, struct hv_str directory, struct hv_str home)
{
    struct hv_file_stat a, b;
    if (hv_str_eq(directory, home))
        return true;
    return !path_inside(directory, home) && host->stat(host, home, true, &a, NULL) == HV_OK &&
           host->stat(host, directory, true, &b, NULL) == HV_OK && a.inode == b.inode && a.device == b.device;
}

/* The nearest top from start up; start itself when there is none. */
static struct hv_str find_project(const struct hv_host *host, struct hv_arena *arena, struct hv_str start,
                                  struct hv_str home, struct locations *out)
{
    struct hv_str directory = start;
    for (int i = 0; i < CLIMB_MAX; i++) {
        out->is_home = is_home(host, directory, home);
        /* The home is nobody's project on the way up: what stands there is the person's own. */
        if (i && (out->is_home || hv_str_is(directory, "/")))
            break;
        if (is_top(host, arena, directory, out))
            return directory;
        directory = path_parent(directory);
    }
    out->is_home = is_home(host, start, home);
    out->has_helve = out->has_claude = false;
    return start;
}

void locations_find(const struct settings_options *options, struct hv_arena *arena, struct locations *out)
{
    locations_of_user(options, arena, out);
    struct hv_str start = join(arena, options->directory.len ? options->directory : HV_STR("/"), ".");
    struct hv_str home = join(arena, options->home.len ? options->home : HV_STR("/"), ".");
    out->project = hv_arena_str(arena, find_project(options->host, arena, start, home, out));
    out->project_has_settings = out->has_helve || (out->has_claude && !out->is_home) ||
                                exists(options->host, arena, out->project, ".mcp.json", HV_FILE_UNKNOWN);
}

struct hv_str locations_file(const struct settings_options *options, const struct locations *locations,
                             struct hv_arena *arena, enum settings_scope scope)
{
    switch (scope) {
    case SETTINGS_MANAGED:
        return options->managed_file.len ? hv_arena_str(arena, options->managed_file)
                                         : HV_STR("/etc/helve/settings.json");
    case SETTINGS_LOCAL: return join(arena, locations->project, ".helve/settings.local.json");
    case SETTINGS_PROJECT: return join(arena, locations->project, ".helve/settings.json");
    case SETTINGS_USER: return join(arena, locations->user_directory, "settings.json");
    case SETTINGS_CLAUDE_LOCAL: return join(arena, locations->project, ".claude/settings.local.json");
    case SETTINGS_CLAUDE_PROJECT: return join(arena, locations->project, ".claude/settings.json");
    case SETTINGS_CLAUDE_USER: return join(arena, options->home, ".claude/settings.json");
    case SETTINGS_COMMAND_LINE:
    case SETTINGS_SCOPE_COUNT: break;
    }
    return (struct hv_str){0};
}

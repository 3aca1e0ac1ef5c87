/*
 * settings.c: the snapshot: reading all sources in the order of their strength, merging, and looking things up. What a
 * file may hold is in keys.c and the files it names; see loader.h for how they work together.
 */
#include "config/settings.h"

#include "base/map.h"
#include "base/path.h"
#include "base/utf8.h"
#include "config/loader.h"

#include <stdatomic.h>
#include <string.h>

/* ---- one source ----------------------------------------------------------------------------------------------- */

static struct hv_str root_of(const struct loader *loader, enum settings_scope scope, struct hv_str file)
{
    if (scope_is_project(scope))
        return loader->locations.project;
    return file.len ? path_parent(file) : loader->options->directory;
}

static bool read_number(struct hv_str *rest, uint32_t *out)
{
    struct hv_str part;
    int64_t number;
    if (!hv_str_split(rest, ':', &part) || !hv_str_to_int64(part, &number) || number < 1 || number > UINT32_MAX)
        return false;
    *out = (uint32_t)number;
    return true;
}

/* A file that does not parse, or cannot be read: what can be recognised denies, and the person is told. */
static void add_broken(struct loader *loader, struct source *source, const struct hv_error *err)
{
    size_t found = recover_rules(loader, source, 0, source->text.len);
    struct settings_place place = {.scope = source->scope, .file = source->file};
    struct hv_str where = hv_str_from(err->place);
    if (!read_number(&where, &place.line) || !read_number(&where, &place.column))
        place.line = place.column = 0;
    struct hv_str counted =
        found ? hv_arena_format(loader->arena, "; %zu %s recognised in it, which now %s", found,
                                found == 1 ? "rule was" : "rules were", found == 1 ? "denies" : "deny")
              : HV_STR("");
    struct hv_str message =
        hv_arena_format(loader->arena, "these settings cannot be read: %s%.*s", err->message, HV_STR_ARG(counted));
    struct hv_str hint =
        err->hint[0] ? hv_str_from(err->hint) : HV_STR("mend the file: until then nothing else in it counts");
    loader_problem(loader, SETTINGS_BROKEN, place, message, hint);
}

static void add_left_out(struct loader *loader, struct source *source)
{
    if (!source->left_out.len)
        return;
    struct hv_str names = text_shown(loader->arena, hv_buf_str(&source->left_out));
    const char *more = source->left_out.failed ? ", …" : "";
    loader_problem(loader, SETTINGS_NOTICE, source_place_of(source, NULL),
                   hv_arena_format(loader->arena, "%s, so only what denies or asks counts; left out: %.*s%s",
                                   loader->settings->trust_changed
                                       ? "this folder's settings changed since it was trusted"
                                       : "this folder is not trusted yet",
                                   HV_STR_ARG(names), more),
                   loader->settings->trust_changed
                       ? HV_STR("look at the change (helve trust --check), then trust it: helve trust")
                       : HV_STR("look at the file, then trust the folder (helve trust) or start with --trust"));
}

static void add_source(struct loader *loader, struct source *source)
{
    keys_read(loader, source);
    add_left_out(loader, source);
    hv_buf_release(&source->left_out);
    if (!source->untrusted)
        *vec_push(&loader->sources) = *source;
}

static bool is_left_out(const struct loader *loader, enum settings_scope scope, struct hv_str file)
{
    const struct locations *locations = &loader->locations;
    if (!scope_is_project(scope))
        return loader->options->without_user && (scope == SETTINGS_USER || scope == SETTINGS_CLAUDE_USER);
    bool exists = scope_is_claude(scope) ? locations->has_claude : locations->has_helve;
    /* Started at home, or with the person's settings in the project: these are no project's. */
    return loader->options->without_project || !exists || (locations->is_home && scope == SETTINGS_CLAUDE_PROJECT) ||
           hv_str_eq(file, locations_file(loader->options, locations, loader->arena, SETTINGS_USER));
}

static void load_file(struct loader *loader, enum settings_scope scope)
{
    struct hv_str file = locations_file(loader->options, &loader->locations, loader->arena, scope);
    if (is_left_out(loader, scope, file))
        return;
    struct source source = {
        .scope = scope,
        .file = file,
        .root = root_of(loader, scope, file),
        .untrusted = scope_is_project(scope) && loader->settings->trust == SETTINGS_UNTRUSTED,
    };
    struct hv_error err = {0};
    enum hv_code code = source_read(loader->options->host, loader->arena, &source, &err);
    if (code == HV_OK)
        add_source(loader, &source);
    else if (code != HV_ENOTFOUND)
        add_broken(loader, &source, &err);
}

/* ---- the command line ----------------------------------------------------------------------------------------- */

static void add_flag_rules(struct loader *loader)
{
    for (size_t i = 0; i < loader->options->flag_rule_count; i++) {
        const struct settings_flag_rule *rule = &loader->options->flag_rules[i];
        *vec_push(&loader->rules) = (struct settings_rule){
            .verdict = rule->verdict,
            .text = hv_arena_str(loader->arena, rule->text),
            .root = hv_arena_str(loader->arena, loader->options->directory),
            .place = {.scope = SETTINGS_COMMAND_LINE},
        };
    }
}

static enum hv_code load_flag(struct loader *loader, struct hv_error *err)
{
    const struct settings_options *options = loader->options;
    if (!options->flag.ptr)
        return HV_OK;
    struct source source = {.scope = SETTINGS_COMMAND_LINE};
    enum hv_code code;
    struct hv_error why = {0};
    if (hv_str_starts(hv_str_trim(options->flag), HV_STR("{"))) {
        source.text = hv_arena_str(loader->arena, options->flag);
        source.root = hv_arena_str(loader->arena, options->directory);
        code = source_parse(loader->arena, &source, &why);
    } else {
        source.file = path_expand(loader->arena, options->flag, options->directory, options->home);
        source.root = path_parent(source.file);
        code = source_read(options->host, loader->arena, &source, &why);
    }
    if (code == HV_OK) {
        add_source(loader, &source);
        return HV_OK;
    }
    hv_error_prefix(&why, "--settings: ");
    if (source.file.len && why.place[0]) {
        struct hv_str place = hv_arena_str(loader->arena, hv_str_from(why.place));
        hv_error_place(&why, "%.*s:%.*s", HV_STR_ARG(source.file), HV_STR_ARG(place));
    }
    if (!why.hint[0])
        hv_error_hint(&why, "--settings takes a file or a JSON object");
    if (err)
        *err = why;
    return code;
}

/* ---- merging -------------------------------------------------------------------------------------------------- */

static void *moved(struct hv_arena *arena, const void *items, size_t count, size_t size)
{
    if (!count)
        return NULL;
    void *copy = hv_arena_zalloc(arena, count, size);
    memcpy(copy, items, count * size);
    return copy;
}

/*
 * Of things with the same name, the one of the strongest source, there the last: returns where to put the next one
 * (*count when it is new), or SIZE_MAX when it does not count. seen remembers indices + 1.
 */
static size_t merge_index(struct map *seen, struct hv_str name, enum settings_scope scope, enum settings_scope there,
                          size_t known, size_t *count)
{
    if (known)
        return scope == there ? known - 1 : SIZE_MAX;
    map_set(seen, name, (void *)(uintptr_t)(*count + 1));
    return (*count)++;
}

static void merge_variables(struct loader *loader)
{
    struct map seen = {0};
    size_t count = 0;
    struct settings_variable *items = loader->variables.items;
    for (size_t i = 0; i < loader->variables.count; i++) {
        size_t known = (size_t)(uintptr_t)map_get(&seen, items[i].name);
        enum settings_scope there = known ? items[known - 1].place.scope : SETTINGS_MANAGED;
        size_t at = merge_index(&seen, items[i].name, items[i].place.scope, there, known, &count);
        if (at != SIZE_MAX)
            items[at] = items[i];
    }
    map_release(&seen);
    loader->settings->env = moved(loader->arena, items, count, sizeof *items);
    loader->settings->env_count = count;
}

static void merge_providers(struct loader *loader)
{
    struct map seen = {0};
    size_t count = 0;
    struct settings_provider *items = loader->providers.items;
    for (size_t i = 0; i < loader->providers.count; i++) {
        size_t known = (size_t)(uintptr_t)map_get(&seen, items[i].name);
        enum settings_scope there = known ? items[known - 1].place.scope : SETTINGS_MANAGED;
        size_t at = merge_index(&seen, items[i].name, items[i].place.scope, there, known, &count);
        if (at != SIZE_MAX)
            items[at] = items[i];
    }
    map_release(&seen);
    loader->settings->providers = moved(loader->arena, items, count, sizeof *items);
    loader->settings->provider_count = count;
}

/* Nobody below turns off what the managed settings run. */
static void merge_hooks(struct loader *loader)
{
    struct settings_hook *items = loader->hooks.items;
    bool managed = loader->hooks.count && items[0].place.scope == SETTINGS_MANAGED;
    bool off = loader->hooks_off_by != SETTINGS_SCOPE_COUNT;
    bool only_managed = off && managed && loader->hooks_off_by != SETTINGS_MANAGED;
    loader->settings->hooks_disabled = off && !only_managed;
    size_t count = 0;
    for (size_t i = 0; i < loader->hooks.count; i++) {
        enum settings_scope scope = items[i].place.scope;
        if ((scope_is_claude(scope) && loader->claude_hooks_off) || (only_managed && scope != SETTINGS_MANAGED))
            continue;
        items[count++] = items[i];
    }
    loader->settings->hooks = moved(loader->arena, items, count, sizeof *items);
    loader->settings->hook_count = count;
}

static void finish(struct loader *loader, struct snapshot *snapshot)
{
    struct settings *settings = loader->settings;
    merge_variables(loader);
    merge_providers(loader);
    merge_hooks(loader);
    if (loader->problems_left_out)
        *vec_push(&loader->problems) = (struct settings_problem){
            .kind = SETTINGS_WARNING,
            .message = hv_arena_format(loader->arena, "%zu more problems are not shown", loader->problems_left_out),
            .place = {.scope = SETTINGS_SCOPE_COUNT},
        };
    settings->rules = moved(loader->arena, loader->rules.items, loader->rules.count, sizeof *loader->rules.items);
    settings->rule_count = loader->rules.count;
    settings->directories =
        moved(loader->arena, loader->directories.items, loader->directories.count, sizeof *loader->directories.items);
    settings->directory_count = loader->directories.count;
    settings->problems =
        moved(loader->arena, loader->problems.items, loader->problems.count, sizeof *loader->problems.items);
    settings->problem_count = loader->problems.count;
    snapshot->sources =
        moved(loader->arena, loader->sources.items, loader->sources.count, sizeof *loader->sources.items);
    snapshot->source_count = loader->sources.count;
}

/* ---- loading -------------------------------------------------------------------------------------------------- */

static void loader_init(struct loader *loader, const struct settings_options *options, struct snapshot *snapshot)
{
    *loader = (struct loader){
        .options = options,
        .settings = &snapshot->open,
        .arena = &snapshot->arena,
        .mode_set_by = SETTINGS_SCOPE_COUNT,
        .hooks_off_by = SETTINGS_SCOPE_COUNT,
        .search_set_by = SETTINGS_SCOPE_COUNT,
        .status_set_by = SETTINGS_SCOPE_COUNT,
    };
    for (size_t i = 0; i < SETTINGS_KEYS_MAX; i++)
        loader->set_by[i] = SETTINGS_SCOPE_COUNT;
    struct settings *settings = &snapshot->open;
    settings->cleanup_period_days = -1;
    settings->checkpoint_megabytes = SETTINGS_CHECKPOINT_MEGABYTES;
    settings->checkpoint_file_megabytes = SETTINGS_CHECKPOINT_FILE_MEGABYTES;
    locations_find(options, loader->arena, &loader->locations);
    settings->project = loader->locations.project;
    settings->user_directory = loader->locations.user_directory;
    settings->state_directory = loader->locations.state_directory;
    settings->trust = trust_of(options, &loader->locations, &settings->trust_changed);
}

static void loader_release(struct loader *loader)
{
    vec_release(&loader->sources);
    vec_release(&loader->rules);
    vec_release(&loader->directories);
    vec_release(&loader->hooks);
    vec_release(&loader->variables);
    vec_release(&loader->providers);
    vec_release(&loader->problems);
}

enum hv_code settings_load(const struct settings_options *options, struct settings **out, struct hv_error *err)
{
    if (!options->host || !options->directory.len || options->directory.ptr[0] != '/')
        return hv_fail(err, HV_EINVAL, "settings need a host and an absolute working directory");
    struct snapshot *snapshot = hv_calloc(1, sizeof *snapshot);
    atomic_init(&snapshot->references, 1);
    struct loader loader;
    loader_init(&loader, options, snapshot);
    load_file(&loader, SETTINGS_MANAGED);
    add_flag_rules(&loader);
    enum hv_code code = load_flag(&loader, err);
    for (enum settings_scope scope = SETTINGS_LOCAL; code == HV_OK && scope < SETTINGS_SCOPE_COUNT; scope++)
        load_file(&loader, scope);
    if (code == HV_OK) {
        finish(&loader, snapshot);
        *out = &snapshot->open;
    } else {
        settings_unref(&snapshot->open);
    }
    loader_release(&loader);
    return code;
}

struct settings *settings_ref(const struct settings *settings)
{
    struct snapshot *snapshot = (struct snapshot *)settings;
    if (snapshot)
        atomic_fetch_add_explicit(&snapshot->references, 1, memory_order_relaxed);
    return (struct settings *)snapshot;
}

void settings_unref(struct settings *settings)
{
    struct snapshot *snapshot = (struct snapshot *)settings;
    if (!snapshot || atomic_fetch_sub_explicit(&snapshot->references, 1, memory_order_acq_rel) != 1)
        return;
    hv_arena_release(&snapshot->arena);
    free(snapshot);
}

/* ---- looking up ----------------------------------------------------------------------------------------------- */

const struct hv_json *settings_get(const struct settings *settings, const char *key)
{
    const struct snapshot *snapshot = (const struct snapshot *)settings;
    for (size_t i = 0; i < snapshot->source_count; i++) {
        struct hv_str rest = hv_str_from(key), part;
        const struct hv_json *value = snapshot->sources[i].json;
        if (!hv_str_split(&rest, '.', &part) || !keys_takes(snapshot->sources[i].scope, part))
            continue;
        do
            value = hv_json_get_str(value, part);
        while (value && hv_str_split(&rest, '.', &part));
        if (value)
            return value;
    }
    return NULL;
}

struct hv_str settings_env(const struct settings *settings, struct hv_str name)
{
    for (size_t i = 0; i < settings->env_count; i++)
        if (hv_str_eq(settings->env[i].name, name))
            return settings->env[i].value;
    return (struct hv_str){0};
}

const struct settings_provider *settings_provider(const struct settings *settings, struct hv_str name)
{
    for (size_t i = 0; i < settings->provider_count; i++)
        if (hv_str_eq(settings->providers[i].name, name))
            return &settings->providers[i];
    return NULL;
}

const char *settings_scope_name(enum settings_scope scope)
{
    static const char *const names[SETTINGS_SCOPE_COUNT] = {
        [SETTINGS_MANAGED] = "managed",
        [SETTINGS_COMMAND_LINE] = "command line",
        [SETTINGS_LOCAL] = "project-local",
        [SETTINGS_PROJECT] = "project",
        [SETTINGS_USER] = "user",
        [SETTINGS_CLAUDE_LOCAL] = "project-local (.claude)",
        [SETTINGS_CLAUDE_PROJECT] = "project (.claude)",
        [SETTINGS_CLAUDE_USER] = "user (.claude)",
    };
    return (unsigned)scope < SETTINGS_SCOPE_COUNT ? names[scope] : "settings";
}

void settings_problem_write(const struct settings_problem *problem, struct hv_buf *out)
{
    if (problem->place.file.len)
        utf8_repair(out, problem->place.file);
    else
        hv_buf_add_cstr(out, settings_scope_name(problem->place.scope));
    if (problem->place.line)
        hv_buf_addf(out, ":%u:%u", problem->place.line, problem->place.column);
    hv_buf_add_cstr(out, ": ");
    hv_buf_add_str(out, problem->message);
    if (problem->hint.len)
        hv_buf_addf(out, " (%.*s)", HV_STR_ARG(problem->hint));
}

struct hv_str settings_file(const struct settings_options *options, struct hv_arena *arena, enum settings_scope scope)
{
    struct locations locations;
    if (scope != SETTINGS_LOCAL && scope != SETTINGS_PROJECT && scope != SETTINGS_USER)
        return (struct hv_str){0};
    locations_find(options, arena, &locations);
    return locations_file(options, &locations, arena, scope);
}

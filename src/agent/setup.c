/* setup.c: see setup.h. The choice of the model is in setup_model.c. */
#include "agent/setup.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <unistd.h>

struct hv_str setup_variable(const struct setup *setup, const char *name)
{
    const char *value = getenv(name);
    if (value && value[0])
        return hv_str_from(value);
    struct hv_str set = setup->settings ? settings_env(setup->settings, hv_str_from(name)) : (struct hv_str){0};
    return set.len > 0 ? set : (struct hv_str){0};
}

static struct hv_str absolute_variable(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] == '/' ? hv_str_from(value) : (struct hv_str){0};
}

static struct hv_str find_home(struct hv_arena *arena)
{
    struct hv_str home = absolute_variable("HOME");
    if (home.ptr)
        return path_expand(arena, home, HV_STR("/"), HV_STR("/"));
    const struct passwd *user = getpwuid(getuid());
    return hv_arena_str(arena, hv_str_from(user && user->pw_dir && user->pw_dir[0] == '/' ? user->pw_dir : "/"));
}

static enum hv_code find_directory(struct setup *setup, struct hv_str wanted, struct hv_error *err)
{
    if (wanted.ptr && chdir(hv_arena_cstr(&setup->arena, wanted)) != 0)
        return hv_fail_errno(err, errno, "cannot change into %.*s", HV_STR_ARG(wanted));
    char *now = getcwd(NULL, 0);
    if (!now) {
        hv_fail_errno(err, errno, "the working directory cannot be found (was it deleted?)");
        hv_error_hint(err, "change into an existing directory, or use --cwd DIR");
        return hv_code_from_errno(errno);
    }
    setup->directory = hv_arena_str(&setup->arena, hv_str_from(now));
    free(now);
    return HV_OK;
}

static enum hv_code find_roots(struct setup *setup, const struct setup_options *options, struct hv_error *err)
{
    setup->roots = hv_arena_array(&setup->arena, struct hv_str, options->directory_count + 1);
    setup->roots[setup->root_count++] = setup->directory;
    for (size_t i = 0; i < options->directory_count; i++) {
        struct hv_str path = path_expand(&setup->arena, options->directories[i], setup->directory, setup->home);
        struct hv_file_stat stat;
        enum hv_code code = setup->host->stat(setup->host, path, true, &stat, err);
        if (code == HV_OK && stat.kind != HV_FILE_DIRECTORY)
            code = hv_fail(err, HV_EINVAL, "%.*s is not a directory", HV_STR_ARG(path));
        if (code != HV_OK) {
            hv_error_prefix(err, "--add-dir: ");
            return code;
        }
        setup->roots[setup->root_count++] = path;
    }
    return HV_OK;
}

/* permissions.additionalDirectories are roots as those of the command line are: for the tools as for the sandbox. One
 * that is not there now is none; the settings may be those of several machines. */
static void add_settings_roots(struct setup *setup)
{
    const struct settings *settings = setup->settings;
    struct hv_str *roots = hv_arena_array(&setup->arena, struct hv_str, setup->root_count + settings->directory_count);
    for (size_t i = 0; i < setup->root_count; i++)
        roots[i] = setup->roots[i];
    setup->roots = roots;
    for (size_t i = 0; i < settings->directory_count; i++) {
        struct hv_str path = hv_arena_str(&setup->arena, settings->directories[i].path);
        struct hv_file_stat stat;
        bool known = setup->host->stat(setup->host, path, true, &stat, NULL) != HV_OK || stat.kind != HV_FILE_DIRECTORY;
        for (size_t j = 0; j < setup->root_count && !known; j++)
            known = hv_str_eq(setup->roots[j], path);
        if (!known)
            setup->roots[setup->root_count++] = path;
    }
}

static struct settings_flag_rule *flag_rules(struct setup *setup, const struct setup_options *options)
{
    size_t count = options->allowed_tool_count + options->denied_tool_count;
    struct settings_flag_rule *rules = hv_arena_array(&setup->arena, struct settings_flag_rule, count);
    size_t at = 0;
    for (size_t i = 0; i < options->denied_tool_count; i++)
        rules[at++] = (struct settings_flag_rule){.verdict = HV_DENY, .text = options->denied_tools[i]};
    for (size_t i = 0; i < options->allowed_tool_count; i++)
        rules[at++] = (struct settings_flag_rule){.verdict = HV_ALLOW, .text = options->allowed_tools[i]};
    return rules;
}

static bool names_source(struct hv_str list, const char *name)
{
    struct hv_str part;
    while (hv_str_split(&list, ',', &part))
        if (hv_str_is(hv_str_trim(part), name))
            return true;
    return false;
}

enum hv_code setup_open(struct setup *setup, const struct setup_options *options, struct hv_error *err)
{
    setup->host = hv_host_local();
    setup->home = find_home(&setup->arena);
    enum hv_code code = find_directory(setup, options->directory, err);
    if (code != HV_OK)
        return code;
    code = find_roots(setup, options, err);
    if (code != HV_OK)
        return code;
    bool chosen = options->setting_sources.ptr != NULL;
    setup->settings_options = (struct settings_options){
        .host = setup->host,
        .directory = setup->directory,
        .home = setup->home,
        .helve_home = absolute_variable("HELVE_HOME"),
        .config_home = absolute_variable("XDG_CONFIG_HOME"),
        .state_home = absolute_variable("XDG_STATE_HOME"),
        .flag = options->settings,
        .flag_rules = flag_rules(setup, options),
        .flag_rule_count = options->allowed_tool_count + options->denied_tool_count,
        .trust_this_run = options->trust,
        .without_project = chosen && !names_source(options->setting_sources, "project") &&
                           !names_source(options->setting_sources, "local"),
        .without_user = chosen && !names_source(options->setting_sources, "user"),
    };
    code = settings_load(&setup->settings_options, &setup->settings, err);
    if (code == HV_OK)
        add_settings_roots(setup);
    return code;
}

size_t setup_run_directories(struct setup *setup, struct hv_str out[SETUP_RUN_DIRECTORIES])
{
    struct hv_arena *arena = &setup->arena;
    struct hv_str runtime = absolute_variable("XDG_RUNTIME_DIR");
    size_t count = 0;
    if (!absolute_variable("HELVE_HOME").ptr) {
        if (runtime.ptr)
            out[count++] = hv_arena_format(arena, "%.*s/helve", HV_STR_ARG(runtime));
        out[count++] = hv_arena_format(arena, "/run/user/%u/helve", (unsigned)geteuid());
    }
    out[count++] = hv_arena_format(arena, "%.*s/run", HV_STR_ARG(setup->settings->state_directory));
    return count;
}

struct hv_str setup_run_directory(struct setup *setup)
{
    struct hv_str candidates[SETUP_RUN_DIRECTORIES];
    size_t count = setup_run_directories(setup, candidates), at = 0;
    while (at + 1 < count) {
        struct hv_str parent = hv_str_slice(candidates[at], 0, hv_str_rfind_byte(candidates[at], '/'));
        if (access(hv_arena_cstr(&setup->arena, parent), W_OK) == 0)
            break;
        at++;
    }
    return candidates[at];
}

enum hv_code setup_loop(struct setup *setup, struct hv_error *err)
{
    return setup->loop ? HV_OK : loop_new(&setup->loop, err);
}

void setup_put_problems(const struct setup *setup, struct hv_buf *out)
{
    for (size_t i = 0; setup->settings && i < setup->settings->problem_count; i++) {
        settings_problem_write(&setup->settings->problems[i], out);
        hv_buf_add_byte(out, '\n');
    }
}

void setup_release(struct setup *setup)
{
    model_free(setup->model);
    model_free(setup->small_model);
    loop_free(setup->loop);
    settings_unref(setup->settings);
    hv_arena_release(&setup->arena);
    *setup = (struct setup){0};
}

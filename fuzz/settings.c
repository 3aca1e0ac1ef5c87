/*
 * settings.c: any bytes as a settings file: of the person, of a project that nobody trusts, of `.claude`. Checks what
 * must hold whatever stands in it: loading succeeds, a broken file and an untrusted project loosen nothing, problems
 * are told in UTF-8, and saving a rule only inserts, or leaves the file alone. Files live in memory.
 */
#include "config/settings.h"
#include "base/utf8.h"

#include <helve/host.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            abort();                                                                                                   \
    } while (0)

/* The machine: one file, at a path of choice, and the directories that are asked for. */
struct machine {
    struct hv_str path, bytes;
    struct hv_buf written;
    bool has_written;
};

static enum hv_code machine_stat(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                                 struct hv_error *err)
{
    (void)follow;
    const struct machine *machine = host->data;
    bool holds_file =
        hv_str_starts(machine->path, path) && path.len < machine->path.len && machine->path.ptr[path.len] == '/';
    if (!holds_file && !hv_str_eq(path, machine->path))
        return hv_fail(err, HV_ENOTFOUND, "no such file");
    *out = (struct hv_file_stat){.kind = holds_file ? HV_FILE_DIRECTORY : HV_FILE_REGULAR};
    return HV_OK;
}

static enum hv_code machine_resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str path,
                                    struct hv_str *out, struct hv_error *err)
{
    (void)host, (void)err;
    *out = hv_arena_str(arena, path);
    return HV_OK;
}

static enum hv_code machine_read(const struct hv_host *host, struct hv_str path, uint64_t offset, size_t limit,
                                 struct hv_buf *buf, struct hv_file_stat *stat, struct hv_error *err)
{
    const struct machine *machine = host->data;
    if (!hv_str_eq(path, machine->path))
        return hv_fail(err, HV_ENOTFOUND, "no such file");
    struct hv_str part = hv_str_slice(machine->bytes, offset, offset + limit);
    hv_buf_add_str(buf, part);
    if (buf->failed)
        return hv_fail(err, HV_ETOOBIG, "too large");
    if (stat)
        *stat = (struct hv_file_stat){.kind = HV_FILE_REGULAR, .size = machine->bytes.len};
    return HV_OK;
}

static enum hv_code machine_write(const struct hv_host *host, struct hv_str path, struct hv_str bytes,
                                  const struct hv_write_options *options, struct hv_file_stat *after,
                                  struct hv_error *err)
{
    (void)after, (void)err;
    struct machine *machine = host->data;
    CHECK(hv_str_eq(path, machine->path) && options->expected);
    hv_buf_clear(&machine->written);
    hv_buf_add_str(&machine->written, bytes);
    machine->has_written = true;
    return HV_OK;
}

static struct settings *load(const struct settings_options *options)
{
    struct settings *settings = NULL;
    CHECK(settings_load(options, &settings, NULL) == HV_OK);
    return settings;
}

/* ---- what always holds ---------------------------------------------------------------------------------------- */

static bool is_broken(const struct settings *settings)
{
    for (size_t i = 0; i < settings->problem_count; i++)
        if (settings->problems[i].kind == SETTINGS_BROKEN)
            return true;
    return false;
}

static void check_problems(const struct settings *settings)
{
    struct hv_buf text;
    hv_buf_init(&text, 1 << 20);
    for (size_t i = 0; i < settings->problem_count; i++)
        settings_problem_write(&settings->problems[i], &text);
    CHECK(!text.failed && utf8_valid(hv_buf_str(&text)));
    hv_buf_release(&text);
}

static void check_settings(const struct settings *settings)
{
    bool broken = is_broken(settings);
    for (size_t i = 0; i < settings->rule_count; i++) {
        const struct settings_rule *rule = &settings->rules[i];
        CHECK(rule->text.len > 0 && rule->place.line > 0 && rule->place.column > 0);
        CHECK(rule->recovered ? rule->verdict == HV_DENY : !broken);
        CHECK(settings->trust != SETTINGS_UNTRUSTED || rule->verdict != HV_ALLOW);
    }
    for (size_t i = 0; i < settings->hook_count; i++) {
        const struct settings_hook *hook = &settings->hooks[i];
        CHECK(hook->timeout_ns > 0 &&
              (hook->type == SETTINGS_HOOK_HTTP ? hook->url.len > 0 : hook->command.ptr != NULL));
        settings_hook_matches(hook, "PreToolUse", HV_STR("mcp__some_server__and_a_tool"));
    }
    if (broken || settings->trust == SETTINGS_UNTRUSTED) {
        CHECK(settings->hook_count + settings->env_count + settings->provider_count + settings->directory_count == 0);
        CHECK(!settings->model.ptr && !settings->default_mode.ptr && !settings->hooks_disabled);
        CHECK(!settings_get(settings, "permissions") && !settings_get(settings, "model"));
    }
    check_problems(settings);
}

static void check_saving(const struct settings_options *options, struct machine *machine)
{
    static const char rule[] = "Bash(\"a\\b\" *)";
    enum hv_code code = settings_add_rule(options, SETTINGS_USER, HV_ALLOW, hv_str_from(rule), NULL);
    if (code != HV_OK || !machine->has_written) {
        CHECK(!machine->has_written);
        return;
    }
    /* Only inserted: what stands before and after one place is the old file. */
    struct hv_str before = machine->bytes, after = hv_buf_str(&machine->written);
    size_t same = 0, tail = 0;
    CHECK(after.len > before.len);
    while (same < before.len && before.ptr[same] == after.ptr[same])
        same++;
    while (tail < before.len && before.ptr[before.len - 1 - tail] == after.ptr[after.len - 1 - tail])
        tail++;
    CHECK(same + tail >= before.len);
    machine->bytes = after;
    struct settings *settings = load(options);
    bool found = false;
    for (size_t i = 0; i < settings->rule_count && !found; i++)
        found = settings->rules[i].verdict == HV_ALLOW && hv_str_is(settings->rules[i].text, rule);
    CHECK(found && !is_broken(settings));
    settings_unref(settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"/p/.helve/settings.json", "/home/.claude/settings.json",
                                        "/home/.config/helve/settings.json"};
    struct machine machine = {0};
    const struct hv_host host = {.data = &machine,
                                 .stat = machine_stat,
                                 .resolve = machine_resolve,
                                 .read = machine_read,
                                 .write = machine_write};
    const struct settings_options options = {.host = &host, .directory = HV_STR("/p"), .home = HV_STR("/home")};
    hv_buf_init(&machine.written, 4u << 20);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        machine.path = hv_str_from(paths[i]);
        machine.bytes = hv_str_of((const char *)data, size);
        struct settings *settings = load(&options);
        CHECK(settings->trust == (i ? SETTINGS_TRUST_NOT_NEEDED : SETTINGS_UNTRUSTED));
        check_settings(settings);
        settings_unref(settings);
    }
    check_saving(&options, &machine);
    hv_buf_release(&machine.written);
    return 0;
}

/*
 * trust_list.c: what a folder brings that would run, or allow something to, once it is trusted: told before any of it
 * is used. Everything here is foreign text; what cannot be read is named all the same.
 */
#include "base/cleanup.h"
#include "cli/cli.h"
#include "policy/visible.h"

enum { FILE_MAX = 1 << 20, SHOWN_MAX = 40, TEXT_MAX = 160, ENTRIES_MAX = 500 };

struct listing {
    const struct hv_host *host;
    struct hv_arena arena;
    struct hv_str project;
    struct hv_buf *out;
    size_t shown, left_out;
};

static void put(struct listing *listing, const char *what, struct hv_str text, struct hv_str file)
{
    if (listing->shown++ >= SHOWN_MAX) {
        listing->left_out++;
        return;
    }
    hv_buf_addf(listing->out, "  %-9s ", what);
    visible_add(listing->out, hv_str_slice(text, 0, TEXT_MAX));
    hv_buf_addf(listing->out, "%s  (%.*s)\n", text.len > TEXT_MAX ? " …" : "", HV_STR_ARG(file));
}

static void put_hooks(struct listing *listing, const struct hv_json *hooks, struct hv_str file)
{
    hv_json_each(event, hv_json_type_of(hooks) == HV_JSON_OBJECT ? hooks : NULL)
    {
        hv_json_each(group, hv_json_type_of(event) == HV_JSON_ARRAY ? event : NULL)
        {
            hv_json_each(hook, hv_json_get(group, "hooks"))
            {
                struct hv_str command = hv_json_get_string(hook, "command"), url = hv_json_get_string(hook, "url");
                put(listing, "hook", command.len ? command : url, file);
            }
        }
    }
}

/* "name: command argument …", or its address. */
static void put_servers(struct listing *listing, const struct hv_json *servers, struct hv_str file)
{
    hv_json_each(server, hv_json_type_of(servers) == HV_JSON_OBJECT ? servers : NULL)
    {
        CLEANUP_BUF struct hv_buf text = {.max = FILE_MAX};
        struct hv_str command = hv_json_get_string(server, "command");
        hv_buf_add_str(&text, server->key);
        hv_buf_add_cstr(&text, ": ");
        hv_buf_add_str(&text, command.len ? command : hv_json_get_string(server, "url"));
        hv_json_each(argument, hv_json_get(server, "args"))
        {
            hv_buf_add_byte(&text, ' ');
            hv_buf_add_str(&text, hv_json_string(argument));
        }
        put(listing, "server", hv_buf_str(&text), file);
    }
}

static void put_settings(struct listing *listing, const struct hv_json *settings, struct hv_str file)
{
    static const char *const commands[] = {"apiKeyHelper", "awsAuthRefresh", "awsCredentialExport"};
    hv_json_each(rule, hv_json_get(hv_json_get(settings, "permissions"), "allow"))
        put(listing, "allows", hv_json_string(rule), file);
    put_hooks(listing, hv_json_get(settings, "hooks"), file);
    put_servers(listing, hv_json_get(settings, "mcpServers"), file);
    hv_json_each(variable, hv_json_get(settings, "env")) put(listing, "variable", variable->key, file);
    struct hv_str line = hv_json_get_string(hv_json_get(settings, "statusLine"), "command");
    if (line.len)
        put(listing, "runs", line, file);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (hv_json_get_string(settings, commands[i]).len)
            put(listing, "runs", hv_json_get_string(settings, commands[i]), file);
}

static struct hv_str path_of(struct listing *listing, const char *name)
{
    return hv_arena_format(&listing->arena, "%.*s/%s", HV_STR_ARG(listing->project), name);
}

static void put_file(struct listing *listing, const char *name)
{
    CLEANUP_BUF struct hv_buf bytes = {.max = FILE_MAX + 1};
    const struct hv_json *value = NULL;
    struct hv_str file = hv_str_from(name);
    enum hv_code code = listing->host->read(listing->host, path_of(listing, name), 0, FILE_MAX, &bytes, NULL, NULL);
    if (code == HV_ENOTFOUND)
        return;
    struct hv_str text = hv_arena_str(&listing->arena, hv_buf_str(&bytes));
    if (code != HV_OK || hv_json_parse(&listing->arena, text, HV_JSON_ALLOW_BOM, &value, NULL) != HV_OK)
        put(listing, "settings", HV_STR("they cannot be read"), file);
    else
        put_settings(listing, value, file);
}

static void put_folder(struct listing *listing, const char *what, const char *name)
{
    struct hv_directory_entry *entries;
    size_t count;
    bool more;
    if (listing->host->list(listing->host, &listing->arena, path_of(listing, name), ENTRIES_MAX, &entries, &count,
                            &more, NULL) != HV_OK)
        return;
    for (size_t i = 0; i < count; i++)
        put(listing, what, entries[i].name, hv_str_from(name));
}

void cli_list_what_trust_allows(const struct setup *setup, struct hv_buf *out)
{
    static const char *const files[] = {".helve/settings.json", ".helve/settings.local.json", ".claude/settings.json",
                                        ".claude/settings.local.json", ".mcp.json"};
    static const struct {
        const char *what, *name;
    } folders[] = {
        {"command", ".helve/commands"}, {"command", ".claude/commands"}, {"skill", ".helve/skills"},
        {"skill", ".claude/skills"},    {"agent", ".helve/agents"},      {"agent", ".claude/agents"},
    };
    struct listing listing = {.host = setup->host, .project = setup->settings->project, .out = out};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put_file(&listing, files[i]);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        put_folder(&listing, folders[i].what, folders[i].name);
    if (listing.left_out)
        hv_buf_addf(out, "  … and %zu more\n", listing.left_out);
    hv_arena_release(&listing.arena);
}

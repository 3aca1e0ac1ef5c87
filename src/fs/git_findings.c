/* git_findings.c: see git_findings.h. */
#include "fs/git_findings.h"

#include "fs/git_config.h"

/* Variables that name a program (git-config(1)). "*" stands for any second name, "-" for none. */
static const struct {
    const char *section, *subsection, *name;
    enum git_finding_kind kind;
} programs[] = {
    {"filter", "*", "clean", GIT_FINDING_CONTENT},
    {"filter", "*", "smudge", GIT_FINDING_CONTENT},
    {"filter", "*", "process", GIT_FINDING_CONTENT},
    {"diff", "*", "command", GIT_FINDING_CONTENT},
    {"diff", "*", "textconv", GIT_FINDING_CONTENT},
    {"diff", "-", "external", GIT_FINDING_CONTENT},
    {"merge", "*", "driver", GIT_FINDING_CONTENT}, /* run by --remerge-diff */
    {"trailer", "*", "command", GIT_FINDING_TRAILERS},
    {"trailer", "*", "cmd", GIT_FINDING_TRAILERS},
    {"tar", "*", "command", GIT_FINDING_ARCHIVE},
    {"man", "*", "cmd", GIT_FINDING_HELP},
    {"man", "*", "path", GIT_FINDING_HELP},
    {"man", "-", "viewer", GIT_FINDING_HELP},
    {"help", "-", "format", GIT_FINDING_HELP},
    {"help", "-", "browser", GIT_FINDING_HELP},
    {"web", "-", "browser", GIT_FINDING_HELP},
    {"browser", "*", "cmd", GIT_FINDING_HELP},
    {"browser", "*", "path", GIT_FINDING_HELP},
};

/* Sub-commands that look at names, references and settings only, never at the contents of a file. */
static const char without_content[] =
    " branch tag remote config rev-parse for-each-ref show-ref ls-remote symbolic-ref check-ref-format var version"
    " count-objects name-rev help merge-base worktree ls-tree stripspace ";

/* Those of them that do not even look for a commit, which older versions fetch when it is missing. */
static const char without_objects[] =
    " remote config ls-remote symbolic-ref check-ref-format var version count-objects help worktree stripspace ";

static bool is_one_of(struct hv_str subcommand, const char *list)
{
    struct hv_str rest = hv_str_from(list), name;
    while (hv_str_split(&rest, ' ', &name))
        if (name.len && hv_str_eq(name, subcommand))
            return true;
    return false;
}

void git_findings_add(struct git_findings *findings, enum git_finding_kind kind, struct hv_str name, struct hv_str why)
{
    if (findings->count == GIT_FINDINGS_MAX) {
        findings->items[GIT_FINDINGS_MAX - 1].kind = GIT_FINDING_ANY;
        return;
    }
    findings->items[findings->count++] = (struct git_finding){kind, name, why};
}

static bool concerns(const struct git_finding *finding, struct hv_str subcommand)
{
    switch (finding->kind) {
    case GIT_FINDING_CONTENT: return !is_one_of(subcommand, without_content);
    case GIT_FINDING_OBJECTS: return !is_one_of(subcommand, without_objects);
    case GIT_FINDING_ALIAS: return !finding->name.len || hv_str_eq_nocase(finding->name, subcommand);
    case GIT_FINDING_TRAILERS: return hv_str_is(subcommand, "interpret-trailers");
    case GIT_FINDING_ARCHIVE: return hv_str_is(subcommand, "archive");
    case GIT_FINDING_HELP: return hv_str_is(subcommand, "help");
    case GIT_FINDING_ANY: break;
    }
    return true;
}

const struct git_finding *git_findings_for(const struct git_findings *findings, struct hv_str subcommand)
{
    for (size_t at = 0; at < findings->count; at++)
        if (concerns(&findings->items[at], subcommand))
            return &findings->items[at];
    return NULL;
}

/* A variable with the old way of writing a second name, [section.second], taken apart. */
struct key {
    struct hv_str section, name;
    bool subsection;
};

static struct key key_of(const struct git_config_variable *variable)
{
    size_t dot = hv_str_find_byte(variable->section, '.', 0);
    return (struct key){.section = hv_str_slice(variable->section, 0, dot),
                        .name = variable->name,
                        .subsection = variable->subsection || dot != SIZE_MAX};
}

static bool key_is(const struct key *key, const char *section, bool subsection, const char *name)
{
    return key->subsection == subsection && hv_str_eq_nocase(key->section, hv_str_from(section)) &&
           hv_str_eq_nocase(key->name, hv_str_from(name));
}

static void find_program(struct hv_arena *arena, const struct key *key, struct git_findings *findings)
{
    for (size_t at = 0; at < sizeof programs / sizeof *programs; at++) {
        bool subsection = programs[at].subsection[0] == '*';
        if (!key_is(key, programs[at].section, subsection, programs[at].name))
            continue;
        struct hv_str why = hv_arena_format(arena, "the repository's configuration sets %s.%s%s, which git may run",
                                            programs[at].section, subsection ? "*." : "", programs[at].name);
        git_findings_add(findings, programs[at].kind, HV_STR(""), why);
        return;
    }
}

/* Settings that are no programs but matter all the same. */
static void find_other(struct hv_arena *arena, const struct key *key, struct hv_str value,
                       struct git_findings *findings)
{
    if (key_is(key, "remote", true, "promisor") || key_is(key, "remote", true, "partialclonefilter") ||
        key_is(key, "extensions", false, "partialclone"))
        git_findings_add(findings, GIT_FINDING_OBJECTS, HV_STR(""),
                         HV_STR("the repository is a partial clone: git may fetch what is missing"));
    else if (key_is(key, "diff", false, "submodule") && hv_str_eq(value, HV_STR("diff")))
        git_findings_add(findings, GIT_FINDING_CONTENT, HV_STR(""),
                         HV_STR("the repository's configuration lets git diff run inside submodules"));
    else if (hv_str_eq_nocase(key->section, HV_STR("alias")))
        git_findings_add(
            findings, GIT_FINDING_ALIAS, key->subsection ? HV_STR("") : hv_arena_str(arena, key->name),
            hv_arena_format(arena, "the repository's configuration defines the alias %.*s", HV_STR_ARG(key->name)));
}

void git_findings_read(struct hv_arena *arena, struct hv_str text, struct git_findings *findings,
                       struct git_findings_config *config)
{
    struct git_config_reader reader = {.text = text};
    struct git_config_variable variable;
    while (git_config_next(&reader, arena, &variable)) {
        struct key key = key_of(&variable);
        find_program(arena, &key, findings);
        find_other(arena, &key, variable.value, findings);
        if (key_is(&key, "core", false, "worktree"))
            config->worktree = variable.value.ptr ? variable.value : HV_STR("");
        else if (key_is(&key, "extensions", false, "objectformat"))
            config->sha256 = hv_str_eq_nocase(variable.value, HV_STR("sha256"));
        else if (key_is(&key, "include", false, "path") || key_is(&key, "includeif", true, "path"))
            config->include(config->user, variable.value);
    }
    if (reader.at < text.len)
        git_findings_add(findings, GIT_FINDING_ANY, HV_STR(""),
                         HV_STR("the repository's configuration cannot be read to its end"));
}

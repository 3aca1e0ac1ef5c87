/* git_changes.c: see git_changes.h. A list of what may be changed, since git learns new variables that run programs. */
#include "sandbox/git_changes.h"

#include "base/cleanup.h"
#include "fs/git_config.h"

#include <string.h>

enum { VARIABLES_MAX = 2000, NAMES_SHOWN = 5 };

enum value_kind { ANY = 0, REPOSITORY };

static const struct harmless {
    const char *section;
    bool second; /* of something: [remote "origin"] */
    const char *name;
    enum value_kind value;
} harmless[] = {
    {"remote", true, "url", REPOSITORY},
    {"remote", true, "pushurl", REPOSITORY},
    {"remote", true, "fetch"},
    {"remote", true, "push"},
    {"remote", true, "tagopt"},
    {"remote", true, "prune"},
    {"remote", true, "prunetags"},
    {"remote", true, "mirror"},
    {"branch", true, "remote", REPOSITORY},
    {"branch", true, "pushremote", REPOSITORY},
    {"branch", true, "merge"},
    {"branch", true, "rebase"},
    {"branch", true, "description"},
    {"branch", false, "autosetupmerge"},
    {"branch", false, "autosetuprebase"},
    {"branch", false, "sort"},
    {"submodule", true, "url", REPOSITORY},
    {"submodule", true, "active"},
    {"submodule", true, "branch"},
    {"submodule", true, "ignore"},
    {"submodule", false, "recurse"},
    {"user", false, "name"},
    {"user", false, "email"},
    {"author", false, "name"},
    {"author", false, "email"},
    {"committer", false, "name"},
    {"committer", false, "email"},
    {"core", false, "repositoryformatversion"},
    {"core", false, "filemode"},
    {"core", false, "bare"},
    {"core", false, "ignorecase"},
    {"core", false, "precomposeunicode"},
    {"core", false, "logallrefupdates"},
    {"core", false, "symlinks"},
    {"core", false, "autocrlf"},
    {"core", false, "eol"},
    {"core", false, "safecrlf"},
    {"core", false, "quotepath"},
    {"core", false, "abbrev"},
    {"core", false, "whitespace"},
    {"init", false, "defaultbranch"},
    {"pull", false, "rebase"},
    {"pull", false, "ff"},
    {"push", false, "default"},
    {"push", false, "autosetupremote"},
    {"push", false, "followtags"},
    {"fetch", false, "prune"},
    {"fetch", false, "prunetags"},
    {"merge", false, "ff"},
    {"merge", false, "conflictstyle"},
    {"rebase", false, "autosquash"},
    {"rebase", false, "autostash"},
    {"rebase", false, "updaterefs"},
    {"rerere", false, "enabled"},
    {"rerere", false, "autoupdate"},
    {"commit", false, "verbose"},
    {"commit", false, "gpgsign"},
    {"tag", false, "gpgsign"},
    {"tag", false, "sort"},
    {"status", false, "showuntrackedfiles"},
    {"status", false, "submodulesummary"},
    {"diff", false, "renames"},
    {"diff", false, "algorithm"},
    {"diff", false, "colormoved"},
    {"log", false, "date"},
    {"log", false, "decorate"},
    {"color", false, "ui"},
    {"column", false, "ui"},
    {"gc", false, "auto"},
};

/* "ext::sh -c …" runs a program, and so may any helper of a transport; "-x" would be an option. */
static bool names_repository(struct hv_str value)
{
    return hv_str_find(value, HV_STR("::"), 0) == SIZE_MAX && !hv_str_starts(value, HV_STR("-")) &&
           !hv_str_starts(value, HV_STR("!"));
}

static bool is_plain(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
            return false;
    return true;
}

static bool is_harmless(const struct git_config_variable *variable)
{
    if (!is_plain(variable->value) || !is_plain(variable->second))
        return false;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        const struct harmless *row = &harmless[i];
        if (row->second == variable->subsection && hv_str_eq_nocase(variable->section, hv_str_from(row->section)) &&
            hv_str_eq_nocase(variable->name, hv_str_from(row->name)))
            return row->value != REPOSITORY || names_repository(variable->value);
    }
    return false;
}

struct listing {
    struct git_config_variable *items;
    size_t *ends; /* where in the text each ends; it begins with its name */
    size_t count;
};

static bool is_of_remote(const struct git_config_variable *variable)
{
    return hv_str_eq_nocase(variable->section, HV_STR("remote")) && variable->subsection;
}

/* The address of a remote that was there before: a push of the person's would go where a command wants it. */
static bool redirects(const struct git_config_variable *variable, const struct listing *remotes)
{
    bool address =
        hv_str_eq_nocase(variable->name, HV_STR("url")) || hv_str_eq_nocase(variable->name, HV_STR("pushurl"));
    for (size_t i = 0; address && is_of_remote(variable) && i < remotes->count; i++)
        if (hv_str_eq(remotes->items[i].second, variable->second))
            return true;
    return false;
}

/* What is not harmless; of no remotes: all that is said of remotes. False: the text is none that git and we read alike.
 */
static bool list_others(struct hv_str text, const struct listing *remotes, struct hv_arena *arena, struct listing *out)
{
    struct git_config_reader reader = {.text = text};
    struct git_config_variable variable;
    size_t all = 0;
    out->items = hv_arena_array(arena, struct git_config_variable, VARIABLES_MAX);
    out->ends = hv_arena_array(arena, size_t, VARIABLES_MAX);
    out->count = 0;
    while (git_config_next(&reader, arena, &variable)) {
        if (++all > VARIABLES_MAX)
            return false;
        if (!variable.subsection) /* then it is of the section before */
            variable.second = (struct hv_str){0};
        if (remotes ? is_harmless(&variable) && !redirects(&variable, remotes) : !is_of_remote(&variable))
            continue;
        out->ends[out->count] = reader.at;
        out->items[out->count++] = variable;
    }
    return reader.at == text.len && (!text.len || text.ptr[text.len - 1] == '\n') &&
           hv_str_find_byte(text, '\r', 0) == SIZE_MAX;
}

static bool is_same(const struct git_config_variable *a, const struct git_config_variable *b)
{
    return hv_str_eq_nocase(a->section, b->section) && a->subsection == b->subsection &&
           hv_str_eq(a->second, b->second) && hv_str_eq_nocase(a->name, b->name) && hv_str_eq(a->value, b->value) &&
           !a->value.ptr == !b->value.ptr;
}

static bool has(const struct listing *listing, const struct git_config_variable *wanted)
{
    for (size_t i = 0; i < listing->count; i++)
        if (is_same(&listing->items[i], wanted))
            return true;
    return false;
}

/* "core.fsmonitor, alias.x": what the one has and the other has not. */
static struct hv_str name_missing(const struct listing *in, const struct listing *from, struct hv_str said,
                                  struct hv_arena *arena)
{
    size_t named = 0;
    for (size_t i = 0; i < in->count && named < NAMES_SHOWN; i++) {
        const struct git_config_variable *variable = &in->items[i];
        if (has(from, variable))
            continue;
        bool plain = is_plain(variable->second);
        said = hv_arena_format(arena, "%.*s%s%.*s%s%.*s.%.*s", HV_STR_ARG(said), said.len ? ", " : "",
                               HV_STR_ARG(variable->section), variable->subsection && plain ? "." : "",
                               plain ? (int)variable->second.len : 0, variable->second.ptr ? variable->second.ptr : "",
                               HV_STR_ARG(variable->name));
        named++;
    }
    return said;
}

bool git_changes_are_harmless(struct hv_str before, struct hv_str after, struct hv_arena *arena, struct hv_str *names)
{
    struct listing remotes, old, new;
    (void)list_others(before, NULL, arena, &remotes);
    (void)list_others(before, &remotes, arena, &old); /* whatever git makes of it, it is the person's own */
    if (!list_others(after, &remotes, arena, &new)) {
        *names = HV_STR("text that git may read in another way");
        return false;
    }
    bool same = old.count == new.count;
    for (size_t i = 0; same && i < new.count; i++)
        same = is_same(&old.items[i], &new.items[i]);
    if (same)
        return true;
    *names = name_missing(&old, &new, name_missing(&new, &old, (struct hv_str){0}, arena), arena);
    if (!names->len)
        *names = HV_STR("the order of variables");
    return false;
}

/* ---- keeping the rest ---------------------------------------------------------------------------------------- */

static size_t begin_of(const struct listing *listing, size_t index, struct hv_str text)
{
    return (size_t)(listing->items[index].name.ptr - text.ptr);
}

static struct hv_str span_of(const struct listing *listing, size_t index, struct hv_str text)
{
    return hv_str_trim(hv_str_slice(text, begin_of(listing, index, text), listing->ends[index]));
}

static bool is_named_alike(const struct git_config_variable *a, const struct git_config_variable *b)
{
    return hv_str_eq_nocase(a->section, b->section) && a->subsection == b->subsection &&
           hv_str_eq(a->second, b->second) && hv_str_eq_nocase(a->name, b->name);
}

/* What is new goes, with its line where that is all of it; what has another value gets the old one. False: more than
 * that was done. */
static bool put_back(struct hv_str before, const struct listing *old, struct hv_str after, const struct listing *new,
                     struct hv_buf *out)
{
    size_t at = 0, matched = 0;
    for (size_t i = 0; i < new->count; i++) {
        size_t begin = begin_of(new, i, after), line = begin;
        bool expected = matched < old->count;
        if (expected && is_same(&old->items[matched], &new->items[i])) {
            matched++;
            continue;
        }
        bool changed =
            expected && is_named_alike(&old->items[matched], &new->items[i]) && !has(new, &old->items[matched]);
        while (!changed && line > at && (after.ptr[line - 1] == ' ' || after.ptr[line - 1] == '\t'))
            line--;
        bool whole = !changed && (!line || after.ptr[line - 1] == '\n');
        hv_buf_add_str(out, hv_str_slice(after, at, whole ? line : begin));
        if (changed)
            hv_buf_add_str(out, span_of(old, matched++, before));
        at = begin + span_of(new, i, after).len;
        at += whole && at < after.len && after.ptr[at] == '\n';
    }
    hv_buf_add_str(out, hv_str_slice(after, at, after.len));
    return matched == old->count && !out->failed;
}

/* The same variables, in the same order: nothing that the one does not say is worth a change of the other. */
static bool says_the_same(struct hv_str a, struct hv_str b, struct hv_arena *arena)
{
    struct git_config_reader readers[] = {{.text = a}, {.text = b}};
    struct git_config_variable variables[2];
    for (;;) {
        bool more[2];
        for (size_t i = 0; i < 2; i++)
            more[i] = git_config_next(&readers[i], arena, &variables[i]);
        if (!more[0] || !more[1])
            return more[0] == more[1];
        if (!is_same(&variables[0], &variables[1]))
            return false;
    }
}

struct hv_str git_changes_kept(struct hv_str before, struct hv_str after, struct hv_arena *arena)
{
    struct listing remotes, old, new;
    struct hv_str names, kept;
    CLEANUP_BUF struct hv_buf text = {.max = before.len + after.len + 1};
    (void)list_others(before, NULL, arena, &remotes);
    if (!list_others(before, &remotes, arena, &old) || !list_others(after, &remotes, arena, &new) ||
        !put_back(before, &old, after, &new, &text))
        return (struct hv_str){0};
    kept = hv_arena_str(arena, hv_buf_str(&text));
    bool holds = git_changes_are_harmless(before, kept, arena, &names) && !says_the_same(before, kept, arena);
    return holds ? kept : (struct hv_str){0};
}

/* violation.c: see violation.h. */
#include "sandbox/violation.h"

#include "base/path.h"

#include <string.h>

enum { LINES_MAX = 400, TOLD_MAX = 3, OUTPUT_MAX = 64 * 1024 };

/* What the system says of a refusal. */
enum refusal_kind { REFUSED_WRITE = 1, REFUSED_ACCESS, REFUSED_CALL, REFUSED_MOUNT_POINT, REFUSED_NETWORK };

static const struct phrase {
    const char *text;
    enum refusal_kind kind;
} phrases[] = {
    {"Read-only file system", REFUSED_WRITE},
    {"EROFS", REFUSED_WRITE},
    {"Permission denied", REFUSED_ACCESS},
    {"EACCES", REFUSED_ACCESS},
    {"Device or resource busy", REFUSED_MOUNT_POINT},
    {"EBUSY", REFUSED_MOUNT_POINT},
    {"Is a directory", REFUSED_MOUNT_POINT},
    {"EISDIR", REFUSED_MOUNT_POINT},
    {"Operation not permitted", REFUSED_CALL},
    {"EPERM", REFUSED_CALL},
    {"Network is unreachable", REFUSED_NETWORK},
    {"Could not resolve host", REFUSED_NETWORK},
    {"Temporary failure in name resolution", REFUSED_NETWORK},
    {"ENETUNREACH", REFUSED_NETWORK},
    {"EAI_AGAIN", REFUSED_NETWORK},
};

struct telling {
    const struct violation_facts *facts;
    struct hv_arena *arena;
    struct hv_str said[TOLD_MAX];
    size_t count;
    bool told_call, told_network;
};

static void say(struct telling *telling, struct hv_str sentence)
{
    for (size_t i = 0; i < telling->count; i++)
        if (hv_str_eq(telling->said[i], sentence))
            return;
    if (telling->count < TOLD_MAX)
        telling->said[telling->count++] = sentence;
}

/* ---- paths --------------------------------------------------------------------------------------------- */

/* What is refused at a path, and how it would be allowed. False: the sandbox has nothing to do with it. */
static bool tell_path(struct telling *telling, struct hv_str path, enum refusal_kind kind)
{
    const struct violation_facts *facts = telling->facts;
    struct hv_str mount = {0};
    enum sandbox_mount_kind what = sandbox_plan_look_up(facts->plan, path, &mount);
    bool special = path_inside(path, HV_STR("/proc")) || path_inside(path, HV_STR("/dev"));
    if (what >= SANDBOX_HIDDEN && (kind == REFUSED_ACCESS || kind == REFUSED_WRITE)) {
        say(telling, hv_arena_format(telling->arena,
                                     "The sandbox hides %.*s from commands, since it holds secrets; "
                                     "sandbox.filesystem.allowRead in the settings would show it.",
                                     HV_STR_ARG(mount)));
    } else if ((what == SANDBOX_PROTECTED || what == SANDBOX_KEPT_EMPTY) && kind != REFUSED_CALL &&
               kind != REFUSED_NETWORK) {
        say(telling, hv_arena_format(telling->arena,
                                     "The sandbox keeps commands from changing %.*s, since other programs run or obey "
                                     "it. Use Write or Edit for it, or ask to leave the sandbox (sandbox: false).",
                                     HV_STR_ARG(mount)));
    } else if (what == SANDBOX_READABLE && kind == REFUSED_WRITE && !special) {
        say(telling, hv_arena_format(telling->arena,
                                     "The sandbox lets commands write in the workspace and in $TMPDIR (%.*s) only, not "
                                     "to %.*s; sandbox.filesystem.allowWrite in the settings would allow it.",
                                     HV_STR_ARG(facts->temporary), HV_STR_ARG(path)));
    } else {
        return false;
    }
    return true;
}

static bool is_quote(char byte)
{
    return byte == '\'' || byte == '"' || byte == '`' || byte == '(' || byte == ')' || byte == '[' || byte == ']';
}

/* Programs write names bare, in quotes, with a colon after them. */
static struct hv_str trim_name(struct hv_str word)
{
    while (word.len && (is_quote(word.ptr[0]) || (unsigned char)word.ptr[0] >= 0x80))
        word = hv_str_slice(word, 1, word.len);
    while (word.len && (is_quote(word.ptr[word.len - 1]) || strchr(":,;", word.ptr[word.len - 1]) ||
                        (unsigned char)word.ptr[word.len - 1] >= 0x80))
        word.len--;
    return word;
}

/* Any word of the line may be the path; the first that the plan refuses is taken. */
static bool tell_paths_of(struct telling *telling, struct hv_str line, enum refusal_kind kind)
{
    struct hv_str word;
    bool bare = kind == REFUSED_MOUNT_POINT; /* common without a sandbox, too: names with a folder only */
    while (hv_str_split(&line, ' ', &word)) {
        word = trim_name(word);
        bool absolute = word.len > 1 && word.ptr[0] == '/';
        if (!absolute && (!word.len || !(hv_str_find_byte(word, '/', 0) != SIZE_MAX || (!bare && word.ptr[0] == '.') ||
                                         (bare && hv_str_starts(word, HV_STR("."))))))
            continue;
        struct hv_str path = path_expand(telling->arena, word, telling->facts->directory, telling->facts->home);
        if (tell_path(telling, path, kind))
            return true;
    }
    return false;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

static void tell_other(struct telling *telling, enum refusal_kind kind)
{
    const struct violation_facts *facts = telling->facts;
    if (kind == REFUSED_WRITE) {
        say(telling, hv_arena_format(telling->arena,
                                     "The sandbox lets commands write in the workspace and in $TMPDIR (%.*s) only; "
                                     "sandbox.filesystem.allowWrite in the settings names further folders.",
                                     HV_STR_ARG(facts->temporary)));
    } else if (kind == REFUSED_CALL && facts->failed && !telling->told_call) {
        telling->told_call = true;
        say(telling, HV_STR("\"Operation not permitted\" may come from the sandbox: it refuses tracing, mounting, "
                            "namespaces, kernel keys, io_uring and sockets to other programs. A command that needs "
                            "these has to ask to leave the sandbox (sandbox: false)."));
    } else if (kind == REFUSED_NETWORK && facts->failed && !facts->refusals.len && !telling->told_network) {
        telling->told_network = true;
        say(telling, HV_STR("The sandbox has no network but a proxy (HTTP_PROXY) that lets through what "
                            "sandbox.network.allowedDomains in the settings names; this program did not use it."));
    }
}

static void look_at_line(struct telling *telling, struct hv_str line)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        if (hv_str_find(line, hv_str_from(phrases[i].text), 0) == SIZE_MAX)
            continue;
        if (!tell_paths_of(telling, line, phrases[i].kind))
            tell_other(telling, phrases[i].kind);
        return;
    }
}

static void tell_refusals(struct telling *telling)
{
    struct hv_str rest = telling->facts->refusals, line;
    while (rest.len && hv_str_split(&rest, '\n', &line))
        say(telling, hv_arena_format(telling->arena, "The sandbox refused a connection to %.*s.", HV_STR_ARG(line)));
}

struct hv_str violation_describe(const struct violation_facts *facts, struct hv_arena *arena)
{
    struct telling telling = {.facts = facts, .arena = arena};
    struct hv_str rest = facts->output, line, all = {0};
    if (rest.len > OUTPUT_MAX)
        rest = hv_str_slice(rest, rest.len - OUTPUT_MAX, rest.len);
    tell_refusals(&telling);
    for (size_t lines = 0; lines < LINES_MAX && rest.len && hv_str_split(&rest, '\n', &line); lines++)
        look_at_line(&telling, line);
    for (size_t i = 0; i < telling.count; i++)
        all = i ? hv_arena_format(arena, "%.*s\n%.*s", HV_STR_ARG(all), HV_STR_ARG(telling.said[i])) : telling.said[i];
    return all;
}

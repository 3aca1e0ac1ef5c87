/* violation.c: see violation.h. */
#include "sandbox/violation.h"

#include "base/path.h"

#include <ctype.h>
#include <string.h>

enum {
    LINES_MAX = 400,
    TOLD_MAX = 3,
    OUTPUT_MAX = 64 * 1024,
    LINE_MAX_LOOKED_AT = 2048,
    QUOTED_MAX = 16,
    SHORT_MAX = 2000,
    COMMAND_MAX = 16 * 1024
};

/* What the system says of a refusal, in small letters: each language has its own way to begin a sentence. */
enum refusal_kind {
    REFUSED_WRITE = 1,
    REFUSED_ACCESS,
    REFUSED_CALL,
    REFUSED_MOUNT_POINT,
    REFUSED_NETWORK,
    REFUSED_SOCKET
};

static const struct phrase {
    const char *text;
    enum refusal_kind kind;
} phrases[] = {
    {"read-only file system", REFUSED_WRITE},
    {"erofs", REFUSED_WRITE},
    {"error writing to the directory", REFUSED_WRITE}, /* npm, which takes EROFS for ENOENT */
    {"permission denied", REFUSED_ACCESS},
    {"eacces", REFUSED_ACCESS},
    {"device or resource busy", REFUSED_MOUNT_POINT},
    {"ebusy", REFUSED_MOUNT_POINT},
    {"is a directory", REFUSED_MOUNT_POINT},
    {"eisdir", REFUSED_MOUNT_POINT},
    {"operation not permitted", REFUSED_CALL},
    {"eperm", REFUSED_CALL},
    {"no new privileges", REFUSED_CALL}, /* sudo */
    {"network is unreachable", REFUSED_NETWORK},
    {"resolve host", REFUSED_NETWORK}, /* curl, ssh, wget, cargo: "could not", "couldn't", "unable to" */
    {"name resolution", REFUSED_NETWORK},
    {"name or service not known", REFUSED_NETWORK},
    {"no such host", REFUSED_NETWORK},
    {"enetunreach", REFUSED_NETWORK},
    {"enotfound", REFUSED_NETWORK},
    {"eai_again", REFUSED_NETWORK},
    {"can't connect to the agent", REFUSED_SOCKET},   /* gpg */
    {"is the docker daemon running", REFUSED_SOCKET}, /* of no address in words of its own */
    {"connection refused", REFUSED_SOCKET},
    {"econnrefused", REFUSED_SOCKET},
    {"connectionrefused", REFUSED_SOCKET},
    {"could not open a connection to your authentication agent", REFUSED_SOCKET},
    {"failed to connect to bus", REFUSED_SOCKET},
    {"failed to connect to the bus", REFUSED_SOCKET},
    {"through socket", REFUSED_SOCKET}, /* mysql */
    {"ptrace", REFUSED_CALL},
};

struct telling {
    const struct violation_facts *facts;
    struct hv_arena *arena;
    struct hv_str said[TOLD_MAX];
    size_t count;
    bool told_call, told_network, told_socket;
    char small[LINE_MAX_LOOKED_AT];
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

/* "NAME: ["VALUE"]", as it would stand in the settings' `sandbox`; NAME alone when there is no value to offer, or none
 * that can be written so. */
static struct hv_str offer(struct telling *telling, const char *name, struct hv_str value)
{
    bool plain = value.len > 0;
    for (size_t i = 0; i < value.len; i++)
        plain = plain && (unsigned char)value.ptr[i] >= ' ' && !strchr("\"\\", value.ptr[i]);
    if (!plain)
        return hv_str_from(name);
    return hv_arena_format(telling->arena, "%s: [\"%.*s\"]", name, HV_STR_ARG(value));
}

/* The home, the workspace or another writable folder lies in it: far more than one wants to allow. */
static bool holds_others(const struct violation_facts *facts, struct hv_str folder)
{
    for (size_t i = 0; i < facts->plan->mount_count; i++)
        if (facts->plan->mounts[i].kind == SANDBOX_WRITABLE && path_inside(facts->plan->mounts[i].path, folder))
            return true;
    return path_inside(facts->home, folder);
}

/* The folder that would have to be writable; absent where nobody should offer that: the system's own, or too much. */
static struct hv_str folder_to_allow(const struct violation_facts *facts, struct hv_str path)
{
    static const char *const systems[] = {"/etc",  "/usr", "/bin", "/sbin", "/lib",     "/lib64", "/boot",
                                          "/proc", "/sys", "/dev", "/run",  "/var/run", NULL};
    struct hv_str parent = path_parent(path);
    for (size_t i = 0; systems[i]; i++)
        if (path_inside(parent, hv_str_from(systems[i])))
            return (struct hv_str){0};
    bool deep = parent.len > 1 && hv_str_rfind_byte(parent, '/') > 0;
    return deep && !holds_others(facts, parent) ? parent : (struct hv_str){0};
}

/* What is not there when a command begins is not made writable. */
static bool is_missing(const struct violation_facts *facts, struct hv_str folder)
{
    struct hv_file_stat info;
    return folder.len && facts->host && facts->host->stat(facts->host, folder, true, &info, NULL) == HV_ENOTFOUND;
}

static struct hv_str denial_of(struct telling *telling, struct hv_str rule)
{
    return rule.len ? hv_arena_join(telling->arena, rule, HV_STR(" denies reading it")) : rule;
}

/* What is refused at a path, and how it would be allowed. False: the sandbox has nothing to do with it. */
static bool tell_path(struct telling *telling, struct hv_str path, enum refusal_kind kind)
{
    const struct violation_facts *facts = telling->facts;
    struct sandbox_mount found = sandbox_plan_find(facts->plan, path);
    struct hv_str mount = found.path;
    enum sandbox_mount_kind what = found.kind;
    bool special = path_inside(path, HV_STR("/proc")) || path_inside(path, HV_STR("/dev"));
    if (what >= SANDBOX_HIDDEN && (kind == REFUSED_ACCESS || kind == REFUSED_WRITE)) {
        say(telling,
            hv_arena_format(telling->arena,
                            "The sandbox hides %.*s from commands, since %s%.*s; %.*s in the settings would show it.",
                            HV_STR_ARG(mount), found.by.len ? "the rule " : "it holds secrets",
                            HV_STR_ARG(denial_of(telling, found.by)),
                            HV_STR_ARG(offer(telling, "sandbox.filesystem.allowRead", mount))));
    } else if (what == SANDBOX_PROTECTED && found.by.len && kind != REFUSED_CALL && kind != REFUSED_NETWORK) {
        say(telling, hv_arena_format(telling->arena,
                                     "The sandbox keeps commands from changing %.*s, since the rule %.*s denies it.",
                                     HV_STR_ARG(mount), HV_STR_ARG(found.by)));
    } else if (what == SANDBOX_PROTECTED && kind != REFUSED_CALL && kind != REFUSED_NETWORK) {
        say(telling, hv_arena_format(telling->arena,
                                     "The sandbox keeps commands from changing %.*s, since other programs run or obey "
                                     "it. Use Write or Edit for it, or ask to leave the sandbox (sandbox: false).",
                                     HV_STR_ARG(mount)));
    } else if (what == SANDBOX_READABLE && kind == REFUSED_WRITE && path_inside(path, HV_STR("/tmp")) &&
               !holds_others(facts, mount)) {
        say(telling,
            hv_arena_format(telling->arena,
                            "%.*s is there outside the sandbox, whose commands may only read it: take a name in /tmp "
                            "that is not there yet, or write in $TMPDIR (%.*s).",
                            HV_STR_ARG(path), HV_STR_ARG(facts->temporary)));
    } else if (what == SANDBOX_READABLE && kind == REFUSED_WRITE && !special) {
        struct hv_str folder = folder_to_allow(facts, path);
        say(telling,
            hv_arena_format(telling->arena,
                            "The sandbox lets commands write in the workspace, /tmp and $TMPDIR (%.*s) only, not "
                            "to %.*s; %.*s in the settings would allow it%s.",
                            HV_STR_ARG(facts->temporary), HV_STR_ARG(path),
                            HV_STR_ARG(offer(telling, "sandbox.filesystem.allowWrite", folder)),
                            is_missing(facts, folder) ? " once somebody has made that folder" : ""));
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

/* A relative name is meant where the command was: where it began, or where it went. */
static bool tell_name(struct telling *telling, struct hv_str name, enum refusal_kind kind)
{
    const struct violation_facts *facts = telling->facts;
    struct hv_str path = path_expand(telling->arena, name, facts->directory, facts->home);
    if (tell_path(telling, path, kind))
        return true;
    return facts->ended_in.len && name.ptr[0] != '/' &&
           tell_path(telling, path_expand(telling->arena, name, facts->ended_in, facts->home), kind);
}

/* A name without a folder is one where it stands as messages write names: in quotes, or before what is said of it with
 * a colon, after the program's own. */
static bool is_bare_name(struct hv_str raw, struct hv_str name, bool leads)
{
    int64_t number;
    return name.len && (memchr("'\"`", raw.ptr[0], 3) || (leads && raw.ptr[raw.len - 1] == ':')) &&
           !hv_str_to_int64(name, &number);
}

/* What stands in quotes, blanks included, at the beginning of line ('…', "…", ‘…’); absent: nothing does. An apostrophe
 * within a name is one that something else than a blank follows. */
static struct hv_str quoted_name(struct hv_str line)
{
    static const char *const quotes[][2] = {{"'", "'"}, {"\"", "\""}, {"`", "'"}, {"`", "`"}, {"‘", "’"}, {"“", "”"}};
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
        struct hv_str open = hv_str_from(quotes[i][0]), close = hv_str_from(quotes[i][1]);
        if (!hv_str_starts(line, open))
            continue;
        for (size_t end = open.len; (end = hv_str_find(line, close, end)) != SIZE_MAX; end += close.len) {
            size_t after = end + close.len;
            if (after == line.len || strchr(" :,;.)]}", line.ptr[after]))
                return hv_str_slice(line, open.len, end);
        }
    }
    return (struct hv_str){0};
}

/* Names with blanks are seen in quotes only, as they are written by most. */
static bool tell_quoted(struct telling *telling, struct hv_str line, enum refusal_kind kind)
{
    size_t quoted = 0;
    line = hv_str_slice(line, 0, LINE_MAX_LOOKED_AT);
    for (size_t at = 0; at < line.len && quoted < QUOTED_MAX; at++) {
        bool begins = at == 0 || strchr(" ([{:=", line.ptr[at - 1]);
        struct hv_str name = begins ? quoted_name(hv_str_slice(line, at, line.len)) : (struct hv_str){0};
        quoted += name.len > 0;
        if (hv_str_find_byte(name, ' ', 0) == SIZE_MAX || hv_str_find_byte(name, '/', 0) == SIZE_MAX)
            continue;
        if (tell_name(telling, name, kind))
            return true;
    }
    return false;
}

/* Any word of the line may be the path; the first that the plan refuses is taken. */
static bool tell_paths_of(struct telling *telling, struct hv_str line, size_t phrase, enum refusal_kind kind)
{
    const struct violation_facts *facts = telling->facts;
    struct hv_str word;
    const char *begin = line.ptr;
    bool bare = kind == REFUSED_MOUNT_POINT; /* common without a sandbox, too: names with a folder only */
    if (tell_quoted(telling, line, kind))
        return true;
    while (hv_str_split(&line, ' ', &word)) {
        struct hv_str raw = word;
        word = trim_name(word);
        bool absolute = word.len > 1 && word.ptr[0] == '/';
        bool relative = word.len && (hv_str_find_byte(word, '/', 0) != SIZE_MAX || word.ptr[0] == '.');
        if ((absolute || relative) && tell_name(telling, word, kind))
            return true;
        if (!absolute && !relative && !bare && facts->ended_in.len &&
            is_bare_name(raw, word, raw.ptr != begin && raw.ptr < begin + phrase) &&
            tell_path(telling, path_expand(telling->arena, word, facts->ended_in, facts->home), kind))
            return true;
    }
    return false;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

/* A pipe hides that a program failed (`… | tail`). In much output of a command that ended well, the words may be
 * anybody's. */
static bool is_telling(const struct violation_facts *facts)
{
    return facts->failed || facts->output.len < SHORT_MAX;
}

static void tell_other(struct telling *telling, enum refusal_kind kind)
{
    const struct violation_facts *facts = telling->facts;
    if (kind == REFUSED_WRITE && telling->count == 0) {
        say(telling, hv_arena_format(telling->arena,
                                     "The sandbox lets commands write in the workspace, /tmp and $TMPDIR (%.*s) only; "
                                     "sandbox.filesystem.allowWrite in the settings names further folders.",
                                     HV_STR_ARG(facts->temporary)));
    } else if (kind == REFUSED_CALL && is_telling(facts) && !telling->told_call) {
        telling->told_call = true;
        say(telling, HV_STR("\"Operation not permitted\" may come from the sandbox: it refuses tracing, mounting, "
                            "namespaces, kernel keys, io_uring and sockets to other programs. A command that needs "
                            "these has to ask to leave the sandbox (sandbox: false)."));
    } else if (kind == REFUSED_SOCKET && is_telling(facts) && !telling->told_socket) {
        telling->told_socket = true;
        say(telling, HV_STR("The sandbox has a loopback of its own and covers sockets of other programs: what runs "
                            "outside it is reached only where sandbox.network.allowedDomains (localhost:PORT) or "
                            "sandbox.network.allowUnixSockets in the settings name it."));
    } else if (kind == REFUSED_NETWORK && is_telling(facts) && !facts->refusals.len && !telling->told_network) {
        telling->told_network = true;
        say(telling, HV_STR("The sandbox has no network but a proxy (HTTP_PROXY) that lets through what "
                            "sandbox.network.allowedDomains in the settings names; this program did not use it."));
    }
}

/* In small letters, in a buffer of the telling; what is longer than that is no sentence of a system. */
static struct hv_str small_letters(struct telling *telling, struct hv_str line)
{
    size_t len = line.len < sizeof telling->small ? line.len : sizeof telling->small;
    for (size_t i = 0; i < len; i++)
        telling->small[i] = (char)tolower((unsigned char)line.ptr[i]);
    return hv_str_of(telling->small, len);
}

/* Services have their sockets in /run, which is empty: programs say that there is no such file. */
static bool misses_socket(struct hv_str small)
{
    static const char *const words[] = {"connect", "socket", "dial", ".sock"};
    if (hv_str_find(small, HV_STR("/run/"), 0) == SIZE_MAX ||
        (hv_str_find(small, HV_STR("no such file"), 0) == SIZE_MAX &&
         hv_str_find(small, HV_STR("enoent"), 0) == SIZE_MAX))
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (hv_str_find(small, hv_str_from(words[i]), 0) != SIZE_MAX)
            return true;
    return false;
}

static void tell_reading(struct telling *telling, struct hv_str small)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if ((phrases[i].kind == REFUSED_WRITE || phrases[i].kind == REFUSED_NETWORK) &&
            hv_str_find(small, hv_str_from(phrases[i].text), 0) != SIZE_MAX)
            say(telling,
                HV_STR("This command was let run only because it reads: so it could write nothing but temporary files, "
                       "and had no network. A rule for it in permissions.allow lets it do more; tell the user."));
}

static void look_at_line(struct telling *telling, struct hv_str line)
{
    struct hv_str small = small_letters(telling, line);
    if (telling->facts->only_reads)
        tell_reading(telling, small);
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
        size_t at = hv_str_find(small, hv_str_from(phrases[i].text), 0);
        if (at != SIZE_MAX && tell_paths_of(telling, line, at, phrases[i].kind))
            return;
    }
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (hv_str_find(small, hv_str_from(phrases[i].text), 0) != SIZE_MAX)
            tell_other(telling, phrases[i].kind);
    if (misses_socket(small))
        tell_other(telling, REFUSED_SOCKET);
}

static bool ends_word(char byte)
{
    return (unsigned char)byte <= ' ' || strchr("\"'`;|&<>()", byte);
}

/* A program may keep to itself that it could not read or write: what the command names, and the plan refuses whoever
 * asks, is told all the same. A name that is written to stands behind ">". */
static void tell_command(struct telling *telling)
{
    struct hv_str text = hv_str_slice(telling->facts->command, 0, COMMAND_MAX);
    bool written = false;
    for (size_t at = 0, end; at < text.len; at = end) {
        for (end = at; end < text.len && !ends_word(text.ptr[end]); end++)
            ;
        struct hv_str word = hv_str_slice(text, at, end);
        bool path = word.len > 1 && (hv_str_find_byte(word, '/', 0) != SIZE_MAX || word.ptr[0] == '.');
        struct hv_str where = path ? path_expand(telling->arena, word, telling->facts->directory, telling->facts->home)
                                   : (struct hv_str){0};
        struct sandbox_mount found = sandbox_plan_find(telling->facts->plan, where);
        if (path && found.kind >= SANDBOX_HIDDEN)
            (void)tell_path(telling, where, REFUSED_ACCESS);
        else if (path && written && word.ptr[0] == '/')
            (void)tell_path(telling, where, REFUSED_WRITE);
        else if (path && telling->facts->failed &&
                 (path_inside(where, HV_STR("/run")) || path_inside(where, HV_STR("/var/run"))))
            tell_other(telling, REFUSED_SOCKET);
        if (word.len)
            written = false;
        for (; end < text.len && ends_word(text.ptr[end]); end++)
            written = text.ptr[end] == '>' || (written && strchr(" \"'", text.ptr[end]));
    }
}

static void tell_refusals(struct telling *telling)
{
    struct hv_str rest = telling->facts->refusals, line;
    while (rest.len && hv_str_split(&rest, '\n', &line)) {
        /* "HOST:PORT (WHY)"; what a rule denies, a person refused, or leads inside, is not offered. */
        struct hv_str place = hv_str_slice(line, 0, hv_str_find(line, HV_STR(" ("), 0));
        struct hv_str host = hv_str_slice(place, 0, hv_str_rfind_byte(place, ':'));
        bool may_offer = host.len && hv_str_find(line, HV_STR("(no rule "), 0) != SIZE_MAX;
        bool address = host.len && (hv_str_is(host, "localhost") || isdigit((unsigned char)host.ptr[host.len - 1]));
        struct hv_str rule = offer(telling, "sandbox.network.allowedDomains", address ? place : host);
        say(telling, hv_arena_format(telling->arena, "The sandbox refused a connection to %.*s%s%.*s%s.",
                                     HV_STR_ARG(line), may_offer ? "; " : "", may_offer ? (int)rule.len : 0, rule.ptr,
                                     may_offer ? " in the settings would allow it" : ""));
    }
}

static void tell_machine_port(struct telling *telling)
{
    const struct violation_facts *facts = telling->facts;
    if (!facts->machine_port)
        return;
    telling->told_socket = true;
    say(telling,
        hv_arena_format(telling->arena,
                        "The machine has a server at port %u. The sandbox has a loopback of its own: commands "
                        "reach that server only where sandbox.network.allowedDomains: [\"localhost:%u\"] in the "
                        "settings allows it%s.",
                        facts->machine_port, facts->machine_port,
                        facts->asks ? ", or the user, who is asked when the command is run again" : ""));
}

struct hv_str violation_describe(const struct violation_facts *facts, struct hv_arena *arena)
{
    struct telling telling = {.facts = facts, .arena = arena};
    struct hv_str rest = facts->output, line, all = {0};
    if (rest.len > OUTPUT_MAX)
        rest = hv_str_slice(rest, rest.len - OUTPUT_MAX, rest.len);
    tell_refusals(&telling);
    tell_machine_port(&telling);
    for (size_t lines = 0; lines < LINES_MAX && rest.len && hv_str_split(&rest, '\n', &line); lines++)
        look_at_line(&telling, line);
    tell_command(&telling);
    for (size_t i = 0; i < telling.count; i++)
        all = i ? hv_arena_format(arena, "%.*s\n%.*s", HV_STR_ARG(all), HV_STR_ARG(telling.said[i])) : telling.said[i];
    return all;
}

/* options.c: see options.h. */
#include "sandbox/options.h"

#include "base/path.h"
#include "text/glob.h"

#include <stddef.h>
#include <string.h>

enum { LIST_MAX = 512 };

enum member_kind { MEMBER_CHOICE, MEMBER_TEXTS, MEMBER_PATHS, MEMBER_NUMBER, MEMBER_GROUP, MEMBER_IGNORED };

struct member {
    const char *name;
    enum member_kind kind;
    size_t offset;
    int64_t maximum;              /* NUMBER */
    const struct member *members; /* GROUP; the last has no name */
    size_t patterns;              /* PATHS: the list for patterns; 0: there may be none */
};

struct reading {
    struct sandbox_options *options;
    struct hv_arena *arena;
    struct hv_str directory, home;
    sandbox_problem *problem;
    void *user;
};

#define AT(member) offsetof(struct sandbox_options, member)
static const struct member file_members[] = {
    {"allowWrite", MEMBER_PATHS, AT(write)},
    {"denyWrite", MEMBER_PATHS, AT(deny_write), .patterns = AT(deny_write_patterns)},
    {"allowRead", MEMBER_PATHS, AT(read), .patterns = AT(read_patterns)},
    {"denyRead", MEMBER_PATHS, AT(deny_read), .patterns = AT(deny_read_patterns)},
    {0},
};

static const struct member network_members[] = {
    {"allowedDomains", MEMBER_TEXTS, AT(domains)},
    {"deniedDomains", MEMBER_TEXTS, AT(no_domains)},
    {"allowUnixSockets", MEMBER_PATHS, AT(unix_sockets)},
    {"allowAllUnixSockets", MEMBER_CHOICE, AT(all_unix_sockets)},
    {"allowLocalBinding", MEMBER_IGNORED}, /* a sandbox has a network of its own: binding there is always possible */
    {"httpProxyPort", MEMBER_NUMBER, AT(http_port), 65535},
    {"socksProxyPort", MEMBER_NUMBER, AT(socks_port), 65535},
    {0},
};

static const struct member limit_members[] = {
    {"memory", MEMBER_NUMBER, AT(memory_limit), INT64_MAX},
    {"fileSize", MEMBER_NUMBER, AT(file_limit), INT64_MAX},
    {"processes", MEMBER_NUMBER, AT(process_limit), 1 << 22},
    {0},
};

static const struct member top_members[] = {
    {"enabled", MEMBER_CHOICE, AT(enabled)},
    {"failIfUnavailable", MEMBER_CHOICE, AT(fail_if_unavailable)},
    {"autoAllowBashIfSandboxed", MEMBER_CHOICE, AT(auto_allow)},
    {"allowUnsandboxedCommands", MEMBER_CHOICE, AT(allow_unsandboxed)},
    {"excludedCommands", MEMBER_TEXTS, AT(excluded)},
    {"passEnvironment", MEMBER_TEXTS, AT(passed_environment)},
    {"filesystem", MEMBER_GROUP, .members = file_members},
    {"network", MEMBER_GROUP, .members = network_members},
    {"limits", MEMBER_GROUP, .members = limit_members},
    {0},
};
#undef AT

/* ---- reading ------------------------------------------------------------------------------------------- */

static void complain(const struct reading *reading, const char *key, const char *message)
{
    if (reading->problem)
        reading->problem(reading->user, key, message);
}

static void add_text(struct reading *reading, struct sandbox_strings *list, struct hv_str text)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 8;
        struct hv_str *items = hv_arena_array(reading->arena, struct hv_str, capacity);
        if (list->count)
            memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = hv_arena_str(reading->arena, text);
}

/* "$HOME/x" is "~/x". */
static struct hv_str with_home(const struct reading *reading, struct hv_str text)
{
    static const struct hv_str names[] = {HV_STR("$HOME"), HV_STR("${HOME}")};
    for (size_t i = 0; i < 2; i++)
        if (hv_str_starts(text, names[i]) && (text.len == names[i].len || text.ptr[names[i].len] == '/'))
            return hv_arena_join(reading->arena, HV_STR("~"), hv_str_slice(text, names[i].len, text.len));
    return text;
}

/* As a rule says it: "//x" from the root, "~/x" from the home, a name or "**" at any depth. */
static struct hv_str as_rule(const struct reading *reading, struct hv_str text)
{
    if (hv_str_starts(text, HV_STR("./")))
        text = hv_str_slice(text, 2, text.len);
    else if (hv_str_find_byte(text, '/', 0) == SIZE_MAX || hv_str_starts(text, HV_STR("**/")) ||
             hv_str_starts(text, HV_STR("~/")))
        return text;
    if (hv_str_starts(text, HV_STR("/")))
        return hv_arena_join(reading->arena, HV_STR("/"), text);
    return hv_arena_format(reading->arena, "/%.*s/%.*s", HV_STR_ARG(reading->directory), HV_STR_ARG(text));
}

/* One of a list of paths. */
static void read_path(struct reading *reading, const struct member *member, struct hv_str text)
{
    char *options = (char *)reading->options;
    struct sandbox_strings *paths = (struct sandbox_strings *)(void *)(options + member->offset);
    struct sandbox_strings *patterns = (struct sandbox_strings *)(void *)(options + member->patterns);
    text = with_home(reading, text);
    while (hv_str_ends(text, HV_STR("/**")) && text.len > 3)
        text.len -= 3;
    if (!glob_is_pattern(text) && text.ptr[0] != '$')
        add_text(reading, paths, path_expand(reading->arena, text, reading->directory, reading->home));
    else if (text.ptr[0] == '$')
        complain(reading, member->name, "knows no variable but $HOME; one element is left out");
    else if (!member->patterns)
        complain(reading, member->name,
                 "takes folders, and no pattern but \"/**\" at the end; one element is left out");
    else
        add_text(reading, patterns, as_rule(reading, text));
}

static void read_texts(struct reading *reading, const struct member *member, const struct hv_json *value)
{
    struct sandbox_strings *list = (struct sandbox_strings *)(void *)((char *)reading->options + member->offset);
    if (value->type != HV_JSON_ARRAY) {
        complain(reading, member->name, "should be an array of texts");
        return;
    }
    hv_json_each(item, value)
    {
        struct hv_str text = hv_str_trim(hv_json_string(item));
        if (!text.len || hv_str_find_byte(text, '\0', 0) != SIZE_MAX) {
            complain(reading, member->name, "has an element that is no text");
            continue;
        }
        if (list->count == LIST_MAX) {
            complain(reading, member->name, "has too many elements; the rest is left out");
            return;
        }
        if (member->kind == MEMBER_PATHS)
            read_path(reading, member, text);
        else
            add_text(reading, list, text);
    }
}

static void read_choice(struct reading *reading, const struct member *member, const struct hv_json *value)
{
    enum sandbox_choice *choice = (enum sandbox_choice *)(void *)((char *)reading->options + member->offset);
    if (value->type != HV_JSON_TRUE && value->type != HV_JSON_FALSE)
        complain(reading, member->name, "should be true or false");
    else if (*choice == SANDBOX_UNSET)
        *choice = value->type == HV_JSON_TRUE ? SANDBOX_YES : SANDBOX_NO;
}

static void read_number(struct reading *reading, const struct member *member, const struct hv_json *value)
{
    int64_t *number = (int64_t *)(void *)((char *)reading->options + member->offset), given;
    if (!hv_json_int64(value, &given) || given < 1 || given > member->maximum)
        complain(reading, member->name, "should be a whole number in its range");
    else if (*number == 0)
        *number = given;
}

static const struct member *find_member(const struct member *members, struct hv_str name)
{
    while (members->name && !hv_str_is(name, members->name))
        members++;
    return members->name ? members : NULL;
}

static void read_member(struct reading *reading, const struct member *member, const struct hv_json *value);

static void read_object(struct reading *reading, const struct member *members, const struct hv_json *object)
{
    hv_json_each(item, object)
    {
        const struct member *member = find_member(members, item->key);
        if (!member)
            complain(reading, hv_arena_cstr(reading->arena, item->key), "is not known");
        else if (item->type != HV_JSON_NULL)
            read_member(reading, member, item);
    }
}

static void read_member(struct reading *reading, const struct member *member, const struct hv_json *value)
{
    switch (member->kind) {
    case MEMBER_CHOICE: read_choice(reading, member, value); break;
    case MEMBER_TEXTS:
    case MEMBER_PATHS: read_texts(reading, member, value); break;
    case MEMBER_NUMBER: read_number(reading, member, value); break;
    case MEMBER_GROUP: /* one level below the top: the tables say so */
        if (value->type == HV_JSON_OBJECT)
            read_object(reading, member->members, value);
        else
            complain(reading, member->name, "should be an object");
        break;
    case MEMBER_IGNORED: break;
    }
}

void sandbox_options_add(struct sandbox_options *options, struct hv_arena *arena, const struct hv_json *value,
                         struct hv_str directory, struct hv_str home, sandbox_problem *problem, void *user)
{
    struct reading reading = {options, arena, directory, home, problem, user};
    if (hv_json_type_of(value) == HV_JSON_OBJECT)
        read_object(&reading, top_members, value);
}

/* ---- commands ------------------------------------------------------------------------------------------ */

/* Nothing but words: no operator, quote, expansion, glob or assignment before the name. */
static bool is_plain(struct hv_str command)
{
    for (size_t i = 0; i < command.len; i++) {
        unsigned char byte = (unsigned char)command.ptr[i];
        if (byte < ' ' || byte >= 0x7f || strchr(";|&<>()`$\\\"'{}*?[]!#~", byte))
            return false;
    }
    size_t name_end = hv_str_find_byte(command, ' ', 0);
    return hv_str_find_byte(hv_str_slice(command, 0, name_end), '=', 0) == SIZE_MAX;
}

/* "docker", "docker *" and "docker:*" mean docker with any arguments. */
static struct hv_str without_wildcard(struct hv_str pattern)
{
    if (hv_str_ends(pattern, HV_STR(":*")) || hv_str_ends(pattern, HV_STR(" *")))
        return hv_str_trim(hv_str_slice(pattern, 0, pattern.len - 2));
    return pattern;
}

bool sandbox_is_excluded(const struct sandbox_options *options, struct hv_str command)
{
    command = hv_str_trim(command);
    if (!command.len || !is_plain(command))
        return false;
    for (size_t i = 0; i < options->excluded.count; i++) {
        struct hv_str words = without_wildcard(options->excluded.items[i]);
        if (words.len && hv_str_starts(command, words) && (command.len == words.len || command.ptr[words.len] == ' '))
            return true;
    }
    return false;
}

/* ---- domains ------------------------------------------------------------------------------------------- */

struct domain_rule {
    struct hv_str host;
    unsigned port; /* 0: any */
    bool wildcard; /* of all below host; an empty host: of all */
};

/* "::1" has colons of its own; "[::1]:80" and "name:80" have a port. */
static struct domain_rule parse_rule(struct hv_str text)
{
    struct domain_rule rule = {.host = text};
    size_t colon = hv_str_rfind_byte(text, ':'), bracket = hv_str_rfind_byte(text, ']');
    int64_t port;
    bool one_colon = colon != SIZE_MAX && hv_str_find_byte(text, ':', 0) == colon;
    if (colon != SIZE_MAX && (one_colon || (bracket != SIZE_MAX && colon == bracket + 1)) &&
        hv_str_to_int64(hv_str_slice(text, colon + 1, text.len), &port) && port > 0 && port < 65536) {
        rule.port = (unsigned)port;
        rule.host = hv_str_slice(text, 0, colon);
    }
    if (rule.host.len > 2 && rule.host.ptr[0] == '[' && rule.host.ptr[rule.host.len - 1] == ']')
        rule.host = hv_str_slice(rule.host, 1, rule.host.len - 1);
    rule.wildcard = hv_str_is(rule.host, "*") || hv_str_starts(rule.host, HV_STR("*."));
    if (rule.wildcard)
        rule.host = hv_str_slice(rule.host, 2, rule.host.len);
    return rule;
}

/* The names of this machine's loopback are one thing, however a rule and a program write it. */
static bool is_loopback(struct hv_str host)
{
    return hv_str_eq_nocase(host, HV_STR("localhost")) || hv_str_is(host, "127.0.0.1") || hv_str_is(host, "::1");
}

static bool rule_takes(const struct domain_rule *rule, struct hv_str host, unsigned port)
{
    if (rule->port && rule->port != port)
        return false;
    if (!rule->wildcard)
        return hv_str_eq_nocase(rule->host, host) || (is_loopback(rule->host) && is_loopback(host));
    if (!rule->host.len)
        return true;
    return host.len > rule->host.len + 1 && host.ptr[host.len - rule->host.len - 1] == '.' &&
           hv_str_eq_nocase(hv_str_slice(host, host.len - rule->host.len, host.len), rule->host);
}

unsigned sandbox_domain_loopback_port(struct hv_str text)
{
    struct domain_rule rule = parse_rule(text);
    return is_loopback(rule.host) ? rule.port : 0;
}

bool sandbox_domain_takes(struct hv_str text, struct hv_str host, unsigned port)
{
    struct domain_rule rule = parse_rule(text);
    if (host.len && host.ptr[host.len - 1] == '.')
        host.len--;
    return host.len && (rule.host.len || rule.wildcard) && rule_takes(&rule, host, port);
}

struct sandbox_domain sandbox_domain_of(const struct sandbox_options *options, struct hv_str host, unsigned port)
{
    struct sandbox_domain answer = {0};
    if (host.len && host.ptr[host.len - 1] == '.') /* the root of names may be written */
        host.len--;
    for (size_t i = 0; host.len && i < options->domains.count; i++) {
        struct domain_rule rule = parse_rule(options->domains.items[i]);
        if (!rule_takes(&rule, host, port))
            continue;
        answer.allowed = true;
        answer.named = answer.named || !rule.wildcard;
    }
    for (size_t i = 0; i < options->no_domains.count; i++) {
        struct domain_rule rule = parse_rule(options->no_domains.items[i]);
        if (!rule_takes(&rule, host, port))
            continue;
        answer = (struct sandbox_domain){.denied_by = options->no_domains.items[i]};
        break;
    }
    return answer;
}

/*
 * rule.c: see rule.h. Reading of rules, names of tools, and the specifiers that are not paths or commands (those are in
 * rule_path.c and command.c).
 */
#include "policy/rule.h"

#include "base/wildcard.h"
#include "policy/rule_path.h"

#include <string.h>

/* Rule names that imply one another: the right to edit a file is also the right to read it, and who may not read it
 * may not edit it either. */
static const char editing[] = "Edit", reading[] = "Read";
/* Denials under these names hold for everything that writes files, as people expect of them. */
static const char *const writing_names[] = {editing, "Write", "MultiEdit", "NotebookEdit", NULL};

static bool is_name_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '-' || byte == '.' || byte == ':' || byte == '/' || (byte & 0x80);
}

/* ---- parsing --------------------------------------------------------------------------------------------------- */

static size_t name_length(struct hv_str text)
{
    size_t length = 0;
    while (length < text.len && (is_name_byte(text.ptr[length]) || text.ptr[length] == '*'))
        length++;
    return length;
}

/* An allow rule may leave parts of a name open only behind a server that is named: mcp__github__get_*. */
static bool glob_may_allow(struct hv_str name)
{
    static const struct hv_str prefix = {"mcp__", 5};
    size_t star = hv_str_find_byte(name, '*', 0), end = hv_str_find(name, HV_STR("__"), prefix.len);
    return hv_str_starts(name, prefix) && end != SIZE_MAX && end > prefix.len && end + 2 <= star;
}

static bool is_everything(struct hv_str specifier)
{
    return hv_str_is(specifier, "*") || hv_str_is(specifier, ":*");
}

static enum hv_code no_rule(struct hv_str text, const char *why, struct hv_error *err)
{
    enum hv_code code = hv_fail(err, HV_EINVAL, "the rule \"%.*s\" %s", HV_STR_ARG(hv_str_slice(text, 0, 200)), why);
    hv_error_hint(err, "Write Tool or Tool(specifier), such as Read(./docs/**) or Bash(make test).");
    return code;
}

/* Split text into tool and specifier. On an error *out holds what could be read. */
static enum hv_code split_rule(struct hv_str text, struct rule *out, struct hv_error *err)
{
    if (!text.len)
        return no_rule(text, "is empty", err);
    if (text.len > RULE_LENGTH_MAX)
        return no_rule(text, "is too long", err);
    if (memchr(text.ptr, '\0', text.len))
        return no_rule(text, "holds a NUL byte", err);
    size_t length = name_length(text);
    if (!length)
        return no_rule(text, "does not begin with a tool's name", err);
    out->tool = hv_str_slice(text, 0, length);
    out->any_tool_like = hv_str_find_byte(out->tool, '*', 0) != SIZE_MAX;
    if (length == text.len)
        return HV_OK;
    if (text.ptr[length] != '(')
        return no_rule(text, "has something other than \"(\" after the tool's name", err);
    if (text.ptr[text.len - 1] != ')')
        return no_rule(text, "lacks the closing parenthesis at its end", err);
    struct hv_str specifier = hv_str_trim(hv_str_slice(text, length + 1, text.len - 1));
    if (!specifier.len)
        return no_rule(text, "has nothing between its parentheses", err);
    out->specifier = specifier;
    out->has_specifier = !is_everything(specifier);
    return HV_OK;
}

static bool name_is(const struct rule *rule, const char *name)
{
    struct hv_str other = hv_str_from(name);
    return rule->verdict == HV_ALLOW ? hv_str_eq(rule->tool, other) : hv_str_eq_nocase(rule->tool, other);
}

/* An alias speaks of its tool under all the names that the tool's own name stands for. */
static struct hv_str name_of_alias(const struct rule_bases *bases, const struct rule *rule)
{
    for (size_t i = 0; i < bases->tool_count; i++)
        if (hv_str_is(rule->tool, bases->tools[i]->name))
            return rule->tool;
    for (size_t i = 0; i < bases->tool_count; i++)
        for (const char *const *alias = bases->tools[i]->aliases; alias && *alias; alias++)
            if (name_is(rule, *alias))
                return hv_str_from(bases->tools[i]->name);
    return rule->tool;
}

enum hv_code rule_parse(const struct rule_bases *bases, struct hv_arena *arena, enum hv_verdict verdict,
                        struct hv_str text, struct hv_str root, struct rule *out, struct hv_error *err)
{
    struct rule rule = {.verdict = verdict, .ignores_case = bases->ignores_case};
    rule.text = hv_arena_str(arena, hv_str_trim(text));
    enum hv_code code = split_rule(rule.text, &rule, err);
    if (!rule.any_tool_like)
        rule.tool = name_of_alias(bases, &rule);
    if (code == HV_OK && verdict == HV_ALLOW && rule.any_tool_like && !glob_may_allow(rule.tool)) {
        code = no_rule(rule.text, "would allow every tool of that form", err);
        hv_error_hint(err,
                      "Name the tools one by one; \"*\" in an allow rule may only follow a server: mcp__server__*.");
    }
    if (code == HV_OK && rule.has_specifier)
        rule_path_parse(bases, arena, &rule, root);
    if (code != HV_OK && verdict == HV_ALLOW)
        rule.tool = (struct hv_str){0};
    *out = rule;
    return code;
}

/* ---- text with stars -------------------------------------------------------------------------------------------- */

/* The pieces of pattern between its stars stand in text in order, the first at its start, the last at its end. */
static bool takes_stars(struct hv_str pattern, struct hv_str text, size_t *work)
{
    size_t star = hv_str_find_byte(pattern, '*', 0);
    if (star == SIZE_MAX)
        return hv_str_eq(pattern, text);
    if (!hv_str_starts(text, hv_str_slice(pattern, 0, star)))
        return false;
    size_t at = star;
    for (;;) {
        size_t next = hv_str_find_byte(pattern, '*', star + 1);
        struct hv_str piece = hv_str_slice(pattern, star + 1, next);
        if (next == SIZE_MAX)
            return text.len - at >= piece.len && hv_str_ends(text, piece);
        size_t found = hv_str_find(text, piece, at);
        size_t steps = (found == SIZE_MAX ? text.len : found) - at + 1;
        *work = *work > steps ? *work - steps : 0;
        if (found == SIZE_MAX || !*work)
            return false;
        at = found + piece.len;
        star = next;
    }
}

/* Cut the ":*" or " *" off the end; false when there is none. */
static bool cut_boundary(struct hv_str *pattern)
{
    if (!hv_str_ends(*pattern, HV_STR(":*")) && !hv_str_ends(*pattern, HV_STR(" *")))
        return false;
    *pattern = hv_str_trim(hv_str_slice(*pattern, 0, pattern->len - 2));
    return pattern->len > 0;
}

/* head, stars and all, takes a beginning of text that ends at a blank or at the end. */
static bool takes_head(struct hv_str head, struct hv_str text, size_t *work)
{
    if (hv_str_find_byte(head, '*', 0) == SIZE_MAX)
        return hv_str_starts(text, head) &&
               (text.len == head.len || text.ptr[head.len] == ' ' || text.ptr[head.len] == '\t');
    for (size_t end = 0; end <= text.len && *work && --*work; end++) {
        bool boundary = end == text.len || text.ptr[end] == ' ' || text.ptr[end] == '\t';
        if (boundary && takes_stars(head, hv_str_slice(text, 0, end), work))
            return true;
    }
    return false;
}

bool rule_takes_text(struct hv_str pattern, struct hv_str text, size_t *work)
{
    *work = *work ? *work - 1 : 0;
    if (!*work)
        return false;
    struct hv_str head = pattern;
    if (cut_boundary(&head))
        return takes_head(head, text, work);
    return takes_stars(pattern, text, work);
}

/* ---- names of tools --------------------------------------------------------------------------------------------- */

static bool one_name_matches(const struct rule *rule, const char *name)
{
    struct hv_str text = hv_str_from(name);
    size_t work = RULE_LENGTH_MAX * 4;
    if (rule->any_tool_like)
        return takes_stars(rule->tool, text, &work);
    if (name_is(rule, name))
        return true;
    /* A bare server: mcp__github takes mcp__github__get_issue. */
    return hv_str_starts(rule->tool, HV_STR("mcp__")) && text.len > rule->tool.len + 2 &&
           hv_str_starts(text, rule->tool) && hv_str_starts(hv_str_slice(text, rule->tool.len, text.len), HV_STR("__"));
}

static bool any_name_matches(const struct rule *rule, const char *const *names)
{
    for (; names && *names; names++)
        if (one_name_matches(rule, *names))
            return true;
    return false;
}

bool rule_names_tool(const struct rule *rule, const struct hv_tool *tool)
{
    return one_name_matches(rule, tool->name) || any_name_matches(rule, tool->aliases) ||
           any_name_matches(rule, tool->rule_names);
}

static bool has_rule_name(const struct hv_tool *tool, const char *name)
{
    if (strcmp(tool->name, name) == 0)
        return true;
    for (const char *const *other = tool->rule_names; other && *other; other++)
        if (strcmp(*other, name) == 0)
            return true;
    return false;
}

bool rule_guards_files(const struct rule *rule, bool writing)
{
    if (rule->verdict == HV_ALLOW || !rule->has_specifier)
        return false;
    return one_name_matches(rule, reading) || (writing && any_name_matches(rule, writing_names));
}

bool rule_opens_files(const struct rule *rule, bool writing)
{
    return rule->verdict == HV_ALLOW && (name_is(rule, editing) || (writing ? any_name_matches(rule, writing_names)
                                                                            : one_name_matches(rule, reading)));
}

bool rule_governs_access(const struct rule *rule, const struct hv_tool *tool, bool writing)
{
    if (rule_names_tool(rule, tool) || rule_guards_files(rule, writing))
        return true;
    return rule->verdict == HV_ALLOW && !writing &&
           ((name_is(rule, editing) && has_rule_name(tool, reading)) ||
            (name_is(rule, reading) && has_rule_name(tool, editing)));
}

/* ---- specifiers that are no paths -------------------------------------------------------------------------------- */

static struct hv_str without_final_dot(struct hv_str host)
{
    return hv_str_ends(host, HV_STR(".")) ? hv_str_slice(host, 0, host.len - 1) : host;
}

bool rule_takes_domain(const struct rule *rule, struct hv_str host)
{
    static const struct hv_str prefix = {"domain:", 7};
    bool prefixed = hv_str_starts(rule->specifier, prefix);
    if (!host.len || (!prefixed && rule->verdict == HV_ALLOW))
        return false; /* a denial that forgot "domain:" still denies */
    struct hv_str pattern = hv_str_slice(rule->specifier, prefixed ? prefix.len : 0, SIZE_MAX);
    pattern = without_final_dot(hv_str_trim(pattern));
    host = without_final_dot(host);
    if (hv_str_is(pattern, "*"))
        return true;
    if (hv_str_starts(pattern, HV_STR("*."))) { /* subdomains of any depth, not the domain itself */
        struct hv_str tail = hv_str_slice(pattern, 1, pattern.len);
        if (hv_str_find_byte(tail, '*', 0) == SIZE_MAX)
            return host.len > tail.len && hv_str_eq_nocase(hv_str_slice(host, host.len - tail.len, host.len), tail);
    }
    struct hv_str left, right;
    while (hv_str_split(&pattern, '.', &left)) {
        if (!hv_str_split(&host, '.', &right) || !wildcard_matches(left, right, true))
            return false;
    }
    return !host.len;
}

bool rule_takes_name(const struct rule *rule, struct hv_str name)
{
    size_t work = (size_t)1 << 20;
    return name.len && rule_takes_text(rule->specifier, name, &work);
}

static bool has_parameter(const struct hv_tool *tool, const struct hv_json *input, struct hv_str name)
{
    for (const struct hv_field *field = tool->fields; field && field->type != HV_FIELD_END; field++)
        if (hv_str_is(name, field->name))
            return true;
    return hv_json_get_str(input, name) != NULL;
}

bool rule_takes_parameter(const struct rule *rule, const struct hv_tool *tool, const struct hv_json *input)
{
    size_t colon = hv_str_find_byte(rule->specifier, ':', 0);
    if (colon == SIZE_MAX || rule->verdict == HV_ALLOW)
        return false;
    struct hv_str name = hv_str_slice(rule->specifier, 0, colon);
    if (!has_parameter(tool, input, name))
        return false;
    if (!input)
        return true;
    const struct hv_json *value = hv_json_get_str(input, name);
    struct hv_str wanted = hv_str_trim(hv_str_slice(rule->specifier, colon + 1, SIZE_MAX));
    size_t work = (size_t)1 << 24;
    switch (hv_json_type_of(value)) {
    case HV_JSON_TRUE: return hv_str_is(wanted, "true") || hv_str_is(wanted, "*");
    case HV_JSON_FALSE: return hv_str_is(wanted, "false") || hv_str_is(wanted, "*");
    case HV_JSON_STRING:
    case HV_JSON_NUMBER: return takes_stars(wanted, value->text, &work) || !work;
    default: return value && hv_str_is(wanted, "*");
    }
}

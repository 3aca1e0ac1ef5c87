/*
 * recover.c: what can still be told of settings that do not parse.
 *
 * The bytes are read as a row of strings, whatever stands between them. A string before a colon is a name; the others
 * are what stands under the last name. Under `allow`, `ask` and `deny` each string is taken for a rule, elsewhere what
 * has the shape `Tool(specifier)` and does not stand under a name that holds other texts. A string ends at its quote or
 * at the end of its line, so that one missing quote costs one line. All that is found denies: which list a rule stood
 * in is not sure any more, and a file that is half written should not open anything.
 */
#include "config/loader.h"

enum { TOOL_NAME_MAX = 128 };

struct scanner {
    struct hv_str text; /* up to where to look */
    size_t at;
    struct hv_str name; /* the last string before a colon, between its quotes */
    struct loader *loader;
    struct source *source;
    size_t found;
    bool no_comment_ends;
};

static bool is_name_byte(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '*' || c == '.' || c == ':';
}

/* The length of the tool's name that text begins with, when text may be a rule: the name alone or with "(…". */
static size_t rule_name(struct hv_str text)
{
    size_t len = 0;
    while (len < text.len && len <= TOOL_NAME_MAX && is_name_byte(text.ptr[len]))
        len++;
    return len <= TOOL_NAME_MAX && (len == text.len || text.ptr[len] == '(') ? len : 0;
}

/* Names under which texts stand that only look like rules. */
static bool holds_other_texts(struct hv_str name)
{
    static const char *const others[] = {"if",  "command", "args",  "matcher", "statusMessage",
                                         "url", "$schema", "model", "effort"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (hv_str_is(name, others[i]))
            return true;
    return false;
}

static bool is_list_name(struct hv_str name)
{
    return hv_str_is(name, "allow") || hv_str_is(name, "ask") || hv_str_is(name, "deny");
}

/* ---- what was found ------------------------------------------------------------------------------------------- */

/* The bytes between quotes with escapes decoded; as they are when they cannot be. */
static struct hv_str decode(struct scanner *scanner, struct hv_str inside)
{
    if (hv_str_find_byte(inside, '\\', 0) == SIZE_MAX)
        return inside;
    struct hv_arena *arena = scanner->loader->arena;
    struct hv_str quoted = hv_arena_join(arena, hv_arena_join(arena, HV_STR("\""), inside), HV_STR("\""));
    const struct hv_json *json = NULL;
    if (hv_json_parse(arena, quoted, HV_JSON_REPAIR_SURROGATES, &json, NULL) != HV_OK)
        return inside;
    return hv_json_string(json);
}

static void add(struct scanner *scanner, struct hv_str text, size_t at)
{
    scanner->found++;
    *vec_push(&scanner->loader->rules) = (struct settings_rule){
        .verdict = HV_DENY,
        .text = text,
        .root = scanner->source->root,
        .place = source_place(scanner->source, at),
        .recovered = true,
    };
}

static void consider(struct scanner *scanner, struct hv_str inside, size_t at)
{
    struct hv_str text = hv_str_trim(decode(scanner, inside));
    size_t name = rule_name(text);
    bool listed = is_list_name(scanner->name);
    bool shaped = name > 0 && name < text.len && hv_str_ends(text, HV_STR(")"));
    if (listed ? name > 0 : shaped && !holds_other_texts(scanner->name))
        add(scanner, text, at);
}

/* ---- the row of strings --------------------------------------------------------------------------------------- */

/* A string without its closing quote: what follows a rule's ")" was not part of it, when it is only punctuation. */
static struct hv_str without_tail(struct hv_str inside)
{
    size_t end = inside.len;
    while (end && hv_str_find_byte(HV_STR(",]} \t"), inside.ptr[end - 1], 0) != SIZE_MAX)
        end--;
    return end && inside.ptr[end - 1] == ')' ? hv_str_slice(inside, 0, end) : inside;
}

/* The string that begins behind the quote before at: what is between its quotes. */
static struct hv_str read_string(struct scanner *scanner)
{
    const struct hv_str text = scanner->text;
    size_t from = scanner->at, end = from;
    while (end < text.len && text.ptr[end] != '"' && text.ptr[end] != '\n' && text.ptr[end] != '\r')
        end += text.ptr[end] == '\\' && end + 1 < text.len && text.ptr[end + 1] != '\n' ? 2 : 1;
    if (end > text.len)
        end = text.len;
    bool closed = end < text.len && text.ptr[end] == '"';
    scanner->at = closed ? end + 1 : end;
    struct hv_str inside = hv_str_slice(text, from, end);
    return closed ? inside : without_tail(inside);
}

static bool colon_follows(const struct scanner *scanner)
{
    size_t at = scanner->at;
    while (at < scanner->text.len && (scanner->text.ptr[at] == ' ' || scanner->text.ptr[at] == '\t' ||
                                      scanner->text.ptr[at] == '\r' || scanner->text.ptr[at] == '\n'))
        at++;
    return at < scanner->text.len && scanner->text.ptr[at] == ':';
}

/* A comment at the place: skip it. Rules that people took out this way are not meant. */
static bool skip_comment(struct scanner *scanner)
{
    struct hv_str rest = hv_str_slice(scanner->text, scanner->at, SIZE_MAX);
    if (hv_str_starts(rest, HV_STR("//"))) {
        size_t end = hv_str_find_byte(scanner->text, '\n', scanner->at);
        scanner->at = end == SIZE_MAX ? scanner->text.len : end;
        return true;
    }
    if (scanner->no_comment_ends || !hv_str_starts(rest, HV_STR("/*")))
        return false;
    /* One that is not closed is none: it would hide all that follows. */
    size_t end = hv_str_find(scanner->text, HV_STR("*/"), scanner->at + 2);
    scanner->no_comment_ends = end == SIZE_MAX;
    if (end != SIZE_MAX)
        scanner->at = end + 2;
    return end != SIZE_MAX;
}

/* Outside of strings: a word that lost its quotes, when it has the whole shape of a rule. */
static void read_bare(struct scanner *scanner)
{
    size_t from = scanner->at, end = from;
    const struct hv_str text = scanner->text;
    while (end < text.len && is_name_byte(text.ptr[end]))
        end++;
    scanner->at = end > from ? end : from + 1;
    if (end == from || end == text.len || text.ptr[end] != '(')
        return;
    while (end < text.len && text.ptr[end] != ')' && text.ptr[end] != '"' && text.ptr[end] != '\n')
        end++;
    if (end < text.len && text.ptr[end] == ')')
        end++;
    scanner->at = end;
    consider(scanner, hv_str_slice(text, from, end), from);
}

size_t recover_rules(struct loader *loader, struct source *source, size_t from, size_t to)
{
    struct scanner scanner = {
        .text = hv_str_slice(source->text, 0, to), .at = from, .loader = loader, .source = source};
    /* A value that stands alone is one of rules. */
    if (from)
        scanner.name = HV_STR("deny");
    while (scanner.at < scanner.text.len) {
        size_t start = scanner.at;
        if (scanner.text.ptr[start] == '"') {
            scanner.at++;
            struct hv_str inside = read_string(&scanner);
            if (colon_follows(&scanner))
                scanner.name = inside;
            else
                consider(&scanner, inside, start);
        } else if (!skip_comment(&scanner)) {
            read_bare(&scanner);
        }
    }
    return scanner.found;
}

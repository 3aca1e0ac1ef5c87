/* outline.c: see outline.h. */
#include "tools/outline.h"

#include <string.h>

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static bool is_one_of(struct hv_str word, const char *const *words)
{
    for (; *words; words++)
        if (hv_str_is(word, *words))
            return true;
    return false;
}

/* Take blanks and then a word off the front of *rest; absent when something else stands there. */
static struct hv_str take_word(struct hv_str *rest)
{
    size_t at = 0;
    while (at < rest->len && rest->ptr[at] == ' ')
        at++;
    size_t end = at;
    while (end < rest->len && is_word_byte(rest->ptr[end]))
        end++;
    struct hv_str word = hv_str_slice(*rest, at, end);
    *rest = hv_str_slice(*rest, end, rest->len);
    return word.len ? word : (struct hv_str){0};
}

/* "class Name", "func (r *T) Name(", "impl<T> Name", "type Name": the name after the keyword. */
static struct hv_str name_after_keyword(struct hv_str rest)
{
    rest = hv_str_trim(rest);
    if (rest.len && (rest.ptr[0] == '(' || rest.ptr[0] == '<')) { /* a receiver or type parameters */
        size_t close = hv_str_find_byte(rest, rest.ptr[0] == '(' ? ')' : '>', 0);
        if (close == SIZE_MAX)
            return (struct hv_str){0};
        rest = hv_str_slice(rest, close + 1, rest.len);
    }
    if (rest.len && rest.ptr[0] == '*') /* a JavaScript generator */
        rest = hv_str_slice(rest, 1, rest.len);
    return take_word(&rest);
}

/* "static int name(…" without ";" at its end: the word before the first parenthesis. */
static struct hv_str name_of_c_function(struct hv_str line)
{
    static const char *const statements[] = {"if", "for", "while", "switch", "return", "else", "do", "sizeof", NULL};
    size_t open = hv_str_find_byte(line, '(', 0);
    struct hv_str whole = hv_str_trim(line);
    if (open == SIZE_MAX || !is_word_byte(line.ptr[0]) || whole.ptr[whole.len - 1] == ';')
        return (struct hv_str){0};
    size_t start = open;
    while (start > 0 && is_word_byte(line.ptr[start - 1]))
        start--;
    struct hv_str name = hv_str_slice(line, start, open);
    bool has_type = start > 0 && hv_str_find_byte(hv_str_slice(line, 0, start), '=', 0) == SIZE_MAX;
    return name.len && has_type && !is_one_of(name, statements) ? name : (struct hv_str){0};
}

static struct hv_str heading(struct hv_str line)
{
    size_t level = 0;
    while (level < line.len && line.ptr[level] == '#')
        level++;
    if (level == 0 || level > 4 || level >= line.len || line.ptr[level] != ' ')
        return (struct hv_str){0};
    return hv_str_slice(hv_str_trim(hv_str_slice(line, level, line.len)), 0, 60);
}

/* "name() {" of a shell, at the beginning of a line. */
static struct hv_str name_of_shell_function(struct hv_str line)
{
    struct hv_str rest = line, name = take_word(&rest);
    bool is_one = name.ptr && hv_str_starts(rest, HV_STR("()")) && hv_str_ends(line, HV_STR("{"));
    return is_one ? name : (struct hv_str){0};
}

/* "const name = (…) => {", after const, let or var. */
static struct hv_str name_of_arrow_function(struct hv_str name, struct hv_str rest)
{
    bool is_one =
        name.ptr && hv_str_starts(hv_str_trim(rest), HV_STR("=")) &&
        (hv_str_find(rest, HV_STR("=>"), 0) != SIZE_MAX || hv_str_find(rest, HV_STR("function"), 0) != SIZE_MAX);
    return is_one ? name : (struct hv_str){0};
}

/* "CREATE TABLE IF NOT EXISTS name (" of SQL, after CREATE. */
static struct hv_str name_of_sql(struct hv_str rest)
{
    static const char *const before[] = {
        "or",      "replace", "temporary", "unique", "materialized", "table", "view",   "function", "procedure",
        "trigger", "index",   "schema",    "type",   "if",           "not",   "exists", NULL};
    struct hv_str word;
    bool known;
    do {
        word = take_word(&rest);
        known = false;
        for (const char *const *each = before; word.ptr && *each && !known; each++)
            known = hv_str_eq_nocase(word, hv_str_from(*each));
    } while (known);
    if (!word.ptr && rest.len > 1) { /* a quoted name */
        rest = hv_str_trim(rest);
        rest = hv_str_slice(rest, 1, rest.len);
        word = take_word(&rest);
    }
    return word;
}

/* What an indented line defines: methods, where a keyword or the words before them and the bracket after them tell. */
static struct hv_str name_of_method(struct hv_str line, struct hv_str word, struct hv_str rest, bool has_access)
{
    static const char *const keywords[] = {"def",   "fn",        "fun",   "func", "function",
                                           "class", "interface", "trait", "sub",  NULL};
    if (word.ptr && is_one_of(word, keywords))
        return name_after_keyword(rest);
    return has_access && hv_str_ends(line, HV_STR("{")) ? name_of_c_function(line) : (struct hv_str){0};
}

struct before_name {
    struct hv_str word, rest; /* the first word that is no modifier, and what follows it */
    bool has_access, is_value;
};

static struct before_name skip_modifiers(struct hv_str rest)
{
    static const char *const modifiers[] = {
        "export",   "default", "async",   "pub",    "public",   "private", "protected", "internal", "static",
        "final",    "inline",  "extern",  "unsafe", "abstract", "declare", "template",  "partial",  "sealed",
        "override", "open",    "suspend", "const",  "typedef",  "let",     "var",       NULL};
    static const char *const access[] = {"public", "private", "protected", "internal", "static", "override", NULL};
    struct before_name found = {.rest = rest};
    do {
        found.word = take_word(&found.rest);
        if (found.word.ptr && hv_str_is(found.word, "pub") && found.rest.len &&
            found.rest.ptr[0] == '(') /* pub(crate) */
            found.rest = hv_str_slice(found.rest, hv_str_find_byte(found.rest, ')', 0) + 1, found.rest.len);
        found.has_access |= found.word.ptr && is_one_of(found.word, access);
        found.is_value =
            found.is_value || (found.word.ptr && (hv_str_is(found.word, "const") || hv_str_is(found.word, "let") ||
                                                  hv_str_is(found.word, "var")));
    } while (found.word.ptr && is_one_of(found.word, modifiers));
    return found;
}

static struct hv_str name_of_top(struct hv_str line, const struct before_name *before)
{
    static const char *const keywords[] = {"def",       "class", "function", "interface", "enum",   "trait",
                                           "impl",      "fn",    "func",     "fun",       "struct", "union",
                                           "type",      "mod",   "module",   "sub",       "record", "object",
                                           "namespace", "macro", "protocol", "extension", NULL};
    struct hv_str word = before->word, name = {0};
    if (word.ptr && is_one_of(word, keywords)) {
        /* "struct name *function(…" is a function of C, "struct name x;" a variable. */
        if (hv_str_is(word, "struct") && name_of_c_function(line).ptr)
            return name_of_c_function(line);
        bool variable = hv_str_is(word, "struct") && hv_str_ends(line, HV_STR(";"));
        return variable ? name : name_after_keyword(before->rest);
    }
    if (word.ptr && hv_str_eq_nocase(word, HV_STR("create")))
        return name_of_sql(before->rest);
    if (before->is_value)
        name = name_of_arrow_function(word, before->rest);
    if (!name.ptr)
        name = name_of_shell_function(line);
    return name.ptr ? name : name_of_c_function(line);
}

struct hv_str outline_definition(struct hv_str line)
{
    enum { LINE_MAX_LEN = 300, INDENT_MAX = 8 };
    if (line.len > LINE_MAX_LEN || !line.len)
        return (struct hv_str){0};
    if (line.ptr[0] == '#')
        return heading(line);
    size_t indent = 0;
    while (indent < line.len && (line.ptr[indent] == ' ' || line.ptr[indent] == '\t'))
        indent++;
    line = hv_str_trim(line);
    if (!line.len || indent > INDENT_MAX)
        return (struct hv_str){0};
    struct before_name before = skip_modifiers(line);
    return indent ? name_of_method(line, before.word, before.rest, before.has_access) : name_of_top(line, &before);
}

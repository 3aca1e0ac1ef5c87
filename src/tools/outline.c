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

struct hv_str outline_definition(struct hv_str line)
{
    static const char *const modifiers[] = {
        "export", "default", "async",    "pub",     "public",   "private", "protected", "static", "final",   "inline",
        "extern", "unsafe",  "abstract", "declare", "template", "partial", "sealed",    "const",  "typedef", NULL};
    static const char *const keywords[] = {"def",       "class", "function", "interface", "enum", "trait", "impl",
                                           "fn",        "func",  "struct",   "union",     "type", "mod",   "module",
                                           "namespace", "macro", "protocol", "extension", NULL};
    if (line.len > 300 || !line.len)
        return (struct hv_str){0};
    if (line.ptr[0] == '#')
        return heading(line);
    bool indented = line.ptr[0] == ' ';
    if (indented && !hv_str_starts(line, HV_STR("    def ")) && !hv_str_starts(line, HV_STR("    async def ")))
        return (struct hv_str){0};
    struct hv_str rest = line, word;
    do {
        word = take_word(&rest);
        if (word.ptr && hv_str_is(word, "pub") && rest.len && rest.ptr[0] == '(') /* pub(crate) */
            rest = hv_str_slice(rest, hv_str_find_byte(rest, ')', 0) + 1, rest.len);
    } while (word.ptr && is_one_of(word, modifiers));
    if (word.ptr && is_one_of(word, keywords)) {
        struct hv_str name = name_after_keyword(rest);
        /* "struct name *function(…" is a function of C, "struct name x;" a variable. */
        if (hv_str_is(word, "struct") && name_of_c_function(line).ptr)
            return name_of_c_function(line);
        bool variable = hv_str_is(word, "struct") && hv_str_ends(hv_str_trim(line), HV_STR(";"));
        return variable ? (struct hv_str){0} : name;
    }
    return name_of_c_function(line);
}

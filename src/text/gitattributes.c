/* gitattributes.c: see gitattributes.h. As git does, lines are taken from the last to the first, and so are the
 * attributes of a line: what is known already stays. */
#include "text/gitattributes.h"

#include "text/glob.h"
#include "text/lines.h"

#include <string.h>

enum { LINE_MAX_BYTES = 2048, DEPTH_MAX = 8, PATTERN_BYTES_MAX = 1024 };

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* The last word of *rest, taken off; absent at the front. */
static struct hv_str last_word(struct hv_str *rest)
{
    size_t end = rest->len;
    while (end && is_blank(rest->ptr[end - 1]))
        end--;
    size_t begin = end;
    while (begin && !is_blank(rest->ptr[begin - 1]))
        begin--;
    struct hv_str word = hv_str_slice(*rest, begin, end);
    *rest = hv_str_slice(*rest, 0, begin);
    return word;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static struct gitattributes_value read_value(struct hv_str word, struct hv_str *name)
{
    size_t equals = hv_str_find_byte(word, '=', 0);
    *name = word;
    if (word.len && word.ptr[0] == '-') {
        *name = hv_str_slice(word, 1, word.len);
        return (struct gitattributes_value){.state = GITATTRIBUTES_UNSET};
    }
    if (word.len && word.ptr[0] == '!') {
        *name = hv_str_slice(word, 1, word.len);
        return (struct gitattributes_value){.state = GITATTRIBUTES_UNSPECIFIED};
    }
    if (equals == SIZE_MAX)
        return (struct gitattributes_value){.state = GITATTRIBUTES_SET};
    *name = hv_str_slice(word, 0, equals);
    return (struct gitattributes_value){GITATTRIBUTES_VALUE, hv_str_slice(word, equals + 1, word.len)};
}

static bool set(struct gitattributes *attributes, struct hv_str name, struct gitattributes_value value)
{
    static const struct {
        const char *name;
        size_t value, has;
    } known[] = {
        {"text", offsetof(struct gitattributes, text), offsetof(struct gitattributes, has_text)},
        {"eol", offsetof(struct gitattributes, eol), offsetof(struct gitattributes, has_eol)},
        {"working-tree-encoding", offsetof(struct gitattributes, encoding),
         offsetof(struct gitattributes, has_encoding)},
        {"crlf", offsetof(struct gitattributes, crlf), offsetof(struct gitattributes, has_crlf)},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!hv_str_is(name, known[i].name))
            continue;
        bool *has = (bool *)((char *)attributes + known[i].has);
        if (!*has)
            *(struct gitattributes_value *)((char *)attributes + known[i].value) = value;
        *has = true;
        return true;
    }
    return false;
}

static void apply_words(struct gitattributes *attributes, struct hv_str words, unsigned depth);

/* The macro of that name, "binary" in any case, when it is heard of for the first time and set. */
static void apply_macro(struct gitattributes *attributes, struct hv_str name, enum gitattributes_state state,
                        unsigned depth)
{
    for (size_t i = 0; i < attributes->macro_count; i++) {
        if (!hv_str_eq(name, attributes->macros[i].name))
            continue;
        bool known = attributes->macros[i].known;
        attributes->macros[i].known = true;
        if (!known && state == GITATTRIBUTES_SET)
            apply_words(attributes, attributes->macros[i].attributes, depth + 1);
        return;
    }
}

/* depth: of macros in macros. */
static void apply_words(struct gitattributes *attributes, struct hv_str words, unsigned depth)
{
    for (struct hv_str word; depth < DEPTH_MAX && (word = last_word(&words)).len;) {
        struct hv_str name;
        struct gitattributes_value value = read_value(word, &name);
        if (!set(attributes, name, value))
            apply_macro(attributes, name, value.state, depth);
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* The character that an escape in a quoted pattern stands for. */
static char unescaped(char byte)
{
    static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
    const char *at = memchr(from, byte, sizeof from - 1);
    return at ? to[at - from] : byte;
}

/* Take the pattern off the line: in quotes as C writes them, or up to a blank. False: it is none. */
static bool take_pattern(struct hv_str *line, char pattern[PATTERN_BYTES_MAX], size_t *len)
{
    size_t at = 0;
    *len = 0;
    bool quoted = line->len && line->ptr[0] == '"';
    for (at = quoted; at < line->len && *len + 1 < PATTERN_BYTES_MAX; at++) {
        char byte = line->ptr[at];
        if (quoted ? byte == '"' : is_blank(byte))
            break;
        if (quoted && byte == '\\' && at + 1 < line->len)
            byte = unescaped(line->ptr[++at]);
        pattern[(*len)++] = byte;
    }
    bool ended = !quoted || (at < line->len && line->ptr[at] == '"');
    *line = hv_str_slice(*line, at + quoted, line->len);
    return ended && *len > 0;
}

static bool matches(struct hv_str pattern, struct hv_str path)
{
    if (!pattern.len || pattern.ptr[0] == '!' || pattern.ptr[pattern.len - 1] == '/')
        return false;
    if (hv_str_find_byte(pattern, '/', 0) == SIZE_MAX) {
        size_t slash = hv_str_rfind_byte(path, '/');
        struct hv_str name = slash == SIZE_MAX ? path : hv_str_slice(path, slash + 1, path.len);
        return glob_match(pattern, name, 0);
    }
    if (pattern.ptr[0] == '/')
        pattern = hv_str_slice(pattern, 1, pattern.len);
    return glob_match(pattern, path, GLOB_PATHNAME);
}

/* The last line of *rest, taken off. */
static bool last_line(struct hv_str *rest, struct hv_str *line)
{
    if (!rest->len)
        return false;
    size_t end = rest->ptr[rest->len - 1] == '\n' ? rest->len - 1 : rest->len;
    size_t begin = lines_begin(*rest, end);
    *line = hv_str_trim(hv_str_slice(*rest, begin, end));
    *rest = hv_str_slice(*rest, 0, begin);
    return true;
}

static struct hv_str without_mark(struct hv_str text)
{
    return hv_str_starts(text, HV_STR("\xef\xbb\xbf")) ? hv_str_slice(text, 3, text.len) : text;
}

void gitattributes_learn(struct gitattributes *attributes, struct hv_str text)
{
    struct hv_str line, rest = without_mark(text);
    if (!attributes->macro_count) {
        attributes->macros[0].name = HV_STR("binary");
        attributes->macros[0].attributes = HV_STR("-diff -merge -text");
        attributes->macro_count = 1;
    }
    while (last_line(&rest, &line)) {
        if (!hv_str_starts(line, HV_STR("[attr]")) || attributes->macro_count == GITATTRIBUTES_MACROS_MAX)
            continue;
        line = hv_str_trim(hv_str_slice(line, 6, line.len));
        size_t end = 0;
        while (end < line.len && !is_blank(line.ptr[end]))
            end++;
        attributes->macros[attributes->macro_count].name = hv_str_slice(line, 0, end);
        attributes->macros[attributes->macro_count++].attributes = hv_str_slice(line, end, line.len);
    }
}

void gitattributes_apply(struct gitattributes *attributes, struct hv_str text, struct hv_str path)
{
    struct hv_str line, rest = without_mark(text);
    char pattern[PATTERN_BYTES_MAX];
    size_t len;
    if (!attributes->macro_count)
        gitattributes_learn(attributes, HV_STR(""));
    while (last_line(&rest, &line))
        if (line.len && line.len <= LINE_MAX_BYTES && line.ptr[0] != '#' && !hv_str_starts(line, HV_STR("[attr]")) &&
            take_pattern(&line, pattern, &len) && matches(hv_str_of(pattern, len), path))
            apply_words(attributes, line, 0);
}

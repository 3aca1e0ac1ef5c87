/*
 * editorconfig.c: see editorconfig.h. A pattern has its braces expanded first; each alternative then becomes a walk
 * over the set of places in the path that can have been reached: element by element, so that no pattern costs more than
 * its length times that of the path.
 */
#include "text/editorconfig.h"

#include "base/cleanup.h"
#include "text/lines.h"

#include <stdlib.h>
#include <string.h>

enum { PATTERN_MAX = 1024, PATH_MAX_BYTES = 4096, ALTERNATIVES_MAX = 256, NUMBER_DIGITS = 9 };

/* ---- one alternative --------------------------------------------------------------------------------------------- */

/* The places of the path that are reached; reached[i]: before byte i. */
struct walk {
    struct hv_str path;
    bool *reached, *next;
};

static void step_done(struct walk *walk)
{
    bool *former = walk->reached;
    walk->reached = walk->next;
    walk->next = former;
    memset(walk->next, 0, walk->path.len + 1);
}

static size_t character_len(struct hv_str text, size_t at)
{
    size_t len = 1;
    while (at + len < text.len && ((unsigned char)text.ptr[at + len] & 0xc0) == 0x80)
        len++;
    return len;
}

static void step_byte(struct walk *walk, char byte)
{
    for (size_t i = 0; i < walk->path.len; i++)
        walk->next[i + 1] = walk->reached[i] && walk->path.ptr[i] == byte;
    step_done(walk);
}

static void step_any(struct walk *walk)
{
    for (size_t i = 0; i < walk->path.len; i++)
        if (walk->reached[i] && walk->path.ptr[i] != '/')
            walk->next[i + character_len(walk->path, i)] = true;
    step_done(walk);
}

static void step_star(struct walk *walk, bool over_slashes)
{
    bool on = false;
    for (size_t i = 0; i <= walk->path.len; i++) {
        on |= walk->reached[i];
        walk->next[i] = on;
        on &= i < walk->path.len && (over_slashes || walk->path.ptr[i] != '/');
    }
    step_done(walk);
}

/* A slash, a double star, a slash: one slash, or two with anything between. */
static void step_directories(struct walk *walk)
{
    bool on = false;
    for (size_t i = 0; i < walk->path.len; i++) {
        bool slash = walk->path.ptr[i] == '/';
        if (slash && (walk->reached[i] || on))
            walk->next[i + 1] = true;
        on |= walk->reached[i] && slash;
    }
    step_done(walk);
}

/* class is what stands between the brackets. */
static bool class_has(struct hv_str class, const char *wanted, size_t len)
{
    bool negated = class.len && (class.ptr[0] == '!' || class.ptr[0] == '^'), found = false;
    for (size_t i = negated; i < class.len;) {
        i += class.ptr[i] == '\\' && i + 1 < class.len;
        size_t size = character_len(class, i);
        size_t dash = i + size;
        if (dash + 1 < class.len && class.ptr[dash] == '-' && size == 1 && len == 1) {
            found |= (unsigned char)class.ptr[i] <= (unsigned char)*wanted &&
                     (unsigned char)*wanted <= (unsigned char)class.ptr[dash + 1];
            i = dash + 2;
            continue;
        }
        found |= size == len && memcmp(class.ptr + i, wanted, len) == 0;
        i += size;
    }
    return found != negated;
}

static void step_class(struct walk *walk, struct hv_str class)
{
    for (size_t i = 0; i < walk->path.len; i++) {
        size_t len = character_len(walk->path, i);
        if (walk->reached[i] && walk->path.ptr[i] != '/' && class_has(class, walk->path.ptr + i, len))
            walk->next[i + len] = true;
    }
    step_done(walk);
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The length of a number at the start of text: a sign and digits, without leading zeros; 0: none. */
static size_t number_len(struct hv_str text, long *value)
{
    size_t sign = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+'), len = sign;
    char digits[NUMBER_DIGITS + 3] = {0};
    while (len < text.len && len - sign < NUMBER_DIGITS && is_digit(text.ptr[len]))
        len++;
    if (len == sign)
        return 0;
    memcpy(digits, text.ptr, len);
    *value = strtol(digits, NULL, 10);
    return len;
}

static bool read_range(struct hv_str text, long *low, long *high)
{
    size_t first = number_len(text, low);
    if (!first || !hv_str_starts(hv_str_slice(text, first, text.len), HV_STR("..")))
        return false;
    struct hv_str rest = hv_str_slice(text, first + 2, text.len);
    if (!rest.len || number_len(rest, high) != rest.len)
        return false;
    if (*low > *high) {
        long other = *low;
        *low = *high;
        *high = other;
    }
    return true;
}

static void step_number(struct walk *walk, long low, long high)
{
    for (size_t i = 0; i < walk->path.len; i++) {
        long value;
        size_t len = walk->reached[i] ? number_len(hv_str_slice(walk->path, i, walk->path.len), &value) : 0;
        for (; len; len--) {
            struct hv_str part = hv_str_slice(walk->path, i, i + len);
            size_t sign = !is_digit(part.ptr[0]);
            bool zeros = part.len > sign + 1 && part.ptr[sign] == '0';
            if (number_len(part, &value) == len && !zeros && low <= value && value <= high)
                walk->next[i + len] = true;
        }
    }
    step_done(walk);
}

/* The class that begins at pattern[at] == '[', or SIZE_MAX when it is a mere bracket; its end is behind the ']'. */
static size_t class_end(struct hv_str pattern, size_t at)
{
    for (size_t i = at + 1; i < pattern.len; i++) {
        if (pattern.ptr[i] == '/')
            return SIZE_MAX;
        if (pattern.ptr[i] == '\\')
            i++;
        else if (pattern.ptr[i] == ']' && i > at + 1)
            return i + 1;
    }
    return SIZE_MAX;
}

/* Take one element off the pattern at `at`; returns where the next begins. */
static size_t step(struct walk *walk, struct hv_str pattern, size_t at)
{
    struct hv_str rest = hv_str_slice(pattern, at, pattern.len);
    long low, high;
    size_t end = rest.ptr[0] == '{' ? hv_str_find_byte(rest, '}', 0) : SIZE_MAX;
    if (end != SIZE_MAX && read_range(hv_str_slice(rest, 1, end), &low, &high)) {
        step_number(walk, low, high);
        return at + end + 1;
    }
    if (hv_str_starts(rest, HV_STR("/**/"))) {
        step_directories(walk);
        return at + 4;
    }
    if (rest.ptr[0] == '*') {
        bool both = hv_str_starts(rest, HV_STR("**"));
        step_star(walk, both);
        return at + 1 + both;
    }
    end = rest.ptr[0] == '[' ? class_end(pattern, at) : SIZE_MAX;
    if (end != SIZE_MAX) {
        step_class(walk, hv_str_slice(pattern, at + 1, end - 1));
        return end;
    }
    bool escaped = rest.ptr[0] == '\\' && rest.len > 1;
    if (rest.ptr[0] == '?')
        step_any(walk);
    else
        step_byte(walk, rest.ptr[escaped]);
    return at + 1 + escaped;
}

static bool match_alternative(struct hv_str pattern, struct hv_str path)
{
    CLEANUP_FREE bool *reached = hv_calloc(2 * (path.len + 1), sizeof *reached);
    struct walk walk = {.path = path, .reached = reached, .next = reached + path.len + 1};
    reached[0] = true;
    for (size_t at = 0; at < pattern.len;)
        at = step(&walk, pattern, at);
    return walk.reached[path.len];
}

/* ---- braces ------------------------------------------------------------------------------------------------------ */

/* The brace that closes the one at `open`, counting nested ones; *commas tells whether there is one between them at its
 * own depth. SIZE_MAX: none. */
static size_t closing(struct hv_str pattern, size_t open, bool *commas)
{
    size_t depth = 0;
    *commas = false;
    for (size_t i = open; i < pattern.len; i++) {
        char byte = pattern.ptr[i];
        if (byte == '\\')
            i++;
        else if (byte == '{')
            depth++;
        else if (byte == '}' && --depth == 0)
            return i;
        else if (byte == ',' && depth == 1)
            *commas = true;
    }
    return SIZE_MAX;
}

/* Every brace has its partner; else all of them are plain characters. */
static bool is_balanced(struct hv_str pattern)
{
    size_t depth = 0;
    for (size_t i = 0; i < pattern.len; i++) {
        if (pattern.ptr[i] == '\\')
            i++;
        else if (pattern.ptr[i] == '{')
            depth++;
        else if (pattern.ptr[i] == '}' && !depth--)
            return false;
    }
    return depth == 0;
}

/* Where the first list of alternatives opens, and closes; SIZE_MAX: there is none. */
static size_t first_list(struct hv_str pattern, size_t *close)
{
    for (size_t i = 0; i < pattern.len; i++) {
        bool commas;
        if (pattern.ptr[i] == '\\') {
            i++;
            continue;
        }
        if (pattern.ptr[i] != '{')
            continue;
        *close = closing(pattern, i, &commas);
        if (*close != SIZE_MAX && commas)
            return i;
    }
    return SIZE_MAX;
}

/* Patterns to be tried: a stack, the last one next. */
struct alternatives {
    struct hv_arena arena;
    struct hv_str patterns[ALTERNATIVES_MAX];
    size_t count;
};

static bool push_alternatives(struct alternatives *all, struct hv_str pattern, size_t open, size_t close)
{
    size_t depth = 0, begin = open + 1;
    for (size_t i = open + 1; i <= close; i++) {
        char byte = pattern.ptr[i];
        if (byte == '\\') {
            i++;
            continue;
        }
        depth += byte == '{';
        if (depth && byte == '}') {
            depth--;
            continue;
        }
        if (depth || (byte != ',' && i != close))
            continue;
        if (all->count == ALTERNATIVES_MAX)
            return false;
        all->patterns[all->count++] = hv_arena_format(
            &all->arena, "%.*s%.*s%.*s", HV_STR_ARG(hv_str_slice(pattern, 0, open)),
            HV_STR_ARG(hv_str_slice(pattern, begin, i)), HV_STR_ARG(hv_str_slice(pattern, close + 1, pattern.len)));
        begin = i + 1;
    }
    return true;
}

static bool match_whole(struct hv_str pattern, struct hv_str path)
{
    struct alternatives all = {.patterns = {pattern}, .count = 1};
    bool braces = is_balanced(pattern), matched = false, room = true;
    for (size_t tried = 0; all.count && room && !matched && tried < (size_t)ALTERNATIVES_MAX * 4; tried++) {
        struct hv_str next = all.patterns[--all.count];
        size_t close, open = braces ? first_list(next, &close) : SIZE_MAX;
        if (open == SIZE_MAX)
            matched = match_alternative(next, path);
        else
            room = push_alternatives(&all, next, open, close);
    }
    hv_arena_release(&all.arena);
    return matched;
}

bool editorconfig_match(struct hv_str pattern, struct hv_str path)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    if (!pattern.len || pattern.len > PATTERN_MAX || path.len > PATH_MAX_BYTES)
        return false;
    bool has_slash = hv_str_find_byte(pattern, '/', 0) != SIZE_MAX;
    const char *before = !has_slash ? "/**/" : pattern.ptr[0] == '/' ? "" : "/";
    return match_whole(hv_arena_format(&arena, "%s%.*s", before, HV_STR_ARG(pattern)),
                       hv_arena_format(&arena, "/%.*s", HV_STR_ARG(path)));
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* One line of a file, as far as it says something. */
struct entry {
    struct hv_str section;    /* a header; else absent */
    struct hv_str key, value; /* value without a comment behind it */
};

static bool read_entry(struct hv_str line, struct entry *entry)
{
    line = hv_str_trim(line);
    *entry = (struct entry){0};
    if (!line.len || line.ptr[0] == '#' || line.ptr[0] == ';')
        return false;
    if (line.ptr[0] == '[') {
        size_t close = hv_str_rfind_byte(line, ']');
        if (close == SIZE_MAX || close < 1)
            return false;
        entry->section = hv_str_slice(line, 1, close);
        return true;
    }
    size_t equals = hv_str_find_byte(line, '=', 0);
    equals = equals == SIZE_MAX ? hv_str_find_byte(line, ':', 0) : equals;
    if (equals == SIZE_MAX)
        return false;
    entry->key = hv_str_trim(hv_str_slice(line, 0, equals));
    entry->value = hv_str_trim(hv_str_slice(line, equals + 1, line.len));
    for (size_t i = 1; i < entry->value.len; i++)
        if ((entry->value.ptr[i] == '#' || entry->value.ptr[i] == ';') &&
            (entry->value.ptr[i - 1] == ' ' || entry->value.ptr[i - 1] == '\t'))
            entry->value = hv_str_trim(hv_str_slice(entry->value, 0, i));
    return true;
}

static struct hv_str without_mark(struct hv_str text)
{
    return hv_str_starts(text, HV_STR("\xef\xbb\xbf")) ? hv_str_slice(text, 3, text.len) : text;
}

bool editorconfig_is_root(struct hv_str text)
{
    struct hv_str line;
    struct entry entry;
    bool root = false;
    text = without_mark(text);
    while (lines_next(&text, &line)) {
        if (!read_entry(line, &entry))
            continue;
        if (entry.section.ptr)
            return root;
        if (hv_str_eq_nocase(entry.key, HV_STR("root")))
            root = hv_str_eq_nocase(entry.value, HV_STR("true"));
    }
    return root;
}

/* The place of value among names, from 1; 0 when it is none of them (and so for "unset"). */
static unsigned which(struct hv_str value, const char *const *names)
{
    for (unsigned i = 0; names[i]; i++)
        if (hv_str_eq_nocase(value, hv_str_from(names[i])))
            return i + 1;
    return 0;
}

static void take(const struct entry *entry, struct editorconfig *settings)
{
    static const char *const ends[] = {"lf", "crlf", "cr", NULL};
    static const char *const charsets[] = {"utf-8", "utf-8-bom", "latin1", "utf-16le", "utf-16be", NULL};
    if (hv_str_eq_nocase(entry->key, HV_STR("end_of_line")))
        settings->end = (enum editorconfig_end)which(entry->value, ends);
    else if (hv_str_eq_nocase(entry->key, HV_STR("charset")))
        settings->charset = (enum editorconfig_charset)which(entry->value, charsets);
    else if (hv_str_eq_nocase(entry->key, HV_STR("insert_final_newline")))
        settings->final_newline = hv_str_eq_nocase(entry->value, HV_STR("true"));
}

void editorconfig_apply(struct hv_str text, struct hv_str path, struct editorconfig *settings)
{
    struct hv_str line;
    struct entry entry;
    bool matches = false;
    text = without_mark(text);
    while (lines_next(&text, &line)) {
        if (!read_entry(line, &entry))
            continue;
        if (entry.section.ptr)
            matches = editorconfig_match(entry.section, path);
        else if (matches)
            take(&entry, settings);
    }
}

/*
 * read.c: the JSON reader (helve/json.h). One pass, no recursion: an array of open levels takes the place of the
 * stack. Nodes come from the arena in chunks; strings without escapes are views of the source, the others are
 * decoded into the arena once. Every error is raised by fail_at, which finds line and column only then.
 */
#include "base/map.h"
#include "base/utf8.h"
#include "json/scan.h"

#include <helve/json.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK_FIRST = 8, CHUNK_LARGEST = 512, SPOT_CHARACTERS = 16, PAIRWISE_MAX = 16 };

/* An array or object whose end was not read yet, and its last child so far. */
struct level {
    struct hv_json *container, *last;
};

struct reader {
    struct hv_arena *arena;
    const char *text, *at, *end; /* at: the next byte to read */
    unsigned flags;
    enum hv_code code;
    struct hv_error *err;
    struct hv_json *nodes, *nodes_end; /* the rest of the current chunk */
    size_t chunk;
    uint32_t depth;
    struct level levels[HV_JSON_DEPTH_MAX];
};

/* ---- errors -------------------------------------------------------------------------------------------- */

/* The next characters of the source, made fit for a message. */
static void quote_spot(char out[SPOT_CHARACTERS * 4 + 1], const char *at, const char *end)
{
    struct hv_str rest = hv_str_of(at, (size_t)(end - at));
    size_t length = 0, offset = 0;
    for (int i = 0; i < SPOT_CHARACTERS && offset < rest.len; i++) {
        uint32_t code_point;
        size_t size = utf8_decode(rest, offset, &code_point);
        if (code_point == UTF8_INVALID || code_point < ' ' || code_point == 0x7f)
            length += (size_t)snprintf(out + length, 5, "\\x%02x", (unsigned char)rest.ptr[offset]);
        else
            length += utf8_encode(out + length, code_point);
        offset += size;
    }
    out[length] = '\0';
}

static void set_place(const struct reader *r, const char *at)
{
    size_t line = 1, column = 1;
    const char *line_start = r->text;
    for (const char *newline = r->text; (newline = memchr(newline, '\n', (size_t)(at - newline))); line++)
        line_start = ++newline;
    for (const char *byte = line_start; byte < at; byte++)
        column += ((unsigned char)*byte & 0xc0) != 0x80;
    hv_error_place(r->err, "%zu:%zu", line, column);
}

/* What to do about some frequent mistakes, told by the byte that was not expected. */
static const char *hint_for(const char *at, const char *end)
{
    switch (at < end ? *at : '\0') {
    case '\'': return "names and strings take double quotes in JSON";
    case '/':
    case '#': return "JSON has no comments; remove them";
    case '}':
    case ']': return "remove the comma before it, or add what is missing";
    case '+':
    case '.': return "a number starts with a digit or a minus sign";
    case 'N':
    case 'I':
    case 'T':
    case 'F':
    case 'u': return "JSON knows true, false and null in lower case, but no NaN, Infinity or undefined";
    case '\\': return "a backslash may only stand inside a string; was the text escaped twice?";
    case '\xef': return "remove the byte-order mark";
    default: return "";
    }
}

/* Record what is wrong at a place of the source. Always false. */
static bool fail_at(struct reader *r, enum hv_code code, const char *at, const char *what, const char *hint)
{
    char spot[SPOT_CHARACTERS * 4 + 1];
    r->code = code;
    if (!r->err)
        return false;
    size_t offset = (size_t)(at - r->text);
    if (at == r->end) {
        hv_fail(r->err, code, "%s at byte %zu, but the text ends there", what, offset);
        hint = r->text == r->end ? "the text is empty" : "the JSON is cut off; send it whole";
    } else {
        quote_spot(spot, at, r->end);
        hv_fail(r->err, code, "%s at byte %zu, found: %s", what, offset, spot);
    }
    hv_error_hint(r->err, "%s", hint);
    set_place(r, at);
    return false;
}

static bool fail_expected(struct reader *r, const char *what)
{
    return fail_at(r, HV_EINVAL, r->at, what, hint_for(r->at, r->end));
}

/* ---- small parts --------------------------------------------------------------------------------------- */

static inline void skip_blanks(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
        r->at++;
}

static inline bool next_is(const struct reader *r, char byte)
{
    return r->at < r->end && *r->at == byte;
}

static struct hv_json *new_node(struct reader *r)
{
    if (r->nodes == r->nodes_end) {
        r->chunk = r->chunk < CHUNK_LARGEST ? r->chunk * 2 : CHUNK_LARGEST;
        r->nodes = hv_arena_alloc(r->arena, r->chunk * sizeof *r->nodes);
        r->nodes_end = r->nodes + r->chunk;
    }
    struct hv_json *node = r->nodes++;
    *node = (struct hv_json){0};
    return node;
}

static bool read_literal(struct reader *r, struct hv_json *value, struct hv_str word, enum hv_json_type type)
{
    if ((size_t)(r->end - r->at) < word.len || memcmp(r->at, word.ptr, word.len) != 0) {
        /* A text that ends within the word is cut off, not misspelt. */
        size_t rest = (size_t)(r->end - r->at);
        if (rest < word.len && memcmp(r->at, word.ptr, rest) == 0)
            r->at = r->end;
        return fail_expected(r, "expected a value");
    }
    r->at += word.len;
    value->type = type;
    return true;
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static inline bool skip_digits(struct reader *r)
{
    const char *start = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return r->at > start;
}

static bool read_number(struct reader *r, struct hv_json *value)
{
    const char *start = r->at;
    if (*r->at == '-')
        r->at++;
    if (next_is(r, '0')) {
        r->at++;
        if (r->at < r->end && *r->at >= '0' && *r->at <= '9')
            return fail_at(r, HV_EINVAL, start, "a number may not start with a superfluous 0",
                           "remove the leading zeros");
    } else if (!skip_digits(r)) {
        return fail_at(r, HV_EINVAL, r->at, "expected a digit", "");
    }
    if (next_is(r, '.')) {
        r->at++;
        if (!skip_digits(r))
            return fail_at(r, HV_EINVAL, r->at, "expected a digit after the decimal point", "");
    }
    if (next_is(r, 'e') || next_is(r, 'E')) {
        r->at++;
        if (next_is(r, '+') || next_is(r, '-'))
            r->at++;
        if (!skip_digits(r))
            return fail_at(r, HV_EINVAL, r->at, "expected a digit in the exponent", "");
    }
    value->type = HV_JSON_NUMBER;
    value->text = hv_str_of(start, (size_t)(r->at - start));
    return true;
}

/* ---- strings ------------------------------------------------------------------------------------------- */

size_t scan_wide_exact(const char *at, const char *end)
{
    uint32_t code_point;
    size_t length = utf8_decode(hv_str_of(at, (size_t)(end - at)), 0, &code_point);
    return code_point == UTF8_INVALID ? 0 : length;
}

/* The first byte that cannot be taken as it is: quote, backslash, control character, ill-formed UTF-8, or the end. */
static const char *scan_string(const char *at, const char *end)
{
    for (;;) {
        const char *wide = scan_plain(at, end);
        at = scan_wide_run(wide, end, end);
        if (at == end || at == wide || *at == '"' || *at == '\\' || (unsigned char)*at < ' ')
            return at;
    }
}

/* The quote that closes a string, or the end. */
static const char *find_closing_quote(const char *at, const char *end)
{
    while ((at = scan_quote(at, end)) < end && *at == '\\')
        at = end - at > 1 ? at + 2 : end;
    return at;
}

/* Four hexadecimal digits, or -1. */
static int32_t read_hex4(const char *at, const char *end)
{
    int32_t value = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)at[i], lower = c | 0x20;
        if (c >= '0' && c <= '9')
            value = value << 4 | (c - '0');
        else if (lower >= 'a' && lower <= 'f')
            value = value << 4 | (lower - 'a' + 10);
        else
            return -1;
    }
    return value;
}

/* Read \uXXXX, or a pair of them, at *at into out; moves both. */
static bool read_unicode_escape(struct reader *r, const char **at, char **out)
{
    const char *escape = *at;
    int32_t high = read_hex4(escape + 2, r->end);
    if (high < 0) {
        const char *cut = r->end - escape < 6 ? r->end : escape;
        for (const char *digit = escape + 2; digit < cut; digit++)
            if (!strchr("0123456789abcdefABCDEF", *digit) || !*digit)
                cut = escape;
        return fail_at(r, HV_EINVAL, cut, "expected four hexadecimal digits after \\u", "");
    }
    uint32_t code_point = (uint32_t)high;
    *at += 6;
    if (high >= 0xd800 && high < 0xe000) {
        int32_t low =
            high < 0xdc00 && r->end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u' ? read_hex4(*at + 2, r->end) : -1;
        if (low >= 0xdc00 && low < 0xe000) {
            code_point = 0x10000 + (((uint32_t)high - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
            *at += 6;
        } else if (!(r->flags & HV_JSON_REPAIR_SURROGATES)) {
            return fail_at(r, HV_EINVAL, escape, "half of a surrogate pair stands alone",
                           "write the character itself, or both halves of the pair");
        }
    }
    *out += utf8_encode(*out, code_point); /* a lone half becomes U+FFFD */
    return true;
}

/* Read the escape sequence at *at into out; moves both. */
static bool read_escape(struct reader *r, const char **at, char **out)
{
    if (r->end - *at < 2)
        return fail_at(r, HV_EINVAL, r->end, "expected the rest of an escape sequence", "");
    char byte;
    switch ((*at)[1]) {
    case '"':
    case '\\':
    case '/': byte = (*at)[1]; break;
    case 'b': byte = '\b'; break;
    case 'f': byte = '\f'; break;
    case 'n': byte = '\n'; break;
    case 'r': byte = '\r'; break;
    case 't': byte = '\t'; break;
    case 'u': return read_unicode_escape(r, at, out);
    default: return fail_at(r, HV_EINVAL, *at, "no such escape sequence", "write a backslash as two: \\\\");
    }
    *(*out)++ = byte;
    *at += 2;
    return true;
}

static bool fail_control(struct reader *r, const char *at)
{
    char what[64], hint[32];
    unsigned byte = (unsigned char)*at;
    snprintf(what, sizeof what, "control character U+%04X inside a string", byte);
    snprintf(hint, sizeof hint,
             byte == '\n'   ? "write it as \\n"
             : byte == '\t' ? "write it as \\t"
                            : "write it as \\u%04x",
             byte);
    return fail_at(r, HV_EINVAL, at, what, hint);
}

/* What stands at *at is not plain text: take it into out, moving both, or fail. */
static bool read_special(struct reader *r, const char **at, char **out)
{
    if (*at == r->end)
        return fail_at(r, HV_EINVAL, r->end, "expected the closing quote of a string", "");
    if (**at == '\\')
        return read_escape(r, at, out);
    if ((unsigned char)**at < ' ')
        return fail_control(r, *at);
    const char *wide = *at;
    *at = scan_copy_wide_run(out, wide, r->end, r->end);
    if (*at > wide)
        return true;
    if (!(r->flags & HV_JSON_REPAIR_UTF8))
        return fail_at(r, HV_EINVAL, *at, "invalid UTF-8 inside a string",
                       "the text must be UTF-8; convert it, or write the bytes as \\u escapes");
    uint32_t code_point;
    *at += utf8_decode(hv_str_of(*at, (size_t)(r->end - *at)), 0, &code_point);
    *out += utf8_encode(*out, 0xfffd);
    return true;
}

/* Decode a string that is not a plain view: [start, at) was found to be plain. r->at moves behind its quote. */
static bool read_decoded_string(struct reader *r, const char *start, const char *at, struct hv_str *text)
{
    /* Decoding never lengthens a string, but for the repair of UTF-8: one bad byte gives three. */
    const char *quote = find_closing_quote(at, r->end);
    size_t bound = (size_t)(quote - start);
    if (r->flags & HV_JSON_REPAIR_UTF8 && !utf8_valid(hv_str_of(at, (size_t)(quote - at))))
        bound *= 3;
    char *room = hv_arena_alloc(r->arena, bound + SCAN_STEP), *out = room;
    memcpy(out, start, (size_t)(at - start));
    out += at - start;
    while (at == r->end || *at != '"') {
        if (!read_special(r, &at, &out))
            return false;
        at = scan_copy_plain(&out, at, r->end);
    }
    *text = hv_str_of(room, (size_t)(out - room));
    r->at = at + 1;
    return true;
}

/* Read the string whose opening quote is at r->at. */
static inline bool read_string(struct reader *r, struct hv_str *text)
{
    const char *start = r->at + 1, *at = scan_string(start, r->end);
    if (at == r->end || *at != '"')
        return read_decoded_string(r, start, at, text);
    *text = hv_str_of(start, (size_t)(at - start));
    r->at = at + 1;
    return true;
}

/* ---- arrays and objects -------------------------------------------------------------------------------- */

static bool fail_duplicate(struct reader *r, const struct hv_json *member)
{
    return fail_at(r, HV_EINVAL, r->text + member->key_start, "a member of this name was already given",
                   "name each member once");
}

static bool check_unique_names(struct reader *r, const struct hv_json *object)
{
    if (object->count <= PAIRWISE_MAX) {
        hv_json_each(member, object)
        {
            for (const struct hv_json *earlier = object->first; earlier != member; earlier = earlier->next)
                if (hv_str_eq(earlier->key, member->key))
                    return fail_duplicate(r, member);
        }
        return true;
    }
    struct map seen = {0};
    const struct hv_json *member = object->first;
    while (member && !map_set(&seen, member->key, (void *)(uintptr_t)member))
        member = member->next;
    map_release(&seen);
    return member ? fail_duplicate(r, member) : true;
}

/* Open the array or object at r->at; *open tells whether values follow. An empty one is closed at once. */
static bool open_container(struct reader *r, struct hv_json *value, enum hv_json_type type, char closing, bool *open)
{
    if (r->depth == HV_JSON_DEPTH_MAX)
        return fail_at(r, HV_ETOOBIG, r->at, "nested deeper than 512 levels", "flatten the data");
    value->type = type;
    r->at++;
    skip_blanks(r);
    if (next_is(r, closing)) {
        r->at++;
        return true;
    }
    r->levels[r->depth++] = (struct level){value, NULL};
    *open = true;
    return true;
}

/* What is no number to JSON, but to many who write it. False also when there is none. */
static bool read_no_number(struct reader *r, struct hv_json *value)
{
    const struct hv_str words[] = {HV_STR("NaN"), HV_STR("Infinity"), HV_STR("-Infinity")};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((size_t)(r->end - r->at) >= words[i].len && memcmp(r->at, words[i].ptr, words[i].len) == 0)
            return read_literal(r, value, words[i], HV_JSON_NULL);
    return false;
}

/* Read one value, or no more of it than its opening bracket. */
static bool read_value(struct reader *r, struct hv_json *value, bool *open)
{
    if (r->flags & HV_JSON_ALLOW_NAN && read_no_number(r, value))
        return true;
    switch (r->at < r->end ? *r->at : '\0') {
    case '"': value->type = HV_JSON_STRING; return read_string(r, &value->text);
    case '{': return open_container(r, value, HV_JSON_OBJECT, '}', open);
    case '[': return open_container(r, value, HV_JSON_ARRAY, ']', open);
    case 't': return read_literal(r, value, HV_STR("true"), HV_JSON_TRUE);
    case 'f': return read_literal(r, value, HV_STR("false"), HV_JSON_FALSE);
    case 'n': return read_literal(r, value, HV_STR("null"), HV_JSON_NULL);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return read_number(r, value);
    default: return fail_expected(r, "expected a value");
    }
}

static bool read_name(struct reader *r, struct hv_json *member)
{
    if (!next_is(r, '"'))
        return fail_expected(r, "expected a member name in double quotes");
    member->key_start = (size_t)(r->at - r->text);
    if (!read_string(r, &member->key))
        return false;
    member->key_end = (size_t)(r->at - r->text);
    skip_blanks(r);
    if (!next_is(r, ':'))
        return fail_expected(r, "expected ':' after a member name");
    r->at++;
    skip_blanks(r);
    return true;
}

/* Make value the next child of the innermost open level. */
static inline bool join_level(struct reader *r, struct hv_json *value)
{
    struct level *level = &r->levels[r->depth - 1];
    if (level->last)
        level->last->next = value;
    else
        level->container->first = value;
    level->last = value;
    level->container->count++;
    return level->container->type != HV_JSON_OBJECT || read_name(r, value);
}

/* A value has ended: close the levels that end with it, and pass the comma before the next value. */
static bool finish_value(struct reader *r)
{
    while (r->depth) {
        struct hv_json *container = r->levels[r->depth - 1].container;
        bool object = container->type == HV_JSON_OBJECT;
        skip_blanks(r);
        if (next_is(r, ',')) {
            r->at++;
            skip_blanks(r);
            return true;
        }
        if (!next_is(r, object ? '}' : ']'))
            return fail_expected(r, object ? "expected ',' or '}' after a member"
                                           : "expected ',' or ']' after an element");
        r->at++;
        container->end = (size_t)(r->at - r->text);
        if (object && r->flags & HV_JSON_UNIQUE_KEYS && !check_unique_names(r, container))
            return false;
        r->depth--;
    }
    return true;
}

/* Read one value with all that it contains. */
static struct hv_json *read_tree(struct reader *r)
{
    struct hv_json *root = NULL;
    do {
        struct hv_json *value = new_node(r);
        bool open = false;
        if (!root)
            root = value;
        else if (!join_level(r, value))
            return NULL;
        value->start = (size_t)(r->at - r->text);
        if (!read_value(r, value, &open))
            return NULL;
        if (open)
            continue;
        value->end = (size_t)(r->at - r->text);
        if (!finish_value(r))
            return NULL;
    } while (r->depth);
    return root;
}

enum hv_code hv_json_parse(struct hv_arena *arena, struct hv_str text, unsigned flags, const struct hv_json **out,
                           struct hv_error *err)
{
    if (text.len > UINT32_MAX)
        return hv_fail(err, HV_ETOOBIG, "the JSON has %zu bytes, more than the 4 GiB that can be read", text.len);
    struct reader r; /* not cleared: most of it are levels */
    r.arena = arena;
    r.text = r.at = text.len ? text.ptr : "";
    r.end = r.text + text.len;
    r.flags = flags;
    r.code = HV_OK;
    r.err = err;
    r.nodes = r.nodes_end = NULL;
    r.chunk = CHUNK_FIRST / 2;
    r.depth = 0;
    if (flags & HV_JSON_ALLOW_BOM && hv_str_starts(text, HV_STR("\xef\xbb\xbf")))
        r.at += 3;
    skip_blanks(&r);
    const struct hv_json *root = read_tree(&r);
    if (!root)
        return r.code;
    if (!(flags & HV_JSON_PREFIX)) {
        skip_blanks(&r);
        if (r.at < r.end)
            return fail_at(&r, HV_EINVAL, r.at, "expected nothing after the value", ""), r.code;
    }
    *out = root;
    return HV_OK;
}

/*
 * find_pattern.c: see find_pattern.h. A recursive reader over the pattern's text. Each part of it (an element) is
 * either one of a few sequences, exactly; or known at its two edges (a repetition begins and ends with its least number
 * of copies); or unknown. Along a branch the exact ones are joined to longer sequences until something else comes
 * between; the rarest that was ever joined is what every match contains.
 *
 * Which ASCII characters a class takes is not worked out here but asked from PCRE2. What may take characters beyond
 * ASCII is one to four bytes long, and is treated as a repetition.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/find_pattern.h"

#include "base/utf8.h"
#include "text/find_common.h"

#include <math.h>
#include <pcre2.h>
#include <string.h>

enum { DEPTH_MAX = 24, REPEAT_UNKNOWN = 1 << 30, ELEMENTS_MAX = 4096 };

struct reader {
    struct hv_str pattern;
    size_t at;
    bool ignore_case;
    bool lost; /* something that is not understood: nothing is known */
    unsigned depth, elements;
    struct find_facts *facts;
};

enum element_kind {
    ELEMENT_NOTHING, /* may take anything, or nothing */
    ELEMENT_WIDTHLESS,
    ELEMENT_EXACT, /* one of `bytes` */
    ELEMENT_EDGES, /* at least as long as `bytes`, which stand at its beginning and at its end */
};

struct element {
    enum element_kind kind;
    bool single; /* one character's class: repetitions are known */
    struct find_sequences bytes;
    struct find_sequences within; /* what it contains anyway; count 0: not known */
    double within_cost;
};

static void read_choices(struct reader *reader, struct element *out);

/* ---- classes and sequences ------------------------------------------------------------------------------- */

static void class_add(struct find_class *class, unsigned byte)
{
    class->bits[byte >> 6] |= UINT64_C(1) << (byte & 63);
}

static void class_add_above(struct find_class *class)
{
    class->bits[2] = class->bits[3] = UINT64_MAX;
}

/* The number of this class in the facts; reader->lost when there are too many. */
static unsigned char class_number(struct reader *reader, const struct find_class *class)
{
    struct find_facts *facts = reader->facts;
    for (unsigned i = 0; i < facts->class_count; i++)
        if (memcmp(&facts->classes[i], class, sizeof *class) == 0)
            return (unsigned char)i;
    if (facts->class_count == FIND_CLASSES_MAX) {
        reader->lost = true;
        return 0;
    }
    facts->classes[facts->class_count] = *class;
    facts->shares[facts->class_count] = find_common_class(class);
    return (unsigned char)facts->class_count++;
}

static void one_class(struct reader *reader, const struct find_class *class, struct find_sequences *out)
{
    out->count = 1;
    out->items[0].len = 1;
    out->items[0].at[0] = class_number(reader, class);
}

static void one_empty(struct find_sequences *out)
{
    out->count = 1;
    out->items[0].len = 0;
}

/* Each of left followed by each of right; false, with nothing changed, when that is too much. */
static bool join(struct find_sequences *left, const struct find_sequences *right)
{
    struct find_sequences all = {0};
    if (left->count * right->count > FIND_SEQUENCES_MAX)
        return false;
    for (unsigned i = 0; i < left->count; i++)
        for (unsigned k = 0; k < right->count; k++) {
            const struct find_sequence *first = &left->items[i], *second = &right->items[k];
            struct find_sequence *both = &all.items[all.count++];
            if (first->len + second->len > FIND_SEQUENCE_MAX)
                return false;
            memcpy(both->at, first->at, first->len);
            memcpy(both->at + first->len, second->at, second->len);
            both->len = (unsigned char)(first->len + second->len);
        }
    *left = all;
    return true;
}

/* log2 of how often one of them is expected per byte; ≤ 0. */
static double share_of(const struct reader *reader, const struct find_sequences *sequences)
{
    const double enough = -24;
    double sum = 0;
    for (unsigned i = 0; i < sequences->count; i++) {
        const struct find_sequence *sequence = &sequences->items[i];
        double share = find_common_share(reader->facts, sequence, 0, sequence->len);
        sum += exp2(share > enough ? share : enough);
    }
    return sequences->count ? log2(sum) : 0;
}

/* The same with something added for what is slower to look for. */
static double cost_of(const struct reader *reader, const struct find_sequences *sequences)
{
    const double several = 3;
    double share = share_of(reader, sequences);
    return sequences->count > 1 ? share + several : share;
}

/* Keep what is rarer. A set with an empty sequence says nothing. */
static void keep_better(const struct reader *reader, const struct find_sequences *sequences, struct element *out)
{
    for (unsigned i = 0; i < sequences->count; i++)
        if (!sequences->items[i].len)
            return;
    double cost = cost_of(reader, sequences);
    if (sequences->count && (!out->within.count || cost < out->within_cost)) {
        out->within = *sequences;
        out->within_cost = cost;
    }
}

/* ---- characters and classes ------------------------------------------------------------------------------ */

/* A character as it is. Other cases of k and s lie beyond ASCII. */
static void set_character(struct reader *reader, const char *bytes, size_t len, struct element *out)
{
    struct find_class class = {0};
    unsigned char byte = (unsigned char)bytes[0], lower = byte | 0x20;
    bool letter = lower >= 'a' && lower <= 'z';
    out->kind = ELEMENT_EXACT;
    out->single = len == 1;
    if (len > 1 && reader->ignore_case) {
        *out = (struct element){.kind = ELEMENT_NOTHING};
        return;
    }
    one_empty(&out->bytes);
    for (size_t i = 0; i < len; i++) {
        struct find_class next = {0};
        struct find_sequences one;
        class_add(&next, (unsigned char)bytes[i]);
        class = next;
        one_class(reader, &next, &one);
        (void)join(&out->bytes, &one);
    }
    if (len > 1 || !letter || !reader->ignore_case)
        return;
    class_add(&class, byte ^ 0x20);
    if (lower == 'k' || lower == 's') { /* U+212A or U+017F: their first and last bytes */
        class_add(&class, lower == 'k' ? 0xe2 : 0xc5);
        class_add(&class, lower == 'k' ? 0xaa : 0xbf);
        out->kind = ELEMENT_EDGES;
        out->single = false; /* repeated, there are other bytes between */
    }
    one_class(reader, &class, &out->bytes);
}

static void set_code_point(struct reader *reader, uint32_t code_point, struct element *out)
{
    char bytes[4];
    set_character(reader, bytes, utf8_encode(bytes, code_point), out);
}

/* A class given by its ASCII members, which may take characters beyond ASCII, too. */
static void set_wide_class(struct reader *reader, struct find_class class, struct element *out)
{
    class_add_above(&class);
    out->kind = ELEMENT_EDGES;
    out->single = true;
    one_class(reader, &class, &out->bytes);
}

bool find_pattern_ask_class(struct hv_str text, bool ignore_case, struct find_class *class)
{
    int number;
    size_t offset;
    uint32_t flags = PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOTALL;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)text.ptr, text.len, flags | (ignore_case ? PCRE2_CASELESS : 0),
                                     &number, &offset, NULL);
    pcre2_match_data *data = code ? pcre2_match_data_create(1, NULL) : NULL;
    for (unsigned byte = 0; data && byte < 128; byte++) {
        unsigned char subject = (unsigned char)byte;
        if (pcre2_match(code, &subject, 1, 0, PCRE2_NO_UTF_CHECK, data, NULL) >= 0)
            class_add(class, byte);
    }
    pcre2_match_data_free(data);
    pcre2_code_free(code);
    return data != NULL;
}

/* Does the bracket expression take ASCII characters only, for sure? */
static bool is_narrow(const struct reader *reader, struct hv_str text, const struct find_class *class)
{
    if (text.ptr[1] == '^')
        return false;
    for (size_t i = 1; i < text.len; i++)
        if (text.ptr[i] == '\\' || text.ptr[i] == '[' || (text.ptr[i] & 0x80))
            return false;
    return !reader->ignore_case || !(find_class_has(class, 'k') || find_class_has(class, 's'));
}

size_t find_pattern_bracket_end(struct hv_str pattern, size_t at)
{
    size_t i = at + 1;
    i += i < pattern.len && pattern.ptr[i] == '^';
    i += i < pattern.len && pattern.ptr[i] == ']';
    for (; i < pattern.len && pattern.ptr[i] != ']'; i++) {
        char next = i + 1 < pattern.len ? pattern.ptr[i + 1] : 0;
        if (pattern.ptr[i] == '\\') {
            if (strchr("cQEN", next)) /* also when there is none */
                return SIZE_MAX;
            i++;
        } else if (pattern.ptr[i] == '[' && (next == ':' || next == '.' || next == '=')) {
            size_t end = i + 2;
            while (end < pattern.len &&
                   (pattern.ptr[end] == '^' || (pattern.ptr[end] >= 'a' && pattern.ptr[end] <= 'z')))
                end++;
            if (next != ':' || !hv_str_starts(hv_str_slice(pattern, end, end + 2), HV_STR(":]")))
                return SIZE_MAX;
            i = end + 1;
        }
    }
    return i < pattern.len ? i + 1 : SIZE_MAX;
}

static void read_bracket(struct reader *reader, struct element *out)
{
    size_t end = find_pattern_bracket_end(reader->pattern, reader->at);
    struct hv_str text = hv_str_slice(reader->pattern, reader->at, end);
    struct find_class class = {0};
    reader->at = end;
    if (end == SIZE_MAX || hv_str_starts(text, HV_STR("[[:<:]]")) || hv_str_starts(text, HV_STR("[[:>:]]")) ||
        !find_pattern_ask_class(text, reader->ignore_case, &class)) {
        reader->lost = true;
        return;
    }
    if (!is_narrow(reader, text, &class)) {
        set_wide_class(reader, class, out);
        return;
    }
    out->kind = ELEMENT_EXACT;
    out->single = true;
    one_class(reader, &class, &out->bytes);
}

/* ---- escapes --------------------------------------------------------------------------------------------- */

static char peek(const struct reader *reader)
{
    return reader->at < reader->pattern.len ? reader->pattern.ptr[reader->at] : 0;
}

static bool take(struct reader *reader, char byte)
{
    if (reader->at >= reader->pattern.len || reader->pattern.ptr[reader->at] != byte)
        return false;
    reader->at++;
    return true;
}

static int hex_value(char byte)
{
    char lower = byte | 0x20;
    return byte >= '0' && byte <= '9' ? byte - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* After "\x": two digits, or any number in braces. */
static void read_hexadecimal(struct reader *reader, struct element *out)
{
    bool braces = take(reader, '{');
    uint32_t value = 0;
    size_t digits = 0;
    for (; hex_value(peek(reader)) >= 0 && digits < (braces ? 6 : 2); digits++)
        value = value * 16 + (uint32_t)hex_value(reader->pattern.ptr[reader->at++]);
    if (!digits || (braces && !take(reader, '}')) || value > 0x10ffff)
        reader->lost = true;
    else
        set_code_point(reader, value, out);
}

/* A class whose escape begins at `from`; its name may follow. */
static void read_escaped_class(struct reader *reader, size_t from, struct element *out)
{
    char letter = reader->pattern.ptr[from + 1];
    if (letter == 'p' || letter == 'P') {
        size_t close = peek(reader) == '{' ? hv_str_find_byte(reader->pattern, '}', reader->at) : reader->at;
        reader->at = close == SIZE_MAX ? reader->pattern.len : close + 1;
    }
    struct find_class class = {0};
    if ((letter == 'N' && peek(reader) == '{') ||
        !find_pattern_ask_class(hv_str_slice(reader->pattern, from, reader->at), reader->ignore_case, &class))
        reader->lost = true;
    else
        set_wide_class(reader, class, out);
}

static void read_escape(struct reader *reader, struct element *out)
{
    static const char controls[] = "n\nr\rt\tf\fe\033a\a";
    size_t from = reader->at++;
    char byte = peek(reader);
    size_t len;
    uint32_t ignored;
    if (reader->at >= reader->pattern.len) {
        reader->lost = true;
        return;
    }
    len = utf8_decode(reader->pattern, reader->at, &ignored);
    reader->at += len;
    const char *control = strchr(controls, byte);
    if (control && (control - controls) % 2 == 0 && byte) {
        set_character(reader, control + 1, 1, out);
    } else if (byte && strchr("dDwWsShHvVNpP", byte)) {
        read_escaped_class(reader, from, out);
    } else if (byte && strchr("bBAzZGK", byte)) {
        reader->facts->line_bound |= byte != 'b' && byte != 'B';
        out->kind = ELEMENT_WIDTHLESS;
    } else if (byte >= '1' && byte <= '9') {
        while (peek(reader) >= '0' && peek(reader) <= '9')
            reader->at++;
    } else if (byte == 'R' || byte == 'X') {
        reader->facts->line_bound = true;
    } else if (byte == 'x') {
        read_hexadecimal(reader, out);
    } else if ((byte >= '0' && byte <= '9') || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z')) {
        reader->lost = true;
    } else {
        set_character(reader, reader->pattern.ptr + from + 1, len, out);
    }
}

/* ---- groups ---------------------------------------------------------------------------------------------- */

/* After "(?": letters that switch options. True when they are known; *closed: "(?i)", without a group. */
static bool read_options(struct reader *reader, bool *closed)
{
    bool on = true;
    for (;; reader->at++) {
        switch (peek(reader)) {
        case '-':
            if (!on)
                return false;
            on = false;
            break;
        case 'i': reader->ignore_case = on; break;
        case 'm': reader->facts->line_bound |= !on; break; /* then "^" holds at the beginning of the text only */
        case 's':
        case 'n': break;
        case ':':
        case ')':
            *closed = peek(reader) == ')';
            reader->at++;
            return true;
        default: return false;
        }
    }
}

static bool skip_name(struct reader *reader, char end)
{
    size_t close = hv_str_find_byte(reader->pattern, end, reader->at);
    reader->at = close == SIZE_MAX ? reader->pattern.len : close + 1;
    return close != SIZE_MAX;
}

enum group { GROUP_PLAIN, GROUP_LOOK, GROUP_OPTIONS, GROUP_UNKNOWN };

/* What kind of group begins, after its "(". */
static enum group read_group_kind(struct reader *reader)
{
    bool closed = false;
    if (peek(reader) == '*')
        return GROUP_UNKNOWN;
    if (!take(reader, '?'))
        return GROUP_PLAIN;
    switch (peek(reader)) {
    case ':': reader->at++; return GROUP_PLAIN;
    case '>':
        reader->at++;
        reader->facts->line_bound = true;
        return GROUP_PLAIN;
    case '=':
    case '!': reader->at++; return GROUP_LOOK;
    case '\'': reader->at++; return skip_name(reader, '\'') ? GROUP_PLAIN : GROUP_UNKNOWN;
    case 'P': reader->at++; return take(reader, '<') && skip_name(reader, '>') ? GROUP_PLAIN : GROUP_UNKNOWN;
    case '<':
        reader->at++;
        if (take(reader, '=') || take(reader, '!'))
            return GROUP_LOOK;
        return peek(reader) != '*' && skip_name(reader, '>') ? GROUP_PLAIN : GROUP_UNKNOWN;
    }
    if (!read_options(reader, &closed))
        return GROUP_UNKNOWN;
    return closed ? GROUP_OPTIONS : GROUP_PLAIN;
}

static void read_group(struct reader *reader, struct element *out)
{
    bool ignore_case = reader->ignore_case;
    reader->at++;
    enum group kind = read_group_kind(reader);
    if (kind == GROUP_UNKNOWN || reader->depth == DEPTH_MAX) {
        reader->lost = true;
        return;
    }
    out->kind = ELEMENT_WIDTHLESS;
    if (kind == GROUP_OPTIONS)
        return; /* for the rest of the group around it */
    reader->depth++;
    read_choices(reader, out);
    reader->depth--;
    reader->lost |= !take(reader, ')');
    reader->ignore_case = ignore_case;
    out->single = false;
    if (kind == GROUP_LOOK) {
        reader->facts->line_bound = true;
        out->kind = ELEMENT_WIDTHLESS;
    }
}

/* ---- elements and branches ------------------------------------------------------------------------------- */

static void read_atom(struct reader *reader, struct element *out)
{
    uint32_t code_point;
    size_t at = reader->at, len;
    out->kind = ELEMENT_NOTHING;
    out->single = false;
    out->bytes.count = out->within.count = 0;
    switch (reader->pattern.ptr[at]) {
    case '\\': read_escape(reader, out); return;
    case '[': read_bracket(reader, out); return;
    case '(': read_group(reader, out); return;
    case '.': reader->at++; return;
    case '^':
    case '$':
        reader->facts->ends_at_newline |= reader->pattern.ptr[at] == '$';
        reader->at++;
        out->kind = ELEMENT_WIDTHLESS;
        return;
    }
    len = utf8_decode(reader->pattern, at, &code_point);
    reader->at += len;
    set_character(reader, reader->pattern.ptr + at, len, out);
}

static unsigned read_number(struct reader *reader)
{
    unsigned value = 0;
    while (peek(reader) >= '0' && peek(reader) <= '9' && value < 100000)
        value = value * 10 + (unsigned)(reader->pattern.ptr[reader->at++] - '0');
    return value;
}

/* "{2}", "{2,}" or "{2,3}" at this place; else the brace is a character, but for forms that later versions understand.
 */
static bool read_braces(struct reader *reader, unsigned *least, unsigned *most)
{
    size_t from = reader->at++, digits = reader->at;
    *least = *most = read_number(reader);
    bool valid = reader->at > digits;
    if (take(reader, ',')) {
        digits = reader->at;
        *most = read_number(reader);
        if (reader->at == digits)
            *most = REPEAT_UNKNOWN;
    }
    if (valid && take(reader, '}'))
        return true;
    for (reader->at = from + 1; peek(reader) && strchr("0123456789, \t", peek(reader));)
        reader->at++;
    reader->lost |= peek(reader) == '}' && reader->at > from + 1;
    reader->at = from;
    return false;
}

static bool read_quantifier(struct reader *reader, unsigned *least, unsigned *most)
{
    switch (peek(reader)) {
    case '*':
        *least = 0;
        *most = REPEAT_UNKNOWN;
        break;
    case '+':
        *least = 1;
        *most = REPEAT_UNKNOWN;
        break;
    case '?':
        *least = 0;
        *most = 1;
        break;
    case '{': return read_braces(reader, least, most);
    default: return false;
    }
    reader->at++;
    return true;
}

/* At least `least`, at most `most` of this element. */
static void repeat(struct element *element, unsigned least, unsigned most)
{
    bool exact = element->kind == ELEMENT_EXACT;
    if (element->kind == ELEMENT_WIDTHLESS || (least == 1 && most == 1))
        return;
    if (exact && least == 0 && most == 1 && element->bytes.count < FIND_SEQUENCES_MAX) {
        element->bytes.items[element->bytes.count++].len = 0;
        element->within.count = 0;
        element->single = false;
        return;
    }
    if (!least) {
        element->kind = ELEMENT_NOTHING;
        element->bytes.count = element->within.count = 0;
        return;
    }
    if (element->kind == ELEMENT_NOTHING)
        return;
    struct find_sequences one = element->bytes;
    unsigned copies = 1;
    while (element->single && copies < least && join(&element->bytes, &one))
        copies++;
    element->kind = exact && copies == least && least == most ? ELEMENT_EXACT : ELEMENT_EDGES;
    element->single = false;
}

static void read_element(struct reader *reader, struct element *out)
{
    unsigned least, most;
    reader->lost |= ++reader->elements > ELEMENTS_MAX;
    read_atom(reader, out);
    while (!reader->lost && read_quantifier(reader, &least, &most)) {
        repeat(out, least, most);
        if (take(reader, '+'))
            reader->facts->line_bound = true;
        else
            (void)take(reader, '?');
    }
}

/* What has been joined up to here, and whether it is all of the branch. */
struct branch {
    struct find_sequences joined;
    bool whole;
};

static void add_element(struct reader *reader, struct branch *branch, const struct element *element,
                        struct element *out)
{
    if (element->kind == ELEMENT_WIDTHLESS)
        return;
    if (element->within.count)
        keep_better(reader, &element->within, out);
    if (element->kind == ELEMENT_EXACT) {
        if (element->bytes.count > 1)
            keep_better(reader, &branch->joined, out);
        if (!join(&branch->joined, &element->bytes)) {
            keep_better(reader, &branch->joined, out);
            branch->joined = element->bytes;
            branch->whole = false;
        }
        return;
    }
    branch->whole = false;
    if (element->kind == ELEMENT_EDGES && join(&branch->joined, &element->bytes)) {
        keep_better(reader, &branch->joined, out);
        branch->joined = element->bytes;
        return;
    }
    keep_better(reader, &branch->joined, out);
    if (element->kind == ELEMENT_EDGES)
        branch->joined = element->bytes;
    else
        one_empty(&branch->joined);
}

/* Up to "|", ")" or the end. */
static void read_branch(struct reader *reader, struct element *out)
{
    struct branch branch = {.whole = true};
    struct element *element = hv_calloc(1, sizeof *element);
    one_empty(&branch.joined);
    out->within.count = 0;
    while (!reader->lost && reader->at < reader->pattern.len && peek(reader) != '|' && peek(reader) != ')') {
        read_element(reader, element);
        if (!reader->lost)
            add_element(reader, &branch, element, out);
    }
    free(element);
    keep_better(reader, &branch.joined, out);
    out->kind = branch.whole ? ELEMENT_EXACT : ELEMENT_NOTHING;
    out->bytes = branch.joined;
}

static bool add_all(struct find_sequences *to, const struct find_sequences *from)
{
    if (!from->count || to->count + from->count > FIND_SEQUENCES_MAX)
        return false;
    memcpy(&to->items[to->count], from->items, from->count * sizeof from->items[0]);
    to->count += from->count;
    return true;
}

/* Branches: exact if all are; contains, if each contains something. */
static void read_choices(struct reader *reader, struct element *out)
{
    read_branch(reader, out);
    if (peek(reader) != '|')
        return;
    struct element *branch = hv_calloc(1, sizeof *branch);
    bool exact = out->kind == ELEMENT_EXACT, within = out->within.count > 0;
    while (!reader->lost && take(reader, '|')) {
        read_branch(reader, branch);
        exact = exact && branch->kind == ELEMENT_EXACT && add_all(&out->bytes, &branch->bytes);
        within = within && branch->within.count && add_all(&out->within, &branch->within);
    }
    free(branch);
    out->kind = exact ? ELEMENT_EXACT : ELEMENT_NOTHING;
    if (!exact)
        out->bytes.count = 0;
    if (!within)
        out->within.count = 0;
    out->within_cost = cost_of(reader, &out->within);
}

static void conclude(const struct reader *reader, const struct element *all, struct find_facts *facts)
{
    facts->best = all->within;
    facts->cost = share_of(reader, &all->within);
    if (reader->lost) {
        facts->best.count = 0;
        facts->line_bound = facts->ends_at_newline = true;
    }
}

void find_pattern_read(struct hv_str pattern, bool ignore_case, struct find_facts *facts)
{
    struct reader reader = {.pattern = pattern, .ignore_case = ignore_case, .facts = facts};
    struct element *all = hv_calloc(1, sizeof *all);
    *facts = (struct find_facts){0};
    read_choices(&reader, all);
    reader.lost |= reader.at != pattern.len;
    conclude(&reader, all, facts);
    free(all);
}

void find_pattern_read_fixed(struct hv_str text, bool ignore_case, struct find_facts *facts)
{
    struct reader reader = {.pattern = text, .ignore_case = ignore_case, .facts = facts};
    struct element *all = hv_calloc(1, sizeof *all), *element = hv_calloc(1, sizeof *element);
    struct branch branch = {.whole = true};
    uint32_t ignored;
    *facts = (struct find_facts){0};
    one_empty(&branch.joined);
    for (size_t at = 0, len; at < text.len && !reader.lost; at += len) {
        len = utf8_decode(text, at, &ignored);
        element->bytes.count = element->within.count = 0;
        set_character(&reader, text.ptr + at, len, element);
        add_element(&reader, &branch, element, all);
    }
    keep_better(&reader, &branch.joined, all);
    conclude(&reader, all, facts);
    free(element);
    free(all);
}

/* ---- the pattern as a text ------------------------------------------------------------------------------- */

bool find_pattern_is_text(struct hv_str pattern, struct hv_buf *out)
{
    for (size_t i = 0; i < pattern.len; i++) {
        char byte = pattern.ptr[i];
        bool escaped = byte == '\\' && i + 1 < pattern.len;
        if (escaped) {
            byte = pattern.ptr[++i];
            if (byte <= ' ' || byte == 0x7f || (byte >= '0' && byte <= '9') ||
                ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'))
                return false;
        } else if (!byte || strchr("\\^$.[|()?*+{", byte)) {
            return false;
        }
        hv_buf_add_byte(out, byte);
    }
    return !out->failed;
}

bool find_pattern_has_newline(struct hv_str pattern)
{
    for (size_t i = 0; i < pattern.len; i++) {
        char byte = pattern.ptr[i];
        if (byte == '\n')
            return true;
        if (byte == '\\' && ++i < pattern.len && pattern.ptr[i] == 'n')
            return true;
        if (byte == '[') {
            size_t end = find_pattern_bracket_end(pattern, i);
            if (end == SIZE_MAX)
                return false;
            i = end - 1;
        }
    }
    return false;
}

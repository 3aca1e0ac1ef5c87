/*
 * resolve_brace.c: {a,b} and {1..9}, the way bash's braces.c does it: over the text of the word, before anything else
 * is expanded. Here the word is looked at through its shadow: its unquoted bytes as they are, and one filler for each
 * part that is quoted or an expansion.
 */
#include "shell/resolve.h"

enum { FILLER = 1, BRACES_MAX = 48, SHADOW_MAX = 4096 };

/* One byte of the shadow: the part it comes from, and where in it. */
struct unit {
    char byte;
    uint32_t part, at;
};

/* A stretch of units, or a text that a sequence gave. */
struct piece {
    size_t from, to;
    struct hv_str text; /* present: stands in the stretch's place */
};

/* One word that is made: a list of pieces. */
struct made {
    struct piece *pieces;
    size_t count;
};

struct made_list {
    struct made *items;
    size_t count, capacity;
};

struct expander {
    struct hv_arena *arena;
    const struct raw_word *word;
    struct unit *units;
    bool failed;
    size_t *budget; /* of pieces */
};

static char byte_at(const struct expander *expander, size_t at, size_t end)
{
    return at < end ? expander->units[at].byte : 0;
}

static bool starts_expansion(const struct expander *expander, size_t at, size_t end)
{
    return byte_at(expander, at, end) == '$';
}

/* braces.c calls this the gobbler: the first `wanted` at level 0 from *at on. A "}" counts only behind a "," or "..".
 */
static bool find_byte(const struct expander *expander, size_t begin, size_t end, size_t *at, char wanted)
{
    size_t level = 0, i = *at;
    bool separated = wanted != '}';
    for (; i < end; i++) {
        char byte = expander->units[i].byte;
        if (byte == wanted && !level && separated) {
            char next = byte_at(expander, i + 1, end);
            if (byte == '{' && i == begin && (!next || next == '}'))
                continue;
            break;
        }
        if (byte == '{')
            level++;
        else if (byte == '}' && level)
            level--;
        else if (wanted == '}' && byte == ',' && !level)
            separated = true;
        else if (wanted == '}' && !level && byte == '.' && byte_at(expander, i + 1, end) == '.' &&
                 byte_at(expander, i + 2, end) != '}')
            separated = true;
    }
    *at = i;
    return i < end;
}

static bool spend(struct expander *expander, size_t pieces)
{
    expander->failed |= pieces > *expander->budget;
    *expander->budget -= expander->failed ? 0 : pieces;
    return !expander->failed;
}

/* ---- lists of words ---------------------------------------------------------------------------------------------- */

static struct made_list one(struct expander *expander, size_t from, size_t to)
{
    struct made_list list = {hv_arena_new(expander->arena, struct made), 1, 1};
    if (to > from) {
        list.items->pieces = hv_arena_new(expander->arena, struct piece);
        *list.items->pieces = (struct piece){.from = from, .to = to};
        list.items->count = 1;
    }
    return list;
}

/* One word of nothing: what it is joined with stays as it is. */
static bool is_empty(const struct made_list *list)
{
    return list->count == 1 && !list->items->count;
}

/* All of left with all of right. */
static struct made_list combine(struct expander *expander, struct made_list left, struct made_list right)
{
    struct made_list list = {0};
    if (!left.count || !right.count || left.count * right.count > RESOLVE_BRACE_MAX) {
        expander->failed = true;
        return list;
    }
    if (is_empty(&left) || is_empty(&right))
        return is_empty(&left) ? right : left;
    list.items = hv_arena_alloc(expander->arena, left.count * right.count * sizeof *list.items);
    for (size_t i = 0; i < left.count; i++) {
        for (size_t j = 0; j < right.count && !expander->failed; j++) {
            struct made *made = &list.items[list.count++];
            made->count = left.items[i].count + right.items[j].count;
            if (!spend(expander, made->count + 1))
                break;
            made->pieces = hv_arena_alloc(expander->arena, (made->count + 1) * sizeof *made->pieces);
            if (left.items[i].count)
                memcpy(made->pieces, left.items[i].pieces, left.items[i].count * sizeof *made->pieces);
            if (right.items[j].count)
                memcpy(made->pieces + left.items[i].count, right.items[j].pieces,
                       right.items[j].count * sizeof *made->pieces);
        }
    }
    return list;
}

static void append(struct expander *expander, struct made_list *list, struct made_list more)
{
    if (list->count + more.count > RESOLVE_BRACE_MAX) {
        expander->failed = true;
        return;
    }
    if (list->count + more.count > list->capacity) {
        struct made *items = list->items;
        list->capacity = 2 * (list->count + more.count);
        list->items = hv_arena_alloc(expander->arena, list->capacity * sizeof *items);
        if (list->count)
            memcpy(list->items, items, list->count * sizeof *items);
    }
    if (more.count)
        memcpy(list->items + list->count, more.items, more.count * sizeof *more.items);
    list->count += more.count;
}

/* ---- {1..9} ------------------------------------------------------------------------------------------------------ */

struct sequence {
    int64_t from, to, step;
    bool letters;
    size_t width; /* zeros to the left up to it */
};

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool parse_number(struct hv_str text, int64_t *value)
{
    enum { DIGITS_MAX = 12 };
    if (text.len && *text.ptr == '+')
        text = hv_str_slice(text, 1, SIZE_MAX);
    return text.len <= DIGITS_MAX && text.len && hv_str_to_int64(text, value);
}

static void widen(struct sequence *sequence, struct hv_str text, bool *zeros)
{
    bool padded = (text.len > 1 && text.ptr[0] == '0') || (text.len > 2 && text.ptr[0] == '-' && text.ptr[1] == '0');
    *zeros |= padded;
    if (padded && text.len > sequence->width)
        sequence->width = text.len;
}

static bool parse_sequence(struct hv_str text, struct sequence *sequence)
{
    size_t dots = hv_str_find(text, HV_STR(".."), 0);
    if (dots == SIZE_MAX)
        return false;
    struct hv_str left = hv_str_slice(text, 0, dots), right = hv_str_slice(text, dots + 2, SIZE_MAX);
    size_t more = hv_str_find(right, HV_STR(".."), 0);
    sequence->step = 1;
    if (more != SIZE_MAX) {
        if (!parse_number(hv_str_slice(right, more + 2, SIZE_MAX), &sequence->step))
            return false;
        right = hv_str_slice(right, 0, more);
    }
    if (left.len == 1 && right.len == 1 && is_letter(*left.ptr) && is_letter(*right.ptr)) {
        sequence->letters = true;
        sequence->from = (unsigned char)*left.ptr;
        sequence->to = (unsigned char)*right.ptr;
        return true;
    }
    bool zeros = false;
    if (!parse_number(left, &sequence->from) || !parse_number(right, &sequence->to))
        return false;
    widen(sequence, left, &zeros);
    widen(sequence, right, &zeros);
    if (zeros && left.len > sequence->width)
        sequence->width = left.len;
    if (zeros && right.len > sequence->width)
        sequence->width = right.len;
    return true;
}

enum { TERM_MAX = 24 }; /* digits, a sign, and the zeros that sequence.width asks for: it came from 13 bytes at most */

/* One word of a sequence, as printf's %0*lld would write it: at *end downwards. Thousands are made. */
static struct hv_str term(char *end, const struct sequence *sequence, int64_t value)
{
    char *at = end;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (sequence->letters) {
        *--at = (char)value;
        return hv_str_of(at, 1);
    }
    do
        *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    while ((size_t)(end - at) + (value < 0) < sequence->width)
        *--at = '0';
    if (value < 0)
        *--at = '-';
    return hv_str_of(at, (size_t)(end - at));
}

static struct made_list make_sequence(struct expander *expander, const struct sequence *sequence)
{
    struct made_list list = {0};
    int64_t step = sequence->step < 0 ? -sequence->step : sequence->step;
    int64_t distance = sequence->to - sequence->from, steps;
    step = step ? step : 1;
    steps = (distance < 0 ? -distance : distance) / step;
    /* between the cases lie characters that are special */
    bool mixed = sequence->letters && ((sequence->from ^ sequence->to) & 0x20);
    if (steps >= RESOLVE_BRACE_MAX || mixed || !spend(expander, (size_t)steps + 1)) {
        expander->failed = true;
        return list;
    }
    list.count = (size_t)steps + 1;
    list.items = hv_arena_alloc(expander->arena, list.count * sizeof *list.items);
    struct piece *pieces = hv_arena_alloc(expander->arena, list.count * sizeof *pieces);
    char *texts = hv_arena_alloc(expander->arena, list.count * TERM_MAX);
    for (int64_t i = 0; i <= steps; i++) {
        int64_t value = sequence->from + (distance < 0 ? -i : i) * step;
        pieces[i] = (struct piece){.text = term(texts + (i + 1) * TERM_MAX, sequence, value)};
        list.items[i] = (struct made){&pieces[i], 1};
    }
    return list;
}

/* ---- the expansion ----------------------------------------------------------------------------------------------- */

static struct made_list expand(struct expander *expander, size_t from, size_t to);

static struct made_list expand_alternatives(struct expander *expander, size_t from, size_t to)
{
    struct made_list list = {0};
    for (size_t begin = from, at;; begin = at + 1) {
        at = begin;
        bool more = find_byte(expander, begin, to, &at, ',');
        append(expander, &list, expand(expander, begin, at));
        if (!more || expander->failed)
            return list;
    }
}

static bool has_comma(const struct expander *expander, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (expander->units[i].byte == ',')
            return true;
    return false;
}

static struct hv_str shadow_text(struct expander *expander, size_t from, size_t to)
{
    char *text = hv_arena_alloc(expander->arena, to - from + 1);
    for (size_t i = from; i < to; i++)
        text[i - from] = expander->units[i].byte;
    return hv_str_of(text, to - from);
}

/* What stands in the braces at open and close. False: no expansion, and the rest of the word is as it stands. */
static bool expand_braces(struct expander *expander, size_t open, size_t close, size_t to, struct made_list *list)
{
    struct sequence sequence = {0};
    if (has_comma(expander, open + 1, close))
        *list = expand_alternatives(expander, open + 1, close);
    else if (parse_sequence(shadow_text(expander, open + 1, close), &sequence))
        *list = make_sequence(expander, &sequence);
    else if (close + 1 < to)
        *list = one(expander, open, close + 1);
    else
        return false;
    return true;
}

/* The next "{" that has its "}". */
static bool find_braces(const struct expander *expander, size_t from, size_t to, size_t *open, size_t *close)
{
    for (size_t at = from; find_byte(expander, from, to, &at, '{'); at++) {
        size_t end = at + 1;
        if (find_byte(expander, at + 1, to, &end, '}')) {
            *open = at;
            *close = end;
            return true;
        }
    }
    return false;
}

static struct made_list expand(struct expander *expander, size_t from, size_t to)
{
    struct made_list list = one(expander, 0, 0);
    while (!expander->failed) {
        size_t open, close;
        struct made_list middle;
        if (!find_braces(expander, from, to, &open, &close) || !expand_braces(expander, open, close, to, &middle))
            return combine(expander, list, one(expander, from, to));
        list = combine(expander, list, one(expander, from, open));
        if (!expander->failed)
            list = combine(expander, list, middle);
        from = close + 1;
        if (from >= to)
            break;
    }
    return list;
}

/* ---- words and their shadows ------------------------------------------------------------------------------------- */

static bool is_open(const struct part *part)
{
    return part->kind == PART_TEXT && !part->quoted;
}

bool brace_is_candidate(const struct raw_word *word)
{
    bool opened = false;
    for (size_t i = 0; i < word->count; i++) {
        if (!is_open(&word->parts[i]))
            continue;
        struct hv_str text = word->parts[i].text;
        size_t at = opened ? 0 : hv_str_find_byte(text, '{', 0);
        opened |= at != SIZE_MAX;
        if (opened && hv_str_find_byte(text, '}', at) != SIZE_MAX)
            return true;
    }
    return false;
}

/* bash looks for braces and commas in it too, in a way that is not modelled. */
static bool is_opaque(const struct part *part)
{
    if (part->kind == PART_VARIABLE)
        return part->form != FORM_PLAIN && part->form != FORM_LENGTH;
    return part->kind == PART_ARITHMETIC &&
           (hv_str_find_byte(part->text, ',', 0) != SIZE_MAX || hv_str_find_byte(part->text, '{', 0) != SIZE_MAX);
}

/* The shadow; 0 when the word is one that is not modelled: too long, or new text might join an expansion. */
static size_t make_shadow(struct expander *expander)
{
    const struct raw_word *word = expander->word;
    size_t count = 0, braces = 0;
    expander->units = hv_arena_alloc(expander->arena, (word->text.len + word->count + 1) * sizeof *expander->units);
    for (size_t i = 0; i < word->count; i++) {
        const struct part *part = &word->parts[i];
        size_t length = is_open(part) ? part->text.len : 1;
        bool joins = part->open && i + 1 < word->count && is_open(&word->parts[i + 1]) && word->parts[i + 1].text.len &&
                     strchr("{,}", *word->parts[i + 1].text.ptr);
        if (count + length >= SHADOW_MAX || joins || is_opaque(part))
            return 0;
        for (size_t at = 0; at < length; at++) {
            char byte = is_open(part) ? part->text.ptr[at] : FILLER;
            braces += byte == '{';
            expander->units[count++] = (struct unit){byte, (uint32_t)i, (uint32_t)at};
            if (starts_expansion(expander, count - 1, count))
                return 0;
        }
    }
    return braces > BRACES_MAX ? 0 : count;
}

static void add_piece(const struct expander *expander, struct raw_word *word, const struct piece *piece)
{
    if (piece->text.ptr) {
        word->parts[word->count++] = (struct part){.kind = PART_TEXT, .text = piece->text};
        return;
    }
    for (size_t at = piece->from; at < piece->to;) {
        const struct unit *unit = &expander->units[at];
        const struct part *source = &expander->word->parts[unit->part];
        struct part *part = &word->parts[word->count++];
        size_t end = at + 1;
        while (end < piece->to && expander->units[end].part == unit->part)
            end++;
        *part = *source;
        if (is_open(source))
            part->text = hv_str_slice(source->text, unit->at, unit->at + (end - at));
        at = end;
    }
}

/* The most parts that one of the words may have. */
static size_t most_parts(const struct raw_word *word, const struct made_list *list)
{
    size_t most = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct made *made = &list->items[i];
        size_t parts = 0;
        for (size_t j = 0; j < made->count; j++)
            parts += made->pieces[j].text.ptr ? 1 : word->count + 1;
        most = parts > most ? parts : most;
    }
    return most;
}

bool brace_expand(struct hv_arena *arena, const struct raw_word *word, size_t *budget, struct brace_result *result)
{
    enum { PARTS_MAX = 64 };
    struct expander *expander = hv_arena_new(arena, struct expander);
    *expander = (struct expander){.arena = arena, .word = word, .budget = budget};
    size_t count = word->count <= PARTS_MAX && *budget ? make_shadow(expander) : 0;
    if (!count)
        return false;
    struct made_list list = expand(expander, 0, count);
    if (expander->failed)
        return false;
    *result = (struct brace_result){.expander = expander, .items = list.items, .count = list.count};
    result->parts = hv_arena_alloc(arena, most_parts(word, &list) * sizeof *result->parts);
    return true;
}

struct raw_word brace_word(const struct brace_result *result, size_t at)
{
    const struct raw_word *source = result->expander->word;
    struct raw_word word = {.text = source->text, .quoted = source->quoted, .parts = result->parts};
    for (size_t i = 0; i < result->items[at].count; i++)
        add_piece(result->expander, &word, &result->items[at].pieces[i]);
    return word;
}

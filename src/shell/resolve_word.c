/*
 * resolve_word.c: what bash makes of one word: braces, "~", parameters, substitutions, splitting, names of files, and
 * the removal of quotes, in this order. bash(1), "EXPANSION".
 */
#include "shell/resolve.h"

#include <inttypes.h>

enum { GAPS_MAX = 4 };

/* The word that is put together; its bytes are at the end of resolver->bytes. */
struct field {
    struct resolver *resolver;
    struct hv_str text;
    unsigned how, flags;
    size_t from;                      /* in resolver->bytes, behind those of the words that this one is part of */
    bool started;                     /* there is a word, be it empty */
    size_t cut, tail;                 /* where the first unknown part is, where the last one ends; SIZE_MAX: none */
    size_t bracket;                   /* where an open [ stands, SIZE_MAX */
    size_t glob, glob_end;            /* the first and behind the last byte of patterns */
    bool numeric;                     /* all unknown parts are numbers */
    bool counts;                      /* … or perhaps nothing */
    bool address;                     /* … or a place: see SHELL_WORD_ADDRESS */
    bool plain;                       /* all unknown parts are such as SHELL_WORD_PLAIN says */
    bool prefix;                      /* a "~" whose prefix may go on in the parts that follow */
    bool assignment;                  /* "~" behind the first = counts */
    bool several;                     /* more than one unknown part */
    uint32_t origin;                  /* of the only one: see shell_word */
    struct choice_gap gaps[GAPS_MAX]; /* the unknown parts that are one of some values */
    size_t gap_count;
    bool open; /* there are other unknown parts */
};

static size_t length(const struct field *field)
{
    return field->resolver->bytes.len - field->from;
}

static void begin_field(struct field *field)
{
    field->resolver->bytes.len = field->from;
    field->started = field->several = field->open = false;
    field->flags = 0;
    field->origin = 0;
    field->gap_count = 0;
    field->cut = field->tail = field->bracket = field->glob = field->glob_end = SIZE_MAX;
    field->numeric = field->counts = field->address = field->plain = true;
}

/* Bytes that were put together beyond the budget are not known. */
static bool spend(struct resolver *resolver, size_t bytes)
{
    resolver->bytes_made += bytes;
    return resolver->bytes_made <= RESOLVE_BYTES_MAX && !resolver->bytes.failed;
}

static void mark_unknown(struct field *field, unsigned flags)
{
    field->several |= field->cut != SIZE_MAX;
    if (field->cut == SIZE_MAX)
        field->cut = length(field);
    field->tail = length(field);
    field->flags |= flags;
    field->numeric &= (flags & SHELL_WORD_NUMBER) != 0;
    field->counts &= (flags & (SHELL_WORD_NUMBER | SHELL_WORD_COUNT)) != 0;
    field->address &= (flags & (SHELL_WORD_NUMBER | SHELL_WORD_COUNT | SHELL_WORD_ADDRESS)) != 0;
    field->plain &= (flags & SHELL_WORD_PLAIN) != 0;
    field->started = field->open = true;
}

static void mark_choices(struct field *field, uint32_t choices, unsigned flags)
{
    bool open = field->open || field->gap_count == GAPS_MAX;
    if (!open)
        field->gaps[field->gap_count++] = (struct choice_gap){choices, length(field)};
    mark_unknown(field, flags);
    field->open = open;
}

static bool all_digits(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    return true;
}

/* Nothing but addresses of sed, and commands of it that show or stop. */
static bool all_addresses(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!text.ptr[i] || !strchr("0123456789,$+~!;{} pdq=", text.ptr[i]))
            return false;
    return text.len != 0;
}

/* Patterns are unknown parts too: names of files, or the pattern itself. */
static void end_pattern(struct field *field)
{
    if (field->glob == SIZE_MAX)
        return;
    field->flags |= SHELL_WORD_GLOB | SHELL_WORD_MANY;
    field->numeric = field->counts = field->address = field->plain = false;
    if (field->cut == SIZE_MAX || field->glob < field->cut)
        field->cut = field->glob;
    if (field->tail == SIZE_MAX || field->glob_end > field->tail)
        field->tail = field->glob_end;
}

static void end_field(struct field *field)
{
    struct resolver *resolver = field->resolver;
    if (!field->started)
        return;
    end_pattern(field);
    struct hv_str bytes = hv_str_of(resolver->bytes.data ? resolver->bytes.data + field->from : "", length(field));
    struct shell_word word = {.text = field->text, .flags = field->flags};
    bool fits = spend(resolver, bytes.len) && ++resolver->words_made <= RESOLVE_WORDS_MAX;
    word.known = field->cut == SIZE_MAX && fits;
    if (!fits) {
        word.value = HV_STR("");
        word.flags |= SHELL_WORD_MANY | SHELL_WORD_VARIABLE;
    } else if (word.known) {
        word.value = hv_str_eq(bytes, field->text) ? field->text : hv_arena_str(resolver->arena, bytes);
    } else {
        word.value = hv_arena_str(resolver->arena, hv_str_slice(bytes, 0, field->cut));
        if (field->tail < bytes.len)
            word.tail = hv_arena_str(resolver->arena, hv_str_slice(bytes, field->tail, SIZE_MAX));
    }
    if (field->numeric && !word.known && field->cut == field->tail)
        word.flags |= SHELL_WORD_FILLED;
    if (!field->numeric || word.known || !all_digits(bytes))
        word.flags &= ~(unsigned)SHELL_WORD_NUMBER;
    if (!field->counts || word.known || !all_digits(bytes))
        word.flags &= ~(unsigned)SHELL_WORD_COUNT;
    if (!field->plain || word.known || field->cut != field->tail)
        word.flags &= ~(unsigned)SHELL_WORD_PLAIN;
    word.flags &= ~(unsigned)SHELL_WORD_ADDRESS;
    if (field->address && !word.known && !(word.flags & SHELL_WORD_MANY) && all_addresses(bytes))
        word.flags |= SHELL_WORD_ADDRESS;
    if (!word.value.ptr)
        word.value = HV_STR("");
    if (!word.known && !field->several && field->glob == SIZE_MAX)
        word.origin = field->origin;
    if (!word.known && fits && field->gap_count && !field->open && field->glob == SIZE_MAX &&
        !(word.flags & SHELL_WORD_MANY))
        word.choices = choices_fill(resolver, bytes, field->gaps, field->gap_count);
    *vec_push(&resolver->words) = word;
    unsigned flags = field->flags & (SHELL_WORD_QUOTED | SHELL_WORD_EVALUATES);
    begin_field(field);
    field->flags = flags;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static void add_bytes(struct field *field, struct hv_str bytes)
{
    hv_buf_add_str(&field->resolver->bytes, bytes);
    field->started = true;
}

/* Unquoted bytes are looked at for patterns. escapes: a backslash is part of the value of a variable. */
static void add_unquoted(struct field *field, struct hv_str bytes, bool value)
{
    size_t base = length(field);
    for (size_t i = 0; field->how & EXPAND_GLOB && i < bytes.len; i++) {
        char byte = bytes.ptr[i];
        if (byte == '[' && field->bracket == SIZE_MAX)
            field->bracket = base + i;
        bool closes = byte == ']' && field->bracket != SIZE_MAX;
        if (byte != '*' && byte != '?' && !closes && !(byte == '\\' && value) &&
            !(byte == '(' && base + i > 0)) /* of @(…) */
            continue;
        if (field->glob == SIZE_MAX)
            field->glob = closes ? field->bracket : byte == '(' ? base + i - 1 : base + i;
        if (closes && field->bracket < field->glob)
            field->glob = field->bracket;
        field->glob_end = base + i + 1;
    }
    add_bytes(field, bytes);
}

/* A known value that stands unquoted: split at blanks, tabs, newlines. */
static void add_split(struct field *field, struct hv_str value)
{
    size_t at = 0;
    while (at < value.len) {
        size_t from = at;
        while (at < value.len && value.ptr[at] != ' ' && value.ptr[at] != '\t' && value.ptr[at] != '\n')
            at++;
        if (at > from)
            add_unquoted(field, hv_str_slice(value, from, at), true);
        if (at < value.len)
            end_field(field);
        while (at < value.len && (value.ptr[at] == ' ' || value.ptr[at] == '\t' || value.ptr[at] == '\n'))
            at++;
    }
}

/* ---- "~" --------------------------------------------------------------------------------------------------------- */

/* "~" at `at` of an unquoted stretch, up to "/" (or ":" in an assignment): how much of it was used up. */
static size_t add_home(struct field *field, struct hv_str text, size_t at, bool last)
{
    size_t end = at + 1;
    bool colon = field->how & EXPAND_ASSIGNMENT;
    while (end < text.len && text.ptr[end] != '/' && !(colon && text.ptr[end] == ':'))
        end++;
    struct hv_str home = {0};
    bool whole = end < text.len || last; /* else something that is quoted or expanded belongs to the prefix */
    bool certain = !(at && field->how & EXPAND_BRACED);
    if (whole && certain && end == at + 1 && variable_get(field->resolver, HV_STR("HOME"), &home) == VALUE_KNOWN &&
        home.len)
        add_bytes(field, home);
    else
        mark_unknown(field, SHELL_WORD_HOME);
    field->prefix = !whole;
    return end - at;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* The commands within parts that are not looked at otherwise. evaluates: that they do is known; else plain arithmetic,
 * which holds no commands, is looked into once only. */
static unsigned run_inner(struct resolver *resolver, const struct part *parts, size_t count, bool evaluates)
{
    unsigned flags = evaluates ? SHELL_WORD_EVALUATES : 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].kind == PART_COMMAND || parts[i].kind == PART_PROCESS) {
            resolve_run(resolver, parts[i].tape);
            flags |= parts[i].kind == PART_COMMAND ? SHELL_WORD_COMMAND : SHELL_WORD_PROCESS;
        }
        if (parts[i].form == FORM_ASSIGN || parts[i].form == FORM_EVALUATE)
            flags |= SHELL_WORD_EVALUATES;
        bool arithmetic = parts[i].kind == PART_ARITHMETIC || parts[i].form == FORM_SLICE || parts[i].element;
        if (arithmetic && !(flags & SHELL_WORD_EVALUATES)) {
            struct hv_str text = parts[i].kind == PART_ARITHMETIC ? parts[i].text : parts[i].subscript;
            if (arithmetic_is_plain(resolver, text, parts[i].inner, parts[i].inner_count, false)) {
                flags |= shell_arithmetic_assigns(text) ? SHELL_WORD_ARITHMETIC : 0;
                arithmetic_demote(resolver, text);
                continue;
            }
            flags |= SHELL_WORD_EVALUATES;
        }
        flags |= run_inner(resolver, parts[i].inner, parts[i].inner_count, flags & SHELL_WORD_EVALUATES);
    }
    return flags;
}

static void add_arithmetic(struct field *field, const struct part *part)
{
    struct resolver *resolver = field->resolver;
    unsigned flags = SHELL_WORD_ARITHMETIC;
    bool cut = resolver->now.splitting && !part->quoted && field->how & EXPAND_SPLIT;
    int64_t value;
    if (!cut && arithmetic_value(resolver, part->text, &value)) {
        add_bytes(field, hv_arena_format(resolver->arena, "%" PRId64, value));
        return;
    }
    if (arithmetic_is_plain(resolver, part->text, part->inner, part->inner_count, true)) {
        arithmetic_demote(resolver, part->text);
        flags |= SHELL_WORD_NUMBER;
    } else {
        flags |= run_inner(resolver, part->inner, part->inner_count, true);
        resolve_forget(resolver);
    }
    if (resolver->now.splitting && !part->quoted && field->how & EXPAND_SPLIT)
        flags |= SHELL_WORD_MANY;
    mark_unknown(field, flags);
}

static unsigned flag_of_count(enum value_state state)
{
    return state == VALUE_COUNT ? SHELL_WORD_COUNT : state == VALUE_PLACE ? SHELL_WORD_ADDRESS : 0;
}

static void add_unknown_variable(struct field *field, const struct part *part, enum value_state state)
{
    struct resolver *resolver = field->resolver;
    unsigned flags = run_inner(resolver, part, 1, false) | SHELL_WORD_VARIABLE;
    bool number = state == VALUE_NUMBER || part->form == FORM_LENGTH;
    if (flags & SHELL_WORD_EVALUATES)
        resolve_forget(resolver);
    bool splits = !part->quoted && field->how & EXPAND_SPLIT && (!number || resolver->now.splitting);
    if (splits || (part->list && part->form != FORM_LENGTH && field->how & EXPAND_SPLIT))
        flags |= SHELL_WORD_MANY;
    if (number)
        flags |= SHELL_WORD_NUMBER;
    mark_unknown(field, flags | flag_of_count(state));
    bool element = part->element && !hv_str_is(part->subscript, "@") && !variable_is_number(part->subscript);
    if (part->form == FORM_PLAIN && state == VALUE_UNKNOWN && !element)
        field->origin = variable_source(resolver, part->text);
}

/* One of several values, when it stays one word wherever it stands. */
static bool add_choices(struct field *field, const struct part *part, uint32_t choices)
{
    struct resolver *resolver = field->resolver;
    bool cut = !part->quoted && field->how & (EXPAND_SPLIT | EXPAND_GLOB);
    if (!choices || (cut && (resolver->now.splitting || !choices_are_plain(resolver, choices))))
        return false;
    mark_choices(field, choices,
                 SHELL_WORD_VARIABLE | (choices_are_numbers(resolver, choices) ? SHELL_WORD_NUMBER : 0));
    return true;
}

/* "${a[@]}": its elements, each a word; what stands before it joins the first, what follows the last. */
static bool add_list(struct field *field, const struct part *part)
{
    struct resolver *resolver = field->resolver;
    uint32_t list = part->list && field->how & EXPAND_SPLIT ? list_words(resolver, part) : 0;
    if (!list || (!part->quoted && (resolver->now.splitting || !choices_are_plain(resolver, list))))
        return false;
    for (uint32_t i = 0; i < choices_at(resolver, list)->count; i++) {
        if (i)
            end_field(field);
        add_bytes(field, choices_at(resolver, list)->values[i]);
    }
    return true;
}

static void add_variable(struct field *field, const struct part *part)
{
    struct resolver *resolver = field->resolver;
    struct expansion given = {0};
    enum value_state state = VALUE_UNKNOWN;
    bool plain = part->form == FORM_PLAIN && !part->element && !part->list;
    if (plain)
        state = variable_get(resolver, part->text, &given.value);
    given.known = state == VALUE_KNOWN;
    if (!given.known && !expansion_of(resolver, part, &given))
        given = (struct expansion){0};
    struct hv_str value = given.value;
    bool splits = !part->quoted && field->how & EXPAND_SPLIT;
    if (!given.known || (splits && resolver->now.splitting) ||
        resolver->bytes_made + resolver->bytes.len + value.len > RESOLVE_BYTES_MAX) {
        if (!add_choices(field, part, given.choices) && !add_list(field, part))
            add_unknown_variable(field, part, state);
        return;
    }
    if (part->quoted)
        add_bytes(field, value);
    else if (splits)
        add_split(field, value);
    else if (value.len)
        add_unquoted(field, value, true);
}

static void add_text(struct field *field, const struct part *part, bool first, bool last)
{
    struct hv_str text = part->text;
    bool tilde = !(field->how & EXPAND_NO_TILDE);
    size_t at = 0;
    if (part->quoted) {
        add_bytes(field, text);
        field->flags |= SHELL_WORD_QUOTED;
        return;
    }
    if (tilde && first && text.len && *text.ptr == '~')
        at = add_home(field, text, 0, last);
    while (at < text.len) {
        size_t from = at;
        bool more = false;
        for (; at < text.len && !more; at++) {
            bool equals = text.ptr[at] == '=' && field->assignment;
            bool colon = text.ptr[at] == ':' && (field->how & EXPAND_ASSIGNMENT);
            field->assignment &= !equals;
            more = tilde && (equals || colon) && at + 1 < text.len && text.ptr[at + 1] == '~';
        }
        add_unquoted(field, hv_str_slice(text, from, at), false);
        if (more)
            at += add_home(field, text, at, last);
    }
}

/* $(pwd), which is $PWD. Its command was run. */
static bool add_directory(struct field *field, const struct part *part)
{
    struct resolver *resolver = field->resolver;
    struct hv_str directory = resolver->now.directory;
    bool splits = !part->quoted && field->how & EXPAND_SPLIT;
    if (!hv_str_is(part->text, "pwd") || !directory.len || resolver->now.off ||
        functions_have(resolver, HV_STR("pwd")) || (splits && resolver->now.splitting) ||
        directory.ptr[directory.len - 1] == '\n' ||
        resolver->bytes_made + resolver->bytes.len + directory.len > RESOLVE_BYTES_MAX)
        return false;
    if (part->quoted)
        add_bytes(field, directory);
    else if (splits)
        add_split(field, directory);
    else
        add_unquoted(field, directory, true);
    return true;
}

/* What commands print. */
static void add_output(struct field *field, const struct part *part, bool splits)
{
    struct resolver *resolver = field->resolver;
    unsigned flags = SHELL_WORD_COMMAND | flag_of_count(substitution_counts(resolver, part));
    bool plain = substitution_is_plain(resolver, part);
    if (plain)
        flags |= SHELL_WORD_PLAIN;
    /* Behind something else it stays one argument. */
    if (splits && !(plain && length(field) && !resolver->now.splitting))
        flags |= SHELL_WORD_MANY;
    mark_unknown(field, flags);
}

static void add_part(struct field *field, const struct part *part, bool first, bool last)
{
    struct resolver *resolver = field->resolver;
    bool splits = !part->quoted && field->how & EXPAND_SPLIT;
    switch (part->kind) {
    case PART_TEXT: add_text(field, part, first, last); break;
    case PART_VARIABLE: add_variable(field, part); break;
    case PART_COMMAND:
    case PART_PROCESS:
        resolve_run(resolver, part->tape);
        if (part->kind == PART_COMMAND && add_directory(field, part))
            break;
        if (part->kind == PART_COMMAND)
            add_output(field, part, splits);
        else
            mark_unknown(field, SHELL_WORD_PROCESS);
        break;
    case PART_ARITHMETIC: add_arithmetic(field, part); break;
    case PART_UNKNOWN:
    default: mark_unknown(field, SHELL_WORD_VARIABLE); break;
    }
    if (part->quoted)
        field->flags |= SHELL_WORD_QUOTED;
    if (field->prefix && !first)
        mark_unknown(field, SHELL_WORD_HOME);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* name= or name+= at the beginning, unquoted: "~" behind it is expanded, and declare and its like do not split it. */
static bool looks_like_assignment(const struct raw_word *word)
{
    if (!word->count || word->parts[0].kind != PART_TEXT || word->parts[0].quoted)
        return false;
    struct hv_str text = word->parts[0].text;
    size_t at = read_identifier(text, 0);
    if (!at)
        return false;
    at += at < text.len && text.ptr[at] == '+';
    return at < text.len && text.ptr[at] == '=';
}

static void expand_parts(struct resolver *resolver, const struct raw_word *word, unsigned how)
{
    /* A substitution within the word is resolved while this one is put together. */
    struct field field = {.resolver = resolver, .text = word->text, .how = how, .from = resolver->bytes.len};
    begin_field(&field);
    if (how & EXPAND_SPLIT && looks_like_assignment(word)) {
        field.how |= EXPAND_ASSIGNMENT;
        field.assignment = true;
    }
    for (size_t i = 0; i < word->count; i++)
        add_part(&field, &word->parts[i], i == 0, i + 1 == word->count);
    end_field(&field);
    resolver->bytes.len = field.from;
}

/* One unquoted stretch without anything special, or one quoted one: nothing has to be put together. */
static bool is_simple(const struct raw_word *word, unsigned how)
{
    if (word->count != 1 || word->parts[0].kind != PART_TEXT)
        return false;
    if (word->parts[0].quoted)
        return true;
    struct hv_str text = word->parts[0].text;
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        if (byte == '~' || byte == '{' || (how & EXPAND_GLOB && (byte == '*' || byte == '?' || byte == '[')))
            return false;
    }
    return true;
}

static void push_simple(struct resolver *resolver, const struct raw_word *word)
{
    unsigned flags = word->parts[0].quoted ? SHELL_WORD_QUOTED : 0;
    *vec_push(&resolver->words) =
        (struct shell_word){.text = word->text, .value = word->parts[0].text, .known = true, .flags = flags};
}

static void push_unknown(struct resolver *resolver, const struct raw_word *word)
{
    unsigned flags = run_inner(resolver, word->parts, word->count, false) | SHELL_WORD_MANY | SHELL_WORD_VARIABLE;
    if (flags & SHELL_WORD_EVALUATES)
        resolve_forget(resolver);
    *vec_push(&resolver->words) = (struct shell_word){.text = word->text, .value = HV_STR(""), .flags = flags};
}

static bool is_small(char byte)
{
    return byte >= 'a' && byte <= 'z';
}

static bool is_capital(char byte)
{
    return byte >= 'A' && byte <= 'Z';
}

/* {Z..a}: between capitals and small letters stand a backquote and a backslash, and bash reads what it made of the word
 * once more: what was quoted may be open then, and a command stand between two backquotes. */
static bool makes_backquotes(const struct raw_word *word)
{
    bool special = false;
    for (size_t i = 0; i < word->text.len; i++)
        special |= strchr("$`'\"\\", word->text.ptr[i]) != NULL;
    for (size_t i = 0; special && i < word->count; i++) {
        const struct part *part = &word->parts[i];
        bool open = part->kind == PART_TEXT && !part->quoted;
        for (size_t dots = 0; open && (dots = hv_str_find(part->text, HV_STR(".."), dots)) != SIZE_MAX; dots++) {
            char left = dots ? part->text.ptr[dots - 1] : 0,
                 right = dots + 2 < part->text.len ? part->text.ptr[dots + 2] : 0;
            if ((is_small(left) && is_capital(right)) || (is_capital(left) && is_small(right)))
                return true;
        }
    }
    return word->joined && hv_str_find_byte(word->text, '.', 0) != SIZE_MAX;
}

static void push_evaluated(struct resolver *resolver, const struct raw_word *word)
{
    push_unknown(resolver, word);
    resolver->words.items[resolver->words.count - 1].flags |= SHELL_WORD_EVALUATES;
    resolve_forget(resolver);
}

void resolve_word(struct resolver *resolver, const struct raw_word *word, unsigned how)
{
    if (is_simple(word, how) && !word->array) {
        push_simple(resolver, word);
        return;
    }
    if (word->array || resolver->words_made > RESOLVE_WORDS_MAX) {
        push_unknown(resolver, word);
        return;
    }
    if (!(how & EXPAND_BRACES) || !brace_is_candidate(word)) {
        expand_parts(resolver, word, how);
        return;
    }
    if (makes_backquotes(word)) {
        push_evaluated(resolver, word);
        return;
    }
    struct brace_result result = {0};
    if (!brace_expand(resolver->arena, word, &resolver->brace_budget, &result)) {
        push_unknown(resolver, word);
        return;
    }
    for (size_t i = 0; i < result.count; i++) {
        struct raw_word made = brace_word(&result, i);
        if (is_simple(&made, how) && ++resolver->words_made <= RESOLVE_WORDS_MAX)
            push_simple(resolver, &made);
        else
            expand_parts(resolver, &made, result.count > 1 ? how | EXPAND_BRACED : how);
    }
}

struct shell_word resolve_single(struct resolver *resolver, const struct raw_word *word, unsigned how)
{
    size_t base = resolver->words.count;
    resolve_word(resolver, word, how);
    struct shell_word one = {.text = word->text, .value = HV_STR("")};
    if (resolver->words.count == base + 1)
        one = resolver->words.items[base];
    else if (resolver->words.count == base && how & EXPAND_SPLIT)
        one.flags |= SHELL_WORD_MANY; /* nothing: no name of a file */
    else if (resolver->words.count == base)
        one.known = true; /* nothing: the empty text */
    for (size_t i = base; i < resolver->words.count && resolver->words.count > base + 1; i++)
        one.flags |= resolver->words.items[i].flags | SHELL_WORD_MANY;
    resolver->words.count = base;
    return one;
}

/*
 * matcher.c: see matcher.h. A literal is searched for as bytes. A regular expression is first tried on windows of many
 * lines; where it matches, the line is tried alone, and only that counts. Windows never miss a line as long as the
 * pattern cannot see beyond it (no look-around, no atomic parts, no anchors of the whole subject); other patterns, and
 * windows that proved too hard, are tried line by line.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "tools/matcher.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "text/lines.h"

#include <pcre2.h>
#include <string.h>

enum {
    WINDOW = 32 * 1024,
    WINDOW_EFFORT = 10 * 1000, /* PCRE2's match limit: steps from one starting place */
    LINE_EFFORT = 200 * 1000,
    HEAP_KIB = 64 * 1024,
    JIT_STACK_FIRST = 32 * 1024,
    JIT_STACK_MAX = 1024 * 1024,
    SHORT_SUBJECT = 1024,  /* not worth watching the clock for */
    SLICE_STEPS = 8 << 20, /* starting places tried first, times the bytes that each may look at */
    SLICE_NS = 10 * 1000 * 1000,
    LINES_PER_CHECK = 64,
    EXCERPT = 40,
};

struct matcher {
    struct matcher_options options;
    char *literal; /* a pattern without any special character; else NULL */
    size_t literal_len;
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    bool only_lines;      /* windows could miss lines */
    bool ends_at_newline; /* the pattern may hold a "$", which needs lines without CR */
    uintptr_t hard_until; /* a window that was too hard ends there */
    size_t given_up, lines_tried;
};

/* ---- what kind of pattern it is -------------------------------------------------------------------------- */

/* The byte after a "(?" or "(*" opens something that sees, or keeps backtracking from, more than its own text. */
static bool group_is_harmless(struct hv_str pattern, size_t at)
{
    if (at + 1 >= pattern.len || pattern.ptr[at + 1] != '?')
        return at + 1 >= pattern.len || pattern.ptr[at + 1] != '*';
    struct hv_str rest = hv_str_slice(pattern, at + 2, pattern.len);
    if (hv_str_starts(rest, HV_STR(":")) || hv_str_starts(rest, HV_STR("i)")) || hv_str_starts(rest, HV_STR("i:")) ||
        hv_str_starts(rest, HV_STR("P<")) || hv_str_starts(rest, HV_STR("'")))
        return true;
    return rest.len > 1 && rest.ptr[0] == '<' && rest.ptr[1] != '=' && rest.ptr[1] != '!' && rest.ptr[1] != '*';
}

/* The place after the bracket expression that begins at `at`, roughly: too far is as good as never. */
static size_t class_end(struct hv_str pattern, size_t at)
{
    size_t i = at + 1;
    if (i < pattern.len && pattern.ptr[i] == '^')
        i++;
    if (i < pattern.len && pattern.ptr[i] == ']')
        i++;
    for (; i < pattern.len && pattern.ptr[i] != ']'; i++)
        if (pattern.ptr[i] == '\\')
            i++;
        else if (pattern.ptr[i] == '[' && i + 1 < pattern.len && pattern.ptr[i + 1] == ':') {
            size_t close = hv_str_find(pattern, HV_STR(":]"), i + 2);
            i = close == SIZE_MAX ? i : close + 1;
        }
    return i;
}

/* Look through a regular expression once: may windows of many lines be tried, and does it ask for a line end? */
static void inspect(struct matcher *matcher, struct hv_str pattern, bool *has_newline)
{
    char before = 0; /* the unescaped byte before, for possessive quantifiers */
    *has_newline = false;
    for (size_t i = 0; i < pattern.len; i++) {
        char byte = pattern.ptr[i], escaped = 0;
        if (byte == '\\') {
            escaped = ++i < pattern.len ? pattern.ptr[i] : 0;
            matcher->only_lines |= escaped && strchr("AzZGKXRCQgkE", escaped) != NULL;
            *has_newline |= escaped == 'n';
        } else if (byte == '[') {
            i = class_end(pattern, i);
        } else if (byte == '(') {
            matcher->only_lines |= !group_is_harmless(pattern, i);
        } else if (byte == '+' && before && strchr("*+?}", before)) {
            matcher->only_lines = true;
        } else if (byte == '$') {
            matcher->ends_at_newline = true;
        }
        *has_newline |= byte == '\n';
        before = byte == '\\' ? 0 : byte;
    }
}

static bool is_plain(struct hv_str pattern)
{
    for (size_t i = 0; i < pattern.len; i++)
        if (!pattern.ptr[i] || strchr("\\^$.[]|()?*+{}", pattern.ptr[i]))
            return false;
    return true;
}

static enum hv_code fail_newline(struct hv_error *err)
{
    hv_fail(err, HV_EINVAL, "The pattern holds a line end, so that it can match no single line");
    hv_error_hint(err, "Set multiline to search across lines");
    hv_error_place(err, "pattern");
    return HV_EINVAL;
}

/* ---- compiling ------------------------------------------------------------------------------------------- */

static enum hv_code fail_pattern(struct hv_str pattern, int number, size_t at, struct hv_error *err)
{
    char text[256];
    if (pcre2_get_error_message(number, (PCRE2_UCHAR *)text, sizeof text) < 0)
        text[0] = '\0';
    at = at < pattern.len ? at : pattern.len;
    struct hv_str before = hv_str_slice(pattern, at > EXCERPT ? at - EXCERPT : 0, at);
    struct hv_str after = hv_str_slice(pattern, at, at + EXCERPT);
    hv_fail(err, HV_EINVAL, "The pattern is not valid: %s, at position %zu: %.*s ⟨here⟩ %.*s", text, at + 1,
            HV_STR_ARG(before), HV_STR_ARG(after));
    hv_error_hint(err, "Correct it, escape special characters with \\, or set fixed_strings to search for the text "
                       "as it is");
    hv_error_place(err, "pattern");
    return HV_EINVAL;
}

static enum hv_code compile(struct matcher *matcher, struct hv_str pattern, struct hv_error *err)
{
    const struct matcher_options *options = &matcher->options;
    uint32_t flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_USE_OFFSET_LIMIT;
    if (options->fixed)
        flags |= PCRE2_LITERAL;
    else
        flags |= PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | (options->multiline ? PCRE2_DOTALL : 0);
    if (options->ignore_case)
        flags |= PCRE2_CASELESS;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (context)
        pcre2_set_newline(context, options->multiline ? PCRE2_NEWLINE_ANYCRLF : PCRE2_NEWLINE_LF);
    int number = 0;
    size_t at = 0;
    matcher->code = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len, flags, &number, &at, context);
    pcre2_compile_context_free(context);
    if (!matcher->code)
        return fail_pattern(pattern, number, at, err);
    /* Without the JIT compiler, or where it does not know the pattern, the interpreter does the same. */
    (void)pcre2_jit_compile(matcher->code, PCRE2_JIT_COMPLETE);
    matcher->data = pcre2_match_data_create(1, NULL);
    matcher->context = pcre2_match_context_create(NULL);
    if (!matcher->data || !matcher->context)
        return hv_fail(err, HV_EINTERNAL, "No memory to search with this pattern");
    matcher->stack = pcre2_jit_stack_create(JIT_STACK_FIRST, JIT_STACK_MAX, NULL);
    if (matcher->stack)
        pcre2_jit_stack_assign(matcher->context, NULL, matcher->stack);
    pcre2_set_heap_limit(matcher->context, HEAP_KIB);
    return HV_OK;
}

enum hv_code matcher_new(const struct matcher_options *options, struct matcher **out, struct hv_error *err)
{
    struct matcher *matcher = hv_calloc(1, sizeof *matcher);
    struct hv_str pattern = options->pattern;
    matcher->options = *options;
    bool has_newline = options->fixed && hv_str_find_byte(pattern, '\n', 0) != SIZE_MAX;
    if (!options->fixed)
        inspect(matcher, pattern, &has_newline);
    enum hv_code code = HV_OK;
    if (has_newline && !options->multiline) {
        code = fail_newline(err);
    } else if (!options->ignore_case && (options->fixed || is_plain(pattern))) {
        matcher->literal = hv_malloc(pattern.len + 1);
        memcpy(matcher->literal, pattern.ptr, pattern.len);
        matcher->literal_len = pattern.len;
    } else {
        code = compile(matcher, pattern, err);
    }
    if (code)
        matcher_free(matcher);
    else
        *out = matcher;
    return code;
}

void matcher_free(struct matcher *matcher)
{
    if (!matcher)
        return;
    free(matcher->literal);
    pcre2_code_free(matcher->code);
    pcre2_match_data_free(matcher->data);
    pcre2_match_context_free(matcher->context);
    if (matcher->stack)
        pcre2_jit_stack_free(matcher->stack);
    free(matcher);
}

size_t matcher_given_up(const struct matcher *matcher)
{
    return matcher->given_up;
}

/* ---- one subject ----------------------------------------------------------------------------------------- */

enum tried { TRIED_NONE, TRIED_MATCH, TRIED_HARD, TRIED_STOPPED };

static bool stopped(const struct matcher *matcher)
{
    return matcher->options.stop && matcher->options.stop(matcher->options.user);
}

/*
 * Search subject from an offset on, a slice of starting places at a time: as many as go through in some milliseconds,
 * since PCRE2 itself cannot be interrupted.
 */
static enum tried try_subject(struct matcher *matcher, struct hv_str subject, size_t from, uint32_t effort,
                              size_t *start, size_t *end)
{
    pcre2_set_match_limit(matcher->context, effort);
    size_t slice = subject.len > SHORT_SUBJECT ? SLICE_STEPS / subject.len + 4 : SHORT_SUBJECT;
    for (;;) {
        while (from < subject.len && (subject.ptr[from] & 0xc0) == 0x80) /* no character begins here */
            from++;
        size_t limit = subject.len - from > slice ? from + slice : PCRE2_UNSET;
        bool watched = subject.len > SHORT_SUBJECT;
        uint64_t began = watched ? clock_monotonic_ns() : 0;
        pcre2_set_offset_limit(matcher->context, limit);
        int found =
            pcre2_match(matcher->code, (PCRE2_SPTR)subject.ptr, subject.len, from, 0, matcher->data, matcher->context);
        if (found >= 0) {
            const PCRE2_SIZE *bounds = pcre2_get_ovector_pointer(matcher->data);
            *start = bounds[0] < bounds[1] ? bounds[0] : bounds[1]; /* \K in a look-ahead can turn them round */
            *end = bounds[0] < bounds[1] ? bounds[1] : bounds[0];
            return TRIED_MATCH;
        }
        if (found != PCRE2_ERROR_NOMATCH)
            return TRIED_HARD;
        if (limit == PCRE2_UNSET)
            return TRIED_NONE;
        if (stopped(matcher))
            return TRIED_STOPPED;
        from = limit + 1;
        if (from > subject.len)
            return TRIED_NONE;
        slice = clock_monotonic_ns() - began < SLICE_NS ? slice * 4 : slice / 2 + 1;
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

static void set_line(struct match *match, size_t line, size_t end, size_t start, size_t until)
{
    *match = (struct match){.line = line, .end = end, .from = line + start, .until = line + until, .next = end};
}

/* The line that begins at `line`, alone. */
static enum tried try_line(struct matcher *matcher, struct hv_str text, size_t line, struct match *match)
{
    size_t newline = hv_str_find_byte(text, '\n', line);
    size_t end = newline == SIZE_MAX ? text.len : newline + 1, start, until;
    struct hv_str subject = lines_chop(hv_str_slice(text, line, end));
    if (!subject.len)
        subject = HV_STR("");
    enum tried tried = try_subject(matcher, subject, 0, LINE_EFFORT, &start, &until);
    if (tried == TRIED_MATCH)
        set_line(match, line, end, start, until);
    match->next = end;
    matcher->given_up += tried == TRIED_HARD;
    bool check = tried == TRIED_HARD || ++matcher->lines_tried % LINES_PER_CHECK == 0;
    return tried != TRIED_MATCH && check && stopped(matcher) ? TRIED_STOPPED : tried;
}

/* Lines from `from` up to `limit`, one by one. */
static enum match_found find_by_lines(struct matcher *matcher, struct hv_str text, size_t from, size_t limit,
                                      struct match *match)
{
    for (size_t at = from; at < limit; at = match->next) {
        enum tried tried = try_line(matcher, text, at, match);
        if (tried == TRIED_MATCH)
            return MATCH_FOUND;
        if (tried == TRIED_STOPPED)
            return MATCH_STOPPED;
    }
    return MATCH_NONE;
}

/* An empty match after the last line end is in no line. */
static bool is_past_lines(struct hv_str text, size_t start)
{
    return start >= text.len && (!text.len || text.ptr[text.len - 1] == '\n');
}

/* The window that begins at from: whole lines. */
static enum match_found find_in_window(struct matcher *matcher, struct hv_str text, size_t from, size_t limit,
                                       struct match *match)
{
    struct hv_str window = hv_str_slice(text, 0, limit);
    bool by_lines = matcher->only_lines || (uintptr_t)(text.ptr + from) < matcher->hard_until ||
                    (matcher->ends_at_newline && hv_str_find_byte(window, '\r', from) != SIZE_MAX);
    window = hv_str_slice(window, from, limit);
    for (size_t at = 0; at < window.len && !by_lines;) {
        size_t start, end;
        enum tried tried = try_subject(matcher, window, at, WINDOW_EFFORT, &start, &end);
        if (tried == TRIED_NONE)
            return MATCH_NONE;
        if (tried == TRIED_STOPPED)
            return MATCH_STOPPED;
        if (tried == TRIED_HARD) {
            matcher->hard_until = (uintptr_t)(text.ptr + limit);
            from += at;
            by_lines = true;
            break;
        }
        if (is_past_lines(window, start))
            return MATCH_NONE;
        enum match_found found =
            find_by_lines(matcher, text, from + lines_begin(window, start), from + start + 1, match);
        if (found != MATCH_NONE)
            return found;
        at = match->next - from;
    }
    return by_lines ? find_by_lines(matcher, text, from, limit, match) : MATCH_NONE;
}

static enum match_found find_line(struct matcher *matcher, struct hv_str text, size_t from, struct match *match)
{
    while (from < text.len) {
        size_t limit = text.len;
        if (text.len - from > WINDOW) {
            size_t newline = hv_str_find_byte(text, '\n', from + WINDOW);
            limit = newline == SIZE_MAX ? text.len : newline + 1;
        }
        enum match_found found = find_in_window(matcher, text, from, limit, match);
        if (found != MATCH_NONE)
            return found;
        if (stopped(matcher))
            return MATCH_STOPPED;
        from = limit;
    }
    return MATCH_NONE;
}

/* ---- whole texts and literals ------------------------------------------------------------------------------ */

static void set_lines(struct match *match, struct hv_str text, size_t start, size_t until)
{
    size_t last = until > start ? until - 1 : start;
    size_t newline = hv_str_find_byte(text, '\n', last);
    *match = (struct match){.line = lines_begin(text, start),
                            .end = newline == SIZE_MAX ? text.len : newline + 1,
                            .from = start,
                            .until = until,
                            .next = until};
    uint32_t ignored;
    if (until == start)
        match->next += start < text.len ? utf8_decode(text, start, &ignored) : 1;
}

static enum match_found find_across(struct matcher *matcher, struct hv_str text, size_t from, struct match *match)
{
    size_t start, until;
    if (from >= text.len)
        return MATCH_NONE;
    enum tried tried = try_subject(matcher, text, from, LINE_EFFORT, &start, &until);
    matcher->given_up += tried == TRIED_HARD;
    if (tried == TRIED_STOPPED)
        return MATCH_STOPPED;
    if (tried != TRIED_MATCH || is_past_lines(text, start))
        return MATCH_NONE;
    set_lines(match, text, start, until);
    return MATCH_FOUND;
}

static enum match_found find_literal(const struct matcher *matcher, struct hv_str text, size_t from,
                                     struct match *match)
{
    struct hv_str needle = hv_str_of(matcher->literal, matcher->literal_len);
    size_t found = from < text.len ? hv_str_find(text, needle, from) : SIZE_MAX;
    if (found == SIZE_MAX || found >= text.len)
        return MATCH_NONE;
    set_lines(match, text, found, found + needle.len);
    if (!matcher->options.multiline)
        match->next = match->end;
    return MATCH_FOUND;
}

enum match_found matcher_find(struct matcher *matcher, struct hv_str text, size_t from, struct match *match)
{
    if (matcher->literal)
        return find_literal(matcher, text, from, match);
    return matcher->options.multiline ? find_across(matcher, text, from, match) : find_line(matcher, text, from, match);
}

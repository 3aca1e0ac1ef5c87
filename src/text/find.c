/*
 * find.c: see find.h. Four engines:
 *   literal   the pattern is one text: the scanner finds a part of it, the rest is compared here; no PCRE2 at all
 *   scan      every match contains one of a few sequences: a scanner finds them, PCRE2 tries the line around
 *   windows   nothing is known: PCRE2 runs over many lines at once; where it matches, it tries the line alone
 *   lines     the same for patterns that see beyond their match: PCRE2 on one line after the other
 * With `multiline` PCRE2 runs over the whole text; a scanner, if any, first says whether there is anything to be found.
 *
 * Windows never miss a line as long as the pattern cannot see beyond it and can give back what it took: what matches
 * the line alone also matches at that place in the window.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/find.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "text/find_error.h"
#include "text/find_pattern.h"
#include "text/find_scan.h"
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
    WINDOW_SLICE = 4096,
    SLICE_NS = 10 * 1000 * 1000,
    LINES_PER_CHECK = 64,
    DESCRIBED_MAX = 60,
};

enum engine { ENGINE_LITERAL, ENGINE_SCAN, ENGINE_WINDOWS, ENGINE_LINES };

struct find {
    struct find_options options;
    enum engine engine;
    struct find_scan *scan; /* may be NULL */
    struct hv_buf literal;  /* ENGINE_LITERAL; of small letters when case is ignored */
    size_t part, lead;      /* where in literal the part begins that the scanner finds, after `lead` other bytes */
    pcre2_code *code;       /* the other engines */
    bool ends_at_newline;
};

struct find_scratch {
    const struct find *find;
    bool (*stop)(void *user);
    void *user;
    pcre2_match_data *data;
    pcre2_match_context *context;
    pcre2_jit_stack *stack;
    uintptr_t hard_until; /* a window that was too hard ends there */
    size_t hard, lines_tried;
    struct hv_str last_text; /* the text of the last match; absent: there is none, or it spans lines */
    struct find_match last;
    bool goes_on; /* this call goes on after the last match */
};

/* ---- compiling ------------------------------------------------------------------------------------------- */

static uint32_t compile_flags(const struct find_options *options)
{
    uint32_t flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_USE_OFFSET_LIMIT;
    if (options->fixed)
        flags |= PCRE2_LITERAL;
    else
        flags |= PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | (options->multiline ? PCRE2_DOTALL : 0);
    return options->ignore_case ? flags | PCRE2_CASELESS : flags;
}

static enum hv_code compile_code(struct find *find, struct hv_str pattern, struct hv_error *err)
{
    const struct find_options *options = &find->options;
    uint32_t flags = compile_flags(options);
    int number = 0;
    size_t at = 0;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!context)
        return hv_fail(err, HV_EINTERNAL, "No memory to search with this pattern");
    pcre2_set_newline(context, options->multiline ? PCRE2_NEWLINE_ANYCRLF : PCRE2_NEWLINE_LF);
    if (options->word)
        pcre2_set_compile_extra_options(context, PCRE2_EXTRA_MATCH_WORD);
    find->code = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len, flags, &number, &at, context);
    pcre2_compile_context_free(context);
    if (!find->code)
        return find_fail_pattern(pattern, flags, number, at, err);
    /* Without the JIT compiler, or where it does not know the pattern, the interpreter does the same. */
    (void)pcre2_jit_compile(find->code, PCRE2_JIT_COMPLETE);
    return HV_OK;
}

static bool is_ascii(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] & 0x80)
            return false;
    return true;
}

static char small(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

/* k and s also stand for U+212A and U+017F when case is ignored, so that what follows them has no fixed place. */
static bool is_wide_letter(char byte)
{
    return byte == 'k' || byte == 's';
}

/*
 * The longest stretch of the literal, ignoring case, in which each character is one byte, with the letter before it (of
 * which the last byte is known) and the one after it (the first). Short enough for a scanner.
 */
static struct hv_str narrow_part(struct find *find, struct hv_str literal)
{
    enum { LEN_MAX = FIND_SEQUENCE_MAX - 2 };
    size_t best = 0, best_len = 0;
    for (size_t i = 0, from = 0; i <= literal.len; i++) {
        if (i < literal.len && !is_wide_letter(literal.ptr[i]))
            continue;
        if (i - from > best_len) {
            best = from;
            best_len = i - from;
        }
        from = i + 1;
    }
    best_len = best_len < LEN_MAX ? best_len : LEN_MAX;
    find->part = best;
    find->lead = best > 0;
    return best_len ? hv_str_slice(literal, best - find->lead, best + best_len + 1) : HV_STR("");
}

/* Use the literal engine if it is worth while: false leaves the pattern to PCRE2. */
static bool choose_literal(struct find *find)
{
    struct hv_str literal = hv_buf_str(&find->literal), part = hv_str_slice(literal, 0, FIND_SEQUENCE_MAX);
    if (!literal.len)
        return false;
    if (!find->options.multiline && literal.ptr[literal.len - 1] == '\r') /* may be part of a line end */
        return false;
    if (find->options.ignore_case) {
        if (!is_ascii(literal))
            return false;
        for (size_t i = 0; i < literal.len; i++)
            find->literal.data[i] = small(literal.ptr[i]);
        part = narrow_part(find, literal);
        if (!part.len)
            return false;
    }
    struct find_facts *facts = hv_calloc(1, sizeof *facts);
    find_pattern_read_fixed(part, find->options.ignore_case, facts);
    if (facts->best.count == 1 && facts->best.items[0].len == part.len) {
        find->scan = find_scan_new(facts, find->options.portable);
        find->engine = ENGINE_LITERAL;
    }
    free(facts);
    return find->scan != NULL;
}

/* What the regular expression says about its matches decides. */
static void choose_scan(struct find *find, struct hv_str pattern)
{
    const double rare_enough = -6.5; /* else nearly every line would be tried, one by one */
    struct find_facts *facts = hv_calloc(1, sizeof *facts);
    if (find->options.fixed)
        find_pattern_read_fixed(pattern, find->options.ignore_case, facts);
    else
        find_pattern_read(pattern, find->options.ignore_case, facts);
    if (facts->best.count && facts->cost < rare_enough)
        find->scan = find_scan_new(facts, find->options.portable);
    find->ends_at_newline = facts->ends_at_newline;
    find->engine = find->scan ? ENGINE_SCAN : facts->line_bound || find->options.word ? ENGINE_LINES : ENGINE_WINDOWS;
    free(facts);
}

static enum hv_code check_pattern(struct hv_str pattern, const struct find_options *options, struct hv_error *err)
{
    if (pattern.len > FIND_PATTERN_MAX) {
        hv_fail(err, HV_ETOOBIG, "The pattern is too long: %zu bytes, at most %d", pattern.len, FIND_PATTERN_MAX);
        hv_error_hint(err, "Search for a part of it");
        hv_error_place(err, "pattern");
        return HV_ETOOBIG;
    }
    size_t invalid = utf8_next_invalid(pattern, 0);
    if (invalid != SIZE_MAX) {
        hv_fail(err, HV_EINVAL, "The pattern is not UTF-8, at position %zu", invalid + 1);
        hv_error_place(err, "pattern");
        return HV_EINVAL;
    }
    bool newline = options->fixed ? hv_str_find_byte(pattern, '\n', 0) != SIZE_MAX : find_pattern_has_newline(pattern);
    if (options->multiline || !newline)
        return HV_OK;
    hv_fail(err, HV_EINVAL, "The pattern holds a line end, so that it can match no single line");
    hv_error_hint(err, "Set multiline to search across lines");
    hv_error_place(err, "pattern");
    return HV_EINVAL;
}

enum hv_code find_compile(struct hv_str pattern, const struct find_options *options, struct find **out,
                          struct hv_error *err)
{
    if (!pattern.len)
        pattern = HV_STR("");
    enum hv_code code = check_pattern(pattern, options, err);
    if (code)
        return code;
    struct find *find = hv_calloc(1, sizeof *find);
    find->options = *options;
    find->engine = ENGINE_LINES;
    hv_buf_init(&find->literal, FIND_PATTERN_MAX + 1);
    bool is_text = options->fixed;
    if (is_text)
        hv_buf_add_str(&find->literal, pattern);
    else
        is_text = find_pattern_is_text(pattern, &find->literal);
    if (options->no_scan || !is_text || options->word || !choose_literal(find)) {
        code = compile_code(find, pattern, err);
        if (!code && !options->no_scan)
            choose_scan(find, pattern);
    }
    if (code)
        find_release(find);
    else
        *out = find;
    return code;
}

void find_release(struct find *find)
{
    if (!find)
        return;
    find_scan_free(find->scan);
    hv_buf_release(&find->literal);
    pcre2_code_free(find->code);
    free(find);
}

void find_describe(const struct find *find, struct hv_buf *out)
{
    static const char *const names[] = {
        [ENGINE_LITERAL] = "literal",
        [ENGINE_SCAN] = "scan, then PCRE2 on the line",
        [ENGINE_WINDOWS] = "PCRE2 on windows of lines",
        [ENGINE_LINES] = "PCRE2 on each line",
    };
    bool whole = find->options.multiline && find->engine != ENGINE_LITERAL;
    hv_buf_add_cstr(out,
                    whole ? find->scan ? "scan, then PCRE2 on the text" : "PCRE2 on the text" : names[find->engine]);
    if (find->options.ignore_case)
        hv_buf_add_cstr(out, ", ignoring case");
    if (find->engine == ENGINE_LITERAL)
        hv_buf_addf(out, " \"%.*s\"", (int)(find->literal.len < DESCRIBED_MAX ? find->literal.len : DESCRIBED_MAX),
                    find->literal.data);
    if (find->scan) {
        hv_buf_add_cstr(out, ": ");
        find_scan_describe(find->scan, out);
    }
}

/* ---- scratch --------------------------------------------------------------------------------------------- */

struct find_scratch *find_scratch_new(const struct find *find, bool (*stop)(void *user), void *user)
{
    struct find_scratch *scratch = hv_calloc(1, sizeof *scratch);
    *scratch = (struct find_scratch){.find = find, .stop = stop, .user = user};
    if (!find->code)
        return scratch;
    scratch->data = pcre2_match_data_create(1, NULL);
    scratch->context = pcre2_match_context_create(NULL);
    scratch->stack = pcre2_jit_stack_create(JIT_STACK_FIRST, JIT_STACK_MAX, NULL);
    if (scratch->context) {
        pcre2_set_heap_limit(scratch->context, HEAP_KIB);
        if (scratch->stack)
            pcre2_jit_stack_assign(scratch->context, NULL, scratch->stack);
    }
    return scratch;
}

void find_scratch_free(struct find_scratch *scratch)
{
    if (!scratch)
        return;
    pcre2_match_data_free(scratch->data);
    pcre2_match_context_free(scratch->context);
    if (scratch->stack)
        pcre2_jit_stack_free(scratch->stack);
    free(scratch);
}

size_t find_hard(const struct find_scratch *scratch)
{
    return scratch->hard;
}

enum hv_code find_fail_hard(const struct find *find, size_t hard, struct hv_error *err)
{
    hv_fail(err, HV_ETOOBIG, "The pattern took too many steps on %zu %s, which may hold matches that are not shown",
            hard,
            find->options.multiline ? hard == 1 ? "text" : "texts"
            : hard == 1             ? "line"
                                    : "lines");
    hv_error_hint(err,
                  "Write it without repetitions within repetitions, as in (a+)+, and with less .* or \\s* in a row");
    hv_error_place(err, "pattern");
    return HV_ETOOBIG;
}

static bool stopped(const struct find_scratch *scratch)
{
    return scratch->stop && scratch->stop(scratch->user);
}

/* ---- one subject ----------------------------------------------------------------------------------------- */

enum tried { TRIED_NONE, TRIED_MATCH, TRIED_HARD, TRIED_STOPPED };

static enum tried read_bounds(const struct find_scratch *scratch, size_t *start, size_t *end)
{
    const PCRE2_SIZE *bounds = pcre2_get_ovector_pointer(scratch->data);
    *start = bounds[0] < bounds[1] ? bounds[0] : bounds[1]; /* \K in a look-ahead can turn them round */
    *end = bounds[0] < bounds[1] ? bounds[1] : bounds[0];
    return TRIED_MATCH;
}

/* Search subject from an offset on, trying the starting places up to limit (PCRE2_UNSET: all). */
static enum tried try_slice(struct find_scratch *scratch, struct hv_str subject, size_t from, size_t limit,
                            uint32_t effort, size_t *start, size_t *end)
{
    if (!scratch->data || !scratch->context)
        return TRIED_HARD;
    pcre2_set_match_limit(scratch->context, effort);
    pcre2_set_offset_limit(scratch->context, limit);
    int found = pcre2_match(scratch->find->code, (PCRE2_SPTR)subject.ptr, subject.len, from, 0, scratch->data,
                            scratch->context);
    if (found >= 0)
        return read_bounds(scratch, start, end);
    return found == PCRE2_ERROR_NOMATCH ? TRIED_NONE : TRIED_HARD;
}

/*
 * Search subject from an offset on, a slice of starting places at a time: as many as go through in some milliseconds,
 * since PCRE2 itself cannot be interrupted. With the little effort of windows that is so without looking at the clock.
 */
static enum tried try_subject(struct find_scratch *scratch, struct hv_str subject, size_t from, uint32_t effort,
                              size_t *start, size_t *end)
{
    while (from < subject.len && (subject.ptr[from] & 0xc0) == 0x80) /* no character begins here */
        from++;
    if (subject.len <= SHORT_SUBJECT)
        return try_slice(scratch, subject, from, PCRE2_UNSET, effort, start, end);
    bool watched = effort != WINDOW_EFFORT;
    size_t slice = watched ? SLICE_STEPS / subject.len + 4 : WINDOW_SLICE;
    for (;;) {
        size_t limit = subject.len - from > slice ? from + slice : PCRE2_UNSET;
        uint64_t began = watched ? clock_monotonic_ns() : 0;
        enum tried tried = try_slice(scratch, subject, from, limit, effort, start, end);
        if (tried != TRIED_NONE || limit == PCRE2_UNSET)
            return tried;
        if (stopped(scratch))
            return TRIED_STOPPED;
        from = limit + 1;
        while (from < subject.len && (subject.ptr[from] & 0xc0) == 0x80)
            from++;
        if (watched)
            slice = clock_monotonic_ns() - began < SLICE_NS ? slice * 4 : slice / 2 + 1;
    }
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

/* Is this place in the line of the last match? In a line of megabytes its ends are not to be looked for once more. */
static bool in_last_line(const struct find_scratch *scratch, size_t at)
{
    return scratch->goes_on && at >= scratch->last.line && at < scratch->last.end;
}

static size_t line_begin(const struct find_scratch *scratch, struct hv_str text, size_t at)
{
    return in_last_line(scratch, at) ? scratch->last.line : lines_begin(text, at);
}

static size_t line_end(const struct find_scratch *scratch, struct hv_str text, size_t at)
{
    if (in_last_line(scratch, at))
        return scratch->last.end;
    size_t newline = hv_str_find_byte(text, '\n', at);
    return newline == SIZE_MAX ? text.len : newline + 1;
}

/* The next place to look after a match: past it, and past a character if it is empty. */
static size_t after_match(struct hv_str text, size_t from, size_t until)
{
    uint32_t ignored;
    if (until > from)
        return until;
    return until < text.len ? until + utf8_decode(text, until, &ignored) : until + 1;
}

/* The line from `line` to `end` (line end included), alone, for matches at or after from. */
static enum tried try_line(struct find_scratch *scratch, struct hv_str text, size_t line, size_t end, size_t from,
                           struct find_match *match)
{
    size_t start, until;
    struct hv_str subject = lines_chop(hv_str_slice(text, line, end));
    if (from - line > subject.len)
        return TRIED_NONE;
    if (!subject.len)
        subject = HV_STR("");
    enum tried tried = try_subject(scratch, subject, from - line, LINE_EFFORT, &start, &until);
    if (tried == TRIED_MATCH)
        *match = (struct find_match){.line = line,
                                     .end = end,
                                     .from = line + start,
                                     .until = line + until,
                                     .next = after_match(text, line + start, line + until)};
    scratch->hard += tried == TRIED_HARD;
    bool check = tried == TRIED_HARD || ++scratch->lines_tried % LINES_PER_CHECK == 0;
    return tried != TRIED_MATCH && check && stopped(scratch) ? TRIED_STOPPED : tried;
}

/* Lines one by one, those that begin before limit. */
static enum find_result find_by_lines(struct find_scratch *scratch, struct hv_str text, size_t from, size_t limit,
                                      struct find_match *match)
{
    while (from < limit) {
        size_t end = line_end(scratch, text, from);
        enum tried tried = try_line(scratch, text, line_begin(scratch, text, from), end, from, match);
        if (tried == TRIED_MATCH)
            return FIND_FOUND;
        if (tried == TRIED_STOPPED)
            return FIND_STOPPED;
        from = end;
    }
    return FIND_NONE;
}

/* An empty match after the last line end is in no line. */
static bool is_past_lines(struct hv_str text, size_t start)
{
    return start >= text.len && (!text.len || text.ptr[text.len - 1] == '\n');
}

/*
 * Lines from `from` up to limit, in which PCRE2 found nothing as parts of a window. They may still hold matches if they
 * end in "\r\n": there "$" holds only in a line alone.
 */
static enum find_result find_before(struct find_scratch *scratch, struct hv_str text, size_t from, size_t limit,
                                    struct find_match *match)
{
    if (from >= limit || !scratch->find->ends_at_newline || !memchr(text.ptr + from, '\r', limit - from))
        return FIND_NONE;
    return find_by_lines(scratch, text, from, limit, match);
}

/*
 * PCRE2 found [start, until) in a window. If that is all within its line, it would be found in the line alone, too:
 * what PCRE2 tried before it was either the same or went beyond the line.
 */
static enum tried confirm(struct find_scratch *scratch, struct hv_str text, size_t from, size_t start, size_t until,
                          struct find_match *match)
{
    size_t line = line_begin(scratch, text, start), end = line_end(scratch, text, start);
    struct hv_str subject = lines_chop(hv_str_slice(text, line, end));
    bool ends_in_cr = end - line > subject.len + 1;
    bool in_character = start < text.len && (text.ptr[start] & 0xc0) == 0x80; /* ill-formed: try_subject skips it */
    if (until <= line + subject.len && !(ends_in_cr && scratch->find->ends_at_newline) && !in_character) {
        *match = (struct find_match){
            .from = start, .until = until, .line = line, .end = end, .next = after_match(text, start, until)};
        return TRIED_MATCH;
    }
    return try_line(scratch, text, line, end, line > from ? line : from, match);
}

/* The window from `line`, where a line begins, to limit, where one ends; matches at or after from. */
static enum find_result find_in_window(struct find_scratch *scratch, struct hv_str text, size_t line, size_t from,
                                       size_t limit, struct find_match *match)
{
    struct hv_str window = hv_str_slice(text, line, limit);
    if ((uintptr_t)(text.ptr + line) < scratch->hard_until)
        return find_by_lines(scratch, text, from, limit, match);
    while (from < limit) {
        size_t start, until;
        enum tried tried = try_subject(scratch, window, from - line, WINDOW_EFFORT, &start, &until);
        if (tried == TRIED_STOPPED)
            return FIND_STOPPED;
        if (tried == TRIED_HARD) {
            scratch->hard_until = (uintptr_t)(text.ptr + limit);
            return find_by_lines(scratch, text, from, limit, match);
        }
        if (tried == TRIED_NONE || is_past_lines(window, start))
            return find_before(scratch, text, from, limit, match);
        enum find_result found = find_before(scratch, text, from, line_begin(scratch, text, line + start), match);
        if (found != FIND_NONE)
            return found;
        tried = confirm(scratch, text, from, line + start, line + until, match);
        if (tried == TRIED_MATCH)
            return FIND_FOUND;
        if (tried == TRIED_STOPPED)
            return FIND_STOPPED;
        from = line_end(scratch, text, line + start);
    }
    return FIND_NONE;
}

static enum find_result find_in_windows(struct find_scratch *scratch, struct hv_str text, size_t from,
                                        struct find_match *match)
{
    size_t line = line_begin(scratch, text, from);
    while (from < text.len) {
        size_t limit = text.len - from > WINDOW ? line_end(scratch, text, from + WINDOW) : text.len;
        enum find_result found = find_in_window(scratch, text, line, from, limit, match);
        if (found != FIND_NONE)
            return found;
        if (stopped(scratch))
            return FIND_STOPPED;
        line = from = limit;
    }
    return FIND_NONE;
}

/* The lines in which the scanner sees something. */
static enum find_result find_by_scan(struct find_scratch *scratch, struct hv_str text, size_t from,
                                     struct find_match *match)
{
    for (size_t floor = line_begin(scratch, text, from);;) {
        size_t place = find_scan_next(scratch->find->scan, text, from);
        if (place == SIZE_MAX)
            return FIND_NONE;
        size_t line =
            in_last_line(scratch, place) ? floor : floor + lines_begin(hv_str_slice(text, floor, place), place - floor);
        size_t end = line_end(scratch, text, place);
        enum tried tried = try_line(scratch, text, line, end, from > line ? from : line, match);
        if (tried == TRIED_MATCH)
            return FIND_FOUND;
        if (tried == TRIED_STOPPED)
            return FIND_STOPPED;
        from = floor = end;
    }
}

/* ---- whole texts and literals ------------------------------------------------------------------------------ */

static void set_lines(const struct find_scratch *scratch, struct hv_str text, size_t start, size_t until,
                      struct find_match *match)
{
    *match = (struct find_match){.line = line_begin(scratch, text, start),
                                 .end = line_end(scratch, text, until > start ? until - 1 : start),
                                 .from = start,
                                 .until = until,
                                 .next = after_match(text, start, until)};
}

static enum find_result find_across(struct find_scratch *scratch, struct hv_str text, size_t from,
                                    struct find_match *match)
{
    size_t start, until;
    if (scratch->find->scan && find_scan_next(scratch->find->scan, text, from) == SIZE_MAX)
        return FIND_NONE;
    enum tried tried = try_subject(scratch, text, from, LINE_EFFORT, &start, &until);
    scratch->hard += tried == TRIED_HARD;
    if (tried == TRIED_STOPPED)
        return FIND_STOPPED;
    if (tried != TRIED_MATCH || is_past_lines(text, start))
        return FIND_NONE;
    set_lines(scratch, text, start, until, match);
    return FIND_FOUND;
}

/* One letter of a literal, ignoring case, at the beginning of text; the length it has there, 0: it is another. */
static size_t letter_after(struct hv_str text, char letter)
{
    if (text.len && small(text.ptr[0]) == letter)
        return 1;
    if (letter == 'k' && hv_str_starts(text, HV_STR("\xe2\x84\xaa")))
        return 3;
    return letter == 's' && hv_str_starts(text, HV_STR("\xc5\xbf")) ? 2 : 0;
}

static size_t letter_before(struct hv_str text, char letter)
{
    if (text.len && small(text.ptr[text.len - 1]) == letter)
        return 1;
    if (letter == 'k' && hv_str_ends(text, HV_STR("\xe2\x84\xaa")))
        return 3;
    return letter == 's' && hv_str_ends(text, HV_STR("\xc5\xbf")) ? 2 : 0;
}

/* Does the literal stand around `place`, where the scanner found its part? */
static bool literal_around(const struct find *find, struct hv_str text, size_t place, size_t *start, size_t *until)
{
    *start = *until = place;
    for (size_t i = find->part; i-- > 0;) {
        size_t len = letter_before(hv_str_slice(text, 0, *start), find->literal.data[i]);
        if (!len)
            return false;
        *start -= len;
    }
    for (size_t i = find->part; i < find->literal.len; i++) {
        size_t len = letter_after(hv_str_slice(text, *until, text.len), find->literal.data[i]);
        if (!len)
            return false;
        *until += len;
    }
    return true;
}

static bool literal_at(const struct find *find, struct hv_str text, size_t place, size_t *start, size_t *until)
{
    if (find->options.ignore_case)
        return literal_around(find, text, place + find->lead, start, until);
    *start = place;
    *until = place + find->literal.len;
    return *until <= text.len && (find->literal.len <= FIND_SEQUENCE_MAX ||
                                  memcmp(text.ptr + place, find->literal.data, find->literal.len) == 0);
}

static enum find_result find_literal(const struct find_scratch *scratch, struct hv_str text, size_t from,
                                     struct find_match *match)
{
    const struct find *find = scratch->find;
    size_t start, until;
    for (size_t place = from;; place++) {
        place = find_scan_next(find->scan, text, place);
        if (place == SIZE_MAX)
            return FIND_NONE;
        if (literal_at(find, text, place, &start, &until) && start >= from)
            break;
    }
    set_lines(scratch, text, start, until, match);
    return FIND_FOUND;
}

static enum find_result find_by_engine(struct find_scratch *scratch, struct hv_str text, size_t offset,
                                       struct find_match *match)
{
    const struct find *find = scratch->find;
    if (find->engine == ENGINE_LITERAL)
        return find_literal(scratch, text, offset, match);
    if (find->options.multiline)
        return find_across(scratch, text, offset, match);
    switch (find->engine) {
    case ENGINE_SCAN: return find_by_scan(scratch, text, offset, match);
    case ENGINE_WINDOWS: return find_in_windows(scratch, text, offset, match);
    default: return find_by_lines(scratch, text, offset, text.len, match);
    }
}

/* Keep the match if it lies in one line. */
static void remember(struct find_scratch *scratch, struct hv_str text, const struct find_match *match)
{
    struct hv_str inside = hv_str_slice(text, match->from, match->until);
    scratch->last_text = (struct hv_str){0};
    if (scratch->find->options.multiline && hv_str_find_byte(inside, '\n', 0) != SIZE_MAX)
        return;
    scratch->last_text = text;
    scratch->last = *match;
}

enum find_result find_next(struct find_scratch *scratch, struct hv_str text, size_t offset, struct find_match *match)
{
    if (offset >= text.len)
        return FIND_NONE;
    scratch->goes_on =
        scratch->last_text.ptr == text.ptr && scratch->last_text.len == text.len && scratch->last.next == offset;
    enum find_result found = find_by_engine(scratch, text, offset, match);
    if (found == FIND_FOUND)
        remember(scratch, text, match);
    else
        scratch->last_text = (struct hv_str){0};
    return found;
}

/*
 * find.c: see find.h. Five engines:
 *   literal   the pattern is one text: the scanner finds a part of it, the rest is compared here; no PCRE2 at all
 *   scan      every match contains one of a few sequences: a scanner finds them, PCRE2 tries the line around
 *   machine   a line is read byte by byte once (find_machine.h), which tells whether there is a match in it
 *   windows   nothing is known: PCRE2 runs over many lines at once; where it matches, it tries the line alone
 *   lines     the same for patterns that see beyond their match: PCRE2 on one line after the other
 * Where there is a machine, it is asked about a line before PCRE2 is, and PCRE2 only says where the match is.
 * With `multiline` PCRE2 runs over the whole text; a scanner, if any, first says whether there is anything to be found.
 *
 * Windows never miss a line as long as the pattern cannot see beyond it and can give back what it took: what matches
 * the line alone also matches at that place in the window.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/find_engine.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "text/lines.h"

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
    LOOK_BACK = 4096, /* at once, for where a line begins: sanitizers look at all that is handed over */
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
    size_t counted,
        looked_at; /* bytes of the texts counted last, and lines in them that were, or had to be, looked at */
};

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

static bool is_continuation(struct hv_str subject, size_t at)
{
    return at < subject.len && (subject.ptr[at] & 0xc0) == 0x80;
}

/* The first place at or after `at` where a character, or a byte that is none, may begin. */
static size_t next_place(struct hv_str subject, size_t at)
{
    while (is_continuation(subject, at))
        at++;
    return at;
}

/*
 * Search subject from an offset on, trying the starting places up to limit (PCRE2_UNSET: all). PCRE2 says of a stray
 * continuation byte that a match begins there or not, depending on where it began to look and whether the pattern was
 * compiled to machine code: here none does.
 */
static enum tried try_slice(struct find_scratch *scratch, struct hv_str subject, size_t from, size_t limit,
                            uint32_t effort, size_t *start, size_t *end)
{
    if (!scratch->data || !scratch->context)
        return TRIED_HARD;
    pcre2_set_match_limit(scratch->context, effort);
    pcre2_set_offset_limit(scratch->context, limit);
    while (from <= limit) {
        int found = pcre2_match(scratch->find->code, (PCRE2_SPTR)subject.ptr, subject.len, from, 0, scratch->data,
                                scratch->context);
        if (found < 0)
            return found == PCRE2_ERROR_NOMATCH ? TRIED_NONE : TRIED_HARD;
        size_t began = pcre2_get_startchar(scratch->data);
        if (!is_continuation(subject, began))
            return read_bounds(scratch, start, end);
        from = next_place(subject, began > from ? began : from + 1);
    }
    return TRIED_NONE;
}

/*
 * Search subject from an offset on, a slice of starting places at a time: as many as go through in some milliseconds,
 * since PCRE2 itself cannot be interrupted. With the little effort of windows that is so without looking at the clock.
 */
static enum tried try_subject(struct find_scratch *scratch, struct hv_str subject, size_t from, uint32_t effort,
                              size_t *start, size_t *end)
{
    from = next_place(subject, from);
    if (subject.len <= SHORT_SUBJECT)
        return try_slice(scratch, subject, from, PCRE2_UNSET, effort, start, end);
    if (scratch->find->in_one_go) /* with no more steps in all than a short one may take */
        return try_slice(scratch, subject, from, PCRE2_UNSET,
                         (uint32_t)((uint64_t)effort * SHORT_SUBJECT / subject.len) + 1, start, end);
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
        from = next_place(subject, limit + 1);
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
    if (in_last_line(scratch, at))
        return scratch->last.line;
    for (size_t from = at, newline; from; from = from > LOOK_BACK ? from - LOOK_BACK : 0) {
        size_t begin = from > LOOK_BACK ? from - LOOK_BACK : 0;
        newline = hv_str_rfind_byte(hv_str_slice(text, begin, from), '\n');
        if (newline != SIZE_MAX)
            return begin + newline + 1;
    }
    return 0;
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
    size_t start, until, at = line;
    struct hv_str subject = lines_chop(hv_str_slice(text, line, end));
    if (from - line > subject.len)
        return TRIED_NONE;
    if (from == line && scratch->find->machine &&
        find_machine_read(scratch->find->machine, hv_str_slice(text, 0, end), &at) == FIND_ANSWER_NO)
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

/* The lines that the machine does not rule out. */
static enum find_result find_by_machine(struct find_scratch *scratch, struct hv_str text, size_t from,
                                        struct find_match *match)
{
    if (from > line_begin(scratch, text, from)) { /* for one more match in a line, in which there was one */
        size_t end = line_end(scratch, text, from);
        enum find_result found = find_by_lines(scratch, text, from, end, match);
        if (found != FIND_NONE)
            return found;
        from = end;
    }
    while (from < text.len) {
        size_t at = from;
        enum find_answer answer = find_machine_read(scratch->find->machine, text, &at);
        size_t end = at < text.len ? line_end(scratch, text, at) : text.len;
        if (answer != FIND_ANSWER_NO) {
            enum find_result found = find_by_lines(scratch, text, from, end, match);
            if (found != FIND_NONE)
                return found;
        }
        from = end;
    }
    return FIND_NONE;
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
    if (text.len && find_small(text.ptr[0]) == letter)
        return 1;
    if (letter == 'k' && hv_str_starts(text, HV_STR("\xe2\x84\xaa")))
        return 3;
    return letter == 's' && hv_str_starts(text, HV_STR("\xc5\xbf")) ? 2 : 0;
}

static size_t letter_before(struct hv_str text, char letter)
{
    if (text.len && find_small(text.ptr[text.len - 1]) == letter)
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
    case ENGINE_MACHINE: return find_by_machine(scratch, text, offset, match);
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

bool find_rules_out(const struct find_scratch *scratch, struct hv_str bytes, size_t *clear)
{
    const struct find *find = scratch->find;
    size_t place = 0;
    *clear = 0;
    if (find->beyond_ascii)
        place = utf8_ascii_length(bytes);
    else if (find->is_ascii)
        place = find_scan_next(find->scan, bytes, 0);
    if (place >= bytes.len)
        return find->beyond_ascii || find->is_ascii;
    if (!find->options.multiline)
        *clear = lines_begin(bytes, place);
    return false;
}

/* ---- counting -------------------------------------------------------------------------------------------- */

/* Whether the line from `line` to `end` holds a match. */
static enum tried count_line(struct find_scratch *scratch, struct hv_str text, size_t line, size_t end)
{
    struct find_match match;
    size_t at = line;
    if (!scratch->find->machine)
        return try_line(scratch, text, line, end, line, &match);
    enum find_answer answer = find_machine_read(scratch->find->machine, (struct hv_str){text.ptr, end}, &at);
    if (answer == FIND_ANSWER_OPEN)
        return try_line(scratch, text, line, end, line, &match);
    return answer == FIND_ANSWER_YES ? TRIED_MATCH : TRIED_NONE;
}

/* Lines one after the other: false when stopped. *line: where the next one begins; *count goes up to max. */
static bool count_lines(struct find_scratch *scratch, struct hv_str text, size_t *line, size_t base, uint64_t ends,
                        size_t max, size_t *count)
{
    for (; ends && (!max || *count < max); ends &= ends - 1) {
        size_t end = base + (size_t)__builtin_ctzll(ends) + 1;
        enum tried tried = count_line(scratch, text, *line, end);
        if (tried == TRIED_STOPPED)
            return false;
        *count += tried == TRIED_MATCH;
        *line = end;
    }
    return true;
}

/* All lines, whose ends are found many at a time. */
static bool count_all(struct find_scratch *scratch, struct hv_str text, size_t max, size_t *count)
{
    size_t line = 0, base = 0;
    for (; text.len - base >= LINES_BLOCK && (!max || *count < max); base += LINES_BLOCK)
        if (!count_lines(scratch, text, &line, base, lines_newline_mask(text, base), max, count))
            return false;
    while (line < text.len && (!max || *count < max)) {
        size_t finish = lines_finish(text, line);
        if (!count_lines(scratch, text, &line, finish < text.len ? finish : text.len - 1, 1, max, count))
            return false;
    }
    return true;
}

/* Remember how dense what was looked for stood, the last texts more than those before. */
static void note_density(struct find_scratch *scratch, size_t bytes, size_t lines)
{
    const size_t forget = 128 * 1024;
    scratch->counted += bytes;
    scratch->looked_at += lines;
    for (; scratch->counted > forget; scratch->counted /= 2)
        scratch->looked_at /= 2;
}

static bool is_dense(const struct find_scratch *scratch)
{
    return scratch->looked_at * scratch->find->apart > scratch->counted;
}

/* Those lines in which the scanner sees something. */
static bool count_by_scan(struct find_scratch *scratch, struct hv_str text, size_t max, size_t *count)
{
    size_t looked_at = 0, end = 0;
    for (; !max || *count < max; looked_at++) {
        size_t place = find_scan_next(scratch->find->scan, text, end);
        if (place == SIZE_MAX) {
            end = text.len;
            break;
        }
        size_t line = end + lines_begin(hv_str_slice(text, end, place), place - end);
        const char *newline = memchr(text.ptr + place, '\n', text.len - place);
        end = newline ? (size_t)(newline - text.ptr) + 1 : text.len;
        enum tried tried = count_line(scratch, text, line, end);
        if (tried == TRIED_STOPPED)
            return false;
        *count += tried == TRIED_MATCH;
    }
    note_density(scratch, end, looked_at);
    return true;
}

/* By streams of bits; but of lines that hold anything beyond ASCII each for itself. */
static bool count_by_streams(struct find_scratch *scratch, struct hv_str text, size_t max, size_t *count)
{
    for (size_t at = 0; at < text.len && (!max || *count < max);) {
        struct hv_str rest = hv_str_slice(text, at, text.len);
        size_t ascii = utf8_ascii_length(rest), plain = ascii < rest.len ? lines_begin(rest, ascii) : rest.len;
        *count += find_streams_count(scratch->find->streams, hv_str_slice(rest, 0, plain), max ? max - *count : 0);
        at += plain;
        if (at == text.len || (max && *count == max))
            break;
        size_t end = line_end(scratch, text, at + ascii - plain);
        enum tried tried = count_line(scratch, text, at, end);
        if (tried == TRIED_STOPPED)
            return false;
        *count += tried == TRIED_MATCH;
        at = end;
    }
    note_density(scratch, text.len, *count);
    return true;
}

bool find_count(struct find_scratch *scratch, struct hv_str text, size_t max, size_t *count)
{
    const struct find *find = scratch->find;
    enum find_result found = FIND_NONE;
    struct find_match match;
    *count = 0;
    scratch->goes_on = false;
    if (find->counts_by_streams || (find->streams && is_dense(scratch)))
        return count_by_streams(scratch, text, max, count);
    if (find->machine)
        return find->scan ? count_by_scan(scratch, text, max, count) : count_all(scratch, text, max, count);
    if (find->engine == ENGINE_LITERAL && find->is_whole && !find->options.multiline) {
        *count = find_scan_lines(find->scan, text, max);
        return true;
    }
    for (size_t at = 0; (!max || *count < max) && (found = find_next(scratch, text, at, &match)) == FIND_FOUND;
         ++*count)
        at = find->options.multiline ? match.next : match.end;
    return found != FIND_STOPPED;
}

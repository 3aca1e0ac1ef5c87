/*
 * find_compile.c: from a pattern to a struct find (find_engine.h): PCRE2's code and the engine that fits what the
 * pattern says about its matches.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/find_engine.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "text/find_error.h"
#include "text/find_pattern.h"
#include "text/find_scan_kernel.h"

enum { DESCRIBED_MAX = 60 };

static uint32_t compile_flags(const struct find_options *options)
{
    uint32_t flags = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_USE_OFFSET_LIMIT;
    if (options->fixed)
        flags |= PCRE2_LITERAL;
    else
        flags |= PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | (options->multiline ? PCRE2_DOTALL : 0);
    return options->ignore_case ? flags | PCRE2_CASELESS : flags;
}

/*
 * Where "\r\n" ends a line, PCRE2 does not look for a match between the two unless the pattern names one of them: an
 * alternative that never matches names it. NULL when the pattern cannot be put behind one, as when it begins with a
 * verb.
 */
static pcre2_code *compile_within_line_ends(struct hv_str pattern, uint32_t flags, pcre2_compile_context *context)
{
    CLEANUP_BUF struct hv_buf longer = {0};
    int number = 0;
    size_t at = 0;
    hv_buf_init(&longer, pattern.len + 16);
    hv_buf_addf(&longer, "(?!)\\n|");
    hv_buf_add_str(&longer, pattern);
    return pcre2_compile((PCRE2_SPTR)longer.data, longer.len, flags, &number, &at, context);
}

/* The pattern seems to ask for the beginning of a line, which PCRE2 would see between "\r" and "\n", too. */
static bool asks_for_line_start(struct hv_str pattern)
{
    for (size_t i = 0; i < pattern.len; i++)
        if (pattern.ptr[i] == '^' && (!i || pattern.ptr[i - 1] != '['))
            return true;
    return false;
}

/* \G, or a verb such as (*COMMIT), stands in the pattern. */
static bool speaks_of_search(struct hv_str pattern)
{
    for (size_t i = 0; i + 1 < pattern.len; i++) {
        char byte = pattern.ptr[i];
        size_t end = byte == '[' ? find_pattern_bracket_end(pattern, i) : SIZE_MAX;
        if ((byte == '\\' && pattern.ptr[++i] == 'G') || (byte == '(' && pattern.ptr[i + 1] == '*'))
            return true;
        i = end != SIZE_MAX ? end - 1 : i;
    }
    return false;
}

/* A match may begin with a line end, of which the pattern does not speak outright. */
static bool may_begin_with_newline(const pcre2_code *code)
{
    enum { BEGINS_WITH_UNIT = 1, BEGINS_WITH_LINE = 2 };
    uint32_t names = 0, kind = 0, first = 0, options = 0;
    const uint8_t *bits = NULL;
    if (pcre2_pattern_info(code, PCRE2_INFO_HASCRORLF, &names) || names)
        return false;
    if (pcre2_pattern_info(code, PCRE2_INFO_ALLOPTIONS, &options) || options & PCRE2_ANCHORED)
        return false;
    if (pcre2_pattern_info(code, PCRE2_INFO_FIRSTCODETYPE, &kind) || kind == BEGINS_WITH_LINE)
        return false;
    if (kind == BEGINS_WITH_UNIT)
        return !pcre2_pattern_info(code, PCRE2_INFO_FIRSTCODEUNIT, &first) && first == '\n';
    if (!pcre2_pattern_info(code, PCRE2_INFO_FIRSTBITMAP, &bits) && bits)
        return bits['\n' / 8] & 1 << '\n' % 8;
    return true;
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
    if (find->code && options->multiline && !options->fixed && !asks_for_line_start(pattern) &&
        may_begin_with_newline(find->code)) {
        pcre2_code *longer = compile_within_line_ends(pattern, flags, context);
        pcre2_code_free(longer ? find->code : NULL);
        find->code = longer ? longer : find->code;
    }
    pcre2_compile_context_free(context);
    find->in_one_go = !options->fixed && speaks_of_search(pattern);
    if (!find->code)
        return find_fail_pattern(pattern, flags, number, at, options->plain_advice, err);
    /* Without the JIT compiler, or where it does not know the pattern, the interpreter does the same. */
    if (!options->no_jit)
        (void)pcre2_jit_compile(find->code, PCRE2_JIT_COMPLETE);
    return HV_OK;
}

/* k and s also stand for U+212A and U+017F when case is ignored, so that what follows them has no fixed place. */
static bool is_wide_letter(char byte)
{
    return byte == 'k' || byte == 's';
}

static bool has_wide_letter(struct hv_str literal)
{
    for (size_t i = 0; i < literal.len; i++)
        if (is_wide_letter(literal.ptr[i]))
            return true;
    return false;
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

static unsigned scan_without(const struct find_options *options)
{
    if (options->portable)
        return FIND_SCAN_NO_VECTORS;
    if (options->no_avx2)
        return FIND_SCAN_NO_AVX512 | FIND_SCAN_NO_AVX2;
    return options->no_avx512 ? FIND_SCAN_NO_AVX512 : 0;
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
        if (!utf8_is_ascii(literal))
            return false;
        for (size_t i = 0; i < literal.len; i++)
            find->literal.data[i] = find_small(literal.ptr[i]);
        part = narrow_part(find, literal);
        if (!part.len)
            return false;
    }
    struct find_facts *facts = hv_calloc(1, sizeof *facts);
    find_pattern_read_fixed(part, find->options.ignore_case, facts);
    if (facts->best.count == 1 && facts->best.items[0].len == part.len) {
        find->scan = find_scan_new(facts, scan_without(&find->options));
        find->engine = ENGINE_LITERAL;
        /* Ignoring case, only one byte is known of a wide letter at an end of the part. */
        find->is_whole = part.len == literal.len && !(find->options.ignore_case && has_wide_letter(literal));
    }
    free(facts);
    return find->scan != NULL;
}

/*
 * Lines are counted by streams of bits where that is quicker than to read all of them, and where a scanner finds a line
 * to look at so often that it is quicker than that. In cycles for a byte, or a line.
 */
static void choose_streams(struct find *find, const struct find_regular *regular)
{
    const double leap = 0.2, line = 250, each_byte = 3;
    const struct find_options *options = &find->options;
    find->streams = options->no_streams ? NULL : find_streams_new(regular, scan_without(options));
    double cost = find->streams ? find_streams_cost(find->streams) : 0;
    find->counts_by_streams = find->streams && (options->streams || (!find->scan && cost < each_byte));
    if (find->streams && find->scan && cost > leap)
        find->apart = (size_t)(line / (cost - leap));
    if (find->counts_by_streams || find->apart)
        return;
    find_streams_free(find->streams);
    find->streams = NULL;
}

/* What reads lines without PCRE2, for patterns that are regular. */
static void choose_machines(struct find *find, struct hv_str pattern)
{
    const struct find_options *options = &find->options;
    if (options->fixed || options->multiline || options->word)
        return;
    struct find_regular *regular = hv_calloc(1, sizeof *regular);
    if (find_regular_read(pattern, options->ignore_case, regular)) {
        find->machine = options->no_machine ? NULL : find_machine_new(regular);
        choose_streams(find, regular);
    }
    free(regular);
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
        find->scan = find_scan_new(facts, scan_without(&find->options));
    find->ends_at_newline = facts->ends_at_newline;
    choose_machines(find, pattern);
    if (find->scan)
        find->engine = ENGINE_SCAN;
    else if (find->machine)
        find->engine = ENGINE_MACHINE;
    else
        find->engine = facts->line_bound || find->options.word ? ENGINE_LINES : ENGINE_WINDOWS;
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
    bool is_escape = hv_str_find_byte(pattern, '\n', 0) == SIZE_MAX;
    hv_error_hint(err, "%s%s",
                  options->plain_advice ? "Give a pattern that matches one line"
                                        : "Set multiline to search across lines",
                  is_escape ? "; a backslash and an n, as they stand in source code, are written \\\\n" : "");
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
    find->is_ascii = find->scan && find_scan_is_ascii(find->scan);
    find->beyond_ascii = find->scan && find_scan_is_beyond_ascii(find->scan);
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
    find_machine_free(find->machine);
    find_streams_free(find->streams);
    hv_buf_release(&find->literal);
    pcre2_code_free(find->code);
    free(find);
}

void find_describe_machine(struct hv_buf *out, bool *compiles)
{
    char version[64] = "";
    int number;
    size_t at;
    if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) < (int)sizeof version)
        (void)pcre2_config(PCRE2_CONFIG_VERSION, version);
    /* It may be built in, but the system forbid it: so try. */
    pcre2_code *code = pcre2_compile((PCRE2_SPTR) "a+b", 3, 0, &number, &at, NULL);
    *compiles = code && !pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    pcre2_code_free(code);
    hv_buf_addf(out, "PCRE2 %s, %s; vectors: %s", version,
                *compiles ? "compiles patterns to machine code" : "without its compiler to machine code",
                find_kernel_choose(0)->name);
}

void find_describe(const struct find *find, struct hv_buf *out)
{
    static const char *const names[] = {
        [ENGINE_LITERAL] = "literal",
        [ENGINE_SCAN] = "scan, then PCRE2 on the line",
        [ENGINE_MACHINE] = "a machine on each line",
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
    if (find->machine)
        hv_buf_addf(out, ", a machine of %u states", find_machine_states(find->machine));
    if (find->streams)
        hv_buf_addf(out, "; %s by streams in %u steps", find->counts_by_streams ? "counts" : "counts what is dense",
                    find_streams_steps(find->streams));
}

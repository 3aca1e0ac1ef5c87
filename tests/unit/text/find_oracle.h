/*
 * find_oracle.h: all matches in a text by PCRE2 and nothing else, as find.h defines them: each line alone, or the whole
 * text with multiline. What the engines of find.c are compared with, in the property test and in the fuzz target.
 */
#ifndef TESTS_FIND_ORACLE_H
#define TESTS_FIND_ORACLE_H

#include "base/cleanup.h"
#include "base/utf8.h"
#include "text/find.h"
#include "text/lines.h"

#include <pcre2.h>

struct oracle {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
    bool multiline, failed; /* failed: some line was too hard */
    bool each_place;        /* PCRE2 left to itself leaves out the place between "\r" and "\n" */
};

/* Whether a match may begin between "\r" and "\n": nothing in the pattern speaks of where lines begin. */
static inline bool oracle_takes_each_place(const pcre2_code *code, struct hv_str pattern)
{
    uint32_t kind = 0, options = 0;
    pcre2_pattern_info(code, PCRE2_INFO_FIRSTCODETYPE, &kind);
    pcre2_pattern_info(code, PCRE2_INFO_ALLOPTIONS, &options);
    for (size_t i = 0; i < pattern.len; i++)
        if (pattern.ptr[i] == '^' && (!i || pattern.ptr[i - 1] != '['))
            return false;
    return kind != 2 && !(options & PCRE2_ANCHORED);
}

static inline bool oracle_speaks_of_search(struct hv_str pattern)
{
    return hv_str_find(pattern, HV_STR("\\G"), 0) != SIZE_MAX || hv_str_find(pattern, HV_STR("(*"), 0) != SIZE_MAX;
}

/* False when PCRE2 refuses the pattern. */
static inline bool oracle_init(struct oracle *oracle, struct hv_str pattern, const struct find_options *options)
{
    uint32_t flags =
        PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_USE_OFFSET_LIMIT | (options->ignore_case ? PCRE2_CASELESS : 0);
    if (options->fixed)
        flags |= PCRE2_LITERAL;
    else
        flags |= PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C | (options->multiline ? PCRE2_DOTALL : 0);
    int number;
    size_t at;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_set_newline(context, options->multiline ? PCRE2_NEWLINE_ANYCRLF : PCRE2_NEWLINE_LF);
    pcre2_set_compile_extra_options(context, options->word ? PCRE2_EXTRA_MATCH_WORD : 0);
    *oracle = (struct oracle){.multiline = options->multiline};
    oracle->code =
        pcre2_compile((PCRE2_SPTR)(pattern.len ? pattern.ptr : ""), pattern.len, flags, &number, &at, context);
    oracle->each_place = oracle->code && options->multiline && oracle_takes_each_place(oracle->code, pattern);
    /* For \G and verbs it counts where PCRE2 begins to look. What names a line end it tries at each place by itself. */
    if (oracle->each_place && !options->fixed && oracle_speaks_of_search(pattern)) {
        CLEANUP_BUF struct hv_buf longer = {.max = 64 << 10};
        hv_buf_addf(&longer, "(?!)\\n|%.*s", HV_STR_ARG(pattern));
        pcre2_code *other = pcre2_compile((PCRE2_SPTR)longer.data, longer.len, flags, &number, &at, context);
        pcre2_code_free(other ? oracle->code : NULL);
        oracle->code = other ? other : oracle->code;
        oracle->each_place = false;
    }
    pcre2_compile_context_free(context);
    if (!oracle->code)
        return false;
    (void)pcre2_jit_compile(oracle->code, PCRE2_JIT_COMPLETE);
    oracle->data = pcre2_match_data_create(1, NULL);
    oracle->context = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(oracle->context, 100 * 1000);
    return true;
}

static inline void oracle_release(struct oracle *oracle)
{
    pcre2_match_context_free(oracle->context);
    pcre2_match_data_free(oracle->data);
    pcre2_code_free(oracle->code);
}

/* The first match at or after `at`. */
static inline int oracle_first(struct oracle *oracle, struct hv_str subject, size_t at)
{
    PCRE2_SPTR bytes = (PCRE2_SPTR)(subject.len ? subject.ptr : "");
    while (!oracle->each_place) {
        int first = pcre2_match(oracle->code, bytes, subject.len, at, 0, oracle->data, oracle->context);
        size_t began = first < 0 ? subject.len : pcre2_get_startchar(oracle->data);
        if (began >= subject.len || ((unsigned char)subject.ptr[began] & 0xc0) != 0x80)
            return first;
        at = began; /* a stray continuation byte, where none is to begin */
        while (at < subject.len && ((unsigned char)subject.ptr[at] & 0xc0) == 0x80)
            at++;
    }
    int found = PCRE2_ERROR_NOMATCH;
    for (; at <= subject.len && found == PCRE2_ERROR_NOMATCH; at++) {
        if (at < subject.len && ((unsigned char)subject.ptr[at] & 0xc0) == 0x80)
            continue;
        pcre2_set_offset_limit(oracle->context, at);
        found = pcre2_match(oracle->code, bytes, subject.len, at, 0, oracle->data, oracle->context);
    }
    return found;
}

static inline void oracle_subject(struct oracle *oracle, struct hv_str text, size_t base, struct hv_str subject,
                                  struct hv_buf *out)
{
    for (size_t at = 0; at <= subject.len && base + at < text.len;) {
        while (at < subject.len && ((unsigned char)subject.ptr[at] & 0xc0) == 0x80)
            at++;
        int found = oracle_first(oracle, subject, at);
        if (found < 0) {
            oracle->failed |= found != PCRE2_ERROR_NOMATCH;
            return;
        }
        const PCRE2_SIZE *bounds = pcre2_get_ovector_pointer(oracle->data);
        size_t from = bounds[0] < bounds[1] ? bounds[0] : bounds[1],
               until = bounds[0] < bounds[1] ? bounds[1] : bounds[0];
        bool past = base + from >= text.len && (!text.len || text.ptr[text.len - 1] == '\n');
        if (oracle->multiline && past)
            return;
        hv_buf_addf(out, "%zu-%zu ", base + from, base + until);
        uint32_t ignored;
        size_t next = base + until < text.len ? utf8_decode(text, base + until, &ignored) : 1;
        size_t last = at;
        at = until > from ? until : until + next;
        if (at <= last) { /* \K in a look-behind: further on by one */
            oracle->failed = true;
            return;
        }
    }
}

/* "from-until " of all matches, in order; the end of the text is no place to begin to look. */
static inline void oracle_all(struct oracle *oracle, struct hv_str text, struct hv_buf *out)
{
    if (oracle->multiline) {
        if (text.len)
            oracle_subject(oracle, text, 0, text, out);
        return;
    }
    for (size_t at = 0, end; at < text.len; at = end) {
        size_t newline = hv_str_find_byte(text, '\n', at);
        end = newline == SIZE_MAX ? text.len : newline + 1;
        oracle_subject(oracle, text, at, lines_chop(hv_str_slice(text, at, end)), out);
    }
}

/* The same from find_next; false when something was too hard. */
static inline bool find_all(const struct find *find, struct hv_str text, struct hv_buf *out)
{
    struct find_scratch *scratch = find_scratch_new(find, NULL, NULL);
    struct find_match match;
    for (size_t at = 0; find_next(scratch, text, at, &match) == FIND_FOUND; at = match.next) {
        hv_buf_addf(out, "%zu-%zu ", match.from, match.until);
        if (match.next <= at || match.line > match.from || match.until > match.end || match.end > text.len ||
            (match.line && text.ptr[match.line - 1] != '\n') ||
            (match.end < text.len && text.ptr[match.end - 1] != '\n')) {
            hv_buf_add_cstr(out, "wrong ");
            break;
        }
    }
    size_t hard = find_hard(scratch);
    find_scratch_free(scratch);
    return hard == 0;
}

#endif

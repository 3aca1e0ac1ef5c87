/*
 * edit.c: see edit.h. An edit is tried in the order of the tolerances; each try searches one folded form of the file
 * (edit_fold.h). What is found becomes splices; what is not found is looked for loosely (edit_nearest.h).
 */
#include "text/edit.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "text/edit_fold.h"
#include "text/edit_nearest.h"
#include "text/edit_slip.h"
#include "text/lines.h"
#include "text/number.h"
#include "text/truncate.h"

#include <string.h>

enum { SLIP_SHOWN_MAX = 200 };

/* One edit on its way: everything in the file's encoding, offsets counted after the mark. */
struct attempt {
    struct hv_arena *arena;
    struct hv_str body;
    struct hv_str old_text, new_text; /* as looked for: "\n" for every line end, unless raw */
    bool replace_all;
    bool by_quotes_only;                 /* old_text had quotes that the encoding lacks: they are straight now */
    bool keep_returns;                   /* new_text goes in as it is: the file has no line end to follow */
    unsigned search_flags;               /* how a place and the text are folded to be compared */
    unsigned quote_flags;                /* FOLD_QUOTES or FOLD_QUOTES_8BIT, by the encoding */
    size_t prefix, suffix;               /* bytes that old_text and new_text share, in old_text */
    size_t folded_prefix, folded_suffix; /* the same in the folded old_text */
    struct hv_str middle;                /* of new_text, between them */
    struct hv_str old_middle;
    size_t mark;
};

/* Where old_text was found: offsets in the folded file, then in the body. */
struct places {
    VEC(size_t) folded;
    size_t count;      /* all of them, also when only the first ones are kept */
    size_t folded_len; /* of the folded old_text */
    unsigned flags;    /* how the file was folded */
    bool too_many;
};

static enum hv_code fail(struct edit_failure *failure, enum edit_failure_kind kind, enum hv_code code)
{
    failure->kind = kind;
    return code;
}

/* ---- searching ---- */

/* The place of wanted that overlaps the one at first, or SIZE_MAX: "aa" in "aaa" is not certain. */
static size_t find_overlap(struct hv_str file, struct hv_str wanted, size_t first)
{
    return hv_str_find(hv_str_slice(file, 0, first + 2 * wanted.len - 1), wanted, first + 1);
}

static void search(struct hv_str file, struct hv_str wanted, bool all, struct places *places)
{
    size_t keep = all ? (size_t)EDIT_SPLICES_MAX : EDIT_LINES_SHOWN;
    places->count = places->folded.count = 0;
    for (size_t at = 0; (at = hv_str_find(file, wanted, at)) != SIZE_MAX; at += wanted.len) {
        if (places->count++ < keep)
            *vec_push(&places->folded) = at;
        else if (all)
            break;
    }
    places->too_many = all && places->count > keep;
    places->folded_len = wanted.len;
    size_t overlap = !all && places->count == 1 ? find_overlap(file, wanted, places->folded.items[0]) : SIZE_MAX;
    if (overlap != SIZE_MAX) {
        *vec_push(&places->folded) = overlap;
        places->count = 2;
    }
}

/* Look for attempt->old_text in the folded file. */
static bool search_folded(struct attempt *attempt, unsigned flags, struct places *places)
{
    CLEANUP_FREE char *file_owned = NULL;
    CLEANUP_FREE char *old_owned = NULL;
    attempt->search_flags = places->flags = flags;
    struct hv_str wanted = fold_text(attempt->old_text, flags, &old_owned);
    search(fold_text(attempt->body, flags, &file_owned), wanted, attempt->replace_all, places);
    return places->count > 0;
}

static bool has_quotes_to_fold(struct hv_str text, unsigned quote_flags)
{
    CLEANUP_FREE char *owned = NULL;
    (void)fold_text(text, quote_flags, &owned);
    return owned != NULL;
}

static bool has(struct hv_str text, struct hv_str part)
{
    return hv_str_find(text, part, 0) != SIZE_MAX;
}

/* Most texts have no '\r' at all, and that is told fastest; of those with many, the search for both is faster. */
static bool has_crlf(struct hv_str text)
{
    size_t at = hv_str_find_byte(text, '\r', 0);
    return at != SIZE_MAX && hv_str_find(text, HV_STR("\r\n"), at) != SIZE_MAX;
}

/* "\r\n" as "\n"; a view of text, or in the arena. */
static struct hv_str without_returns(struct hv_arena *arena, struct hv_str text)
{
    CLEANUP_FREE char *owned = NULL;
    struct hv_str folded = fold_text(text, FOLD_LINE_ENDS, &owned);
    return owned ? hv_arena_str(arena, folded) : folded;
}

/*
 * The text as it stands; then "\n" against "\r\n". The first is left out where it could take the half of a "\r\n", or
 * one kind of line end only although all places are wanted.
 */
static bool search_exact(struct attempt *attempt, struct hv_str old_text, struct places *places)
{
    bool file_crlf = has_crlf(attempt->body), old_crlf = has_crlf(old_text);
    bool halves = file_crlf && (hv_str_starts(old_text, HV_STR("\n")) || attempt->replace_all);
    attempt->old_text = old_text;
    if (!halves && search_folded(attempt, 0, places)) {
        attempt->search_flags = FOLD_LINE_ENDS; /* for what is trimmed and put in */
        attempt->old_text = without_returns(attempt->arena, old_text);
        return true;
    }
    attempt->old_text = without_returns(attempt->arena, old_text);
    return (file_crlf || old_crlf) && search_folded(attempt, FOLD_LINE_ENDS, places);
}

/* All ways for one form of the text; *found_by gets EDIT_BY_QUOTES when that was needed. */
static bool search_tolerant(struct attempt *attempt, struct hv_str old_text, struct places *places, unsigned *found_by)
{
    if (!old_text.len)
        return false;
    if (attempt->by_quotes_only)
        attempt->old_text = without_returns(attempt->arena, old_text);
    else if (search_exact(attempt, old_text, places))
        return true;
    if (!attempt->by_quotes_only && !has_quotes_to_fold(attempt->body, attempt->quote_flags) &&
        !has_quotes_to_fold(attempt->old_text, attempt->quote_flags))
        return false;
    if (!search_folded(attempt, FOLD_LINE_ENDS | attempt->quote_flags, places))
        return false;
    *found_by |= EDIT_BY_QUOTES;
    return true;
}

/* ---- line numbers ---- */

/* Take the line-number prefix off every line that has one. all: each must have one, counting up by one. */
static bool strip_numbers(struct hv_arena *arena, struct hv_str text, bool all, struct hv_str *stripped)
{
    char *out = hv_arena_alloc(arena, text.len);
    size_t used = 0, expected = 0, number = 0, taken = 0;
    struct hv_str line;
    while (lines_next(&text, &line)) {
        size_t prefix = line_number_prefix(line, &number);
        if (all && (!prefix || (taken && number != expected)))
            return false;
        taken += prefix > 0;
        expected = number + 1;
        memcpy(out + used, line.ptr + prefix, line.len - prefix);
        used += line.len - prefix;
    }
    *stripped = hv_str_of(out, used);
    return taken > 0;
}

/* ---- from places to splices ---- */

static bool is_boundary(struct hv_str text, size_t at)
{
    return at >= text.len || ((unsigned char)text.ptr[at] & 0xc0) != 0x80;
}

/* Find what old and new have in common at both ends; only what lies between is replaced. */
static void trim_common(struct attempt *attempt)
{
    struct hv_str old = attempt->old_text, new = attempt->new_text;
    size_t shorter = old.len < new.len ? old.len : new.len, prefix = 0, suffix = 0;
    while (prefix < shorter && old.ptr[prefix] == new.ptr[prefix])
        prefix++;
    while (prefix && !(is_boundary(old, prefix) && is_boundary(new, prefix)))
        prefix--;
    while (suffix < shorter - prefix && old.ptr[old.len - 1 - suffix] == new.ptr[new.len - 1 - suffix])
        suffix++;
    while (suffix && !(is_boundary(old, old.len - suffix) && is_boundary(new, new.len - suffix)))
        suffix--;
    attempt->prefix = prefix;
    attempt->suffix = suffix;
    attempt->middle = hv_str_slice(new, prefix, new.len - suffix);
    attempt->old_middle = hv_str_slice(old, prefix, old.len - suffix);
    CLEANUP_FREE char *front = NULL;
    CLEANUP_FREE char *back = NULL;
    attempt->folded_prefix = fold_text(hv_str_slice(old, 0, prefix), attempt->search_flags, &front).len;
    attempt->folded_suffix = fold_text(hv_str_slice(old, old.len - suffix, old.len), attempt->search_flags, &back).len;
}

/* What the file has where the edit goes: the model for line ends and quotes that are put in. */
struct model_text {
    struct hv_str match;  /* the whole place */
    struct hv_str middle; /* what is replaced of it */
    enum line_end end;    /* for lines that have no counterpart */
};

static enum line_end end_at(struct hv_str body, size_t newline)
{
    return newline && body.ptr[newline - 1] == '\r' ? LINE_END_CRLF : LINE_END_LF;
}

/* How lines end at a place: inside it, else the line it stands in, else the line before. */
static enum line_end line_end_near(struct hv_str body, size_t start, size_t end)
{
    enum line_end inside = lines_dominant_end(hv_str_slice(body, start, end));
    if (inside != LINE_END_NONE)
        return inside;
    size_t newline = lines_finish(body, end);
    if (newline < body.len)
        return end_at(body, newline);
    size_t begin = lines_begin(body, start);
    return begin ? end_at(body, begin - 1) : LINE_END_LF;
}

static size_t count_quotes(struct hv_str text, char straight, unsigned flags)
{
    size_t count = 0;
    for (size_t at = 0, len; at < text.len; at += len)
        count += fold_quote(text, at, flags, &len) == straight;
    return count;
}

/* The next quote of that kind at or after *at, *at past it; absent when there is none. */
static struct hv_str next_quote(struct hv_str text, char straight, unsigned flags, size_t *at)
{
    for (size_t len; *at < text.len; *at += len) {
        if (fold_quote(text, *at, flags, &len) != straight)
            continue;
        *at += len;
        return hv_str_slice(text, *at - len, *at);
    }
    return hv_str_of(NULL, 0);
}

/* A quote opens after a blank, an opening bracket or a dash, and at the beginning; otherwise it closes. */
static bool opens(struct hv_str text, size_t at)
{
    return !at || (text.ptr[at - 1] && strchr(" \t\r\n([{<-=", text.ptr[at - 1]));
}

struct quote_pair {
    const char *open, *close;
};

/* The pair of quotes that the file uses at a place: by the first of that kind, which may be either of a pair. */
static struct quote_pair pair_of(struct hv_str quote, char straight)
{
    static const struct quote_pair pairs[] = {
        {"\u2018", "\u2019"}, {"\u201c", "\u201d"}, {"\u201a", "\u2018"}, {"\u201e", "\u201c"},
        {"\x91", "\x92"},     {"\x93", "\x94"},     {"\x82", "\x91"},     {"\x84", "\x93"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (hv_str_is(quote, pairs[i].open))
            return pairs[i];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (hv_str_is(quote, pairs[i].close))
            return pairs[i];
    return straight == '"' ? (struct quote_pair){"\"", "\""} : (struct quote_pair){"'", "'"};
}

static bool is_letter(struct hv_str text, size_t at)
{
    unsigned char byte = at < text.len ? (unsigned char)text.ptr[at] : 0;
    unsigned char lower = byte | 0x20;
    return (lower >= 'a' && lower <= 'z') || byte >= 0x80;
}

/* The quote to put for the one at text[at] (len bytes) when the file's quotes cannot be taken one by one. */
static struct hv_str styled_quote(struct hv_str text, size_t at, size_t len, char straight, struct hv_str match,
                                  unsigned flags)
{
    size_t from = 0;
    struct hv_str model = next_quote(match, straight, flags, &from);
    if (!model.ptr)
        return hv_str_slice(text, at, at + len); /* the file has none of that kind here: as the model wrote it */
    bool prime = hv_str_is(model, "\u2032") || hv_str_is(model, "\u2033") || model.ptr[0] == straight;
    if (prime)
        return model;
    struct quote_pair pair = pair_of(model, straight);
    if (straight == '\'' && at && is_letter(text, at - 1) && is_letter(text, at + len))
        return (flags & FOLD_QUOTES) ? HV_STR("\u2019") : HV_STR("\x92"); /* an apostrophe */
    return hv_str_from(opens(text, at) ? pair.open : pair.close);
}

/* A walk over the file's quotes of one kind, in step with those that are put in. */
struct quote_walk {
    bool in_step; /* as many go in as come out */
    size_t at;
};

/* attempt->middle as it goes in: line ends and, if the place was found by them, quotes as the file has them. */
static void add_replacement(const struct attempt *attempt, const struct model_text *model, struct hv_buf *out)
{
    struct hv_str text = attempt->middle;
    unsigned flags = attempt->search_flags & attempt->quote_flags;
    bool ends_in_step = lines_newlines(text) == lines_newlines(model->middle);
    struct quote_walk walks[2] = {0};
    for (size_t i = 0; i < 2 && flags; i++)
        walks[i].in_step = count_quotes(text, "'\""[i], flags) == count_quotes(attempt->old_middle, "'\""[i], flags);
    size_t line_at = 0, len;
    for (size_t at = 0; at < text.len; at += len) {
        len = 1;
        char straight = flags ? fold_quote(text, at, flags, &len) : 0;
        struct quote_walk *walk = &walks[straight == '"'];
        if (straight && walk->in_step) {
            hv_buf_add_str(out, next_quote(model->middle, straight, flags, &walk->at));
        } else if (straight) {
            hv_buf_add_str(out,
                           styled_quote(attempt->new_text, attempt->prefix + at, len, straight, model->match, flags));
        } else if (text.ptr[at] == '\n') {
            enum line_end end = model->end;
            if (ends_in_step) {
                size_t newline = hv_str_find_byte(model->middle, '\n', line_at);
                end = end_at(model->middle, newline);
                line_at = newline + 1;
            }
            hv_buf_add_str(out, line_end_bytes(end));
        } else {
            len = 1;
            hv_buf_add_byte(out, text.ptr[at]);
        }
    }
}

static struct hv_str replacement_for(const struct attempt *attempt, const struct model_text *model)
{
    bool as_is = attempt->keep_returns || !has(attempt->middle, HV_STR("\n"));
    if (as_is && !(attempt->search_flags & attempt->quote_flags))
        return attempt->middle;
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, 4 * EDIT_SIZE_MAX);
    add_replacement(attempt, model, &out);
    return hv_arena_str(attempt->arena, hv_buf_str(&out));
}

/* The splice for the place [start, end) of the body. */
static struct edit_splice splice_for(const struct attempt *attempt, size_t start, size_t end, size_t folded_len)
{
    struct hv_str match = hv_str_slice(attempt->body, start, end);
    struct fold_walk walk = {0};
    fold_walk_to(&walk, match, attempt->search_flags, attempt->folded_prefix);
    size_t from = walk.origin;
    fold_walk_to(&walk, match, attempt->search_flags, folded_len - attempt->folded_suffix);
    struct model_text model = {match, hv_str_slice(match, from, walk.origin), LINE_END_LF};
    if (!attempt->keep_returns)
        model.end = line_end_near(attempt->body, start, end);
    return (struct edit_splice){attempt->mark + start + from, attempt->mark + start + walk.origin,
                                replacement_for(attempt, &model)};
}

static enum hv_code build(struct attempt *attempt, const struct places *places, struct edit *edit,
                          struct edit_failure *failure)
{
    size_t count = places->folded.count;
    struct edit_splice *splices = hv_arena_array(attempt->arena, struct edit_splice, count);
    size_t size = attempt->mark + attempt->body.len;
    CLEANUP_FREE char *owned = NULL;
    size_t folded_old = fold_text(attempt->old_text, attempt->search_flags, &owned).len;
    struct fold_walk walk = {0};
    bool changes = false;
    for (size_t i = 0; i < count; i++) {
        fold_walk_to(&walk, attempt->body, places->flags, places->folded.items[i]);
        size_t start = walk.origin;
        fold_walk_to(&walk, attempt->body, places->flags, places->folded.items[i] + places->folded_len);
        splices[i] = splice_for(attempt, start, walk.origin, folded_old);
        if (!i) {
            edit->first_line = lines_newlines(hv_str_slice(attempt->body, 0, start)) + 1;
            edit->first_at = attempt->mark + start;
        }
        struct hv_str before =
            hv_str_slice(attempt->body, splices[i].start - attempt->mark, splices[i].end - attempt->mark);
        changes |= !hv_str_eq(before, splices[i].replacement);
        size -= before.len;
        size += splices[i].replacement.len;
        if (size > EDIT_SIZE_MAX && size > attempt->mark + attempt->body.len)
            return fail(failure, EDIT_TOO_LARGE, HV_ETOOBIG);
    }
    if (!changes)
        return fail(failure, EDIT_NO_CHANGE, HV_EINVAL);
    edit->splices = splices;
    edit->count = count;
    edit->size_after = size;
    return HV_OK;
}

/* ---- one edit ---- */

static enum hv_code fill_empty(struct hv_str new_text, struct attempt *attempt, struct edit *edit,
                               struct edit_failure *failure)
{
    if (attempt->body.len)
        return fail(failure, EDIT_EMPTY_OLD, HV_EINVAL);
    struct edit_splice *splice = hv_arena_new(attempt->arena, struct edit_splice);
    *splice = (struct edit_splice){attempt->mark, attempt->mark, new_text};
    *edit = (struct edit){.splices = splice, .count = 1, .first_line = 1, .size_after = attempt->mark + new_text.len};
    return HV_OK;
}

/* text in the file's encoding, in the arena or a view; false (with failure->detail) when that is not possible. */
static bool encode(struct hv_arena *arena, struct hv_str text, enum encoding_kind kind, struct hv_str *encoded,
                   struct edit_failure *failure)
{
    *encoded = text;
    if (kind != ENCODING_8BIT)
        return true;
    CLEANUP_BUF struct hv_buf out = {0};
    struct hv_error err;
    hv_buf_init(&out, text.len);
    if (encoding_from_utf8(text, kind, &out, &err)) {
        snprintf(failure->detail, sizeof failure->detail, "%.*s", (int)sizeof failure->detail - 1, err.message);
        return false;
    }
    *encoded = hv_arena_str(arena, hv_buf_str(&out));
    return true;
}

/* old_text in the file's encoding; quotes that it lacks are written straight, and then match by tolerance. */
static bool encode_old(struct attempt *attempt, struct hv_str text, enum encoding_kind kind, struct hv_str *encoded)
{
    struct edit_failure unused;
    if (encode(attempt->arena, text, kind, encoded, &unused))
        return true;
    CLEANUP_FREE char *owned = NULL;
    struct hv_str straight = fold_text(text, FOLD_QUOTES, &owned);
    attempt->by_quotes_only = true;
    return encode(attempt->arena, hv_arena_str(attempt->arena, straight), kind, encoded, &unused);
}

static enum hv_code ambiguous(const struct attempt *attempt, const struct places *places, struct edit_failure *failure)
{
    struct fold_walk walk = {0};
    size_t line = 1, counted = 0;
    failure->places = places->count;
    for (size_t i = 0; i < EDIT_LINES_SHOWN && i < places->folded.count; i++) {
        fold_walk_to(&walk, attempt->body, places->flags, places->folded.items[i]);
        line += lines_newlines(hv_str_slice(attempt->body, counted, walk.origin));
        counted = walk.origin;
        failure->lines[i] = line;
    }
    return fail(failure, EDIT_AMBIGUOUS, HV_ECONFLICT);
}

/* A copy of shown text in the arena, as UTF-8. */
static struct hv_str keep_shown(struct hv_arena *arena, struct hv_str text, enum encoding_kind kind)
{
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, 4096);
    struct encoding encoding = {.kind = kind == ENCODING_8BIT ? kind : ENCODING_UTF8};
    if (encoding_to_utf8(text, encoding, &out, NULL))
        return HV_STR("");
    return hv_arena_str(arena, hv_buf_str(&out));
}

static enum hv_code not_found(const struct attempt *attempt, struct hv_str old_text, enum encoding_kind kind,
                              struct edit_failure *failure)
{
    failure->detail[0] = '\0';
    edit_find_slip(attempt->body, old_text, attempt->new_text, failure);
    size_t at = failure->slip ? lines_offset(attempt->body, failure->slip_line) : SIZE_MAX;
    if (at != SIZE_MAX)
        failure->slip_text = keep_shown(
            attempt->arena,
            truncate_head(hv_str_slice(attempt->body, at, lines_finish(attempt->body, at)), SLIP_SHOWN_MAX), kind);
    edit_nearest(attempt->body, old_text, attempt->quote_flags, failure);
    failure->file_text = keep_shown(attempt->arena, failure->file_text, kind);
    failure->old_text = keep_shown(attempt->arena, failure->old_text, kind);
    return fail(failure, EDIT_NOT_FOUND, HV_ENOTFOUND);
}

/* Lines with numbers were lines as Read shows them: a place in the middle of others is not the one that is meant. */
static bool are_whole_lines(const struct attempt *attempt, const struct places *places)
{
    struct fold_walk walk = {0};
    struct hv_str body = attempt->body;
    for (size_t i = 0; i < places->folded.count; i++) {
        fold_walk_to(&walk, body, places->flags, places->folded.items[i]);
        if (walk.origin != lines_begin(body, walk.origin))
            return false;
        fold_walk_to(&walk, body, places->flags, places->folded.items[i] + places->folded_len);
        struct hv_str rest = hv_str_slice(body, walk.origin, body.len);
        bool ends = hv_str_ends(attempt->old_text, HV_STR("\n"));
        if (!ends && rest.len && !hv_str_starts(rest, HV_STR("\n")) && !hv_str_starts(rest, HV_STR("\r\n")))
            return false;
    }
    return true;
}

/* Search in the order of the tolerances. True when something was found; attempt says what and how. */
static bool find(struct attempt *attempt, struct hv_str old_text, struct hv_str new_text, struct places *places,
                 unsigned *found_by)
{
    struct hv_str stripped;
    attempt->new_text = new_text;
    if (search_tolerant(attempt, old_text, places, found_by))
        return true;
    if (!strip_numbers(attempt->arena, old_text, true, &stripped) ||
        !search_tolerant(attempt, stripped, places, found_by) || !are_whole_lines(attempt, places))
        return false;
    *found_by |= EDIT_BY_LINE_NUMBERS;
    if (strip_numbers(attempt->arena, new_text, false, &stripped))
        attempt->new_text = stripped;
    return true;
}

/* From the text that is looked for to the edit. */
static enum hv_code compute(struct attempt *attempt, struct hv_str old_text, struct hv_str new_text,
                            enum encoding_kind kind, struct edit *edit, struct edit_failure *failure)
{
    struct places places = {0};
    struct edit result = {0};
    enum hv_code code;
    attempt->keep_returns = !has(attempt->body, HV_STR("\n"));
    if (!attempt->keep_returns)
        new_text = without_returns(attempt->arena, new_text);
    if (!find(attempt, old_text, new_text, &places, &result.found_by)) {
        code = not_found(attempt, old_text, kind, failure);
    } else if (places.too_many) {
        code = fail(failure, EDIT_TOO_LARGE, HV_ETOOBIG);
    } else if (places.count > 1 && !attempt->replace_all) {
        code = ambiguous(attempt, &places, failure);
    } else {
        trim_common(attempt);
        code = build(attempt, &places, &result, failure);
    }
    vec_release(&places.folded);
    if (!code)
        *edit = result;
    return code;
}

enum hv_code edit_compute(struct hv_arena *arena, struct hv_str file, struct encoding encoding,
                          const struct edit_request *request, struct edit *edit, struct edit_failure *failure)
{
    struct edit_failure unused;
    struct hv_str old_text, new_text;
    failure = failure ? failure : &unused;
    *failure = (struct edit_failure){0};
    struct attempt attempt = {
        .arena = arena,
        .body = hv_str_slice(file, encoding.mark, file.len),
        .mark = encoding.mark,
        .replace_all = request->replace_all,
        .quote_flags = encoding.kind == ENCODING_8BIT ? FOLD_QUOTES_8BIT : FOLD_QUOTES,
    };
    if (encoding_is_decoded(encoding.kind)) {
        snprintf(failure->detail, sizeof failure->detail, "%s", encoding_name(encoding.kind));
        return fail(failure, EDIT_UNSUPPORTED, HV_EUNSUPPORTED);
    }
    if (hv_str_eq(request->old_text, request->new_text))
        return fail(failure, EDIT_NO_CHANGE, HV_EINVAL);
    if (!encode(arena, request->new_text, encoding.kind, &new_text, failure))
        return fail(failure, EDIT_UNENCODABLE, HV_EINVAL);
    if (!request->old_text.len)
        return fill_empty(new_text, &attempt, edit, failure);
    if (!encode_old(&attempt, request->old_text, encoding.kind, &old_text))
        return not_found(&attempt, request->old_text, encoding.kind, failure);
    return compute(&attempt, old_text, new_text, encoding.kind, edit, failure);
}

bool edit_apply(struct hv_str file, const struct edit *edit, struct hv_buf *out)
{
    size_t from = 0;
    if (!hv_buf_reserve(out, edit->size_after))
        return false;
    for (size_t i = 0; i < edit->count; i++) {
        hv_buf_add_str(out, hv_str_slice(file, from, edit->splices[i].start));
        hv_buf_add_str(out, edit->splices[i].replacement);
        from = edit->splices[i].end;
    }
    hv_buf_add_str(out, hv_str_slice(file, from, file.len));
    return !out->failed;
}

/* ---- several edits ---- */

/* One edit of a sequence, from the text so far into an empty buffer. */
static enum hv_code step(struct hv_arena *arena, struct hv_str text, struct encoding encoding,
                         const struct edit_request *request, struct hv_buf *out, struct edit_sequence *sequence,
                         struct edit_failure *failure)
{
    struct edit edit;
    enum hv_code code = edit_compute(arena, text, encoding, request, &edit, failure);
    if (code)
        return code;
    if (!edit_apply(text, &edit, out))
        return fail(failure, EDIT_TOO_LARGE, HV_ETOOBIG);
    sequence->places += edit.count;
    sequence->found_by |= edit.found_by;
    return HV_OK;
}

enum hv_code edit_compute_sequence(struct hv_arena *arena, struct hv_str file, struct encoding encoding,
                                   const struct edit_request *requests, size_t count, struct hv_buf *out,
                                   struct edit_sequence *sequence, struct edit_failure *failure)
{
    CLEANUP_BUF struct hv_buf next = {0};
    struct edit_failure unused;
    struct edit_sequence sum = {0};
    failure = failure ? failure : &unused;
    hv_buf_init(&next, out->max);
    hv_buf_clear(out);
    for (size_t i = 0; i < count; i++) {
        hv_buf_clear(&next);
        enum hv_code code = step(arena, i ? hv_buf_str(out) : file, encoding, &requests[i], &next, &sum, failure);
        if (code) {
            failure->edit_index = i;
            failure->edit_count = count;
            hv_buf_clear(out);
            return code;
        }
        struct hv_buf former = *out;
        *out = next;
        next = former;
    }
    *sequence = sum;
    return HV_OK;
}

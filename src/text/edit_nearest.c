/* edit_nearest.c: see edit_nearest.h. "Loose" is a text without blanks and line ends, quotes straight, in lower case.
 */
#include "text/edit_nearest.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "text/edit_fold.h"
#include "text/lines.h"
#include "text/truncate.h"

#include <string.h>

enum {
    FILE_BYTES_MAX = 16 << 20,
    OLD_BYTES_MAX = 64 << 10,
    SHOWN_MAX = 200,
    LINE_WEIGHT_MAX = 64, /* one very long line must not outweigh all others */
    SAME_LINE_MAX = 8,    /* lines of old_text that are alike: so many get votes */
    CHECKPOINT = 1024,    /* loose bytes between noted places */
    LOOSE_PLACES_MAX = 8,
    LINES_MAX = 1 << 20,
    TRIGRAM_CODES = 1 << 13,
    TRIGRAM_SHIFT = 32 - 13,
};

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* The loose byte of the character at text[at], 0 for blanks; *len is its length. */
static char loose_byte(struct hv_str text, size_t at, unsigned flags, size_t *len)
{
    char byte = text.ptr[at];
    *len = 1;
    if (is_blank(byte))
        return 0;
    char quote = (byte & 0x80) ? fold_quote(text, at, flags, len) : 0;
    if (quote)
        return quote;
    *len = 1;
    if (byte >= 'A' && byte <= 'Z')
        return (char)(byte + ('a' - 'A'));
    return byte ? byte : 1;
}

/* A loose text, with the place in the original of every CHECKPOINT-th byte. */
struct loose {
    struct hv_str text; /* the original */
    unsigned flags;
    char *bytes;
    size_t len, *places;
};

static void loose_init(struct loose *loose, struct hv_str text, unsigned flags)
{
    *loose = (struct loose){.text = text, .flags = flags, .bytes = hv_malloc(text.len + 1)};
    loose->places = hv_malloc((text.len / CHECKPOINT + 1) * sizeof *loose->places);
    for (size_t at = 0, len; at < text.len; at += len) {
        char byte = loose_byte(text, at, flags, &len);
        if (!byte)
            continue;
        if (loose->len % CHECKPOINT == 0)
            loose->places[loose->len / CHECKPOINT] = at;
        loose->bytes[loose->len++] = byte;
    }
}

static void loose_release(struct loose *loose)
{
    free(loose->bytes);
    free(loose->places);
}

/* Where the loose byte `at` (< len) stands in the original; *len is the length of its character. */
static size_t loose_origin(const struct loose *loose, size_t at, size_t *len)
{
    size_t place = loose->places[at / CHECKPOINT];
    for (size_t seen = at / CHECKPOINT * CHECKPOINT;; place += *len)
        if (loose_byte(loose->text, place, loose->flags, len) && seen++ == at)
            return place;
}

/* ---- comparing two texts whose loose forms are alike ---- */

/* What the comparison has found: bits, and where both stood at the first difference. */
struct comparison {
    unsigned differs;
    size_t old_at, file_at; /* of the first difference */
    unsigned flags;
};

static void note(struct comparison *comparison, unsigned bit, size_t old_at, size_t file_at)
{
    if (!comparison->differs) {
        comparison->old_at = old_at;
        comparison->file_at = file_at;
    }
    comparison->differs |= bit;
}

static struct hv_str blanks_at(struct hv_str text, size_t at)
{
    size_t end = at;
    while (end < text.len && is_blank(text.ptr[end]))
        end++;
    return hv_str_slice(text, at, end);
}

/* Two different indentations, or two different runs of blanks inside a line. */
static unsigned blank_difference(struct hv_str a, struct hv_str b, unsigned otherwise)
{
    bool tab_a = hv_str_find_byte(a, '\t', 0) != SIZE_MAX, tab_b = hv_str_find_byte(b, '\t', 0) != SIZE_MAX;
    return a.len && b.len && tab_a != tab_b ? EDIT_DIFFERS_TABS : otherwise;
}

/* Split off what stands after the last newline of a run of blanks. */
static struct hv_str after_newline(struct hv_str blanks, struct hv_str *before)
{
    size_t newline = hv_str_rfind_byte(blanks, '\n');
    *before = newline == SIZE_MAX ? HV_STR("") : hv_str_slice(blanks, 0, newline);
    return newline == SIZE_MAX ? blanks : hv_str_slice(blanks, newline + 1, blanks.len);
}

/* In what two runs of blanks differ that hold line ends, when they do. */
static unsigned line_break_difference(struct hv_str a, struct hv_str b)
{
    struct hv_str before_a, before_b;
    struct hv_str indent_a = after_newline(a, &before_a), indent_b = after_newline(b, &before_b);
    unsigned differs = 0;
    if (lines_newlines(a) != lines_newlines(b))
        differs |= EDIT_DIFFERS_LINE_BREAKS;
    else if (!hv_str_eq(before_a, before_b))
        differs |= EDIT_DIFFERS_TRAILING_BLANKS;
    if (!hv_str_eq(indent_a, indent_b) && lines_newlines(a) && lines_newlines(b))
        differs |= blank_difference(indent_a, indent_b, EDIT_DIFFERS_INDENTATION);
    return differs;
}

static bool has_lone_return(struct hv_str blanks)
{
    for (size_t i = 0; i < blanks.len; i++)
        if (blanks.ptr[i] == '\r' && (i + 1 == blanks.len || blanks.ptr[i + 1] != '\n'))
            return true;
    return false;
}

/* Blanks as they count: without the '\r' of "\r\n". The result is in room (of SHOWN_MAX bytes) when it changed. */
static struct hv_str plain_blanks(struct hv_str blanks, char *room)
{
    if (blanks.len > SHOWN_MAX || hv_str_find_byte(blanks, '\r', 0) == SIZE_MAX)
        return blanks;
    size_t used = 0;
    for (size_t i = 0; i < blanks.len; i++)
        if (blanks.ptr[i] != '\r' || i + 1 == blanks.len || blanks.ptr[i + 1] != '\n')
            room[used++] = blanks.ptr[i];
    return hv_str_of(room, used);
}

/* In what two runs of blanks differ; 0 when they count as the same. at_start: before the first character of a text. */
static unsigned compare_blanks(struct hv_str old_blanks, struct hv_str file_blanks, bool at_start)
{
    char old_room[SHOWN_MAX], file_room[SHOWN_MAX];
    struct hv_str a = plain_blanks(old_blanks, old_room), b = plain_blanks(file_blanks, file_room);
    if (hv_str_eq(a, b))
        return 0;
    if (has_lone_return(a) != has_lone_return(b))
        return EDIT_DIFFERS_LINE_ENDS;
    if (lines_newlines(a) || lines_newlines(b))
        return line_break_difference(a, b);
    return blank_difference(a, b, at_start ? EDIT_DIFFERS_INDENTATION : EDIT_DIFFERS_INNER_BLANKS);
}

/* Two runs of blanks differ in what stands behind their last line end. */
static bool indentation_alone(struct hv_str old_blanks, struct hv_str file_blanks)
{
    char old_room[SHOWN_MAX], file_room[SHOWN_MAX];
    struct hv_str before_old, before_file;
    struct hv_str a = plain_blanks(old_blanks, old_room), b = plain_blanks(file_blanks, file_room);
    (void)after_newline(a, &before_old);
    (void)after_newline(b, &before_file);
    return lines_newlines(a) && lines_newlines(b) && hv_str_eq(before_old, before_file);
}

/* Walk both texts, which begin with a character that is no blank, to the end of one of them. */
static void compare_texts(struct comparison *comparison, struct hv_str old_text, struct hv_str file)
{
    size_t i = 0, j = 0, old_len, file_len;
    while (i < old_text.len && j < file.len) {
        struct hv_str a = blanks_at(old_text, i), b = blanks_at(file, j);
        if (i + a.len == old_text.len || j + b.len == file.len)
            return;
        unsigned blanks = compare_blanks(a, b, false);
        bool deeper = blanks && indentation_alone(a, b); /* told by the line that is indented, not by the one above */
        if (blanks)
            note(comparison, blanks, deeper ? i + a.len : i, deeper ? j + b.len : j);
        i += a.len;
        j += b.len;
        char x = loose_byte(old_text, i, comparison->flags, &old_len);
        char y = loose_byte(file, j, comparison->flags, &file_len);
        if (x != y)
            note(comparison, EDIT_DIFFERS_TEXT, i, j);
        else if (old_len != file_len || memcmp(old_text.ptr + i, file.ptr + j, old_len) != 0)
            note(comparison, x == '\'' || x == '"' ? EDIT_DIFFERS_QUOTES : EDIT_DIFFERS_CASE, i, j);
        i += old_len;
        j += file_len;
    }
}

/* The blanks of text that end at `end`, at most max bytes. */
static struct hv_str blanks_before(struct hv_str text, size_t end, size_t max)
{
    size_t begin = end;
    while (begin && end - begin < max && is_blank(text.ptr[begin - 1]))
        begin--;
    return hv_str_slice(text, begin, end);
}

/* Compare the blanks around: what old_text has there must be what stands next to the place in the file. */
static void compare_edges(struct comparison *comparison, struct hv_str old_text, struct hv_str file, size_t start,
                          size_t end)
{
    struct hv_str lead = blanks_at(old_text, 0), trail = blanks_before(old_text, old_text.len, old_text.len);
    struct hv_str before = blanks_before(file, start, lead.len + SHOWN_MAX), after = blanks_at(file, end);
    char room[SHOWN_MAX], file_room[SHOWN_MAX];
    struct hv_str plain = plain_blanks(lead, room), plain_before = plain_blanks(before, file_room);
    if (!hv_str_ends(plain_before, plain)) {
        struct hv_str unused;
        if (!lines_newlines(lead))
            before = after_newline(before, &unused);
        note(comparison, compare_blanks(lead, before, true), 0, start);
    }
    plain = plain_blanks(trail, room);
    if (after.len > trail.len + SHOWN_MAX)
        after.len = trail.len + SHOWN_MAX;
    if (!hv_str_starts(plain_blanks(after, file_room), plain)) {
        unsigned differs = lines_newlines(trail) ? compare_blanks(trail, after, false) : EDIT_DIFFERS_TRAILING_BLANKS;
        note(comparison, differs ? differs : EDIT_DIFFERS_TRAILING_BLANKS, old_text.len - trail.len, end);
    }
}

/* ---- first way: the whole text, loosely ---- */

static size_t bit_count(unsigned bits)
{
    return (size_t)__builtin_popcount(bits);
}

/* The line that begins there, without its end: a '\r' before '\n' is no difference. */
static struct hv_str line_from(struct hv_str text, size_t begin)
{
    struct hv_str rest = hv_str_slice(text, begin, text.len), line = rest;
    return lines_next(&rest, &line) ? lines_chop(line) : line;
}

static void set_shown(struct edit_failure *failure, struct hv_str file, size_t file_at, struct hv_str old_text,
                      size_t old_at)
{
    size_t begin = lines_begin(file, file_at), old_begin = lines_begin(old_text, old_at);
    failure->differing_line = lines_newlines(hv_str_slice(file, 0, begin)) + 1;
    failure->file_text = truncate_head(line_from(file, begin), SHOWN_MAX);
    failure->old_text = truncate_head(line_from(old_text, old_begin), SHOWN_MAX);
}

static struct comparison compare_place(struct hv_str file, struct hv_str old_text, unsigned flags, size_t start,
                                       size_t end)
{
    struct comparison comparison = {.flags = flags};
    size_t lead = blanks_at(old_text, 0).len;
    compare_edges(&comparison, old_text, file, start, end);
    struct comparison inside = {.flags = flags};
    compare_texts(&inside, hv_str_slice(old_text, lead, old_text.len), hv_str_slice(file, start, end));
    if (inside.differs)
        note(&comparison, inside.differs, inside.old_at + lead, inside.file_at + start);
    return comparison;
}

static bool find_loosely(struct hv_str file, struct hv_str old_text, unsigned flags, struct edit_failure *failure)
{
    struct loose whole, part;
    loose_init(&whole, file, flags);
    loose_init(&part, old_text, flags);
    struct comparison best = {0};
    const char *at = whole.bytes;
    for (size_t tries = 0; part.len && tries < LOOSE_PLACES_MAX; tries++, at++) {
        at = memmem(at, whole.len - (size_t)(at - whole.bytes), part.bytes, part.len);
        if (!at)
            break;
        size_t len, start = loose_origin(&whole, (size_t)(at - whole.bytes), &len);
        size_t end = loose_origin(&whole, (size_t)(at - whole.bytes) + part.len - 1, &len);
        struct comparison now = compare_place(file, old_text, flags, start, end + len);
        if (!now.differs)
            now.differs = EDIT_DIFFERS_TEXT;
        if (best.differs && bit_count(best.differs) <= bit_count(now.differs))
            continue;
        best = now;
        failure->first_line = lines_number_at(file, start);
        failure->last_line = failure->first_line + lines_newlines(hv_str_slice(file, start, end));
    }
    if (best.differs) {
        failure->differs = best.differs;
        set_shown(failure, file, best.file_at, old_text, best.old_at);
    }
    loose_release(&whole);
    loose_release(&part);
    return best.differs != 0;
}

/* ---- second and third way: lines ---- */

struct loose_line {
    uint64_t hash;
    size_t len;    /* of its loose form */
    size_t number; /* from 0 */
};

struct line_list {
    VEC(struct hv_str) lines;
};

static void split_lines(struct line_list *list, struct hv_str text)
{
    struct hv_str line;
    while (list->lines.count < LINES_MAX && lines_next(&text, &line))
        *vec_push(&list->lines) = lines_chop(line);
}

static struct loose_line hash_line(struct hv_str line, size_t number, unsigned flags)
{
    struct loose_line result = {.hash = 0xcbf29ce484222325u, .number = number};
    for (size_t at = 0, len; at < line.len; at += len) {
        char byte = loose_byte(line, at, flags, &len);
        if (!byte)
            continue;
        result.hash = (result.hash ^ (unsigned char)byte) * 0x100000001b3u;
        result.len++;
    }
    return result;
}

static int by_hash(const void *a, const void *b)
{
    const struct loose_line *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static size_t weight(size_t loose_len)
{
    return loose_len < LINE_WEIGHT_MAX ? loose_len : LINE_WEIGHT_MAX;
}

/* The first entry of the sorted table with that hash, or count. */
static size_t find_hash(const struct loose_line *table, size_t count, uint64_t hash)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && table[low].hash == hash ? low : count;
}

/*
 * Every line of the file that is also in old_text votes for the place where old_text would begin. Returns whether
 * one place has at least a quarter of the possible votes; *shift is its line, counted from -old->count.
 */
static bool vote(const struct line_list *file, const struct line_list *old, unsigned flags, size_t *shift)
{
    size_t old_count = old->lines.count, total = 0, best = 0;
    CLEANUP_FREE struct loose_line *table = hv_malloc(old_count * sizeof *table + 1);
    CLEANUP_FREE uint32_t *votes = hv_calloc(file->lines.count + old_count + 1, sizeof *votes);
    for (size_t i = 0; i < old_count; i++) {
        table[i] = hash_line(old->lines.items[i], i, flags);
        total += weight(table[i].len);
    }
    qsort(table, old_count, sizeof *table, by_hash);
    for (size_t i = 0; i < file->lines.count; i++) {
        struct loose_line line = hash_line(file->lines.items[i], i, flags);
        size_t at = line.len ? find_hash(table, old_count, line.hash) : old_count;
        for (size_t end = at + SAME_LINE_MAX; at < end && at < old_count && table[at].hash == line.hash; at++) {
            size_t begin = i + old_count - table[at].number;
            votes[begin] += (uint32_t)weight(line.len);
            if (votes[begin] > best) {
                best = votes[begin];
                *shift = begin;
            }
        }
    }
    return best && best * 4 >= total;
}

/* A walk over each three loose bytes in a row of a line. */
struct trigrams {
    struct hv_str line;
    unsigned flags;
    size_t at, seen;
    uint32_t window;
};

/* The code of the next three bytes, below TRIGRAM_CODES; false at the end. */
static bool next_trigram(struct trigrams *walk, uint32_t *code)
{
    while (walk->at < walk->line.len) {
        size_t len;
        char byte = loose_byte(walk->line, walk->at, walk->flags, &len);
        walk->at += len;
        if (!byte)
            continue;
        walk->window = (walk->window << 8 | (unsigned char)byte) & 0xffffff;
        if (++walk->seen >= 3) {
            *code = (walk->window * 2654435761u) >> TRIGRAM_SHIFT;
            return true;
        }
    }
    return false;
}

static size_t longest_line(const struct line_list *list, unsigned flags)
{
    size_t best = 0, best_len = 0;
    for (size_t i = 0; i < list->lines.count; i++) {
        size_t len = hash_line(list->lines.items[i], i, flags).len;
        if (len > best_len) {
            best = i;
            best_len = len;
        }
    }
    return best;
}

/* The line of the file that shares most with the longest line of old_text, if it shares more than half of that. */
static bool find_similar(const struct line_list *file, const struct line_list *old, unsigned flags, size_t *shift)
{
    CLEANUP_FREE uint8_t *seen = hv_calloc(TRIGRAM_CODES, 1);
    size_t longest = longest_line(old, flags), wanted = 0;
    double best = 0.5;
    bool found = false;
    uint32_t code;
    struct trigrams walk = {.line = old->lines.items[longest], .flags = flags};
    while (next_trigram(&walk, &code)) {
        wanted += !seen[code];
        seen[code] = 1;
    }
    for (size_t i = 0; wanted && i < file->lines.count; i++) {
        size_t hits = 0, all = 0;
        walk = (struct trigrams){.line = file->lines.items[i], .flags = flags};
        for (; next_trigram(&walk, &code); all++)
            hits += seen[code];
        if (hits > wanted)
            hits = wanted;
        double score = 0.7 * (double)hits / (double)wanted + 0.6 * (double)hits / (double)(wanted + all);
        if (score > best) {
            best = score;
            found = true;
            *shift = i + old->lines.count - longest;
        }
    }
    return found;
}

/* Compare old_text line by line with the lines of the file from begin (which may lie before the first) on. */
static void compare_lines(const struct line_list *file, const struct line_list *old, unsigned flags, size_t shift,
                          struct edit_failure *failure)
{
    size_t old_count = old->lines.count;
    for (size_t i = 0; i < old_count; i++) {
        struct hv_str ours = old->lines.items[i];
        size_t at = shift + i;
        bool inside = at >= old_count && at - old_count < file->lines.count;
        struct hv_str theirs = inside ? file->lines.items[at - old_count] : HV_STR("");
        failure->lines_total++;
        bool same =
            hv_str_eq(ours, theirs) || (!i && old_count > 1 && ours.len && hv_str_ends(theirs, ours)) ||
            (i && i == old_count - 1 && ours.len && hv_str_starts(theirs, ours)); /* parts of lines at the ends */
        if (inside && same) {
            failure->lines_agree++;
            continue;
        }
        if (inside && !failure->differing_line) {
            failure->differing_line = at - old_count + 1;
            failure->file_text = truncate_head(theirs, SHOWN_MAX);
            failure->old_text = truncate_head(ours, SHOWN_MAX);
        }
        struct loose_line a = hash_line(ours, 0, flags), b = hash_line(theirs, 0, flags);
        if (a.hash != b.hash || !inside)
            failure->differs |= EDIT_DIFFERS_TEXT;
        else if (a.len)
            failure->differs |= compare_place(theirs, ours, flags, blanks_at(theirs, 0).len,
                                              theirs.len - blanks_before(theirs, theirs.len, theirs.len).len)
                                    .differs;
        else
            failure->differs |= EDIT_DIFFERS_TRAILING_BLANKS;
    }
    failure->first_line = shift >= old_count ? shift - old_count + 1 : 1;
    failure->last_line = shift > file->lines.count ? file->lines.count : shift;
}

void edit_nearest(struct hv_str file, struct hv_str old_text, unsigned fold_flags, struct edit_failure *failure)
{
    file = hv_str_slice(file, 0, FILE_BYTES_MAX);
    old_text = hv_str_slice(old_text, 0, OLD_BYTES_MAX);
    if (!file.len || !hv_str_trim(old_text).len || find_loosely(file, old_text, fold_flags, failure))
        return;
    struct line_list file_lines = {0}, old_lines = {0};
    split_lines(&file_lines, file);
    split_lines(&old_lines, old_text);
    size_t shift = 0;
    if (vote(&file_lines, &old_lines, fold_flags, &shift) || find_similar(&file_lines, &old_lines, fold_flags, &shift))
        compare_lines(&file_lines, &old_lines, fold_flags, shift, failure);
    vec_release(&file_lines.lines);
    vec_release(&old_lines.lines);
}

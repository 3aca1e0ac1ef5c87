/*
 * diff.c: see diff.h. Equal beginnings and ends are cut off as bytes; the lines between get numbers, equal lines the
 * same one; lines that one side alone has are set aside; the rest goes through Myers' search from both ends, divided
 * where the two meet. Two caps keep it from quadratic work: a search that goes on too long divides where it got
 * farthest, and when the whole budget is spent, what is left counts as replaced.
 */
#include "text/diff.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "text/lines.h"

#include <stdint.h>
#include <string.h>

enum {
    SEARCH_COST_MAX = 1024, /* differences that one search goes through */
    BUDGET = 1 << 27,       /* steps of all searches together: some tenths of a second */
    LINES_MAX = 1 << 26,    /* more than that is not compared by lines */
};

/* One side: the lines between what both texts have in common. */
struct side {
    struct hv_str middle;
    uint32_t *numbers; /* of its lines */
    bool *changed;     /* its lines that have no counterpart */
    size_t count;
    int32_t *kept; /* indexes of lines that the other side has too */
    size_t kept_count;
};

struct comparison {
    struct side old_side, new_side;
    size_t prefix, prefix_lines; /* cut off at the beginning */
    size_t suffix;               /* and at the end */
    size_t budget;
    bool coarse;
    int32_t *forward, *backward; /* how far a search got on each diagonal */
};

/* ---- numbering lines ---- */

/* Cut off what both begin and end with, in whole lines. False: the shorter is the beginning of the longer. */
static bool trim_equal(struct hv_str old_text, struct hv_str new_text, struct comparison *comparison)
{
    size_t shorter = old_text.len < new_text.len ? old_text.len : new_text.len, prefix = 0, suffix = 0;
    enum { BLOCK = 4096 };
    while (shorter - prefix >= BLOCK && !memcmp(old_text.ptr + prefix, new_text.ptr + prefix, BLOCK))
        prefix += BLOCK;
    while (prefix < shorter && old_text.ptr[prefix] == new_text.ptr[prefix])
        prefix++;
    bool differs = prefix < shorter;
    prefix = lines_begin(old_text, prefix);
    const char *old_end = old_text.ptr + old_text.len, *new_end = new_text.ptr + new_text.len;
    while (shorter - prefix - suffix >= BLOCK && !memcmp(old_end - suffix - BLOCK, new_end - suffix - BLOCK, BLOCK))
        suffix += BLOCK;
    while (suffix < shorter - prefix && old_end[-1 - (ptrdiff_t)suffix] == new_end[-1 - (ptrdiff_t)suffix])
        suffix++;
    size_t newline = hv_str_find_byte(hv_str_of(old_end - suffix, suffix), '\n', 0);
    suffix = newline == SIZE_MAX ? 0 : suffix - newline - 1;
    comparison->prefix = prefix;
    comparison->suffix = suffix;
    comparison->prefix_lines = lines_newlines(hv_str_slice(old_text, 0, prefix));
    comparison->old_side.middle = hv_str_slice(old_text, prefix, old_text.len - suffix);
    comparison->new_side.middle = hv_str_slice(new_text, prefix, new_text.len - suffix);
    return differs;
}

/* Numbers for lines, equal ones the same: open addressing, at most half full. */
struct line_table {
    struct line_entry {
        struct hv_str line;
        uint64_t hash;
        uint32_t number;
        bool on_old, on_new;
    } * entries;
    size_t mask;
    uint32_t next;
};

static struct line_entry *entry_of(struct line_table *table, struct hv_str line)
{
    uint64_t hash = hv_str_hash(line);
    for (size_t i = (size_t)(hash ^ hash >> 32) & table->mask;; i = (i + 1) & table->mask) {
        struct line_entry *entry = &table->entries[i];
        if (!entry->line.ptr)
            *entry = (struct line_entry){.line = line, .hash = hash, .number = table->next++};
        else if (entry->hash != hash || !hv_str_eq(entry->line, line))
            continue;
        return entry;
    }
}

static void number_side(struct line_table *table, struct side *side, struct line_entry **entries, bool is_old)
{
    struct hv_str rest = side->middle, line;
    for (size_t i = 0; lines_next(&rest, &line); i++) {
        entries[i] = entry_of(table, line);
        side->numbers[i] = entries[i]->number;
        entries[i]->on_old |= is_old;
        entries[i]->on_new |= !is_old;
    }
}

/* Lines that only this side has are changed; the others are kept for the search. */
static void keep_shared(struct side *side, struct line_entry **entries)
{
    for (size_t i = 0; i < side->count; i++) {
        side->changed[i] = !(entries[i]->on_old && entries[i]->on_new);
        if (!side->changed[i])
            side->kept[side->kept_count++] = (int32_t)i;
    }
}

static void side_init(struct side *side, size_t count)
{
    side->count = count;
    side->numbers = hv_malloc((count + 1) * sizeof *side->numbers);
    side->changed = hv_calloc(count + 1, sizeof *side->changed);
    side->kept = hv_malloc((count + 1) * sizeof *side->kept);
}

static void side_release(struct side *side)
{
    free(side->numbers);
    free(side->changed);
    free(side->kept);
}

static void number_lines(struct comparison *comparison)
{
    struct side *old_side = &comparison->old_side, *new_side = &comparison->new_side;
    side_init(old_side, lines_count(old_side->middle));
    side_init(new_side, lines_count(new_side->middle));
    size_t capacity = 16;
    while (capacity < 2 * (old_side->count + new_side->count))
        capacity *= 2;
    struct line_table table = {.mask = capacity - 1};
    table.entries = hv_calloc(capacity, sizeof *table.entries);
    CLEANUP_FREE struct line_entry **entries =
        hv_malloc((old_side->count + new_side->count + 1) * sizeof(struct line_entry *));
    number_side(&table, old_side, entries, true);
    number_side(&table, new_side, entries + old_side->count, false);
    keep_shared(old_side, entries);
    keep_shared(new_side, entries + old_side->count);
    free(table.entries);
}

/* ---- the search ---- */

/* Kept lines [old_from, old_to) against [new_from, new_to). */
struct box {
    int32_t old_from, old_to, new_from, new_to;
};

static uint32_t old_number(const struct comparison *c, int32_t at)
{
    return c->old_side.numbers[c->old_side.kept[at]];
}

static uint32_t new_number(const struct comparison *c, int32_t at)
{
    return c->new_side.numbers[c->new_side.kept[at]];
}

static bool same(const struct comparison *c, int32_t old_at, int32_t new_at)
{
    return old_number(c, old_at) == new_number(c, new_at);
}

/* One search: places are (x, x - diagonal), counted from the corner of the box. */
struct search {
    struct comparison *c;
    struct box box;
    int32_t width, height;
    int32_t *forward, *backward; /* indexed by diagonal, -height - 1 to width + 1 */
    int32_t forward_low, forward_high, backward_low, backward_high;
    int32_t split_x, split_y;
};

/* Widen the range of diagonals by one on each side, or narrow it where it meets the edge of the box. */
static void widen(int32_t *low, int32_t *high, const struct search *search, int32_t *reach, int32_t unreached)
{
    if (*low > -search->height) {
        --*low;
        reach[*low - 1] = unreached;
    } else {
        ++*low;
    }
    if (*high < search->width) {
        ++*high;
        reach[*high + 1] = unreached;
    } else {
        --*high;
    }
}

/* One more difference from the beginning. True when it meets the search from the end. */
static bool step_forward(struct search *s, bool meets)
{
    widen(&s->forward_low, &s->forward_high, s, s->forward, -1);
    for (int32_t d = s->forward_high; d >= s->forward_low; d -= 2) {
        int32_t x = s->forward[d - 1] >= s->forward[d + 1] ? s->forward[d - 1] + 1 : s->forward[d + 1];
        int32_t y = x - d, from = x;
        while (x < s->width && y < s->height && same(s->c, s->box.old_from + x, s->box.new_from + y)) {
            x++;
            y++;
        }
        s->forward[d] = x;
        s->c->budget -= s->c->budget > (size_t)(x - from) ? (size_t)(x - from) + 1 : s->c->budget;
        if (meets && s->backward_low <= d && d <= s->backward_high && s->backward[d] <= x) {
            s->split_x = x;
            s->split_y = y;
            return true;
        }
    }
    return false;
}

static bool step_backward(struct search *s, bool meets)
{
    widen(&s->backward_low, &s->backward_high, s, s->backward, INT32_MAX);
    for (int32_t d = s->backward_high; d >= s->backward_low; d -= 2) {
        int32_t x = s->backward[d - 1] < s->backward[d + 1] ? s->backward[d - 1] : s->backward[d + 1] - 1;
        int32_t y = x - d, from = x;
        while (x > 0 && y > 0 && same(s->c, s->box.old_from + x - 1, s->box.new_from + y - 1)) {
            x--;
            y--;
        }
        s->backward[d] = x;
        s->c->budget -= s->c->budget > (size_t)(from - x) ? (size_t)(from - x) + 1 : s->c->budget;
        if (meets && s->forward_low <= d && d <= s->forward_high && x <= s->forward[d]) {
            s->split_x = x;
            s->split_y = y;
            return true;
        }
    }
    return false;
}

static bool in_box(const struct search *s, int32_t x, int32_t y)
{
    return x >= 0 && y >= 0 && x <= s->width && y <= s->height;
}

/* The search took too long: divide at the place that either end got farthest to. */
static void split_at_farthest(struct search *s)
{
    int64_t best = -1, all = (int64_t)s->width + s->height;
    for (int32_t d = s->forward_high; d >= s->forward_low; d -= 2) {
        int32_t x = s->forward[d], y = x - d;
        if (in_box(s, x, y) && (int64_t)x + y > best) {
            best = (int64_t)x + y;
            s->split_x = x;
            s->split_y = y;
        }
    }
    for (int32_t d = s->backward_high; d >= s->backward_low; d -= 2) {
        int32_t x = s->backward[d], y = x - d;
        if (in_box(s, x, y) && all - x - y > best) {
            best = all - x - y;
            s->split_x = x;
            s->split_y = y;
        }
    }
}

/* Find where to divide the box, whose first and last lines differ. False when the budget is spent. */
static bool find_split(struct comparison *c, struct box box, int32_t *split_old, int32_t *split_new)
{
    struct search s = {.c = c, .box = box, .width = box.old_to - box.old_from, .height = box.new_to - box.new_from};
    s.forward = c->forward + s.height + 1;
    s.backward = c->backward + s.height + 1;
    s.backward_low = s.backward_high = s.width - s.height;
    s.forward[0] = 0;
    s.backward[s.backward_low] = s.width;
    bool odd = (s.width - s.height) & 1;
    for (size_t cost = 1; !step_forward(&s, odd) && !step_backward(&s, !odd); cost++) {
        if (!c->budget)
            return false;
        if (cost >= SEARCH_COST_MAX) {
            split_at_farthest(&s);
            break;
        }
    }
    *split_old = box.old_from + s.split_x;
    *split_new = box.new_from + s.split_y;
    bool corner = (s.split_x == 0 && s.split_y == 0) || (s.split_x == s.width && s.split_y == s.height);
    return !corner && in_box(&s, s.split_x, s.split_y);
}

static void mark(struct side *side, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to; i++)
        side->changed[side->kept[i]] = true;
}

static void trim_box(const struct comparison *c, struct box *box)
{
    while (box->old_from < box->old_to && box->new_from < box->new_to && same(c, box->old_from, box->new_from)) {
        box->old_from++;
        box->new_from++;
    }
    while (box->old_from < box->old_to && box->new_from < box->new_to && same(c, box->old_to - 1, box->new_to - 1)) {
        box->old_to--;
        box->new_to--;
    }
}

/* Mark every kept line that has no counterpart. */
static void search_all(struct comparison *c)
{
    size_t diagonals = c->old_side.kept_count + c->new_side.kept_count + 3;
    CLEANUP_FREE int32_t *forward = c->forward = hv_malloc(diagonals * sizeof *forward);
    CLEANUP_FREE int32_t *backward = c->backward = hv_malloc(diagonals * sizeof *backward);
    VEC(struct box) boxes = {0};
    *vec_push(&boxes) = (struct box){0, (int32_t)c->old_side.kept_count, 0, (int32_t)c->new_side.kept_count};
    while (boxes.count) {
        struct box box = boxes.items[--boxes.count];
        int32_t old_at, new_at;
        trim_box(c, &box);
        bool ends = box.old_from == box.old_to || box.new_from == box.new_to;
        if (ends || !find_split(c, box, &old_at, &new_at)) {
            mark(&c->old_side, box.old_from, box.old_to);
            mark(&c->new_side, box.new_from, box.new_to);
            c->coarse |= !ends;
            continue;
        }
        *vec_push(&boxes) = (struct box){old_at, box.old_to, new_at, box.new_to};
        *vec_push(&boxes) = (struct box){box.old_from, old_at, box.new_from, new_at};
    }
    vec_release(&boxes);
}

/* ---- changes ---- */

/*
 * A change that only adds or only removes can often stand at several places (an empty line before or after). It moves
 * down as far as it can, which puts it behind the block it repeats, but not up to the next change.
 */
static void slide(const struct side *side, size_t *start, size_t count, size_t *other_start, size_t limit)
{
    while (*start + count < limit && *start + count < side->count &&
           side->numbers[*start] == side->numbers[*start + count]) {
        ++*start;
        ++*other_start;
    }
}

static void slide_changes(const struct comparison *c, struct diff_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct diff_change *change = &changes[i];
        /* One unchanged line has to stay between this change and the next. */
        size_t old_limit = i + 1 < count ? changes[i + 1].old_start - 1 : SIZE_MAX;
        size_t new_limit = i + 1 < count ? changes[i + 1].new_start - 1 : SIZE_MAX;
        if (!change->old_count)
            slide(&c->new_side, &change->new_start, change->new_count, &change->old_start, new_limit);
        else if (!change->new_count)
            slide(&c->old_side, &change->old_start, change->old_count, &change->new_start, old_limit);
    }
}

static size_t run_of(const struct side *side, size_t at, bool changed)
{
    size_t from = at;
    while (at < side->count && side->changed[at] == changed)
        at++;
    return at - from;
}

/* Turn the marks into changes, in lines of the whole texts. */
static void collect(struct hv_arena *arena, struct comparison *c, struct diff *diff)
{
    VEC(struct diff_change) changes = {0};
    size_t old_at = 0, new_at = 0;
    for (;;) {
        size_t equal = run_of(&c->old_side, old_at, false);
        old_at += equal;
        new_at += equal;
        struct diff_change change = {old_at, run_of(&c->old_side, old_at, true), new_at,
                                     run_of(&c->new_side, new_at, true)};
        /* An insertion may stand inside the run of equal lines: it ends the run there. */
        size_t before = run_of(&c->new_side, new_at - equal, false);
        if (before < equal) {
            old_at = change.old_start = old_at - equal + before;
            new_at = change.new_start = new_at - equal + before;
            change.old_count = 0;
            change.new_count = run_of(&c->new_side, new_at, true);
        }
        if (!change.old_count && !change.new_count)
            break;
        *vec_push(&changes) = change;
        old_at += change.old_count;
        new_at += change.new_count;
    }
    slide_changes(c, changes.items, changes.count);
    diff->changes = hv_arena_array(arena, struct diff_change, changes.count);
    diff->count = changes.count;
    for (size_t i = 0; i < changes.count; i++) {
        diff->changes[i] = changes.items[i];
        diff->changes[i].old_start += c->prefix_lines;
        diff->changes[i].new_start += c->prefix_lines;
        diff->removed += changes.items[i].old_count;
        diff->added += changes.items[i].new_count;
    }
    vec_release(&changes);
}

/* Too many lines to compare: all that is not common to both ends is replaced. */
static void replace_all(struct hv_arena *arena, const struct comparison *c, size_t old_lines, size_t new_lines,
                        struct diff *diff)
{
    diff->changes = hv_arena_array(arena, struct diff_change, 1);
    diff->changes[0] = (struct diff_change){c->prefix_lines, old_lines, c->prefix_lines, new_lines};
    diff->count = 1;
    diff->removed = old_lines;
    diff->added = new_lines;
    diff->coarse = true;
}

static void compare(struct hv_arena *arena, struct comparison *c, struct diff *diff)
{
    *diff = (struct diff){.prefix_lines = c->prefix_lines};
    size_t old_lines = lines_count(c->old_side.middle), new_lines = lines_count(c->new_side.middle);
    if (old_lines + new_lines > LINES_MAX) {
        replace_all(arena, c, old_lines, new_lines, diff);
        return;
    }
    c->budget = BUDGET;
    number_lines(c);
    search_all(c);
    collect(arena, c, diff);
    diff->coarse = c->coarse;
    side_release(&c->old_side);
    side_release(&c->new_side);
}

void diff_lines(struct hv_arena *arena, struct hv_str old_text, struct hv_str new_text, struct diff *diff)
{
    struct comparison comparison = {0};
    (void)trim_equal(old_text, new_text, &comparison);
    compare(arena, &comparison, diff);
    diff->old_text = old_text;
    diff->new_part = hv_str_slice(new_text, comparison.prefix, new_text.len);
    diff->prefix = comparison.prefix;
    diff->old_end = old_text.len - comparison.suffix;
}

bool diff_lines_of_part(struct hv_arena *arena, struct hv_str old_text, const struct diff_part *part, struct diff *diff)
{
    struct comparison comparison = {0};
    struct hv_str old_part = hv_str_slice(old_text, part->from, part->to);
    if (!trim_equal(old_part, part->new_part, &comparison) && part->to < old_text.len)
        return false;
    comparison.prefix_lines += part->lines_before;
    compare(arena, &comparison, diff);
    diff->old_text = old_text;
    diff->new_part = hv_str_slice(part->new_part, comparison.prefix, part->new_part.len);
    diff->prefix = part->from + comparison.prefix;
    diff->old_end = part->to - comparison.suffix;
    return true;
}

/* ---- printing ---- */

/* A place in a text that only moves forward. */
struct cursor {
    struct hv_str text;
    size_t line, offset;
};

static struct hv_str take_line(struct cursor *cursor)
{
    struct hv_str rest = hv_str_slice(cursor->text, cursor->offset, cursor->text.len), line = HV_STR("");
    if (lines_next(&rest, &line)) {
        cursor->offset += line.len;
        cursor->line++;
    }
    return line;
}

static void move_to(struct cursor *cursor, size_t line)
{
    while (cursor->line < line && cursor->offset < cursor->text.len)
        (void)take_line(cursor);
}

/* A cursor at the given line and offset, some lines back. */
static struct cursor cursor_before(struct hv_str text, size_t line, size_t offset, size_t back)
{
    struct cursor cursor = {text, line, offset};
    for (; back && cursor.line; back--, cursor.line--)
        cursor.offset = lines_begin(text, cursor.offset - 1);
    return cursor;
}

struct printer {
    struct cursor old_cursor, new_cursor;
    size_t room;           /* lines that may still be printed */
    size_t printed, limit; /* lines so far; how long *out may be for another */
    const struct diff_options *options;
    struct hv_buf *out;
};

static void print_text(struct printer *printer, struct hv_str text)
{
    enum encoding_kind kind = printer->options->encoding;
    if (kind == ENCODING_UTF8 || encoding_to_utf8(text, (struct encoding){.kind = kind}, printer->out, NULL))
        hv_buf_add_str(printer->out, text);
}

/* Bytes of a long line that begin at a character, around the place where it differs from its counterpart. Where a
 * character may begin cannot be told from the middle of other encodings than UTF-8: of these the beginning. */
static struct hv_str part_of(const struct printer *printer, struct hv_str line, struct hv_str other)
{
    size_t most = printer->options->max_line_bytes, differs = 0, begin, end;
    while (differs < line.len && differs < other.len && line.ptr[differs] == other.ptr[differs])
        differs++;
    bool is_far = differs > most / 2 && printer->options->encoding == ENCODING_UTF8 && other.ptr;
    begin = is_far ? differs - most / 2 : 0;
    if (begin > line.len - most)
        begin = line.len - most;
    end = begin + most;
    while (begin > 0 && begin < end && ((unsigned char)line.ptr[begin] & 0xc0) == 0x80)
        begin++;
    while (end > begin && end < line.len && ((unsigned char)line.ptr[end] & 0xc0) == 0x80 &&
           printer->options->encoding == ENCODING_UTF8)
        end--;
    return hv_str_slice(line, begin, end);
}

/* other: the line that it took the place of, or that took its place; absent: none. */
static void print_line(struct printer *printer, char sign, struct hv_str line, struct hv_str other)
{
    if (printer->limit && printer->out->len >= printer->limit)
        printer->room = 0;
    if (!printer->room)
        return;
    printer->room--;
    printer->printed++;
    hv_buf_add_byte(printer->out, sign);
    struct hv_str bare = lines_chop(line);
    bool is_part = printer->options->max_line_bytes && bare.len > printer->options->max_line_bytes;
    if (!is_part) {
        print_text(printer, line);
    } else {
        struct hv_str part = part_of(printer, bare, other);
        hv_buf_add_cstr(printer->out, part.ptr > bare.ptr ? "… " : "");
        print_text(printer, part);
        hv_buf_addf(printer->out, " … [shown: %zu of the %zu bytes of this line, from byte %zu on]\n", part.len,
                    bare.len, (size_t)(part.ptr - bare.ptr) + 1);
    }
    if (!hv_str_ends(line, HV_STR("\n")))
        hv_buf_add_cstr(printer->out, is_part ? "\\ No newline at end of file\n" : "\n\\ No newline at end of file\n");
}

static void print_old(struct printer *printer, char sign, size_t to)
{
    while (printer->room && printer->old_cursor.line < to && printer->old_cursor.offset < printer->old_cursor.text.len)
        print_line(printer, sign, take_line(&printer->old_cursor), (struct hv_str){0});
}

/* The lines that go, each beside the one that comes for it. */
static void print_removed(struct printer *printer, const struct diff_change *change)
{
    struct cursor other = printer->new_cursor;
    for (size_t i = 0; i < change->old_count && printer->room; i++)
        print_line(printer, '-', take_line(&printer->old_cursor),
                   i < change->new_count ? take_line(&other) : (struct hv_str){0});
}

static void print_added(struct printer *printer, const struct diff_change *change, struct cursor other)
{
    for (size_t i = 0; i < change->new_count && printer->room; i++)
        print_line(printer, '+', take_line(&printer->new_cursor),
                   i < change->old_count ? take_line(&other) : (struct hv_str){0});
}

static void print_range(struct hv_buf *out, size_t start, size_t count)
{
    if (count == 1)
        hv_buf_addf(out, "%zu", start + 1);
    else
        hv_buf_addf(out, "%zu,%zu", count ? start + 1 : start, count);
}

/* Changes that share a hunk, and the lines it spans on both sides. */
struct hunk {
    size_t first, end; /* of the changes */
    size_t old_start, old_end, new_start, new_end;
};

static struct hunk next_hunk(const struct diff *diff, size_t first, size_t context, size_t old_lines)
{
    struct hunk hunk = {.first = first, .end = first + 1};
    const struct diff_change *changes = diff->changes;
    while (hunk.end < diff->count &&
           (changes[hunk.end].old_start - changes[hunk.end - 1].old_start - changes[hunk.end - 1].old_count) / 2 <=
               context &&
           changes[hunk.end].old_start - changes[hunk.end - 1].old_start - changes[hunk.end - 1].old_count <=
               context + context)
        hunk.end++;
    const struct diff_change *last = &changes[hunk.end - 1];
    size_t before = changes[first].old_start < context ? changes[first].old_start : context;
    size_t old_after = last->old_start + last->old_count;
    size_t after = old_lines - old_after < context ? old_lines - old_after : context;
    hunk.old_start = changes[first].old_start - before;
    hunk.new_start = changes[first].new_start - before;
    hunk.old_end = old_after + after;
    hunk.new_end = last->new_start + last->new_count + after;
    return hunk;
}

static size_t hunk_lines(const struct diff *diff, const struct hunk *hunk)
{
    size_t lines = hunk->old_end - hunk->old_start;
    for (size_t i = hunk->first; i < hunk->end; i++)
        lines += diff->changes[i].new_count;
    return lines;
}

static void print_hunk(struct printer *printer, const struct diff *diff, const struct hunk *hunk)
{
    if (!printer->room)
        return;
    hv_buf_add_cstr(printer->out, "@@ -");
    print_range(printer->out, hunk->old_start, hunk->old_end - hunk->old_start);
    hv_buf_add_cstr(printer->out, " +");
    print_range(printer->out, hunk->new_start, hunk->new_end - hunk->new_start);
    hv_buf_add_cstr(printer->out, " @@\n");
    move_to(&printer->old_cursor, hunk->old_start);
    for (size_t i = hunk->first; i < hunk->end; i++) {
        const struct diff_change *change = &diff->changes[i];
        print_old(printer, ' ', change->old_start);
        struct cursor old_lines = printer->old_cursor;
        move_to(&printer->new_cursor, change->new_start);
        print_removed(printer, change);
        print_added(printer, change, old_lines);
    }
    print_old(printer, ' ', hunk->old_end);
}

static void print_header(const struct diff_options *options, struct hv_buf *out)
{
    if (!options->old_name.ptr && !options->new_name.ptr)
        return;
    hv_buf_addf(out, "--- %.*s\n", HV_STR_ARG(options->old_name));
    hv_buf_addf(out, "+++ %.*s\n", HV_STR_ARG(options->new_name));
}

/* How many lines the old text has, as far as that matters: up to `context` of those that both end with. */
static size_t old_lines_of(const struct diff *diff, size_t context)
{
    size_t lines = diff->prefix_lines + lines_count(hv_str_slice(diff->old_text, diff->prefix, diff->old_end));
    struct hv_str rest = hv_str_slice(diff->old_text, diff->old_end, diff->old_text.len), line;
    for (size_t i = 0; i < context && lines_next(&rest, &line); i++)
        lines++;
    return lines;
}

void diff_show(const struct diff *diff, const struct diff_options *options, struct hv_buf *out,
               struct diff_result *result)
{
    struct diff_result sum = {.removed = diff->removed, .added = diff->added, .coarse = diff->coarse};
    struct printer printer = {.room = options->max_lines ? options->max_lines : SIZE_MAX,
                              .limit = options->max_bytes ? out->len + options->max_bytes : 0,
                              .options = options,
                              .out = out};
    size_t old_lines = old_lines_of(diff, options->context), all = 0;
    printer.old_cursor = cursor_before(diff->old_text, diff->prefix_lines, diff->prefix, options->context);
    printer.new_cursor = (struct cursor){diff->new_part, diff->prefix_lines, 0};
    if (diff->count)
        print_header(options, out);
    for (size_t i = 0; i < diff->count; sum.hunks++) {
        struct hunk hunk = next_hunk(diff, i, options->context, old_lines);
        all += hunk_lines(diff, &hunk);
        print_hunk(&printer, diff, &hunk);
        i = hunk.end;
    }
    sum.cut = all > printer.printed;
    if (sum.cut)
        hv_buf_addf(out, "… %zu more lines\n", all - printer.printed);
    if (result)
        *result = sum;
}

void diff_unified(struct hv_str old_text, struct hv_str new_text, const struct diff_options *options,
                  struct hv_buf *out, struct diff_result *result)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct diff diff;
    diff_lines(&arena, old_text, new_text, &diff);
    diff_show(&diff, options, out, result);
}

/* diff_words.c: see diff_words.h. Words are compared by the longest common subsequence, after common ends are cut off.
 */
#include "text/diff_words.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "text/lines.h"

enum { WORDS_MAX = 240, LINE_BYTES_MAX = 4096, COMMON_PER_CENT = 30 };

#define RED "\033[31m"
#define GREEN "\033[32m"
#define CYAN "\033[36m"
#define REVERSED "\033[7m"
#define NOT_REVERSED "\033[27m"
#define OFF "\033[0m"

/* ---- words ------------------------------------------------------------------------------------------------------- */

struct words {
    struct diff_span items[WORDS_MAX];
    size_t count;
};

/* Letters, digits and all beyond ASCII make words, blanks make runs, every other character stands for itself. */
static int kind_of(char byte)
{
    unsigned char c = (unsigned char)byte, lower = c | 0x20;
    if (c >= 0x80 || c == '_' || (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9'))
        return 1;
    return c == ' ' || c == '\t' ? 2 : 0;
}

static bool split_words(struct hv_str line, struct words *words)
{
    words->count = 0;
    for (size_t at = 0; at < line.len;) {
        size_t end = at + 1;
        int kind = kind_of(line.ptr[at]);
        while (kind && end < line.len && kind_of(line.ptr[end]) == kind)
            end++;
        if (words->count == WORDS_MAX)
            return false;
        words->items[words->count++] = (struct diff_span){at, end};
        at = end;
    }
    return true;
}

static struct hv_str word(struct hv_str line, const struct words *words, size_t index)
{
    return hv_str_slice(line, words->items[index].start, words->items[index].end);
}

/* ---- the comparison ---------------------------------------------------------------------------------------------- */

static bool add_span(struct diff_spans *spans, struct diff_span span)
{
    if (spans->count && spans->items[spans->count - 1].end == span.start) {
        spans->items[spans->count - 1].end = span.end;
        return true;
    }
    if (spans->count == DIFF_SPANS_MAX)
        return false;
    spans->items[spans->count++] = span;
    return true;
}

/* Bytes of both lines that are in common, counted in the old one; spans are what is not. SIZE_MAX: too many places. */
static size_t walk(struct hv_str old_line, struct hv_str new_line, const struct words *old, const struct words *new,
                   const uint16_t *lengths, struct diff_spans *removed, struct diff_spans *added)
{
    size_t i = 0, k = 0, common = 0, width = new->count + 1;
    bool room = true;
    while (room && (i < old->count || k < new->count)) {
        if (i < old->count && k < new->count &&hv_str_eq(word(old_line, old, i), word(new_line, new, k))) {
            common += word(old_line, old, i).len;
            i++;
            k++;
        } else if (k == new->count || (i < old->count && lengths[(i + 1) * width + k] >= lengths[i * width + k + 1])) {
            room = add_span(removed, old->items[i++]);
        } else {
            room = add_span(added, new->items[k++]);
        }
    }
    return room ? common : SIZE_MAX;
}

bool diff_words(struct hv_str old_line, struct hv_str new_line, struct diff_spans *removed, struct diff_spans *added)
{
    struct words old, new;
    removed->count = added->count = 0;
    if (old_line.len > LINE_BYTES_MAX || new_line.len > LINE_BYTES_MAX || !split_words(old_line, &old) ||
        !split_words(new_line, &new))
        return false;
    size_t width = new.count + 1;
    /* lengths[i][k]: of the longest common subsequence of what is left from word i, and from word k on */
    CLEANUP_FREE uint16_t *lengths = hv_calloc((old.count + 1) * width, sizeof *lengths);
    for (size_t i = old.count; i-- > 0;)
        for (size_t k = new.count; k-- > 0;) {
            uint16_t down = lengths[(i + 1) * width + k], right = lengths[i * width + k + 1];
            bool same = hv_str_eq(word(old_line, &old, i), word(new_line, &new, k));
            lengths[i * width + k] = same           ? (uint16_t)(lengths[(i + 1) * width + k + 1] + 1)
                                     : down > right ? down
                                                    : right;
        }
    size_t common = walk(old_line, new_line, &old, &new, lengths, removed, added);
    size_t longer = old_line.len > new_line.len ? old_line.len : new_line.len;
    if (common != SIZE_MAX && common * 100 >= longer * COMMON_PER_CENT)
        return true;
    removed->count = added->count = 0;
    return false;
}

/* ---- painting ---------------------------------------------------------------------------------------------------- */

typedef VEC(struct hv_str) line_list;

static void put_line(struct hv_str line, const char *colour, const struct diff_spans *spans, struct hv_buf *out)
{
    size_t at = 0;
    hv_buf_add_cstr(out, colour);
    hv_buf_add(out, line.ptr, 1);
    line = hv_str_slice(line, 1, line.len);
    for (size_t i = 0; i < spans->count; i++) {
        hv_buf_add_str(out, hv_str_slice(line, at, spans->items[i].start));
        hv_buf_add_cstr(out, REVERSED);
        hv_buf_add_str(out, hv_str_slice(line, spans->items[i].start, spans->items[i].end));
        hv_buf_add_cstr(out, NOT_REVERSED);
        at = spans->items[i].end;
    }
    hv_buf_add_str(out, hv_str_slice(line, at, line.len));
    hv_buf_add_cstr(out, OFF "\n");
}

/* Lines that went and lines that came in their place: the first with the first, and so on, where they are as many. */
static void put_pair(const line_list *removed, const line_list *added, struct hv_buf *out)
{
    struct diff_spans old_spans = {0}, new_spans = {0};
    for (unsigned side = 0; side < 2; side++) {
        const line_list *lines = side ? added : removed;
        for (size_t i = 0; i < lines->count; i++) {
            old_spans.count = new_spans.count = 0;
            if (removed->count == added->count)
                (void)diff_words(hv_str_slice(removed->items[i], 1, SIZE_MAX),
                                 hv_str_slice(added->items[i], 1, SIZE_MAX), &old_spans, &new_spans);
            put_line(lines->items[i], side ? GREEN : RED, side ? &new_spans : &old_spans, out);
        }
    }
}

static void flush(line_list *removed, line_list *added, struct hv_buf *out)
{
    put_pair(removed, added, out);
    removed->count = added->count = 0;
}

void diff_paint(struct hv_str diff, struct hv_buf *out)
{
    line_list removed = {0}, added = {0};
    struct hv_str line;
    bool in_hunk = false;
    while (lines_next(&diff, &line)) {
        line = lines_chop(line);
        char sign = line.len ? line.ptr[0] : ' ';
        if (in_hunk && sign == '-' && added.count)
            flush(&removed, &added, out);
        if (in_hunk && (sign == '-' || sign == '+')) {
            *vec_push(sign == '-' ? &removed : &added) = line;
            continue;
        }
        flush(&removed, &added, out);
        in_hunk = sign == '@' || (in_hunk && (sign == ' ' || sign == '\\'));
        if (sign == '@')
            hv_buf_addf(out, CYAN "%.*s" OFF "\n", HV_STR_ARG(line));
        else
            hv_buf_addf(out, "%.*s\n", HV_STR_ARG(line));
    }
    flush(&removed, &added, out);
    vec_release(&removed);
    vec_release(&added);
}

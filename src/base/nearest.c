/* nearest.c: edit distance over folded names. See nearest.h. */
#include "base/nearest.h"

#include <string.h>

/* A name in lower case and without its separators, so that only the letters that matter are compared. */
struct folded {
    char bytes[NEAREST_NAME_MAX];
    size_t len;
};

enum { WORD_MIN = 3 }; /* shorter words are in too many names */

static bool is_separator(char c)
{
    return c == '_' || c == '-' || c == '.' || c == ' ';
}

static bool fold(struct hv_str name, struct folded *out)
{
    out->len = 0;
    if (name.len > NEAREST_NAME_MAX)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!is_separator(c))
            out->bytes[out->len++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    return out->len > 0;
}

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Optimal string alignment: Damerau-Levenshtein in which no part is edited twice. Three rows are enough. */
static size_t distance(const struct folded *a, const struct folded *b)
{
    unsigned char rows[3][NEAREST_NAME_MAX + 1];
    unsigned char *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b->len; j++)
        above[j] = (unsigned char)j;
    for (size_t i = 1; i <= a->len; i++) {
        row[0] = (unsigned char)i;
        for (size_t j = 1; j <= b->len; j++) {
            bool same = a->bytes[i - 1] == b->bytes[j - 1];
            size_t cost = least(above[j] + 1u, row[j - 1] + 1u, above[j - 1] + (same ? 0u : 1u));
            bool swapped = i > 1 && j > 1 && a->bytes[i - 1] == b->bytes[j - 2] && a->bytes[i - 2] == b->bytes[j - 1];
            if (swapped && before[j - 2] + 1u < cost)
                cost = before[j - 2] + 1u;
            row[j] = (unsigned char)cost;
        }
        unsigned char *spare = before;
        before = above;
        above = row;
        row = spare;
    }
    return above[b->len];
}

/* word stands in name between separators, changes of case, or the ends: "path" in "file_path" and "filePath". */
static bool has_word(struct hv_str name, struct hv_str word)
{
    if (word.len < WORD_MIN || word.len >= name.len)
        return false;
    for (size_t i = 0; i + word.len <= name.len; i++) {
        size_t end = i + word.len;
        bool upper = name.ptr[i] >= 'A' && name.ptr[i] <= 'Z';
        bool starts = i == 0 || is_separator(name.ptr[i - 1]) || upper;
        bool ends = end == name.len || is_separator(name.ptr[end]) || (name.ptr[end] >= 'A' && name.ptr[end] <= 'Z');
        if (starts && ends && hv_str_eq_nocase(hv_str_slice(name, i, end), word))
            return true;
    }
    return false;
}

/* Twice the distance, one more when the names differ in case or separators only; SIZE_MAX when not near. */
static size_t score(struct hv_str wanted, const struct folded *folded_wanted, struct hv_str name)
{
    struct folded folded_name;
    if (!fold(name, &folded_name))
        return SIZE_MAX;
    size_t longer = folded_name.len > folded_wanted->len ? folded_name.len : folded_wanted->len;
    size_t allowed = longer <= 2 ? 0 : longer <= 5 ? 1 : longer / 3;
    size_t edits = distance(folded_wanted, &folded_name);
    if (edits <= allowed)
        return 2 * edits + (hv_str_eq(wanted, name) ? 0 : 1);
    if (has_word(name, wanted) || has_word(wanted, name))
        return 4 * (size_t)NEAREST_NAME_MAX + edits;
    return SIZE_MAX;
}

struct hv_str nearest_name(struct hv_str wanted, const struct hv_str *names, size_t count)
{
    struct hv_str best = {0};
    size_t best_score = SIZE_MAX;
    struct folded folded_wanted;
    if (!fold(wanted, &folded_wanted))
        return best;
    for (size_t i = 0; i < count; i++) {
        size_t this_score = score(wanted, &folded_wanted, names[i]);
        if (this_score < best_score) {
            best_score = this_score;
            best = names[i];
        }
    }
    return best;
}

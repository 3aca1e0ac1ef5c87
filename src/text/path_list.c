/* path_list.c: see path_list.h. */
#include "text/path_list.h"

enum { IN_PATH = PATH_LIST_PATH_MAX + 1, IN_ORDER = 2 * IN_PATH, WORDS_MAX = 255, BEST_MAX = 64 };

struct path_list_item {
    uint32_t at;
    uint16_t length, name; /* name: where the last component begins */
    uint64_t letters;      /* which are in it: most paths need not be looked at */
};

static unsigned char fold(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (unsigned char)(byte | 0x20) : (unsigned char)byte;
}

static uint64_t letters_of(struct hv_str text)
{
    uint64_t letters = 0;
    for (size_t i = 0; i < text.len; i++)
        letters |= 1ULL << (fold(text.ptr[i]) & 63);
    return letters;
}

bool path_list_add(struct path_list *list, struct hv_str path)
{
    if (!list->bytes.max)
        hv_buf_init(&list->bytes, PATH_LIST_BYTES_MAX);
    if (!path.len || path.len > PATH_LIST_PATH_MAX)
        return true;
    if (list->bytes.len + path.len > list->bytes.max)
        return false;
    size_t slash = hv_str_rfind_byte(path, '/');
    *vec_push(&list->items) = (struct path_list_item){
        .at = (uint32_t)list->bytes.len,
        .length = (uint16_t)path.len,
        .name = (uint16_t)(slash == SIZE_MAX ? 0 : slash + 1),
        .letters = letters_of(path),
    };
    hv_buf_add_str(&list->bytes, path);
    return true;
}

static int compare(const void *a, const void *b, void *bytes)
{
    const struct path_list_item *first = a, *second = b;
    if (first->length != second->length)
        return first->length < second->length ? -1 : 1;
    return memcmp((char *)bytes + first->at, (char *)bytes + second->at, first->length);
}

void path_list_sort(struct path_list *list)
{
    if (list->items.count)
        qsort_r(list->items.items, list->items.count, sizeof *list->items.items, compare, list->bytes.data);
}

void path_list_release(struct path_list *list)
{
    hv_buf_release(&list->bytes);
    vec_release(&list->items);
}

static size_t find_folded(struct hv_str text, const unsigned char *words, size_t len)
{
    for (size_t at = 0; at + len <= text.len; at++) {
        size_t same = 0;
        while (same < len && fold(text.ptr[at + same]) == words[same])
            same++;
        if (same == len)
            return at;
    }
    return SIZE_MAX;
}

static bool has_in_order(struct hv_str text, const unsigned char *words, size_t len)
{
    size_t at = 0;
    for (size_t i = 0; i < text.len && at < len; i++)
        at += fold(text.ptr[i]) == words[at];
    return at == len;
}

/* Smaller is better; SIZE_MAX: it does not fit, or not better than `worst`. */
static size_t rate(struct hv_str path, size_t name, const unsigned char *words, size_t len, size_t worst)
{
    size_t found = find_folded(hv_str_slice(path, name, path.len), words, len);
    if (found != SIZE_MAX)
        return path.len + 4 * found;
    if (worst <= IN_PATH + path.len)
        return SIZE_MAX;
    if (find_folded(path, words, len) != SIZE_MAX)
        return IN_PATH + path.len;
    return worst > IN_ORDER + path.len && has_in_order(path, words, len) ? IN_ORDER + path.len : SIZE_MAX;
}

size_t path_list_find(const struct path_list *list, struct hv_str words, struct hv_str *best, size_t most)
{
    unsigned char folded[WORDS_MAX];
    size_t ranks[BEST_MAX], count = 0;
    uint64_t letters = letters_of(words);
    most = most < BEST_MAX ? most : BEST_MAX;
    if (words.len > WORDS_MAX || !most)
        return 0;
    for (size_t i = 0; i < words.len; i++)
        folded[i] = fold(words.ptr[i]);
    for (size_t i = 0; i < list->items.count; i++) {
        const struct path_list_item *item = &list->items.items[i];
        size_t worst = count == most ? ranks[most - 1] : SIZE_MAX;
        if (item->length >= worst) /* as all that follow it */
            break;
        if (letters & ~item->letters)
            continue;
        struct hv_str path = hv_str_of(list->bytes.data + item->at, item->length);
        size_t rank = rate(path, item->name, folded, words.len, worst), at;
        if (rank >= worst || (hv_str_starts(path, words) && item->name <= words.len))
            continue;
        at = count < most ? count++ : most - 1;
        for (; at > 0 && ranks[at - 1] > rank; at--) {
            best[at] = best[at - 1];
            ranks[at] = ranks[at - 1];
        }
        best[at] = path;
        ranks[at] = rank;
    }
    return count;
}

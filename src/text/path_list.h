/* path_list.h: a list of paths in which a few typed letters find those that were meant. Pure. */
#ifndef TEXT_PATH_LIST_H
#define TEXT_PATH_LIST_H

#include <helve/str.h>

#include "base/vec.h"

enum { PATH_LIST_BYTES_MAX = 32 << 20, PATH_LIST_PATH_MAX = 9999 };

struct path_list {
    struct hv_buf bytes;
    VEC(struct path_list_item) items;
};

/* Zero is an empty list. Append a copy; false: there is no room for it. Paths over PATH_LIST_PATH_MAX are left out. */
bool path_list_add(struct path_list *list, struct hv_str path);
/* Put it in order, shorter paths first: before path_list_find. */
void path_list_sort(struct path_list *list);
void path_list_release(struct path_list *list);

/*
 * The paths that fit words best, at most `most` of them, the best first; they live as long as the list. Letters fit
 * whatever their case. Before all others come paths with the words in the name, then in the path, then with its letters
 * in this order; of these short ones. Paths that begin with words and have no '/' behind them are left out: a listing
 * of their directory has them. Returns how many there are. A list of 90,000 takes about a millisecond.
 */
size_t path_list_find(const struct path_list *list, struct hv_str words, struct hv_str *best, size_t most);

#endif

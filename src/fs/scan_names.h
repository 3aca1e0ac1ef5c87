/*
 * scan_names.h: the names of one directory for a scan in order: collected, sorted by their bytes, and given out. Memory
 * is bounded: of a directory with more names than there is room for, the last ones in the order are dropped. One owner.
 */
#ifndef FS_SCAN_NAMES_H
#define FS_SCAN_NAMES_H

#include <helve/host.h>

struct scan_name {
    uint32_t at, len; /* in the bytes of the list */
    uint8_t kind;     /* enum hv_file_kind */
    bool ignored;
};

/* Zeroed but for bytes_max (under 4 GB) it is empty. */
struct scan_names {
    struct hv_buf bytes;
    size_t bytes_max;
    struct scan_name *items;
    size_t count, capacity;
    size_t dropped; /* since the last clear */
};

void scan_names_clear(struct scan_names *names);
void scan_names_release(struct scan_names *names);
/* Copies the name. Over bytes_max the second half of all, in their order, is dropped first. */
void scan_names_add(struct scan_names *names, struct hv_str name, enum hv_file_kind kind, bool ignored);
/* Bring all into order; nothing is added afterwards. */
void scan_names_sort(struct scan_names *names);
/* NUL-terminated; valid until names are added or the list is cleared. */
struct hv_str scan_names_text(const struct scan_names *names, const struct scan_name *name);

#endif

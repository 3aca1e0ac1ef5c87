/*
 * map.h: a hash table from byte strings to pointers, with open addressing. It does not copy keys: they must live as
 * long as the table. Not thread-safe; lock outside.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <helve/str.h>

struct map {
    struct map_slot *slots;
    size_t count, capacity; /* capacity is a power of two, at most half of it used */
};

struct map_slot {
    struct hv_str key; /* absent: free */
    uint64_t hash;
    void *value;
};

void map_release(struct map *map);
/* The value, or NULL. */
void *map_get(const struct map *map, struct hv_str key);
/* Set key (not absent) to value, replacing what was there; returns the former value or NULL. */
void *map_set(struct map *map, struct hv_str key, void *value);

#endif

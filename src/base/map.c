/* map.c: see map.h. Linear probing; there is no removal, because no user of it removes. */
#include "base/map.h"

#include "base/str_inline.h"

#include <stdlib.h>

static struct map_slot *slot_of(struct map_slot *slots, size_t capacity, struct hv_str key, uint64_t hash)
{
    for (size_t i = hash & (capacity - 1);; i = (i + 1) & (capacity - 1))
        if (!slots[i].key.ptr || (slots[i].hash == hash && hv_str_eq(slots[i].key, key)))
            return &slots[i];
}

void map_release(struct map *map)
{
    free(map->slots);
    *map = (struct map){0};
}

void *map_get(const struct map *map, struct hv_str key)
{
    return map->count ? slot_of(map->slots, map->capacity, key, hv_str_hash(key))->value : NULL;
}

static void grow(struct map *map)
{
    size_t capacity = map->capacity ? map->capacity * 2 : 16;
    struct map_slot *slots = hv_calloc(capacity, sizeof *slots);
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].key.ptr)
            *slot_of(slots, capacity, map->slots[i].key, map->slots[i].hash) = map->slots[i];
    free(map->slots);
    map->slots = slots;
    map->capacity = capacity;
}

void *map_set(struct map *map, struct hv_str key, void *value)
{
    if (!key.ptr)
        key = HV_STR("");
    if ((map->count + 1) * 2 > map->capacity)
        grow(map);
    uint64_t hash = hv_str_hash(key);
    struct map_slot *slot = slot_of(map->slots, map->capacity, key, hash);
    void *former = slot->key.ptr ? slot->value : NULL;
    if (!slot->key.ptr)
        map->count++;
    *slot = (struct map_slot){key, hash, value};
    return former;
}

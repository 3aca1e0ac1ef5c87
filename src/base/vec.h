/*
 * vec.h: a growing array of any element type on the heap.
 *   struct { struct thing *items; size_t count, capacity; } things = {0};
 *   *vec_push(&things) = (struct thing){…};   …   vec_release(&things);
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <helve/str.h>
#include <stdlib.h>
#include <string.h>

static inline void *vec_grow_(void *items, size_t *capacity, size_t count, size_t item_size)
{
    if (count < *capacity)
        return items;
    *capacity = *capacity ? *capacity * 2 : 8;
    return hv_realloc(items, *capacity * item_size);
}

/* A pointer to a new, uninitialised last element; valid until the next push. */
#define vec_push(vec)                                                                                                  \
    ((vec)->items = vec_grow_((vec)->items, &(vec)->capacity, (vec)->count, sizeof *(vec)->items),                     \
     &(vec)->items[(vec)->count++])
/* The elements from index on; NULL for a vector that never had one, since even NULL + 0 is undefined. */
#define vec_from(vec, index) ((vec)->items ? (vec)->items + (index) : NULL)
#define vec_release(vec) (free((vec)->items), (vec)->items = NULL, (vec)->count = (vec)->capacity = 0)
#define VEC(type)                                                                                                      \
    struct {                                                                                                           \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

#endif

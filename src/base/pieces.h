/*
 * pieces.h: bytes that lie in several pieces, one after the other. What changes little of much, as an edit of a large
 * file does, is written and summed up so without being put together. A view, by value, as struct hv_str is. Pure.
 */
#ifndef BASE_PIECES_H
#define BASE_PIECES_H

#include <helve/str.h>

struct pieces {
    const struct hv_str *items;
    size_t count;
};

size_t pieces_size(struct pieces pieces);
/* What hv_str_hash gives of them put together. */
uint64_t pieces_hash(struct pieces pieces);
/* Append them all; false when they do not fit (out->failed is set then). */
bool pieces_join(struct pieces pieces, struct hv_buf *out) HV_MUST_CHECK;

#endif

/*
 * hash.c: the hash of bytes, in one view or in pieces (base/pieces.h). It multiplies and folds eight bytes at a time:
 * good spread for table keys, and a change of contents does not go unnoticed by chance; no more is asked of it. Long
 * strings go in blocks of four words, as one multiplication need not wait for the other then.
 */
#include "base/pieces.h"

#include <string.h>

enum { LANES = 4, BLOCK = LANES * 8, LONG = 256 };
#define MULTIPLIER 0xd6e8feb86659fd93ull

static uint64_t fold(uint64_t a, uint64_t b)
{
    __uint128_t product = (__uint128_t)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t word_at(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static uint64_t begin(size_t len)
{
    return 0x9e3779b97f4a7c15ull ^ len;
}

static void begin_lanes(uint64_t lanes[LANES], size_t len)
{
    uint64_t hash = begin(len);
    const uint64_t first[LANES] = {hash, hash + 0x2545f4914f6cdd1dull, ~hash, hash * 3};
    memcpy(lanes, first, sizeof first);
}

/* All whole blocks; how many bytes they are. */
static size_t add_blocks(uint64_t lanes[LANES], const char *bytes, size_t len)
{
    uint64_t a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];
    size_t at = 0;
    for (; at + BLOCK <= len; at += BLOCK) {
        a = fold(a ^ word_at(bytes + at), MULTIPLIER);
        b = fold(b ^ word_at(bytes + at + 8), MULTIPLIER);
        c = fold(c ^ word_at(bytes + at + 16), MULTIPLIER);
        d = fold(d ^ word_at(bytes + at + 24), MULTIPLIER);
    }
    const uint64_t after[LANES] = {a, b, c, d};
    memcpy(lanes, after, sizeof after);
    return at;
}

static uint64_t end_lanes(uint64_t hash, const uint64_t lanes[LANES])
{
    for (size_t lane = 0; lane < LANES; lane++)
        hash = fold(hash ^ lanes[lane], MULTIPLIER);
    return hash;
}

/* What is left after the blocks, or a short string. */
static uint64_t end(uint64_t hash, const char *bytes, size_t len)
{
    size_t at = 0;
    uint64_t word = 0;
    for (; at + 8 <= len; at += 8)
        hash = fold(hash ^ word_at(bytes + at), MULTIPLIER);
    if (at < len)
        memcpy(&word, bytes + at, len - at);
    return fold(hash ^ word, 0xa0761d6478bd642full);
}

uint64_t hv_str_hash(struct hv_str s)
{
    if (s.len < LONG)
        return end(begin(s.len), s.ptr, s.len);
    uint64_t lanes[LANES];
    begin_lanes(lanes, s.len);
    size_t done = add_blocks(lanes, s.ptr, s.len);
    return end(end_lanes(begin(s.len), lanes), s.ptr + done, s.len - done);
}

/* ---- pieces -------------------------------------------------------------------------------------------------- */

size_t pieces_size(struct pieces pieces)
{
    size_t size = 0;
    for (size_t i = 0; i < pieces.count; i++)
        size += pieces.items[i].len;
    return size;
}

bool pieces_join(struct pieces pieces, struct hv_buf *out)
{
    if (!hv_buf_reserve(out, pieces_size(pieces)))
        return false;
    for (size_t i = 0; i < pieces.count; i++)
        hv_buf_add_str(out, pieces.items[i]);
    return !out->failed;
}

/* The beginning of a block whose rest is in the next pieces. */
struct rest {
    char bytes[BLOCK];
    size_t len;
};

static void add_piece(uint64_t lanes[LANES], struct rest *rest, struct hv_str piece)
{
    if (rest->len) {
        size_t part = piece.len < BLOCK - rest->len ? piece.len : BLOCK - rest->len;
        if (part)
            memcpy(rest->bytes + rest->len, piece.ptr, part);
        rest->len += part;
        piece = hv_str_slice(piece, part, piece.len);
        if (rest->len < BLOCK)
            return;
        (void)add_blocks(lanes, rest->bytes, BLOCK);
        rest->len = 0;
    }
    size_t done = add_blocks(lanes, piece.ptr, piece.len);
    rest->len = piece.len - done;
    if (rest->len)
        memcpy(rest->bytes, piece.ptr + done, rest->len);
}

static uint64_t hash_short(struct pieces pieces, size_t size)
{
    char bytes[LONG];
    size_t at = 0;
    for (size_t i = 0; i < pieces.count; at += pieces.items[i++].len)
        if (pieces.items[i].len)
            memcpy(bytes + at, pieces.items[i].ptr, pieces.items[i].len);
    return end(begin(size), bytes, size);
}

uint64_t pieces_hash(struct pieces pieces)
{
    size_t size = pieces_size(pieces);
    if (size < LONG)
        return hash_short(pieces, size);
    uint64_t lanes[LANES];
    struct rest rest = {.len = 0};
    begin_lanes(lanes, size);
    for (size_t i = 0; i < pieces.count; i++)
        add_piece(lanes, &rest, pieces.items[i]);
    return end(end_lanes(begin(size), lanes), rest.bytes, rest.len);
}

/*
 * find_streams_kernel.h: the inside of struct find_streams, and how it goes over a text. Written once, and put into
 * each kernel of the scanners (find_scan_kernel.h), so that it is compiled for the machine that the kernel is for.
 */
#ifndef TEXT_FIND_STREAMS_KERNEL_H
#define TEXT_FIND_STREAMS_KERNEL_H

#include "text/find_scan_kernel.h"
#include "text/find_streams.h"

enum {
    STREAMS_OPERATIONS_MAX = 63, /* their carries are bits of a word */
    STREAMS_CLASSES_MAX = FIND_MEMBERS_MAX,
    CHUNK = FIND_MEMBERS_BLOCKS * BLOCK,
};

/* The first classes. */
enum { CLASS_NEWLINE, CLASS_RETURN, CLASS_FIRST };

enum operation_kind {
    TAKE,     /* one byte of a class */
    REPEAT,   /* any number of bytes of a class */
    EITHER,   /* what the one or the other stream has marked */
    AT_BEGIN, /* where a line begins */
    AT_END,
    AT_EDGE, /* of a word */
    OFF_EDGE,
};

struct operation {
    unsigned char kind, from, other; /* other: a class, or of EITHER a stream */
    bool is_gate;                    /* all operations after it go on from its marks */
};

struct find_streams {
    const struct find_kernel *kernel;
    unsigned class_count, count;
    uint32_t returns;     /* classes that hold CR, a bit each */
    unsigned char words;  /* the class; 0: nothing asks for words */
    unsigned char result; /* the stream of ends */
    struct find_members classes[STREAMS_CLASSES_MAX];
    struct operation operations[STREAMS_OPERATIONS_MAX]; /* number i makes stream i + 1; 0 is where matches may begin */
};

typedef uint64_t stream[FIND_MEMBERS_BLOCKS];

/* ---- running them ---------------------------------------------------------------------------------------- */

/* What goes over from one chunk to the next. */
struct passage {
    const struct find_streams *streams;
    uint64_t carries; /* a bit for each operation */
    bool begins;      /* a line does, with the chunk */
    bool in_word, after_return;
    bool open; /* the line at hand holds a match */
};

/* The chunk at hand. */
struct chunk {
    stream classes[STREAMS_CLASSES_MAX];
    stream begins, ends, edges;
    stream marks[STREAMS_OPERATIONS_MAX + 1];
};

/* One place later. */
FIND_INLINE void shift(const stream from, bool *carry, stream out)
{
    uint64_t in = *carry;
    for (unsigned i = 0; i < FIND_MEMBERS_BLOCKS; i++) {
        uint64_t word = from[i];
        out[i] = word << 1 | in;
        in = word >> 63;
    }
    *carry = in;
}

FIND_INLINE bool is_empty(const stream bits)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < FIND_MEMBERS_BLOCKS; i++)
        any |= bits[i];
    return !any;
}

FIND_INLINE void take(const stream from, const stream class, bool *carry, stream out)
{
    uint64_t in = *carry;
    for (unsigned i = 0; i < FIND_MEMBERS_BLOCKS; i++) {
        uint64_t taken = from[i] & class[i];
        out[i] = taken << 1 | in;
        in = taken >> 63;
    }
    *carry = in;
}

/* A mark where a class stands, added to it, carries over to the end of it and leaves zeros: all that it came by. */
FIND_INLINE void repeat(const stream from, const stream class, bool *carry, stream out)
{
    unsigned long long sum;
    bool in = *carry;
    for (unsigned i = 0; i < FIND_MEMBERS_BLOCKS; i++) {
        bool over = __builtin_uaddll_overflow(from[i] & class[i], class[i], &sum);
        over |= __builtin_uaddll_overflow(sum, in, &sum);
        out[i] = (sum ^ class[i]) | from[i];
        in = over;
    }
    *carry = in;
}

FIND_INLINE void operate(const struct passage *run, struct chunk *chunk, unsigned number, bool *carry)
{
    const struct operation *operation = &run->streams->operations[number];
    const uint64_t *from = chunk->marks[operation->from], *at = chunk->edges;
    uint64_t *out = chunk->marks[number + 1], flip = operation->kind == OFF_EDGE ? UINT64_MAX : 0;
    switch ((enum operation_kind)operation->kind) {
    case TAKE: take(from, chunk->classes[operation->other], carry, out); return;
    case REPEAT: repeat(from, chunk->classes[operation->other], carry, out); return;
    case EITHER:
        for (unsigned i = 0; i < FIND_MEMBERS_BLOCKS; i++)
            out[i] = from[i] | chunk->marks[operation->other][i];
        return;
    case AT_BEGIN: at = chunk->begins; break;
    case AT_END: at = chunk->ends; break;
    case AT_EDGE:
    case OFF_EDGE: break;
    }
    for (unsigned i = 0; i < FIND_MEMBERS_BLOCKS; i++)
        out[i] = from[i] & (at[i] ^ flip);
}

/* All operations; false: there is no end of a match in this chunk. */
FIND_INLINE bool operate_all(struct passage *run, struct chunk *chunk)
{
    const struct find_streams *streams = run->streams;
    for (unsigned i = 0; i < streams->count; i++) {
        bool carry = run->carries >> i & 1;
        operate(run, chunk, i, &carry);
        run->carries = (run->carries & ~(UINT64_C(1) << i)) | (uint64_t)carry << i;
        if (streams->operations[i].is_gate && !(run->carries >> (i + 1)) && is_empty(chunk->marks[i + 1]))
            return false;
    }
    return true;
}

/* Where lines end in "\r\n": its first byte is the end, and belongs to no class; its second one is no place. */
FIND_INLINE void set_returns(struct passage *run, struct chunk *chunk, const stream newlines, bool newline_follows)
{
    stream pairs;
    const struct find_streams *streams = run->streams;
    for (unsigned i = 0; i < FIND_MEMBERS_BLOCKS; i++) {
        uint64_t next = i + 1 < FIND_MEMBERS_BLOCKS ? newlines[i + 1] : newline_follows;
        pairs[i] = chunk->classes[CLASS_RETURN][i] & (newlines[i] >> 1 | next << 63);
    }
    for (uint32_t left = streams->returns; left; left &= left - 1)
        for (unsigned i = 0; i < FIND_MEMBERS_BLOCKS; i++)
            chunk->classes[__builtin_ctz(left)][i] &= ~pairs[i];
    shift(pairs, &run->after_return, chunk->marks[0]);
    for (unsigned i = 0; i < FIND_MEMBERS_BLOCKS; i++) {
        chunk->marks[0][i] = ~chunk->marks[0][i];
        chunk->ends[i] = pairs[i] | (chunk->classes[CLASS_NEWLINE][i] & chunk->marks[0][i]);
    }
}

/*
 * The streams that do not depend on the pattern's steps. end: where in the chunk the text ends without a newline, so
 * that one was added; CHUNK: nowhere.
 */
FIND_INLINE void prepare(struct passage *run, struct chunk *chunk, size_t end, bool newline_follows)
{
    shift(chunk->classes[CLASS_NEWLINE], &run->begins, chunk->begins);
    if (run->streams->words) {
        shift(chunk->classes[run->streams->words], &run->in_word, chunk->edges);
        for (unsigned i = 0; i < FIND_MEMBERS_BLOCKS; i++)
            chunk->edges[i] ^= chunk->classes[run->streams->words][i];
    }
    if (is_empty(chunk->classes[CLASS_RETURN]) && !run->after_return) {
        memset(chunk->marks[0], 0xff, sizeof chunk->marks[0]);
        memcpy(chunk->ends, chunk->classes[CLASS_NEWLINE], sizeof chunk->ends);
        return;
    }
    stream newlines;
    memcpy(newlines, chunk->classes[CLASS_NEWLINE], sizeof newlines);
    if (end < CHUNK) /* a CR before it is no part of a line end */
        newlines[end / BLOCK] &= ~(UINT64_C(1) << end % BLOCK);
    set_returns(run, chunk, newlines, newline_follows);
}

/* Lines that end in the chunk and hold a match (see lines_with_hits); a match may end at the newline itself. */
FIND_INLINE size_t count_lines(struct passage *run, const stream newlines, const stream hits)
{
    size_t count = 0;
    unsigned long long sum;
    for (unsigned i = 0; i < FIND_MEMBERS_BLOCKS; i++) {
        bool over = __builtin_uaddll_overflow(~newlines[i], hits[i] & ~newlines[i], &sum);
        over |= __builtin_uaddll_overflow(sum, run->open, &sum);
        run->open = over;
        count += (unsigned)__builtin_popcountll((sum | hits[i]) & newlines[i]);
    }
    return count;
}

FIND_INLINE size_t run_chunk(struct passage *run, const unsigned char *text, size_t end, bool newline_follows,
                             find_members *members)
{
    static const stream none = {0};
    struct chunk chunk;
    const struct find_streams *streams = run->streams;
    members(streams->classes, streams->class_count, text, chunk.classes);
    prepare(run, &chunk, end, newline_follows);
    bool any = operate_all(run, &chunk);
    return any || run->open ? count_lines(run, chunk.classes[CLASS_NEWLINE], any ? chunk.marks[streams->result] : none)
                            : 0;
}

/* find_streams_count with a kernel's find_members. */
FIND_INLINE size_t run_streams(const struct find_streams *streams, const unsigned char *text, size_t len, size_t max,
                               find_members *members)
{
    struct passage run = {.streams = streams, .begins = true};
    bool is_whole = !len || text[len - 1] == '\n';
    size_t at = 0, count = 0;
    for (; len - at >= CHUNK && (!max || count < max); at += CHUNK)
        count += run_chunk(&run, text + at, CHUNK, len - at > CHUNK && text[at + CHUNK] == '\n', members);
    if (at < len + !is_whole && (!max || count < max)) {
        unsigned char last[CHUNK] = {0};
        size_t left = len - at;
        if (left)
            memcpy(last, text + at, left);
        last[left] = is_whole ? 0 : '\n';
        count += run_chunk(&run, last, is_whole ? CHUNK : left, false, members);
    }
    return max && count > max ? max : count;
}

#endif

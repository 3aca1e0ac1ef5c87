/*
 * find_streams.c: see find_streams.h. A stream has a bit for each place of the text, the lowest bit first; what has
 * been matched up to a place, that not included, is a mark there. The pattern becomes a list of operations, each of
 * which makes a stream of marks of one before; the last one's are the ends of matches. A text goes through in chunks,
 * and what an operation shifts out of one comes into the next.
 *
 * Lines need no care: no class holds a newline, so that no mark gets over one. "\r\n" is taken as the end of a line by
 * its first byte, and no mark begins between the two.
 */
#include "text/find_streams.h"

#include "text/find_streams_kernel.h"

#include <stdlib.h>

/* ---- making them ----------------------------------------------------------------------------------------- */

struct maker {
    struct find_regular regular;
    struct find_streams *streams;
    unsigned char classes[REGULAR_CLASSES_MAX]; /* the number here; 0: not met yet */
    unsigned branches;                          /* within choices */
    bool failed;
};

static unsigned add(struct maker *maker, enum operation_kind kind, unsigned from, unsigned other)
{
    struct find_streams *streams = maker->streams;
    if (streams->count == STREAMS_OPERATIONS_MAX) {
        maker->failed = true;
        return 0;
    }
    streams->operations[streams->count++] = (struct operation){(unsigned char)kind, (unsigned char)from,
                                                               (unsigned char)other, kind == TAKE && !maker->branches};
    return streams->count;
}

static unsigned add_class(struct maker *maker, const struct find_class *class)
{
    struct find_streams *streams = maker->streams;
    struct find_class without = *class;
    if (streams->class_count == STREAMS_CLASSES_MAX) {
        maker->failed = true;
        return 0;
    }
    without.bits[0] &= ~(UINT64_C(1) << '\n');
    without.bits[2] = without.bits[3] = 0;
    streams->returns |= (uint32_t)find_class_has(&without, '\r') << streams->class_count;
    find_members_of(&without, &streams->classes[streams->class_count]);
    return streams->class_count++;
}

static unsigned class_of(struct maker *maker, unsigned number)
{
    if (!maker->classes[number])
        maker->classes[number] = (unsigned char)add_class(maker, &maker->regular.classes[number]);
    return maker->classes[number];
}

static unsigned add_edge(struct maker *maker, enum operation_kind kind, unsigned from)
{
    static const struct find_class words = {{UINT64_C(0x03ff000000000000), UINT64_C(0x07fffffe87fffffe), 0, 0}};
    if (!maker->streams->words)
        maker->streams->words = (unsigned char)add_class(maker, &words);
    return add(maker, kind, from, 0);
}

static unsigned make(struct maker *maker, unsigned number, unsigned from, bool is_last);

static unsigned make_join(struct maker *maker, const struct regular_node *node, unsigned from, bool is_last)
{
    for (unsigned child = node->child; child; child = maker->regular.nodes[child].next)
        from = make(maker, child, from, is_last && !maker->regular.nodes[child].next);
    return from;
}

/* What can begin anywhere without a part, or with it, needs no mark for it. */
static unsigned join_ways(struct maker *maker, unsigned one, unsigned other)
{
    return one && other ? add(maker, EITHER, one, other) : 0;
}

static unsigned make_choice(struct maker *maker, const struct regular_node *node, unsigned from, bool is_last)
{
    maker->branches++;
    unsigned all = make(maker, node->child, from, is_last);
    for (unsigned child = maker->regular.nodes[node->child].next; child; child = maker->regular.nodes[child].next)
        all = join_ways(maker, all, make(maker, child, from, is_last));
    maker->branches--;
    return all;
}

/* The times that need not be, up to max (0: without end). */
static unsigned make_more(struct maker *maker, const struct regular_node *node, unsigned from)
{
    const struct regular_node *child = &maker->regular.nodes[node->child];
    if (!node->max) {
        maker->failed |= child->kind != REGULAR_CLASS;
        return maker->failed ? 0 : add(maker, REPEAT, from, class_of(maker, child->class));
    }
    maker->branches++;
    unsigned all = from;
    for (unsigned i = node->min; i < node->max && !maker->failed; i++) {
        from = make(maker, node->child, from, false);
        all = join_ways(maker, all, from);
    }
    maker->branches--;
    return all;
}

/*
 * As often as must be. More of it at the beginning of a pattern only means a match that begins before another one does;
 * at the end, one that ends later.
 */
static unsigned make_repeat(struct maker *maker, const struct regular_node *node, unsigned from, bool is_last)
{
    bool is_first = !from;
    for (unsigned i = 0; i < node->min && !maker->failed; i++)
        from = make(maker, node->child, from, is_last && i + 1 == node->min);
    return is_first || is_last || (node->max && node->max == node->min) ? from : make_more(maker, node, from);
}

/* The operations for a node of the tree, which goes on from a stream: the stream that it leaves. */
static unsigned make(struct maker *maker, unsigned number, unsigned from, bool is_last)
{
    const struct regular_node *node = &maker->regular.nodes[number];
    if (maker->failed)
        return 0;
    switch (node->kind) {
    case REGULAR_EMPTY: return from;
    case REGULAR_CLASS: return add(maker, TAKE, from, class_of(maker, node->class));
    case REGULAR_JOIN: return make_join(maker, node, from, is_last);
    case REGULAR_CHOICE: return make_choice(maker, node, from, is_last);
    case REGULAR_REPEAT: return make_repeat(maker, node, from, is_last);
    case REGULAR_LINE_BEGIN: return add(maker, AT_BEGIN, from, 0);
    case REGULAR_LINE_END: return add(maker, AT_END, from, 0);
    case REGULAR_WORD_EDGE: return add_edge(maker, AT_EDGE, from);
    case REGULAR_NO_WORD_EDGE: return add_edge(maker, OFF_EDGE, from);
    }
    return 0;
}

static void add_own_classes(struct maker *maker)
{
    struct find_streams *streams = maker->streams;
    find_members_of(&(struct find_class){{UINT64_C(1) << '\n'}}, &streams->classes[CLASS_NEWLINE]);
    find_members_of(&(struct find_class){{UINT64_C(1) << '\r'}}, &streams->classes[CLASS_RETURN]);
    streams->class_count = CLASS_FIRST;
}

struct find_streams *find_streams_new(const struct find_regular *regular, unsigned without)
{
    const struct find_kernel *kernel = find_kernel_choose(without);
    if (!kernel->streams)
        return NULL;
    struct maker *maker = hv_calloc(1, sizeof *maker);
    struct find_streams *streams = maker->streams = hv_calloc(1, sizeof *streams);
    streams->kernel = kernel;
    add_own_classes(maker);
    maker->regular = *regular;
    streams->result = (unsigned char)make(maker, maker->regular.root, 0, true);
    if (maker->failed) {
        free(streams);
        streams = NULL;
    }
    free(maker);
    return streams;
}

void find_streams_free(struct find_streams *streams)
{
    free(streams);
}

unsigned find_streams_steps(const struct find_streams *streams)
{
    return streams->count;
}

double find_streams_cost(const struct find_streams *streams)
{
    const double chunk = 140, class = 25, operation = 12;
    return (chunk + class * streams->class_count + operation * streams->count) / CHUNK;
}

size_t find_streams_count(const struct find_streams *streams, struct hv_str text, size_t max)
{
    return streams->kernel->streams(streams, (const unsigned char *)text.ptr, text.len, max);
}

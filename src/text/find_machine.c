/*
 * find_machine.c: see find_machine.h. The tree of the pattern becomes a graph of steps: take a character of a class, go
 * on two ways, go on if an assertion holds, be done. A state of the machine is a set of steps from which it may go on,
 * and what kind of character came before; assertions wait until the next character is known. All states are made at
 * once; a pattern with too many has no machine.
 *
 * The table has a row for each state and a column for each group of characters that no class tells apart. CR, which may
 * be a part of the line end, stands in a column of its own, whose entries tell to look at what comes next.
 */
#include "text/find_machine.h"

#include <string.h>

enum { STEPS_MAX = 256, WORDS = STEPS_MAX / 64, STATES_MAX = 128, COLUMNS_MAX = 64, ASCII = 128 };

/* Entries of the table below LIVE are no states. */
enum { ENTRY_NO = FIND_ANSWER_NO, ENTRY_YES = FIND_ANSWER_YES, ENTRY_OPEN = FIND_ANSWER_OPEN, ENTRY_CR, LIVE };

/* The first columns. A row is at least LIVE wide, so that no row begins below it. */
enum { COLUMN_END, COLUMN_BEYOND, COLUMN_CR, COLUMN_LONE_CR, COLUMN_FIRST };

struct find_machine {
    unsigned states;
    uint16_t start; /* as an entry */
    unsigned char columns[256];
    uint16_t table[]; /* an entry is where the row of the next state begins */
};

enum step_kind { STEP_TAKE, STEP_SPLIT, STEP_ASSERT, STEP_DONE };

struct step {
    enum step_kind kind;
    unsigned char class, assertion; /* a number; a regular_kind */
    unsigned short next, other;
};

struct step_set {
    uint64_t words[WORDS];
};

/* What stands before or behind a place. */
enum side { SIDE_EDGE, SIDE_WORD, SIDE_OTHER };

struct state {
    struct step_set set;
    enum side before;
};

struct maker {
    struct find_regular regular;
    struct step steps[STEPS_MAX];
    unsigned step_count;
    bool failed;
    bool restarts;    /* a match may begin later in the line, too */
    bool tells_words; /* an assertion asks for words */
    unsigned start;
    unsigned width;
    unsigned char columns[ASCII], representative[COLUMNS_MAX];
    struct state states[STATES_MAX];
    unsigned state_count;
    uint16_t table[STATES_MAX * COLUMNS_MAX];
};

/* ---- sets ------------------------------------------------------------------------------------------------ */

static bool set_has(const struct step_set *set, unsigned step)
{
    return set->words[step / 64] >> (step % 64) & 1;
}

static bool set_add(struct step_set *set, unsigned step)
{
    bool had = set_has(set, step);
    set->words[step / 64] |= UINT64_C(1) << (step % 64);
    return !had;
}

static bool set_is_empty(const struct step_set *set)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < WORDS; i++)
        any |= set->words[i];
    return !any;
}

/* ---- steps ----------------------------------------------------------------------------------------------- */

static unsigned add_step(struct maker *maker, struct step step)
{
    if (maker->step_count == STEPS_MAX) {
        maker->failed = true;
        return 0;
    }
    maker->steps[maker->step_count] = step;
    return maker->step_count++;
}

static unsigned add_split(struct maker *maker, unsigned next, unsigned other)
{
    return add_step(maker, (struct step){STEP_SPLIT, .next = (unsigned short)next, .other = (unsigned short)other});
}

static unsigned make_steps(struct maker *maker, unsigned node, unsigned next);

static unsigned make_join(struct maker *maker, unsigned child, unsigned next)
{
    unsigned children[REGULAR_NODES_MAX], count = 0;
    for (; child; child = maker->regular.nodes[child].next)
        children[count++] = child;
    while (count)
        next = make_steps(maker, children[--count], next);
    return next;
}

static unsigned make_choice(struct maker *maker, unsigned child, unsigned next)
{
    unsigned first = make_steps(maker, child, next);
    for (child = maker->regular.nodes[child].next; child; child = maker->regular.nodes[child].next)
        first = add_split(maker, first, make_steps(maker, child, next));
    return first;
}

static unsigned make_repeat(struct maker *maker, const struct regular_node *node, unsigned next)
{
    unsigned begin = next;
    if (!node->max) {
        begin = add_split(maker, 0, next);
        maker->steps[begin].next = (unsigned short)make_steps(maker, node->child, begin);
    }
    for (unsigned i = node->min; i < node->max && !maker->failed; i++)
        begin = add_split(maker, make_steps(maker, node->child, begin), next);
    for (unsigned i = 0; i < node->min && !maker->failed; i++)
        begin = make_steps(maker, node->child, begin);
    return begin;
}

/* The steps for a node of the tree, after which `next` follows: the first of them. */
static unsigned make_steps(struct maker *maker, unsigned number, unsigned next)
{
    const struct regular_node *node = &maker->regular.nodes[number];
    if (maker->failed)
        return 0;
    switch (node->kind) {
    case REGULAR_EMPTY: return next;
    case REGULAR_CLASS:
        return add_step(maker,
                        (struct step){STEP_TAKE, .class = (unsigned char)node->class, .next = (unsigned short)next});
    case REGULAR_JOIN: return make_join(maker, node->child, next);
    case REGULAR_CHOICE: return make_choice(maker, node->child, next);
    case REGULAR_REPEAT: return make_repeat(maker, node, next);
    case REGULAR_WORD_EDGE:
    case REGULAR_NO_WORD_EDGE: maker->tells_words = true; break;
    case REGULAR_LINE_BEGIN:
    case REGULAR_LINE_END: break;
    }
    return add_step(maker,
                    (struct step){STEP_ASSERT, .assertion = (unsigned char)node->kind, .next = (unsigned short)next});
}

/* ---- following steps that take nothing --------------------------------------------------------------------- */

static bool holds(enum regular_kind assertion, enum side before, enum side after)
{
    bool edge = (before == SIDE_WORD) != (after == SIDE_WORD);
    switch (assertion) {
    case REGULAR_LINE_BEGIN: return before == SIDE_EDGE;
    case REGULAR_LINE_END: return after == SIDE_EDGE;
    case REGULAR_WORD_EDGE: return edge;
    default: return !edge;
    }
}

/*
 * All steps that take a character, or are the last, which can be come to from the set at a place between such
 * characters; sides NULL: whatever they are, so that no assertion holds. Done or not is the answer.
 */
static bool follow(const struct maker *maker, const struct step_set *from, const enum side sides[2],
                   struct step_set *out)
{
    unsigned short stack[STEPS_MAX];
    unsigned depth = 0;
    struct step_set seen = *from;
    bool done = false;
    *out = (struct step_set){0};
    for (unsigned i = 0; i < maker->step_count; i++)
        if (set_has(from, i))
            stack[depth++] = (unsigned short)i;
    while (depth) {
        unsigned at = stack[--depth];
        const struct step *step = &maker->steps[at];
        if (step->kind == STEP_TAKE)
            set_add(out, at);
        done |= step->kind == STEP_DONE;
        bool passes = step->kind == STEP_SPLIT ||
                      (step->kind == STEP_ASSERT && sides && holds(step->assertion, sides[0], sides[1]));
        if (passes && set_add(&seen, step->next))
            stack[depth++] = step->next;
        if (step->kind == STEP_SPLIT && set_add(&seen, step->other))
            stack[depth++] = step->other;
    }
    return done;
}

/* ---- columns --------------------------------------------------------------------------------------------- */

/* Tell members of the class from others in each column so far. */
static void split_columns(struct maker *maker, const struct find_class *class)
{
    unsigned char inside[COLUMNS_MAX] = {0};
    bool outside[COLUMNS_MAX] = {false};
    for (unsigned byte = 0; byte < ASCII; byte++)
        outside[maker->columns[byte]] |= !find_class_has(class, byte);
    for (unsigned byte = 0; byte < ASCII; byte++) {
        unsigned column = maker->columns[byte];
        if (!find_class_has(class, byte) || !outside[column])
            continue;
        if (!inside[column] && maker->width < COLUMNS_MAX)
            inside[column] = (unsigned char)maker->width++;
        maker->failed |= !inside[column];
        maker->columns[byte] = inside[column];
    }
}

static void make_columns(struct maker *maker)
{
    static const struct find_class words = {{UINT64_C(0x03ff000000000000), UINT64_C(0x07fffffe87fffffe), 0, 0}};
    memset(maker->columns, COLUMN_FIRST, sizeof maker->columns);
    maker->width = COLUMN_FIRST + 1;
    for (unsigned i = 0; i < maker->regular.class_count && !maker->failed; i++)
        split_columns(maker, &maker->regular.classes[i]);
    if (maker->tells_words && !maker->failed)
        split_columns(maker, &words);
    for (unsigned byte = 0; byte < ASCII; byte++)
        maker->representative[maker->columns[byte]] = (unsigned char)byte;
    maker->representative[COLUMN_LONE_CR] = '\r';
}

static bool is_word(unsigned char byte)
{
    unsigned char lower = byte | 0x20;
    return (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') || byte == '_';
}

static enum side side_of(const struct maker *maker, unsigned column)
{
    if (column == COLUMN_END)
        return SIDE_EDGE;
    return maker->tells_words && is_word(maker->representative[column]) ? SIDE_WORD : SIDE_OTHER;
}

/* ---- states ---------------------------------------------------------------------------------------------- */

static uint16_t entry_for(struct maker *maker, const struct step_set *set, enum side before)
{
    unsigned number = 0;
    while (number < maker->state_count &&
           (maker->states[number].before != before || memcmp(&maker->states[number].set, set, sizeof *set) != 0))
        number++;
    if (number == STATES_MAX) {
        maker->failed = true;
        return ENTRY_NO;
    }
    if (number == maker->state_count)
        maker->states[maker->state_count++] = (struct state){*set, before};
    return (uint16_t)((number + 1) * maker->width); /* no row begins at 0 */
}

/* Where the steps `from`, which take characters, lead with one of this column. */
static uint16_t advance(struct maker *maker, const struct step_set *from, unsigned column)
{
    struct step_set set = {0}, ignored;
    for (unsigned i = 0; i < maker->step_count; i++)
        if (set_has(from, i) &&
            find_class_has(&maker->regular.classes[maker->steps[i].class], maker->representative[column]))
            set_add(&set, maker->steps[i].next);
    if (follow(maker, &set, NULL, &ignored))
        return ENTRY_YES;
    if (maker->restarts)
        set_add(&set, maker->start);
    return set_is_empty(&set) ? ENTRY_NO : entry_for(maker, &set, side_of(maker, column));
}

static void make_row(struct maker *maker, unsigned number)
{
    struct step_set reached[SIDE_OTHER + 1];
    bool done[SIDE_OTHER + 1];
    struct state state = maker->states[number];
    uint16_t *row = &maker->table[number * maker->width];
    for (unsigned side = 0; side <= SIDE_OTHER; side++)
        done[side] = follow(maker, &state.set, (enum side[]){state.before, side}, &reached[side]);
    row[COLUMN_END] = done[SIDE_EDGE] ? ENTRY_YES : ENTRY_NO;
    row[COLUMN_BEYOND] = ENTRY_OPEN;
    row[COLUMN_CR] = ENTRY_CR;
    for (unsigned column = COLUMN_LONE_CR; column < maker->width; column++) {
        enum side side = side_of(maker, column);
        row[column] = done[side] ? ENTRY_YES : advance(maker, &reached[side], column);
    }
}

/* May a match begin at a place that is not the beginning of the line? */
static bool begins_anywhere(const struct maker *maker, const struct step_set *start)
{
    bool anywhere = false;
    struct step_set reached;
    for (unsigned before = SIDE_WORD; before <= SIDE_OTHER; before++)
        for (unsigned after = 0; after <= SIDE_OTHER; after++)
            anywhere |= follow(maker, start, (enum side[]){before, after}, &reached) || !set_is_empty(&reached);
    return anywhere;
}

static struct find_machine *take_machine(const struct maker *maker, uint16_t start)
{
    size_t cells = (size_t)maker->state_count * maker->width;
    struct find_machine *machine = hv_calloc(1, sizeof *machine + (cells + maker->width) * sizeof machine->table[0]);
    machine->states = maker->state_count;
    machine->start = start;
    memset(machine->columns, COLUMN_BEYOND, sizeof machine->columns);
    memcpy(machine->columns, maker->columns, sizeof maker->columns);
    machine->columns['\n'] = COLUMN_END;
    machine->columns['\r'] = COLUMN_CR;
    memcpy(machine->table + maker->width, maker->table, cells * sizeof machine->table[0]);
    return machine;
}

static struct find_machine *make(struct maker *maker)
{
    struct step_set start = {0}, ignored;
    unsigned last = add_step(maker, (struct step){.kind = STEP_DONE});
    maker->start = make_steps(maker, maker->regular.root, last);
    make_columns(maker);
    if (maker->failed)
        return NULL;
    set_add(&start, maker->start);
    maker->restarts = begins_anywhere(maker, &start);
    bool always = follow(maker, &start, NULL, &ignored);
    uint16_t first = always ? ENTRY_YES : entry_for(maker, &start, SIDE_EDGE);
    for (unsigned i = 0; i < maker->state_count && !maker->failed; i++)
        make_row(maker, i);
    return maker->failed ? NULL : take_machine(maker, first);
}

struct find_machine *find_machine_new(const struct find_regular *regular)
{
    struct maker *maker = hv_calloc(1, sizeof *maker);
    maker->regular = *regular;
    struct find_machine *machine = make(maker);
    free(maker);
    return machine;
}

void find_machine_free(struct find_machine *machine)
{
    free(machine);
}

unsigned find_machine_states(const struct find_machine *machine)
{
    return machine->states;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

enum find_answer find_machine_read(const struct find_machine *machine, struct hv_str text, size_t *at)
{
    const uint16_t *table = machine->table;
    const unsigned char *columns = machine->columns, *bytes = (const unsigned char *)text.ptr;
    unsigned state = machine->start;
    size_t i = *at;
    if (state < LIVE)
        return (enum find_answer)state;
    for (; i < text.len; i++) {
        unsigned next = table[state + columns[bytes[i]]];
        if (next == ENTRY_CR) {
            bool ends = i + 1 < text.len && bytes[i + 1] == '\n';
            next = table[state + (ends ? COLUMN_END : COLUMN_LONE_CR)];
        }
        if (next < LIVE) {
            *at = i;
            return (enum find_answer)next;
        }
        state = next;
    }
    *at = i;
    return (enum find_answer)table[state + COLUMN_END];
}

/*
 * find_regular.h: a pattern read as a regular expression in the strict sense: characters, classes, groups, choices,
 * repetitions, "^", "$", "\b" and "\B", nothing else. What a class takes beyond ASCII is left out. A pattern that holds
 * anything more (look-around, back-references, options, verbs …) is refused. Pure.
 */
#ifndef TEXT_FIND_REGULAR_H
#define TEXT_FIND_REGULAR_H

#include "text/find_pattern.h"

enum { REGULAR_NODES_MAX = 256, REGULAR_CLASSES_MAX = 64, REGULAR_REPEAT_MAX = 200, REGULAR_NO_NODE = 0 };

enum regular_kind {
    REGULAR_EMPTY,
    REGULAR_CLASS,  /* one character of the class */
    REGULAR_JOIN,   /* its children, one after the other */
    REGULAR_CHOICE, /* one of its children */
    REGULAR_REPEAT, /* its child, from min to max times; max 0: without end */
    REGULAR_LINE_BEGIN,
    REGULAR_LINE_END,
    REGULAR_WORD_EDGE,
    REGULAR_NO_WORD_EDGE,
};

struct regular_node {
    enum regular_kind kind;
    unsigned class, min, max;
    unsigned child, next; /* its first child, and the next one of its parent; REGULAR_NO_NODE: there is none */
};

struct find_regular {
    unsigned count; /* nodes[0] is not used */
    struct regular_node nodes[REGULAR_NODES_MAX];
    unsigned class_count;
    struct find_class classes[REGULAR_CLASSES_MAX];
    unsigned root;
};

/* Read a pattern that PCRE2 has compiled. False: it is more than that, or too large. */
bool find_regular_read(struct hv_str pattern, bool ignore_case, struct find_regular *out);

#endif

/*
 * run.h: one validation while it runs: what evaluate.c (walking), check.c (assertions on one value) and report.c
 * (errors) share. Private to src/schema.
 */
#ifndef SCHEMA_RUN_H
#define SCHEMA_RUN_H

#include "schema/compiled.h"

/* Errors while they are collected. A list of its own for each branch of anyOf and oneOf, until one is chosen. */
struct run_errors {
    struct schema_error *first, *last;
    size_t count, max;
    size_t weight; /* how far from right: chooses the branch that was probably meant */
};

struct run {
    const struct schema *schema;
    const struct hv_json *root; /* of the instance */
    struct hv_arena *arena;
    struct run_errors *errors; /* NULL: only the answer matters, and the first failure ends each node */
    size_t error_budget;       /* errors that may still be written, branches that are dropped included */
    uint64_t steps;            /* left */
    unsigned depth;
    bool stopped; /* a bound was reached: every answer from here on is meaningless */
    struct hv_error *err;
};

/* A schema being applied to a value, linked from the inside out: the dynamic scope. */
struct frame {
    const struct frame *outer;
    const struct node *node;
    const struct hv_json *instance;
};

/* Spend work; false (and stopped) when there is none left. */
bool run_spend(struct run *run, uint64_t steps);
/* Give up with a reason. Always false. */
bool run_stop(struct run *run, const char *reason);

/* check.c: an assertion that looks at the instance alone. */
bool check_value(struct run *run, const struct frame *frame, const struct rule *rule);

/*
 * report.c: note that rule (or keyword, where a rule has several) failed for value. Always false, so that a check can
 * return it. The format says what is wrong; with `got`, ", got number 5" follows.
 */
bool report(struct run *run, const struct frame *frame, const char *keyword, const struct hv_json *value, bool got,
            const char *format, ...) HV_PRINTF(6, 7);
/* Add to the weight of the errors: this failure says that the branch was not meant. */
void report_misfit(struct run *run, size_t weight);
void run_errors_append(struct run_errors *to, const struct run_errors *from);

#endif

/*
 * evaluate.c: applying schemas to values: the walk over rules, and the keywords that apply further schemas. See run.h.
 *
 * Two ways of walking: loud, with a list of errors, where a node goes on after a failure to find them all; and quiet,
 * where the first failure ends it. anyOf and oneOf look quietly first; only when no branch fits are the branches
 * walked loudly, and the errors of the one that was probably meant are kept.
 *
 * For unevaluatedItems and unevaluatedProperties, marks are kept per value: which members or elements were evaluated
 * by the rules of a node and of the nodes it applies to the same value. Only schemas that have these keywords pay.
 */
#include "base/nearest.h"
#include "schema/run.h"

#include <stdlib.h>
#include <string.h>

enum {
    ERROR_BUDGET = 500,     /* errors written in one validation, dropped branches included */
    BRANCH_ERRORS_MAX = 8,  /* kept of one branch of anyOf or oneOf */
    NAMES_COMPARED = 256,   /* names of properties that one unknown name is compared with */
    LOUD_BRANCHES_MAX = 32, /* branches that are looked at for a better message */
};

/* ---- marks ------------------------------------------------------------------------------------------- */

struct marks {
    size_t count; /* members or elements of the value */
    uint64_t *bits;
    uint64_t few[2];
};

static void marks_init(struct marks *marks, const struct hv_json *value)
{
    *marks = (struct marks){.count = value->count};
    bool many = marks->count > 8 * sizeof marks->few;
    marks->bits = many ? hv_calloc(marks->count / 64 + 1, sizeof *marks->bits) : marks->few;
}

static void marks_release(struct marks *marks)
{
    if (marks->bits != marks->few)
        free(marks->bits);
}

static void mark(struct marks *marks, size_t index)
{
    if (marks && index < marks->count)
        marks->bits[index / 64] |= 1ull << index % 64;
}

static bool is_marked(const struct marks *marks, size_t index)
{
    return marks->bits[index / 64] >> index % 64 & 1;
}

static void marks_merge(struct marks *to, const struct marks *from)
{
    for (size_t i = 0; to && i * 64 < from->count; i++)
        to->bits[i] |= from->bits[i];
}

/* ---- work -------------------------------------------------------------------------------------------- */

bool run_stop(struct run *run, const char *reason)
{
    if (!run->stopped) {
        hv_fail(run->err, HV_ETOOBIG, "the schema is too complex for this value: %s", reason);
        hv_error_hint(run->err, "simplify the schema or send a smaller value");
    }
    run->stopped = true;
    return false;
}

bool run_spend(struct run *run, uint64_t steps)
{
    if (run->stopped)
        return false;
    if (steps > run->steps)
        return run_stop(run, "validation takes too many steps");
    run->steps -= steps;
    return true;
}

/* ---- applying one schema ----------------------------------------------------------------------------- */

static bool apply(struct run *run, const struct node *node, const struct hv_json *value, const struct frame *outer,
                  struct marks *marks);

/* Apply without reporting. */
static bool apply_quietly(struct run *run, const struct node *node, const struct hv_json *value,
                          const struct frame *outer, struct marks *marks)
{
    struct run_errors *errors = run->errors;
    run->errors = NULL;
    bool good = apply(run, node, value, outer, marks);
    run->errors = errors;
    return good;
}

/* Apply to the same value so that marks are left only by a success. */
static bool try(struct run *run, const struct node *node, const struct frame *frame, struct marks *marks)
{
    struct marks own;
    if (!marks)
        return apply_quietly(run, node, frame->instance, frame, NULL);
    marks_init(&own, frame->instance);
    bool good = run_spend(run, own.count / 64) && apply_quietly(run, node, frame->instance, frame, &own);
    if (good)
        marks_merge(marks, &own);
    marks_release(&own);
    return good;
}

/* ---- combinations ------------------------------------------------------------------------------------ */

static bool apply_all_of(struct run *run, const struct frame *frame, const struct rule *rule, struct marks *marks)
{
    bool good = true;
    for (size_t i = 0; i < rule->list.count && (good || run->errors); i++)
        good &= apply(run, rule->list.nodes[i], frame->instance, frame, marks);
    return good;
}

/* No branch fits: report the errors of the one that is nearest, behind a line that says so. */
static bool report_branches(struct run *run, const struct frame *frame, const struct rule *rule)
{
    struct run_errors *list = run->errors, best = {.weight = SIZE_MAX};
    size_t best_index = 0, most = rule->list.count < LOUD_BRANCHES_MAX ? rule->list.count : LOUD_BRANCHES_MAX;
    if (!list)
        return false;
    if (rule->list.count == 1)
        return apply(run, rule->list.nodes[0], frame->instance, frame, NULL);
    for (size_t i = 0; i < most && list->count < list->max && run->error_budget && !run->stopped; i++) {
        struct run_errors branch = {.max = BRANCH_ERRORS_MAX};
        run->errors = &branch;
        apply(run, rule->list.nodes[i], frame->instance, frame, NULL);
        if (branch.weight < best.weight) {
            best = branch;
            best_index = i;
        }
    }
    run->errors = list;
    size_t weight = list->weight;
    report(run, frame, rule->keyword, frame->instance, true, "expected one of %zu forms (nearest is form %zu)",
           rule->list.count, best_index + 1);
    list->weight = weight + (best.weight == SIZE_MAX ? 1 : best.weight);
    if (best.first && list->count < list->max)
        run_errors_append(list, &best);
    return false;
}

static bool apply_any_of(struct run *run, const struct frame *frame, const struct rule *rule, struct marks *marks)
{
    bool good = false;
    /* Every branch that fits leaves its marks, so with marks all have to be tried. */
    for (size_t i = 0; i < rule->list.count && (!good || marks); i++)
        good |= try(run, rule->list.nodes[i], frame, marks);
    return (good && !run->stopped) || (!run->stopped && report_branches(run, frame, rule));
}

static bool apply_one_of(struct run *run, const struct frame *frame, const struct rule *rule, struct marks *marks)
{
    size_t fitting = 0, first = 0;
    for (size_t i = 0; i < rule->list.count && !run->stopped; i++) {
        if (!try(run, rule->list.nodes[i], frame, marks))
            continue;
        if (++fitting > 1)
            return report(run, frame, rule->keyword, frame->instance, false,
                          "expected exactly one of %zu forms, but forms %zu and %zu both fit", rule->list.count,
                          first + 1, i + 1);
        first = i;
    }
    return (fitting == 1 && !run->stopped) || (!run->stopped && report_branches(run, frame, rule));
}

static bool apply_not(struct run *run, const struct frame *frame, const struct rule *rule)
{
    if (!apply_quietly(run, rule->node, frame->instance, frame, NULL))
        return !run->stopped;
    report_misfit(run, 10);
    return report(run, frame, rule->keyword, frame->instance, true, "expected a value that does not fit `not`");
}

static bool apply_condition(struct run *run, const struct frame *frame, const struct rule *rule, struct marks *marks)
{
    bool holds = try(run, rule->condition.condition, frame, marks);
    const struct node *branch = holds ? rule->condition.then : rule->condition.otherwise;
    return !run->stopped && (!branch || apply(run, branch, frame->instance, frame, marks));
}

/* ---- references -------------------------------------------------------------------------------------- */

static const struct node *dynamic_target(const struct frame *frame, const struct rule *rule)
{
    const struct node *target = rule->dynamic.node;
    const struct resource *last = NULL;
    for (; frame; frame = frame->outer) {
        if (frame->node->resource == last)
            continue;
        last = frame->node->resource;
        for (const struct anchor *anchor = last->anchors; anchor; anchor = anchor->next)
            if (anchor->dynamic && anchor->node && hv_str_eq(anchor->name, rule->dynamic.name))
                target = anchor->node;
    }
    return target;
}

static bool apply_dynamic(struct run *run, const struct frame *frame, const struct rule *rule, struct marks *marks)
{
    if (!run_spend(run, 1 + run->depth / 4))
        return false;
    return apply(run, dynamic_target(frame, rule), frame->instance, frame, marks);
}

/* ---- objects ----------------------------------------------------------------------------------------- */

/* The property that was probably meant, of those that the schema names beside the keyword; absent when none is near. */
static struct hv_str nearest_property(const struct frame *frame, struct hv_str wanted)
{
    struct hv_str names[NAMES_COMPARED];
    size_t count = 0;
    const struct hv_json *properties = hv_json_get(frame->node->json, "properties");
    hv_json_each(property, properties)
    {
        if (count == NAMES_COMPARED)
            break;
        if (!hv_json_get_str(frame->instance, property->key))
            names[count++] = property->key;
    }
    return nearest_name(wanted, names, count);
}

static bool fail_unknown(struct run *run, const struct frame *frame, const char *keyword, const struct hv_json *member)
{
    report_misfit(run, 2);
    bool listed = run->errors && run->errors->count < run->errors->max && run->error_budget;
    struct hv_str near = {0};
    if (listed && run_spend(run, 16 * (uint64_t)frame->instance->count))
        near = nearest_property(frame, member->key);
    if (!near.ptr)
        return report(run, frame, keyword, member, false, "unknown property");
    return report(run, frame, keyword, member, false, "unknown property; did you mean `%.*s`?", HV_STR_ARG(near));
}

/* Apply the schema for what nothing else speaks of; `false` there gets a better message than its own. */
static bool apply_rest(struct run *run, const struct frame *frame, const char *keyword, const struct node *node,
                       const struct hv_json *child)
{
    if (node->never)
        return child->key.ptr ? fail_unknown(run, frame, keyword, child)
                              : report(run, frame, keyword, child, false, "no such element is allowed");
    return apply(run, node, child, frame, NULL);
}

static bool apply_member(struct run *run, const struct frame *frame, const struct rule *rule,
                         const struct hv_json *member, bool *known)
{
    const struct node *node = map_get(rule->members.properties, member->key);
    bool good = !node || apply(run, node, member, frame, NULL);
    *known = node != NULL;
    for (size_t i = 0; i < rule->members.pattern_count; i++) {
        enum pattern_answer answer = pattern_find(rule->members.patterns[i].pattern, member->key, &run->steps);
        if (answer == PATTERN_TOO_COMPLEX)
            return run_stop(run, "a pattern takes too many steps");
        if (answer == PATTERN_FOUND) {
            *known = true;
            good &= apply(run, rule->members.patterns[i].node, member, frame, NULL);
        }
    }
    return good;
}

static bool apply_members(struct run *run, const struct frame *frame, const struct rule *rule, struct marks *marks)
{
    size_t index = 0;
    bool good = true;
    if (frame->instance->type != HV_JSON_OBJECT)
        return true;
    hv_json_each(member, frame->instance)
    {
        bool known = false;
        if (!run_spend(run, 1))
            return false;
        good &= apply_member(run, frame, rule, member, &known);
        if (!known && rule->members.additional)
            good &= apply_rest(run, frame, rule->keyword, rule->members.additional, member);
        if (known || rule->members.additional)
            mark(marks, index);
        index++;
        if (!good && !run->errors)
            break;
    }
    return good;
}

/* What was said since `last` about a name is said of its member: the name itself is no value of the instance. */
static void blame_member(struct run *run, struct schema_error *last, const struct hv_json *member)
{
    struct schema_error *error = !run->errors ? NULL : last ? last->next : run->errors->first;
    for (; error; error = error->next) {
        error->value = member;
        error->types = 0;
    }
}

static bool apply_property_names(struct run *run, const struct frame *frame, const struct rule *rule)
{
    bool good = true;
    if (frame->instance->type != HV_JSON_OBJECT)
        return true;
    hv_json_each(member, frame->instance)
    {
        /* The name as a value of its own, at the place of its member. */
        struct hv_json name = {.type = HV_JSON_STRING, .text = member->key, .start = member->start, .end = member->end};
        struct schema_error *last = run->errors ? run->errors->last : NULL;
        if (rule->node->never)
            good = fail_unknown(run, frame, rule->keyword, member);
        else
            good &= apply(run, rule->node, &name, frame, NULL);
        blame_member(run, last, member);
        if (!good && !run->errors)
            break;
    }
    return good;
}

static bool apply_dependents(struct run *run, const struct frame *frame, const struct rule *rule, struct marks *marks)
{
    bool good = true;
    if (frame->instance->type != HV_JSON_OBJECT)
        return true;
    for (size_t i = 0; i < rule->dependents.count && (good || run->errors); i++) {
        const struct dependent *dependent = &rule->dependents.items[i];
        if (!run_spend(run, 1 + frame->instance->count / 8))
            return false;
        if (hv_json_get_str(frame->instance, dependent->name))
            good &= apply(run, dependent->node, frame->instance, frame, marks);
    }
    return good;
}

/* ---- arrays ------------------------------------------------------------------------------------------ */

static bool apply_elements(struct run *run, const struct frame *frame, const struct rule *rule, struct marks *marks)
{
    size_t index = 0;
    bool good = true;
    if (frame->instance->type != HV_JSON_ARRAY)
        return true;
    hv_json_each(item, frame->instance)
    {
        if (!run_spend(run, 1))
            return false;
        if (index < rule->elements.prefix.count)
            good &= apply(run, rule->elements.prefix.nodes[index], item, frame, NULL);
        else if (rule->elements.rest)
            good &= apply_rest(run, frame, rule->elements.rest_keyword, rule->elements.rest, item);
        else
            break;
        mark(marks, index++);
        if (!good && !run->errors)
            break;
    }
    return good;
}

static bool apply_contains(struct run *run, const struct frame *frame, const struct rule *rule, struct marks *marks)
{
    uint64_t found = 0;
    size_t index = 0;
    if (frame->instance->type != HV_JSON_ARRAY)
        return true;
    hv_json_each(item, frame->instance)
    {
        if (!run_spend(run, 1))
            return false;
        if (apply_quietly(run, rule->contains.node, item, frame, NULL)) {
            found++;
            mark(marks, index);
        }
        index++;
    }
    if (run->stopped)
        return false;
    if (found < rule->contains.least)
        return report(run, frame, rule->keyword, frame->instance, false,
                      "expected at least %llu elements that fit `contains`, got %llu",
                      (unsigned long long)rule->contains.least, (unsigned long long)found);
    return found <= rule->contains.most || report(run, frame, "maxContains", frame->instance, false,
                                                  "expected at most %llu elements that fit `contains`, got %llu",
                                                  (unsigned long long)rule->contains.most, (unsigned long long)found);
}

static bool apply_unevaluated(struct run *run, const struct frame *frame, const struct rule *rule, struct marks *marks)
{
    enum hv_json_type type = rule->kind == RULE_UNEVALUATED_ITEMS ? HV_JSON_ARRAY : HV_JSON_OBJECT;
    size_t index = 0;
    bool good = true;
    if (frame->instance->type != type)
        return true;
    hv_json_each(child, frame->instance)
    {
        if (!run_spend(run, 1))
            return false;
        if (!is_marked(marks, index))
            good &= apply_rest(run, frame, rule->keyword, rule->node, child);
        mark(marks, index++);
        if (!good && !run->errors)
            break;
    }
    return good;
}

/* ---- the walk ---------------------------------------------------------------------------------------- */

static bool apply_rule(struct run *run, const struct frame *frame, const struct rule *rule, struct marks *marks)
{
    switch (rule->kind) {
    case RULE_REF: return apply(run, rule->node, frame->instance, frame, marks);
    case RULE_DYNAMIC_REF: return apply_dynamic(run, frame, rule, marks);
    case RULE_PROPERTY_NAMES: return apply_property_names(run, frame, rule);
    case RULE_MEMBERS: return apply_members(run, frame, rule, marks);
    case RULE_ELEMENTS: return apply_elements(run, frame, rule, marks);
    case RULE_CONTAINS: return apply_contains(run, frame, rule, marks);
    case RULE_ALL_OF: return apply_all_of(run, frame, rule, marks);
    case RULE_ANY_OF: return apply_any_of(run, frame, rule, marks);
    case RULE_ONE_OF: return apply_one_of(run, frame, rule, marks);
    case RULE_NOT: return apply_not(run, frame, rule);
    case RULE_CONDITION: return apply_condition(run, frame, rule, marks);
    case RULE_DEPENDENT_SCHEMAS: return apply_dependents(run, frame, rule, marks);
    case RULE_UNEVALUATED_ITEMS:
    case RULE_UNEVALUATED_PROPERTIES: return apply_unevaluated(run, frame, rule, marks);
    default: return check_value(run, frame, rule);
    }
}

static bool is_unevaluated(const struct rule *rule)
{
    return rule->kind == RULE_UNEVALUATED_ITEMS || rule->kind == RULE_UNEVALUATED_PROPERTIES;
}

static bool apply_rules(struct run *run, const struct frame *frame, struct marks *marks)
{
    bool good = true;
    for (uint32_t i = 0; i < frame->node->rule_count && (good || run->errors) && !run->stopped; i++) {
        const struct rule *rule = &frame->node->rules[i];
        /* After a failure the marks say little: what is left over would only add misleading errors. */
        if (good || !is_unevaluated(rule))
            good &= apply_rule(run, frame, rule, marks);
    }
    return good && !run->stopped;
}

/* The same schema on the same value again, without anything in between: it would go on for ever. */
static bool is_loop(const struct frame *frame, uint64_t *looked_at)
{
    for (const struct frame *at = frame->outer; at && at->instance == frame->instance; at = at->outer) {
        ++*looked_at;
        if (at->node == frame->node)
            return true;
    }
    return false;
}

static bool apply(struct run *run, const struct node *node, const struct hv_json *value, const struct frame *outer,
                  struct marks *marks)
{
    const struct frame frame = {outer, node, value};
    struct marks own;
    uint64_t looked_at = 0;
    if (!run_spend(run, 1))
        return false;
    if (node->never)
        return report(run, &frame, NULL, value, false, "nothing is allowed here");
    if (!node->rule_count)
        return true;
    if (run->depth >= SCHEMA_DEPTH_MAX)
        return run_stop(run, "schemas are nested too deeply");
    if (is_loop(&frame, &looked_at))
        return run_stop(run, "it refers to itself without end");
    if (!run_spend(run, looked_at / 8))
        return false;
    /* A full list, or a spent budget, makes the rest quiet. */
    struct run_errors *errors = run->errors;
    if (errors && (errors->count >= errors->max || !run->error_budget))
        run->errors = NULL;
    if (node->has_unevaluated)
        marks_init(&own, value);
    run->depth++;
    bool good = apply_rules(run, &frame, node->has_unevaluated ? &own : marks);
    run->depth--;
    if (node->has_unevaluated) {
        if (good)
            marks_merge(marks, &own);
        marks_release(&own);
    }
    if (!good && !run->errors && errors)
        errors->weight++;
    run->errors = errors;
    return good;
}

enum hv_code schema_validate(const struct schema *schema, const struct hv_json *instance, struct hv_arena *arena,
                             struct schema_errors *errors, struct hv_error *err)
{
    struct run_errors list = {.max = SCHEMA_ERRORS_MAX};
    struct run run = {.schema = schema,
                      .root = instance,
                      .arena = arena,
                      .errors = errors ? &list : NULL,
                      .error_budget = ERROR_BUDGET,
                      .steps = schema->step_limit,
                      .err = err};
    bool good = apply(&run, schema->root, instance, NULL, NULL);
    if (run.stopped)
        return HV_ETOOBIG;
    if (good)
        return HV_OK;
    if (errors)
        *errors = (struct schema_errors){.first = list.first, .last = list.last, .count = list.count};
    return hv_fail(err, HV_EINVAL, "the value does not fit the schema");
}

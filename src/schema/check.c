/*
 * check.c: assertions: keywords that look at one value and apply no schema. Each keyword holds for values of types
 * other than its own. See run.h.
 */
#include "base/utf8.h"
#include "schema/excerpt.h"
#include "schema/run.h"

#include <stdlib.h>
#include <string.h>

enum { LISTED_MAX = 12 }; /* values or names that are listed in a message */

/* ---- type, const, enum ------------------------------------------------------------------------------- */

static bool is_whole(const struct hv_json *value)
{
    struct decimal number = decimal_from(value->text);
    return decimal_is_whole(&number);
}

static void add_types(struct hv_buf *buf, unsigned types)
{
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {
        {1u << HV_JSON_NULL, "null"},     {1u << HV_JSON_TRUE, "boolean"},  {1u << HV_JSON_NUMBER, "number"},
        {TYPE_INTEGER, "integer"},        {1u << HV_JSON_STRING, "string"}, {1u << HV_JSON_ARRAY, "array"},
        {1u << HV_JSON_OBJECT, "object"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (types & names[i].bit)
            hv_buf_addf(buf, "%s%s", buf->len ? " or " : "", names[i].name);
}

static bool check_type(struct run *run, const struct frame *frame, const struct rule *rule)
{
    enum hv_json_type type = frame->instance->type;
    if (rule->types & 1u << type)
        return true;
    if (rule->types & TYPE_INTEGER && type == HV_JSON_NUMBER && is_whole(frame->instance))
        return true;
    if (!run->errors)
        return false;
    struct hv_buf types = {.max = 256};
    add_types(&types, rule->types);
    report_misfit(run, 20);
    const struct schema_error *before = run->errors->last;
    report(run, frame, rule->keyword, frame->instance, true, "expected %s", types.data ? types.data : "nothing");
    if (run->errors->last != before)
        run->errors->last->types = rule->types;
    hv_buf_release(&types);
    return false;
}

/* A value as JSON text, short. */
static void add_value(struct hv_buf *buf, const struct hv_json *value)
{
    struct hv_buf text = {.max = 4096};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &text);
    hv_json_put_value(&writer, value);
    struct hv_str whole = hv_buf_str(&text);
    size_t end = whole.len < 2 * EXCERPT_MAX ? whole.len : 2 * EXCERPT_MAX;
    while (end < whole.len && end > 0 && ((unsigned char)whole.ptr[end] & 0xc0) == 0x80)
        end--;
    hv_buf_add_str(buf, hv_str_slice(whole, 0, end));
    if (end < whole.len || text.failed)
        hv_buf_add_cstr(buf, "…");
    hv_buf_release(&text);
}

static bool same(struct run *run, const struct hv_json *a, const struct hv_json *b)
{
    size_t smaller = a->end - a->start < b->end - b->start ? a->end - a->start : b->end - b->start;
    return run_spend(run, 1 + smaller / 16) && hv_json_equal(a, b);
}

static bool check_const(struct run *run, const struct frame *frame, const struct rule *rule)
{
    if (same(run, frame->instance, rule->json))
        return true;
    if (!run->errors)
        return false;
    struct hv_buf wanted = {.max = 1024};
    add_value(&wanted, rule->json);
    report_misfit(run, 10);
    report(run, frame, rule->keyword, frame->instance, true, "expected %s", wanted.data ? wanted.data : "");
    hv_buf_release(&wanted);
    return false;
}

static bool check_enum(struct run *run, const struct frame *frame, const struct rule *rule)
{
    hv_json_each(value, rule->json) if (same(run, frame->instance, value)) return true;
    if (!run->errors)
        return false;
    struct hv_buf wanted = {.max = 2048};
    size_t count = 0;
    hv_json_each(value, rule->json)
    {
        if (count++ == LISTED_MAX)
            break;
        hv_buf_add_cstr(&wanted, count > 1 ? ", " : "");
        add_value(&wanted, value);
    }
    report_misfit(run, 5);
    report(run, frame, rule->keyword, frame->instance, true, "expected one of %s%s",
           wanted.data ? wanted.data : "no values", count > LISTED_MAX ? ", …" : "");
    hv_buf_release(&wanted);
    return false;
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

static bool check_multiple(struct run *run, const struct frame *frame, const struct rule *rule,
                           const struct decimal *number)
{
    if (!run_spend(run, 1 + number->count / 8))
        return false;
    enum decimal_answer answer = decimal_is_multiple(number, &rule->number.value);
    if (answer == DECIMAL_TOO_COMPLEX)
        return run_stop(run, "dividing a number of so many digits is too much work");
    return answer == DECIMAL_YES ||
           report(run, frame, rule->keyword, frame->instance, true, "expected a multiple of %.*s",
                  HV_STR_ARG(hv_str_slice(rule->number.json->text, 0, 60)));
}

static bool check_number(struct run *run, const struct frame *frame, const struct rule *rule)
{
    static const struct {
        const char *words;
        bool below, equal, above; /* of the limit: allowed? */
    } limits[] = {
        [RULE_MINIMUM - RULE_MINIMUM] = {"at least", false, true, true},
        [RULE_MAXIMUM - RULE_MINIMUM] = {"at most", true, true, false},
        [RULE_EXCLUSIVE_MINIMUM - RULE_MINIMUM] = {"more than", false, false, true},
        [RULE_EXCLUSIVE_MAXIMUM - RULE_MINIMUM] = {"less than", true, false, false},
    };
    if (frame->instance->type != HV_JSON_NUMBER)
        return true;
    struct decimal number = decimal_from(frame->instance->text);
    if (rule->kind == RULE_MULTIPLE_OF)
        return check_multiple(run, frame, rule, &number);
    int order = decimal_compare(&number, &rule->number.value);
    size_t at = rule->kind - RULE_MINIMUM;
    bool good = order < 0 ? limits[at].below : order > 0 ? limits[at].above : limits[at].equal;
    return good || report(run, frame, rule->keyword, frame->instance, true, "expected %s %.*s", limits[at].words,
                          HV_STR_ARG(hv_str_slice(rule->number.json->text, 0, 60)));
}

/* ---- strings ----------------------------------------------------------------------------------------- */

static bool check_length(struct run *run, const struct frame *frame, const struct rule *rule)
{
    if (frame->instance->type != HV_JSON_STRING || !run_spend(run, frame->instance->text.len / 64))
        return !run->stopped;
    uint64_t length = utf8_count(frame->instance->text);
    bool least = rule->kind == RULE_MIN_LENGTH;
    if (least ? length >= rule->limit : length <= rule->limit)
        return true;
    return report(run, frame, rule->keyword, frame->instance, true,
                  "expected a string of at %s %llu characters, not %llu", least ? "least" : "most",
                  (unsigned long long)rule->limit, (unsigned long long)length);
}

static bool check_pattern(struct run *run, const struct frame *frame, const struct rule *rule)
{
    if (frame->instance->type != HV_JSON_STRING)
        return true;
    enum pattern_answer answer = pattern_find(rule->pattern.pattern, frame->instance->text, &run->steps);
    if (answer == PATTERN_TOO_COMPLEX)
        return run_stop(run, "a pattern takes too many steps");
    return answer == PATTERN_FOUND ||
           report(run, frame, rule->keyword, frame->instance, true, "expected a string that matches %.*s",
                  HV_STR_ARG(hv_str_slice(rule->pattern.source, 0, 200)));
}

/* ---- arrays ------------------------------------------------------------------------------------------ */

static bool check_count(struct run *run, const struct frame *frame, const struct rule *rule)
{
    bool items = rule->kind == RULE_MIN_ITEMS || rule->kind == RULE_MAX_ITEMS;
    bool least = rule->kind == RULE_MIN_ITEMS || rule->kind == RULE_MIN_PROPERTIES;
    uint64_t count = frame->instance->count;
    if (frame->instance->type != (items ? HV_JSON_ARRAY : HV_JSON_OBJECT))
        return true;
    if (least ? count >= rule->limit : count <= rule->limit)
        return true;
    return report(run, frame, rule->keyword, frame->instance, false, "expected at %s %llu %s, got %llu",
                  least ? "least" : "most", (unsigned long long)rule->limit, items ? "elements" : "properties",
                  (unsigned long long)count);
}

/* Equal values have equal hashes: numbers by value, objects without regard to order. Depth is bounded by the reader. */
static uint64_t hash_value(const struct hv_json *value)
{
    uint64_t hash = 0x9e3779b97f4a7c15ull * (value->type + 1u);
    if (value->type == HV_JSON_STRING)
        return hash ^ hv_str_hash(value->text);
    if (value->type == HV_JSON_NUMBER) {
        struct decimal number = decimal_from(value->text);
        return hash ^ decimal_hash(&number);
    }
    hv_json_each(child, value)
    {
        uint64_t inner = hash_value(child) * 0xd6e8feb86659fd93ull;
        if (value->type == HV_JSON_OBJECT)
            hash += (inner ^ inner >> 32) * (hv_str_hash(child->key) | 1);
        else
            hash = (hash ^ inner ^ inner >> 29) * 0xa0761d6478bd642full;
    }
    return hash;
}

struct seen {
    const struct hv_json *value;
    uint64_t hash;
    size_t index;
};

/* A value equal to `value` in the table, else its own slot, filled. */
static struct seen *look_up(struct run *run, struct seen *table, size_t capacity, const struct hv_json *value,
                            size_t index)
{
    uint64_t hash = hash_value(value);
    size_t at = (hash ^ hash >> 32) & (capacity - 1);
    while (table[at].value && run_spend(run, 1)) {
        if (table[at].hash == hash && same(run, table[at].value, value))
            break;
        at = (at + 1) & (capacity - 1);
    }
    if (!table[at].value)
        table[at] = (struct seen){value, hash, index};
    return &table[at];
}

static bool check_unique(struct run *run, const struct frame *frame, const struct rule *rule)
{
    const struct hv_json *array = frame->instance;
    size_t capacity = 4, index = 0;
    bool good = true;
    if (array->type != HV_JSON_ARRAY || array->count < 2 || !run_spend(run, (array->end - array->start) / 4))
        return !run->stopped;
    while (capacity < 2 * (size_t)array->count)
        capacity *= 2;
    struct seen *table = hv_calloc(capacity, sizeof *table);
    hv_json_each(item, array)
    {
        struct seen *slot = look_up(run, table, capacity, item, index++);
        if (run->stopped)
            good = false;
        else if (slot->value != item)
            good = report(run, frame, rule->keyword, item, false, "expected different elements, but [%zu] equals [%zu]",
                          index - 1, slot->index);
        if (!good)
            break;
    }
    free(table);
    return good;
}

/* ---- objects ----------------------------------------------------------------------------------------- */

static bool fail_missing(struct run *run, const struct frame *frame, const char *keyword, struct hv_str name,
                         struct hv_str because)
{
    if (!run->errors)
        return false;
    struct hv_buf quoted = {.max = 1024};
    excerpt_add(&quoted, name, 2 * EXCERPT_MAX);
    if (because.ptr) {
        hv_buf_add_cstr(&quoted, "\", which is needed with \"");
        excerpt_add(&quoted, because, 2 * EXCERPT_MAX);
    }
    report_misfit(run, 2);
    report(run, frame, keyword, frame->instance, false, "missing property \"%s\"", quoted.data ? quoted.data : "");
    hv_buf_release(&quoted);
    return false;
}

/* All names among the members? Through a table when there are many of both. */
static bool has_names(struct run *run, const struct frame *frame, const struct name_list *names, const char *keyword,
                      struct hv_str because)
{
    const struct hv_json *object = frame->instance;
    struct map members = {0};
    bool good = true, many = names->count > 8 && object->count > 8;
    if (!run_spend(run, 1 + (many ? names->count + object->count : names->count * (object->count / 8 + 1))))
        return false;
    if (many)
        hv_json_each(member, object) map_set(&members, member->key, (void *)(uintptr_t)member);
    for (size_t i = 0; i < names->count && (good || run->errors); i++) {
        const void *found = many ? map_get(&members, names->names[i]) : hv_json_get_str(object, names->names[i]);
        if (!found)
            good = fail_missing(run, frame, keyword, names->names[i], because);
    }
    map_release(&members);
    return good;
}

static bool check_required(struct run *run, const struct frame *frame, const struct rule *rule)
{
    if (frame->instance->type != HV_JSON_OBJECT)
        return true;
    return has_names(run, frame, &rule->names, rule->keyword, (struct hv_str){0});
}

static bool check_dependent_required(struct run *run, const struct frame *frame, const struct rule *rule)
{
    bool good = true;
    if (frame->instance->type != HV_JSON_OBJECT)
        return true;
    for (size_t i = 0; i < rule->dependents.count && !run->stopped; i++) {
        const struct dependent *dependent = &rule->dependents.items[i];
        if (run_spend(run, 1 + frame->instance->count / 8) && hv_json_get_str(frame->instance, dependent->name))
            good &= has_names(run, frame, &dependent->names, rule->keyword, dependent->name);
    }
    return good && !run->stopped;
}

/* ---- the table --------------------------------------------------------------------------------------- */

bool check_value(struct run *run, const struct frame *frame, const struct rule *rule)
{
    static bool (*const checks[RULE_KIND_COUNT])(struct run *, const struct frame *, const struct rule *) = {
        [RULE_TYPE] = check_type,
        [RULE_CONST] = check_const,
        [RULE_ENUM] = check_enum,
        [RULE_MINIMUM] = check_number,
        [RULE_MAXIMUM] = check_number,
        [RULE_EXCLUSIVE_MINIMUM] = check_number,
        [RULE_EXCLUSIVE_MAXIMUM] = check_number,
        [RULE_MULTIPLE_OF] = check_number,
        [RULE_MIN_LENGTH] = check_length,
        [RULE_MAX_LENGTH] = check_length,
        [RULE_PATTERN] = check_pattern,
        [RULE_MIN_ITEMS] = check_count,
        [RULE_MAX_ITEMS] = check_count,
        [RULE_UNIQUE_ITEMS] = check_unique,
        [RULE_MIN_PROPERTIES] = check_count,
        [RULE_MAX_PROPERTIES] = check_count,
        [RULE_REQUIRED] = check_required,
        [RULE_DEPENDENT_REQUIRED] = check_dependent_required,
    };
    return checks[rule->kind](run, frame, rule);
}

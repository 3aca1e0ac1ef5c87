/*
 * rules.c: what the keywords of one subschema mean, as rules. See compiled.h.
 *
 * The members of the subschema are sorted by keyword first; a table of builders, in the order of evaluation, then
 * turns keywords into rules. A keyword whose value has the wrong type is an error of the schema, not ignored: a rule
 * that silently does not hold is worse than a tool that is refused by name.
 */
#include "base/vec.h"
#include "schema/compiled.h"

#include <string.h>

enum keyword {
    KEY_REF,
    KEY_DYNAMIC_REF,
    KEY_TYPE,
    KEY_CONST,
    KEY_ENUM,
    KEY_MINIMUM, /* the five numeric keywords in the order of their rules */
    KEY_MAXIMUM,
    KEY_EXCLUSIVE_MINIMUM,
    KEY_EXCLUSIVE_MAXIMUM,
    KEY_MULTIPLE_OF,
    KEY_MIN_LENGTH,
    KEY_MAX_LENGTH,
    KEY_PATTERN,
    KEY_MIN_ITEMS,
    KEY_MAX_ITEMS,
    KEY_UNIQUE_ITEMS,
    KEY_MIN_PROPERTIES,
    KEY_MAX_PROPERTIES,
    KEY_REQUIRED,
    KEY_DEPENDENT_REQUIRED,
    KEY_PROPERTY_NAMES,
    KEY_PROPERTIES,
    KEY_PATTERN_PROPERTIES,
    KEY_ADDITIONAL_PROPERTIES,
    KEY_PREFIX_ITEMS,
    KEY_ITEMS,
    KEY_ADDITIONAL_ITEMS,
    KEY_CONTAINS,
    KEY_MIN_CONTAINS,
    KEY_MAX_CONTAINS,
    KEY_ALL_OF,
    KEY_ANY_OF,
    KEY_ONE_OF,
    KEY_NOT,
    KEY_IF,
    KEY_THEN,
    KEY_ELSE,
    KEY_DEPENDENT_SCHEMAS,
    KEY_DEPENDENCIES,
    KEY_UNEVALUATED_ITEMS,
    KEY_UNEVALUATED_PROPERTIES,
    KEY_COUNT
};

enum { OLD = 1, NEW = 2, BOTH = OLD | NEW }; /* draft-07, 2020-12 */

static const struct {
    const char *name;
    unsigned drafts;
    unsigned vocabulary; /* 0: always on */
} keywords[KEY_COUNT] = {
    [KEY_REF] = {"$ref", BOTH, 0},
    [KEY_DYNAMIC_REF] = {"$dynamicRef", NEW, 0},
    [KEY_TYPE] = {"type", BOTH, VOCABULARY_VALIDATION},
    [KEY_CONST] = {"const", BOTH, VOCABULARY_VALIDATION},
    [KEY_ENUM] = {"enum", BOTH, VOCABULARY_VALIDATION},
    [KEY_MINIMUM] = {"minimum", BOTH, VOCABULARY_VALIDATION},
    [KEY_MAXIMUM] = {"maximum", BOTH, VOCABULARY_VALIDATION},
    [KEY_EXCLUSIVE_MINIMUM] = {"exclusiveMinimum", BOTH, VOCABULARY_VALIDATION},
    [KEY_EXCLUSIVE_MAXIMUM] = {"exclusiveMaximum", BOTH, VOCABULARY_VALIDATION},
    [KEY_MULTIPLE_OF] = {"multipleOf", BOTH, VOCABULARY_VALIDATION},
    [KEY_MIN_LENGTH] = {"minLength", BOTH, VOCABULARY_VALIDATION},
    [KEY_MAX_LENGTH] = {"maxLength", BOTH, VOCABULARY_VALIDATION},
    [KEY_PATTERN] = {"pattern", BOTH, VOCABULARY_VALIDATION},
    [KEY_MIN_ITEMS] = {"minItems", BOTH, VOCABULARY_VALIDATION},
    [KEY_MAX_ITEMS] = {"maxItems", BOTH, VOCABULARY_VALIDATION},
    [KEY_UNIQUE_ITEMS] = {"uniqueItems", BOTH, VOCABULARY_VALIDATION},
    [KEY_MIN_PROPERTIES] = {"minProperties", BOTH, VOCABULARY_VALIDATION},
    [KEY_MAX_PROPERTIES] = {"maxProperties", BOTH, VOCABULARY_VALIDATION},
    [KEY_REQUIRED] = {"required", BOTH, VOCABULARY_VALIDATION},
    [KEY_DEPENDENT_REQUIRED] = {"dependentRequired", NEW, VOCABULARY_VALIDATION},
    [KEY_PROPERTY_NAMES] = {"propertyNames", BOTH, VOCABULARY_APPLICATOR},
    [KEY_PROPERTIES] = {"properties", BOTH, VOCABULARY_APPLICATOR},
    [KEY_PATTERN_PROPERTIES] = {"patternProperties", BOTH, VOCABULARY_APPLICATOR},
    [KEY_ADDITIONAL_PROPERTIES] = {"additionalProperties", BOTH, VOCABULARY_APPLICATOR},
    [KEY_PREFIX_ITEMS] = {"prefixItems", NEW, VOCABULARY_APPLICATOR},
    [KEY_ITEMS] = {"items", BOTH, VOCABULARY_APPLICATOR},
    /* In 2020-12 only beside an array of items, which is taken in the old sense. */
    [KEY_ADDITIONAL_ITEMS] = {"additionalItems", BOTH, VOCABULARY_APPLICATOR},
    [KEY_CONTAINS] = {"contains", BOTH, VOCABULARY_APPLICATOR},
    [KEY_MIN_CONTAINS] = {"minContains", NEW, VOCABULARY_VALIDATION},
    [KEY_MAX_CONTAINS] = {"maxContains", NEW, VOCABULARY_VALIDATION},
    [KEY_ALL_OF] = {"allOf", BOTH, VOCABULARY_APPLICATOR},
    [KEY_ANY_OF] = {"anyOf", BOTH, VOCABULARY_APPLICATOR},
    [KEY_ONE_OF] = {"oneOf", BOTH, VOCABULARY_APPLICATOR},
    [KEY_NOT] = {"not", BOTH, VOCABULARY_APPLICATOR},
    [KEY_IF] = {"if", BOTH, VOCABULARY_APPLICATOR},
    [KEY_THEN] = {"then", BOTH, VOCABULARY_APPLICATOR},
    [KEY_ELSE] = {"else", BOTH, VOCABULARY_APPLICATOR},
    [KEY_DEPENDENT_SCHEMAS] = {"dependentSchemas", NEW, VOCABULARY_APPLICATOR},
    /* Gone from 2020-12, but its metaschema still describes it and schemas still use it. */
    [KEY_DEPENDENCIES] = {"dependencies", BOTH, VOCABULARY_APPLICATOR},
    [KEY_UNEVALUATED_ITEMS] = {"unevaluatedItems", NEW, VOCABULARY_UNEVALUATED},
    [KEY_UNEVALUATED_PROPERTIES] = {"unevaluatedProperties", NEW, VOCABULARY_UNEVALUATED},
};

struct builder {
    struct compiler *compiler;
    struct node *node;
    const struct hv_json *values[KEY_COUNT]; /* NULL: absent */
    VEC(struct rule) rules;
    struct hv_error *err;
};

/* ---- small parts ------------------------------------------------------------------------------------- */

static struct rule *add_rule(struct builder *builder, enum rule_kind kind, enum keyword keyword)
{
    struct rule *rule = vec_push(&builder->rules);
    *rule = (struct rule){.kind = kind, .keyword = keywords[keyword].name};
    return rule;
}

static enum hv_code fail_value(struct builder *builder, enum keyword keyword, const char *expected)
{
    return hv_fail(builder->err, HV_EINVAL, "%s must be %s, not %s", keywords[keyword].name, expected,
                   hv_json_type_name(builder->values[keyword]));
}

static enum hv_code subschema(struct builder *builder, const struct hv_json *json, enum keyword keyword,
                              struct node **out)
{
    enum hv_code code = compiler_subschema(builder->compiler, builder->node, json, out, builder->err);
    if (code != HV_OK)
        hv_error_prefix(builder->err, "%s: ", keywords[keyword].name);
    return code;
}

static enum hv_code subschema_list(struct builder *builder, enum keyword keyword, struct node_list *out)
{
    const struct hv_json *list = builder->values[keyword];
    if (list->type != HV_JSON_ARRAY)
        return fail_value(builder, keyword, "an array of schemas");
    out->nodes = hv_arena_array(compiler_arena(builder->compiler), struct node *, list->count);
    hv_json_each(item, list)
    {
        enum hv_code code = subschema(builder, item, keyword, &out->nodes[out->count++]);
        if (code != HV_OK)
            return code;
    }
    return HV_OK;
}

static enum hv_code read_names(struct builder *builder, const struct hv_json *list, enum keyword keyword,
                               struct name_list *out)
{
    if (hv_json_type_of(list) != HV_JSON_ARRAY)
        return hv_fail(builder->err, HV_EINVAL, "%s must list names in an array, not in %s", keywords[keyword].name,
                       hv_json_type_name(list));
    out->names = hv_arena_array(compiler_arena(builder->compiler), struct hv_str, list->count);
    hv_json_each(item, list)
    {
        if (item->type != HV_JSON_STRING)
            return hv_fail(builder->err, HV_EINVAL, "%s must list names, not %s", keywords[keyword].name,
                           hv_json_type_name(item));
        out->names[out->count++] = item->text.ptr ? item->text : HV_STR("");
    }
    return HV_OK;
}

static void free_pattern(void *pattern)
{
    pattern_free(pattern);
}

static enum hv_code compile_pattern(struct builder *builder, struct hv_str source, enum keyword keyword,
                                    struct pattern **out)
{
    enum hv_code code = pattern_compile(source, out, builder->err);
    if (code == HV_OK)
        hv_arena_on_release(compiler_arena(builder->compiler), free_pattern, *out);
    else
        hv_error_prefix(builder->err, "%s: ", keywords[keyword].name);
    return code;
}

/* A count: a whole number, not negative; one that is too large for any instance is as good as the largest. */
static enum hv_code read_limit(struct builder *builder, enum keyword keyword, uint64_t *out)
{
    const struct hv_json *value = builder->values[keyword];
    int64_t small;
    if (value->type == HV_JSON_NUMBER) {
        struct decimal number = decimal_from(value->text);
        if (decimal_is_whole(&number) && !number.negative) {
            *out = hv_json_int64(value, &small) ? (uint64_t)small : UINT64_MAX;
            return HV_OK;
        }
    }
    return fail_value(builder, keyword, "a whole number that is not negative");
}

/* ---- builders: each adds the rules of some keywords, if they are there -------------------------------- */

static enum hv_code build_reference(struct builder *builder, enum keyword keyword)
{
    const struct hv_json *value = builder->values[keyword];
    struct hv_str name = {0};
    struct node *target = NULL;
    if (!value)
        return HV_OK;
    if (value->type != HV_JSON_STRING)
        return fail_value(builder, keyword, "a string");
    enum hv_code code = compiler_reference(builder->compiler, builder->node, value->text, &target, &name, builder->err);
    if (code != HV_OK)
        return code;
    if (keyword == KEY_REF || !name.ptr) {
        add_rule(builder, RULE_REF, keyword)->node = target;
        return HV_OK;
    }
    struct rule *rule = add_rule(builder, RULE_DYNAMIC_REF, keyword);
    rule->dynamic.node = target;
    rule->dynamic.name = name;
    compiler_want_dynamic_anchors(builder->compiler);
    return HV_OK;
}

static enum hv_code build_references(struct builder *builder)
{
    enum hv_code code = build_reference(builder, KEY_REF);
    return code == HV_OK ? build_reference(builder, KEY_DYNAMIC_REF) : code;
}

static unsigned type_bits(const struct hv_json *name)
{
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {
        {"null", 1u << HV_JSON_NULL},     {"boolean", 1u << HV_JSON_FALSE | 1u << HV_JSON_TRUE},
        {"number", 1u << HV_JSON_NUMBER}, {"integer", TYPE_INTEGER},
        {"string", 1u << HV_JSON_STRING}, {"array", 1u << HV_JSON_ARRAY},
        {"object", 1u << HV_JSON_OBJECT},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (hv_json_type_of(name) == HV_JSON_STRING && hv_str_is(name->text, types[i].name))
            return types[i].bits;
    return 0;
}

static enum hv_code build_type(struct builder *builder)
{
    const struct hv_json *value = builder->values[KEY_TYPE];
    unsigned types = 0;
    bool known = true;
    if (!value)
        return HV_OK;
    if (value->type == HV_JSON_ARRAY) {
        hv_json_each(item, value)
        {
            types |= type_bits(item);
            known &= type_bits(item) != 0;
        }
    } else {
        types = type_bits(value);
        known = types != 0;
    }
    if (!known)
        return hv_fail(builder->err, HV_EINVAL,
                       "type must be null, boolean, number, integer, string, array or object, or an array of these");
    add_rule(builder, RULE_TYPE, KEY_TYPE)->types = types;
    return HV_OK;
}

static enum hv_code build_values(struct builder *builder)
{
    if (builder->values[KEY_CONST])
        add_rule(builder, RULE_CONST, KEY_CONST)->json = builder->values[KEY_CONST];
    if (!builder->values[KEY_ENUM])
        return HV_OK;
    if (builder->values[KEY_ENUM]->type != HV_JSON_ARRAY)
        return fail_value(builder, KEY_ENUM, "an array");
    add_rule(builder, RULE_ENUM, KEY_ENUM)->json = builder->values[KEY_ENUM];
    return HV_OK;
}

static enum hv_code build_numbers(struct builder *builder)
{
    for (enum keyword keyword = KEY_MINIMUM; keyword <= KEY_MULTIPLE_OF; keyword++) {
        const struct hv_json *value = builder->values[keyword];
        if (!value)
            continue;
        if (value->type != HV_JSON_NUMBER)
            return fail_value(builder, keyword, "a number");
        struct decimal number = decimal_from(value->text);
        if (keyword == KEY_MULTIPLE_OF && (number.negative || !number.count))
            return hv_fail(builder->err, HV_EINVAL, "multipleOf must be greater than 0");
        struct rule *rule = add_rule(builder, RULE_MINIMUM + (keyword - KEY_MINIMUM), keyword);
        rule->number.value = number;
        rule->number.json = value;
    }
    return HV_OK;
}

static enum hv_code build_limits(struct builder *builder)
{
    static const struct {
        enum keyword keyword;
        enum rule_kind kind;
    } limits[] = {
        {KEY_MIN_LENGTH, RULE_MIN_LENGTH},         {KEY_MAX_LENGTH, RULE_MAX_LENGTH},
        {KEY_MIN_ITEMS, RULE_MIN_ITEMS},           {KEY_MAX_ITEMS, RULE_MAX_ITEMS},
        {KEY_MIN_PROPERTIES, RULE_MIN_PROPERTIES}, {KEY_MAX_PROPERTIES, RULE_MAX_PROPERTIES},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uint64_t limit = 0;
        if (!builder->values[limits[i].keyword])
            continue;
        enum hv_code code = read_limit(builder, limits[i].keyword, &limit);
        if (code != HV_OK)
            return code;
        add_rule(builder, limits[i].kind, limits[i].keyword)->limit = limit;
    }
    return HV_OK;
}

static enum hv_code build_pattern(struct builder *builder)
{
    const struct hv_json *value = builder->values[KEY_PATTERN];
    struct pattern *pattern;
    if (!value)
        return HV_OK;
    if (value->type != HV_JSON_STRING)
        return fail_value(builder, KEY_PATTERN, "a string");
    enum hv_code code = compile_pattern(builder, value->text, KEY_PATTERN, &pattern);
    if (code != HV_OK)
        return code;
    struct rule *rule = add_rule(builder, RULE_PATTERN, KEY_PATTERN);
    rule->pattern.pattern = pattern;
    rule->pattern.source = value->text;
    return HV_OK;
}

static enum hv_code build_unique_items(struct builder *builder)
{
    enum hv_json_type type = hv_json_type_of(builder->values[KEY_UNIQUE_ITEMS]);
    if (type == HV_JSON_TRUE)
        add_rule(builder, RULE_UNIQUE_ITEMS, KEY_UNIQUE_ITEMS);
    else if (type != HV_JSON_NONE && type != HV_JSON_FALSE)
        return fail_value(builder, KEY_UNIQUE_ITEMS, "a boolean");
    return HV_OK;
}

static enum hv_code build_required(struct builder *builder)
{
    struct name_list names = {0};
    if (!builder->values[KEY_REQUIRED])
        return HV_OK;
    enum hv_code code = read_names(builder, builder->values[KEY_REQUIRED], KEY_REQUIRED, &names);
    if (code == HV_OK)
        add_rule(builder, RULE_REQUIRED, KEY_REQUIRED)->names = names;
    return code;
}

/* dependentRequired, dependentSchemas, or the half of the old `dependencies` that has lists or that has schemas. */
static enum hv_code build_dependents(struct builder *builder, enum keyword keyword, enum rule_kind kind)
{
    const struct hv_json *map = builder->values[keyword];
    bool lists = kind == RULE_DEPENDENT_REQUIRED;
    size_t count = 0;
    enum hv_code code = HV_OK;
    if (!map)
        return HV_OK;
    if (map->type != HV_JSON_OBJECT)
        return fail_value(builder, keyword, "an object");
    struct dependent *items = hv_arena_array(compiler_arena(builder->compiler), struct dependent, map->count);
    hv_json_each(member, map)
    {
        if (code != HV_OK)
            break;
        if (keyword == KEY_DEPENDENCIES && (member->type == HV_JSON_ARRAY) != lists)
            continue;
        struct dependent *item = &items[count++];
        item->name = member->key;
        code = lists ? read_names(builder, member, keyword, &item->names)
                     : subschema(builder, member, keyword, &item->node);
    }
    if (code != HV_OK || !count)
        return code;
    struct rule *rule = add_rule(builder, kind, keyword);
    rule->dependents.items = items;
    rule->dependents.count = count;
    return HV_OK;
}

static enum hv_code build_dependent_required(struct builder *builder)
{
    enum hv_code code = build_dependents(builder, KEY_DEPENDENT_REQUIRED, RULE_DEPENDENT_REQUIRED);
    return code == HV_OK ? build_dependents(builder, KEY_DEPENDENCIES, RULE_DEPENDENT_REQUIRED) : code;
}

static enum hv_code build_dependent_schemas(struct builder *builder)
{
    enum hv_code code = build_dependents(builder, KEY_DEPENDENT_SCHEMAS, RULE_DEPENDENT_SCHEMAS);
    return code == HV_OK ? build_dependents(builder, KEY_DEPENDENCIES, RULE_DEPENDENT_SCHEMAS) : code;
}

/* A keyword whose value is one schema that applies in one way. */
static enum hv_code build_one(struct builder *builder, enum keyword keyword, enum rule_kind kind)
{
    struct node *node = NULL;
    if (!builder->values[keyword])
        return HV_OK;
    enum hv_code code = subschema(builder, builder->values[keyword], keyword, &node);
    if (code == HV_OK)
        add_rule(builder, kind, keyword)->node = node;
    return code;
}

static enum hv_code build_property_names(struct builder *builder)
{
    return build_one(builder, KEY_PROPERTY_NAMES, RULE_PROPERTY_NAMES);
}

static enum hv_code build_not(struct builder *builder)
{
    return build_one(builder, KEY_NOT, RULE_NOT);
}

static enum hv_code build_unevaluated(struct builder *builder)
{
    enum hv_code code = build_one(builder, KEY_UNEVALUATED_ITEMS, RULE_UNEVALUATED_ITEMS);
    if (code == HV_OK)
        code = build_one(builder, KEY_UNEVALUATED_PROPERTIES, RULE_UNEVALUATED_PROPERTIES);
    builder->node->has_unevaluated =
        builder->values[KEY_UNEVALUATED_ITEMS] || builder->values[KEY_UNEVALUATED_PROPERTIES];
    return code;
}

static void release_map(void *map)
{
    map_release(map);
}

static enum hv_code add_properties(struct builder *builder, struct map *properties)
{
    const struct hv_json *value = builder->values[KEY_PROPERTIES];
    if (value->type != HV_JSON_OBJECT)
        return fail_value(builder, KEY_PROPERTIES, "an object");
    hv_json_each(member, value)
    {
        struct node *node = NULL;
        enum hv_code code = subschema(builder, member, KEY_PROPERTIES, &node);
        if (code != HV_OK)
            return code;
        map_set(properties, member->key, node);
    }
    return HV_OK;
}

static enum hv_code add_patterns(struct builder *builder, struct rule *rule)
{
    const struct hv_json *value = builder->values[KEY_PATTERN_PROPERTIES];
    if (value->type != HV_JSON_OBJECT)
        return fail_value(builder, KEY_PATTERN_PROPERTIES, "an object");
    rule->members.patterns = hv_arena_array(compiler_arena(builder->compiler), struct pattern_member, value->count);
    hv_json_each(member, value)
    {
        struct pattern_member *pattern = &rule->members.patterns[rule->members.pattern_count];
        enum hv_code code = compile_pattern(builder, member->key, KEY_PATTERN_PROPERTIES, &pattern->pattern);
        if (code == HV_OK)
            code = subschema(builder, member, KEY_PATTERN_PROPERTIES, &pattern->node);
        if (code != HV_OK)
            return code;
        rule->members.pattern_count++;
    }
    return HV_OK;
}

static enum hv_code build_members(struct builder *builder)
{
    const struct hv_json *additional = builder->values[KEY_ADDITIONAL_PROPERTIES];
    if (!builder->values[KEY_PROPERTIES] && !builder->values[KEY_PATTERN_PROPERTIES] && !additional)
        return HV_OK;
    struct rule *rule = add_rule(builder, RULE_MEMBERS, KEY_ADDITIONAL_PROPERTIES);
    /* The slots of the map are on the heap: released with the arena. */
    struct map *properties = hv_arena_new(compiler_arena(builder->compiler), struct map);
    hv_arena_on_release(compiler_arena(builder->compiler), release_map, properties);
    rule->members.properties = properties;
    enum hv_code code = HV_OK;
    if (builder->values[KEY_PROPERTIES])
        code = add_properties(builder, properties);
    if (code == HV_OK && builder->values[KEY_PATTERN_PROPERTIES])
        code = add_patterns(builder, rule);
    if (code == HV_OK && additional)
        code = subschema(builder, additional, KEY_ADDITIONAL_PROPERTIES, &rule->members.additional);
    return code;
}

/* The first elements each by their own schema (`first`), those behind by another (`rest`). */
static enum hv_code add_elements(struct builder *builder, enum keyword first, enum keyword rest)
{
    if (!builder->values[first] && !builder->values[rest])
        return HV_OK;
    struct rule *rule = add_rule(builder, RULE_ELEMENTS, first);
    rule->elements.rest_keyword = keywords[rest].name;
    enum hv_code code = HV_OK;
    if (builder->values[first])
        code = subschema_list(builder, first, &rule->elements.prefix);
    if (code == HV_OK && builder->values[rest])
        code = subschema(builder, builder->values[rest], rest, &rule->elements.rest);
    return code;
}

static enum hv_code build_elements(struct builder *builder)
{
    /* An array of items can only be meant in the old way, whatever the draft, and many schemas name no draft. */
    bool tuple = hv_json_type_of(builder->values[KEY_ITEMS]) == HV_JSON_ARRAY;
    if (tuple && builder->values[KEY_PREFIX_ITEMS])
        return fail_value(builder, KEY_ITEMS, "a schema beside prefixItems");
    if (tuple)
        return add_elements(builder, KEY_ITEMS, KEY_ADDITIONAL_ITEMS);
    return add_elements(builder, KEY_PREFIX_ITEMS, KEY_ITEMS);
}

static enum hv_code build_contains(struct builder *builder)
{
    struct node *node = NULL;
    uint64_t least = 1, most = UINT64_MAX;
    if (!builder->values[KEY_CONTAINS])
        return HV_OK;
    enum hv_code code = subschema(builder, builder->values[KEY_CONTAINS], KEY_CONTAINS, &node);
    if (code == HV_OK && builder->values[KEY_MIN_CONTAINS])
        code = read_limit(builder, KEY_MIN_CONTAINS, &least);
    if (code == HV_OK && builder->values[KEY_MAX_CONTAINS])
        code = read_limit(builder, KEY_MAX_CONTAINS, &most);
    if (code != HV_OK)
        return code;
    struct rule *rule = add_rule(builder, RULE_CONTAINS, KEY_CONTAINS);
    rule->contains.node = node;
    rule->contains.least = least;
    rule->contains.most = most;
    return HV_OK;
}

static enum hv_code build_combinations(struct builder *builder)
{
    static const struct {
        enum keyword keyword;
        enum rule_kind kind;
    } combinations[] = {{KEY_ALL_OF, RULE_ALL_OF}, {KEY_ANY_OF, RULE_ANY_OF}, {KEY_ONE_OF, RULE_ONE_OF}};
    for (size_t i = 0; i < sizeof combinations / sizeof *combinations; i++) {
        struct node_list list = {0};
        if (!builder->values[combinations[i].keyword])
            continue;
        enum hv_code code = subschema_list(builder, combinations[i].keyword, &list);
        if (code != HV_OK)
            return code;
        if (list.count == 0)
            return hv_fail(builder->err, HV_EINVAL, "%s must not be empty", keywords[combinations[i].keyword].name);
        add_rule(builder, combinations[i].kind, combinations[i].keyword)->list = list;
    }
    return HV_OK;
}

static enum hv_code build_condition(struct builder *builder)
{
    static const enum keyword parts[] = {KEY_IF, KEY_THEN, KEY_ELSE};
    struct node *nodes[3] = {0};
    for (size_t i = 0; i < 3; i++) {
        const struct hv_json *value = builder->values[parts[i]];
        enum hv_code code = value ? subschema(builder, value, parts[i], &nodes[i]) : HV_OK;
        if (code != HV_OK)
            return code;
    }
    /* `if` alone asserts nothing, but what it evaluates counts for unevaluated*. */
    if (!nodes[0])
        return HV_OK;
    struct rule *rule = add_rule(builder, RULE_CONDITION, KEY_IF);
    rule->condition.condition = nodes[0];
    rule->condition.then = nodes[1];
    rule->condition.otherwise = nodes[2];
    return HV_OK;
}

/* In the order of evaluation. */
static enum hv_code (*const builders[])(struct builder *) = {
    build_references,
    build_type,
    build_values,
    build_numbers,
    build_limits,
    build_pattern,
    build_unique_items,
    build_required,
    build_dependent_required,
    build_property_names,
    build_members,
    build_elements,
    build_contains,
    build_combinations,
    build_not,
    build_condition,
    build_dependent_schemas,
    build_unevaluated,
};

/* ---- the whole --------------------------------------------------------------------------------------- */

static void sort_members(struct builder *builder)
{
    const struct resource *resource = builder->node->resource;
    unsigned draft = resource->draft == SCHEMA_DRAFT_07 ? OLD : NEW;
    hv_json_each(member, builder->node->json) for (size_t i = 0; i < KEY_COUNT; i++)
    {
        bool on = !keywords[i].vocabulary || keywords[i].vocabulary & resource->vocabularies;
        if (on && keywords[i].drafts & draft && hv_str_is(member->key, keywords[i].name))
            builder->values[i] = member;
    }
    /* In draft-07 nothing beside a $ref counts. */
    if (draft == OLD && builder->values[KEY_REF])
        for (size_t i = 0; i < KEY_COUNT; i++)
            builder->values[i] = i == KEY_REF ? builder->values[i] : NULL;
}

enum hv_code rules_compile(struct compiler *compiler, struct node *node, struct hv_error *err)
{
    struct builder builder = {.compiler = compiler, .node = node, .err = err};
    enum hv_code code = HV_OK;
    node->never = node->json->type == HV_JSON_FALSE;
    if (node->json->type != HV_JSON_OBJECT)
        return HV_OK;
    sort_members(&builder);
    for (size_t i = 0; code == HV_OK && i < sizeof builders / sizeof *builders; i++)
        code = builders[i](&builder);
    if (code == HV_OK && builder.rules.count) {
        struct rule *rules = hv_arena_array(compiler_arena(compiler), struct rule, builder.rules.count);
        memcpy(rules, builder.rules.items, builder.rules.count * sizeof *rules);
        node->rules = rules;
        node->rule_count = (uint32_t)builder.rules.count;
    }
    vec_release(&builder.rules);
    return code;
}

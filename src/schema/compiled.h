/*
 * compiled.h: the inner form of a schema, between compile.c and rules.c, which build it, and evaluate.c and check.c,
 * which run it. Private to src/schema.
 *
 * Each subschema that is reached becomes a node with a list of rules; a rule is one keyword, or a few that only make
 * sense together (properties, patternProperties and additionalProperties). Nodes point to nodes, so that a `$ref` is
 * one pointer. All of it lives in the schema's arena.
 */
#ifndef SCHEMA_COMPILED_H
#define SCHEMA_COMPILED_H

#include "base/map.h"
#include "schema/decimal.h"
#include "schema/pattern.h"
#include "schema/validator.h"

/* The order is the order of evaluation: references, what is cheap, what goes deeper, and last what needs the
 * outcome of all others. */
enum rule_kind {
    RULE_REF = 0,
    RULE_DYNAMIC_REF,
    RULE_TYPE,
    RULE_CONST,
    RULE_ENUM,
    RULE_MINIMUM,
    RULE_MAXIMUM,
    RULE_EXCLUSIVE_MINIMUM,
    RULE_EXCLUSIVE_MAXIMUM,
    RULE_MULTIPLE_OF,
    RULE_MIN_LENGTH,
    RULE_MAX_LENGTH,
    RULE_PATTERN,
    RULE_MIN_ITEMS,
    RULE_MAX_ITEMS,
    RULE_UNIQUE_ITEMS,
    RULE_MIN_PROPERTIES,
    RULE_MAX_PROPERTIES,
    RULE_REQUIRED,
    RULE_DEPENDENT_REQUIRED,
    RULE_PROPERTY_NAMES,
    RULE_MEMBERS,  /* properties, patternProperties, additionalProperties */
    RULE_ELEMENTS, /* prefixItems and items, or items and additionalItems */
    RULE_CONTAINS,
    RULE_ALL_OF,
    RULE_ANY_OF,
    RULE_ONE_OF,
    RULE_NOT,
    RULE_CONDITION, /* if, then, else */
    RULE_DEPENDENT_SCHEMAS,
    RULE_UNEVALUATED_ITEMS,
    RULE_UNEVALUATED_PROPERTIES,
    RULE_KIND_COUNT
};

/* Vocabularies that switch keywords on. */
enum { VOCABULARY_APPLICATOR = 1, VOCABULARY_VALIDATION = 2, VOCABULARY_UNEVALUATED = 4, VOCABULARY_ALL = 7 };

struct anchor {
    struct hv_str name;
    const struct hv_json *json;
    struct node *node; /* of a dynamic anchor, once some $dynamicRef may lead to it */
    bool dynamic;
    struct anchor *next;
};

/* A schema with a URI of its own, and all below it that has none. */
struct resource {
    struct hv_str uri; /* absolute where the documents say so; without fragment */
    const struct hv_json *root;
    enum schema_draft draft;
    unsigned vocabularies;
    struct anchor *anchors;
};

struct node {
    const struct hv_json *json;
    struct resource *resource;
    const struct rule *rules;
    uint32_t rule_count;
    bool never;           /* the schema `false` */
    bool has_unevaluated; /* a rule looks at what the others left */
    bool queued;          /* seen by the compiler */
};

struct node_list {
    struct node **nodes;
    size_t count;
};

struct name_list {
    struct hv_str *names;
    size_t count;
};

struct pattern_member {
    struct pattern *pattern;
    struct node *node;
};

struct dependent {
    struct hv_str name;
    struct name_list names; /* DEPENDENT_REQUIRED */
    struct node *node;      /* DEPENDENT_SCHEMAS */
};

struct rule {
    enum rule_kind kind;
    const char *keyword; /* as it stands in the schema, for the path of errors */
    union {
        struct node *node; /* REF, NOT, PROPERTY_NAMES, UNEVALUATED_* */
        struct {
            struct node *node; /* what it means when no outer resource has such an anchor */
            struct hv_str name;
        } dynamic;                  /* DYNAMIC_REF */
        unsigned types;             /* TYPE: bits 1 << enum hv_json_type */
        const struct hv_json *json; /* CONST, ENUM */
        struct {
            struct decimal value;
            const struct hv_json *json;
        } number;       /* MINIMUM … MULTIPLE_OF */
        uint64_t limit; /* MIN_LENGTH … MAX_PROPERTIES */
        struct {
            struct pattern *pattern;
            struct hv_str source;
        } pattern;              /* PATTERN */
        struct name_list names; /* REQUIRED */
        struct node_list list;  /* ALL_OF, ANY_OF, ONE_OF */
        struct {
            struct dependent *items;
            size_t count;
        } dependents; /* DEPENDENT_* */
        struct {
            struct map *properties; /* name → struct node */
            struct pattern_member *patterns;
            size_t pattern_count;
            struct node *additional; /* or NULL */
        } members;                   /* MEMBERS */
        struct {
            struct node_list prefix;
            struct node *rest; /* or NULL */
            const char *rest_keyword;
        } elements; /* ELEMENTS */
        struct {
            struct node *node;
            uint64_t least, most;
        } contains; /* CONTAINS */
        struct {
            struct node *condition, *then, *otherwise; /* then, otherwise: or NULL */
        } condition;                                   /* CONDITION */
    };
};

/* Bit of TYPE that stands for numbers without a fraction. */
enum { TYPE_INTEGER = 1 << 16 };

struct schema {
    unsigned references; /* atomic */
    struct hv_arena arena;
    struct node *root;
    uint64_t step_limit;
};

/* ---- building ---------------------------------------------------------------------------------------- */

/* compile.c, for rules.c. */
struct compiler;
struct hv_arena *compiler_arena(struct compiler *compiler);
/* The node of a subschema below the one that is being compiled; it is compiled later. */
enum hv_code compiler_subschema(struct compiler *compiler, struct node *parent, const struct hv_json *json,
                                struct node **out, struct hv_error *err) HV_MUST_CHECK;
/* What a $ref or $dynamicRef means at node. *dynamic_name: the anchor's name when the target is a dynamic anchor. */
enum hv_code compiler_reference(struct compiler *compiler, const struct node *node, struct hv_str reference,
                                struct node **out, struct hv_str *dynamic_name, struct hv_error *err) HV_MUST_CHECK;
/* From now on all dynamic anchors are compiled, since a $dynamicRef may lead to any of them. */
void compiler_want_dynamic_anchors(struct compiler *compiler);

/* rules.c: fill node->rules from node->json. Errors have no place yet. */
enum hv_code rules_compile(struct compiler *compiler, struct node *node, struct hv_error *err) HV_MUST_CHECK;

/* metaschemas.c: the text of a built-in document, or the absent view. */
struct hv_str metaschema_text(struct hv_str uri);

/* locate.c: the JSON pointer of target inside root, found by byte ranges; `readable` gives "a[0].b" instead. */
void locate(struct hv_buf *buf, const struct hv_json *root, const struct hv_json *target, bool readable);

#endif

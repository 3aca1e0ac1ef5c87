/*
 * validator.h: JSON Schema, drafts 2020-12 and draft-07, for tools whose schema arrives at run time (MCP, plugins,
 * structured output) and for settings.
 *
 * A schema is compiled once and is then immutable: any number of threads may validate with it. Nothing is ever
 * fetched: a `$ref` reaches the schema's own documents, those given at compile time, and the metaschemas of both
 * drafts, which are built in. `format` and the content keywords are annotations and assert nothing. Validation is
 * bounded in depth, steps and memory, whatever schema and instance are; over a bound it says so.
 */
#ifndef SCHEMA_VALIDATOR_H
#define SCHEMA_VALIDATOR_H

#include <helve/json.h>

enum schema_draft {
    SCHEMA_DRAFT_AUTO = 0, /* by `$schema`; 2020-12 when that is absent */
    SCHEMA_DRAFT_07,
    SCHEMA_DRAFT_2020_12,
};

/* A further document that `$ref` may reach. The text must be valid until schema_compile returns. */
struct schema_document {
    struct hv_str uri;
    struct hv_str text;
};

/* Zeroed: defaults. */
struct schema_options {
    enum schema_draft draft; /* not AUTO: the draft of the root document, whatever its `$schema` says */
    struct hv_str uri;       /* base URI of the root document, or absent */
    const struct schema_document *documents;
    size_t document_count;
    uint64_t step_limit; /* of one validation; 0: SCHEMA_STEPS_DEFAULT */
};

enum {
    SCHEMA_TEXT_MAX = 16 << 20, /* bytes of one document */
    SCHEMA_DEPTH_MAX = 1500,    /* schemas nested in one another during validation */
    SCHEMA_STEPS_DEFAULT = 20 * 1000 * 1000,
    SCHEMA_ERRORS_MAX = 32,
};

struct schema;

/* "2020-12", "draft2020-12", "7", "07", "draft-07", "draft7" …, or a `$schema` URI. AUTO when it is none of them. */
enum schema_draft schema_draft_from(struct hv_str name);

/*
 * Compile the schema in text (copied). *out has one reference. HV_EINVAL for text that is no JSON, keywords with
 * values they cannot have, patterns that do not compile, and references that lead nowhere (the message names them);
 * HV_ETOOBIG over a limit; HV_EUNSUPPORTED for a required vocabulary that is unknown. Place: JSON pointer of the
 * fault. options may be NULL. Blocks for as long as parsing takes, no I/O.
 */
enum hv_code schema_compile(struct hv_str text, const struct schema_options *options, struct schema **out,
                            struct hv_error *err) HV_MUST_CHECK;
struct schema *schema_ref(struct schema *schema);
void schema_unref(struct schema *schema); /* NULL is accepted; the last reference frees. Any thread. */

/* One way in which an instance does not fit. Texts live in the arena given to schema_validate. */
struct schema_error {
    struct hv_str instance_path; /* JSON pointer: "/edits/2/old_string"; "" for the root */
    struct hv_str field;         /* the same for readers: "edits[2].old_string"; "" for the root */
    struct hv_str schema_path;   /* URI of the keyword: "#/properties/edits/items/required" */
    struct hv_str message;       /* "expected string, got number 5" */
    const struct hv_json *value; /* what does not fit, in the instance's tree */
    unsigned types;              /* keyword `type`: what would fit, for schema_repair; else 0 */
    struct schema_error *next;
};

struct schema_errors {
    struct schema_error *first, *last;
    size_t count; /* at most SCHEMA_ERRORS_MAX: a full list ends the search for more */
};

/*
 * Validate an instance. HV_OK: it is valid. HV_EINVAL: it is not, and *errors (may be NULL, then this is faster) says
 * why. HV_ETOOBIG with err: undecided, a bound was reached or the schema refers to itself without end. arena holds
 * the texts of errors.
 */
enum hv_code schema_validate(const struct schema *schema, const struct hv_json *instance, struct hv_arena *arena,
                             struct schema_errors *errors, struct hv_error *err) HV_MUST_CHECK;

/*
 * Repair what models get wrong where the meaning is certain, led by the errors of schema_validate: text
 * that is a number, boolean, array or object where only that fits, and null where the member may be left out. source is
 * the text that the instance was parsed from. Returns the text mended, in arena, or the absent view when nothing could
 * be done; the caller parses and validates it again. Pure.
 */
struct hv_str schema_repair(const struct hv_json *instance, struct hv_str source, const struct schema_errors *errors,
                            struct hv_arena *arena);

/* All errors as text for the model: "Invalid input for X: 2 problems:\n- edits[2].old_string: …\n- …". */
struct hv_str schema_errors_text(const struct schema_errors *errors, const char *tool, struct hv_arena *arena);

#endif

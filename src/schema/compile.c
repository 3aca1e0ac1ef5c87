/*
 * compile.c: from the text of a schema to nodes: documents, identifiers and references. What the keywords of one
 * subschema mean is in rules.c.
 *
 * Each document is first scanned: a walk over the places where the draft's keywords have subschemas finds the
 * identifiers ($id, $anchor, $dynamicAnchor) and gives each subschema a node. Then nodes are compiled one after the
 * other, starting with the root; a reference to a document that is not known yet scans it first. Both walks keep
 * their work in lists, so that deep schemas need no deep stack, and only what is reached is compiled.
 */
#include "base/map.h"
#include "base/vec.h"
#include "schema/compiled.h"
#include "schema/uri.h"

#include <stdlib.h>
#include <string.h>

struct place {
    const struct hv_json *json;
    struct resource *resource;
};

struct compiler {
    struct schema *schema;
    const struct schema_options *options;
    struct hv_str root_text;
    struct map resources; /* URI → struct resource */
    struct map nodes;     /* address of the JSON value → struct node */
    VEC(struct place) scans;
    VEC(struct node *) queue;       /* nodes in the order in which they are compiled */
    VEC(struct resource *) scanned; /* all resources */
    bool wants_dynamic_anchors;
};

struct hv_arena *compiler_arena(struct compiler *compiler)
{
    return &compiler->schema->arena;
}

/* ---- drafts ------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    enum schema_draft draft;
} draft_names[] = {
    {"7", SCHEMA_DRAFT_07},
    {"07", SCHEMA_DRAFT_07},
    {"draft7", SCHEMA_DRAFT_07},
    {"draft07", SCHEMA_DRAFT_07},
    {"draft-7", SCHEMA_DRAFT_07},
    {"draft-07", SCHEMA_DRAFT_07},
    {"json-schema.org/draft-07/schema", SCHEMA_DRAFT_07},
    /* Older drafts: near enough to draft-07 for the schemas that are met in practice. */
    {"json-schema.org/draft-06/schema", SCHEMA_DRAFT_07},
    {"json-schema.org/draft-04/schema", SCHEMA_DRAFT_07},
    {"json-schema.org/schema", SCHEMA_DRAFT_2020_12},
    {"2020-12", SCHEMA_DRAFT_2020_12},
    {"202012", SCHEMA_DRAFT_2020_12},
    {"draft2020-12", SCHEMA_DRAFT_2020_12},
    {"draft-2020-12", SCHEMA_DRAFT_2020_12},
    {"draft/2020-12", SCHEMA_DRAFT_2020_12},
    {"json-schema.org/draft/2020-12/schema", SCHEMA_DRAFT_2020_12},
    {"json-schema.org/draft/2019-09/schema", SCHEMA_DRAFT_2020_12},
};

enum schema_draft schema_draft_from(struct hv_str name)
{
    struct hv_str fragment;
    uri_split(name, &name, &fragment);
    if (hv_str_starts(name, HV_STR("http://")))
        name = hv_str_slice(name, 7, name.len);
    else if (hv_str_starts(name, HV_STR("https://")))
        name = hv_str_slice(name, 8, name.len);
    for (size_t i = 0; i < sizeof draft_names / sizeof *draft_names; i++)
        if (hv_str_eq_nocase(name, hv_str_from(draft_names[i].name)))
            return draft_names[i].draft;
    return SCHEMA_DRAFT_AUTO;
}

/* ---- documents --------------------------------------------------------------------------------------- */

static enum hv_code scan_document(struct compiler *compiler, struct hv_str uri, struct hv_str text, bool is_root,
                                  struct resource **out, struct hv_error *err);

static struct hv_str document_text(const struct compiler *compiler, struct hv_str uri)
{
    for (size_t i = 0; i < compiler->options->document_count; i++) {
        struct hv_str document_uri, fragment;
        uri_split(compiler->options->documents[i].uri, &document_uri, &fragment);
        if (hv_str_eq(document_uri, uri))
            return compiler->options->documents[i].text;
    }
    return metaschema_text(uri);
}

/* The resource with this URI (without fragment), from a further document if need be. */
static enum hv_code find_resource(struct compiler *compiler, struct hv_str uri, struct resource **out,
                                  struct hv_error *err)
{
    *out = map_get(&compiler->resources, uri);
    if (*out)
        return HV_OK;
    struct hv_str text = document_text(compiler, uri);
    if (!text.ptr) {
        hv_fail(err, HV_EINVAL, "no document with the URI \"%.*s\" is known", HV_STR_ARG(hv_str_slice(uri, 0, 400)));
        hv_error_hint(err, "references are not fetched from the network; put the definition under $defs");
        return HV_EINVAL;
    }
    return scan_document(compiler, uri, text, false, out, err);
}

static const struct {
    const char *name;
    unsigned vocabulary; /* bits that it switches on; 0: annotations */
} vocabularies[] = {
    {"https://json-schema.org/draft/2020-12/vocab/core", 0},
    {"https://json-schema.org/draft/2020-12/vocab/applicator", VOCABULARY_APPLICATOR},
    {"https://json-schema.org/draft/2020-12/vocab/unevaluated", VOCABULARY_UNEVALUATED},
    {"https://json-schema.org/draft/2020-12/vocab/validation", VOCABULARY_VALIDATION},
    {"https://json-schema.org/draft/2020-12/vocab/meta-data", 0},
    {"https://json-schema.org/draft/2020-12/vocab/format-annotation", 0},
    {"https://json-schema.org/draft/2020-12/vocab/content", 0},
};

static enum hv_code read_vocabularies(const struct hv_json *list, unsigned *out, struct hv_error *err)
{
    unsigned wanted = 0;
    hv_json_each(entry, list)
    {
        bool known = false;
        for (size_t i = 0; i < sizeof vocabularies / sizeof *vocabularies; i++)
            if (hv_str_is(entry->key, vocabularies[i].name)) {
                wanted |= vocabularies[i].vocabulary;
                known = true;
            }
        if (!known && entry->type == HV_JSON_TRUE)
            return hv_fail(err, HV_EUNSUPPORTED, "the schema requires the unknown vocabulary \"%.*s\"",
                           HV_STR_ARG(hv_str_slice(entry->key, 0, 400)));
    }
    *out = wanted;
    return HV_OK;
}

/* Draft and vocabularies of a resource whose `$schema` is not the URI of a draft but of a metaschema of its own. */
static enum hv_code use_metaschema(struct compiler *compiler, struct hv_str uri, bool optional,
                                   struct resource *resource, struct hv_error *err)
{
    struct hv_str without_fragment, fragment;
    const struct hv_json *metaschema = NULL;
    uri_split(uri, &without_fragment, &fragment);
    struct hv_str text = document_text(compiler, without_fragment);
    if (!text.ptr && optional)
        return HV_OK;
    if (!text.ptr) {
        hv_fail(err, HV_EINVAL, "$schema names the unknown dialect \"%.*s\"", HV_STR_ARG(hv_str_slice(uri, 0, 400)));
        hv_error_hint(err,
                      "use https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#");
        return HV_EINVAL;
    }
    enum hv_code code = hv_json_parse(compiler_arena(compiler), text, HV_JSON_STRICT, &metaschema, err);
    if (code != HV_OK) {
        hv_error_prefix(err, "the document %.*s: ", HV_STR_ARG(hv_str_slice(uri, 0, 400)));
        return code;
    }
    enum schema_draft draft = schema_draft_from(hv_json_get_string(metaschema, "$schema"));
    if (!optional && draft != SCHEMA_DRAFT_AUTO)
        resource->draft = draft;
    const struct hv_json *list = hv_json_get(metaschema, "$vocabulary");
    return hv_json_type_of(list) == HV_JSON_OBJECT ? read_vocabularies(list, &resource->vocabularies, err) : HV_OK;
}

/* `$schema` of a resource's root. The root document's is overruled by a draft given in the options. */
static enum hv_code choose_dialect(struct compiler *compiler, struct resource *resource, bool forced,
                                   struct hv_error *err)
{
    struct hv_str name = hv_json_get_string(resource->root, "$schema");
    if (!name.ptr)
        return HV_OK;
    enum schema_draft draft = schema_draft_from(name);
    if (draft == SCHEMA_DRAFT_AUTO)
        return use_metaschema(compiler, name, forced, resource, err);
    if (!forced)
        resource->draft = draft;
    resource->vocabularies = VOCABULARY_ALL;
    return HV_OK;
}

/* ---- scanning ---------------------------------------------------------------------------------------- */

/* How a keyword holds subschemas. */
enum shape { SHAPE_ONE = 1, SHAPE_LIST = 2, SHAPE_MAP = 4 };

static const struct {
    const char *keyword;
    unsigned shapes;
    bool old, new; /* in draft-07, in 2020-12 */
} places[] = {
    {"$defs", SHAPE_MAP, false, true},
    {"definitions", SHAPE_MAP, true, true},
    {"properties", SHAPE_MAP, true, true},
    {"patternProperties", SHAPE_MAP, true, true},
    {"additionalProperties", SHAPE_ONE, true, true},
    {"propertyNames", SHAPE_ONE, true, true},
    {"items", SHAPE_ONE | SHAPE_LIST, true, true},
    {"prefixItems", SHAPE_LIST, false, true},
    {"additionalItems", SHAPE_ONE, true, true},
    {"contains", SHAPE_ONE, true, true},
    {"allOf", SHAPE_LIST, true, true},
    {"anyOf", SHAPE_LIST, true, true},
    {"oneOf", SHAPE_LIST, true, true},
    {"not", SHAPE_ONE, true, true},
    {"if", SHAPE_ONE, true, true},
    {"then", SHAPE_ONE, true, true},
    {"else", SHAPE_ONE, true, true},
    {"dependencies", SHAPE_MAP, true, true},
    {"dependentSchemas", SHAPE_MAP, false, true},
    {"unevaluatedItems", SHAPE_ONE, false, true},
    {"unevaluatedProperties", SHAPE_ONE, false, true},
    {"contentSchema", SHAPE_ONE, false, true},
};

static bool is_schema(const struct hv_json *json)
{
    enum hv_json_type type = hv_json_type_of(json);
    return type == HV_JSON_OBJECT || type == HV_JSON_TRUE || type == HV_JSON_FALSE;
}

static void push_scan(struct compiler *compiler, const struct hv_json *json, struct resource *resource)
{
    if (is_schema(json))
        *vec_push(&compiler->scans) = (struct place){json, resource};
}

static void scan_member(struct compiler *compiler, const struct hv_json *member, struct resource *resource)
{
    unsigned shapes = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (hv_str_is(member->key, places[i].keyword))
            shapes = (resource->draft == SCHEMA_DRAFT_07 ? places[i].old : places[i].new) ? places[i].shapes : 0;
    bool list = shapes & SHAPE_LIST && member->type == HV_JSON_ARRAY;
    bool map = shapes & SHAPE_MAP && member->type == HV_JSON_OBJECT;
    if (shapes & SHAPE_ONE)
        push_scan(compiler, member, resource);
    if (list || map)
        hv_json_each(child, member) push_scan(compiler, child, resource);
}

static struct resource *new_resource(struct compiler *compiler, const struct hv_json *root, struct hv_str uri,
                                     const struct resource *outer)
{
    struct resource *resource = hv_arena_new(compiler_arena(compiler), struct resource);
    resource->uri = uri;
    resource->root = root;
    resource->draft = outer ? outer->draft : SCHEMA_DRAFT_2020_12;
    resource->vocabularies = outer ? outer->vocabularies : VOCABULARY_ALL;
    *vec_push(&compiler->scanned) = resource;
    return resource;
}

static enum hv_code add_resource(struct compiler *compiler, struct resource *resource, struct hv_error *err)
{
    struct resource *other = map_get(&compiler->resources, resource->uri);
    if (other && other != resource && !hv_json_equal(other->root, resource->root))
        return hv_fail(err, HV_EINVAL, "two different schemas have the identifier \"%.*s\"",
                       HV_STR_ARG(hv_str_slice(resource->uri, 0, 400)));
    if (!other)
        map_set(&compiler->resources, resource->uri, resource);
    return HV_OK;
}

static enum hv_code add_anchor(struct compiler *compiler, struct resource *resource, const struct hv_json *json,
                               struct hv_str name, bool dynamic, struct hv_error *err)
{
    for (struct anchor *anchor = resource->anchors; anchor; anchor = anchor->next)
        if (hv_str_eq(anchor->name, name) && anchor->json != json)
            return hv_fail(err, HV_EINVAL, "two schemas have the anchor \"%.*s\"",
                           HV_STR_ARG(hv_str_slice(name, 0, 400)));
    struct anchor *anchor = hv_arena_new(compiler_arena(compiler), struct anchor);
    *anchor = (struct anchor){.name = name, .json = json, .dynamic = dynamic, .next = resource->anchors};
    resource->anchors = anchor;
    return HV_OK;
}

/* A new resource when `$id` says so; *resource is replaced by it. */
static enum hv_code scan_id(struct compiler *compiler, const struct hv_json *json, struct resource **resource,
                            struct hv_error *err)
{
    const struct hv_json *id = hv_json_get(json, "$id");
    struct hv_str uri, fragment;
    if (!id)
        return HV_OK;
    if (id->type != HV_JSON_STRING)
        return hv_fail(err, HV_EINVAL, "$id must be a string");
    if (id->text.len > URI_MAX)
        return hv_fail(err, HV_ETOOBIG, "$id is longer than %d bytes", (int)URI_MAX);
    uri_split(id->text, &uri, &fragment);
    bool old = (*resource)->draft == SCHEMA_DRAFT_07;
    if (fragment.len && !old)
        return hv_fail(err, HV_EINVAL, "$id must not have a fragment; use $anchor");
    if (uri.len && (*resource)->root != json) {
        struct hv_str full = uri_resolve(compiler_arena(compiler), (*resource)->uri, uri);
        if (full.len > URI_MAX)
            return hv_fail(err, HV_ETOOBIG, "$id leads to a URI of more than %d bytes", (int)URI_MAX);
        *resource = new_resource(compiler, json, full, *resource);
        enum hv_code code = choose_dialect(compiler, *resource, false, err);
        if (code == HV_OK)
            code = add_resource(compiler, *resource, err);
        if (code != HV_OK)
            return code;
    }
    return fragment.len ? add_anchor(compiler, *resource, json, fragment, false, err) : HV_OK;
}

static enum hv_code scan_anchor(struct compiler *compiler, const struct hv_json *json, struct resource *resource,
                                const char *keyword, bool dynamic, struct hv_error *err)
{
    const struct hv_json *anchor = hv_json_get(json, keyword);
    if (!anchor || resource->draft == SCHEMA_DRAFT_07)
        return HV_OK;
    if (anchor->type != HV_JSON_STRING || !anchor->text.len)
        return hv_fail(err, HV_EINVAL, "%s must be a name", keyword);
    return add_anchor(compiler, resource, json, anchor->text, dynamic, err);
}

static struct hv_str node_key(struct node *node)
{
    return hv_str_of((const char *)&node->json, sizeof node->json);
}

static struct node *find_node(struct compiler *compiler, const struct hv_json *json)
{
    return map_get(&compiler->nodes, hv_str_of((const char *)&json, sizeof json));
}

static enum hv_code scan_one(struct compiler *compiler, struct place place, struct hv_error *err)
{
    if (find_node(compiler, place.json))
        return HV_OK;
    struct node *node = hv_arena_new(compiler_arena(compiler), struct node);
    *node = (struct node){.json = place.json, .resource = place.resource};
    map_set(&compiler->nodes, node_key(node), node);
    if (place.json->type != HV_JSON_OBJECT)
        return HV_OK;
    /* In draft-07 a $ref makes all else meaningless; only definitions beside it can still be referred to. */
    bool only_reference = place.resource->draft == SCHEMA_DRAFT_07 && place.resource->root != place.json &&
                          hv_json_get_string(place.json, "$ref").ptr;
    if (!only_reference) {
        enum hv_code code = scan_id(compiler, place.json, &node->resource, err);
        if (code == HV_OK)
            code = scan_anchor(compiler, place.json, node->resource, "$anchor", false, err);
        if (code == HV_OK)
            code = scan_anchor(compiler, place.json, node->resource, "$dynamicAnchor", true, err);
        if (code != HV_OK)
            return code;
    }
    hv_json_each(member, place.json) scan_member(compiler, member, node->resource);
    return HV_OK;
}

/* Give json and all subschemas below it their nodes, and register their identifiers. */
static enum hv_code scan(struct compiler *compiler, const struct hv_json *json, struct resource *resource,
                         struct hv_error *err)
{
    push_scan(compiler, json, resource);
    while (compiler->scans.count) {
        struct place place = compiler->scans.items[--compiler->scans.count];
        enum hv_code code = scan_one(compiler, place, err);
        if (code != HV_OK) {
            struct hv_buf path = {.max = HV_ERROR_PLACE_MAX};
            locate(&path, place.resource->root, place.json, false);
            hv_error_place(err, "#%s", hv_buf_str(&path).ptr);
            hv_buf_release(&path);
            return code;
        }
    }
    return HV_OK;
}

static enum hv_code scan_document(struct compiler *compiler, struct hv_str uri, struct hv_str text, bool is_root,
                                  struct resource **out, struct hv_error *err)
{
    const struct hv_json *json = NULL;
    struct hv_str id, fragment;
    if (text.len > SCHEMA_TEXT_MAX)
        return hv_fail(err, HV_ETOOBIG, "a schema of %zu bytes is over the limit of %d", text.len,
                       (int)SCHEMA_TEXT_MAX);
    enum hv_code code = hv_json_parse(compiler_arena(compiler), hv_arena_str(compiler_arena(compiler), text),
                                      HV_JSON_STRICT, &json, err);
    if (code != HV_OK) {
        hv_error_prefix(err, "the schema is not valid JSON: ");
        return code;
    }
    if (is_root && !is_schema(json))
        return hv_fail(err, HV_EINVAL, "a schema must be an object or a boolean, not %s", hv_json_type_name(json));
    struct resource *resource = new_resource(compiler, json, hv_arena_str(compiler_arena(compiler), uri), NULL);
    bool forced = compiler->options->draft != SCHEMA_DRAFT_AUTO;
    if (forced)
        resource->draft = compiler->options->draft;
    code = choose_dialect(compiler, resource, forced && is_root, err);
    if (code == HV_OK)
        code = add_resource(compiler, resource, err);
    /* The document's own name counts beside the one under which it was found. */
    uri_split(hv_json_get_string(json, "$id"), &id, &fragment);
    if (code == HV_OK && id.len && id.len <= URI_MAX) {
        resource->uri = uri_resolve(compiler_arena(compiler), resource->uri, id);
        code = add_resource(compiler, resource, err);
    }
    if (code == HV_OK)
        code = scan(compiler, json, resource, err);
    if (code == HV_OK)
        *out = resource;
    return code;
}

/* ---- references -------------------------------------------------------------------------------------- */

static struct hv_str pointer_token(struct hv_arena *arena, struct hv_str token)
{
    if (hv_str_find_byte(token, '~', 0) == SIZE_MAX)
        return token;
    char *out = hv_arena_alloc(arena, token.len);
    size_t len = 0;
    for (size_t i = 0; i < token.len; i++) {
        bool escape = token.ptr[i] == '~' && i + 1 < token.len && (token.ptr[i + 1] == '0' || token.ptr[i + 1] == '1');
        out[len++] = escape ? (token.ptr[++i] == '0' ? '~' : '/') : token.ptr[i];
    }
    return hv_str_of(out, len);
}

static const struct hv_json *child_by_token(const struct hv_json *json, struct hv_str token)
{
    int64_t index;
    if (hv_json_type_of(json) == HV_JSON_OBJECT)
        return hv_json_get_str(json, token);
    bool is_index = hv_json_type_of(json) == HV_JSON_ARRAY && hv_str_to_int64(token, &index) && index >= 0 &&
                    (token.len == 1 || token.ptr[0] != '0');
    return is_index ? hv_json_at(json, (size_t)index) : NULL;
}

/* Follow a JSON pointer from a resource's root; *resource becomes the one that the target lies in. */
static const struct hv_json *follow_pointer(struct compiler *compiler, struct hv_str pointer,
                                            struct resource **resource)
{
    const struct hv_json *json = (*resource)->root;
    struct hv_str rest = hv_str_slice(pointer, 1, pointer.len), token;
    while (json && hv_str_split(&rest, '/', &token)) {
        json = child_by_token(json, pointer_token(compiler_arena(compiler), token));
        struct node *node = json ? find_node(compiler, json) : NULL;
        if (node)
            *resource = node->resource;
    }
    return json;
}

static const struct anchor *find_anchor(const struct resource *resource, struct hv_str name)
{
    for (const struct anchor *anchor = resource->anchors; anchor; anchor = anchor->next)
        if (hv_str_eq(anchor->name, name))
            return anchor;
    return NULL;
}

static void queue_node(struct compiler *compiler, struct node *node)
{
    if (node->queued)
        return;
    node->queued = true;
    *vec_push(&compiler->queue) = node;
}

static enum hv_code node_of(struct compiler *compiler, const struct hv_json *json, struct resource *resource,
                            struct node **out, struct hv_error *err)
{
    if (!is_schema(json))
        return hv_fail(err, HV_EINVAL, "a schema must be an object or a boolean, not %s", hv_json_type_name(json));
    enum hv_code code = find_node(compiler, json) ? HV_OK : scan(compiler, json, resource, err);
    if (code != HV_OK)
        return code;
    *out = find_node(compiler, json);
    queue_node(compiler, *out);
    return HV_OK;
}

enum hv_code compiler_subschema(struct compiler *compiler, struct node *parent, const struct hv_json *json,
                                struct node **out, struct hv_error *err)
{
    return node_of(compiler, json, parent->resource, out, err);
}

static enum hv_code resolve(struct compiler *compiler, struct hv_str uri, const struct hv_json **json,
                            struct resource **resource, struct hv_str *dynamic_name, struct hv_error *err)
{
    struct hv_str without_fragment, fragment;
    uri_split(uri, &without_fragment, &fragment);
    enum hv_code code = find_resource(compiler, without_fragment, resource, err);
    if (code != HV_OK)
        return code;
    fragment = uri_percent_decode(compiler_arena(compiler), fragment);
    const struct anchor *anchor = NULL;
    if (fragment.len == 0) {
        *json = (*resource)->root;
    } else if (fragment.ptr[0] == '/') {
        *json = follow_pointer(compiler, fragment, resource);
    } else {
        anchor = find_anchor(*resource, fragment);
        *json = anchor ? anchor->json : NULL;
    }
    *dynamic_name = anchor && anchor->dynamic ? anchor->name : (struct hv_str){0};
    return HV_OK;
}

enum hv_code compiler_reference(struct compiler *compiler, const struct node *node, struct hv_str reference,
                                struct node **out, struct hv_str *dynamic_name, struct hv_error *err)
{
    const struct hv_json *json = NULL;
    struct resource *resource = NULL;
    struct hv_str shown = hv_str_slice(reference, 0, 400);
    if (reference.len > URI_MAX)
        return hv_fail(err, HV_ETOOBIG, "a reference is longer than %d bytes", (int)URI_MAX);
    struct hv_str uri = uri_resolve(compiler_arena(compiler), node->resource->uri, reference);
    enum hv_code code = resolve(compiler, uri, &json, &resource, dynamic_name, err);
    if (code == HV_OK && !json)
        code = hv_fail(err, HV_EINVAL, "there is nothing at that place");
    if (code == HV_OK)
        code = node_of(compiler, json, resource, out, err);
    if (code != HV_OK)
        hv_error_prefix(err, "the reference \"%.*s\" cannot be followed: ", HV_STR_ARG(shown));
    return code;
}

void compiler_want_dynamic_anchors(struct compiler *compiler)
{
    compiler->wants_dynamic_anchors = true;
}

/* ---- compiling --------------------------------------------------------------------------------------- */

static enum hv_code queue_dynamic_anchors(struct compiler *compiler, size_t *resources_done, struct hv_error *err)
{
    for (; compiler->wants_dynamic_anchors && *resources_done < compiler->scanned.count; ++*resources_done) {
        struct resource *resource = compiler->scanned.items[*resources_done];
        for (struct anchor *anchor = resource->anchors; anchor; anchor = anchor->next) {
            enum hv_code code = anchor->dynamic ? node_of(compiler, anchor->json, resource, &anchor->node, err) : HV_OK;
            if (code != HV_OK)
                return code;
        }
    }
    return HV_OK;
}

static enum hv_code compile_node(struct compiler *compiler, struct node *node, struct hv_error *err)
{
    enum hv_code code = rules_compile(compiler, node, err);
    if (code != HV_OK && err && !err->place[0]) {
        struct hv_buf path = {.max = HV_ERROR_PLACE_MAX};
        locate(&path, node->resource->root, node->json, false);
        hv_error_place(err, "%.*s#%s", HV_STR_ARG(node->resource->uri), path.data ? path.data : "");
        hv_buf_release(&path);
    }
    return code;
}

static enum hv_code compile_all(struct compiler *compiler, struct hv_error *err)
{
    struct resource *root = NULL;
    size_t done = 0, resources_done = 0;
    enum hv_code code;
    struct hv_str uri = compiler->options->uri.ptr ? compiler->options->uri : HV_STR(""), fragment;
    uri_split(uri, &uri, &fragment);
    code = scan_document(compiler, uri, compiler->root_text, true, &root, err);
    if (code == HV_OK)
        code = node_of(compiler, root->root, root, &compiler->schema->root, err);
    while (code == HV_OK && done < compiler->queue.count) {
        code = compile_node(compiler, compiler->queue.items[done++], err);
        if (code == HV_OK)
            code = queue_dynamic_anchors(compiler, &resources_done, err);
    }
    return code;
}

enum hv_code schema_compile(struct hv_str text, const struct schema_options *options, struct schema **out,
                            struct hv_error *err)
{
    static const struct schema_options defaults;
    struct schema *schema = hv_calloc(1, sizeof *schema);
    struct compiler compiler = {.schema = schema, .options = options ? options : &defaults, .root_text = text};
    schema->references = 1;
    schema->step_limit = compiler.options->step_limit ? compiler.options->step_limit : SCHEMA_STEPS_DEFAULT;
    enum hv_code code = compile_all(&compiler, err);
    map_release(&compiler.resources);
    map_release(&compiler.nodes);
    vec_release(&compiler.scans);
    vec_release(&compiler.queue);
    vec_release(&compiler.scanned);
    if (code == HV_OK)
        *out = schema;
    else
        schema_unref(schema);
    return code;
}

struct schema *schema_ref(struct schema *schema)
{
    __atomic_add_fetch(&schema->references, 1, __ATOMIC_RELAXED);
    return schema;
}

void schema_unref(struct schema *schema)
{
    if (!schema || __atomic_sub_fetch(&schema->references, 1, __ATOMIC_ACQ_REL))
        return;
    hv_arena_release(&schema->arena);
    free(schema);
}

/*
 * metaschemas.c: the schemas of schemas, so that a `$ref` to them needs no network: draft-07, and draft 2020-12 with
 * its vocabularies. Same identifiers, structure and assertions as the published documents, without titles.
 */
#include "schema/compiled.h"
#include "schema/uri.h"

#define DRAFT_2020 "https://json-schema.org/draft/2020-12/"
#define HEAD_2020(name, vocabulary)                                                                                    \
    "{\"$schema\":\"" DRAFT_2020 "schema\",\"$id\":\"" DRAFT_2020 "meta/" name "\",\"$vocabulary\":{\"" DRAFT_2020     \
    "vocab/" vocabulary "\":true},\"$dynamicAnchor\":\"meta\",\"type\":[\"object\",\"boolean\"],"
#define META "{\"$dynamicRef\":\"#meta\"}"
#define META_MAP "{\"type\":\"object\",\"additionalProperties\":" META "}"
#define META_LIST "{\"type\":\"array\",\"minItems\":1,\"items\":" META "}"
#define COUNT "{\"type\":\"integer\",\"minimum\":0}"
#define COUNT_0 "{\"type\":\"integer\",\"minimum\":0,\"default\":0}"
#define STRINGS "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"uniqueItems\":true,\"default\":[]}"
#define TYPES "\"array\",\"boolean\",\"integer\",\"null\",\"number\",\"object\",\"string\""

static const char draft_07[] =
    "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"$id\":\"http://json-schema.org/draft-07/schema#\","
    "\"definitions\":{"
    "\"schemaArray\":{\"type\":\"array\",\"minItems\":1,\"items\":{\"$ref\":\"#\"}},"
    "\"nonNegativeInteger\":" COUNT ","
    "\"nonNegativeIntegerDefault0\":{\"allOf\":[{\"$ref\":\"#/definitions/nonNegativeInteger\"},{\"default\":0}]},"
    "\"simpleTypes\":{\"enum\":[" TYPES "]},"
    "\"stringArray\":" STRINGS "},"
    "\"type\":[\"object\",\"boolean\"],"
    "\"properties\":{"
    "\"$id\":{\"type\":\"string\",\"format\":\"uri-reference\"},"
    "\"$schema\":{\"type\":\"string\",\"format\":\"uri\"},"
    "\"$ref\":{\"type\":\"string\",\"format\":\"uri-reference\"},"
    "\"$comment\":{\"type\":\"string\"},"
    "\"title\":{\"type\":\"string\"},\"description\":{\"type\":\"string\"},\"default\":true,"
    "\"readOnly\":{\"type\":\"boolean\",\"default\":false},\"writeOnly\":{\"type\":\"boolean\",\"default\":false},"
    "\"examples\":{\"type\":\"array\",\"items\":true},"
    "\"multipleOf\":{\"type\":\"number\",\"exclusiveMinimum\":0},"
    "\"maximum\":{\"type\":\"number\"},\"exclusiveMaximum\":{\"type\":\"number\"},"
    "\"minimum\":{\"type\":\"number\"},\"exclusiveMinimum\":{\"type\":\"number\"},"
    "\"maxLength\":{\"$ref\":\"#/definitions/nonNegativeInteger\"},"
    "\"minLength\":{\"$ref\":\"#/definitions/nonNegativeIntegerDefault0\"},"
    "\"pattern\":{\"type\":\"string\",\"format\":\"regex\"},"
    "\"additionalItems\":{\"$ref\":\"#\"},"
    "\"items\":{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#/definitions/schemaArray\"}],\"default\":true},"
    "\"maxItems\":{\"$ref\":\"#/definitions/nonNegativeInteger\"},"
    "\"minItems\":{\"$ref\":\"#/definitions/nonNegativeIntegerDefault0\"},"
    "\"uniqueItems\":{\"type\":\"boolean\",\"default\":false},"
    "\"contains\":{\"$ref\":\"#\"},"
    "\"maxProperties\":{\"$ref\":\"#/definitions/nonNegativeInteger\"},"
    "\"minProperties\":{\"$ref\":\"#/definitions/nonNegativeIntegerDefault0\"},"
    "\"required\":{\"$ref\":\"#/definitions/stringArray\"},"
    "\"additionalProperties\":{\"$ref\":\"#\"},"
    "\"definitions\":{\"type\":\"object\",\"additionalProperties\":{\"$ref\":\"#\"},\"default\":{}},"
    "\"properties\":{\"type\":\"object\",\"additionalProperties\":{\"$ref\":\"#\"},\"default\":{}},"
    "\"patternProperties\":{\"type\":\"object\",\"additionalProperties\":{\"$ref\":\"#\"},"
    "\"propertyNames\":{\"format\":\"regex\"},\"default\":{}},"
    "\"dependencies\":{\"type\":\"object\",\"additionalProperties\":"
    "{\"anyOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#/definitions/stringArray\"}]}},"
    "\"propertyNames\":{\"$ref\":\"#\"},\"const\":true,\"enum\":{\"type\":\"array\",\"items\":true},"
    "\"type\":{\"anyOf\":[{\"$ref\":\"#/definitions/simpleTypes\"},{\"type\":\"array\","
    "\"items\":{\"$ref\":\"#/definitions/simpleTypes\"},\"minItems\":1,\"uniqueItems\":true}]},"
    "\"format\":{\"type\":\"string\"},\"contentMediaType\":{\"type\":\"string\"},"
    "\"contentEncoding\":{\"type\":\"string\"},"
    "\"if\":{\"$ref\":\"#\"},\"then\":{\"$ref\":\"#\"},\"else\":{\"$ref\":\"#\"},"
    "\"allOf\":{\"$ref\":\"#/definitions/schemaArray\"},\"anyOf\":{\"$ref\":\"#/definitions/schemaArray\"},"
    "\"oneOf\":{\"$ref\":\"#/definitions/schemaArray\"},\"not\":{\"$ref\":\"#\"}},\"default\":true}";

static const char draft_2020[] =
    "{\"$schema\":\"" DRAFT_2020 "schema\",\"$id\":\"" DRAFT_2020 "schema\",\"$vocabulary\":{"
    "\"" DRAFT_2020 "vocab/core\":true,\"" DRAFT_2020 "vocab/applicator\":true,"
    "\"" DRAFT_2020 "vocab/unevaluated\":true,\"" DRAFT_2020 "vocab/validation\":true,"
    "\"" DRAFT_2020 "vocab/meta-data\":true,\"" DRAFT_2020 "vocab/format-annotation\":true,"
    "\"" DRAFT_2020 "vocab/content\":true},\"$dynamicAnchor\":\"meta\",\"allOf\":["
    "{\"$ref\":\"meta/core\"},{\"$ref\":\"meta/applicator\"},{\"$ref\":\"meta/unevaluated\"},"
    "{\"$ref\":\"meta/validation\"},{\"$ref\":\"meta/meta-data\"},{\"$ref\":\"meta/format-annotation\"},"
    "{\"$ref\":\"meta/content\"}],\"type\":[\"object\",\"boolean\"],\"properties\":{"
    "\"definitions\":{\"type\":\"object\",\"additionalProperties\":" META ",\"deprecated\":true,\"default\":{}},"
    "\"dependencies\":{\"type\":\"object\",\"additionalProperties\":{\"anyOf\":[" META
    ",{\"$ref\":\"meta/validation#/$defs/stringArray\"}]},\"deprecated\":true,\"default\":{}},"
    "\"$recursiveAnchor\":{\"$ref\":\"meta/core#/$defs/anchorString\",\"deprecated\":true},"
    "\"$recursiveRef\":{\"$ref\":\"meta/core#/$defs/uriReferenceString\",\"deprecated\":true}}}";

static const char meta_core[] = HEAD_2020("core", "core") //
    "\"properties\":{"
    "\"$id\":{\"$ref\":\"#/$defs/uriReferenceString\",\"pattern\":\"^[^#]*#?$\"},"
    "\"$schema\":{\"$ref\":\"#/$defs/uriString\"},\"$ref\":{\"$ref\":\"#/$defs/uriReferenceString\"},"
    "\"$anchor\":{\"$ref\":\"#/$defs/anchorString\"},\"$dynamicRef\":{\"$ref\":\"#/$defs/uriReferenceString\"},"
    "\"$dynamicAnchor\":{\"$ref\":\"#/$defs/anchorString\"},"
    "\"$vocabulary\":{\"type\":\"object\",\"propertyNames\":{\"$ref\":\"#/$defs/uriString\"},"
    "\"additionalProperties\":{\"type\":\"boolean\"}},"
    "\"$comment\":{\"type\":\"string\"},\"$defs\":" META_MAP "},"
    "\"$defs\":{\"anchorString\":{\"type\":\"string\",\"pattern\":\"^[A-Za-z_][-A-Za-z0-9._]*$\"},"
    "\"uriString\":{\"type\":\"string\",\"format\":\"uri\"},"
    "\"uriReferenceString\":{\"type\":\"string\",\"format\":\"uri-reference\"}}}";

static const char meta_applicator[] = HEAD_2020("applicator", "applicator") //
    "\"properties\":{\"prefixItems\":{\"$ref\":\"#/$defs/schemaArray\"},\"items\":" META ",\"contains\":" META
    ",\"additionalProperties\":" META ",\"properties\":{\"type\":\"object\",\"additionalProperties\":" META
    ",\"default\":{}},"
    "\"patternProperties\":{\"type\":\"object\",\"additionalProperties\":" META
    ",\"propertyNames\":{\"format\":\"regex\"},\"default\":{}},"
    "\"dependentSchemas\":{\"type\":\"object\",\"additionalProperties\":" META ",\"default\":{}},"
    "\"propertyNames\":" META ",\"if\":" META ",\"then\":" META ",\"else\":" META
    ",\"allOf\":{\"$ref\":\"#/$defs/schemaArray\"},\"anyOf\":{\"$ref\":\"#/$defs/schemaArray\"},"
    "\"oneOf\":{\"$ref\":\"#/$defs/schemaArray\"},\"not\":" META "},"
    "\"$defs\":{\"schemaArray\":" META_LIST "}}";

static const char meta_unevaluated[] = HEAD_2020("unevaluated", "unevaluated") //
    "\"properties\":{\"unevaluatedItems\":" META ",\"unevaluatedProperties\":" META "}}";

static const char meta_validation[] = HEAD_2020("validation", "validation") //
    "\"properties\":{"
    "\"type\":{\"anyOf\":[{\"$ref\":\"#/$defs/simpleTypes\"},{\"type\":\"array\","
    "\"items\":{\"$ref\":\"#/$defs/simpleTypes\"},\"minItems\":1,\"uniqueItems\":true}]},"
    "\"const\":true,\"enum\":{\"type\":\"array\",\"items\":true},"
    "\"multipleOf\":{\"type\":\"number\",\"exclusiveMinimum\":0},"
    "\"maximum\":{\"type\":\"number\"},\"exclusiveMaximum\":{\"type\":\"number\"},"
    "\"minimum\":{\"type\":\"number\"},\"exclusiveMinimum\":{\"type\":\"number\"},"
    "\"maxLength\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},"
    "\"minLength\":{\"$ref\":\"#/$defs/nonNegativeIntegerDefault0\"},"
    "\"pattern\":{\"type\":\"string\",\"format\":\"regex\"},"
    "\"maxItems\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},"
    "\"minItems\":{\"$ref\":\"#/$defs/nonNegativeIntegerDefault0\"},"
    "\"uniqueItems\":{\"type\":\"boolean\",\"default\":false},"
    "\"maxContains\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},"
    "\"minContains\":{\"$ref\":\"#/$defs/nonNegativeInteger\",\"default\":1},"
    "\"maxProperties\":{\"$ref\":\"#/$defs/nonNegativeInteger\"},"
    "\"minProperties\":{\"$ref\":\"#/$defs/nonNegativeIntegerDefault0\"},"
    "\"required\":{\"$ref\":\"#/$defs/stringArray\"},"
    "\"dependentRequired\":{\"type\":\"object\",\"additionalProperties\":{\"$ref\":\"#/$defs/stringArray\"}}},"
    "\"$defs\":{\"nonNegativeInteger\":" COUNT ",\"nonNegativeIntegerDefault0\":" COUNT_0
    ",\"simpleTypes\":{\"enum\":[" TYPES "]},\"stringArray\":" STRINGS "}}";

static const char meta_data[] = HEAD_2020("meta-data", "meta-data") //
    "\"properties\":{\"title\":{\"type\":\"string\"},\"description\":{\"type\":\"string\"},\"default\":true,"
    "\"deprecated\":{\"type\":\"boolean\",\"default\":false},\"readOnly\":{\"type\":\"boolean\",\"default\":false},"
    "\"writeOnly\":{\"type\":\"boolean\",\"default\":false},\"examples\":{\"type\":\"array\",\"items\":true}}}";

static const char meta_format[] = HEAD_2020("format-annotation", "format-annotation") //
    "\"properties\":{\"format\":{\"type\":\"string\"}}}";

static const char meta_content[] = HEAD_2020("content", "content") //
    "\"properties\":{\"contentEncoding\":{\"type\":\"string\"},\"contentMediaType\":{\"type\":\"string\"},"
    "\"contentSchema\":" META "}}";

static const struct {
    const char *uri;
    struct hv_str text;
} documents[] = {
    {"http://json-schema.org/draft-07/schema", {draft_07, sizeof draft_07 - 1}},
    {DRAFT_2020 "schema", {draft_2020, sizeof draft_2020 - 1}},
    {DRAFT_2020 "meta/core", {meta_core, sizeof meta_core - 1}},
    {DRAFT_2020 "meta/applicator", {meta_applicator, sizeof meta_applicator - 1}},
    {DRAFT_2020 "meta/unevaluated", {meta_unevaluated, sizeof meta_unevaluated - 1}},
    {DRAFT_2020 "meta/validation", {meta_validation, sizeof meta_validation - 1}},
    {DRAFT_2020 "meta/meta-data", {meta_data, sizeof meta_data - 1}},
    {DRAFT_2020 "meta/format-annotation", {meta_format, sizeof meta_format - 1}},
    {DRAFT_2020 "meta/content", {meta_content, sizeof meta_content - 1}},
};

struct hv_str metaschema_text(struct hv_str uri)
{
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
        if (hv_str_is(uri, documents[i].uri))
            return documents[i].text;
    return (struct hv_str){0};
}

/*
 * save.c: adding a rule to a settings file, or setting a text, by changing the fewest bytes. All other bytes stay as
 * they are: order, blanks, line ends and numbers are the person's. The new text takes its layout from its neighbours:
 * where elements stand on lines of their own, so does the new one.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "base/utf8.h"
#include "config/loader.h"

/* Each time that it fails somebody else has saved something. */
enum { TRIES = 50 };

/* Where a list, or a single text, is in the file: the names of the members that lead to it. */
enum { LIST_NAMES_MAX = 4 };

struct list {
    const char *names[LIST_NAMES_MAX]; /* NULL ends */
    bool single;
};

static const struct list rule_lists[] = {
    [HV_ALLOW] = {{"permissions", "allow"}},
    [HV_ASK] = {{"permissions", "ask"}},
    [HV_DENY] = {{"permissions", "deny"}},
};
static const struct list domain_list = {{"sandbox", "network", "allowedDomains"}};

/* ---- where to insert ------------------------------------------------------------------------------------------ */

/* The bytes from `at` to `end` (none, but where a text is replaced) become `text`. */
struct insertion {
    size_t at, end;
    struct hv_buf text;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The blanks that end at `end`. */
static struct hv_str blanks_before(struct hv_str text, size_t end)
{
    size_t from = end;
    while (from > 0 && is_blank(text.ptr[from - 1]))
        from--;
    return hv_str_slice(text, from, end);
}

static struct hv_str blanks_after(struct hv_str text, size_t from)
{
    size_t end = from;
    while (end < text.len && is_blank(text.ptr[end]))
        end++;
    return hv_str_slice(text, from, end);
}

static bool has_line_end(struct hv_str blanks)
{
    return hv_str_find_byte(blanks, '\n', 0) != SIZE_MAX;
}

/*
 * Begin inserting a new last child of container: `at` is set and what separates it from its neighbour is written; the
 * child itself is for the caller to append.
 */
static void begin_child(struct hv_str file, const struct hv_json *container, struct insertion *insertion)
{
    const struct hv_json *last = container->first;
    while (last && last->next)
        last = last->next;
    if (last) {
        struct hv_str blanks = blanks_before(file, container->type == HV_JSON_OBJECT ? last->key_start : last->start);
        insertion->at = insertion->end = last->end;
        hv_buf_add_byte(&insertion->text, ',');
        if (blanks.len && (container->count > 1 || has_line_end(blanks)))
            hv_buf_add_str(&insertion->text, blanks);
        else if (container->count == 1)
            hv_buf_add_byte(&insertion->text, ' ');
        return;
    }
    /* An empty container that spans lines: one step further in than its closing bracket. */
    struct hv_str inside = blanks_after(file, container->start + 1);
    insertion->at = insertion->end = container->start + 1;
    if (has_line_end(inside)) {
        size_t last_line = hv_str_rfind_byte(inside, '\n');
        size_t begin = last_line > 0 && inside.ptr[last_line - 1] == '\r' ? last_line - 1 : last_line;
        hv_buf_add_str(&insertion->text, hv_str_slice(inside, begin, inside.len));
        hv_buf_add_cstr(&insertion->text, "  ");
    }
}

static void put_string(struct hv_buf *out, struct hv_str text)
{
    hv_buf_add_byte(out, '"');
    hv_json_escape(out, text);
    hv_buf_add_byte(out, '"');
}

static enum hv_code fail_shape(const struct source *source, const struct list *list, size_t depth, struct hv_error *err)
{
    char path[128] = "";
    for (size_t i = 0, at = 0; i <= depth; i++)
        at += (size_t)snprintf(path + at, sizeof path - at, "%s%s", i ? "." : "", list->names[i]);
    return hv_fail(err, HV_EINVAL, "\"%s\" in %.*s is not an %s", path, HV_STR_ARG(source->file),
                   list->names[depth + 1] ? "object" : "array");
}

static const char *opening(const struct list *list, size_t name)
{
    return list->names[name + 1] ? "{" : list->single ? "" : "[";
}

static const char *closing(const struct list *list, size_t name, size_t count)
{
    return name < count ? "}" : list->single ? "" : "]";
}

/* Decide on the insertion. HV_EINVAL when the file has another shape. */
static enum hv_code plan(const struct source *source, const struct list *list, struct hv_str rule,
                         struct insertion *insertion, struct hv_error *err)
{
    const struct hv_json *at = source->json;
    size_t depth = 0, count = 0;
    while (list->names[depth]) {
        const struct hv_json *next = hv_json_get(at, list->names[depth]);
        if (!next)
            break;
        if (list->single && !list->names[depth + 1]) {
            insertion->at = next->start;
            insertion->end = next->end;
            put_string(&insertion->text, rule);
            return HV_OK;
        }
        if (next->type != (list->names[depth + 1] ? HV_JSON_OBJECT : HV_JSON_ARRAY))
            return fail_shape(source, list, depth, err);
        at = next;
        depth++;
    }
    begin_child(source->text, at, insertion);
    for (count = depth; list->names[count]; count++)
        hv_buf_addf(&insertion->text, "\"%s\": %s", list->names[count], opening(list, count));
    put_string(&insertion->text, rule);
    for (size_t i = count; i > depth; i--)
        hv_buf_add_cstr(&insertion->text, closing(list, i, count));
    return HV_OK;
}

/* ---- reading and writing -------------------------------------------------------------------------------------- */

static bool has_rule(const struct hv_json *json, const struct list *list, struct hv_str rule)
{
    for (size_t i = 0; list->names[i]; i++)
        json = hv_json_get(json, list->names[i]);
    if (list->single)
        return hv_str_eq(hv_json_string(json), rule);
    hv_json_each(item, json) if (item->type == HV_JSON_STRING && hv_str_eq(hv_str_trim(item->text), rule)) return true;
    return false;
}

static void indent(struct hv_buf *out, size_t steps)
{
    hv_buf_addf(out, "\n%*s", (int)(2 * steps), "");
}

static void put_new_file(const struct list *list, struct hv_str rule, struct hv_buf *out)
{
    size_t count = 0;
    hv_buf_add_byte(out, '{');
    for (; list->names[count]; count++) {
        indent(out, count + 1);
        hv_buf_addf(out, "\"%s\": %s", list->names[count], opening(list, count));
    }
    if (!list->single)
        indent(out, count + 1);
    put_string(out, rule);
    for (size_t i = list->single ? count - 1 : count; i > 0; i--) {
        indent(out, i);
        hv_buf_add_cstr(out, closing(list, i, count));
    }
    hv_buf_add_cstr(out, "\n}\n");
}

static const char *list_noun(const struct list *list)
{
    return list->single ? "setting" : "rule";
}

/* What is to be saved must read back as what was meant. */
static enum hv_code check_outcome(struct hv_arena *arena, struct hv_str text, const struct list *list,
                                  struct hv_str rule, struct hv_error *err)
{
    const struct hv_json *json = NULL;
    if (text.len > SETTINGS_FILE_MAX)
        return hv_fail(err, HV_ETOOBIG, "the settings file would be larger than %d KiB", (int)SETTINGS_FILE_MAX / 1024);
    enum hv_code code = hv_json_parse(arena, text, HV_JSON_ALLOW_BOM, &json, err);
    if (code == HV_OK && !has_rule(json, list, rule))
        code = hv_fail(err, HV_EINTERNAL, "the %s would not read back as it is", list_noun(list));
    return code;
}

static enum hv_code fail_broken(const struct source *source, const struct list *list, struct hv_error *err)
{
    if (!err)
        return HV_EINVAL;
    struct hv_error why = *err;
    hv_fail(err, HV_EINVAL, "the %s is not saved, because %.*s cannot be read: %s", list_noun(list),
            HV_STR_ARG(source->file), why.message);
    hv_error_hint(err, "mend the file first; it was left as it is");
    if (why.place[0])
        hv_error_place(err, "%.*s:%s", HV_STR_ARG(source->file), why.place);
    return HV_EINVAL;
}

struct target {
    const struct settings_options *options;
    struct source source;
    struct hv_buf bytes; /* of the file as it is */
    struct hv_file_stat stat;
    const struct list *list;
    struct hv_str rule;
};

static enum hv_code write_target(struct target *target, struct hv_arena *arena, struct hv_str text, bool exists,
                                 struct hv_error *err)
{
    struct hv_write_options how = {
        .expected = exists ? &target->stat : NULL,
        .expected_bytes = hv_buf_str(&target->bytes),
        .must_not_exist = !exists,
        .make_parents = true,
        /* A person's settings may hold keys of services. */
        .mode = target->source.scope == SETTINGS_USER ? 0600 : 0,
    };
    const struct hv_host *host = target->options->host;
    enum hv_code code = check_outcome(arena, text, target->list, target->rule, err);
    if (code == HV_OK)
        code = host->write(host, target->source.file, text, &how, NULL, err);
    return code == HV_EEXIST
               ? hv_fail(err, HV_ECONFLICT, "%.*s was just made by another program", HV_STR_ARG(target->source.file))
               : code;
}

static enum hv_code insert_rule(struct target *target, struct hv_arena *arena, struct hv_error *err)
{
    struct hv_str file = hv_buf_str(&target->bytes);
    size_t mark = hv_str_starts(file, HV_STR("\xef\xbb\xbf")) ? 3 : 0;
    target->source.text = hv_str_slice(file, mark, SIZE_MAX);
    if (source_parse(arena, &target->source, err) != HV_OK)
        return fail_broken(&target->source, target->list, err);
    if (has_rule(target->source.json, target->list, target->rule))
        return HV_OK;
    CLEANUP_BUF struct hv_buf out = {0};
    struct insertion insertion = {0};
    hv_buf_init(&insertion.text, SETTINGS_FILE_MAX);
    hv_buf_init(&out, (size_t)2 * SETTINGS_FILE_MAX);
    enum hv_code code = plan(&target->source, target->list, target->rule, &insertion, err);
    hv_buf_add_str(&out, hv_str_slice(file, 0, mark + insertion.at));
    hv_buf_add_str(&out, hv_buf_str(&insertion.text));
    hv_buf_add_str(&out, hv_str_slice(file, mark + insertion.end, SIZE_MAX));
    bool too_large = insertion.text.failed || out.failed;
    hv_buf_release(&insertion.text);
    if (code == HV_OK && too_large)
        code = hv_fail(err, HV_ETOOBIG, "the %s is too long", list_noun(target->list));
    return code == HV_OK ? write_target(target, arena, hv_buf_str(&out), true, err) : code;
}

static enum hv_code save(struct target *target, struct hv_arena *arena, struct hv_error *err)
{
    const struct hv_host *host = target->options->host;
    enum hv_code code =
        host->read(host, target->source.file, 0, SETTINGS_FILE_MAX + 1, &target->bytes, &target->stat, err);
    if (code == HV_OK)
        return insert_rule(target, arena, err);
    if (code != HV_ENOTFOUND)
        return code;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, SETTINGS_FILE_MAX);
    put_new_file(target->list, target->rule, &text);
    return text.failed ? hv_fail(err, HV_ETOOBIG, "the %s is too long", list_noun(target->list))
                       : write_target(target, arena, hv_buf_str(&text), false, err);
}

/* A project's file must lie in the project: a link in the tree could lead the rule into the person's own settings. */
static enum hv_code check_inside(const struct target *target, struct hv_arena *arena, struct hv_error *err)
{
    const struct settings_options *options = target->options;
    struct hv_str file, project, path = target->source.file;
    if (!scope_is_project(target->source.scope))
        return HV_OK;
    enum hv_code code = options->host->resolve(options->host, arena, path, &file, err);
    if (code == HV_OK) /* the project is what holds `.helve` */
        code = options->host->resolve(options->host, arena, path_parent(path_parent(path)), &project, err);
    if (code != HV_OK || path_inside(file, project))
        return code;
    hv_fail(err, HV_EDENIED, "the rule is not saved, because %.*s leads out of the project, to %.*s", HV_STR_ARG(path),
            HV_STR_ARG(file));
    hv_error_hint(err, "replace the link by a file, or save the rule in the user settings");
    return HV_EDENIED;
}

static enum hv_code add_to_file(struct target *target, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    enum hv_code code = check_inside(target, &arena, err);
    if (code != HV_OK)
        return code;
    hv_buf_init(&target->bytes, SETTINGS_FILE_MAX);
    code = save(target, &arena, err);
    hv_buf_release(&target->bytes);
    return code;
}

static enum hv_code add_to_list(const struct settings_options *options, enum settings_scope scope,
                                const struct list *list, struct hv_str rule, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct target target = {.options = options, .list = list, .rule = hv_str_trim(rule)};
    target.source = (struct source){.scope = scope, .file = settings_file(options, &arena, scope)};
    if (!list->names[0] || !target.rule.len)
        return hv_fail(err, HV_EINVAL, "a rule needs a text, and allows, asks or denies");
    if (!target.source.file.len)
        return hv_fail(err, HV_EINVAL, "rules are saved in the project-local, project or user settings");
    if (!utf8_valid(target.rule) || target.rule.len > SETTINGS_FILE_MAX / 2)
        return hv_fail(err, HV_EINVAL, "the rule is no UTF-8 text, or too long");
    /* Another helve may save at the same moment, or a person: read again, and add to what was written. */
    enum hv_code code = HV_OK;
    struct settings_options lasting = *options;
    lasting.trust_this_run = false;
    bool trusted = scope_is_project(scope) && settings_trust_state(&lasting) == SETTINGS_TRUSTED;
    for (int i = 0; i < TRIES; i++) {
        code = add_to_file(&target, err);
        if (code != HV_ECONFLICT)
            break;
    }
    /* The rule is the person's word: what was trusted with it is trusted still. */
    return code == HV_OK && trusted ? settings_trust_folder(options, err) : code;
}

enum hv_code settings_add_rule(const struct settings_options *options, enum settings_scope scope,
                               enum hv_verdict verdict, struct hv_str rule, struct hv_error *err)
{
    return add_to_list(options, scope, &rule_lists[verdict], rule, err);
}

enum hv_code settings_add_domain(const struct settings_options *options, enum settings_scope scope,
                                 struct hv_str domain, struct hv_error *err)
{
    return add_to_list(options, scope, &domain_list, domain, err);
}

enum hv_code settings_set_text(const struct settings_options *options, enum settings_scope scope, const char *name,
                               struct hv_str text, struct hv_error *err)
{
    struct list list = {.names = {name}, .single = true};
    return add_to_list(options, scope, &list, text, err);
}

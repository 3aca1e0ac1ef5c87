/*
 * trust.c: which projects the person trusts. The store is `trust.json` in the state directory:
 *   {"version": 1, "folders": ["/home/me/project", …], "fingerprints": {"/home/me/project": "<SHA-256>", …}}
 *
 * The key is the real path of the project's folder. Not that of its git directory: `.git` may be a file in the checked
 * out tree that points anywhere, and would lend the trust of another project. A folder inside a trusted one is not
 * trusted by that. The fingerprint is that of the files that helve obeys there (fingerprint.c): what changed since is
 * not trusted until a person has said so again. A folder without one was trusted before there were any: it stays so,
 * with what it has at the first look.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "base/utf8.h"
#include "config/loader.h"

enum { TRIES = 5 };

/* The store as read. text is "" when there is none yet. */
struct store {
    struct hv_str file;
    struct hv_buf bytes;
    struct hv_file_stat stat;
    bool exists;
    const struct hv_json *folders, *fingerprints;
};

static enum hv_code open_store(const struct settings_options *options, const struct locations *locations,
                               struct hv_arena *arena, struct store *store, struct hv_error *err)
{
    *store =
        (struct store){.file = path_expand(arena, HV_STR("trust.json"), locations->state_directory, options->home)};
    hv_buf_init(&store->bytes, SETTINGS_FILE_MAX);
    enum hv_code code =
        options->host->read(options->host, store->file, 0, SETTINGS_FILE_MAX + 1, &store->bytes, &store->stat, err);
    if (code == HV_ENOTFOUND)
        return HV_OK;
    const struct hv_json *json = NULL;
    if (code == HV_OK)
        code = hv_json_parse(arena, hv_buf_str(&store->bytes), HV_JSON_ALLOW_BOM, &json, err);
    store->folders = hv_json_get(json, "folders");
    store->fingerprints = hv_json_get(json, "fingerprints");
    if (code == HV_OK && hv_json_type_of(store->folders) != HV_JSON_ARRAY)
        code = hv_fail(err, HV_EINVAL, "\"folders\" should be an array");
    if (code != HV_OK) {
        hv_error_prefix(err, "the trust store %.*s cannot be used: ", HV_STR_ARG(store->file));
        hv_error_hint(err, "mend the file or remove it: then no folder is trusted");
        return code;
    }
    store->exists = true;
    return HV_OK;
}

static bool has_folder(const struct store *store, struct hv_str folder)
{
    hv_json_each(item, store->folders) if (item->type == HV_JSON_STRING && hv_str_eq(item->text, folder)) return true;
    return false;
}

static enum hv_code real_folder(const struct settings_options *options, const struct locations *locations,
                                struct hv_arena *arena, struct hv_str *out, struct hv_error *err)
{
    return options->host->resolve(options->host, arena, locations->project, out, err);
}

static enum hv_code add_folder(const struct settings_options *options, const struct locations *locations,
                               struct hv_arena *arena, struct hv_str folder, struct hv_error *err);

/* What stands in the store for the folder is what is there. */
static bool is_as_trusted(const struct settings_options *options, const struct locations *locations,
                          struct hv_arena *arena, const struct store *store, struct hv_str folder)
{
    const struct hv_json *kept = hv_json_get_str(store->fingerprints, folder);
    if (kept)
        return kept->type == HV_JSON_STRING && hv_str_eq(kept->text, fingerprint_of(options, locations, arena));
    (void)!add_folder(options, locations, arena, folder, NULL); /* the next look tries again */
    return true;
}

enum settings_trust trust_of(const struct settings_options *options, const struct locations *locations, bool *changed)
{
    *changed = false;
    if (!locations->project_has_settings)
        return SETTINGS_TRUST_NOT_NEEDED;
    if (options->trust_this_run)
        return SETTINGS_TRUSTED;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct store store;
    struct hv_str folder;
    bool known = open_store(options, locations, &arena, &store, NULL) == HV_OK && store.exists &&
                 real_folder(options, locations, &arena, &folder, NULL) == HV_OK && has_folder(&store, folder);
    bool trusted = known && is_as_trusted(options, locations, &arena, &store, folder);
    *changed = known && !trusted;
    hv_buf_release(&store.bytes);
    return trusted ? SETTINGS_TRUSTED : SETTINGS_UNTRUSTED;
}

void settings_trust_changes(const struct settings_options *options, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct locations locations;
    struct hv_str folder;
    locations_find(options, &arena, &locations);
    if (real_folder(options, &locations, &arena, &folder, NULL) == HV_OK)
        fingerprint_changes(options, &locations, &arena, folder, out);
}

enum settings_trust settings_trust_state(const struct settings_options *options)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct locations locations;
    bool changed;
    locations_find(options, &arena, &locations);
    return trust_of(options, &locations, &changed);
}

/* ---- remembering ---------------------------------------------------------------------------------------------- */

static void put_store(const struct store *store, struct hv_str folder, struct hv_str fingerprint, struct hv_buf *out)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_int(&writer, "version", 1);
    hv_json_name(&writer, "folders");
    hv_json_begin_array(&writer);
    hv_json_each(item, store->folders) hv_json_put_value(&writer, item);
    if (!has_folder(store, folder))
        hv_json_put_string(&writer, folder);
    hv_json_end_array(&writer);
    hv_json_name(&writer, "fingerprints");
    hv_json_begin_object(&writer);
    hv_json_each(item, store->fingerprints) if (!hv_str_eq(item->key, folder))
    {
        hv_json_name_str(&writer, item->key);
        hv_json_put_value(&writer, item);
    }
    hv_json_name_str(&writer, folder);
    hv_json_put_string(&writer, fingerprint);
    hv_json_end_object(&writer);
    hv_json_end_object(&writer);
    hv_buf_add_byte(out, '\n');
}

static enum hv_code add_folder(const struct settings_options *options, const struct locations *locations,
                               struct hv_arena *arena, struct hv_str folder, struct hv_error *err)
{
    struct store store;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, SETTINGS_FILE_MAX);
    enum hv_code code = open_store(options, locations, arena, &store, err);
    struct hv_str sum = code == HV_OK ? fingerprint_keep(options, locations, arena, folder) : (struct hv_str){0};
    const struct hv_json *kept = hv_json_get_str(store.fingerprints, folder);
    bool is_new = !has_folder(&store, folder) || !kept || !hv_str_eq(kept->text, sum);
    if (code == HV_OK && is_new) {
        put_store(&store, folder, sum, &text);
        struct hv_write_options how = {
            .expected = store.exists ? &store.stat : NULL,
            .expected_bytes = hv_buf_str(&store.bytes),
            .must_not_exist = !store.exists,
            .make_parents = true,
            .mode = 0600,
        };
        code = text.failed ? hv_fail(err, HV_ETOOBIG, "the trust store is full: remove %.*s", HV_STR_ARG(store.file))
                           : options->host->write(options->host, store.file, hv_buf_str(&text), &how, NULL, err);
    }
    hv_buf_release(&store.bytes);
    return code;
}

enum hv_code settings_trust_folder(const struct settings_options *options, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct locations locations;
    struct hv_str folder;
    locations_find(options, &arena, &locations);
    enum hv_code code = real_folder(options, &locations, &arena, &folder, err);
    if (code == HV_OK && !utf8_valid(folder))
        code = hv_fail(err, HV_EUNSUPPORTED, "a folder whose path is not UTF-8 cannot be remembered; use --trust");
    if (code != HV_OK)
        return code;
    /* Another helve may write at the same moment: read again, and add to what it wrote. */
    for (int i = 0; i < TRIES; i++) {
        code = add_folder(options, &locations, &arena, folder, err);
        if (code != HV_ECONFLICT && code != HV_EEXIST)
            break;
    }
    return code;
}

/* harness.c: see harness.h. */
#include "harness.h"

#include "base/cleanup.h"
#include "schema/fields.h"

#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 64 << 20 };

extern char **environ;

/* ---- services ------------------------------------------------------------------------------------------- */

static struct session *session_of(struct hv_context *context)
{
    return (struct session *)((char *)context - offsetof(struct session, context));
}

static void *state(struct hv_context *context, const struct hv_state_key *key)
{
    struct session *session = session_of(context);
    for (struct session_state *known = session->states; known; known = known->next)
        if (known->key == key)
            return known->value;
    struct session_state *fresh = hv_calloc(1, sizeof *fresh);
    *fresh = (struct session_state){.key = key, .value = hv_calloc(1, key->size), .next = session->states};
    if (key->init)
        key->init(fresh->value);
    session->states = fresh;
    return fresh->value;
}

static const struct hv_tool_set *tool_set(struct hv_context *context)
{
    return &session_of(context)->tools;
}

static void progress(struct hv_context *context, struct hv_str text)
{
    assert_true(text.len > 0);
    session_of(context)->progress++;
}

static void set_directory(struct hv_context *context, struct hv_str path)
{
    struct session *session = session_of(context);
    session->directory = hv_arena_str(&session->own, path);
}

static void activate_tool(struct hv_context *context, struct hv_str name)
{
    hv_buf_add_str(&session_of(context)->activated, name);
    hv_buf_add_byte(&session_of(context)->activated, ' ');
}

static void add_message(struct hv_context *context, struct hv_str text)
{
    (void)context, (void)text;
    fail_msg("no tool here adds messages");
}

static bool hides_path(struct hv_context *context, struct hv_str path)
{
    const char *hidden = session_of(context)->hidden;
    assert_true(path.len && path.ptr[0] == '/');
    return hidden && hv_str_find(path, hv_str_from(hidden), 0) != SIZE_MAX;
}

static const struct hv_services services = {
    .state = state,
    .tool_set = tool_set,
    .progress = progress,
    .set_directory = set_directory,
    .activate_tool = activate_tool,
    .add_message = add_message,
    .hides_path = hides_path,
};

/* ---- the session ---------------------------------------------------------------------------------------- */

void session_open(struct session *session)
{
    memset(session, 0, sizeof *session);
    char made[] = "/tmp/helve-test-XXXXXX", real[4096];
    assert_non_null(mkdtemp(made));
    assert_non_null(realpath(made, real));
    session->root = hv_arena_str(&session->own, hv_str_from(real));
    session->cancel = hv_cancel_new();
    assert_non_null(session->cancel);
    hv_buf_init(&session->activated, 4096);
    struct hv_str results = hv_arena_format(&session->own, "%s.results", real);
    assert_int_equal(mkdir(results.ptr, 0700), 0);
    session->context = (struct hv_context){
        .arena = &session->call,
        .host = hv_host_local(),
        .services = &services,
        .cancel = session->cancel,
        .call_id = HV_STR("call_1"),
        .directory = session->root,
        .home = hv_arena_format(&session->own, "%s/home", real),
        .roots = &session->root,
        .root_count = 1,
        .results_directory = results,
        .environment = (const char *const *)environ,
    };
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    return remove(path);
}

/* Directories that a test has locked must open again before they can be emptied. */
static int unlock_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)where;
    if (type == FTW_D || type == FTW_DNR)
        (void)!chmod(path, status->st_mode | 0700);
    return 0;
}

static void remove_tree(struct hv_str path)
{
    (void)nftw(path.ptr, unlock_entry, 16, FTW_PHYS);
    assert_int_equal(nftw(path.ptr, remove_entry, 16, FTW_PHYS | FTW_DEPTH), 0);
}

void session_close(struct session *session)
{
    while (session->states) {
        struct session_state *known = session->states;
        session->states = known->next;
        if (known->key->release)
            known->key->release(known->value);
        free(known->value);
        free(known);
    }
    remove_tree(session->root);
    remove_tree(session->context.results_directory);
    hv_cancel_free(session->cancel);
    hv_buf_release(&session->activated);
    hv_arena_release(&session->call);
    hv_arena_release(&session->own);
}

/* ---- calls ---------------------------------------------------------------------------------------------- */

static void collect_text(struct session *session)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, FILE_MAX);
    for (const struct hv_content *block = session->result.first; block; block = block->next) {
        if (block != session->result.first)
            hv_buf_add_byte(&text, '\n');
        hv_buf_add_str(&text, block->text);
        hv_buf_add_str(&text, block->head);
        hv_buf_add_str(&text, block->tail);
    }
    session->text = hv_arena_str(&session->call, hv_buf_str(&text));
}

static enum hv_code run(struct session *session, const struct hv_tool *tool, struct hv_str input)
{
    struct fields_faults faults = {0};
    void *decoded = hv_arena_zalloc(&session->call, 1, tool->input_size);
    enum hv_code code =
        fields_decode_text(tool->fields, hv_arena_str(&session->call, input), &session->call, decoded, NULL, &faults);
    if (code)
        return fields_faults_to_error(&faults, tool->name, &session->err);
    fields_expand_paths(tool->fields, decoded, &session->call, session->context.directory, session->context.home);
    if (tool->backfill)
        tool->backfill(decoded, &session->context);
    code = tool->validate ? tool->validate(decoded, &session->context, &session->err) : HV_OK;
    if (code)
        return code;
    struct hv_footprint footprint = {0};
    if (tool->footprint)
        tool->footprint(decoded, &session->context, &footprint);
    CLEANUP_BUF struct hv_buf shown = {0};
    hv_buf_init(&shown, FILE_MAX);
    if (tool->render_use)
        tool->render_use(decoded, &session->context, &shown);
    void *data = NULL;
    code = tool->call(decoded, &session->context, &data, &session->result, &session->err);
    if (!code && tool->to_result && data)
        tool->to_result(data, &session->context, &session->result);
    return code;
}

void call_raw(struct session *session, const struct hv_tool *tool, struct hv_str input)
{
    hv_arena_release(&session->call);
    session->result = (struct hv_result){0};
    session->err = (struct hv_error){0};
    session->context.tool = tool;
    session->code = run(session, tool, input);
    session->failed = session->code || session->result.is_error;
    if (session->code) {
        assert_int_equal(session->err.code, session->code);
        session->text = hv_arena_format(&session->call, "%s\n%s", session->err.message, session->err.hint);
    } else {
        collect_text(session);
    }
}

void call(struct session *session, const struct hv_tool *tool, const char *input)
{
    CLEANUP_FREE char *json = hv_strdup(input);
    for (char *at = json; *at; at++)
        if (*at == '\'')
            *at = '"';
    call_raw(session, tool, hv_str_from(json));
}

/* ---- what is expected ------------------------------------------------------------------------------------ */

static void show(const struct session *session)
{
    print_error("--- the answer (%s) ---\n%.*s\n---\n", hv_code_name(session->code), HV_STR_ARG(session->text));
}

void expect_has(struct session *session, const char *part)
{
    if (hv_str_find(session->text, hv_str_from(part), 0) != SIZE_MAX)
        return;
    show(session);
    fail_msg("the answer lacks: %s", part);
}

void expect_lacks(struct session *session, const char *part)
{
    if (hv_str_find(session->text, hv_str_from(part), 0) == SIZE_MAX)
        return;
    show(session);
    fail_msg("the answer has: %s", part);
}

void expect_text(struct session *session, const char *text)
{
    if (hv_str_is(session->text, text))
        return;
    show(session);
    fail_msg("the answer is not:\n%s", text);
}

void expect_fine(struct session *session)
{
    if (!session->failed)
        return;
    show(session);
    fail_msg("the call failed");
}

void expect_failure(struct session *session, const char *part)
{
    expect_has(session, part);
    if (session->failed)
        return;
    show(session);
    fail_msg("the call did not fail");
}

/* ---- files ---------------------------------------------------------------------------------------------- */

const char *file_path(struct session *session, const char *name)
{
    return hv_arena_format(&session->own, "%s/%s", session->root.ptr, name).ptr;
}

void directory_make(struct session *session, const char *name)
{
    const struct hv_host *host = hv_host_local();
    assert_int_equal(host->make_directories(host, hv_str_from(file_path(session, name)), NULL), HV_OK);
}

void file_put_bytes(struct session *session, const char *name, struct hv_str bytes)
{
    const char *path = file_path(session, name), *slash = strrchr(name, '/');
    if (slash)
        directory_make(session, hv_arena_cstr(&session->own, hv_str_of(name, (size_t)(slash - name))));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

void file_put(struct session *session, const char *name, const char *text)
{
    file_put_bytes(session, name, hv_str_from(text));
}

struct hv_str file_get(struct session *session, const char *name)
{
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, FILE_MAX);
    const struct hv_host *host = hv_host_local();
    struct hv_error err;
    if (host->read(host, hv_str_from(file_path(session, name)), 0, FILE_MAX, &bytes, NULL, &err))
        fail_msg("%s", err.message);
    return hv_arena_str(&session->own, hv_buf_str(&bytes));
}

void expect_file(struct session *session, const char *name, const char *text)
{
    struct hv_str bytes = file_get(session, name);
    if (!hv_str_is(bytes, text))
        fail_msg("%s holds:\n%.*s\ninstead of:\n%s", name, HV_STR_ARG(bytes), text);
}

bool file_exists(struct session *session, const char *name)
{
    struct stat status;
    return lstat(file_path(session, name), &status) == 0;
}

void file_set_time(struct session *session, const char *name, int seconds)
{
    struct timespec times[2] = {{.tv_sec = 1700000000 + seconds}, {.tv_sec = 1700000000 + seconds}};
    assert_int_equal(utimensat(AT_FDCWD, file_path(session, name), times, AT_SYMLINK_NOFOLLOW), 0);
}

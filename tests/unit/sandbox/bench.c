/* bench.c: see bench.h. */
#include "bench.h"

#include "proc/process.h"

void write_text(struct bench *bench, const char *name, const char *text)
{
    char *path = hv_arena_cstr(&bench->arena, path_expand(&bench->arena, hv_str_from(name), bench->top, bench->home));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

void make_folder(struct bench *bench, const char *name)
{
    char *path = hv_arena_cstr(&bench->arena, path_expand(&bench->arena, hv_str_from(name), bench->top, bench->home));
    assert_int_equal(mkdir(path, 0755), 0);
}

bool is_there(struct bench *bench, const char *name)
{
    struct stat status;
    char *path = hv_arena_cstr(&bench->arena, path_expand(&bench->arena, hv_str_from(name), bench->top, bench->home));
    return lstat(path, &status) == 0;
}

static void on_tell(void *user, struct hv_str sentence)
{
    struct bench *bench = user;
    bench->told = hv_arena_str(&bench->arena, sentence);
}

void make_bench(struct bench *bench, const char *settings)
{
    make_bench_below(bench, "/tmp", settings);
}

void make_bench_below(struct bench *bench, const char *folder, const char *settings)
{
    char top[64];
    const struct hv_json *json;
    *bench = (struct bench){0};
    hv_buf_init(&bench->output, 1 << 20);
    snprintf(top, sizeof top, "%s/helve-unit-XXXXXX", folder);
    assert_non_null(mkdtemp(top));
    bench->top = hv_arena_str(&bench->arena, hv_str_from(top));
    bench->project = hv_arena_join(&bench->arena, bench->top, HV_STR("/project"));
    bench->home = hv_arena_join(&bench->arena, bench->top, HV_STR("/home"));
    make_folder(bench, "project");
    make_folder(bench, "home");
    make_folder(bench, "home/.ssh");
    write_text(bench, "home/.ssh/id_ed25519", "the secret key\n");
    write_text(bench, "home/.netrc", "the secret login\n");
    write_text(bench, "outside.txt", "outside\n");
    make_folder(bench, "project/.git");
    make_folder(bench, "project/.git/hooks");
    write_text(bench, "project/.git/config", "[core]\n");
    assert_int_equal(hv_json_parse(&bench->arena, hv_str_from(settings), 0, &json, NULL), HV_OK);
    sandbox_options_add(&bench->options, &bench->arena, json, bench->project, bench->home, NULL, NULL);
    struct sandbox_setup setup = {
        .host = hv_host_local(),
        .options = &bench->options,
        .home = bench->home,
        .roots = &bench->project,
        .root_count = 1,
        .tell = on_tell,
        .user = bench,
    };
    bench->sandbox = sandbox_new(&setup);
}

void open_bench(struct bench *bench, const char *settings)
{
    make_bench(bench, settings);
    sandbox_look(bench->sandbox, &bench->state);
}

static void remove_tree(const char *path)
{
    const char *const argv[] = {"rm", "-rf", path, NULL};
    struct hv_command command = {.argv = argv};
    struct hv_exit end;
    assert_int_equal(hv_host_local()->run(hv_host_local(), &command, &end, NULL), HV_OK);
}

void close_bench(struct bench *bench)
{
    sandbox_free(bench->sandbox);
    remove_tree(hv_arena_cstr(&bench->arena, bench->top));
    hv_buf_release(&bench->output);
    hv_arena_release(&bench->arena);
}

bool keep(void *user, enum hv_stream stream, struct hv_str bytes)
{
    struct hv_buf *out = user;
    (void)stream;
    hv_buf_add_str(out, bytes);
    return true;
}

/* Run a script in the project, confined; its output, exit and notes are in the bench. */
void run(struct bench *bench, const char *script)
{
    struct sandbox_run run;
    struct hv_error err;
    const char *const bash[] = {"bash", "-c", script, NULL};
    hv_buf_clear(&bench->output);
    assert_int_equal(sandbox_begin(bench->sandbox, &bench->arena, hv_str_from(script), false, false, &run, &err),
                     HV_OK);
    struct hv_command command = {
        .argv = sandbox_argv(&run, &bench->arena, bash),
        .directory = hv_arena_cstr(&bench->arena, bench->project),
        .timeout_ns = 30000000000ull,
        .grace_ns = 2000000000ull,
        .on_output = keep,
        .user = &bench->output,
    };
    assert_int_equal(hv_host_local()->run(hv_host_local(), &command, &bench->end, &err), HV_OK);
    bench->notes = sandbox_end(bench->sandbox, &run, &bench->arena, hv_buf_str(&bench->output), bench->project,
                               bench->end.code != 0);
}

/* The same as Bash runs it: with what was started ahead, where that serves. True when it did. */
bool run_ahead(struct bench *bench, const char *script)
{
    const struct hv_processes *processes = hv_host_local()->processes;
    struct sandbox_run run;
    struct hv_process *process;
    const char *const bash[] = {"bash", "-c", script, NULL}, *const environment[] = {"PATH=/usr/bin:/bin", "A=b", NULL};
    hv_buf_clear(&bench->output);
    assert_int_equal(sandbox_begin(bench->sandbox, &bench->arena, hv_str_from(script), false, false, &run, NULL),
                     HV_OK);
    struct hv_command command = {
        .argv = sandbox_argv(&run, &bench->arena, bash),
        .environment = environment,
        .directory = hv_arena_cstr(&bench->arena, bench->project),
        .timeout_ns = 30000000000ull,
        .on_output = keep,
        .user = &bench->output,
        .lingers = true,
        .one_output = true,
        .prepared = &run.prepared,
    };
    assert_int_equal(processes->start(hv_host_local(), &command, &process, NULL), HV_OK);
    assert_null(run.prepared);
    bool ahead = process->late_words != NULL;
    processes->attend(process, 0);
    assert_int_equal(processes->finish(process, &bench->end, NULL), HV_OK);
    bench->notes = sandbox_end(bench->sandbox, &run, &bench->arena, hv_buf_str(&bench->output), bench->project,
                               bench->end.code != 0);
    return ahead;
}

/* Run it until one was ready for it; then leave time for the next to become ready. */
void run_until_ahead(struct bench *bench, const char *script)
{
    sandbox_keep_ready(bench->sandbox, false);
    for (int tries = 0; !run_ahead(bench, script); tries++) {
        assert_true(tries < 100);
        usleep(100000);
    }
    usleep(300000);
}

bool wrote(const struct bench *bench, const char *text)
{
    return hv_str_find(hv_buf_str(&bench->output), hv_str_from(text), 0) != SIZE_MAX;
}

void assert_wrote(const struct bench *bench, const char *text)
{
    if (!wrote(bench, text))
        fail_msg("\"%s\" is not in:\n%.*s", text, HV_STR_ARG(hv_buf_str(&bench->output)));
}

bool is_noted(const struct bench *bench, const char *text)
{
    return hv_str_find(bench->notes, hv_str_from(text), 0) != SIZE_MAX;
}

bool is_full(const struct bench *bench)
{
    return bench->state.level == SANDBOX_LEVEL_FULL;
}

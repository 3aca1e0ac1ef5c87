/*
 * bash_class.c: any bytes judged as a script. The judgement never fails, and holds together: what bash would not accept
 * is not harmless; the whole is as bad as its worst act; what only reads writes nothing; paths are absolute; a harmful
 * line before the text is never lost; twice the same text gives the same.
 */
#include "base/cleanup.h"
#include "parts.h"
#include "shell/class.h"

static bool git_is_quiet(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                         struct hv_str *why)
{
    (void)user, (void)arena, (void)subcommand;
    *why = HV_STR("far away");
    return hv_str_is(directory, "/ws");
}

static bool is_system_program(void *user, struct hv_str name)
{
    (void)user;
    return name.len < 20;
}

static const struct shell_world world = {.git_is_quiet = git_is_quiet, .is_system_program = is_system_program};
static const struct shell_start start = {{"/ws", 3}, {"/home/u", 7}, NULL, NULL, true};

static void check_paths(const struct shell_access *list, size_t count, bool listed)
{
    for (size_t i = 0; i < count; i++) {
        FUZZ_CHECK(!list[i].path.ptr || (list[i].path.len && list[i].path.ptr[0] == '/'));
        FUZZ_CHECK(list[i].path.ptr || !listed);
        FUZZ_CHECK(hv_str_find(list[i].path, HV_STR("/../"), 0) == SIZE_MAX);
    }
}

static void check_act(const struct shell_act *act)
{
    FUZZ_CHECK(act->command && act->why.len && act->class <= SHELL_READ_ONLY);
    FUZZ_CHECK(act->class != SHELL_READ_ONLY || (!act->write_count && act->writes_listed && !act->runs_input));
    check_paths(act->reads, act->read_count, act->reads_listed);
    check_paths(act->writes, act->write_count, act->writes_listed);
}

static enum shell_class judge(struct hv_arena *arena, struct hv_str text)
{
    struct shell_judgement judgement;
    enum shell_class worst = SHELL_READ_ONLY;
    bool certain;
    shell_judge(arena, text, &start, &world, &judgement);
    for (size_t i = 0; i < judgement.count; i++) {
        check_act(&judgement.acts[i]);
        if (judgement.acts[i].class < worst)
            worst = judgement.acts[i].class;
    }
    bool whole = judgement.script.accepted && !judgement.script.open_document;
    FUZZ_CHECK(judgement.class == (whole ? worst : SHELL_UNKNOWN) && judgement.why.len);
    if (shell_code_is_answer(&judgement, 1, &certain))
        FUZZ_CHECK(judgement.count);
    FUZZ_CHECK(!shell_code_is_answer(&judgement, 0, &certain) && !certain);
    return judgement.class;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str text = fuzz_copy(&arena, hv_str_of((const char *)data, size));
    enum shell_class class = judge(&arena, text);
    FUZZ_CHECK(judge(&arena, text) == class);
    FUZZ_CHECK(judge(&arena, hv_arena_join(&arena, HV_STR("rm x\n"), text)) != SHELL_READ_ONLY);
    return 0;
}

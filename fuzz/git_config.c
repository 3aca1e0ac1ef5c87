/*
 * git_config.c: configuration files of git. The reader ends, gives tidy variables, and reads what it gave the same way
 * again when that is written out with quotes.
 */
#include "fs/git_config.h"
#include "base/cleanup.h"
#include "fs/git_condition.h"
#include "parts.h"

enum { TEXT_MAX = 1 << 20 };

/* name = "value", with everything escaped that means something. */
static void write_variable(struct hv_buf *out, const struct git_config_variable *variable)
{
    hv_buf_addf(out, "[%.*s]%.*s", HV_STR_ARG(variable->section), HV_STR_ARG(variable->name));
    if (!variable->value.ptr) {
        hv_buf_add_byte(out, '\n');
        return;
    }
    hv_buf_add_cstr(out, "=\"");
    for (size_t i = 0; i < variable->value.len; i++) {
        char byte = variable->value.ptr[i];
        if (byte == '"' || byte == '\\')
            hv_buf_add_byte(out, '\\');
        if (byte == '\n')
            hv_buf_add_cstr(out, "\\n");
        else
            hv_buf_add_byte(out, byte);
    }
    hv_buf_add_cstr(out, "\"\n");
}

static void check_again(struct hv_arena *arena, const struct git_config_variable *variable)
{
    CLEANUP_BUF struct hv_buf text = {0};
    struct git_config_variable again;
    hv_buf_init(&text, TEXT_MAX);
    write_variable(&text, variable);
    struct git_config_reader reader = {.text = hv_buf_str(&text)};
    FUZZ_CHECK(git_config_next(&reader, arena, &again));
    FUZZ_CHECK(hv_str_eq(again.name, variable->name) && hv_str_eq(again.section, variable->section));
    FUZZ_CHECK(hv_str_eq(again.value, variable->value) && !again.value.ptr == !variable->value.ptr);
    FUZZ_CHECK(git_config_true(again.value) == git_config_true(variable->value));
    FUZZ_CHECK(!git_config_next(&reader, arena, &again));
}

static void include(void *user, struct hv_str condition, struct hv_str path, struct git_settings *settings)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct git_situation situation = {{HV_STR("/home/p/w/.git"), HV_STR("/w/.git")},
                                            HV_STR("/home/p"),
                                            HV_STR("/home/p/c"),
                                            HV_STR("topic/x"),
                                            &path,
                                            1};
    FUZZ_CHECK(path.len);
    FUZZ_CHECK(condition.ptr || !git_condition_holds(&arena, condition, &situation));
    (void)git_condition_holds(&arena, condition, &situation);
    settings->worktree_config = false;
    ++*(size_t *)user;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct git_config_reader reader = {.text = {(const char *)data, size}};
    struct git_config_variable variable;
    size_t variables = 0, included = 0;
    while (git_config_next(&reader, &arena, &variable)) {
        FUZZ_CHECK(variable.name.len && ++variables <= size);
        check_again(&arena, &variable);
    }
    struct git_settings settings = {0};
    git_settings_read(&arena, reader.text, &(struct git_config_includes){include, &included}, &settings);
    FUZZ_CHECK(included <= variables);
    return 0;
}

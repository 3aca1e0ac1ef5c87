/*
 * request.c: what assembling a request costs when the conversation is long, next to copying as many bytes. Messages are
 * serialised once, when they are added; so adding the last of thousands must cost as little as adding the first.
 *   ninja -C build bench/bench_request && build/bench/bench_request
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "model/model.h"

#include "loop/loop.h"

enum { TURNS = 2000, ROUNDS = 51, RESULT_BYTES = 2000 };

static int by_size(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static double median_us(uint64_t *times, size_t count)
{
    qsort(times, count, sizeof *times, by_size);
    return (double)times[count / 2] / 1000;
}

static void add(struct model_conversation *conversation, enum model_role role, struct hv_str content)
{
    struct hv_error err;
    if (model_conversation_append(conversation, role, content, &err) != HV_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
}

static void add_turn(struct model_conversation *conversation, int number)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    char text[RESULT_BYTES + 1];
    memset(text, 'x', RESULT_BYTES);
    text[RESULT_BYTES] = '\0';
    add(conversation, MODEL_ASSISTANT,
        hv_arena_format(&arena,
                        "[{\"type\":\"text\",\"text\":\"Next I read it.\"},{\"type\":\"tool_use\",\"id\":\"toolu_%d\","
                        "\"name\":\"Read\",\"input\":{\"file_path\":\"/src/main.c\"}}]",
                        number));
    add(conversation, MODEL_USER,
        hv_arena_format(&arena, "[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_%d\",\"content\":\"%s\"}]", number,
                        text));
}

/* Median time of assembling, and of copying the same bytes, in µs. */
static size_t measure(struct model_conversation *conversation, double *assembling, double *copying)
{
    uint64_t assemble[ROUNDS], copy[ROUNDS];
    CLEANUP_BUF struct hv_buf body = {.max = 1u << 30}, plain = {.max = 1u << 30};
    for (int i = 0; i < ROUNDS; i++) {
        hv_buf_clear(&body);
        uint64_t started = clock_monotonic_ns();
        model_conversation_body(conversation, &body);
        assemble[i] = clock_monotonic_ns() - started;
        hv_buf_clear(&plain);
        started = clock_monotonic_ns();
        hv_buf_add_str(&plain, hv_buf_str(&body));
        copy[i] = clock_monotonic_ns() - started;
    }
    *assembling = median_us(assemble, ROUNDS);
    *copying = median_us(copy, ROUNDS);
    return body.len;
}

int main(int argc, char **argv)
{
    struct hv_error err;
    struct loop *loop;
    struct model *model;
    struct model_options options = {.provider = hv_str_from(argc > 1 ? argv[1] : "anthropic"),
                                    .name = HV_STR("bench"),
                                    .base_url = HV_STR("http://127.0.0.1:1"),
                                    .api_key = HV_STR("bench-bench")};
    if (loop_new(&loop, &err) != HV_OK || model_new(&options, loop, &model, &err) != HV_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    struct model_conversation *conversation = model_conversation_new(model);
    model_conversation_set_system(conversation, HV_STR("You are helpful."));
    add(conversation, MODEL_USER, HV_STR("[{\"type\":\"text\",\"text\":\"go\"}]"));
    uint64_t early[100], late[100];
    for (int i = 0; i < TURNS; i++) {
        uint64_t started = clock_monotonic_ns();
        add_turn(conversation, i);
        uint64_t took = clock_monotonic_ns() - started;
        if (i < 100)
            early[i] = took;
        else if (i >= TURNS - 100)
            late[i - TURNS + 100] = took;
    }
    double assembling, copying;
    size_t bytes = measure(conversation, &assembling, &copying);
    printf("{\"turns\":%d,\"bytes\":%zu,\"assemble_us\":%.1f,\"copy_us\":%.1f,\"add_turn_early_us\":%.2f,"
           "\"add_turn_late_us\":%.2f}\n",
           TURNS, bytes, assembling, copying, median_us(early, 100), median_us(late, 100));
    model_conversation_free(conversation);
    model_free(model);
    loop_free(loop);
    return 0;
}

/*
 * print_input.c: user messages and control requests as lines on stdin (`--input-format stream-json`). A thread reads
 * and cuts lines; the loop understands them, so that a turn can be interrupted, and a permission be answered, while it
 * runs. See print.h.
 */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "agent/rewind_session.h"
#include "base/cleanup.h"
#include "base/thread.h"
#include "cli/print.h"
#include "schema/validator.h"

enum { LINE_MAX_BYTES = 64 << 20, READ_SIZE = 64 << 10, LINES_AHEAD = 256, ASK_POLL_MS = 100 };

/* One line on its way to the loop. */
struct posted_line {
    struct print *print;
    struct hv_buf text;
};

/* ---- control requests -------------------------------------------------------------------------------------------- */

static void begin_response(struct hv_json_writer *writer, struct hv_buf *line, const char *subtype, struct hv_str id)
{
    hv_buf_init(line, LINE_MAX_BYTES);
    hv_json_writer_init(writer, line);
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", "control_response");
    hv_json_name(writer, "response");
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "subtype", subtype);
    hv_json_member_string(writer, "request_id", id);
}

static void end_response(struct print *print, struct hv_json_writer *writer)
{
    hv_json_end_object(writer);
    hv_json_end_object(writer);
    hv_buf_add_byte(writer->buf, '\n');
    print_line(print, writer->buf);
}

static void respond(struct print *print, struct hv_str id, const char *error)
{
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    begin_response(&writer, &line, error ? "error" : "success", id);
    if (error) {
        hv_json_member_cstr(&writer, "error", error);
    } else {
        hv_json_name(&writer, "response");
        hv_json_begin_object(&writer);
        hv_json_end_object(&writer);
    }
    end_response(print, &writer);
}

static void respond_initialize(struct print *print, struct hv_str id)
{
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    begin_response(&writer, &line, "success", id);
    hv_json_name(&writer, "response");
    hv_json_begin_object(&writer);
    hv_json_member_raw(&writer, "commands", HV_STR("[]"));
    hv_json_member_cstr(&writer, "output_style", "default");
    hv_json_member_raw(&writer, "models", HV_STR("[]"));
    hv_json_end_object(&writer);
    end_response(print, &writer);
}

static const char *set_mode(struct print *print, struct hv_str name)
{
    enum policy_mode mode;
    if (!policy_mode_from(name, &mode))
        return "unknown permission mode";
    struct runtime *runtime = session_runtime(print->session);
    struct policy *old = runtime_policy(runtime), *changed = policy_with_mode(old, mode);
    bool refused = policy_mode_of(changed) != mode;
    runtime_set_policy(runtime, changed);
    policy_unref(changed);
    policy_unref(old);
    return refused ? "the settings do not allow this mode" : NULL;
}

/* Whether it could be, and which files it concerns, is an answer; only what no message and no session is, is an error.
 */
static void rewind_files(struct print *print, struct hv_str id, const struct hv_json *request)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    struct rewind_plan plan;
    struct hv_error err;
    enum hv_code code = session_rewind_files(print->session, &arena, hv_json_get_string(request, "user_message_id"),
                                             hv_json_bool(hv_json_get(request, "dry_run"), false), &plan, &err);
    if (code && code != HV_ECONFLICT) {
        respond(print, id, err.message);
        return;
    }
    begin_response(&writer, &line, "success", id);
    hv_json_name(&writer, "response");
    hv_json_begin_object(&writer);
    hv_json_member_bool(&writer, "canRewind", code == HV_OK);
    if (code)
        hv_json_member_cstr(&writer, "error", err.message);
    hv_json_name(&writer, "filesChanged");
    hv_json_begin_array(&writer);
    for (size_t i = 0; i < plan.count; i++)
        if (plan.steps[i].act != REWIND_NOTHING)
            hv_json_put_string(&writer, plan.steps[i].path);
    hv_json_end_array(&writer);
    hv_json_end_object(&writer);
    end_response(print, &writer);
}

static void take_control_request(struct print *print, const struct hv_json *value)
{
    const struct hv_json *request = hv_json_get(value, "request");
    struct hv_str id = hv_json_get_string(value, "request_id"), kind = hv_json_get_string(request, "subtype");
    if (hv_str_is(kind, "initialize")) {
        respond_initialize(print, id);
    } else if (hv_str_is(kind, "interrupt")) {
        session_interrupt(print->session);
        respond(print, id, NULL);
    } else if (hv_str_is(kind, "set_permission_mode")) {
        respond(print, id, set_mode(print, hv_json_get_string(request, "mode")));
    } else if (hv_str_is(kind, "rewind_files")) {
        rewind_files(print, id, request);
    } else if (hv_str_is(kind, "stop_task")) {
        bool known = runtime_stop_task(session_runtime(print->session), hv_json_get_string(request, "task_id"));
        respond(print, id, known ? NULL : "there is no such task");
    } else {
        respond(print, id, "helve does not know this request");
    }
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static void put_permission(struct hv_json_writer *writer, const struct hv_question *question)
{
    hv_json_member_cstr(writer, "subtype", "can_use_tool");
    hv_json_member_string(writer, "tool_name", question->subject);
    hv_json_member_raw(writer, "input",
                       question->details.len ? question->details
                       : question->input.len ? question->input
                                             : HV_STR("{}"));
    if (question->call_id.len)
        hv_json_member_string(writer, "tool_use_id", question->call_id);
    hv_json_member_string(writer, "description", question->text);
    hv_json_member_string(writer, "decision_reason", question->reason);
    runtime_put_suggestions(writer, question->rules, question->rule_count);
}

static void put_elicitation(struct hv_json_writer *writer, const struct hv_question *question)
{
    hv_json_member_cstr(writer, "subtype", "elicitation");
    hv_json_member_string(writer, "subject", question->subject);
    hv_json_member_string(writer, "message", question->text);
    hv_json_member_cstr(writer, "mode", "form");
    hv_json_name(writer, "requested_schema");
    hv_ask_put_schema(question, writer);
}

static void put_request(struct print *print, const struct hv_question *question)
{
    CLEANUP_BUF struct hv_buf line = {0};
    struct hv_json_writer writer;
    hv_buf_init(&line, LINE_MAX_BYTES);
    hv_json_writer_init(&writer, &line);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "control_request");
    hv_json_member_cstr(&writer, "request_id", print->input.request_id);
    hv_json_name(&writer, "request");
    hv_json_begin_object(&writer);
    if (question->kind == HV_ASK_PERMISSION)
        put_permission(&writer, question);
    else
        put_elicitation(&writer, question);
    hv_json_end_object(&writer);
    hv_json_end_object(&writer);
    hv_buf_add_byte(&line, '\n');
    print_line(print, &line);
}

/* Told when a question needs no answer any more. */
static void put_cancel(struct print *print)
{
    CLEANUP_BUF struct hv_buf line = {.max = 4096};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &line);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "control_cancel_request");
    hv_json_member_cstr(&writer, "request_id", print->input.request_id);
    hv_json_end_object(&writer);
    hv_buf_add_byte(&line, '\n');
    print_line(print, &line);
}

/* Wait for the answer; false when none will come. input->lock held. */
static bool wait_for_answer(struct print_input *input, const struct hv_cancel *cancel)
{
    while (!input->has_answer && !input->ended && !hv_cancelled(cancel)) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += ASK_POLL_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&input->answered, &input->lock, &until);
    }
    return input->has_answer;
}

/* What was filled in must be what was asked for; else err says what is wrong. */
static enum hv_code check_values(const struct hv_question *question, const struct hv_json *content,
                                 struct hv_arena *arena, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf text = {.max = LINE_MAX_BYTES};
    struct hv_json_writer writer;
    struct schema *schema;
    struct schema_errors errors = {0};
    if (hv_json_type_of(content) != HV_JSON_OBJECT)
        return hv_fail(err, HV_EINVAL, "content is no object");
    hv_json_writer_init(&writer, &text);
    hv_ask_put_schema(question, &writer);
    enum hv_code code = schema_compile(hv_buf_str(&text), NULL, &schema, err);
    if (code)
        return code;
    code = schema_validate(schema, content, arena, &errors, err);
    schema_unref(schema);
    if (code == HV_EINVAL)
        hv_fail(err, code, "%.*s: %.*s", HV_STR_ARG(errors.first->field), HV_STR_ARG(errors.first->message));
    return code;
}

static void read_values(const struct hv_question *question, const struct hv_json *content, struct hv_str text,
                        struct hv_arena *arena, struct hv_answer *answer)
{
    struct hv_error err = {0};
    if (check_values(question, content, arena, &err) == HV_OK) {
        answer->outcome = HV_ASK_ANSWERED;
        answer->values = hv_json_source(content, text);
        return;
    }
    answer->words = hv_arena_format(arena, "the answer of the program does not fit the question: %s", err.message);
}

static void read_answer(struct print_input *input, const struct hv_question *question, struct hv_arena *arena,
                        struct hv_answer *answer)
{
    const bool permission = question->kind == HV_ASK_PERMISSION;
    const struct hv_json *value;
    struct hv_str text = hv_arena_str(arena, hv_buf_str(&input->answer));
    answer->outcome = HV_ASK_REFUSED;
    if (hv_json_parse(arena, text, HV_JSON_STRICT, &value, NULL) != HV_OK)
        return;
    const struct hv_json *updated = hv_json_get(value, "updatedInput"), *content = hv_json_get(value, "content");
    bool allowed = permission && hv_str_is(hv_json_get_string(value, "behavior"), "allow");
    if (allowed)
        answer->outcome = HV_ASK_ANSWERED;
    else if (!permission && hv_str_is(hv_json_get_string(value, "action"), "accept"))
        read_values(question, content, text, arena, answer);
    else
        answer->words = hv_json_get_string(value, "message");
    if (permission && hv_json_type_of(updated) == HV_JSON_OBJECT)
        answer->input = hv_json_source(updated, text);
    if (permission)
        answer->updates = hv_json_get(value, "updatedPermissions");
}

void print_input_ask(void *user, const struct hv_question *question, const struct hv_cancel *cancel,
                     struct hv_arena *arena, struct hv_answer *answer)
{
    struct print *print = user;
    struct print_input *input = &print->input;
    bool answered;
    pthread_mutex_lock(&input->lock);
    session_id_new(input->request_id);
    input->asking = true;
    input->has_answer = false;
    pthread_mutex_unlock(&input->lock);
    put_request(print, question);
    {
        LOCK_SCOPE(&input->lock);
        answered = wait_for_answer(input, cancel);
        if (answered)
            read_answer(input, question, arena, answer);
        input->asking = false;
    }
    if (answered)
        return;
    put_cancel(print);
    answer->outcome = HV_ASK_REFUSED;
    answer->words = HV_STR("nobody answered");
}

static void take_control_response(struct print *print, const struct hv_json *value, struct hv_str text)
{
    struct print_input *input = &print->input;
    const struct hv_json *response = hv_json_get(value, "response");
    const struct hv_json *inner = hv_json_get(response, "response");
    LOCK_SCOPE(&input->lock);
    if (!input->asking || !hv_str_is(hv_json_get_string(response, "request_id"), input->request_id))
        return;
    hv_buf_clear(&input->answer);
    hv_buf_add_str(&input->answer, inner ? hv_json_source(inner, text) : HV_STR("{}"));
    input->has_answer = true;
    pthread_cond_signal(&input->answered);
}

/* ---- user messages ----------------------------------------------------------------------------------------------- */

static void queue_content(struct print *print, struct hv_str content, struct hv_str id)
{
    struct hv_buf copy;
    size_t len;
    hv_buf_init(&copy, LINE_MAX_BYTES);
    hv_buf_add_str(&copy, content);
    char *bytes = hv_buf_take(&copy, &len);
    *vec_push(&print->input.waiting) =
        (struct waiting_message){hv_str_of(bytes, len), strndup(id.ptr ? id.ptr : "", id.len)};
}

static enum hv_code queue_text(struct print *print, struct hv_str text, struct hv_str id, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf content = {0};
    struct hv_json_writer writer;
    hv_buf_init(&content, LINE_MAX_BYTES);
    hv_json_writer_init(&writer, &content);
    hv_json_begin_array(&writer);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "text");
    hv_json_member_string(&writer, "text", text);
    hv_json_end_object(&writer);
    hv_json_end_array(&writer);
    if (content.failed) /* characters that were put in for bytes which are none take more than those */
        return hv_fail(err, HV_ETOOBIG, "a message is larger than %d MiB", LINE_MAX_BYTES >> 20);
    queue_content(print, hv_buf_str(&content), id);
    return HV_OK;
}

/* An array of objects that have a type, at least one. */
static bool is_content(const struct hv_json *content)
{
    if (hv_json_type_of(content) != HV_JSON_ARRAY || content->count == 0)
        return false;
    hv_json_each(block, content) if (!hv_json_get_string(block, "type").ptr) return false;
    return true;
}

static enum hv_code take_user(struct print *print, const struct hv_json *value, struct hv_str text,
                              struct hv_error *err)
{
    const struct hv_json *content = hv_json_get(hv_json_get(value, "message"), "content");
    struct hv_str id = hv_json_get_string(value, "uuid");
    if (hv_json_type_of(content) == HV_JSON_STRING && hv_str_trim(hv_json_string(content)).len > 0)
        return queue_text(print, hv_json_string(content), id, err);
    if (is_content(content))
        queue_content(print, hv_json_source(content, text), id);
    else
        return hv_fail(err, HV_EINVAL, "a user message needs `message.content`: a text, or an array of blocks");
    return HV_OK;
}

static enum hv_code take_line(struct print *print, struct hv_str text, struct hv_arena *arena, struct hv_error *err)
{
    const struct hv_json *value;
    unsigned flags = HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8 | HV_JSON_ALLOW_BOM;
    enum hv_code code = hv_json_parse(arena, text, flags, &value, err);
    if (code != HV_OK)
        return code;
    struct hv_str type = hv_json_get_string(value, "type");
    if (hv_str_is(type, "user"))
        return take_user(print, value, text, err);
    if (hv_str_is(type, "control_request"))
        take_control_request(print, value);
    else if (hv_str_is(type, "control_response"))
        take_control_response(print, value, text);
    else if (!hv_str_is(type, "keep_alive") && !hv_str_is(type, "control_cancel_request"))
        return hv_fail(err, HV_EINVAL, "expected \"type\":\"user\" or \"control_request\"");
    return HV_OK;
}

/* ---- the loop's part --------------------------------------------------------------------------------------------- */

static void wrong_line(struct print *print, const struct hv_error *err)
{
    cli_note("stdin: %s%s%s", err->message, err->place[0] ? ", at " : "", err->place);
    print->bad_input = true;
}

static void take_posted(void *data)
{
    struct posted_line *line = data;
    struct print *print = line->print;
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_error err;
    if (!print->closing && take_line(print, hv_buf_str(&line->text), &arena, &err) != HV_OK)
        wrong_line(print, &err);
    hv_buf_release(&line->text);
    free(line);
    sem_post(&print->input.room);
    if (!print->turn_running && print->input.waiting.count > 0)
        print_input_next(print);
}

static void take_end(void *data)
{
    struct print *print = data;
    pthread_mutex_lock(&print->input.lock);
    print->input.ended = true;
    pthread_cond_signal(&print->input.answered);
    pthread_mutex_unlock(&print->input.lock);
    if (print->input.read_errno) {
        struct hv_error err;
        (void)hv_fail_errno(&err, print->input.read_errno, "cannot be read");
        wrong_line(print, &err);
    }
    if (!print->turn_running)
        print_input_next(print);
}

static struct waiting_message take_waiting(struct print_input *input)
{
    struct waiting_message message = input->waiting.items[0];
    for (size_t i = 1; i < input->waiting.count; i++)
        input->waiting.items[i - 1] = input->waiting.items[i];
    input->waiting.count--;
    return message;
}

static void submit_next(void *data)
{
    struct print *print = data;
    struct hv_error err;
    if (print->turn_running || print->closing || print->input.waiting.count == 0)
        return;
    struct waiting_message message = take_waiting(&print->input);
    print->turn_running = true;
    session_name_message(print->session, hv_str_from(message.id));
    enum hv_code code = session_submit(print->session, message.content, &err);
    free((void *)message.content.ptr);
    free(message.id);
    if (code == HV_OK)
        return;
    print->turn_running = false;
    wrong_line(print, &err);
    print_input_next(print);
}

void print_input_next(struct print *print)
{
    if (print->input.waiting.count > 0)
        loop_post(print->setup.loop, submit_next, print); /* not from inside the end of another turn */
    else if (print->input.ended)
        print_close(print);
}

/* ---- the reading thread ------------------------------------------------------------------------------------------ */

static void post_line(struct print *print, struct hv_str text)
{
    text = hv_str_trim(text);
    if (text.len == 0)
        return;
    while (sem_wait(&print->input.room) != 0 && errno == EINTR)
        ;
    if (atomic_load(&print->input.stopped)) { /* nobody takes lines, or makes room, any more */
        sem_post(&print->input.room);
        return;
    }
    struct posted_line *line = hv_malloc(sizeof *line);
    line->print = print;
    hv_buf_init(&line->text, LINE_MAX_BYTES);
    hv_buf_add_str(&line->text, text);
    loop_post(print->setup.loop, take_posted, line);
}

/* known: how many bytes of `in` were here before and hold no line end. */
static void post_lines(struct print *print, struct hv_buf *in, size_t known)
{
    size_t start = 0, end;
    while ((end = hv_str_find_byte(hv_buf_str(in), '\n', start > known ? start : known)) != SIZE_MAX) {
        post_line(print, hv_str_slice(hv_buf_str(in), start, end));
        start = end + 1;
    }
    hv_buf_consume(in, start);
}

/* False at the end of the input, when it fails, or when told to stop. */
static bool read_more(struct print *print, struct hv_buf *in)
{
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = print->input.stop_fd, .events = POLLIN}};
    if (poll(fds, 2, -1) < 0)
        return errno == EINTR;
    if (fds[1].revents)
        return false;
    char *room = hv_buf_reserve(in, READ_SIZE);
    if (!room) {
        cli_note("stdin: a line is longer than %d MiB", LINE_MAX_BYTES >> 20);
        return false;
    }
    ssize_t got = read(STDIN_FILENO, room, READ_SIZE);
    hv_buf_commit(in, got > 0 ? (size_t)got : 0);
    if (got >= 0 || errno == EINTR || errno == EAGAIN)
        return got != 0;
    print->input.read_errno = errno; /* the loop looks at it in take_end */
    return false;
}

static void *read_input(void *data)
{
    struct print *print = data;
    CLEANUP_BUF struct hv_buf in = {0};
    hv_buf_init(&in, LINE_MAX_BYTES);
    for (size_t known = 0; read_more(print, &in); known = in.len)
        post_lines(print, &in, known);
    post_line(print, hv_buf_str(&in));
    loop_post(print->setup.loop, take_end, print);
    return NULL;
}

enum hv_code print_input_start(struct print *print, struct hv_error *err)
{
    struct print_input *input = &print->input;
    pthread_condattr_t attributes;
    input->stop_fd = eventfd(0, EFD_CLOEXEC);
    if (input->stop_fd < 0)
        return hv_fail_errno(err, errno, "cannot make an event descriptor");
    sem_init(&input->room, 0, LINES_AHEAD);
    pthread_mutex_init(&input->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&input->answered, &attributes);
    pthread_condattr_destroy(&attributes);
    hv_buf_init(&input->answer, LINE_MAX_BYTES);
    int failed = thread_start(&input->thread, 0, read_input, print);
    input->running = true;
    if (!failed)
        return HV_OK;
    input->running = false;
    close(input->stop_fd);
    return hv_fail_errno(err, failed, "cannot start a thread");
}

void print_input_stop(struct print *print)
{
    struct print_input *input = &print->input;
    uint64_t one = 1;
    if (!input->running)
        return;
    atomic_store(&input->stopped, true);
    sem_post(&input->room);
    if (write(input->stop_fd, &one, sizeof one) == (ssize_t)sizeof one)
        pthread_join(input->thread, NULL);
    close(input->stop_fd);
    for (size_t i = 0; i < input->waiting.count; i++) {
        free((void *)input->waiting.items[i].content.ptr);
        free(input->waiting.items[i].id);
    }
    vec_release(&input->waiting);
    hv_buf_release(&input->answer);
}

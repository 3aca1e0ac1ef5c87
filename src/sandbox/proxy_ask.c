/*
 * proxy_ask.c: connections that no rule speaks of wait while a person is asked (sandbox_setup.ask). All that would be
 * let through by the same rule wait for one question, whichever command makes them. What was answered is kept: for the
 * session, or for the commands that waited; when none waits any more, since its client gave up, for the next one.
 */
#include "base/cleanup.h"
#include "base/thread.h"
#include "sandbox/proxy_head.h"
#include "sandbox/proxy_inner.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>

enum { QUESTIONS_MAX = 16, STACK_SIZE = 512 * 1024, COMMAND_SHOWN = 300 };

struct waiting_run {
    uint64_t run;
    size_t connections; /* that wait; 0: it gave up, and is told that the question is open */
};

/* References: the list of the open ones with the thread that asks, and each connection that waits. */
struct question {
    struct proxy *proxy;
    struct hv_arena arena;
    struct sandbox_connection what;
    struct hv_cancel *cancel;
    VEC(struct waiting_run) runs;
    int answered; /* readable from then on */
    size_t references;
};

/* ---- under the lock -------------------------------------------------------------------------------------- */

static void question_unref(struct question *question)
{
    if (--question->references)
        return;
    hv_cancel_free(question->cancel);
    vec_release(&question->runs);
    cleanup_fd(&question->answered);
    hv_arena_release(&question->arena);
    free(question);
}

static struct question *find_question(const struct proxy *proxy, struct hv_str rule)
{
    for (size_t i = 0; i < proxy->questions.open.count; i++)
        if (hv_str_eq_nocase(proxy->questions.open.items[i]->what.rule, rule))
            return proxy->questions.open.items[i];
    return NULL;
}

static struct waiting_run *find_run(struct question *question, uint64_t run)
{
    for (size_t i = 0; i < question->runs.count; i++)
        if (question->runs.items[i].run == run)
            return &question->runs.items[i];
    return NULL;
}

static struct hv_str command_of(const struct proxy *proxy, uint64_t run)
{
    for (size_t i = 0; i < proxy->questions.runs.count; i++)
        if (proxy->questions.runs.items[i].run == run)
            return hv_str_from(proxy->questions.runs.items[i].command);
    return (struct hv_str){0};
}

/* Which of the commands that run side by side has connected to a port of the machine is not known: each listens at it,
 * and any may have taken the connection. */
static struct hv_str commands_of(const struct connection *connection, struct hv_arena *arena)
{
    const struct proxy *proxy = connection->proxy;
    struct hv_str all = command_of(proxy, connection->run);
    for (size_t i = 0; connection->machine_port && i < proxy->questions.runs.count; i++)
        if (proxy->questions.runs.items[i].run != connection->run)
            all = hv_arena_format(arena, "%.*s\nor for this one, which runs beside it:\n%s", HV_STR_ARG(all),
                                  proxy->questions.runs.items[i].command);
    return hv_arena_str(arena, all);
}

static void add_grant(struct proxy *proxy, uint64_t run, struct hv_str rule, const struct sandbox_leave *leave)
{
    bool refused = leave->kind == SANDBOX_LEAVE_REFUSED;
    *vec_push(&proxy->questions.grants) =
        (struct grant){run, strndup(rule.ptr, rule.len), refused,
                       refused && leave->words.len ? strndup(leave->words.ptr, leave->words.len) : NULL};
}

static void drop_grant(struct proxy *proxy, size_t at)
{
    struct grant *grant = &proxy->questions.grants.items[at];
    free(grant->rule);
    free(grant->words);
    *grant = proxy->questions.grants.items[--proxy->questions.grants.count];
}

/* What was answered before. */
static enum proxy_leave look_up(struct proxy *proxy, uint64_t run, const struct sandbox_connection *what,
                                struct hv_arena *arena, struct hv_str *words)
{
    struct hv_str host = what->address.len ? what->address : what->host;
    for (size_t i = 0; i < proxy->questions.grants.count; i++) {
        struct grant *grant = &proxy->questions.grants.items[i];
        if ((grant->run && grant->run != run && grant->run != GRANT_NEXT) ||
            !sandbox_domain_takes(hv_str_from(grant->rule), host, what->port))
            continue;
        if (grant->run == GRANT_NEXT)
            grant->run = run;
        if (grant->words)
            *words = hv_arena_str(arena, hv_str_from(grant->words));
        return grant->refused ? PROXY_LEAVE_REFUSED : PROXY_LEAVE_GIVEN;
    }
    return PROXY_LEAVE_NONE;
}

static void keep_answer(struct question *question, const struct sandbox_leave *leave)
{
    struct proxy *proxy = question->proxy;
    size_t waiting = 0;
    if (leave->kind == SANDBOX_LEAVE_NOBODY)
        return;
    if (leave->kind == SANDBOX_LEAVE_SESSION) {
        for (size_t i = 0; i < leave->rule_count; i++)
            add_grant(proxy, 0, leave->rules[i], leave);
        if (!leave->rule_count)
            add_grant(proxy, 0, question->what.rule, leave);
        return;
    }
    for (size_t i = 0; i < question->runs.count; i++) {
        if (!question->runs.items[i].connections)
            continue;
        add_grant(proxy, question->runs.items[i].run, question->what.rule, leave);
        waiting++;
    }
    if (!waiting)
        add_grant(proxy, GRANT_NEXT, question->what.rule, leave);
}

static void close_question(struct question *question)
{
    struct proxy_questions *questions = &question->proxy->questions;
    for (size_t i = 0; i < questions->open.count; i++)
        if (questions->open.items[i] == question)
            questions->open.items[i] = questions->open.items[--questions->open.count];
    (void)!eventfd_write(question->answered, 1);
    question_unref(question);
    questions->threads--;
    pthread_cond_broadcast(&questions->thread_ended);
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

static void *ask(void *data)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct question *question = data;
    struct proxy *proxy = question->proxy;
    struct sandbox_leave leave = {0};
    proxy->setup->ask(proxy->setup->user, &question->what, question->cancel, &arena, &leave);
    {
        LOCK_SCOPE(&proxy->lock);
        keep_answer(question, &leave);
        close_question(question);
    }
    proxy_unref(proxy);
    return NULL;
}

/* Under the lock. NULL: it cannot be asked. */
static struct question *open_question(const struct connection *connection, const struct sandbox_connection *what)
{
    struct proxy *proxy = connection->proxy;
    struct proxy_questions *questions = &proxy->questions;
    if (!proxy->setup->ask || questions->ending || questions->open.count >= QUESTIONS_MAX)
        return NULL;
    struct question *question = hv_calloc(1, sizeof *question);
    *question = (struct question){
        .proxy = proxy, .cancel = hv_cancel_new(), .answered = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .references = 1};
    question->what = (struct sandbox_connection){
        .host = hv_arena_str(&question->arena, what->host),
        .port = what->port,
        .address = hv_arena_str(&question->arena, what->address),
        .rule = hv_arena_str(&question->arena, what->rule),
        .command = commands_of(connection, &question->arena),
    };
    proxy_ref(proxy);
    questions->threads++;
    *vec_push(&questions->open) = question;
    if (question->answered >= 0 && thread_start_detached(STACK_SIZE, ask, question) == 0)
        return question;
    close_question(question);
    proxy_unref(proxy);
    return NULL;
}

/* False: the client is gone, or helve ends. */
static bool await_answer(const struct connection *connection, const struct question *question)
{
    struct pollfd watched[] = {
        {question->answered, POLLIN, 0}, {connection->proxy->wake, POLLIN, 0}, {connection->client, POLLRDHUP, 0}};
    while (poll(watched, 3, -1) < 0)
        if (errno != EINTR)
            return false;
    return watched[0].revents && !watched[1].revents;
}

enum proxy_leave proxy_ask(const struct connection *connection, struct sandbox_connection what, struct hv_arena *arena,
                           struct hv_str *words)
{
    struct proxy *proxy = connection->proxy;
    struct question *question;
    {
        LOCK_SCOPE(&proxy->lock);
        enum proxy_leave known = look_up(proxy, connection->run, &what, arena, words);
        question = known ? NULL : find_question(proxy, what.rule);
        if (!known && !question)
            question = open_question(connection, &what);
        if (!question)
            return known;
        question->references++;
        struct waiting_run *run = find_run(question, connection->run);
        if (!run)
            *(run = vec_push(&question->runs)) = (struct waiting_run){connection->run, 0};
        run->connections++;
    }
    bool answered = await_answer(connection, question);
    LOCK_SCOPE(&proxy->lock);
    struct waiting_run *run = find_run(question, connection->run);
    if (run)
        run->connections--;
    question_unref(question);
    return answered ? look_up(proxy, connection->run, &what, arena, words) : PROXY_LEAVE_GONE;
}

/* ---- runs ------------------------------------------------------------------------------------------------ */

struct hv_str proxy_questions_describe(const struct proxy *proxy, uint64_t run, struct hv_arena *arena)
{
    struct hv_str all = {0};
    for (size_t i = 0; i < proxy->questions.open.count; i++) {
        struct question *question = proxy->questions.open.items[i];
        const struct sandbox_connection *what = &question->what;
        if (find_run(question, run))
            all = hv_arena_format(arena,
                                  "%.*s%s%.*s:%u (the person who is asked about it has not answered yet; the answer "
                                  "holds for the next connection)",
                                  HV_STR_ARG(all), all.len ? "\n" : "", HV_STR_ARG(what->host), what->port);
    }
    return all;
}

void proxy_begin_run(struct proxy *proxy, uint64_t run, struct hv_str command)
{
    if (!proxy->setup->ask)
        return;
    LOCK_SCOPE(&proxy->lock);
    *vec_push(&proxy->questions.runs) = (struct named_run){
        run, strndup(command.ptr ? command.ptr : "", command.len < COMMAND_SHOWN ? command.len : COMMAND_SHOWN)};
}

void proxy_let_reach(struct proxy *proxy, uint64_t run, struct hv_str address)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct sandbox_leave once = {.kind = SANDBOX_LEAVE_ONCE};
    struct hv_str host;
    unsigned port;
    if (!proxy->setup->ask || !proxy_read_address(address, &host, &port))
        return;
    LOCK_SCOPE(&proxy->lock);
    add_grant(proxy, run, proxy_rule_of(&arena, host, port), &once);
}

static bool is_awaited(const struct question *question)
{
    for (size_t i = 0; i < question->runs.count; i++)
        if (question->runs.items[i].connections)
            return true;
    return false;
}

void proxy_end_run(struct proxy *proxy, uint64_t run, bool cancelled)
{
    struct proxy_questions *questions = &proxy->questions;
    LOCK_SCOPE(&proxy->lock);
    for (size_t i = questions->runs.count; i-- > 0;) {
        if (questions->runs.items[i].run != run)
            continue;
        free(questions->runs.items[i].command);
        questions->runs.items[i] = questions->runs.items[--questions->runs.count];
    }
    for (size_t i = questions->grants.count; i-- > 0;)
        if (questions->grants.items[i].run == run)
            drop_grant(proxy, i);
    for (size_t i = 0; i < questions->open.count; i++) {
        struct question *question = questions->open.items[i];
        struct waiting_run *waiting = find_run(question, run);
        if (!waiting)
            continue;
        *waiting = question->runs.items[--question->runs.count];
        if (cancelled && !is_awaited(question))
            hv_cancel_raise(question->cancel);
    }
}

/* ---- the end --------------------------------------------------------------------------------------------- */

void proxy_questions_end(struct proxy *proxy)
{
    LOCK_SCOPE(&proxy->lock);
    proxy->questions.ending = true;
    for (size_t i = 0; i < proxy->questions.open.count; i++)
        hv_cancel_raise(proxy->questions.open.items[i]->cancel);
    while (proxy->questions.threads)
        pthread_cond_wait(&proxy->questions.thread_ended, &proxy->lock);
}

void proxy_questions_release(struct proxy *proxy)
{
    while (proxy->questions.grants.count)
        drop_grant(proxy, 0);
    for (size_t i = 0; i < proxy->questions.runs.count; i++)
        free(proxy->questions.runs.items[i].command);
    vec_release(&proxy->questions.grants);
    vec_release(&proxy->questions.open);
    vec_release(&proxy->questions.runs);
    pthread_cond_destroy(&proxy->questions.thread_ended);
}

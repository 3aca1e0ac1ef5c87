/* bench.h: a workspace and a home on the disk, a sandbox around them, and commands that run in it. */
#ifndef TESTS_SANDBOX_BENCH_H
#define TESTS_SANDBOX_BENCH_H

#include "sandbox/sandbox.h"

#include "base/cleanup.h"
#include "base/path.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cmocka.h>

/* A workspace, a home and a sandbox of their own. */
struct bench {
    struct hv_arena arena;
    struct hv_str top, project, home;
    struct sandbox_options options;
    struct hv_sandbox *sandbox;
    struct sandbox_state state;
    struct hv_buf output;
    struct hv_exit end;
    struct hv_str notes;
    struct hv_str told;
};

void write_text(struct bench *bench, const char *name, const char *text);
void make_folder(struct bench *bench, const char *name);
bool is_there(struct bench *bench, const char *name);
/* Without looking yet at what holds. */
void make_bench(struct bench *bench, const char *settings);
void make_bench_below(struct bench *bench, const char *folder, const char *settings);
void open_bench(struct bench *bench, const char *settings);
void close_bench(struct bench *bench);
void run(struct bench *bench, const char *script);
bool run_ahead(struct bench *bench, const char *script);
void run_until_ahead(struct bench *bench, const char *script);
bool wrote(const struct bench *bench, const char *text);
void assert_wrote(const struct bench *bench, const char *text);
bool is_noted(const struct bench *bench, const char *text);
bool is_full(const struct bench *bench);
/* For hv_command.on_output: appends to the struct hv_buf that user is. */
bool keep(void *user, enum hv_stream stream, struct hv_str bytes);

#endif

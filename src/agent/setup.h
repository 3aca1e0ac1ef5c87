/*
 * setup.h: what every door needs before it can work: where we are, the settings, the loop, the model.
 *
 * Each part is made by a function of its own, so that a door pays only for what it uses (`helve tool list` makes no
 * loop, `helve exec` no model).
 */
#ifndef AGENT_SETUP_H
#define AGENT_SETUP_H

#include "model/model.h"
#include "runtime/runtime.h"

/* What the command line says. Absent members: the default. */
struct setup_options {
    struct hv_str directory;            /* --cwd: helve changes into it */
    struct hv_str settings;             /* --settings: file or JSON */
    const struct hv_str *allowed_tools; /* rules */
    size_t allowed_tool_count;
    const struct hv_str *denied_tools;
    size_t denied_tool_count;
    const struct hv_str *directories; /* --add-dir */
    size_t directory_count;
    struct hv_str setting_sources; /* "user,project,local" */
    bool trust;                    /* --trust */
};

struct setup {
    struct hv_arena arena;
    const struct hv_host *host;
    struct settings_options settings_options;
    struct settings *settings;
    struct hv_str directory, home;
    struct hv_str *roots; /* the working directory and --add-dir */
    size_t root_count;
    struct loop *loop;
    struct model *model;
    struct model *small_model;       /* of side requests, or NULL; made by setup_model */
    struct hv_str small_model_fault; /* why not, where one is configured */
    bool offline;                    /* setup_model asks no server which models it has */
    struct hv_str *secrets;          /* keys in use: never to be written down */
    size_t secret_count;
};

/* Working directory, home, settings. Blocks on files. On an error *setup may be released all the same. */
enum hv_code setup_open(struct setup *setup, const struct setup_options *options, struct hv_error *err) HV_MUST_CHECK;
/* Releases whatever was made. Zeroed is accepted. */
void setup_release(struct setup *setup);

/* The loop, made once. */
enum hv_code setup_loop(struct setup *setup, struct hv_error *err) HV_MUST_CHECK;

/*
 * The model: `flag` (--model), else HELVE_MODEL, else settings, else what the environment's keys suggest. A server of
 * one's own for which no name is given is asked for its models: its only one is taken; of several one must be named
 * (HV_EINVAL lists them); where it does not tell, it is left to choose ("default"). This runs the loop.
 * The small model, where HELVE_SMALL_MODEL or smallModel names one, is made as well; what is wrong with it is no error.
 * HV_ENOTFOUND when nothing is configured: then the message is that of a first run and says what one can do.
 */
enum hv_code setup_model(struct setup *setup, struct hv_str flag, struct hv_error *err) HV_MUST_CHECK;

/* All keys of providers that the environment holds, in use or not, become secrets: they are not written down, and
 * commands do not inherit them unless the settings' env names them. After setup_model where there is a model. */
void setup_secrets(struct setup *setup);

/* A variable of the environment, else of the settings' env; absent when unset or empty. */
struct hv_str setup_variable(const struct setup *setup, const char *name);

/* Where the sessions of this user that are alive are listed (`helve ps`), best first: $HELVE_HOME/run alone, or
 * $XDG_RUNTIME_DIR, /run/user, the state directory. Returns how many. In the set-up's arena. */
enum { SETUP_RUN_DIRECTORIES = 3 };
size_t setup_run_directories(struct setup *setup, struct hv_str out[SETUP_RUN_DIRECTORIES]);
/* The first of them that can be used. */
struct hv_str setup_run_directory(struct setup *setup);

/* Append the problems of the settings, one a line, for people. */
void setup_put_problems(const struct setup *setup, struct hv_buf *out);

#endif

/* doctor.c: `helve doctor`: is everything there that helve needs, and if not, what to do. Changes nothing. */
#include <helve/helve.h>

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/exec.h"
#include "agent/search_trial.h"
#include "base/cleanup.h"
#include "cli/cli.h"
#include "fs/scan.h"
#include "journal/sessions.h"
#include "journal/writer.h"
#include "media/image_helper.h"
#include "module/module.h"
#include "policy/policy.h"
#include "policy/visible.h"
#include "proc/system_program.h"
#include "sandbox/decoder.h"
#include "sandbox/sandbox.h"
#include "text/find.h"

enum { OUT_MAX = 1 << 20, TRIAL_SHOWN = 500, CONNECT_MS = 3000, LIST_MS = 5000 };

enum finding { FINDING_OK = 0, FINDING_NOTE, FINDING_BAD };

struct doctor {
    struct setup setup;
    struct hv_buf out;
    struct hv_arena *arena;
    bool json;
    size_t bad;
};

struct doctor_flags {
    struct cli_setup_flags setup;
    struct hv_str model;
    struct hv_str terminal; /* of the session that asks; absent: look for one */
    bool json, offline;
};

#define AT(member) offsetof(struct doctor_flags, member)
static const struct option doctor_options[] = {
    {"model", 0, OPTION_TEXT, AT(model), "NAME", "check this model"},
    {"offline", 0, OPTION_FLAG, AT(offline), NULL, "do not try to reach the model's server, or who answers searches"},
    {"json", 0, OPTION_FLAG, AT(json), NULL, "one JSON object a finding"},
    {"terminal", 0, OPTION_TEXT, AT(terminal), "TEXT", "what is said of the terminal", .hidden = true},
    {.type = OPTION_TABLE, .offset = AT(setup), .table = cli_setup_options},
    {0},
};
#undef AT

static void HV_PRINTF(4, 5) tell(struct doctor *doctor, enum finding finding, const char *what, const char *format, ...)
{
    static const char *const words[] = {"ok", "note", "bad"};
    va_list arguments;
    va_start(arguments, format);
    struct hv_str text = hv_arena_vformat(doctor->arena, format, arguments);
    va_end(arguments);
    doctor->bad += finding == FINDING_BAD;
    if (doctor->json) {
        struct hv_json_writer writer;
        hv_json_writer_init(&writer, &doctor->out);
        hv_json_begin_object(&writer);
        hv_json_member_cstr(&writer, "check", what);
        hv_json_member_cstr(&writer, "status", words[finding]);
        hv_json_member_string(&writer, "message", text);
        hv_json_end_object(&writer);
        hv_buf_add_byte(&doctor->out, '\n');
    } else {
        hv_buf_addf(&doctor->out, "%-5s %-10s ", words[finding], what);
        visible_add_lines(&doctor->out, text); /* it may quote the settings of a folder that nobody trusts */
        hv_buf_add_byte(&doctor->out, '\n');
    }
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static void check_settings(struct doctor *doctor)
{
    const struct settings *settings = doctor->setup.settings;
    for (size_t i = 0; i < settings->problem_count; i++) {
        const struct settings_problem *problem = &settings->problems[i];
        CLEANUP_BUF struct hv_buf text = {0};
        hv_buf_init(&text, 64 << 10);
        settings_problem_write(problem, &text);
        tell(doctor, problem->kind >= SETTINGS_BROKEN ? FINDING_BAD : FINDING_NOTE, "settings", "%.*s",
             HV_STR_ARG(hv_str_trim(hv_buf_str(&text))));
    }
    if (settings->problem_count == 0)
        tell(doctor, FINDING_OK, "settings", "%zu rules, %zu hooks; your own file: %.*s/settings.json",
             settings->rule_count, settings->hook_count, HV_STR_ARG(settings->user_directory));
    if (settings->trust == SETTINGS_UNTRUSTED)
        tell(doctor, FINDING_NOTE, "trust",
             "this folder's own settings allow and run nothing until you trust it (--trust)");
}

/* The rules as a session would read them. */
static void check_rules(struct doctor *doctor)
{
    const struct setup *setup = &doctor->setup;
    struct policy_options options = {
        .host = setup->host, .settings = setup->settings, .directory = setup->directory, .home = setup->home};
    size_t count;
    options.tools = hv_builtin_tools(&options.tool_count);
    struct policy *policy = policy_new(&options);
    const struct settings_problem *problems = policy_problems(policy, &count);
    for (size_t i = 0; i < count; i++) {
        CLEANUP_BUF struct hv_buf text = {0};
        hv_buf_init(&text, 64 << 10);
        settings_problem_write(&problems[i], &text);
        tell(doctor, FINDING_NOTE, "rules", "%.*s", HV_STR_ARG(hv_str_trim(hv_buf_str(&text))));
    }
    policy_unref(policy);
}

static bool keep_output(void *user, enum hv_stream stream, struct hv_str bytes)
{
    struct hv_buf *out = user;
    if (stream == HV_STDOUT && out->len + bytes.len <= out->max)
        hv_buf_add_str(out, bytes);
    return true;
}

/* Starting a command proves the guard, the processes and the program at once. */
static void check_program(struct doctor *doctor, const char *what, const char *const *argv, bool needed,
                          const char *without)
{
    CLEANUP_BUF struct hv_buf out = {0};
    struct hv_exit end;
    struct hv_error err;
    hv_buf_init(&out, 4096);
    struct hv_command command = {.argv = argv, .timeout_ns = 5000000000ull, .on_output = keep_output, .user = &out};
    const struct hv_host *host = doctor->setup.host;
    if (host->run(host, &command, &end, &err) != HV_OK) {
        tell(doctor, needed ? FINDING_BAD : FINDING_NOTE, what, "%s; %s", err.message, without);
        return;
    }
    struct hv_str line = hv_str_slice(hv_buf_str(&out), 0, hv_str_find_byte(hv_buf_str(&out), '\n', 0));
    tell(doctor, end.code == 0 ? FINDING_OK : FINDING_NOTE, what, "%.*s", HV_STR_ARG(line));
}

/* The system's: what a workspace has in front of PATH is not started for a look. */
static void check_git(struct doctor *doctor)
{
    const struct setup *setup = &doctor->setup;
    const struct system_programs programs = {.host = setup->host,
                                             .roots = setup->roots,
                                             .root_count = setup->root_count,
                                             .environment = (const char *const *)environ};
    struct hv_str git = system_program_first(&programs, doctor->arena, HV_STR("git"));
    check_program(
        doctor, "git",
        (const char *const[]){git.len ? hv_arena_cstr(doctor->arena, git) : "/usr/bin/git", "--version", NULL}, false,
        "only convenience");
}

static void check_state(struct doctor *doctor)
{
    struct hv_error err;
    struct hv_str directory = sessions_directory(doctor->arena);
    if (journal_make_directories(directory, 0700, &err) != HV_OK)
        tell(doctor, FINDING_BAD, "sessions", "%s; sessions cannot be kept (--no-session-persistence)", err.message);
    else if (access(hv_arena_cstr(doctor->arena, directory), W_OK) != 0)
        tell(doctor, FINDING_BAD, "sessions", "%.*s cannot be written", HV_STR_ARG(directory));
    else
        tell(doctor, FINDING_OK, "sessions", "kept in %.*s", HV_STR_ARG(directory));
}

/* The sandbox that a session here would have, by making one. */
static void check_sandbox(struct doctor *doctor)
{
    const struct setup *setup = &doctor->setup;
    struct sandbox_state state;
    struct sandbox_setup what = {.host = setup->host,
                                 .options = &setup->settings->sandbox,
                                 .home = setup->home,
                                 .roots = setup->roots,
                                 .root_count = setup->root_count};
    struct hv_sandbox *sandbox = sandbox_new(&what);
    sandbox_look(sandbox, &state);
    bool needed = state.enabled && what.options->fail_if_unavailable == SANDBOX_YES;
    bool full = state.level == SANDBOX_LEVEL_FULL;
    tell(doctor,
         full     ? FINDING_OK
         : needed ? FINDING_BAD
                  : FINDING_NOTE,
         "sandbox", "%.*s", HV_STR_ARG(sandbox_describe(&state, doctor->arena)));
    sandbox_free(sandbox);
}

/* What Read needs for pictures and PDF documents. Without its arguments the helper says so by its exit code: then it
 * could be loaded, with all its libraries. */
static void check_media(struct doctor *doctor)
{
    static const char *const readers[] = {"pdfinfo", "pdftotext", "pdftoppm"};
    struct hv_exit end;
    struct hv_error err;
    char *helper;
    const struct hv_host *host = doctor->setup.host;
    enum hv_code code = module_find(doctor->arena, "helve-image", "src/media/helve-image", &helper, &err);
    struct hv_command command = {.argv = (const char *const[]){code ? "" : helper, NULL}, .timeout_ns = 5000000000ull};
    code = code ? code : host->run(host, &command, &end, &err);
    if (code)
        tell(doctor, FINDING_NOTE, "images", "cannot be shown: %s", err.message);
    else if (end.code != IMAGE_HELPER_USAGE)
        tell(doctor, FINDING_NOTE, "images", "cannot be shown: helve-image does not run; it needs libgd (libgd3)");
    else
        tell(doctor, FINDING_OK, "images", "are shown, decoded by helve-image");
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (!sandbox_decoder_find(doctor->arena, readers[i])) {
            tell(doctor, FINDING_NOTE, "PDF", "cannot be shown: %s is missing; install poppler-utils", readers[i]);
            return;
        }
    tell(doctor, FINDING_OK, "PDF", "documents are shown, read by poppler");
}

/* What Grep searches with. */
static void check_search(struct doctor *doctor)
{
    CLEANUP_BUF struct hv_buf text = {0};
    bool compiles;
    hv_buf_init(&text, 4096);
    find_describe_machine(&text, &compiles);
    hv_buf_addf(&text, "; threads: %u", fs_scan_threads());
    if (!compiles)
        hv_buf_addf(&text, "; patterns with look-around or back-references take several times as long");
    tell(doctor, compiles ? FINDING_OK : FINDING_NOTE, "search", "%.*s", HV_STR_ARG(hv_buf_str(&text)));
}

static void check_terminal(struct doctor *doctor, struct hv_str session)
{
    const char *term = getenv("TERM");
    if (session.len) {
        tell(doctor, FINDING_OK, "terminal", "%.*s", HV_STR_ARG(session));
        return;
    }
    tell(doctor, FINDING_OK, "terminal", "stdin %s, stderr %s, TERM=%s, colours %s",
         isatty(STDIN_FILENO) ? "is one" : "is none", isatty(STDERR_FILENO) ? "is one" : "is none", term ? term : "",
         cli_has_colour(STDERR_FILENO) ? "yes" : "no");
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* "https://host:8080/v1" → host and port. */
static bool split_url(struct hv_arena *arena, struct hv_str url, char **host, char **port)
{
    size_t scheme = hv_str_find(url, HV_STR("://"), 0);
    if (scheme == SIZE_MAX)
        return false;
    struct hv_str rest = hv_str_slice(url, scheme + 3, url.len);
    rest = hv_str_slice(rest, 0, hv_str_find_byte(rest, '/', 0));
    size_t at = hv_str_rfind_byte(rest, '@'), colon;
    rest = at == SIZE_MAX ? rest : hv_str_slice(rest, at + 1, rest.len);
    size_t bracket = hv_str_find_byte(rest, ']', 0);
    colon = hv_str_find_byte(rest, ':', bracket == SIZE_MAX ? 0 : bracket);
    struct hv_str name = hv_str_slice(rest, 0, colon);
    if (name.len > 2 && name.ptr[0] == '[')
        name = hv_str_slice(name, 1, name.len - 1);
    bool tls = hv_str_starts(url, HV_STR("https"));
    *host = hv_arena_cstr(arena, name);
    *port = colon == SIZE_MAX ? hv_arena_cstr(arena, hv_str_from(tls ? "443" : "80"))
                              : hv_arena_cstr(arena, hv_str_slice(rest, colon + 1, rest.len));
    return name.len > 0;
}

static bool connects(const struct addrinfo *address)
{
    CLEANUP_FD int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int error = 0;
    socklen_t size = sizeof error;
    if (fd < 0)
        return false;
    if (connect(fd, address->ai_addr, address->ai_addrlen) == 0)
        return true;
    if (poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, CONNECT_MS) != 1)
        return false;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

static bool check_server(struct doctor *doctor, struct hv_str url)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    char *host, *port;
    if (!split_url(doctor->arena, url, &host, &port)) {
        tell(doctor, FINDING_BAD, "server", "%.*s is no address (https://host/…)", HV_STR_ARG(url));
        return false;
    }
    int failed = getaddrinfo(host, port, &hints, &list);
    if (failed) {
        tell(doctor, FINDING_BAD, "server", "%s cannot be found: %s", host, gai_strerror(failed));
        return false;
    }
    bool reached = false;
    for (const struct addrinfo *at = list; at && !reached; at = at->ai_next)
        reached = connects(at);
    freeaddrinfo(list);
    tell(doctor, reached ? FINDING_OK : FINDING_BAD, "server", "%s port %s %s", host, port,
         reached ? "takes connections" : "cannot be reached; is the server running, is there a proxy?");
    return reached;
}

/* The models that the server has, and whether the one in use is among them. */
static void check_models(struct doctor *doctor)
{
    struct hv_error err;
    struct hv_str *names, name = model_name(doctor->setup.model);
    size_t count;
    if (model_list(doctor->setup.model, LIST_MS, doctor->arena, &names, &count, &err) != HV_OK) {
        tell(doctor, FINDING_NOTE, "models", "%s%s%s", err.message, err.hint[0] ? "; " : "", err.hint);
        return;
    }
    bool known = model_list_has(names, count, name);
    tell(doctor, known ? FINDING_OK : FINDING_NOTE, "models", "%s%.*s%sthe server has %zu: %.*s",
         known ? "" : "the server does not list ", known ? 0 : (int)name.len, name.ptr, known ? "" : "; ", count,
         HV_STR_ARG(model_list_text(doctor->arena, names, count)));
}

static void check_model(struct doctor *doctor, const struct doctor_flags *flags)
{
    struct hv_error err;
    struct setup *setup = &doctor->setup;
    setup->offline = flags->offline;
    if (setup_model(setup, flags->model, &err) != HV_OK) {
        tell(doctor, FINDING_NOTE, "model", "%s%s%s", err.message, err.hint[0] && err.hint[0] != '\n' ? "; " : "",
             err.hint);
        return;
    }
    tell(doctor, FINDING_OK, "model", "%.*s by %.*s%s", HV_STR_ARG(model_name(setup->model)),
         HV_STR_ARG(model_provider_name(setup->model)), setup->secret_count > 0 ? ", with a key" : ", without a key");
    if (setup->small_model)
        tell(doctor, FINDING_OK, "small model", "%.*s by %.*s", HV_STR_ARG(model_name(setup->small_model)),
             HV_STR_ARG(model_provider_name(setup->small_model)));
    else if (setup->small_model_fault.len)
        tell(doctor, FINDING_BAD, "small model", "%.*s", HV_STR_ARG(setup->small_model_fault));
    if (!flags->offline && model_url(setup->model).len > 0)
        if (check_server(doctor, model_url(setup->model)))
            check_models(doctor);
}

/* ---- tools that need something outside -------------------------------------------------------------------------- */

struct trial {
    struct doctor *doctor;
    const char *what;
};

static void on_trial_result(void *user, const struct batch_result *result)
{
    const struct trial *trial = user;
    struct hv_str text = hv_str_trim(hv_str_slice(result->text, 0, TRIAL_SHOWN));
    if (result->is_error)
        tell(trial->doctor, FINDING_BAD, trial->what, "%.*s", HV_STR_ARG(text));
    else
        tell(trial->doctor, FINDING_OK, trial->what, "answers");
}

/* Who runs doctor wants the trial. Unlike the mode that asks nothing, this cannot be forbidden by managed settings. */
static void allow_trial(void *user, const struct hv_question *question, const struct hv_cancel *cancel,
                        struct hv_arena *arena, struct hv_answer *answer)
{
    (void)user, (void)question, (void)cancel, (void)arena;
    answer->outcome = HV_ASK_ANSWERED;
}

/* A session of one call, about which nobody is asked; rules that deny and hooks hold for it as for any other. */
static void check_tool(struct doctor *doctor, const struct hv_tool *tool)
{
    struct hv_error err;
    struct exec_outcome outcome;
    struct trial trial = {doctor, tool->name};
    struct hv_str name = hv_str_from(tool->name);
    struct exec_options options = {
        .setup = &doctor->setup,
        .kind = CALLS_JSON,
        .input = -1,
        .output = -1,
        .calls = hv_arena_format(doctor->arena, "{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"%s\",\"input\":%s}",
                                 tool->name, tool->trial_input),
        .one_call = name,
        .door = "doctor",
        .only_tools = &name,
        .only_tool_count = 1,
        .has_mode = true,
        .mode = POLICY_DEFAULT,
        .asker = {.ask = allow_trial},
        .on_result = on_trial_result,
        .user = &trial,
    };
    if (setup_loop(&doctor->setup, &err) != HV_OK || exec_run(&options, &outcome, &err) != HV_OK)
        tell(doctor, FINDING_BAD, tool->name, "cannot be tried: %s", err.message);
}

/* A tool that asks the model's provider: a session of one call has no model, so the provider is asked itself. */
static void check_provider(struct doctor *doctor, const struct hv_tool *tool)
{
    struct setup *setup = &doctor->setup;
    struct model *small = setup->small_model;
    struct hv_error err;
    if (!setup->model)
        tell(doctor, FINDING_BAD, tool->name,
             "there is no model whose provider could search; see the line on the model");
    else if (setup_loop(setup, &err) != HV_OK ||
             search_trial(small && model_searches(small) ? small : setup->model, setup->loop, &err) != HV_OK)
        tell(doctor, FINDING_BAD, tool->name, "%s%s%s", err.message, err.hint[0] ? "; " : "", err.hint);
    else
        tell(doctor, FINDING_OK, tool->name, "answers");
}

static void check_tools(struct doctor *doctor)
{
    const struct setup *setup = &doctor->setup;
    size_t count;
    const struct hv_tool *const *tools = hv_builtin_tools(&count);
    struct hv_context context = {.arena = doctor->arena,
                                 .host = setup->host,
                                 .directory = setup->directory,
                                 .home = setup->home,
                                 .search = &setup->settings->search};
    for (size_t i = 0; i < count; i++) {
        if (!tools[i]->trial_input)
            continue;
        context.side_models.searches = false;
        bool enabled = !tools[i]->is_enabled || tools[i]->is_enabled(&context);
        context.side_models.searches = true;
        if (enabled)
            check_tool(doctor, tools[i]);
        else if (tools[i]->is_enabled(&context))
            check_provider(doctor, tools[i]);
    }
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int run(const struct cli_call *call)
{
    const struct doctor_flags *flags = call->options;
    struct doctor doctor = {.arena = call->arena, .json = flags->json};
    struct hv_error err;
    hv_buf_init(&doctor.out, OUT_MAX);
    tell(&doctor, FINDING_OK, "helve", "%s", HELVE_VERSION);
    if (cli_setup_open(&flags->setup, &doctor.setup, &err) != HV_OK) {
        tell(&doctor, FINDING_BAD, "set-up", "%s%s%s", err.message, err.hint[0] ? "; " : "", err.hint);
    } else {
        check_settings(&doctor);
        check_rules(&doctor);
        check_state(&doctor);
        check_program(&doctor, "commands", (const char *const[]){"/bin/bash", "-c", "echo bash $BASH_VERSION", NULL},
                      true, "no command can be run");
        check_git(&doctor);
        check_sandbox(&doctor);
        check_search(&doctor);
        check_media(&doctor);
        check_terminal(&doctor, flags->terminal);
        check_model(&doctor, flags);
        if (!flags->offline)
            check_tools(&doctor);
    }
    int status = cli_print(&doctor.out, doctor.bad > 0 ? CLI_FAILED : CLI_OK);
    setup_release(&doctor.setup);
    hv_buf_release(&doctor.out);
    return status;
}

const struct cli_command cli_doctor_command = {
    .name = "doctor",
    .arguments = "",
    .summary = "check the set-up: settings, commands, sandbox, search, images, sessions, terminal, model",
    .text = "Exit code: 0, or 1 when something is broken.",
    .options = doctor_options,
    .options_size = sizeof(struct doctor_flags),
    .run = run,
};

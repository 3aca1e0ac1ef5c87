/*
 * runs.c: see runs.h. The list is its own queue: each run is looked at once, and what it starts is put at the end.
 */
#include "shell/runs.h"

#include "shell/classify.h"
#include "shell/fed.h"

#include "base/cleanup.h"

#include <string.h>

/* The bounds of the work. Guesses: runs that have words together, and how many words those that start others have. */
enum {
    RUNS_MAX = 1 << 16,
    GUESSES_MAX = 1 << 13,
    GUESSED_WORDS_MAX = 1 << 14,
    CODE_MAX = 2 * SHELL_SCRIPT_MAX,
    NESTED_MAX = SHELL_SCRIPT_MAX / 4, /* code within code: each level reads most of it once more */
    DEPTH_MAX = 16,
    JOINED_MAX = SHELL_SCRIPT_MAX
};

/* ---- programs that start others ---------------------------------------------------------------------------------- */

enum starter_flags {
    ASSIGNS = 1 << 0,   /* NAME=value words may stand before the program */
    JOINED = 1 << 1,    /* the words, joined by blanks, are code for a shell */
    ELSEWHERE = 1 << 2, /* what it starts does not run on this machine */
    SPREADS = 1 << 3,   /* where the program begins cannot be told: any later word may be it */
    TEXTS = 1 << 4,     /* a word with a blank in it is code for a shell */
};

struct listing;

struct starter {
    const char *name;
    void (*start)(struct listing *list, int index);
    const char *values;  /* letters of the options that take the next word, or NULL */
    const char *longs;   /* long options that do, or NULL */
    unsigned operands;   /* words before the program: the time of timeout */
    const char *command; /* a sub-command that must stand first ("uv run"), or NULL */
    char code;           /* the option whose value is code for a shell */
    unsigned flags;
};

static void start_wrapped(struct listing *list, int index);
static void start_shell(struct listing *list, int index);
static void start_eval(struct listing *list, int index);
static void start_trap(struct listing *list, int index);
static void start_alias(struct listing *list, int index);
static void read_input(struct listing *list, int index);
static void start_found(struct listing *list, int index);
static void start_git(struct listing *list, int index);

/* Sorted by name. */
/* clang-format off */
static const struct starter starters[] = {
    {".", .start = read_input},
    {"alias", .start = start_alias},
    {"asdf", .start = start_wrapped, .command = "exec"},
    {"ash", .start = start_shell},
    {"bash", .start = start_shell},
    {"builtin", .start = start_wrapped},
    {"bundle", .start = start_wrapped, .command = "exec"},
    {"busybox", .start = start_wrapped},
    {"bwrap", .start = start_wrapped, .flags = SPREADS},
    {"caffeinate", .start = start_wrapped, .flags = SPREADS},
    {"catchsegv", .start = start_wrapped},
    {"cgexec", .start = start_wrapped, .flags = SPREADS},
    {"chpst", .start = start_wrapped, .flags = SPREADS},
    {"chronic", .start = start_wrapped},
    {"chroot", .start = start_wrapped, .operands = 1},
    {"chrt", .start = start_wrapped, .values = "TPD", .operands = 1},
    {"command", .start = start_wrapped},
    {"coproc", .start = start_wrapped},
    {"dash", .start = start_shell},
    {"dbus-run-session", .start = start_wrapped},
    {"devbox", .start = start_wrapped, .command = "run"},
    {"direnv", .start = start_wrapped, .command = "exec", .operands = 1},
    {"distrobox", .start = start_wrapped, .flags = SPREADS | ELSEWHERE},
    {"doas", .start = start_wrapped, .values = "uCa"},
    {"docker", .start = start_wrapped, .flags = SPREADS | ELSEWHERE},
    {"dotenv", .start = start_wrapped, .flags = SPREADS},
    {"dumb-init", .start = start_wrapped, .flags = SPREADS},
    {"entr", .start = start_wrapped},
    {"env", .start = start_wrapped, .values = "uC", .longs = "--unset --chdir", .code = 'S', .flags = ASSIGNS},
    {"eval", .start = start_eval},
    {"exec", .start = start_wrapped, .values = "a"},
    {"fakeroot", .start = start_wrapped},
    {"faketime", .start = start_wrapped, .flags = SPREADS},
    {"fd", .start = start_found},
    {"fdfind", .start = start_found},
    {"find", .start = start_found},
    {"firejail", .start = start_wrapped, .flags = SPREADS},
    {"fish", .start = start_shell},
    {"flock", .start = start_wrapped, .values = "wE", .longs = "--timeout --wait --conflict-exit-code", .operands = 1, .code = 'c'},
    {"gdb", .start = start_wrapped, .flags = SPREADS},
    {"git", .start = start_git},
    {"gosu", .start = start_wrapped, .operands = 1},
    {"hatch", .start = start_wrapped, .command = "run"},
    {"heaptrack", .start = start_wrapped, .flags = SPREADS},
    {"hyperfine", .start = start_wrapped, .flags = SPREADS | TEXTS},
    {"ionice", .start = start_wrapped, .values = "cnpPu", .longs = "--class --classdata"},
    {"ksh", .start = start_shell},
    {"kubectl", .start = start_wrapped, .flags = SPREADS | ELSEWHERE},
    {"ltrace", .start = start_wrapped, .values = "eoapsubEIOPSXnlA", .longs = "--output --trace"},
    {"lxc", .start = start_wrapped, .flags = SPREADS | ELSEWHERE},
    {"mise", .start = start_wrapped, .command = "exec"},
    {"mksh", .start = start_shell},
    {"nerdctl", .start = start_wrapped, .flags = SPREADS | ELSEWHERE},
    {"nice", .start = start_wrapped, .values = "n", .longs = "--adjustment"},
    {"nix", .start = start_wrapped, .flags = SPREADS},
    {"nix-shell", .start = start_wrapped, .longs = "--run --command", .flags = SPREADS},
    {"nocorrect", .start = start_wrapped},
    {"nodemon", .start = start_wrapped, .flags = SPREADS | TEXTS},
    {"noglob", .start = start_wrapped},
    {"nohup", .start = start_wrapped},
    {"npm", .start = start_wrapped, .command = "exec"},
    {"npx", .start = start_wrapped, .values = "p", .longs = "--package", .code = 'c'},
    {"nsenter", .start = start_wrapped, .values = "tSGwr", .longs = "--target --setuid --setgid"},
    {"numactl", .start = start_wrapped, .flags = SPREADS},
    {"oc", .start = start_wrapped, .flags = SPREADS | ELSEWHERE},
    {"opam", .start = start_wrapped, .command = "exec"},
    {"parallel", .start = start_wrapped, .values = "jN", .longs = "--jobs", .flags = JOINED | SPREADS},
    {"pdm", .start = start_wrapped, .command = "run"},
    {"perf", .start = start_wrapped, .flags = SPREADS},
    {"pipenv", .start = start_wrapped, .command = "run"},
    {"pkexec", .start = start_wrapped, .longs = "--user"},
    {"pnpm", .start = start_wrapped, .command = "exec"},
    {"podman", .start = start_wrapped, .flags = SPREADS | ELSEWHERE},
    {"poetry", .start = start_wrapped, .command = "run"},
    {"prlimit", .start = start_wrapped, .flags = SPREADS},
    {"proot", .start = start_wrapped, .values = "rbwkq"},
    {"proxychains4", .start = start_wrapped, .flags = SPREADS},
    {"rbash", .start = start_shell},
    {"rr", .start = start_wrapped, .flags = SPREADS},
    {"run0", .start = start_wrapped, .values = "u", .longs = "--user --group --nice --chdir --setenv --property --unit"},
    {"runuser", .start = start_wrapped, .values = "gGswTu", .longs = "--group --supp-group --shell --user", .code = 'c'},
    {"rye", .start = start_wrapped, .command = "run"},
    {"script", .start = start_wrapped, .values = "OIBoTm", .code = 'c'},
    {"setarch", .start = start_wrapped, .flags = SPREADS},
    {"setpriv", .start = start_wrapped, .flags = SPREADS},
    {"setsid", .start = start_wrapped},
    {"sh", .start = start_shell},
    {"source", .start = read_input},
    {"ssh", .start = start_wrapped, .values = "BbcDEeFIiJLlmOoPpQRSWw", .operands = 1, .flags = JOINED | ELSEWHERE},
    {"stdbuf", .start = start_wrapped, .values = "ioe", .longs = "--input --output --error"},
    {"strace", .start = start_wrapped, .values = "eoapsubEIOPSXnlA", .longs = "--output --trace"},
    {"su", .start = start_wrapped, .values = "gGswTu", .longs = "--group --supp-group --shell --whitelist-environment", .code = 'c', .operands = 1},
    {"su-exec", .start = start_wrapped, .operands = 1},
    {"sudo", .start = start_wrapped, .values = "ugphCrtTUDR", .longs = "--user --group --prompt --host --close-from --role --type --chroot --chdir --other-user --command-timeout", .flags = ASSIGNS},
    {"systemd-run", .start = start_wrapped, .flags = SPREADS},
    {"taskset", .start = start_wrapped, .operands = 1},
    {"time", .start = start_wrapped, .values = "fo", .longs = "--format --output"},
    {"timeout", .start = start_wrapped, .values = "ks", .longs = "--kill-after --signal", .operands = 1},
    {"tini", .start = start_wrapped, .flags = SPREADS},
    {"toolbox", .start = start_wrapped, .flags = SPREADS | ELSEWHERE},
    {"toybox", .start = start_wrapped},
    {"trap", .start = start_trap},
    {"unbuffer", .start = start_wrapped},
    {"unshare", .start = start_wrapped, .values = "SGwR", .longs = "--setuid --setgid --wd --root"},
    {"uv", .start = start_wrapped, .command = "run"},
    {"valgrind", .start = start_wrapped, .flags = SPREADS},
    {"watch", .start = start_wrapped, .values = "nq", .longs = "--interval", .flags = JOINED},
    {"watchexec", .start = start_wrapped, .flags = SPREADS | TEXTS},
    {"xargs", .start = start_wrapped, .values = "aEILnPsd", .longs = "--arg-file --delimiter --max-args --max-procs --max-chars --replace --max-lines"},
    {"xvfb-run", .start = start_wrapped, .flags = SPREADS},
    {"yarn", .start = start_wrapped, .command = "exec"},
    {"yash", .start = start_shell},
    {"zsh", .start = start_shell},
};
/* clang-format on */

/* ---- the list in the making -------------------------------------------------------------------------------------- */

/* What is known of a name, kept for the next run of it: long scripts have few. */
struct known_name {
    struct hv_str name;
    unsigned traits;
};

enum { KNOWN_NAMES = 64 };

struct listing {
    struct hv_arena *arena;
    const struct shell_start *start;
    struct shell_run *items; /* in arena */
    size_t count, capacity;
    struct known_name known[KNOWN_NAMES];
    struct shell_feeding feeding;
    size_t code_bytes, nested_bytes, guesses, guessed_words;
    bool complete;
};

/* What else the words of a run may be. */
enum run_words {
    RUN_ITS_OWN,
    RUN_SHARED, /* another run of the one that starts it has them, too */
    RUN_SPREAD, /* the same, for each of many words */
};

static const struct starter *find_starter(struct hv_str name);

static unsigned traits_of(struct listing *list, struct hv_str name)
{
    size_t slot =
        name.len ? (name.len * 8 + (unsigned char)name.ptr[0] + 4u * (unsigned char)name.ptr[name.len - 1]) : 0;
    struct known_name *known = &list->known[slot % KNOWN_NAMES];
    if (!name.len)
        return 0;
    if (!hv_str_eq(known->name, name))
        *known = (struct known_name){name, shell_name_traits(name) | (find_starter(name) ? SHELL_NAME_STARTER : 0)};
    return known->traits;
}

/* Room for so many more: most commands of a script are one run. */
static void reserve_runs(struct listing *list, size_t count)
{
    size_t wanted = list->count + count, doubled = 2 * list->capacity;
    if (wanted <= list->capacity)
        return;
    list->capacity = wanted > doubled ? wanted : doubled;
    struct shell_run *items = hv_arena_alloc(list->arena, list->capacity * sizeof *items);
    if (list->count)
        memcpy(items, list->items, list->count * sizeof *items);
    list->items = items;
}

/* A run of words[from…]: by the run that starts it, which is none of the list itself, as that may move. */
static void add_run(struct listing *list, const struct shell_run *by, int index, const struct shell_word *words,
                    size_t count, enum run_words kind)
{
    enum { FEW = 8 };
    if (!count)
        return;
    bool guessed = kind != RUN_ITS_OWN || by->guessed;
    list->guesses += guessed;
    if (list->count >= RUNS_MAX || list->guesses > GUESSES_MAX) {
        list->complete = false;
        return;
    }
    if (list->count == list->capacity)
        reserve_runs(list, FEW);
    struct hv_str name = words->known ? shell_base_name(words->value) : (struct hv_str){0};
    struct shell_run *run = &list->items[list->count++]; /* member by member: a copy of what was just written stalls */
    run->script = by->script;
    run->command = by->command;
    run->words = words;
    run->word_count = count;
    run->name = name;
    run->traits = traits_of(list, name);
    run->by = index;
    run->depth = by->depth;
    run->elsewhere = by->elsewhere;
    run->is_code = false;
    run->guessed = guessed;
    run->spread = by->spread || kind == RUN_SPREAD;
}

static void read_code(struct listing *list, int index, struct hv_str code);

/* rm${IFS}-rf: a variable that everybody knows to be a blank. */
static void read_blanks(struct listing *list, int index)
{
    static const struct hv_str forms[] = {HV_STR("${IFS}"), HV_STR("$IFS")};
    struct hv_str text = list->items[index].command->text;
    if (hv_str_find(text, HV_STR("IFS"), 0) == SIZE_MAX)
        return;
    char *plain = hv_arena_cstr(list->arena, text);
    bool changed = false;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (size_t at = 0; (at = hv_str_find(hv_str_of(plain, text.len), forms[i], at)) != SIZE_MAX; changed = true)
            memset(plain + at, ' ', forms[i].len);
    if (changed)
        read_code(list, index, hv_str_of(plain, text.len));
}

/* $(echo rm) -rf x: the program is what a substitution writes. */
static void read_made(struct listing *list, int index)
{
    CLEANUP_BUF struct hv_buf code = {0};
    struct shell_run run = list->items[index];
    if (run.words[0].known || !(run.words[0].flags & SHELL_WORD_COMMAND))
        return;
    hv_buf_init(&code, JOINED_MAX + 1);
    hv_buf_add_str(&code, shell_fed_to(&list->feeding, run.script, run.command, true));
    for (size_t i = 1; code.len && i < run.word_count; i++) {
        hv_buf_add_byte(&code, ' ');
        shell_add_code(&code, &run.words[i]);
    }
    if (code.failed)
        list->complete = false;
    else
        read_code(list, index, hv_arena_str(list->arena, hv_buf_str(&code)));
}

static void add_script(struct listing *list, const struct shell_script *script, const struct shell_run *by, int index)
{
    struct shell_run run = {.script = script, .depth = by ? by->depth + 1 : 0, .elsewhere = by && by->elsewhere};
    reserve_runs(list, script->count < RUNS_MAX ? script->count : RUNS_MAX);
    for (size_t i = 0; i < script->count; i++) {
        run.command = &script->commands[i];
        if (run.command->kind != SHELL_COMMAND_SIMPLE || !run.command->word_count)
            continue;
        size_t before = list->count;
        add_run(list, &run, index, run.command->words, run.command->word_count, RUN_ITS_OWN);
        if (list->count == before)
            continue;
        list->items[before].is_code = by != NULL;
        read_blanks(list, (int)before);
        read_made(list, (int)before);
    }
}

/* ---- code in arguments ------------------------------------------------------------------------------------------- */

static void read_code(struct listing *list, int index, struct hv_str code)
{
    struct shell_run by = list->items[index];
    if (!code.len)
        return;
    size_t nested = by.depth ? code.len : 0;
    if (code.len > JOINED_MAX || by.depth >= DEPTH_MAX || list->code_bytes + code.len > CODE_MAX ||
        list->nested_bytes + nested > NESTED_MAX) {
        list->complete = false;
        return;
    }
    list->code_bytes += code.len;
    list->nested_bytes += nested;
    struct shell_start start = list->start ? *list->start : (struct shell_start){0};
    start.directory = by.command->directory;
    start.outermost = false;
    struct shell_script *script = hv_arena_new(list->arena, struct shell_script);
    shell_read(list->arena, code, &start, script);
    add_script(list, script, &by, index);
}

static void read_words(struct listing *list, int index, const struct shell_word *words, size_t count)
{
    CLEANUP_BUF struct hv_buf code = {0};
    hv_buf_init(&code, JOINED_MAX + 1);
    for (size_t i = 0; i < count; i++) {
        if (i)
            hv_buf_add_byte(&code, ' ');
        shell_add_code(&code, &words[i]);
    }
    if (code.failed)
        list->complete = false;
    else
        read_code(list, index, hv_arena_str(list->arena, hv_buf_str(&code)));
}

static struct hv_str input_of(struct listing *list, const struct shell_run *run, bool substitutions)
{
    return shell_fed_to(&list->feeding, run->script, run->command, substitutions);
}

/* Here-documents and here-strings, and what the command before it in the pipe writes. */
static void read_input(struct listing *list, int index)
{
    struct shell_run run = list->items[index];
    for (size_t i = 0; i < run.command->redirect_count; i++) {
        const struct shell_redirect *redirect = &run.command->redirects[i];
        if (redirect->kind == SHELL_REDIRECT_HERE || redirect->kind == SHELL_REDIRECT_HERE_STRING)
            read_words(list, index, &redirect->target, 1);
    }
    read_code(list, index, input_of(list, &run, true));
}

/* ---- what each kind of program starts ---------------------------------------------------------------------------- */

/* sh [options] -c code, or code from stdin. */
static void start_shell(struct listing *list, int index)
{
    struct shell_run run = list->items[index];
    bool code = false;
    size_t at = 1;
    for (; at < run.word_count; at++) {
        struct hv_str word = shell_word_text(&run.words[at]);
        if (word.len < 2 || (word.ptr[0] != '-' && word.ptr[0] != '+'))
            break;
        bool is_long = hv_str_starts(word, HV_STR("--"));
        code |= !is_long && word.ptr[0] == '-' && hv_str_find_byte(word, 'c', 0) != SIZE_MAX;
        bool takes_next = (!is_long && hv_str_find_byte(hv_str_slice(word, word.len - 1, word.len), 'o', 0) == 0) ||
                          hv_str_ends(word, HV_STR("O")) || shell_is_one_of(word, "--rcfile --init-file");
        at += takes_next;
    }
    if (code && at < run.word_count)
        read_words(list, index, &run.words[at], 1);
    else if (!code)
        read_input(list, index);
    if (code)
        read_code(list, index, input_of(list, &run, true));
}

static void start_found(struct listing *list, int index)
{
    struct shell_run entry = list->items[index];
    const struct shell_word *words = entry.words;
    size_t end = 0, last = 0; /* where the words end, and those of the run before did */
    for (size_t at = 1; at < entry.word_count; at++) {
        if (!shell_is_one_of(shell_word_text(&words[at]), "-exec -execdir -ok -okdir -x -X --exec --exec-batch"))
            continue;
        end = end > at ? end : at + 1;
        while (end < entry.word_count && !hv_str_is(words[end].value, ";") && !hv_str_is(words[end].value, "+"))
            end++;
        add_run(list, &entry, index, words + at + 1, end - at - 1, end == last ? RUN_SHARED : RUN_ITS_OWN);
        last = end;
    }
}

/* git bisect run CMD, git rebase -x CODE, git submodule foreach CODE, git -c alias.x='!CODE' x, git filter-branch … */
static void start_git(struct listing *list, int index)
{
    struct shell_run entry = list->items[index];
    const struct shell_word *words = entry.words;
    size_t count = entry.word_count;
    enum run_words kind = RUN_ITS_OWN;
    for (size_t at = 1; at < count; at++) {
        struct hv_str word = shell_word_text(&words[at]);
        size_t bang = hv_str_find(word, HV_STR("=!"), 0);
        if (hv_str_is(word, "run")) {
            add_run(list, &entry, index, words + at + 1, count - at - 1, kind);
            kind = RUN_SHARED;
        } else if (hv_str_is(word, "foreach"))
            read_words(list, index, words + at + 1, count - at - 1);
        else if (shell_is_one_of(word, "-x --exec --tree-filter --index-filter --msg-filter") && at + 1 < count)
            read_words(list, index, words + at + 1, 1);
        else if (bang != SIZE_MAX && words[at].known)
            read_code(list, index, hv_str_slice(word, bang + 2, word.len));
    }
}

static const struct starter *find_starter(struct hv_str name)
{
    size_t low = 0, high = sizeof starters / sizeof *starters;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = shell_compare_name(name, starters[middle].name);
        if (order == 0)
            return &starters[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

bool shell_runs_others(struct hv_str name)
{
    return find_starter(name) != NULL;
}

static bool is_assignment(struct hv_str word)
{
    size_t equals = hv_str_find_byte(word, '=', 0);
    return equals != SIZE_MAX && equals > 0 && word.ptr[0] != '-';
}

/* How many words an option takes: itself, and its value when that is the next word. */
static size_t option_width(const struct starter *starter, struct hv_str word)
{
    if (hv_str_starts(word, HV_STR("--")))
        return hv_str_find_byte(word, '=', 0) == SIZE_MAX && starter->longs && shell_is_one_of(word, starter->longs)
                   ? 2
                   : 1;
    for (size_t i = 1; i < word.len; i++)
        if (starter->values && strchr(starter->values, word.ptr[i]))
            return i + 1 == word.len ? 2 : 1;
    return 1;
}

/* The value of the option for code: "-c CODE", "-cCODE", "--command CODE". Reads it; false when there is none. */
static bool start_code_option(struct listing *list, const struct starter *starter, int index, size_t at)
{
    struct shell_run run = list->items[index];
    struct hv_str word = shell_word_text(&run.words[at]);
    if (!starter->code || word.len < 2)
        return false;
    bool is_long =
        shell_is_one_of(word, starter->code == 'S' ? "--split-string" : "--command --session-command --call");
    bool is_short = !hv_str_starts(word, HV_STR("--")) && word.ptr[word.len - 1] == starter->code;
    if ((is_long || is_short) && at + 1 < run.word_count) {
        read_words(list, index, &run.words[at + 1], run.word_count - at - 1);
        return true;
    }
    size_t equals = hv_str_find_byte(word, '=', 0);
    if (equals != SIZE_MAX && shell_is_one_of(hv_str_slice(word, 0, equals), "--split-string --command"))
        read_code(list, index, hv_str_slice(word, equals + 1, word.len));
    else if (word.ptr[1] == starter->code)
        read_code(list, index, hv_str_slice(word, 2, word.len));
    else
        return false;
    return true;
}

static void spread(struct listing *list, int index, size_t at)
{
    struct shell_run entry = list->items[index];
    if (entry.spread)
        return;
    bool texts = find_starter(entry.name)->flags & TEXTS;
    for (; at < entry.word_count; at++) {
        add_run(list, &entry, index, entry.words + at, entry.word_count - at, RUN_SPREAD);
        if (texts && hv_str_find_byte(entry.words[at].value, ' ', 0) != SIZE_MAX)
            read_words(list, index, entry.words + at, 1);
    }
}

/* echo / | xargs rm: the words that a pipe is known to bring stand behind the others. */
static void add_piped(struct listing *list, int index, size_t at)
{
    struct shell_run entry = list->items[index];
    struct hv_str input = input_of(list, &entry, false), part;
    if (!input.len || at >= entry.word_count)
        return;
    size_t own = entry.word_count - at, count = own;
    struct shell_word *words = hv_arena_array(list->arena, struct shell_word, own + input.len / 2 + 2);
    memcpy(words, entry.words + at, own * sizeof *words);
    for (struct hv_str rest = input; hv_str_split(&rest, ' ', &part);) {
        part = hv_str_trim(part);
        if (part.len)
            words[count++] = (struct shell_word){.text = part, .value = part, .known = true};
    }
    add_run(list, &entry, index, words, count, RUN_ITS_OWN);
}

/* Where the words begin that docker, kubectl and their kin run in a container: behind the sub-command that does so.
 * Words of the others (docker rm, kubectl get) are names. */
static size_t contained_from(const struct shell_run *run)
{
    static const char *const programs[][2] = {
        {"docker podman nerdctl", "run exec create"},
        {"kubectl oc", "run exec debug"},
        {"toolbox distrobox", "run enter create"},
        {"nix", "run shell develop"},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        for (size_t at = 1; shell_is_one_of(run->name, programs[i][0]); at++)
            if (at >= run->word_count || !run->words[at].known || shell_is_one_of(run->words[at].value, programs[i][1]))
                return at < run->word_count && !run->words[at].known ? at : at + 1;
    return 1;
}

static void start_wrapped(struct listing *list, int index)
{
    struct shell_run entry = list->items[index];
    const struct starter *starter = find_starter(entry.name);
    const struct shell_word *words = entry.words;
    size_t count = entry.word_count, at = 1;
    if (starter->flags & ELSEWHERE)
        list->items[index].elsewhere = entry.elsewhere = true;
    if (starter->flags & SPREADS) {
        spread(list, index, contained_from(&entry));
        return;
    }
    for (; at < count; at += option_width(starter, words[at].value)) {
        struct hv_str word = shell_word_text(&words[at]);
        if (!words[at].known && !hv_str_starts(words[at].value, HV_STR("-"))) {
            spread(list, index, at);
            return;
        }
        if (hv_str_is(word, "--") && ++at)
            break;
        if (start_code_option(list, starter, index, at))
            return;
        if (!hv_str_starts(word, HV_STR("-")) && !(starter->flags & ASSIGNS && is_assignment(word)))
            break;
    }
    while (starter->flags & ASSIGNS && at < count && is_assignment(shell_word_text(&words[at])))
        at++;
    if (starter->command && !(at < count && hv_str_is(words[at].value, starter->command)))
        return;
    at += starter->operands + (starter->command != NULL);
    if (starter->command && at < count && hv_str_is(words[at].value, "--"))
        at++;
    if (at >= count)
        return;
    if (start_code_option(list, starter, index, at)) /* flock FILE -c CODE, su USER -c CODE */
        return;
    if (starter->flags & JOINED)
        read_words(list, index, words + at, count - at);
    else
        add_run(list, &entry, index, words + at, count - at, RUN_ITS_OWN);
    if (shell_is_one_of(entry.name, "xargs"))
        add_piped(list, index, at);
}

static void start_eval(struct listing *list, int index)
{
    struct shell_run run = list->items[index];
    read_words(list, index, run.words + 1, run.word_count - 1);
    read_code(list, index, input_of(list, &run, true));
}

static void start_trap(struct listing *list, int index)
{
    struct shell_run run = list->items[index];
    if (run.word_count > 2)
        read_words(list, index, run.words + 1, 1);
}

/* alias x='CODE': whether aliases are on is decided when the script runs. */
static void start_alias(struct listing *list, int index)
{
    struct shell_run run = list->items[index];
    for (size_t i = 1; i < run.word_count; i++) {
        struct hv_str word = shell_word_text(&run.words[i]);
        size_t equals = hv_str_find_byte(word, '=', 0);
        if (equals != SIZE_MAX && run.words[i].known)
            read_code(list, index, hv_str_slice(word, equals + 1, word.len));
    }
}

/* What starts others goes through its words: not without end through the same ones. */
static bool may_look(struct listing *list, const struct shell_run *run)
{
    list->guessed_words += run->guessed ? run->word_count : 0;
    if (!run->guessed || list->guessed_words <= GUESSED_WORDS_MAX)
        return true;
    list->complete = false;
    return false;
}

void shell_list_runs(struct hv_arena *arena, const struct shell_script *script, const struct shell_start *start,
                     struct shell_runs *out)
{
    struct listing list = {.arena = arena, .start = start, .feeding = {.arena = arena}, .complete = true};
    add_script(&list, script, NULL, SHELL_RUN_TOP);
    for (size_t i = 0; i < list.count; i++)
        if (list.items[i].traits & SHELL_NAME_STARTER && may_look(&list, &list.items[i]))
            find_starter(list.items[i].name)->start(&list, (int)i);
    *out = (struct shell_runs){list.items, list.count, list.complete && !list.feeding.exhausted};
}

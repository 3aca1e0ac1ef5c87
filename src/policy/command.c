/*
 * command.c: see command.h. The generous reading first takes quotes and backslashes out, then cuts at every byte that
 * could end a command, whether quoted or not, and then tries each place where the name of a command could stand:
 * behind assignments, redirections and keywords, and everywhere behind a word that runs its arguments.
 */
#include "policy/command.h"

#include "base/cleanup.h"
#include "base/path.h"

#include <string.h>

enum { WORK_MAX = 1 << 22 };

static bool is_one_of(struct hv_str word, const char *const *names)
{
    for (; word.len && *names; names++)
        if (**names == *word.ptr && hv_str_is(word, *names))
            return true;
    return false;
}

/* "/usr/bin/rm" → "rm" */
static struct hv_str base_name(struct hv_str word)
{
    size_t slash = hv_str_rfind_byte(word, '/');
    return slash == SIZE_MAX ? word : hv_str_slice(word, slash + 1, word.len);
}

/* ---- tables --------------------------------------------------------------------------------------------------- */

/* Words that run what follows them. */
static const char *const wrappers[] = {
    "timeout", "time",     "nice",    "nohup",    "stdbuf", "command",    "builtin",     "noglob",  "xargs",  "env",
    "sudo",    "doas",     "exec",    "eval",     "setsid", "ionice",     "flock",       "watch",   "chrt",   "taskset",
    "su",      "pkexec",   "run0",    "runuser",  "gosu",   "chroot",     "unshare",     "nsenter", "strace", "ltrace",
    "script",  "parallel", "busybox", "toybox",   "sh",     "bash",       "dash",        "zsh",     "ksh",    "fish",
    "trap",    "coproc",   "proot",   "fakeroot", "entr",   "caffeinate", "systemd-run", NULL};
/* Words of the grammar that a command may follow. */
static const char *const keywords[] = {"if", "then", "else", "elif", "while",    "until",
                                       "do", "!",    "{",    "}",    "function", NULL};
/* Programs that act as somebody else. */
static const char *const changers[] = {"sudo", "doas",    "su",       "pkexec", "run0",
                                       "gosu", "runuser", "sudoedit", "visudo", NULL};
static const char *const shells[] = {"sh",   "bash", "dash", "zsh", "ksh", "fish", "python", "python2", "python3",
                                     "perl", "ruby", "node", "php", "lua", "eval", "source", ".",       NULL};
static const char *const fetchers[] = {"curl", "wget", "fetch", "aria2c", "http", "https", NULL};
/* Programs that remove or change whole trees, or the first bytes of a disk, or the files they name. */
static const char *const destroyers[] = {"rm", "chmod", "chown", "chgrp", "shred", "srm", NULL};
static const char *const finders[] = {"find", NULL};
static const char *const block_writers[] = {"tee",   "cp",     "mv",     "shred",  "wipefs",    "blkdiscard",
                                            "fdisk", "sfdisk", "parted", "sgdisk", "badblocks", NULL};
static const char *const file_writers[] = {"rm",     "rmdir", "mv",    "cp",    "tee",     "truncate", "touch",
                                           "dd",     "ln",    "chmod", "chown", "install", "shred",    "rsync",
                                           "unlink", "patch", "ed",    "ex",    "vi",      "vim",      "nano",
                                           "sponge", "split", "mkdir", "scp",   "chgrp",   NULL};
static const char *const editors[] = {"sed", "perl", "sort", NULL};
/* Programs that run text given as an argument, with the options that say so (NULL: always). */
static const struct {
    const char *program, *option;
} code_runners[] = {
    {"sh", "-c"},    {"bash", "-c"},     {"dash", "-c"},       {"zsh", "-c"},    {"ksh", "-c"},    {"fish", "-c"},
    {"su", "-c"},    {"python", "-c"},   {"perl", "-e"},       {"perl", "-E"},   {"ruby", "-e"},   {"node", "-e"},
    {"node", "-p"},  {"node", "--eval"}, {"node", "--print"},  {"deno", "eval"}, {"bun", "-e"},    {"php", "-r"},
    {"lua", "-e"},   {"Rscript", "-e"},  {"eval", NULL},       {"awk", NULL},    {"gawk", NULL},   {"mawk", NULL},
    {"xargs", NULL}, {"find", "-exec"},  {"find", "-execdir"}, {"find", "-ok"},  {"ssh", NULL},    {"osascript", NULL},
    {"tclsh", NULL}, {"expect", "-c"},   {"parallel", NULL},   {"env", "-S"},    {"source", NULL},
};

/* What the tables say of a name; a name may be of several kinds. */
enum name_kind {
    NAME_WRAPPER = 1,
    NAME_KEYWORD = 2,
    NAME_CHANGER = 4,
    NAME_SHELL = 8,
    NAME_FETCHER = 16,
    NAME_DESTROYER = 32,
    NAME_BLOCK_WRITER = 64,
    NAME_FILE_WRITER = 128,
    NAME_EDITOR = 256, /* writes files only with an option */
    NAME_RUNNER = 512, /* of code_runners */
    NAME_FINDER = 1024,
};

static bool is_runner(struct hv_str name, const char *program)
{
    bool is_python = program[0] == 'p' && hv_str_is(hv_str_from(program), "python");
    return hv_str_is(name, program) || (is_python && hv_str_starts(name, HV_STR("python")));
}

static unsigned kinds_of(struct hv_str name)
{
    static const struct {
        const char *const *names;
        unsigned kind;
    } tables[] = {
        {wrappers, NAME_WRAPPER},
        {keywords, NAME_KEYWORD},
        {changers, NAME_CHANGER},
        {shells, NAME_SHELL},
        {fetchers, NAME_FETCHER},
        {destroyers, NAME_DESTROYER},
        {block_writers, NAME_BLOCK_WRITER},
        {file_writers, NAME_FILE_WRITER},
        {editors, NAME_EDITOR},
        {finders, NAME_FINDER},
    };
    unsigned kinds = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        kinds |= is_one_of(name, tables[i].names) ? tables[i].kind : 0;
    for (size_t i = 0; name.len && i < sizeof code_runners / sizeof *code_runners; i++)
        if (code_runners[i].program[0] == name.ptr[0] && is_runner(name, code_runners[i].program))
            kinds |= NAME_RUNNER;
    if (hv_str_starts(name, HV_STR("mkfs")) || hv_str_starts(name, HV_STR("mkswap")))
        kinds |= NAME_BLOCK_WRITER;
    return kinds;
}

/* ---- the generous reading --------------------------------------------------------------------------------------- */

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\v' || byte == '\f';
}
static bool ends_command(char byte)
{
    return byte == ';' || byte == '|' || byte == '&' || byte == '\n' || byte == '(' || byte == ')' || byte == '`' ||
           byte == '\0';
}

/* Length of what stands for a blank without being one: $IFS, ${IFS}. */
static size_t blank_variable(struct hv_str rest)
{
    static const struct hv_str forms[] = {{"${IFS}", 6}, {"$IFS", 4}};
    for (size_t i = 0; i < 2; i++)
        if (hv_str_starts(rest, forms[i]))
            return forms[i].len;
    return 0;
}

static struct hv_str make_bare(struct hv_arena *arena, struct hv_str text)
{
    char *out = hv_arena_alloc(arena, text.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        size_t variable = byte == '$' ? blank_variable(hv_str_slice(text, i, text.len)) : 0;
        if (byte == '\\' && i + 1 < text.len && text.ptr[i + 1] == '\n') {
            i++;
        } else if (byte == '\'' || byte == '"' || byte == '\\') {
            continue;
        } else if (byte == '$' && i + 1 < text.len && (text.ptr[i + 1] == '\'' || text.ptr[i + 1] == '"')) {
            continue;
        } else if (variable || is_blank(byte)) {
            if (len && out[len - 1] != ' ' && out[len - 1] != '\n')
                out[len++] = ' ';
            i += variable ? variable - 1 : 0;
        } else {
            out[len++] = byte;
        }
    }
    return (struct hv_str){out, len};
}

struct hv_str command_trim(struct hv_str command)
{
    while (command.len && strchr(" \t\n", command.ptr[0]) && command.ptr[0])
        command = hv_str_slice(command, 1, command.len);
    while (command.len && strchr(" \t\n", command.ptr[command.len - 1]) && command.ptr[command.len - 1])
        command.len--;
    return command;
}

struct hv_str command_bare_text(struct hv_arena *arena, struct hv_str text)
{
    return make_bare(arena, text);
}

/* Take the next piece that could be a command off *rest; *separator is the byte that ended it, 0 at the end. */
static bool next_piece(struct hv_str *rest, struct hv_str *piece, char *separator)
{
    if (!rest->len)
        return false;
    size_t end = 0;
    while (end < rest->len && !ends_command(rest->ptr[end]))
        end++;
    *piece = hv_str_trim(hv_str_slice(*rest, 0, end));
    *separator = end < rest->len ? rest->ptr[end] : 0;
    if (*separator == '|' && end + 1 < rest->len && rest->ptr[end + 1] == '|')
        *separator = ';';
    *rest = hv_str_slice(*rest, end + 1, rest->len);
    return true;
}

static struct hv_str word_at(struct hv_str piece, size_t at)
{
    size_t end = at;
    while (end < piece.len && !is_blank(piece.ptr[end]))
        end++;
    return hv_str_slice(piece, at, end);
}

static size_t after_word(struct hv_str piece, size_t at)
{
    at += word_at(piece, at).len;
    while (at < piece.len && is_blank(piece.ptr[at]))
        at++;
    return at;
}

static bool is_assignment(struct hv_str word)
{
    size_t i = 0;
    while (i < word.len && ((word.ptr[i] >= 'a' && word.ptr[i] <= 'z') || (word.ptr[i] >= 'A' && word.ptr[i] <= 'Z') ||
                            (word.ptr[i] >= '0' && word.ptr[i] <= '9') || word.ptr[i] == '_' || word.ptr[i] == '[' ||
                            word.ptr[i] == ']' || word.ptr[i] == '+'))
        i++;
    return i && i < word.len && word.ptr[i] == '=';
}

/* "2>file" is a redirection of its own, ">" and "2>>" take the next word along. */
static bool is_redirection(struct hv_str word, bool *takes_next)
{
    size_t i = 0;
    while (i < word.len && ((word.ptr[i] >= '0' && word.ptr[i] <= '9') || word.ptr[i] == '{' || word.ptr[i] == '}'))
        i++;
    size_t operator_start = i;
    while (i < word.len && (word.ptr[i] == '<' || word.ptr[i] == '>'))
        i++;
    *takes_next = i == word.len;
    return i > operator_start;
}

static bool runs_arguments(struct hv_str piece, unsigned kinds)
{
    if (kinds & NAME_FINDER)
        return hv_str_find(piece, HV_STR("-exec"), 0) != SIZE_MAX || hv_str_find(piece, HV_STR("-ok"), 0) != SIZE_MAX;
    return kinds & NAME_WRAPPER;
}

/* A walk over the places of pieces where the name of a command could stand. */
struct places {
    struct hv_str piece, word, name; /* at the place: name is word without a directory */
    unsigned kinds;                  /* of name */
    size_t next;
    bool wrapped, finished, aliased;
};

static void start_piece(struct places *places, struct hv_str piece)
{
    places->piece = piece;
    places->next = 0;
    places->wrapped = places->finished = places->aliased = false;
}

static bool next_place(struct places *places, size_t *place)
{
    if (places->finished || places->next >= places->piece.len)
        return false;
    size_t at = places->next;
    struct hv_str word = word_at(places->piece, at), name = base_name(word);
    bool takes_next = false;
    if (!hv_str_eq(name, places->name)) /* the same stands in many places of a strange text */
        places->kinds = kinds_of(name);
    places->word = word;
    places->name = name;
    *place = at;
    places->next = after_word(places->piece, at);
    if (places->aliased && is_assignment(word)) /* alias x='git push' */
        places->next = at + hv_str_find_byte(word, '=', 0) + 1;
    bool is_keyword = places->kinds & NAME_KEYWORD && name.len == word.len;
    if (hv_str_is(name, "alias"))
        places->wrapped = places->aliased = true;
    if (!places->wrapped && runs_arguments(places->piece, places->kinds))
        places->wrapped = true;
    else if (is_redirection(word, &takes_next)) {
        if (takes_next)
            places->next = after_word(places->piece, places->next);
    } else if (!places->wrapped && !is_assignment(word) && !is_keyword)
        places->finished = true;
    return true;
}

/* pattern takes the piece from some place on, with the command's name as written or without its directory. */
static bool piece_hit(struct hv_str pattern, struct hv_str piece, size_t *work)
{
    struct places places = {.piece = piece};
    size_t at;
    while (*work && next_place(&places, &at)) {
        struct hv_str rest = hv_str_slice(piece, at, piece.len);
        if (rule_takes_text(pattern, rest, work))
            return true;
        size_t directory = places.word.len - places.name.len;
        if (directory && rule_takes_text(pattern, hv_str_slice(rest, directory, rest.len), work))
            return true;
    }
    return false;
}

static bool text_hit(struct hv_str pattern, struct hv_str text, size_t *work)
{
    struct hv_str piece;
    char separator;
    while (*work && next_piece(&text, &piece, &separator))
        if (piece_hit(pattern, piece, work))
            return true;
    return false;
}

/* A brace at a command's beginning can be a whole command: {rm,-rf,x}. */
static bool braces_hit(struct hv_str pattern, struct hv_str text, size_t *work)
{
    if (hv_str_find_byte(text, '{', 0) == SIZE_MAX)
        return false;
    CLEANUP_BUF struct hv_buf spread = {0};
    hv_buf_init(&spread, text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        hv_buf_add_byte(&spread, strchr("{},", text.ptr[i]) && text.ptr[i] ? ' ' : text.ptr[i]);
    return text_hit(pattern, hv_buf_str(&spread), work);
}

bool command_hit_by(const struct rule *rule, const struct command_text *command)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    size_t work = WORK_MAX;
    struct hv_str bare = make_bare(&arena, rule->specifier);
    bool hit = rule_takes_text(rule->specifier, command->raw, &work) || rule_takes_text(bare, command->bare, &work) ||
               text_hit(rule->specifier, command->raw, &work) || text_hit(bare, command->bare, &work) ||
               braces_hit(bare, command->bare, &work);
    return hit || !work; /* too much to try them all: it counts as hit */
}

/* The command is a single simple command of plain words: no variable, substitution, glob, redirection, separator. */
static bool command_is_plain(struct hv_str command)
{
    static const char plain[] = "_-./:=,+@%^";
    if (!command.len || command.len > COMMAND_LENGTH_MAX)
        return false;
    for (size_t at = 0; at < command.len; at++) {
        char byte = command.ptr[at];
        bool word = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
        if (!word && byte != ' ' && !(byte && strchr(plain, byte)))
            return false;
    }
    return hv_str_find_byte(word_at(command, 0), '=', 0) == SIZE_MAX;
}

/* ---- dangers ----------------------------------------------------------------------------------------------------- */

/* What a check is asked about: a place, the name there, and what follows in its piece. What follows a later place also
 * follows an earlier one: a check that read on to the end of the piece marks that in seen and need not do so again. */
struct here {
    struct hv_str rest, name;
    unsigned kinds;
    uint64_t seen;
};

static bool first_time(struct here *here, unsigned bit)
{
    bool first = !(here->seen >> bit & 1);
    here->seen |= (uint64_t)1 << bit;
    return first;
}

static bool is_changer(struct here *here)
{
    return here->kinds & NAME_CHANGER;
}

/* Some word begins with wanted; a one-letter option may also stand among others ("-lc" for "-c"). */
static bool has_word(struct hv_str text, const char *wanted)
{
    struct hv_str start = hv_str_from(wanted);
    for (size_t at = 0; at < text.len; at = after_word(text, at)) {
        struct hv_str word = word_at(text, at);
        if (hv_str_starts(word, start))
            return true;
        bool letters = start.len == 2 && hv_str_starts(word, HV_STR("-")) && !hv_str_starts(word, HV_STR("--"));
        if (letters && hv_str_find_byte(word, wanted[1], 0) != SIZE_MAX)
            return true;
    }
    return false;
}

_Static_assert(sizeof code_runners / sizeof *code_runners <= 64, "one bit each");

static bool is_code_runner(struct here *here)
{
    for (size_t i = 0; here->kinds & NAME_RUNNER && i < sizeof code_runners / sizeof *code_runners; i++) {
        const char *option = code_runners[i].option;
        if (is_runner(here->name, code_runners[i].program) &&
            (!option || (first_time(here, (unsigned)i) && has_word(here->rest, option))))
            return true;
    }
    return false;
}

static bool is_root_of_tree(struct hv_str word)
{
    static const char *const roots[] = {"/",     "~",      "$HOME",   "${HOME}",  "/bin",          "/boot",
                                        "/dev",  "/etc",   "/home",   "/lib",     "/lib64",        "/opt",
                                        "/proc", "/root",  "/sbin",   "/srv",     "/sys",          "/usr",
                                        "/var",  "/Users", "/System", "/Library", "/Applications", NULL};
    while (hv_str_ends(word, HV_STR("*")) || hv_str_ends(word, HV_STR("/.")) ||
           (word.len > 1 && hv_str_ends(word, HV_STR("/"))))
        word = hv_str_slice(word, 0, word.len - 1);
    if (hv_str_starts(word, HV_STR("//")))
        word = hv_str_slice(word, 1, word.len);
    bool is_home = (hv_str_starts(word, HV_STR("/home/")) || hv_str_starts(word, HV_STR("/Users/"))) &&
                   hv_str_rfind_byte(word, '/') == hv_str_find_byte(word, '/', 1);
    return is_home || is_one_of(word, roots);
}

static bool is_recursive(struct hv_str word)
{
    if (hv_str_starts(word, HV_STR("--")))
        return hv_str_starts(HV_STR("--recursive"), word) && word.len > 2;
    return hv_str_starts(word, HV_STR("-")) &&
           (hv_str_find_byte(word, 'r', 0) != SIZE_MAX || hv_str_find_byte(word, 'R', 0) != SIZE_MAX);
}

/* rm -r, chmod -R, chown -R, find -delete on / or a home or a top directory. */
static bool destroys_tree(struct here *here)
{
    struct hv_str rest = here->rest;
    bool finder = here->kinds & NAME_FINDER;
    if (!(here->kinds & (NAME_FINDER | NAME_DESTROYER)) || !first_time(here, finder))
        return false;
    bool recursive = finder && (has_word(rest, "-delete") || hv_str_find(rest, HV_STR("-exec rm"), 0) != SIZE_MAX);
    bool root = false;
    for (size_t at = after_word(rest, 0); at < rest.len; at = after_word(rest, at)) {
        struct hv_str word = word_at(rest, at);
        recursive |= !finder && is_recursive(word);
        root |= is_root_of_tree(word);
    }
    return recursive && root;
}

static bool is_block_device(struct hv_str path)
{
    static const char *const names[] = {"/dev/sd",     "/dev/nvme", "/dev/hd",     "/dev/vd",   "/dev/xvd",
                                        "/dev/mmcblk", "/dev/disk", "/dev/mapper", "/dev/loop", "/dev/dm-",
                                        "/dev/md",     "/dev/ram",  "/dev/mem",    "/dev/kmem", "/dev/rdisk",
                                        "/dev/zram",   "/dev/sr",   NULL};
    for (size_t i = 0; names[i]; i++)
        if (hv_str_starts(path, hv_str_from(names[i])))
            return true;
    return false;
}

/* dd of=/dev/sda, mkfs /dev/sda1, "> /dev/sda", tee, cp, shred to one. */
static bool writes_block_device(struct here *here)
{
    struct hv_str rest = here->rest;
    bool writer = here->kinds & NAME_BLOCK_WRITER;
    if (!first_time(here, writer))
        return false;
    for (size_t at = 0; at < rest.len; at = after_word(rest, at)) {
        struct hv_str word = word_at(rest, at);
        size_t arrow = hv_str_rfind_byte(word, '>');
        bool output = arrow != SIZE_MAX || hv_str_starts(word, HV_STR("of="));
        if (arrow != SIZE_MAX)
            word = hv_str_slice(word, arrow + 1, word.len);
        if (arrow != SIZE_MAX && !word.len)
            word = word_at(rest, after_word(rest, at));
        if (hv_str_starts(word, HV_STR("of=")))
            word = hv_str_slice(word, 3, word.len);
        if ((writer || output) && is_block_device(word))
            return true;
    }
    return false;
}

static bool is_file_writer(struct here *here)
{
    if (here->kinds & NAME_EDITOR)
        return first_time(here, 0) && (has_word(here->rest, "-i") || has_word(here->rest, "--in-place") ||
                                       has_word(here->rest, "-o") || has_word(here->rest, "--output"));
    return here->kinds & NAME_FILE_WRITER;
}

/* :(){ :|:& };: under any name. */
static bool is_fork_bomb(struct hv_str text)
{
    if (hv_str_find_byte(text, '{', 0) == SIZE_MAX || hv_str_find_byte(text, '|', 0) == SIZE_MAX)
        return false;
    CLEANUP_BUF struct hv_buf dense = {0};
    hv_buf_init(&dense, text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ' ' && text.ptr[i] != '\n')
            hv_buf_add_byte(&dense, text.ptr[i]);
    struct hv_str all = hv_buf_str(&dense);
    for (size_t at = hv_str_find(all, HV_STR("(){"), 0); at != SIZE_MAX; at = hv_str_find(all, HV_STR("(){"), at + 1)) {
        size_t start = at;
        while (start && !ends_command(all.ptr[start - 1]) && at - start < 64)
            start--;
        struct hv_str name = hv_str_slice(all, start, at), body = hv_str_slice(all, at + 3, all.len);
        if (name.len && hv_str_starts(body, name) &&
            hv_str_starts(hv_str_slice(body, name.len, SIZE_MAX), HV_STR("|")) &&
            hv_str_starts(hv_str_slice(body, name.len + 1, SIZE_MAX), name))
            return true;
    }
    return false;
}

/* What is looked for at each place of a text. */
enum check { DESTROYS_TREE, WRITES_BLOCK_DEVICE, ACTS_AS_ANOTHER, WRITES_FILES, RUNS_CODE, CHECK_COUNT };
static bool (*const checks[CHECK_COUNT])(struct here *here) = {destroys_tree, writes_block_device, is_changer,
                                                               is_file_writer, is_code_runner};

/* A look at all places of all pieces. */
struct survey {
    struct places places;
    bool found[CHECK_COUNT], piped; /* the network into a shell */
    char before;                    /* the separator before the piece */
    bool fetched, shell;            /* on this side of it */
    bool names_devices;             /* the text as a whole does */
};

/* curl … | sh, bash <(curl …), eval "$(wget …)". */
static void follow_pipes(struct survey *survey, unsigned kinds, char separator)
{
    bool fetches = kinds & NAME_FETCHER, runs = kinds & NAME_SHELL;
    if (survey->before != '|' && survey->before != '(')
        survey->fetched = false;
    if ((survey->before == '|' && survey->fetched && runs) ||
        ((survey->before == '(' || survey->before == '`') && survey->shell && fetches))
        survey->piped = true;
    survey->fetched |= fetches;
    survey->shell = runs && (separator == '(' || separator == '`');
    survey->before = separator;
}

static void look_at_piece(struct survey *survey, struct hv_str piece, char separator)
{
    uint64_t seen[CHECK_COUNT] = {0};
    unsigned kinds = 0;
    size_t at;
    start_piece(&survey->places, piece);
    while (next_place(&survey->places, &at)) {
        kinds |= survey->places.kinds;
        for (size_t i = 0; (survey->places.kinds || survey->names_devices) && i < CHECK_COUNT; i++) {
            struct here here = {hv_str_slice(piece, at, piece.len), survey->places.name, survey->places.kinds, seen[i]};
            survey->found[i] = survey->found[i] || checks[i](&here);
            seen[i] = here.seen;
        }
    }
    follow_pipes(survey, kinds, separator);
}

void command_prepare(struct hv_arena *arena, struct hv_str command, struct command_text *out)
{
    struct survey survey = {.before = ';'};
    struct hv_str bare = make_bare(arena, command), rest = bare, piece;
    char separator;
    survey.names_devices = hv_str_find(bare, HV_STR("/dev/"), 0) != SIZE_MAX;
    while (next_piece(&rest, &piece, &separator))
        look_at_piece(&survey, piece, separator);
    *out = (struct command_text){
        .raw = command_trim(command),
        .bare = bare,
        .forbidden = survey.found[DESTROYS_TREE]         ? "it would destroy a root or home directory"
                     : survey.found[WRITES_BLOCK_DEVICE] ? "it would write to a block device"
                     : survey.piped                      ? "it would run a program straight from the network"
                     : is_fork_bomb(bare)                ? "it is a fork bomb"
                                                         : NULL,
        .confirmed = survey.found[ACTS_AS_ANOTHER] ? "it acts as another user" : NULL,
        .may_write =
            hv_str_find_byte(bare, '>', 0) != SIZE_MAX || survey.found[WRITES_FILES] || survey.found[RUNS_CODE],
        .runs_code = survey.found[RUNS_CODE],
    };
}

bool command_only_shows(const struct command_text *command)
{
    static const char *const readers[] = {
        "cat", "head", "tail",   "wc",   "grep", "egrep", "fgrep",   "ls",       "stat",     "diff",      "cmp",
        "nl",  "od",   "md5sum", "test", "[",    "du",    "sha1sum", "readlink", "realpath", "sha256sum", NULL};
    return command_is_plain(command->raw) && is_one_of(word_at(command->raw, 0), readers);
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static bool splits_paths(char byte)
{
    return is_blank(byte) || ends_command(byte) || (byte && strchr("=:,<>{}@", byte));
}

static struct hv_str expand_home(struct hv_arena *arena, struct hv_str word, struct hv_str home)
{
    static const struct hv_str forms[] = {{"$HOME", 5}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (hv_str_starts(word, forms[i]))
            return hv_arena_join(arena, home, hv_str_slice(word, forms[i].len, word.len));
    return word;
}

/* A word and what it is relative to. */
struct word_base {
    struct hv_str directory, home;
    command_path_visitor *visit;
    void *user;
};

static bool visit_word(const struct word_base *base, struct hv_arena *scratch, struct hv_str word)
{
    word = expand_home(scratch, word, base->home);
    struct hv_str untidy = word;
    if (hv_str_is(word, "~") || hv_str_starts(word, HV_STR("~/")))
        untidy = hv_arena_join(scratch, base->home, hv_str_slice(word, 1, word.len));
    else if (!hv_str_starts(word, HV_STR("/")))
        untidy = path_join(scratch, base->directory, word);
    return base->visit(base->user, path_expand(scratch, word, base->directory, base->home), untidy);
}

bool command_each_path(const struct command_text *command, struct hv_str directory, struct hv_str home,
                       command_path_visitor *visit, void *user)
{
    const struct word_base base = {directory, home, visit, user};
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct hv_str text = command->bare;
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && !splits_paths(text.ptr[end]))
            end++;
        struct hv_str word = hv_str_slice(text, at, end);
        /* "${HOME}/x" is cut at its braces: "$", "HOME", "/x". */
        if (hv_str_is(word, "HOME") && at >= 2 && text.ptr[at - 1] == '{' && text.ptr[at - 2] == '$' &&
            end < text.len) {
            size_t tail = end + 1;
            while (tail < text.len && !splits_paths(text.ptr[tail]))
                tail++;
            word = hv_arena_join(&scratch, home, hv_str_slice(text, end + 1, tail));
        }
        at = end + 1;
        if (hv_str_starts(word, HV_STR("-")) && hv_str_find_byte(word, '/', 0) != SIZE_MAX) {
            /* "-I/usr" and "-fsub/file" */
            if (word.len <= 4096 && visit_word(&base, &scratch, hv_str_slice(word, 2, word.len)))
                return true;
            word = hv_str_slice(word, hv_str_find_byte(word, '/', 0), word.len);
        }
        if (!word.len || word.len > 4096 || hv_str_starts(word, HV_STR("-")))
            continue;
        if (visit_word(&base, &scratch, word))
            return true;
        hv_arena_reset(&scratch);
    }
    return false;
}

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

void command_prepare(struct hv_arena *arena, struct hv_str command, struct command_text *out)
{
    *out = (struct command_text){.raw = command_trim(command), .bare = make_bare(arena, command)};
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

static bool runs_arguments(struct hv_str piece, struct hv_str word)
{
    struct hv_str name = base_name(word);
    if (hv_str_is(name, "find"))
        return hv_str_find(piece, HV_STR("-exec"), 0) != SIZE_MAX || hv_str_find(piece, HV_STR("-ok"), 0) != SIZE_MAX;
    return is_one_of(name, wrappers);
}

/* A walk over the places of a piece where the name of a command could stand. */
struct places {
    struct hv_str piece;
    size_t next;
    bool wrapped, finished;
};

static bool next_place(struct places *places, size_t *place)
{
    if (places->finished || places->next >= places->piece.len)
        return false;
    size_t at = places->next;
    struct hv_str word = word_at(places->piece, at);
    bool takes_next = false;
    *place = at;
    places->next = after_word(places->piece, at);
    if (!places->wrapped && runs_arguments(places->piece, word))
        places->wrapped = true;
    else if (is_redirection(word, &takes_next)) {
        if (takes_next)
            places->next = after_word(places->piece, places->next);
    } else if (!places->wrapped && !is_assignment(word) && !is_one_of(word, keywords))
        places->finished = true;
    return true;
}

/* pattern takes the piece from some place on, with the command's name as written or without its directory. */
static bool piece_hit(struct hv_str pattern, struct hv_str piece, size_t *work)
{
    struct places places = {.piece = piece};
    size_t at;
    while (*work && next_place(&places, &at)) {
        struct hv_str word = word_at(piece, at), rest = hv_str_slice(piece, at, piece.len);
        if (rule_takes_text(pattern, rest, work))
            return true;
        size_t directory = word.len - base_name(word).len;
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
    CLEANUP_BUF struct hv_buf spread;
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

bool command_is_plain(struct hv_str command)
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

/* ---- dangers ------------------------------------------------------------------------------------------------------
 */

/* Walk all places of all pieces; true as soon as check says so. What follows a later place also follows an earlier one:
 * a check that read on to the end of the piece marks that in *seen and need not do so again. */
static bool any_place(struct hv_str text, bool (*check)(struct hv_str from_here, struct hv_str name, uint64_t *seen))
{
    struct hv_str piece;
    char separator;
    while (next_piece(&text, &piece, &separator)) {
        struct places places = {.piece = piece};
        uint64_t seen = 0;
        size_t at;
        while (next_place(&places, &at))
            if (check(hv_str_slice(piece, at, piece.len), base_name(word_at(piece, at)), &seen))
                return true;
    }
    return false;
}

static bool first_time(uint64_t *seen, unsigned bit)
{
    bool first = !(*seen >> bit & 1);
    *seen |= (uint64_t)1 << bit;
    return first;
}

static bool is_changer(struct hv_str from_here, struct hv_str name, uint64_t *seen)
{
    (void)from_here, (void)seen;
    return is_one_of(name, changers);
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

static bool is_code_runner(struct hv_str from_here, struct hv_str name, uint64_t *seen)
{
    for (size_t i = 0; i < sizeof code_runners / sizeof *code_runners; i++) {
        const char *option = code_runners[i].option;
        struct hv_str program = hv_str_from(code_runners[i].program);
        bool is_python = hv_str_is(program, "python") && hv_str_starts(name, program);
        if (!hv_str_eq(name, program) && !is_python)
            continue;
        if (!option || (first_time(seen, (unsigned)i) && has_word(from_here, option)))
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
static bool destroys_tree(struct hv_str from_here, struct hv_str name, uint64_t *seen)
{
    static const char *const programs[] = {"rm", "chmod", "chown", "chgrp", "shred", "srm", NULL};
    bool finder = hv_str_is(name, "find");
    if ((!finder && !is_one_of(name, programs)) || !first_time(seen, finder))
        return false;
    bool recursive =
        finder && (has_word(from_here, "-delete") || hv_str_find(from_here, HV_STR("-exec rm"), 0) != SIZE_MAX);
    bool root = false;
    for (size_t at = after_word(from_here, 0); at < from_here.len; at = after_word(from_here, at)) {
        struct hv_str word = word_at(from_here, at);
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
static bool writes_block_device(struct hv_str from_here, struct hv_str name, uint64_t *seen)
{
    static const char *const writers[] = {"tee",   "cp",     "mv",     "shred",  "wipefs",    "blkdiscard",
                                          "fdisk", "sfdisk", "parted", "sgdisk", "badblocks", NULL};
    bool writer =
        is_one_of(name, writers) || hv_str_starts(name, HV_STR("mkfs")) || hv_str_starts(name, HV_STR("mkswap"));
    if (!first_time(seen, writer))
        return false;
    for (size_t at = 0; at < from_here.len; at = after_word(from_here, at)) {
        struct hv_str word = word_at(from_here, at);
        size_t arrow = hv_str_rfind_byte(word, '>');
        bool output = arrow != SIZE_MAX || hv_str_starts(word, HV_STR("of="));
        if (arrow != SIZE_MAX)
            word = hv_str_slice(word, arrow + 1, word.len);
        if (arrow != SIZE_MAX && !word.len)
            word = word_at(from_here, after_word(from_here, at));
        if (hv_str_starts(word, HV_STR("of=")))
            word = hv_str_slice(word, 3, word.len);
        if ((writer || output) && is_block_device(word))
            return true;
    }
    return false;
}

static bool piece_runs_one_of(struct hv_str piece, const char *const *names)
{
    struct places places = {.piece = piece};
    size_t at;
    while (next_place(&places, &at))
        if (is_one_of(base_name(word_at(piece, at)), names))
            return true;
    return false;
}

/* curl … | sh, bash <(curl …), eval "$(wget …)". */
static bool pipes_network_into_shell(struct hv_str text)
{
    struct hv_str piece;
    char separator, before = ';';
    bool fetched = false, shell = false;
    while (next_piece(&text, &piece, &separator)) {
        if (before != '|' && before != '(')
            fetched = false;
        bool fetches = piece_runs_one_of(piece, fetchers), runs = piece_runs_one_of(piece, shells);
        if ((before == '|' && fetched && runs) || ((before == '(' || before == '`') && shell && fetches))
            return true;
        fetched |= fetches;
        shell = runs && (separator == '(' || separator == '`');
        before = separator;
    }
    return false;
}

/* :(){ :|:& };: under any name. */
static bool is_fork_bomb(struct hv_str text)
{
    CLEANUP_BUF struct hv_buf dense;
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

const char *command_forbidden(const struct command_text *command)
{
    if (any_place(command->bare, destroys_tree))
        return "it would destroy a root or home directory";
    if (any_place(command->bare, writes_block_device))
        return "it would write to a block device";
    if (pipes_network_into_shell(command->bare))
        return "it would run a program straight from the network";
    if (is_fork_bomb(command->bare))
        return "it is a fork bomb";
    return NULL;
}

const char *command_confirmed(const struct command_text *command)
{
    return any_place(command->bare, is_changer) ? "it acts as another user" : NULL;
}

static bool is_file_writer(struct hv_str from_here, struct hv_str name, uint64_t *seen)
{
    static const char *const writers[] = {"rm",     "rmdir", "mv",    "cp",    "tee",     "truncate", "touch",
                                          "dd",     "ln",    "chmod", "chown", "install", "shred",    "rsync",
                                          "unlink", "patch", "ed",    "ex",    "vi",      "vim",      "nano",
                                          "sponge", "split", "mkdir", "scp",   "chgrp",   NULL};
    if (hv_str_is(name, "sed") || hv_str_is(name, "perl") || hv_str_is(name, "sort"))
        return first_time(seen, 0) && (has_word(from_here, "-i") || has_word(from_here, "--in-place") ||
                                       has_word(from_here, "-o") || has_word(from_here, "--output"));
    return is_one_of(name, writers);
}

bool command_only_shows(const struct command_text *command)
{
    static const char *const readers[] = {
        "cat", "head", "tail",   "wc",   "grep", "egrep", "fgrep",   "ls",       "stat",     "diff",      "cmp",
        "nl",  "od",   "md5sum", "test", "[",    "du",    "sha1sum", "readlink", "realpath", "sha256sum", NULL};
    return command_is_plain(command->raw) && is_one_of(word_at(command->raw, 0), readers);
}

bool command_may_write(const struct command_text *command)
{
    return hv_str_find_byte(command->bare, '>', 0) != SIZE_MAX || any_place(command->bare, is_file_writer) ||
           command_runs_code(command);
}

bool command_runs_code(const struct command_text *command)
{
    return any_place(command->bare, is_code_runner);
}

/* ---- paths --------------------------------------------------------------------------------------------------------
 */

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

/*
 * programs_perl.c: perl -ne CODE and perl -pe CODE: lines that look at text. perl(1), perlrun, perlop, perlfunc
 * of 5.36.
 *
 * What a byte of Perl means depends on all before it, so nothing is parsed: code only reads when nowhere in it, be it
 * in a string, a pattern or a comment, stands a word or a sign by which Perl runs, opens, changes or loads something,
 * or takes data for code or for a name. What remains computes, reads the input and prints. See perl_only_reads().
 */
#include "shell/rows.h"
#include <string.h>

/* ---- the code -------------------------------------------------------------------------------------------- */

/* Functions and names that do more than compute and print. "do" counts unless a block follows. */
static const char *const harmful_words[] = {
    "accept alarm bind binmode bless chdir chmod chown chroot close closedir connect dbmclose dbmopen dump eval "
    "evalbytes",
    "exec fcntl fileno flock fork format formline getc getlogin getpeername getpgrp getpriority getsockname getsockopt",
    "glob ioctl kill link listen mkdir msgctl msgget msgrcv msgsnd open opendir pipe qx read readdir readline readlink",
    "readpipe recv rename require reset rewinddir rmdir seek seekdir select semctl semget semop send setpgrp "
    "setpriority",
    "setsockopt shmctl shmget shmread shmwrite shutdown socket socketpair symlink syscall sysopen sysread sysseek "
    "system",
    "syswrite tell telldir tie tied truncate umask unlink untie use no utime wait waitpid write import unimport",
    "endgrent endhostent endnetent endprotoent endpwent endservent getgrent getgrgid getgrnam gethostbyaddr",
    "gethostbyname gethostent getnetbyaddr getnetbyname getnetent getprotobyname getprotobynumber getprotoent getpwent",
    "getpwnam getpwuid getservbyname getservbyport getservent setgrent sethostent setnetent setprotoent setpwent",
    "setservent CORE ARGV ARGVOUT INC SIG IO DB UNIVERSAL Internals DynaLoader AUTOLOAD DESTROY goto",
};

static bool is_word_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '_';
}

static bool is_letter(char byte)
{
    return is_word_byte(byte) && !(byte >= '0' && byte <= '9');
}

static char byte_at(struct hv_str code, size_t at)
{
    return at < code.len ? code.ptr[at] : '\n'; /* pieces of code are joined by newlines */
}

static size_t behind_blanks(struct hv_str code, size_t at)
{
    while (at < code.len && strchr(" \t\n", code.ptr[at]))
        at++;
    return at;
}

static bool is_harmful_word(struct hv_str code, size_t from, size_t to)
{
    while (from < to && code.ptr[from] >= '0' && code.ptr[from] <= '9')
        from++; /* 1if: a number may stand right before a word */
    struct hv_str word = hv_str_slice(code, from, to);
    if (hv_str_is(word, "do"))
        return byte_at(code, behind_blanks(code, to)) != '{';
    if (hv_str_is(word, "sort") && byte_at(code, behind_blanks(code, to)) == '$')
        return true; /* the name of a function */
    if (hv_str_starts(word, HV_STR("dl_")))
        return true;
    for (size_t i = 0; i < sizeof harmful_words / sizeof *harmful_words; i++)
        if (shell_names_have(harmful_words[i], word))
            return true;
    return false;
}

/* The word may be the modifiers of s///, with "e" twice: what was put in is run as code. */
static bool evaluates_twice(struct hv_str word)
{
    size_t times = 0;
    for (size_t i = 0; i < word.len && strchr("msixpodualngcer", word.ptr[i]); i++)
        times += word.ptr[i] == 'e';
    return times > 1;
}

static size_t count_byte(struct hv_str text, char byte)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == byte;
    return count;
}

/* s$a$b$ or s xaxbx: something that quotes, with a delimiter that also begins or is part of words. */
static bool quotes_oddly(struct hv_str code, size_t to, struct hv_str word)
{
    size_t next = behind_blanks(code, to);
    char byte = byte_at(code, next);
    return shell_names_have("s y tr m q qq qw qr", word) &&
           (strchr("$@%&*", byte) || (next > to && is_word_byte(byte)));
}

/* A word from `from` to `to`. odd: in some place words may be something else than they look. */
static bool word_is_plain(struct hv_str code, size_t from, size_t to, bool odd)
{
    struct hv_str word = hv_str_slice(code, from, to);
    char before = from ? code.ptr[from - 1] : ' ';
    if (is_harmful_word(code, from, to))
        return false;
    if (odd)
        return count_byte(word, 'e') < 2;
    return strchr(" \t\n$@%&*", before) || !evaluates_twice(word);
}

/* A number ends at `at`, not a name with a digit at its end. */
static bool ends_number(struct hv_str code, size_t at)
{
    size_t from = at;
    while (from && is_word_byte(code.ptr[from - 1]))
        from--;
    for (size_t i = from; i < at; i++)
        if (is_letter(code.ptr[i]))
            return false;
    return from < at;
}

/* A byte that is no part of a word. */
static bool sign_is_plain(struct hv_str code, size_t at)
{
    char byte = code.ptr[at], next = byte_at(code, at + 1), before = at ? code.ptr[at - 1] : '\n';
    char later = byte_at(code, behind_blanks(code, at + 1));
    switch (byte) {
    case '`': return false;
    case ':': return next != ':';
    case '-': return next != '>';
    case '\'': return !(is_word_byte(before) && is_letter(next)); /* once the "::" of names */
    case '$': return !strchr("{$^ \t\n", next) && !(next == '#' && strchr("{$", byte_at(code, at + 2)));
    case '@': return !strchr("{$ \t\n", next);
    case '%': return next != '{' && next != '$';
    case '&': return before == '&' || next == '&' || before == '$';
    case '*': {
        /* Not the name of a variable, but an operator: behind a number, or what is closed, on the same line. */
        size_t end = at;
        while (end && strchr(" \t", code.ptr[end - 1]))
            end--;
        char left = end ? code.ptr[end - 1] : '\n';
        return !(is_letter(later) || strchr("{$", later)) || ends_number(code, end) || left == ')' || left == ']';
    }
    case '#': return next != '!'; /* its words count as options, or name another program */
    default: return (byte >= ' ' && byte < 0x7f) || byte == '\t' || byte == '\n';
    }
}

/* Whatever way perl reads it: all words and signs are harmless, and so is every piece between two of them. */
static bool perl_only_reads(struct hv_str code)
{
    bool odd = false;
    for (int pass = 0; pass < 2; pass++)
        for (size_t at = 0, to; at < code.len; at = to) {
            for (to = at; to < code.len && is_word_byte(code.ptr[to]);)
                to++;
            if (to == at) {
                if (pass && !sign_is_plain(code, at))
                    return false;
                to++;
            } else if (pass && !word_is_plain(code, at, to, odd)) {
                return false;
            } else {
                odd |= quotes_oddly(code, to, hv_str_slice(code, at, to));
            }
        }
    return true;
}

/* ---- the command line ------------------------------------------------------------------------------------ */

/* Modules that only bring functions which compute. */
static bool is_harmless_module(struct hv_str name)
{
    static const char *const functions = "sum sum0 max min first uniq shuffle reduce any all none pairs product";
    if (shell_names_have("strict warnings utf8 List::Util Data::Dumper POSIX=floor POSIX=ceil POSIX=floor,ceil "
                         "POSIX=strftime",
                         name))
        return true;
    size_t from = strlen("List::Util=");
    if (!hv_str_starts(name, HV_STR("List::Util=")))
        return false;
    for (size_t end; from < name.len; from = end + 1) {
        end = hv_str_find_byte(name, ',', from);
        end = end == SIZE_MAX ? name.len : end;
        if (!shell_names_have(functions, hv_str_slice(name, from, end)))
            return false;
    }
    return true;
}

/* Letters of one word of options. *code: what -e gives, which may be the next word; *loops: it is run for each line.
 * False: not understood. */
static bool read_letters(struct hv_str word, bool *loops, bool *wants_code, struct hv_str *code)
{
    *wants_code = false;
    for (size_t at = 1; at < word.len; at++) {
        char byte = word.ptr[at];
        struct hv_str rest = hv_str_slice(word, at + 1, word.len);
        switch (byte) {
        case 'n':
        case 'p': *loops = true; break;
        case 'a':
        case 'w':
        case 'l': break;
        case '0':
            while (at + 1 < word.len && word.ptr[at + 1] >= '0' && word.ptr[at + 1] <= '7')
                at++;
            break;
        case 'F': return rest.len == 1 ? strchr(",:;=\t", *rest.ptr) != NULL : hv_str_is(rest, "\\t");
        case 'M': return is_harmless_module(rest);
        case 'e':
        case 'E':
            *wants_code = true;
            *code = rest;
            return true;
        default:
            if (byte < '0' || byte > '7' || word.ptr[at - 1] != 'l')
                return false;
        }
    }
    return word.len > 1;
}

/* Names that perl opens as they are: a "|" at an end of one would run it, "<" and ">" choose how it is opened. */
static bool is_plain_file(const struct shell_word *word)
{
    enum { NAMES = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED | SHELL_WORD_NO_OPTION };
    if (!word->known && (!(word->flags & SHELL_WORD_GLOB) || word->flags & ~(unsigned)NAMES))
        return false;
    struct hv_str value = word->value, tail = word->known ? word->value : word->tail;
    return value.len && tail.len && !strchr("<>|+&= \t\n", *value.ptr) && !strchr("| \t\n", tail.ptr[tail.len - 1]);
}

static void judge_perl(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    enum { CODE_MAX = 4096 };
    struct hv_str code = HV_STR("");
    bool given = false, loops = false, plain = true;
    size_t at = 1;
    for (; plain && at < count && words[at].known && words[at].value.len > 1 && words[at].value.ptr[0] == '-'; at++) {
        struct hv_str piece = {0};
        bool wants;
        plain = read_letters(words[at].value, &loops, &wants, &piece);
        if (plain && wants && !piece.len) {
            at++;
            plain = at < count && words[at].known;
            piece = plain ? words[at].value : piece;
        }
        given |= wants;
        if (plain && wants)
            code = hv_arena_format(reading->arena, "%.*s%.*s\n", HV_STR_ARG(code), HV_STR_ARG(piece));
        plain &= code.len < CODE_MAX;
    }
    if (!plain || !given || !loops || !perl_only_reads(code)) {
        shell_judge_about(reading, words, count);
        return;
    }
    reading->act.reads_input = at == count;
    for (; at < count; at++) {
        if (!is_plain_file(&words[at]))
            shell_worsenf(reading, SHELL_UNKNOWN, "perl may run, or write, what %.*s names",
                          HV_STR_ARG(words[at].text));
        shell_reads(reading, &words[at], false);
    }
}

const struct shell_program shell_programs_perl[] = {
    {"perl", .judge = judge_perl},
    {0},
};

/* words.c: what a word may become, and which variables a script may set. See classify.h. */
#include "shell/classify.h"
#include <string.h>

/* Flags after which a word is cut at blanks when it is not quoted. */
enum { SPLIT = SHELL_WORD_VARIABLE | SHELL_WORD_COMMAND };

/* <(…) alone: a name below /dev/fd. */
static bool is_process(const struct shell_word *word)
{
    return !(word->flags & ~(unsigned)(SHELL_WORD_PROCESS | SHELL_WORD_QUOTED)) && (word->flags & SHELL_WORD_PROCESS) &&
           !word->value.len;
}

bool shell_may_be_many(const struct shell_word *word)
{
    if (word->known || is_process(word))
        return false;
    return (word->flags & (SHELL_WORD_MANY | SHELL_WORD_GLOB)) != 0;
}

bool shell_may_be_option(const struct shell_word *word)
{
    if (word->known)
        return word->value.len > 1 && word->value.ptr[0] == '-';
    if (is_process(word))
        return false;
    if ((word->flags & SPLIT) && (word->flags & SHELL_WORD_MANY) && !(word->flags & SHELL_WORD_NUMBER))
        return true;
    if (word->value.len)
        return word->value.ptr[0] == '-';
    /* ~name becomes a path, or stays as it is. */
    return (word->flags & ~(unsigned)(SHELL_WORD_HOME | SHELL_WORD_QUOTED)) || !(word->flags & SHELL_WORD_HOME);
}

struct shell_word shell_word_known(struct hv_str value)
{
    return (struct shell_word){.text = value, .value = value, .known = true};
}

struct shell_word shell_word_unknown(bool many)
{
    return (struct shell_word){.flags = SHELL_WORD_VARIABLE | (many ? SHELL_WORD_MANY : SHELL_WORD_QUOTED)};
}

bool shell_names_have(const char *names, struct hv_str name)
{
    while (names && *names) {
        const char *end = strchr(names, ' ');
        size_t len = end ? (size_t)(end - names) : strlen(names);
        if (len == name.len && !memcmp(names, name.ptr, len))
            return true;
        names = end ? end + 1 : NULL;
    }
    return false;
}

/* ---- variables ------------------------------------------------------------------------------------------ */

static bool is_name_byte(char byte, bool first)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           (!first && byte >= '0' && byte <= '9');
}

bool shell_is_identifier(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_name_byte(text.ptr[i], i == 0))
            return false;
    return text.len != 0;
}

/* Names in capitals that scripts use for their own things, and those that only change how output looks. */
static const char *const harmless_names[] = {
    "LANG LANGUAGE TZ COLUMNS LINES TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE GREP_COLOR GREP_COLORS",
    "LS_COLORS TIME_STYLE QUOTING_STYLE BLOCK_SIZE BLOCKSIZE DF_BLOCK_SIZE DU_BLOCK_SIZE LS_BLOCK_SIZE TIMEFORMAT CI",
    "RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 NODE_ENV",
    "DEBIAN_FRONTEND SYSTEMD_COLORS CARGO_TERM_COLOR DOTNET_CLI_TELEMETRY_OPTOUT NPM_CONFIG_COLOR DEBUG VERBOSE",
    "FILE FILES FNAME FILENAME DIR DIRS DIRECTORY FOLDER SRC SRCDIR SRC_DIR DST DEST ROOT ROOT_DIR BASE BASEDIR "
    "BASE_DIR",
    "TARGET COUNT TOTAL NAME NAMES LINE NUM NUMBER START END BEGIN PATTERN PATTERNS REGEX QUERY SEARCH URL VERSION VER",
    "TAG BRANCH COMMIT HASH SHA REPO REPO_ROOT PROJECT PROJECT_DIR HOST PORT RESULT RESULTS RES RET RC STATUS CODE",
    "EXIT_CODE MSG MESSAGE TEXT STR LIST ITEMS ITEM KEY KEYS VALUE VALUES VAL ID IDS PID PIDS TYPE EXT FIRST LAST MAX",
    "MIN SUM LEN SIZE PREFIX SUFFIX RED GREEN YELLOW BLUE BOLD NC RESET INPUT OUT OUTPUT LOG LOGFILE LOG_FILE LOGS "
    "DATE",
    "NOW TODAY YEAR MONTH DAY TIMESTAMP DATA JSON REPLY MAPFILE MATCH MATCHES FOUND LIMIT OFFSET WORD WORDS PKG "
    "PACKAGE",
    "PACKAGES MODULE MODULES COMPONENT SYMBOL FUNC FUNCTION CLASS TEST TESTS SERVICE CONTAINER NAMESPACE POD ISSUE PR",
    "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z",
};

/* Names in small letters that programs or the shell read all the same. */
static const char harmful_names[] =
    "http_proxy https_proxy ftp_proxy all_proxy no_proxy socks_proxy rsync_proxy histchars auto_resume";

static bool all_digits_and_small(struct hv_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] >= 'A' && name.ptr[i] <= 'Z')
            return false;
    return true;
}

/* PAGER=cat: a pager that pages nothing. */
static bool is_quiet_pager(struct hv_str name, const struct shell_word *value)
{
    return value && value->known && (hv_str_is(value->value, "cat") || !value->value.len) &&
           shell_names_have("PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER GH_PAGER AWS_PAGER", name);
}

bool shell_variable_is_harmless(struct hv_str name, const struct shell_word *value)
{
    if (!shell_is_identifier(name))
        return false;
    if (hv_str_starts(name, HV_STR("LC_")) || is_quiet_pager(name, value))
        return true;
    if (all_digits_and_small(name))
        return !hv_str_is(name, "_") && !hv_str_starts(name, HV_STR("npm_")) && !shell_names_have(harmful_names, name);
    for (size_t i = 0; i < sizeof harmless_names / sizeof *harmless_names; i++)
        if (shell_names_have(harmless_names[i], name))
            return true;
    return false;
}

/* ---- data that is evaluated ----------------------------------------------------------------------------- */

/* Every value that the script gives the variable is a literal number: arithmetic finds no code in it. */
static bool holds_numbers(const struct shell_script *script, struct hv_str name)
{
    bool bound = false;
    for (size_t i = 0; script && i < script->count; i++) {
        const struct shell_command *command = &script->commands[i];
        if (hv_str_eq(command->variable, name) && command->kind == SHELL_COMMAND_FOR) {
            for (size_t w = 0; w < command->word_count; w++) {
                int64_t number;
                const struct shell_word *word = &command->words[w];
                if (!(word->known ? hv_str_to_int64(word->value, &number) : (word->flags & SHELL_WORD_NUMBER) != 0))
                    return false;
            }
            if (!command->word_count)
                return false;
            bound = true;
        }
        for (size_t a = 0; a < command->assignment_count; a++) {
            const struct shell_assignment *assignment = &command->assignments[a];
            int64_t number;
            if (!hv_str_eq(assignment->name, name))
                continue;
            if (assignment->array || assignment->element || command->word_count)
                return false;
            if (assignment->value.known ? !hv_str_to_int64(assignment->value.value, &number)
                                        : !(assignment->value.flags & SHELL_WORD_NUMBER))
                return false;
            bound = true;
        }
        /* Builtins that bind: read, printf -v, mapfile, declare, getopts …: the name stands among their words. */
        for (size_t w = 1; command->kind == SHELL_COMMAND_SIMPLE && w < command->word_count; w++) {
            struct hv_str value = command->words[w].value;
            if (hv_str_eq(value, name) ||
                (hv_str_starts(value, name) && value.len > name.len && strchr("=+[", value.ptr[name.len])))
                return false;
        }
    }
    return bound;
}

bool shell_arithmetic_is_plain(const struct shell_script *script, struct hv_str expression)
{
    size_t at = 0;
    while (at < expression.len) {
        char byte = expression.ptr[at];
        if (is_name_byte(byte, true)) {
            size_t start = at;
            while (at < expression.len && is_name_byte(expression.ptr[at], false))
                at++;
            struct hv_str name = hv_str_slice(expression, start, at);
            if (!shell_variable_is_harmless(name, NULL) || !holds_numbers(script, name))
                return false;
        } else if (byte >= '0' && byte <= '9') {
            while (at < expression.len && (is_name_byte(expression.ptr[at], false) || expression.ptr[at] == '#'))
                at++;
        } else if (byte == '$') {
            char next = at + 1 < expression.len ? expression.ptr[at + 1] : 0;
            if (next == '#' || next == '?' || next == '$')
                at += 2;
            else if (next == '{' || is_name_byte(next, true))
                at++;
            else
                return false;
        } else if (byte && strchr("+-*/%<>=!&|^~?:(),{} \t\n", byte)) {
            at++;
        } else {
            return false;
        }
    }
    return true;
}

/* The end of the $((…)) whose expression starts at start: where its "))" stands, or SIZE_MAX. */
static size_t arithmetic_end(struct hv_str text, size_t start)
{
    size_t depth = 0;
    for (size_t i = start; i < text.len; i++) {
        if (text.ptr[i] == '(')
            depth++;
        else if (text.ptr[i] == ')' && depth)
            depth--;
        else if (text.ptr[i] == ')')
            return i + 1 < text.len && text.ptr[i + 1] == ')' ? i : SIZE_MAX;
    }
    return SIZE_MAX;
}

/* ${name:…}: an offset is arithmetic; -, =, + and ? after the colon are not. */
static bool is_plain_offset(const struct shell_script *script, struct hv_str text, size_t at)
{
    if (at < text.len && strchr("-+?=", text.ptr[at]))
        return true;
    size_t end = hv_str_find_byte(text, '}', at);
    struct hv_str offset = hv_str_slice(text, at, end == SIZE_MAX ? text.len : end);
    return end != SIZE_MAX && shell_arithmetic_is_plain(script, offset);
}

/* ${name[…]}: @, * or a plain number. *at is behind the "[" and gets behind the "]". */
static bool is_plain_subscript(const struct shell_script *script, struct hv_str text, size_t *at)
{
    size_t end = hv_str_find_byte(text, ']', *at);
    if (end == SIZE_MAX)
        return false;
    struct hv_str subscript = hv_str_slice(text, *at, end);
    *at = end + 1;
    return hv_str_is(subscript, "@") || hv_str_is(subscript, "*") || shell_arithmetic_is_plain(script, subscript);
}

/* What stands after "${". */
static bool is_plain_parameter(const struct shell_script *script, struct hv_str text, size_t at)
{
    if (at < text.len && text.ptr[at] == '#')
        at++;
    size_t start = at;
    while (at < text.len && is_name_byte(text.ptr[at], false))
        at++;
    struct hv_str name = hv_str_slice(text, start, at);
    if (at == start)
        return at < text.len && strchr("#?$@*-}:%", text.ptr[at]); /* ${#}, ${@:2}, ${@%x} */
    if (at < text.len && text.ptr[at] == '[') {
        at++;
        if (!is_plain_subscript(script, text, &at))
            return false;
    }
    if (at >= text.len || text.ptr[at] == '@')
        return false;
    bool colon = text.ptr[at] == ':';
    if (colon && !is_plain_offset(script, text, at + 1))
        return false;
    /* ${name:=x} sets the variable. */
    if (text.ptr[at + colon < text.len ? at + colon : at] == '=')
        return shell_variable_is_harmless(name, NULL);
    return true;
}

bool shell_expansions_are_plain(const struct shell_script *script, struct hv_str text)
{
    for (size_t at = hv_str_find_byte(text, '$', 0); at != SIZE_MAX; at = hv_str_find_byte(text, '$', at + 1)) {
        struct hv_str rest = hv_str_slice(text, at, text.len);
        if (hv_str_starts(rest, HV_STR("${")) && !is_plain_parameter(script, text, at + 2))
            return false;
        if (hv_str_starts(rest, HV_STR("$[")))
            return false;
        if (hv_str_starts(rest, HV_STR("$(("))) {
            size_t end = arithmetic_end(text, at + 3);
            if (end == SIZE_MAX || !shell_arithmetic_is_plain(script, hv_str_slice(text, at + 3, end)))
                return false;
        }
    }
    return true;
}

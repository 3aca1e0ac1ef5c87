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
    if (word->flags & (SHELL_WORD_NO_OPTION | SHELL_WORD_GONE))
        return word->flags & SHELL_WORD_MANY;
    return (word->flags & (SHELL_WORD_MANY | SHELL_WORD_GLOB)) != 0;
}

bool shell_may_be_option(const struct shell_word *word)
{
    if (word->known)
        return word->value.len > 1 && word->value.ptr[0] == '-';
    if (is_process(word) || word->flags & SHELL_WORD_NO_OPTION)
        return false;
    if ((word->flags & SPLIT) && (word->flags & SHELL_WORD_MANY) && !(word->flags & SHELL_WORD_NUMBER))
        return true;
    if (word->value.len)
        return word->value.ptr[0] == '-';
    if (word->flags & SHELL_WORD_PLAIN && !(word->flags & SHELL_WORD_MANY))
        return word->tail.len && word->tail.ptr[0] == '-';
    /* ~name becomes a path, or stays as it is. */
    return (word->flags & ~(unsigned)(SHELL_WORD_HOME | SHELL_WORD_QUOTED)) || !(word->flags & SHELL_WORD_HOME);
}

unsigned shell_where_names_stand(const struct shell_word *word)
{
    enum { STANDS = SHELL_WORD_DIRECT | SHELL_WORD_FOLLOWED };
    size_t pattern = 0;
    if (word->flags & STANDS || word->known || !(word->flags & SHELL_WORD_GLOB))
        return word->flags & STANDS;
    while (pattern < word->text.len && !strchr("*?[(", word->text.ptr[pattern]))
        pattern++;
    struct hv_str names = word->text;
    while (names.len && names.ptr[names.len - 1] == '/')
        names.len--;
    size_t slash = hv_str_rfind_byte(names, '/');
    bool last = slash == SIZE_MAX || slash < pattern;
    bool odd = hv_str_find(names, HV_STR("**"), 0) != SIZE_MAX; /* any depth, with globstar */
    for (size_t i = 0; i < word->text.len; i++)
        odd |= strchr("{$`", word->text.ptr[i]) != NULL;
    return last && !odd && pattern < word->text.len ? SHELL_WORD_DIRECT : 0;
}

struct shell_word shell_word_known(struct hv_str value)
{
    return (struct shell_word){.text = value, .value = value, .known = true};
}

/* The script of sed or awk: the first word that is no option, or stands behind -e. */
static size_t script_at(const struct shell_word *words, size_t count)
{
    size_t at = 1;
    while (at < count && words[at].known && hv_str_starts(words[at].value, HV_STR("-")))
        at++;
    return at;
}

static const struct shell_word *with_script(struct shell_reading *reading, const struct shell_word *words, size_t count,
                                            struct hv_str script)
{
    struct shell_word *filled = hv_arena_array(reading->arena, struct shell_word, count);
    memcpy(filled, words, count * sizeof *filled);
    filled[script_at(words, count)] = shell_word_known(script);
    return filled;
}

/* Where a number may be negative, sed takes it for an option; it has none that begins with a digit. */
const struct shell_word *shell_fill_addresses(struct shell_reading *reading, const struct shell_word *words,
                                              size_t count)
{
    size_t at = script_at(words, count);
    bool addresses = at < count && !words[at].known && words[at].flags & SHELL_WORD_ADDRESS &&
                     !(words[at].flags & SHELL_WORD_EVALUATES);
    return addresses ? with_script(reading, words, count, HV_STR("1p")) : words;
}

const struct shell_word *shell_fill_script(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    size_t at = script_at(words, count);
    const struct shell_word *script = at < count ? &words[at] : NULL;
    if (!script || script->known || !(script->flags & SHELL_WORD_FILLED) || script->flags & SHELL_WORD_MANY ||
        !(script->value.len || script->tail.len) || hv_str_starts(script->value, HV_STR("-")))
        return words;
    return with_script(
        reading, words, count,
        hv_arena_format(reading->arena, "%.*s1%.*s", HV_STR_ARG(script->value), HV_STR_ARG(script->tail)));
}

bool shell_sets_splitting(const struct shell_script *script)
{
    for (size_t i = 0; i < script->count; i++)
        for (size_t j = 0; !script->commands[i].word_count && j < script->commands[i].assignment_count; j++)
            if (hv_str_is(script->commands[i].assignments[j].name, "IFS"))
                return true;
    return false;
}

struct shell_word shell_word_unknown(bool many)
{
    return (struct shell_word){.flags = SHELL_WORD_VARIABLE | (many ? SHELL_WORD_MANY : SHELL_WORD_QUOTED)};
}

/* name stands at names[at], as a whole. */
static bool stands_at(const char *names, size_t at, struct hv_str name)
{
    char behind = names[at + name.len];
    return (!at || names[at - 1] == ' ') && (behind == ' ' || !behind) && !memcmp(names + at, name.ptr, name.len);
}

typedef unsigned char lanes __attribute__((vector_size(16)));

static inline lanes load(const char *at)
{
    lanes bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

static bool is_in_short_list(const char *names, size_t length, struct hv_str name)
{
    for (size_t at = 0; at + name.len <= length; at++)
        if (names[at] == name.ptr[0] && stands_at(names, at, name))
            return !memchr(name.ptr, ' ', name.len);
    return false;
}

/* The lists are long, most names are in none, and hundreds of them are looked through for one command: so sixteen
 * places at once are looked at for the first byte, the last one, and the end behind it; the last sixteen places may be
 * some that were looked at. */
bool shell_list_has(const char *names, size_t length, struct hv_str name)
{
    if (length < name.len + sizeof(lanes) - 1)
        return is_in_short_list(names, length, name);
    lanes first = (lanes){0} + (unsigned char)name.ptr[0], last = (lanes){0} + (unsigned char)name.ptr[name.len - 1];
    lanes blank = (lanes){0} + (unsigned char)' ', end = {0};
    size_t last_at = length - name.len - (sizeof(lanes) - 1);
    for (size_t at = 0;; at = at + sizeof(lanes) < last_at ? at + sizeof(lanes) : last_at) {
        uint64_t hits[2];
        lanes behind = load(names + at + name.len);
        lanes hit = (lanes)((load(names + at) == first) & (load(names + at + name.len - 1) == last) &
                            ((behind == blank) | (behind == end)));
        memcpy(hits, &hit, sizeof hits);
        for (size_t i = 0; hits[0] | hits[1] && i < sizeof(lanes); i++)
            if (stands_at(names, at + i, name))
                return !memchr(name.ptr, ' ', name.len);
        if (at == last_at)
            return false;
    }
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
    "COLUMNS LINES MANWIDTH JQ_COLORS BAT_THEME BAT_STYLE TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE "
    "GREP_COLOR GREP_COLORS",
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
    "VAR VARS FOO BAR BAZ ARG ARGS MODE LEVEL CONFIG CFG STEP INDEX IDX TITLE BODY CONTENT FILTER FIELD FIELDS COL ROW "
    "ROWS",
    "OLD NEW LEFT RIGHT SOURCE SOURCES PARENT CHILD TIME HOURS AGE AUTHOR OWNER ORG STATE UPSTREAM REMOTE "
    "LOCAL OLDIFS OLD_IFS SAVEIFS",
    "CURRENT PREVIOUS NEXT PREV LATEST EXPECTED ACTUAL ERRORS WARNINGS ERR SCRIPT SCRIPT_DIR BUILD_DIR OUT_DIR "
    "OUTPUT_DIR",
    "LOG_DIR DATA_DIR TEST_DIR CONFIG_FILE INPUT_FILE OUTPUT_FILE FILE1 FILE2 DIR1 DIR2 CMD USERNAME GROUP IMAGE "
    "FORMAT",
    "CHANGED MODIFIED ADDED DELETED STAGED UNTRACKED CHANGES TAGS BRANCHES COMMITS HASHES SINCE UNTIL CUTOFF FAILED",
    "PASSED SKIPPED MISSING UNUSED HITS NEEDLE SNIPPET TERMS KEYWORD KEYWORDS ISSUES TICKET SUMMARY REPORT TODO",
    "TODOS FUNCS FUNCTIONS CLASSES METHOD METHODS ROUTES ENDPOINT TABLE TABLES COLUMN USERS OWNERS EXTS LANGS DEPS",
    "MERGE_BASE HEAD MAIN ORIGIN BEFORE AFTER ELAPSED DURATION CONTEXT AROUND WINDOW T0 T1 LEN1 V1 V2 REV REVISION "
    "REVS NODES CASES SUITE",
    "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z",
};

static bool is_harmless_name(struct hv_str name)
{
    for (size_t i = 0; i < sizeof harmless_names / sizeof *harmless_names; i++)
        if (shell_names_have(harmless_names[i], name))
            return true;
    return false;
}

/* LAST_TAG, BASE_BRANCH, START_LINE: two or three of these words. What programs read begins with a name of their own
 * (GIT_DIR, LESS_TERMCAP …), or has a word that is not here (PATH, HOME, CONFIG, HOST …). */
static bool is_made_of_plain_words(struct hv_str name)
{
    static const char words[] =
        "FILE FILES DIR SRC ROOT BASE COUNT TOTAL NAME LINE LINES NUM NUMBER START END PATTERN TAG TAGS BRANCH COMMIT "
        "COMMITS HASH SHA REPO PROJECT RESULT STATUS MSG TEXT LIST ITEM KEY VALUE ID PID EXT FIRST LAST MAX MIN SIZE "
        "LOG DATE DAY MONTH YEAR LATEST CURRENT PREVIOUS PREV NEXT OLD NEW MERGE HEAD MAIN TEST TESTS VERSION PR "
        "TARGET CHANGED MODIFIED ADDED DELETED ERROR WARN FAILED PASSED AGE SEC MINUTES HOURS DAYS FUNC CLASS";
    struct hv_str rest = name, word;
    size_t count = 0;
    while (hv_str_split(&rest, '_', &word)) {
        if (!word.len || !shell_names_have(words, word))
            return false;
        count++;
    }
    return count >= 2 && count <= 3 && name.ptr[name.len - 1] != '_';
}

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

/* Switches that make git do less. */
static bool is_git_switch(struct hv_str name, const struct shell_word *value)
{
    static const char off[] = "GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT GIT_LITERAL_PATHSPECS GIT_TRACE GIT_FLUSH";
    static const char on[] = "GIT_NO_LAZY_FETCH GIT_CONFIG_NOSYSTEM GIT_LITERAL_PATHSPECS GIT_TRACE GIT_FLUSH";
    return value && value->known &&
           ((hv_str_is(value->value, "0") && shell_names_have(off, name)) ||
            (hv_str_is(value->value, "1") && shell_names_have(on, name)));
}

/* LANG=de_DE.UTF-8: a name; with a slash it leads to a file of messages, or of a time zone. */
static bool is_locale(struct hv_str value, bool zone)
{
    if (zone)
        return !value.len ||
               (value.ptr[0] != '/' && value.ptr[0] != ':' && hv_str_find(value, HV_STR(".."), 0) == SIZE_MAX);
    return hv_str_find_byte(value, '/', 0) == SIZE_MAX;
}

bool shell_variable_is_harmless(struct hv_str name, const struct shell_word *value)
{
    if (!shell_is_identifier(name))
        return false;
    if (hv_str_starts(name, HV_STR("LC_")) || shell_names_have("LANG LANGUAGE TZ", name))
        return !value || (value->known && is_locale(value->value, hv_str_is(name, "TZ")));
    if (is_quiet_pager(name, value) || is_git_switch(name, value))
        return true;
    if (all_digits_and_small(name))
        return (!value || !hv_str_is(name, "_")) && !hv_str_starts(name, HV_STR("npm_")) &&
               !shell_names_have(harmful_names, name);
    return is_harmless_name(name) || is_made_of_plain_words(name);
}

/* ---- arithmetic that sets variables ---------------------------------------------------------------------- */

/* The length of $(…) at `at`, whose commands are judged on their own; 0: none that is that plain. */
static size_t substitution_length(struct hv_str text, size_t at)
{
    size_t level = 0;
    if (at + 2 >= text.len || text.ptr[at] != '$' || text.ptr[at + 1] != '(' || text.ptr[at + 2] == '(')
        return 0;
    for (size_t end = at + 1; end < text.len && !strchr("'\"\\`#", text.ptr[end]); end++) {
        level += text.ptr[end] == '(';
        level -= text.ptr[end] == ')';
        if (!level)
            return end + 1 - at;
    }
    return 0;
}

bool shell_arithmetic_sets_harmless(struct hv_str text)
{
    bool sets = false;
    for (size_t at = 0, from = 0, length; at <= text.len; at += length ? length : 1) {
        length = substitution_length(text, at);
        if (length || at == text.len) {
            sets |= shell_arithmetic_assigns(hv_str_slice(text, from, at));
            from = at + length;
        }
    }
    if (!sets)
        return true;
    for (size_t at = 0; at < text.len;) {
        size_t start = at;
        while (at < text.len && is_name_byte(text.ptr[at], at == start))
            at++;
        if (at > start && !shell_variable_is_harmless(hv_str_slice(text, start, at), NULL))
            return false;
        at += at == start;
    }
    return true;
}

/*
 * programs_find.c: find (findutils 4.9): starting points, then an expression of which every word must be known. What
 * -exec and the like run is judged as a command of its own, with the found files in the place of {}.
 */
#include "shell/programs.h"
#include "shell/rows.h"
#include <string.h>

struct find {
    struct shell_reading *reading;
    const struct shell_word *words;
    size_t count, at;
    size_t first_start, starts;                            /* starting points */
    size_t found;                                          /* words that stand for what is found, in all that it runs */
    enum { FIND_UNSEEN, FIND_ANYTHING, FIND_FILES } finds; /* once looked at: finds_only_files */
    const struct shell_word
        *below_of; /* the starting point that was named last, and the path before what is below it */
    struct hv_str below;
    bool globbed; /* an argument may have become none (nullglob): the places of the others are a guess */
};

/* Words for what is found: one for each starting point in each place of {}. Beyond, what it runs is not known. */
enum { FIND_FOUND_MAX = 4096 };

static const char *const plain_tests[] = {
    "-empty -executable -false -nogroup -nouser -readable -true -writable -daystart -depth -d -follow -xdev -mount",
    "-ignore_readdir_race -noignore_readdir_race -noleaf -nowarn -warn -print -print0 -ls -prune -quit",
    "-and -a -o -or -not ! ( ) ,",
};
static const char *const tests_of_one[] = {
    "-amin -anewer -atime -cmin -cnewer -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex",
    "-iwholename -links -lname -mmin -mtime -name -newer -path -perm -regex -samefile -size -type -uid -used -user",
    "-wholename -xtype -regextype -maxdepth -mindepth -printf",
};

static bool is_one_of(const char *const *lists, size_t count, struct hv_str name)
{
    for (size_t i = 0; i < count; i++)
        if (shell_names_have(lists[i], name))
            return true;
    return false;
}

/* -newermt and its kin: two letters say which times. */
static bool is_newer(struct hv_str name)
{
    return name.len == 8 && hv_str_starts(name, HV_STR("-newer")) && strchr("aBcm", name.ptr[6]) &&
           strchr("aBcmt", name.ptr[7]);
}

static void not_known(struct find *find, const struct shell_word *word)
{
    shell_worsenf(find->reading, SHELL_UNKNOWN, "find %.*s is not known", HV_STR_ARG(word->text));
    find->at = find->count;
}

/* A glob that is not quoted becomes names that are no part of find's language when each has a dot in it. */
static bool is_dotted_glob(const struct shell_word *word)
{
    if (!(word->flags & SHELL_WORD_GLOB) ||
        word->flags & ~(unsigned)(SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED))
        return false;
    return hv_str_find_byte(word->tail, '.', 0) != SIZE_MAX || hv_str_find_byte(word->value, '.', 0) != SIZE_MAX;
}

/* The argument of a test: any one word. */
static const struct shell_word *take_argument(struct find *find)
{
    if (find->at >= find->count)
        return NULL; /* find complains */
    const struct shell_word *word = &find->words[find->at++];
    if ((shell_may_be_many(word) && !is_dotted_glob(word)) ||
        (find->globbed && word->value.len && word->value.ptr[0] == '-'))
        not_known(find, word);
    find->globbed |= shell_may_be_many(word);
    return word;
}

/* ---- -exec ---------------------------------------------------------------------------------------------- */

/* -type f, and nothing by which it is not for all: what is found is no link. */
static bool look_for_files(const struct find *find)
{
    bool files = false;
    for (size_t i = 1; i < find->count; i++) {
        const struct shell_word *word = &find->words[i];
        if (!word->known || shell_names_have("-L -H -follow -o -or , ! -not ( )", word->value))
            return false;
        files |= hv_str_is(word->value, "f") && hv_str_is(find->words[i - 1].value, "-type");
        if (shell_names_have("-exec -execdir -ok -okdir", word->value))
            break;
    }
    return files;
}

static bool finds_only_files(struct find *find)
{
    if (!find->finds)
        find->finds = look_for_files(find) ? FIND_FILES : FIND_ANYTHING;
    return find->finds == FIND_FILES;
}

/* {}: something below a starting point; "./name" for -execdir. */
static struct shell_word found_file(struct find *find, size_t start, bool in_directory)
{
    unsigned flags = SHELL_WORD_GLOB | (finds_only_files(find) ? SHELL_WORD_FOLLOWED : 0);
    struct shell_word word = {.text = HV_STR("{}"), .flags = flags, .value = HV_STR("./")};
    if (in_directory || !find->starts)
        return word;
    const struct shell_word *given = &find->words[find->first_start + start];
    bool named = given->flags & SHELL_WORD_NO_OPTION && !(given->flags & SHELL_WORD_MANY) && !given->choices;
    if (!given->known && named) {
        word.flags |= SHELL_WORD_NO_OPTION; /* a name in a directory, as in a loop over patterns */
        word.value = given->value;
        return word;
    }
    if (!given->known)
        return (struct shell_word){
            .text = given->text, .value = given->value, .flags = given->flags | SHELL_WORD_VARIABLE};
    if (find->below_of != given)
        find->below = hv_arena_join(find->reading->arena, given->value, HV_STR("/"));
    find->below_of = given;
    word.value = find->below;
    return word;
}

static size_t add_found(struct find *find, struct shell_word *run, size_t length, const struct shell_word *word,
                        bool in_directory)
{
    if (word->known && hv_str_is(word->value, "{}")) {
        size_t starts = find->starts ? find->starts : 1;
        for (size_t i = 0; i < starts; i++)
            run[length++] = found_file(find, i, in_directory);
        return length;
    }
    size_t mark = hv_str_find(word->value, HV_STR("{}"), 0);
    run[length] = *word;
    if (mark != SIZE_MAX || !word->known) {
        run[length] = shell_word_unknown(false);
        run[length].text = word->text;
        run[length].value = hv_str_slice(word->value, 0, mark == SIZE_MAX ? word->value.len : mark);
        if (!mark && find->starts == 1 && find->words[find->first_start].known)
            run[length].value = find->words[find->first_start].value;
    }
    return length + 1;
}

/* Where the words of -exec end: at ";", or at "+" behind "{}". */
static size_t end_of_run(const struct find *find)
{
    for (size_t i = find->at; i < find->count; i++) {
        const struct shell_word *word = &find->words[i];
        if (word->known && hv_str_is(word->value, ";"))
            return i;
        if (word->known && hv_str_is(word->value, "+") && i > find->at && find->words[i - 1].known &&
            hv_str_is(find->words[i - 1].value, "{}"))
            return i;
    }
    return find->count;
}

/* A word that is not known may be ";", and what follows part of the expression. */
static bool may_end_early(const struct find *find, size_t end)
{
    bool open = false;
    for (size_t i = find->at; i < end; i++) {
        const struct shell_word *word = &find->words[i];
        if (shell_may_be_many(word))
            return true;
        if (open && word->value.len && strchr("-!(,", word->value.ptr[0]))
            return true;
        open |= !word->known && (!word->value.len || hv_str_is(word->value, ";"));
    }
    return false;
}

/* How many words the {} from here to end become. */
static size_t count_found(const struct find *find, size_t end)
{
    size_t count = 0;
    for (size_t i = find->at; i < end; i++)
        if (find->words[i].known && hv_str_is(find->words[i].value, "{}"))
            count += find->starts ? find->starts : 1;
    return count;
}

static void judge_run(struct find *find, bool in_directory)
{
    size_t end = end_of_run(find);
    if (end == find->count || end == find->at || may_end_early(find, end)) {
        not_known(find, &find->words[find->at < find->count ? find->at : find->count - 1]);
        return;
    }
    size_t found = count_found(find, end), room = end - find->at + found, length = 0;
    if (found > FIND_FOUND_MAX - find->found) {
        not_known(find, &find->words[find->at]);
        return;
    }
    find->found += found;
    struct shell_word *run = hv_arena_array(find->reading->arena, struct shell_word, room);
    for (size_t i = find->at; i < end; i++)
        length = add_found(find, run, length, &find->words[i], in_directory);
    struct hv_str directory = find->reading->directory, below = find->reading->below;
    if (in_directory)
        find->reading->directory = find->reading->below = (struct hv_str){0};
    shell_judge_further(find->reading, run, length);
    find->reading->directory = directory;
    find->reading->below = below;
    find->at = end + 1;
}

/* ---- the expression ------------------------------------------------------------------------------------- */

static void judge_files_of(struct find *find, bool format)
{
    const struct shell_word *file = take_argument(find);
    if (file && !(file->known && shell_names_have("/dev/stdout /dev/stderr /dev/null", file->value)))
        shell_writes(find->reading, file, false);
    if (format)
        (void)take_argument(find);
}

static void delete_found(struct find *find)
{
    static const struct shell_word here = {.text = {".", 1}, .value = {".", 1}, .known = true};
    for (size_t i = 0; i < find->starts; i++)
        shell_writes(find->reading, &find->words[find->first_start + i], true);
    if (!find->starts)
        shell_writes(find->reading, &here, true);
    find->reading->act.why = HV_STR("find -delete removes what it finds");
}

static void judge_word(struct find *find)
{
    const struct shell_word *word = &find->words[find->at++];
    if (!word->known) {
        if (!is_dotted_glob(word) || word->value.len)
            not_known(find, word);
    } else if (is_one_of(plain_tests, sizeof plain_tests / sizeof *plain_tests, word->value)) {
        return;
    } else if (is_one_of(tests_of_one, sizeof tests_of_one / sizeof *tests_of_one, word->value) ||
               is_newer(word->value)) {
        (void)take_argument(find);
    } else if (shell_names_have("-exec -ok", word->value)) {
        judge_run(find, false);
    } else if (shell_names_have("-execdir -okdir", word->value)) {
        judge_run(find, true);
    } else if (hv_str_is(word->value, "-delete")) {
        delete_found(find);
    } else if (shell_names_have("-fprint -fprint0 -fls", word->value)) {
        judge_files_of(find, false);
    } else if (hv_str_is(word->value, "-fprintf")) {
        judge_files_of(find, true);
    } else if (hv_str_is(word->value, "-files0-from")) {
        (void)take_argument(find);
        find->reading->act.reads_listed = false;
    } else if (!shell_names_have("-help --help -version --version", word->value)) {
        not_known(find, word);
    }
}

/* -H, -L, -P, -O3, -D tree; then words that do not begin an expression. */
static void judge_starts(struct find *find)
{
    while (find->at < find->count && find->words[find->at].known) {
        struct hv_str value = find->words[find->at].value;
        if (hv_str_is(value, "-D"))
            find->at++;
        else if (!shell_names_have("-H -L -P --", value) && !(value.len == 3 && hv_str_starts(value, HV_STR("-O"))))
            break;
        find->at++;
    }
    find->at = find->at < find->count ? find->at : find->count;
    find->first_start = find->at;
    for (; find->at < find->count; find->at++) {
        const struct shell_word *word = &find->words[find->at];
        if (word->known && word->value.len && strchr("-!(),", word->value.ptr[0]) &&
            (word->value.ptr[0] == '-' || word->value.len == 1))
            break;
        /* What has a slash in it for certain is no part of an expression. */
        bool path = !word->known && !(word->flags & SHELL_WORD_VARIABLE && word->flags & SHELL_WORD_MANY) &&
                    hv_str_find_byte(word->tail, '/', 0) != SIZE_MAX;
        if (!word->known && !path && shell_may_be_option(word)) {
            not_known(find, word);
            return;
        }
        shell_reads(find->reading, word, true);
        find->starts++;
    }
    if (!find->starts)
        shell_reads_directory(find->reading, true);
}

static void judge_find(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct find find = {reading, words, count, 1};
    judge_starts(&find);
    while (find.at < find.count)
        judge_word(&find);
}

const struct shell_program shell_programs_find[] = {
    {"find", .judge = judge_find},
    {0},
};

/* effect_options.c: options of set and shopt: which of them change nothing of how words are read. See resolve.h. */
#include "shell/resolve.h"

/* off: it is switched off, as history is in a script anyway. */
static bool is_set_option(struct hv_str word, bool off)
{
    static const char *const names[] = {"errexit",
                                        "nounset",
                                        "pipefail",
                                        "xtrace",
                                        "verbose",
                                        "noglob",
                                        "noclobber",
                                        "errtrace",
                                        "functrace",
                                        "allexport",
                                        "notify",
                                        "hashall",
                                        "vi",
                                        "emacs",
                                        "monitor",
                                        "ignoreeof",
                                        "interactive-comments"};
    return READ_ONE_OF(word, names) || (off && (hv_str_is(word, "history") || hv_str_is(word, "histexpand")));
}

bool effect_set_is_tame(const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct hv_str word = words[i].value;
        if (!word.len || (*word.ptr != '-' && *word.ptr != '+'))
            return words[i].known || word.len; /* positional parameters */
        if (!words[i].known)
            return false;
        if (hv_str_is(word, "--") || hv_str_is(word, "-"))
            return true;
        for (size_t j = 1; j < word.len; j++)
            if (!strchr("euxvfCETbhaom", word.ptr[j]) && !(word.ptr[j] == 'H' && *word.ptr == '+'))
                return false;
        if (hv_str_find_byte(word, 'o', 0) == SIZE_MAX)
            continue;
        if (++i < count && (!words[i].known || !is_set_option(words[i].value, *word.ptr == '+')))
            return false;
    }
    return true;
}

/* shopt that only shows: neither -s nor -u among its options. */
static bool shopt_only_asks(const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct hv_str word = words[i].value;
        bool option = word.len && *word.ptr == '-';
        if (!words[i].known ||
            (option && (hv_str_find_byte(word, 's', 0) != SIZE_MAX || hv_str_find_byte(word, 'u', 0) != SIZE_MAX)))
            return false;
    }
    return true;
}

bool effect_shopt_is_tame(const struct shell_word *words, size_t count)
{
    static const char *const options[] = {
        "extglob",     "nullglob",      "globstar",   "dotglob",  "nocaseglob", "failglob",   "inherit_errexit",
        "nocasematch", "checkwinsize",  "histappend", "cmdhist",  "histreedit", "histverify", "lithist",
        "huponexit",   "checkjobs",     "checkhash",  "progcomp", "promptvars", "direxpand",  "dirspell",
        "execfail",    "shift_verbose", "-s",         "-u",       "-q",         "-p"};
    if (shopt_only_asks(words, count))
        return true;
    for (size_t i = 1; i < count; i++)
        if (!words[i].known || !READ_ONE_OF(words[i].value, options))
            return false;
    return true;
}

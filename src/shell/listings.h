/*
 * listings.h: programs that print names, and filters that such names go through: where the names begin that come out,
 * and what is certain of them. Inner to src/shell; pure.
 */
#ifndef SHELL_LISTINGS_H
#define SHELL_LISTINGS_H

#include "shell/classify.h"

struct shell_listing {
    struct hv_str directory; /* that all names begin with: "", "src/", "/ws/src/" */
    bool certain;            /* they really do: none can begin with "-" */
    bool nul;                /* ended by NUL */
    bool deep;               /* their first component may be one that stands deeper: ls src */
    bool dotted;             /* all begin with "./", and what follows is relative */
    bool tracked;            /* git knows them; there may be no such file any more */
    bool gone;               /* … and quite likely is none: they are of history, or of what differs */
    bool past;               /* they are of commits: what they were called need not be seen anywhere now */
    bool whole;              /* they are of the whole repository, wherever the command runs */
    bool refs;               /* short names of refs: they begin with "-" where one of the repository's does */
    bool places;             /* behind each name stand ":" and more: grep -n */
    bool empty;              /* some lines may be empty */
    bool taken;              /* they are those that it is given by its input, cut as `cut` says: xargs grep -l */
    enum shell_cut cut;
    bool titled;   /* each is a hash, with a blank and more behind it */
    bool anchored; /* however they are read as one word, that begins with "stash@{" */
};

/* words print names; false: not known. directory is set as it is written, relative to where the command runs. */
bool shell_lists_names(struct shell_reading *reading, const struct shell_word *words, size_t count,
                       struct shell_listing *out);

/* No ref of the repository that the command runs in has a name with a part that begins with "-". */
bool shell_refs_are_plain(struct shell_reading *reading);

/* git diff, which words are, names what may be in no tree and no index any more, but in a commit. */
bool shell_git_differs_from_past(const struct shell_word *words, size_t count);

/* What a filter makes of the lines that it reads. */
enum shell_filter {
    SHELL_FILTER_NONE = 0, /* not known */
    SHELL_FILTER_WHOLE,    /* some of them, in any order, none changed */
    SHELL_FILTER_UNDOTTED, /* without the "./" that they begin with */
    SHELL_FILTER_FIELD,    /* what stands before the first ":" */
    SHELL_FILTER_TO_NUL,   /* ended by NUL instead */
    SHELL_FILTER_TO_LINES, /* ended by newlines instead */
    SHELL_FILTER_PARENT,   /* the directories that they are in */
    SHELL_FILTER_WORD,     /* what stands before the first blank */
};
/* words are a filter that reads its input and nothing else. */
enum shell_filter shell_filter_of(const struct shell_word *words, size_t count);

/* A word that becomes nothing but names in the directory it begins with, and no option. */
bool shell_listing_word_is_certain(const struct shell_reading *reading, const struct shell_word *word);

#endif

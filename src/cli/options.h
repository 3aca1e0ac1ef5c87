/*
 * options.h: flags of the command line. One table per command gives the parsing, the help text and the errors.
 *
 * A name matches however it is joined: --allowed-tools, --allowedTools and --allowed_tools are one flag. Values stand
 * in the next argument or after "=". "--" ends the flags. Nothing here prints: options_help fills a buffer.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <helve/str.h>

enum option_type {
    OPTION_END = 0,
    OPTION_FLAG,    /* bool */
    OPTION_TEXT,    /* struct hv_str; absent when not given */
    OPTION_INTEGER, /* int64_t, at least `minimum` */
    OPTION_NUMBER,  /* double, not negative */
    OPTION_CHOICE,  /* int: 0 when not given, else 1 + index in `choices` */
    OPTION_LIST,    /* struct option_list: may be repeated; each value is one element */
    OPTION_RULES,   /* struct option_list: values split at commas and blanks outside parentheses; further arguments that
                       are tools or rules belong to it too, as people are used to write them */
    OPTION_TABLE,   /* the rows of `table` belong here, for the struct at offset */
};

struct option_list {
    struct hv_str *items;
    size_t count, capacity;
    bool given; /* also when the value was empty */
};

struct option {
    const char *name; /* without dashes */
    char letter;      /* 'p' for -p, or 0 */
    enum option_type type;
    size_t offset;     /* of the member in the options struct */
    const char *value; /* how help calls the value: "FILE" */
    const char *help;
    const char *const *choices; /* CHOICE: NULL-terminated */
    int64_t minimum;
    bool value_optional; /* TEXT: without a value the text is empty, not absent */
    bool hidden;         /* not in the help */
    const struct option *table;
};

/* What was found besides flags. */
struct options_rest {
    struct hv_str *arguments;
    size_t count;
    bool help; /* --help or -h was among them: then nothing else was checked */
};

/*
 * Read arguments into *out, the zeroed struct of the table. Views point into the arguments, lists are in arena.
 * HV_EINVAL: an unknown flag (with the nearest known one), a value that is missing, superfluous or of the wrong kind.
 */
enum hv_code options_parse(const struct option *table, char *const *arguments, size_t count, struct hv_arena *arena,
                           void *out, struct options_rest *rest, struct hv_error *err) HV_MUST_CHECK;

/* Append the rows as help text. */
void options_help(const struct option *table, struct hv_buf *out);

#endif

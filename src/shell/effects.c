/*
 * effects.c: what commands change in the shell that runs them: variables, the directory, how words are read. What is
 * not modelled makes everything unknown.
 */
#include "shell/resolve.h"
#include "shell/runs.h"

enum effect {
    EFFECT_NONE,
    EFFECT_NAMES,   /* its operands are names of variables that become unknown */
    EFFECT_EXPORT,  /* name=value */
    EFFECT_DECLARE, /* the same behind options, some of which give attributes */
    EFFECT_CD,
    EFFECT_DIRECTORY, /* pushd, popd, dirs */
    EFFECT_PRINTF,    /* -v name */
    EFFECT_LET,       /* its operands are arithmetic */
    EFFECT_SET,
    EFFECT_SHOPT,
    EFFECT_EVAL,
    EFFECT_ANYTHING,
};

static const struct {
    const char *name;
    enum effect effect;
} builtins[] = {/* sorted by name */
                {".", EFFECT_ANYTHING},        {"bind", EFFECT_ANYTHING},
                {"builtin", EFFECT_ANYTHING},  {"cd", EFFECT_CD},
                {"command", EFFECT_ANYTHING},  {"compgen", EFFECT_ANYTHING},
                {"complete", EFFECT_ANYTHING}, {"compopt", EFFECT_ANYTHING},
                {"declare", EFFECT_DECLARE},   {"dirs", EFFECT_DIRECTORY},
                {"enable", EFFECT_ANYTHING},   {"eval", EFFECT_ANYTHING},
                {"export", EFFECT_EXPORT},     {"fc", EFFECT_ANYTHING},
                {"getopts", EFFECT_NAMES},     {"history", EFFECT_ANYTHING},
                {"let", EFFECT_LET},           {"local", EFFECT_DECLARE},
                {"mapfile", EFFECT_NAMES},     {"popd", EFFECT_DIRECTORY},
                {"printf", EFFECT_PRINTF},     {"pushd", EFFECT_DIRECTORY},
                {"read", EFFECT_NAMES},        {"readarray", EFFECT_NAMES},
                {"readonly", EFFECT_DECLARE},  {"set", EFFECT_SET},
                {"shift", EFFECT_NONE},        {"shopt", EFFECT_SHOPT},
                {"source", EFFECT_ANYTHING},   {"trap", EFFECT_ANYTHING},
                {"typeset", EFFECT_DECLARE},   {"unset", EFFECT_NAMES},
                {"wait", EFFECT_PRINTF}};

static enum effect builtin_effect(struct hv_str name)
{
    size_t low = 0, high = sizeof builtins / sizeof *builtins;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = shell_compare_name(name, builtins[middle].name);
        if (order == 0)
            return builtins[middle].effect;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return EFFECT_NONE;
}

static bool shifts_parameters(struct hv_str name)
{
    return hv_str_is(name, "shift") || hv_str_is(name, "set");
}

/* The same for the name of a command, of which a script has few. */
static enum effect effect_of_name(struct resolver *resolver, struct hv_str name)
{
    size_t slot = name.len ? name.len + (unsigned char)name.ptr[0] : 0;
    struct effect_of_name *known = &resolver->effects[slot % (sizeof resolver->effects / sizeof *resolver->effects)];
    if (!known->name.ptr || !hv_str_eq(known->name, name))
        *known = (struct effect_of_name){name, builtin_effect(name)};
    return known->effect;
}

bool effect_is_declaration(const struct raw_word *word)
{
    static const char *const names[] = {"export", "declare", "typeset", "local", "readonly", "alias"};
    return READ_ONE_OF(word->text, names);
}

static void forget_name(struct resolver *resolver, struct hv_str name)
{
    variable_set(resolver, name, VALUE_UNKNOWN, (struct hv_str){0});
}

/* The identifier that a word begins with, as operand of read and the like. */
static void forget_operand(struct resolver *resolver, struct hv_str word)
{
    size_t length = read_identifier(word, 0);
    if (length)
        forget_name(resolver, hv_str_slice(word, 0, length));
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* An option of read, mapfile, getopts, unset: true when it does not name a variable itself. */
static bool is_plain_option(struct hv_str word)
{
    static const char *const options[] = {"-r",  "-s",  "-e",  "-p",  "-t",  "-n",  "-N",  "-d", "-u", "-i", "-a",
                                          "-rp", "-rs", "-ra", "-rd", "-rn", "-er", "-sr", "-O", "-c", "-v", "--"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (hv_str_is(word, options[i]))
            return true;
    return hv_str_starts(word, HV_STR("-d")) || hv_str_starts(word, HV_STR("-t")) || hv_str_starts(word, HV_STR("-n"));
}

static void effect_of_names(struct resolver *resolver, const struct shell_word *words, size_t count)
{
    static const char *const implied[] = {"REPLY", "OPTARG", "OPTIND", "MAPFILE"};
    for (size_t i = 0; i < sizeof implied / sizeof *implied; i++)
        forget_name(resolver, hv_str_from(implied[i]));
    for (size_t i = 1; i < count; i++) {
        bool option = words[i].known && words[i].value.len && *words[i].value.ptr == '-';
        if (!words[i].known || (option && !is_plain_option(words[i].value))) {
            resolve_forget(resolver);
            return;
        }
        forget_operand(resolver, words[i].value);
    }
}

/* The same; with mapfile -t NAME all that NAME has comes from there. */
static void effect_of_setting(struct resolver *resolver, size_t index)
{
    const struct shell_command *command = &resolver->commands[index];
    struct hv_str name = command->words[command->word_count - 1].value;
    bool plain = command->word_count > 1 && read_identifier(name, 0) == name.len && variable_is_free(resolver, name);
    effect_of_names(resolver, command->words, command->word_count);
    if (plain && (hv_str_is(command->words[0].value, "mapfile") || hv_str_is(command->words[0].value, "readarray")))
        variable_note_source(resolver, name, index);
}

/* name=value, where the whole word is one of choices, if any: the value stands behind `length` bytes of each. A list in
 * parentheses is none. */
static void set_open_value(struct resolver *resolver, struct hv_str name, uint32_t choices, size_t length)
{
    choices = choices ? choices_cut(resolver, choices, length) : 0;
    for (uint32_t i = 0; choices && i < choices_at(resolver, choices)->count; i++)
        if (hv_str_starts(choices_at(resolver, choices)->values[i], HV_STR("(")))
            choices = 0;
    bool numbers = choices && choices_are_numbers(resolver, choices);
    variable_set_choices(resolver, name, numbers ? VALUE_NUMBER : VALUE_UNKNOWN, choices);
}

/* name=value from `first` on: what export and its like make of their words. lone: what a name without a value becomes.
 */
static void effect_of_values(struct resolver *resolver, const struct shell_word *words, size_t first, size_t count,
                             void (*lone)(struct resolver *resolver, struct hv_str name))
{
    for (size_t i = first; i < count; i++) {
        struct hv_str value = words[i].value;
        size_t length = read_identifier(value, 0);
        if (!length || (length < value.len && value.ptr[length] != '=')) {
            resolve_forget(resolver);
            return;
        }
        struct hv_str name = hv_str_slice(value, 0, length), given = hv_str_slice(value, length + 1, SIZE_MAX);
        bool list = given.len && given.ptr[0] == '('; /* an array */
        if (length == value.len && words[i].known)
            lone(resolver, name);
        else if (words[i].known && !list)
            variable_set(resolver, name, VALUE_KNOWN, given);
        else if (length < value.len && !(words[i].flags & SHELL_WORD_MANY))
            set_open_value(resolver, name, words[i].choices, length + 1);
        else
            resolve_forget(resolver);
    }
}

static void keep_name(struct resolver *resolver, struct hv_str name)
{
    (void)resolver, (void)name;
}

static void effect_of_export(struct resolver *resolver, const struct shell_word *words, size_t count)
{
    effect_of_values(resolver, words, 1, count, keep_name);
}

/* An option of declare and its like that gives no attribute by which a value becomes another one. */
static bool is_plain_attribute(struct hv_str word)
{
    static const char *const options[] = {"-r", "-x", "-g", "-rx", "-xr", "-gr", "-rg", "-gx", "-xg", "--"};
    return READ_ONE_OF(word, options);
}

/* Outside of a function local fails, and the variables keep what they have. */
static void effect_of_stray_local(struct resolver *resolver, const struct shell_word *words, size_t count)
{
    effect_of_values(resolver, words, 1, count, forget_name);
    for (size_t i = 1; i < count && !resolver->now.off; i++)
        forget_operand(resolver, words[i].value);
}

/* What was made read-only keeps its value; an attempt to set it ends more than the attempt, so it counts as unknown. */
static void effect_of_declare(struct resolver *resolver, const struct shell_word *words, size_t count)
{
    bool constant = hv_str_is(words[0].value, "readonly");
    size_t first = 1;
    for (; first < count && words[first].known && is_plain_attribute(words[first].value); first++)
        constant |= hv_str_find_byte(words[first].value, 'r', 0) != SIZE_MAX;
    effect_of_values(resolver, words, first, count, forget_name);
    for (size_t i = first; constant && i < count && !resolver->now.off; i++)
        variable_freeze(resolver, hv_str_slice(words[i].value, 0, read_identifier(words[i].value, 0)));
}

/* printf -v name, wait -p name: nothing else of these changes anything. */
static void effect_of_printf(struct resolver *resolver, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count;) {
        struct hv_str word = words[i].value;
        bool names = hv_str_is(word, "-v") || hv_str_is(word, "-p");
        if (words[i].known ? word.len < 2 || *word.ptr != '-' || hv_str_is(word, "--") : word.len && *word.ptr != '-')
            return;
        bool plain = words[i].known && word.len == 2 && (!names || (i + 1 < count && words[i + 1].known));
        if (!plain) {
            resolve_forget(resolver);
            return;
        }
        if (names)
            forget_operand(resolver, words[i + 1].value);
        i += names ? 2 : 1;
    }
}

/* trap - INT, trap '' TERM, trap -p: nothing is run that was not run before. */
static bool resets_traps(const struct shell_word *words, size_t count)
{
    static const char *const resets[] = {"-", "-p", "-l"};
    for (size_t i = 1; i < count; i++)
        if (!words[i].known)
            return false;
    return !words[1].value.len || READ_ONE_OF(words[1].value, resets);
}

/* Forms of builtins that change nothing although others do: `command -v x`, `trap … EXIT`. */
static bool changes_nothing(const struct shell_word *words, size_t count)
{
    if (count < 2 || !words[1].known)
        return false;
    if (hv_str_is(words[0].value, "command"))
        return hv_str_is(words[1].value, "-v") || hv_str_is(words[1].value, "-V") ||
               (words[1].value.len && *words[1].value.ptr != '-' && builtin_effect(words[1].value) == EFFECT_NONE);
    return hv_str_is(words[0].value, "trap") &&
           (resets_traps(words, count) || (count == 3 && words[2].known && hv_str_is(words[2].value, "EXIT")));
}

/* How many words stand before the one that `command`, `builtin` or both run: `command -p -- cd x`. */
static size_t wrapped_by(const struct shell_word *words, size_t count)
{
    size_t at = 0;
    while (at + 1 < count) {
        bool command = hv_str_is(words[at].value, "command");
        size_t next = at + 1;
        if (!words[at].known || (!command && !hv_str_is(words[at].value, "builtin")))
            break;
        while (command && next < count && words[next].known && hv_str_is(words[next].value, "-p"))
            next++;
        if (next < count && words[next].known && hv_str_is(words[next].value, "--"))
            next++;
        if (next >= count || !words[next].known || hv_str_starts(words[next].value, HV_STR("-")))
            break;
        at = next;
    }
    return at;
}

bool effect_is_cd(struct hv_str name)
{
    return builtin_effect(name) == EFFECT_CD;
}

bool effect_is_none(struct hv_str name)
{
    return builtin_effect(name) == EFFECT_NONE && !shifts_parameters(name);
}

/* ---- let --------------------------------------------------------------------------------------------------------- */

/* What let evaluates is harmless. (It does not expand "$", which stands in quotes then.) */
static bool let_is_plain(struct resolver *resolver, struct hv_str text, bool assigns)
{
    return hv_str_find_byte(text, '$', 0) == SIZE_MAX && hv_str_find_byte(text, '"', 0) == SIZE_MAX &&
           arithmetic_is_plain(resolver, text, NULL, 0, assigns);
}

static void effect_of_let(struct resolver *resolver, size_t index)
{
    struct shell_command *command = &resolver->commands[index];
    for (size_t i = 1; i < command->word_count; i++) {
        struct shell_word *word = &command->words[i];
        if (!word->known || !let_is_plain(resolver, word->value, true)) {
            word->flags |= SHELL_WORD_EVALUATES;
            resolve_forget(resolver);
        } else {
            arithmetic_demote(resolver, word->value);
        }
    }
}

static void stop_at(struct resolver *resolver, size_t index, const char *reason)
{
    if (!resolver->reader->reason) {
        resolver->reader->reason = reason;
        resolver->reader->place = resolver->commands[index].at;
    }
    resolve_forget(resolver);
}

static bool is_literal(const struct raw_word *word)
{
    return word->count == 1 && word->parts[0].kind == PART_TEXT && hv_str_find_byte(word->text, '{', 0) == SIZE_MAX;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* Any function of the script may be called by any other: what all bodies may change. */
static void effect_of_functions(struct resolver *resolver)
{
    const struct op *ops = resolver->reader->tape.items;
    if (resolver->in_functions)
        return; /* the bodies are being gone through */
    resolver->in_functions = true;
    resolver->range_made += resolver->reader->tape.count;
    for (size_t i = 0; i < resolver->reader->tape.count && !resolver->now.off; i++)
        if (ops[i].kind == OP_FUNCTION)
            effect_of_range(resolver, i + 1, ops[i].to);
    resolver->in_functions = false;
}

bool effect_moves_never(const struct resolver *resolver)
{
    const struct reader *reader = resolver->reader;
    for (size_t i = 0; i < reader->nodes.count; i++) {
        const struct node *node = &reader->nodes.items[i];
        if (node->kind != SHELL_COMMAND_SIMPLE || !node->word_count)
            continue;
        if (!is_literal(&node->words[0]))
            return false;
        enum effect effect = builtin_effect(node->words[0].parts[0].text);
        bool asks = hv_str_is(node->words[0].text, "command") && node->word_count > 1 &&
                    (hv_str_is(node->words[1].text, "-v") || hv_str_is(node->words[1].text, "-V"));
        if (!asks && (effect == EFFECT_CD || effect == EFFECT_DIRECTORY || effect == EFFECT_ANYTHING))
            return false;
    }
    return true;
}

/* ---- one command, executed --------------------------------------------------------------------------------------- */

/* `from`: where its words begin, behind `command` and `builtin`. */
static void effect_of_builtin(struct resolver *resolver, size_t index, enum effect effect, size_t from)
{
    const struct shell_command *command = &resolver->commands[index];
    switch (effect) {
    case EFFECT_NONE: return;
    case EFFECT_NAMES: effect_of_setting(resolver, index); return;
    case EFFECT_EXPORT: effect_of_export(resolver, command->words, command->word_count); return;
    case EFFECT_DECLARE:
        if (hv_str_is(command->words[0].value, "local") && !(command->place & SHELL_IN_FUNCTION))
            effect_of_stray_local(resolver, command->words, command->word_count);
        else
            effect_of_declare(resolver, command->words, command->word_count);
        return;
    case EFFECT_CD: directory_change(resolver, index, command->words + from, command->word_count - from); return;
    case EFFECT_DIRECTORY: directory_stack(resolver, command->words + from, command->word_count - from); return;
    case EFFECT_EVAL: effect_of_eval(resolver, index, command->words + from, command->word_count - from); return;
    case EFFECT_PRINTF: effect_of_printf(resolver, command->words, command->word_count); return;
    case EFFECT_LET: effect_of_let(resolver, index); return;
    case EFFECT_SET:
        if (!effect_set_is_tame(command->words, command->word_count))
            stop_at(resolver, index, "set changes how the rest is read");
        return;
    case EFFECT_SHOPT:
        if (!effect_shopt_is_tame(command->words, command->word_count))
            stop_at(resolver, index, "shopt changes how the rest is read");
        return;
    case EFFECT_ANYTHING:
    default: resolve_forget(resolver);
    }
}

/* $(seq 1 10), with numbers alone. */
static bool is_sequence(const struct resolver *resolver, const struct shell_word *word)
{
    struct hv_str text = word->text;
    if (!hv_str_starts(text, HV_STR("$(seq ")) || !hv_str_ends(text, HV_STR(")")) ||
        functions_have(resolver, HV_STR("seq")))
        return false;
    for (size_t i = 6; i + 1 < text.len; i++)
        if (!strchr("0123456789 -", text.ptr[i]))
            return false;
    return true;
}

/* The words of a loop, when all are known: an index; 0: not certain. (What select binds may be empty, too.) */
static uint32_t words_of_for(struct resolver *resolver, const struct shell_command *command)
{
    struct hv_str values[SHELL_CHOICES_MAX];
    uint32_t count = command->word_count;
    if (count == 1 && hv_str_is(command->words[0].text, "\"$@\"") && resolver->now.parameters && !resolver->now.off &&
        hv_str_starts(command->text, HV_STR("for")))
        return resolver->now.all_parameters;
    if (!count || count > SHELL_CHOICES_MAX || !hv_str_starts(command->text, HV_STR("for")))
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!command->words[i].known)
            return 0;
        values[i] = command->words[i].value;
    }
    return choices_add(resolver, read_copy(resolver->reader, values, count, sizeof *values), count, 0);
}

/* The variable of a loop: a number when all that it becomes are. */
static void effect_of_for(struct resolver *resolver, const struct shell_command *command)
{
    bool numbers = command->word_count != 0;
    for (size_t i = 0; numbers && i < command->word_count; i++)
        numbers = command->words[i].known ? variable_is_number(command->words[i].value)
                                          : is_sequence(resolver, &command->words[i]);
    variable_set_choices(resolver, command->variable, numbers ? VALUE_NUMBER : VALUE_UNKNOWN,
                         words_of_for(resolver, command));
}

/* What the builtin does that `command` and its like run; behind these, names are not assigned as elsewhere. */
static enum effect wrapped_effect(struct resolver *resolver, const struct shell_word *words, size_t from)
{
    enum effect effect = effect_of_name(resolver, words[from].value);
    if (effect == EFFECT_ANYTHING && hv_str_is(words[from].value, "eval"))
        return EFFECT_EVAL;
    bool follows = effect == EFFECT_NONE || effect == EFFECT_CD || effect == EFFECT_DIRECTORY;
    return !from || follows ? effect : EFFECT_ANYTHING;
}

void effect_of_command(struct resolver *resolver, size_t index)
{
    const struct shell_command *command = &resolver->commands[index];
    const struct node *node = &resolver->reader->nodes.items[index];
    if (command->kind == SHELL_COMMAND_FOR)
        effect_of_for(resolver, command);
    for (size_t i = 0; i < command->redirect_count; i++)
        if (command->redirects[i].variable.ptr)
            forget_name(resolver, command->redirects[i].variable);
    if (command->kind != SHELL_COMMAND_SIMPLE || !node->word_count)
        return;
    if (!command->word_count || !command->words[0].known) {
        resolve_forget(resolver);
        return;
    }
    size_t from = wrapped_by(command->words, command->word_count);
    enum effect effect = wrapped_effect(resolver, command->words, from);
    if (command->calls_function) {
        effect_of_functions(resolver);
        /* a function of that name does what it likes */
        effect = effect == EFFECT_NONE && !from ? EFFECT_NONE : EFFECT_ANYTHING;
    } else if (effect == EFFECT_ANYTHING && changes_nothing(command->words, command->word_count)) {
        effect = EFFECT_NONE;
    }
    /* CDPATH=/ cd etc, x=/ eval 'cd $x' */
    bool given = command->assignment_count != 0;
    if (given && (effect == EFFECT_CD || effect == EFFECT_DIRECTORY || effect == EFFECT_EVAL))
        effect = EFFECT_ANYTHING;
    if (shifts_parameters(command->words[from].value))
        resolver->now.parameters = false;
    if (effect != EFFECT_NONE)
        effect_of_builtin(resolver, index, effect, from);
    if (effect == EFFECT_EXPORT || effect == EFFECT_DECLARE)
        for (size_t i = 0; i < command->assignment_count; i++)
            forget_name(resolver, command->assignments[i].name);
}

/* ---- commands that may be executed ------------------------------------------------------------------------------- */

/* What takes names or depends on its words, if all of them are plain. */
static void range_names(struct resolver *resolver, const struct node *node, enum effect effect)
{
    struct shell_word *words = hv_arena_array(resolver->arena, struct shell_word, node->word_count);
    for (size_t i = 0; i < node->word_count; i++) {
        words[i].known = is_literal(&node->words[i]);
        words[i].value = words[i].known ? node->words[i].parts[0].text : HV_STR("");
    }
    if (effect == EFFECT_ANYTHING) {
        if (shifts_parameters(words[wrapped_by(words, node->word_count)].value))
            resolver->now.parameters = false;
        if (!changes_nothing(words, node->word_count))
            resolve_forget(resolver);
        return;
    }
    if (effect == EFFECT_PRINTF) {
        const struct raw_word *first = node->word_count > 1 ? &node->words[1] : NULL;
        bool harmless = !first || (first->count && first->parts[0].kind == PART_TEXT && first->parts[0].text.len &&
                                   first->parts[0].text.ptr[0] != '-' && first->parts[0].text.ptr[0] != '{');
        if (!harmless)
            effect_of_printf(resolver, words, node->word_count);
        return;
    }
    effect_of_names(resolver, words, node->word_count);
}

static void range_let(struct resolver *resolver, const struct node *node)
{
    for (size_t i = 1; i < node->word_count; i++)
        if (is_literal(&node->words[i]))
            arithmetic_demote(resolver, node->words[i].parts[0].text);
        else
            resolve_forget(resolver);
}

static void range_export(struct resolver *resolver, const struct node *node)
{
    for (size_t i = 1; i < node->word_count; i++) {
        size_t length = read_identifier(node->words[i].text, 0);
        if (!length && is_literal(&node->words[i]) && is_plain_attribute(node->words[i].text))
            continue;
        if (length)
            forget_name(resolver, hv_str_slice(node->words[i].text, 0, length));
        else
            resolve_forget(resolver);
    }
}

static void range_simple(struct resolver *resolver, const struct node *node)
{
    /* before a command they are of its environment only, but for export */
    bool lasting = !node->word_count || effect_is_declaration(&node->words[0]);
    for (size_t i = 0; lasting && i < node->assignment_count; i++) {
        const struct raw_assignment *assignment = &node->assignments[i];
        const struct part *part = assignment->value.parts;
        bool number = assignment->value.count == 1 && !assignment->array && !assignment->appends &&
                      (part->kind == PART_ARITHMETIC || (part->kind == PART_TEXT && variable_is_number(part->text)));
        bool plain = assignment->value.count == 1 && !assignment->array && !assignment->appends && !assignment->element;
        if (number && !assignment->element)
            variable_demote(resolver, assignment->name);
        else if (plain && substitution_counts(resolver, part) != VALUE_UNKNOWN)
            variable_count(resolver, assignment->name, substitution_counts(resolver, part));
        else
            forget_name(resolver, assignment->name);
    }
    if (!node->word_count)
        return;
    if (!is_literal(&node->words[0])) {
        resolve_forget(resolver);
        return;
    }
    struct hv_str name = node->words[0].parts[0].text;
    enum effect effect = builtin_effect(name);
    if (shifts_parameters(name))
        resolver->now.parameters = false;
    if (functions_have(resolver, name))
        effect_of_functions(resolver);
    if (effect == EFFECT_NAMES || effect == EFFECT_PRINTF || effect == EFFECT_ANYTHING)
        range_names(resolver, node, effect);
    else if (effect == EFFECT_LET)
        range_let(resolver, node);
    else if (effect == EFFECT_EXPORT || effect == EFFECT_DECLARE)
        range_export(resolver, node);
    else if (effect == EFFECT_CD || effect == EFFECT_DIRECTORY)
        directory_lose(resolver);
}

static bool parts_are_plain(struct resolver *resolver, const struct part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct part *part = &parts[i];
        if (part->form != FORM_EVALUATE && part->form != FORM_ASSIGN &&
            (part->kind == PART_ARITHMETIC || part->form == FORM_SLICE || part->element)) {
            struct hv_str text = part->kind == PART_ARITHMETIC ? part->text : part->subscript;
            if (!arithmetic_is_plain(resolver, text, part->inner, part->inner_count, false))
                return false;
            continue; /* and so is what stands in it */
        }
        if (part->form == FORM_EVALUATE || part->form == FORM_ASSIGN ||
            !parts_are_plain(resolver, part->inner, part->inner_count))
            return false;
    }
    return true;
}

static bool node_is_plain(struct resolver *resolver, const struct node *node)
{
    bool lets = node->kind == SHELL_COMMAND_SIMPLE && node->word_count && hv_str_is(node->words[0].text, "let");
    for (size_t i = 1; lets && i < node->word_count; i++)
        if (!is_literal(&node->words[i]) || !let_is_plain(resolver, node->words[i].parts[0].text, false))
            return false;
    for (size_t i = 0; i < node->word_count; i++)
        if (!parts_are_plain(resolver, node->words[i].parts, node->words[i].count))
            return false;
    for (size_t i = 0; i < node->assignment_count; i++)
        if (!parts_are_plain(resolver, node->assignments[i].value.parts, node->assignments[i].value.count))
            return false;
    for (size_t i = 0; i < node->redirect_count; i++)
        if (!parts_are_plain(resolver, node->redirects[i].target.parts, node->redirects[i].target.count))
            return false;
    return true;
}

static void demote_parts(struct resolver *resolver, const struct part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i].kind == PART_ARITHMETIC || parts[i].form == FORM_SLICE || parts[i].element)
            arithmetic_demote(resolver, parts[i].kind == PART_ARITHMETIC ? parts[i].text : parts[i].subscript);
        demote_parts(resolver, parts[i].inner, parts[i].inner_count);
    }
}

static void range_command(struct resolver *resolver, const struct node *node)
{
    if (node->kind == SHELL_COMMAND_FOR)
        forget_name(resolver, node->variable);
    for (size_t i = 0; i < node->redirect_count; i++)
        if (node->redirects[i].variable.ptr)
            forget_name(resolver, node->redirects[i].variable);
    for (size_t i = 0; i < node->word_count; i++)
        demote_parts(resolver, node->words[i].parts, node->words[i].count);
    for (size_t i = 0; i < node->assignment_count; i++)
        demote_parts(resolver, node->assignments[i].value.parts, node->assignments[i].value.count);
    if (node->kind == SHELL_COMMAND_SIMPLE || (node->kind == SHELL_COMMAND_GROUP && node->assignment_count))
        range_simple(resolver, node);
}

/* ---- what a loop sets before it uses it -------------------------------------------------------------------------- */

/* A loop over numbers as they are written: 1 2 3, {1..3}, $(seq 3). */
static bool loops_over_numbers(const struct resolver *resolver, const struct node *node)
{
    for (size_t i = 0; i < node->word_count; i++) {
        const struct shell_word word = {.text = node->words[i].text};
        struct hv_str text = word.text;
        size_t dots = hv_str_find(text, HV_STR(".."), 0);
        bool range = hv_str_starts(text, HV_STR("{")) && hv_str_ends(text, HV_STR("}")) && dots != SIZE_MAX &&
                     variable_is_number(hv_str_slice(text, 1, dots)) &&
                     variable_is_number(hv_str_slice(text, dots + 2, text.len - 1));
        if (!range && !variable_is_number(text) && !is_sequence(resolver, &word))
            return false;
    }
    return node->word_count != 0;
}

/* Nothing in [from, to) makes the variable anything but a count, or a place when it is one. */
static bool stays_count(struct resolver *resolver, size_t from, size_t to, struct hv_str name, enum value_state what)
{
    resolver->range_made += to - from;
    for (size_t i = from; i < to; i++) {
        if (resolver->reader->tape.items[i].kind != OP_COMMAND)
            continue;
        const struct node *node = &resolver->reader->nodes.items[resolver->reader->tape.items[i].to];
        for (size_t j = 0; j < node->assignment_count; j++) {
            if (!hv_str_eq(node->assignments[j].name, name))
                continue;
            enum value_state state = assignment_counts(resolver, &node->assignments[j]);
            if (state != VALUE_COUNT && state != what)
                return false;
        }
        if (node->kind == SHELL_COMMAND_FOR && hv_str_eq(node->variable, name) && !loops_over_numbers(resolver, node))
            return false;
        if (node->kind != SHELL_COMMAND_SIMPLE || !node->word_count)
            continue;
        enum effect effect =
            is_literal(&node->words[0]) ? builtin_effect(node->words[0].parts[0].text) : EFFECT_ANYTHING;
        bool tame = effect == EFFECT_NONE || effect == EFFECT_CD || effect == EFFECT_SET || effect == EFFECT_SHOPT ||
                    (effect == EFFECT_PRINTF && node->word_count > 1 && node->words[1].text.len &&
                     node->words[1].text.ptr[0] != '-' && node->words[1].text.ptr[0] != '$');
        if (!tame || functions_have(resolver, node->words[0].text))
            return false;
    }
    return resolver->range_made <= RESOLVE_RANGE_MAX;
}

/* What a node assigns is a count from there on, as far as it is certain to have run, if it stays one. */
static void note_counts(struct resolver *resolver, size_t from, size_t to, const struct node *node)
{
    bool alone = node->kind == SHELL_COMMAND_SIMPLE && !node->word_count && !node->pipeline;
    if (node->kind == SHELL_COMMAND_FOR && counts_may_name(node->variable) && loops_over_numbers(resolver, node) &&
        stays_count(resolver, from, to, node->variable, VALUE_COUNT))
        variable_set(resolver, node->variable, VALUE_COUNT, (struct hv_str){0});
    for (size_t i = 0; alone && i < node->assignment_count; i++) {
        struct hv_str name = node->assignments[i].name;
        enum value_state state = assignment_counts(resolver, &node->assignments[i]);
        if (counts_may_name(name) && state != VALUE_UNKNOWN && stays_count(resolver, from, to, name, state))
            variable_set(resolver, name, state, (struct hv_str){0});
    }
}

/* Expansions from `at` on are harmless, with what is set before them in [from, to), wherever that begins. What is set
 * where it may not run counts only there. */
static bool range_is_plain(struct resolver *resolver, size_t from, size_t at, size_t to)
{
    size_t open = resolver->scopes.count;
    bool plain = true;
    scope_open(resolver);
    for (; plain && at < to; at++) {
        const struct op *op = &resolver->reader->tape.items[at];
        const struct node *node = op->kind == OP_COMMAND ? &resolver->reader->nodes.items[op->to] : NULL;
        switch (op->kind) {
        case OP_SUBSTITUTION:
        case OP_SCOPE:
        case OP_MAYBE:
        case OP_LOOP:
        case OP_FUNCTION: scope_open(resolver); break;
        case OP_END:
        case OP_END_SCOPE:
        case OP_END_MAYBE:
        case OP_END_LOOP:
        case OP_END_FUNCTION:
            if (resolver->scopes.count > open + 1)
                scope_close(resolver);
            break;
        case OP_COMMAND:
            plain = node_is_plain(resolver, node);
            if (plain)
                note_counts(resolver, from, to, node);
            break;
        default: break;
        }
    }
    while (resolver->scopes.count > open)
        scope_close(resolver);
    return plain;
}

void effect_of_range(struct resolver *resolver, size_t from, size_t to)
{
    const struct reader *reader = resolver->reader;
    if (!resolver->now.off && (resolver->range_made += to - from) > RESOLVE_RANGE_MAX)
        resolve_forget(resolver);
    for (size_t i = from, scopes = 0; i < to && !resolver->now.off; i++) {
        const struct op *op = &reader->tape.items[i];
        scopes += op->kind == OP_SCOPE;
        scopes -= op->kind == OP_END_SCOPE;
        if (op->kind == OP_COMMAND && !scopes)
            range_command(resolver, &reader->nodes.items[op->to]);
    }
    if (resolver->now.off || from >= to)
        return;
    /* the first part of for ((…)) runs once, before all others */
    const struct op *op = &reader->tape.items[from];
    const struct node *node = op->kind == OP_COMMAND ? &reader->nodes.items[op->to] : NULL;
    bool first = node && node->kind == SHELL_COMMAND_ARITHMETIC, plain = true;
    if (first)
        plain = arithmetic_is_plain(resolver, node->words[0].parts[0].text, node->words[0].parts[0].inner,
                                    node->words[0].parts[0].inner_count, true);
    if (!plain || !range_is_plain(resolver, from, from + first, to))
        resolve_forget(resolver);
}

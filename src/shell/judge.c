/*
 * judge.c: the judgement of a whole script: one act for each command of its reading, and for each that a wrapper runs.
 * What stands around the words is judged here: assignments, redirections, loops, conditions, arithmetic, functions; the
 * words themselves by the row of their program (classify.c). See class.h.
 */
#include "base/path.h"
#include "shell/programs.h"
#include "shell/settled.h"
#include <string.h>

const char *shell_class_name(enum shell_class class)
{
    static const char *const names[] = {"unknown", "executes", "network", "writes", "read_only"};
    return names[class];
}

/* ---- acts ----------------------------------------------------------------------------------------------- */

/* Room for so many more. */
static void reserve_acts(struct shell_reading *reading, size_t count)
{
    struct shell_acts *acts = reading->acts;
    if (acts->capacity - acts->count >= count)
        return;
    size_t doubled = 2 * acts->capacity;
    acts->capacity = acts->count + count > doubled ? acts->count + count : doubled;
    struct shell_act *bigger = hv_arena_alloc(reading->arena, acts->capacity * sizeof *bigger);
    if (acts->count)
        memcpy(bigger, acts->items, acts->count * sizeof *bigger);
    acts->items = bigger;
}

/* The next slot; finish_act fills it. */
static size_t reserve_act(struct shell_reading *reading)
{
    enum { FEW = 4 };
    if (reading->acts->count == reading->acts->capacity)
        reserve_acts(reading, FEW);
    return reading->acts->count++;
}

static struct shell_act fresh_act(const struct shell_command *command, const struct shell_word *words, size_t count)
{
    return (struct shell_act){
        .command = command,
        .words = words,
        .word_count = count,
        .class = SHELL_READ_ONLY,
        .why = HV_STR("only reads"),
        .reads_listed = true,
        .writes_listed = true,
    };
}

static void finish_act(struct shell_reading *reading, size_t slot)
{
    reading->act.astray |= !reading->directory.ptr;
    reading->act.first = slot;
    reading->acts->items[slot] = reading->act;
}

/* ---- the program ---------------------------------------------------------------------------------------- */

/* The program's bare name: a name without "/", or a file in a directory of the system. Absent: neither. */
static struct hv_str program_name(struct hv_str word)
{
    static const char *const directories[] = {"/bin/",  "/usr/bin/",  "/usr/local/bin/",
                                              "/sbin/", "/usr/sbin/", "/usr/local/sbin/"};
    if (hv_str_find_byte(word, '/', 0) == SIZE_MAX)
        return word;
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        struct hv_str directory = hv_str_from(directories[i]);
        struct hv_str name = hv_str_slice(word, directory.len, word.len);
        if (hv_str_starts(word, directory) && name.len && hv_str_find_byte(name, '/', 0) == SIZE_MAX)
            return name;
    }
    return (struct hv_str){0};
}

static bool is_builtin(const struct shell_program *row)
{
    for (const struct shell_program *builtin = shell_programs_builtins; builtin->names; builtin++)
        if (builtin == row)
            return true;
    return false;
}

static bool is_trusted(struct shell_reading *reading, const struct shell_program *row, struct hv_str word)
{
    const struct shell_world *world = reading->world;
    if (word.ptr[0] == '/' || (!reading->outside && is_builtin(row)))
        return true;
    return world->is_system_program && world->is_system_program(world->user, word);
}

/* A function of the script: its body's commands are judged where they stand. */
static void judge_call(struct shell_reading *reading, struct hv_str name)
{
    if (shell_look_up(reading, name))
        shell_worsenf(reading, SHELL_UNKNOWN, "a function of the script takes the place of %.*s", HV_STR_ARG(name));
    else
        reading->act.why = HV_STR("calls a function of the script");
}

static void judge_words(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!words[0].known || !words[0].value.len) {
        shell_worsen(reading, SHELL_UNKNOWN, "which program runs is not known");
        reading->act.runs_input = true;
        return;
    }
    struct hv_str name = program_name(words[0].value);
    const struct shell_program *row = name.ptr ? shell_look_up(reading, shell_plain_tool(name)) : NULL;
    if (!row)
        shell_worsenf(reading, SHELL_UNKNOWN, "what %.*s does is not known", HV_STR_ARG(words[0].value));
    else if (!is_trusted(reading, row, words[0].value))
        shell_worsenf(reading, SHELL_UNKNOWN, "%.*s is not a program of the system", HV_STR_ARG(words[0].value));
    else
        shell_judge_row(reading, row, words, count);
}

static bool too_deep(struct shell_reading *reading)
{
    if (reading->depth < SHELL_WRAPPER_DEPTH_MAX)
        return false;
    shell_worsen(reading, SHELL_UNKNOWN, "programs that run programs, too many within each other");
    return true;
}

void shell_judge_builtin(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    reading->act.words = words;
    reading->act.word_count = count;
    if (!count || too_deep(reading))
        return;
    reading->depth++;
    judge_words(reading, words, count);
    reading->depth--;
}

void shell_judge_inner(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool outside = reading->outside;
    reading->outside = true;
    shell_judge_builtin(reading, words, count);
    reading->outside = outside;
}

/* The further act is no better for its place: what it needs stands in it alone. */
void shell_judge_further(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!count || too_deep(reading))
        return;
    struct shell_reading inner = *reading;
    size_t slot = reserve_act(reading);
    inner.act = fresh_act(reading->command, words, count);
    inner.read_capacity = inner.write_capacity = 0;
    inner.outside = true;
    inner.depth++;
    judge_words(&inner, words, count);
    finish_act(&inner, slot);
    shell_worsen(reading, inner.act.class, "");
    reading->act.why =
        inner.act.class == reading->act.class && !reading->act.why.len ? inner.act.why : reading->act.why;
}

/* ---- what stands around the words ------------------------------------------------------------------------ */

/* ${x@P}, ${!x}, arithmetic over data: code may come out of what is expanded. The reader has looked. */
static void judge_expansion(struct shell_reading *reading, const struct shell_word *word)
{
    if (word->flags & SHELL_WORD_EVALUATES)
        shell_worsenf(reading, SHELL_UNKNOWN, "%.*s may evaluate data as code", HV_STR_ARG(word->text));
    if (word->flags & SHELL_WORD_ARITHMETIC && !shell_arithmetic_sets_harmless(word->text))
        shell_worsenf(reading, SHELL_UNKNOWN, "%.*s may set a variable that programs read", HV_STR_ARG(word->text));
}

/* IFS=, alone: the reader knows that from here on words are cut otherwise; programs do not read it, nor do shells take
 * it from their environment. IFS= read -r line: it rules how read cuts the line, and nothing else. */
static bool is_for_splitting(const struct shell_reading *reading, const struct shell_assignment *assignment)
{
    const struct shell_act *act = &reading->act;
    return hv_str_is(assignment->name, "IFS") && !assignment->element && !assignment->array &&
           (!act->word_count ||
            (act->words[0].known && shell_names_have("read mapfile readarray", act->words[0].value)));
}

/* name[subscript]=: the reader has looked for data that is evaluated; here, that nothing is set within. */
static bool is_plain_element(const struct shell_reading *reading, const struct shell_assignment *assignment)
{
    struct hv_str start = hv_arena_format(reading->arena, "%.*s[", HV_STR_ARG(assignment->name));
    struct hv_str text = reading->judged->text;
    size_t from = hv_str_find(text, start, 0), to = hv_str_find(text, HV_STR("]"), from == SIZE_MAX ? 0 : from);
    return from != SIZE_MAX && to != SIZE_MAX &&
           shell_arithmetic_sets_harmless(hv_str_slice(text, from + start.len, to));
}

static void judge_assignment(struct shell_reading *reading, const struct shell_assignment *assignment)
{
    if (!shell_variable_is_harmless(assignment->name, &assignment->value) && !is_for_splitting(reading, assignment))
        shell_worsenf(reading, SHELL_UNKNOWN, "%.*s may change what programs do", HV_STR_ARG(assignment->name));
    if ((assignment->element && !is_plain_element(reading, assignment)) ||
        (assignment->array && hv_str_find_byte(assignment->value.text, '[', 0) != SIZE_MAX))
        shell_worsenf(reading, SHELL_UNKNOWN, "the subscript of %.*s may be evaluated", HV_STR_ARG(assignment->name));
    judge_expansion(reading, &assignment->value);
}

/* bash opens connections for these names itself. A word that may become one counts. */
static bool may_be_connection(const struct shell_word *target)
{
    static const char *const names[] = {"/dev/tcp/", "/dev/udp/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct hv_str name = hv_str_from(names[i]);
        if (hv_str_starts(target->value, name))
            return true;
        bool open = !target->known && target->flags & (SHELL_WORD_VARIABLE | SHELL_WORD_COMMAND | SHELL_WORD_GLOB);
        if (open && target->value.len && hv_str_starts(name, target->value))
            return true;
    }
    return false;
}

static bool is_free_target(const struct shell_word *target)
{
    if (!target->known)
        return false;
    struct hv_str value = target->value;
    if (shell_names_have("/dev/null /dev/stdout /dev/stderr /dev/stdin", value))
        return true;
    struct hv_str number = hv_str_slice(value, 8, value.len);
    for (size_t i = 0; i < number.len; i++)
        if (number.ptr[i] < '0' || number.ptr[i] > '9')
            return false;
    return number.len && hv_str_starts(value, HV_STR("/dev/fd/"));
}

static void redirect_file(struct shell_reading *reading, const struct shell_redirect *redirect)
{
    const struct shell_word *target = &redirect->target;
    if (may_be_connection(target)) {
        shell_worsen(reading, SHELL_NETWORK, "the redirection opens a connection");
        return;
    }
    bool process = !target->known && !target->value.len && target->flags & SHELL_WORD_PROCESS &&
                   !(target->flags & ~(unsigned)(SHELL_WORD_PROCESS | SHELL_WORD_QUOTED));
    if (process)
        return;
    if (is_free_target(target)) {
        if (redirect->kind != SHELL_REDIRECT_READ && !shell_is_output_name(target->value))
            shell_worsenf(reading, SHELL_UNKNOWN, "what %.*s opens anew may be a file", HV_STR_ARG(target->value));
        return;
    }
    if (redirect->kind != SHELL_REDIRECT_READ) {
        shell_writes(reading, target, false);
        return;
    }
    if (!target->known && !target->value.len && target->flags & (SHELL_WORD_VARIABLE | SHELL_WORD_COMMAND))
        shell_worsenf(reading, SHELL_UNKNOWN, "what %.*s is, a file or a connection, is not known",
                      HV_STR_ARG(target->text));
    if (target->known && hv_str_is(target->value, "-"))
        shell_reads(reading, &(const struct shell_word){.value = HV_STR("./-"), .known = true}, false);
    else
        shell_reads(reading, target, false);
}

/* >&$x: a descriptor, or a file that is written. */
static void redirect_descriptor(struct shell_reading *reading, const struct shell_redirect *redirect)
{
    if (redirect->target.known || redirect->target.flags & SHELL_WORD_NUMBER)
        return;
    shell_worsen(reading, SHELL_UNKNOWN, "whether the redirection writes a file is not known");
}

static void judge_redirect(struct shell_reading *reading, const struct shell_redirect *given);

/* To, or from, each of the values that the target may be. */
static void judge_redirects(struct shell_reading *reading, const struct shell_redirect *given)
{
    uint32_t index = given->kind == SHELL_REDIRECT_DUPLICATE ? 0 : given->target.choices;
    const struct shell_choices *choices = index ? &reading->script->choices[index - 1] : NULL;
    struct shell_redirect one = *given;
    if (!choices)
        judge_redirect(reading, given);
    for (uint32_t i = 0; choices && i < choices->count; i++) {
        one.target = shell_word_known(choices->values[i]);
        one.target.text = given->target.text;
        judge_redirect(reading, &one);
    }
}

static void judge_redirect(struct shell_reading *reading, const struct shell_redirect *given)
{
    struct shell_redirect resolved = *given;
    const struct shell_redirect *redirect = given;
    if (given->kind == SHELL_REDIRECT_READ && (shell_resolve_loop_word(reading, reading->judged, &resolved.target) ||
                                               shell_resolve_parameter(reading, reading->judged, &resolved.target) ||
                                               shell_names_from_origin(reading, &resolved.target)))
        redirect = &resolved;
    if (redirect->variable.ptr && !shell_variable_is_harmless(redirect->variable, NULL))
        shell_worsenf(reading, SHELL_UNKNOWN, "%.*s may change what programs do", HV_STR_ARG(redirect->variable));
    judge_expansion(reading, &redirect->target);
    if (redirect->kind == SHELL_REDIRECT_DUPLICATE)
        redirect_descriptor(reading, redirect);
    shell_judge_descriptor(reading, redirect);
    reading->in_redirect = true;
    if (redirect->kind != SHELL_REDIRECT_DUPLICATE && redirect->kind != SHELL_REDIRECT_HERE &&
        redirect->kind != SHELL_REDIRECT_HERE_STRING)
        redirect_file(reading, redirect);
    reading->in_redirect = false;
}

static void judge_arithmetic(struct shell_reading *reading, const struct shell_command *command)
{
    for (size_t i = 0; i < command->word_count; i++)
        if (!shell_arithmetic_sets_harmless(command->words[i].text))
            shell_worsen(reading, SHELL_UNKNOWN, "arithmetic may set a variable that programs read");
}

/* One of the words that a variant was made of, as the command has it. */
static void return_words(struct shell_act *act, const struct shell_word *variant, const struct shell_word *words,
                         size_t count)
{
    if (act->words >= variant && act->words < variant + count)
        act->words = words + (act->words - variant);
}

static bool is_settled(const struct shell_act *act)
{
    return act->class == SHELL_READ_ONLY && act->reads_listed && act->writes_listed;
}

/* Words that are one of several values: each of them, where it matters. The act is of all of them. */
static void judge_variants(struct shell_reading *reading, const struct shell_word *words, size_t count,
                           struct shell_variants *variants)
{
    const struct shell_reading before = *reading;
    size_t acts = reading->acts->count;
    judge_words(reading, words, count);
    bool settled = is_settled(&reading->act);
    for (size_t i = acts; settled && i < reading->acts->count; i++) /* what it runs: find -exec */
        settled = is_settled(&reading->acts->items[i]);
    if (settled)
        return;
    reading->acts->count = acts;
    *reading = before;
    do {
        const struct shell_word *variant = shell_variant(reading, words, count, variants);
        struct shell_reading so_far = *reading;
        *reading = before;
        reading->act = so_far.act;
        reading->read_capacity = so_far.read_capacity;
        reading->write_capacity = so_far.write_capacity;
        judge_words(reading, variant, count);
        return_words(&reading->act, variant, words, count);
    } while (shell_variants_next(variants));
}

static void judge_simple(struct shell_reading *reading, const struct shell_command *command)
{
    const struct shell_word *words = shell_resolve_loops(reading, command);
    if (!command->word_count)
        return;
    reading->act.words = words;
    bool known = command->words[0].known;
    struct shell_variants variants;
    if (known && command->calls_function)
        judge_call(reading, command->words[0].value);
    else if (shell_variants_begin(reading, words, command->word_count, &variants))
        judge_variants(reading, words, command->word_count, &variants);
    else
        judge_words(reading, words, command->word_count);
}

static void judge_kind(struct shell_reading *reading, const struct shell_command *command)
{
    switch (command->kind) {
    case SHELL_COMMAND_SIMPLE: judge_simple(reading, command); break;
    case SHELL_COMMAND_FOR:
        if (!shell_variable_is_harmless(command->variable, NULL))
            shell_worsenf(reading, SHELL_UNKNOWN, "%.*s may change what programs do", HV_STR_ARG(command->variable));
        break;
    case SHELL_COMMAND_ARITHMETIC: judge_arithmetic(reading, command); break;
    case SHELL_COMMAND_CONDITION: reading->act.answers = true; break;
    case SHELL_COMMAND_FUNCTION:
        if (shell_look_up(reading, command->variable))
            shell_worsenf(reading, SHELL_UNKNOWN, "a function of the script takes the place of %.*s",
                          HV_STR_ARG(command->variable));
        if (command->variable.len && strchr("?*+@!", command->variable.ptr[command->variable.len - 1]))
            shell_worsen(reading, SHELL_UNKNOWN, "the name of a function may be a pattern, and then it is a command");
        break;
    case SHELL_COMMAND_GROUP:
    case SHELL_COMMAND_CASE: break;
    }
}

/* Where the command may run: one more directory. False: there are too many. */
static bool place_also(struct shell_reading *reading, struct hv_str directory)
{
    bool known = reading->directory.ptr && hv_str_eq(directory, reading->directory);
    for (size_t i = 0; i < reading->elsewhere_count; i++)
        known |= hv_str_eq(reading->elsewhere[i], directory);
    if (known)
        return true;
    if (!reading->directory.ptr) {
        reading->directory = directory;
        return true;
    }
    if (reading->elsewhere_count == SHELL_ELSEWHERE_MAX)
        return false;
    reading->elsewhere[reading->elsewhere_count++] = directory;
    return true;
}

/* A command may have run there. */
static void note_seen(struct shell_reading *reading, struct hv_str directory)
{
    for (size_t i = 0; i < reading->seen_count && i < SHELL_ELSEWHERE_MAX; i++)
        if (hv_str_eq(reading->seen[i], directory))
            return;
    if (reading->seen_count < SHELL_ELSEWHERE_MAX)
        reading->seen[reading->seen_count] = directory;
    reading->seen_count += reading->seen_count <= SHELL_ELSEWHERE_MAX;
}

/* Behind cd "$(git rev-parse --show-toplevel)": there, or, if that failed, where it was. */
static bool place_at_top(struct shell_reading *reading, struct hv_str before)
{
    const struct shell_world *world = reading->world;
    struct hv_str top =
        world->repository_top ? world->repository_top(world->user, reading->arena, before) : (struct hv_str){0};
    return top.ptr && place_also(reading, top) && place_also(reading, before);
}

/* Each of the directories that it is one of. */
static bool place_in_each(struct shell_reading *reading, uint32_t index)
{
    const struct shell_choices *places = &reading->script->choices[index - 1];
    bool fits = true;
    for (uint32_t i = 0; fits && i < places->count; i++)
        fits = place_also(reading, places->values[i]);
    return fits;
}

/* An earlier cd may have failed: then it runs where any before it ran. */
static bool place_where_seen(struct shell_reading *reading)
{
    bool fits = reading->seen_count <= SHELL_ELSEWHERE_MAX;
    for (size_t i = 0; fits && i < reading->seen_count; i++)
        fits = place_also(reading, reading->seen[i]);
    return fits;
}

static bool place_somewhere(struct shell_reading *reading, const struct shell_command *command)
{
    if (command->directory.ptr)
        return place_also(reading, command->directory);
    if (command->places)
        return place_in_each(reading, command->places);
    if (command->likely_places)
        return place_in_each(reading, command->likely_places) && place_where_seen(reading);
    if (command->likely_directory.ptr)
        return place_also(reading, command->likely_directory) && place_where_seen(reading);
    return command->repository.ptr && place_at_top(reading, command->repository);
}

/* Behind cd "$d" &&, where d is one of the names in a directory. */
static void place_below(struct shell_reading *reading, const struct shell_command *command)
{
    if (!command->entered)
        return;
    const struct shell_command *cd = &reading->script->commands[command->entered - 1];
    struct shell_word word = cd->words[cd->word_count - 1]; /* its operand */
    if (!cd->directory.ptr || !shell_is_variable(word.text) || !shell_resolve_loop_word(reading, cd, &word) ||
        !shell_is_direct_name(&word) || hv_str_starts(word.value, HV_STR("~")))
        return;
    size_t slash = hv_str_rfind_byte(word.value, '/');
    struct hv_str before = hv_str_slice(word.value, 0, slash == SIZE_MAX ? 0 : slash + 1);
    reading->below = path_expand(reading->arena, before.len ? before : HV_STR("."), cd->directory, HV_STR("/"));
    reading->below_by = word;
}

/* Where the command runs. What a function does to the directory shows where it is called. */
static void place_command(struct shell_reading *reading, const struct shell_command *command)
{
    reading->directory = reading->below = (struct hv_str){0};
    reading->elsewhere_count = 0;
    bool certain = place_somewhere(reading, command), counts = !(command->place & SHELL_IN_FUNCTION);
    if (!certain) {
        reading->directory = (struct hv_str){0};
        reading->elsewhere_count = 0;
        reading->seen_count = counts ? SHELL_ELSEWHERE_MAX + 1 : reading->seen_count;
    } else if (counts) {
        note_seen(reading, reading->directory);
        for (size_t i = 0; i < reading->elsewhere_count; i++)
            note_seen(reading, reading->elsewhere[i]);
    }
    if (!certain)
        place_below(reading, command);
    reading->standing = reading->elsewhere_count ? (struct hv_str){0} : reading->directory;
}

static void judge_afresh(struct shell_reading *reading, const struct shell_command *command)
{
    size_t slot = reserve_act(reading);
    reading->judged = command;
    if (!reading->in_text)
        reading->command = command;
    reading->act = fresh_act(reading->command, command->words, command->word_count);
    reading->read_capacity = reading->write_capacity = 0;
    for (size_t i = 0; i < command->word_count; i++)
        judge_expansion(reading, &command->words[i]);
    for (size_t i = 0; i < command->assignment_count; i++)
        judge_assignment(reading, &command->assignments[i]);
    judge_kind(reading, command);
    if (shell_may_not_end(reading->script, command))
        shell_worsen(reading, SHELL_UNKNOWN, "it may start processes without end");
    if (command->place & SHELL_IN_COPROCESS)
        shell_worsen(reading, SHELL_UNKNOWN, "a coprocess sets a variable of its own");
    reading->act.astray = !reading->directory.ptr;
    /* Redirections are relative to the directory of the shell, not to the one that env -C gives. */
    place_command(reading, command);
    for (size_t i = 0; i < command->redirect_count; i++)
        judge_redirects(reading, &command->redirects[i]);
    finish_act(reading, slot);
}

/* The acts of one before, of this command: words are its own, where they are those of the command. */
static void repeat_acts(struct shell_reading *reading, const struct shell_repeat *of,
                        const struct shell_command *command)
{
    struct shell_acts *acts = reading->acts;
    const struct shell_word *words = of->command->words;
    reserve_acts(reading, of->act_count);
    for (size_t i = 0; i < of->act_count; i++) {
        struct shell_act *act = &acts->items[acts->count++];
        *act = acts->items[of->act + i];
        act->command = reading->in_text ? reading->command : command;
        if (words && act->words >= words && act->words < words + of->command->word_count)
            act->words = command->words + (act->words - words);
    }
}

static void judge_command(struct shell_reading *reading, const struct shell_command *command)
{
    struct shell_acts *acts = reading->acts;
    struct shell_repeat *kept = shell_repeat_of(reading, command);
    size_t before = acts->count;
    place_command(reading, command);
    if (kept && shell_is_repeat(reading, kept, command)) {
        repeat_acts(reading, kept, command);
        return;
    }
    bool outer_looks_around = reading->in_text && acts->looks_around;
    acts->looks_around = false;
    judge_afresh(reading, command);
    if (kept && !acts->looks_around)
        *kept = (struct shell_repeat){command, before, acts->count - before, reading->seen_count};
    acts->looks_around |= outer_looks_around; /* what a text in an argument looks at, its command does */
}

static void judge_commands(struct shell_reading *reading, const struct shell_script *script)
{
    reading->script = script;
    reading->reads_by_number |= shell_reads_by_number(script);
    reading->seen_count = 0;
    reserve_acts(reading, script->count);
    reading->arrays = SHELL_ARRAYS_UNSEEN;
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *command = &script->commands[i];
        if (command->kind != SHELL_COMMAND_GROUP || command->redirect_count || command->assignment_count)
            judge_command(reading, command);
    }
}

/* Something is missing at the end, and one cannot tell what. */
static const char open_document[] = "a here-document is not closed";

void shell_judge_text(struct shell_reading *reading, struct hv_str text)
{
    shell_judge_script(reading, text, NULL, 0);
}

void shell_judge_script(struct shell_reading *reading, struct hv_str text, const struct shell_word *given, size_t count)
{
    struct shell_start start = {0};
    struct shell_script *script = hv_arena_new(reading->arena, struct shell_script);
    if (too_deep(reading))
        return;
    if (reading->start)
        start.home = reading->start->home;
    if (!reading->elsewhere_count)
        start.directory = reading->directory;
    shell_read(reading->arena, text, &start, script);
    struct shell_reading inner = *reading;
    inner.depth++;
    inner.in_text = true;
    inner.given = given;
    inner.given_count = count;
    inner.given_standing = reading->standing;
    inner.outside = false;
    size_t first = reading->acts->count;
    struct shell_repeats repeats;
    inner.repeats = script->count > 1 ? &repeats : NULL;
    if (inner.repeats)
        shell_repeats_begin(&repeats, reading->arena, script->count);
    judge_commands(&inner, script);
    if (!script->accepted)
        shell_worsen(reading, SHELL_UNKNOWN, "the script in an argument is not understood");
    if (script->open_document)
        shell_worsen(reading, SHELL_UNKNOWN, open_document);
    if (shell_sets_splitting(reading->script))
        shell_worsen(reading, SHELL_UNKNOWN, "IFS is set, and the script in an argument may be cut otherwise");
    for (size_t i = first; i < reading->acts->count; i++) {
        const struct shell_act *act = &reading->acts->items[i];
        shell_worsenf(reading, act->class, "%.*s", HV_STR_ARG(act->why));
        reading->act.reads_listed &= act->reads_listed;
        reading->act.writes_listed &= act->writes_listed;
    }
}

static struct shell_acts judge_all(struct hv_arena *arena, const struct shell_start *start,
                                   const struct shell_world *world, const struct shell_script *script)
{
    struct shell_acts acts = {0};
    struct shell_lookups lookups = {0};
    struct shell_repeats repeats;
    struct shell_reading reading = {
        .arena = arena, .start = start, .world = world, .acts = &acts, .lookups = &lookups, .repeats = &repeats};
    shell_repeats_begin(&repeats, arena, script->count);
    judge_commands(&reading, script);
    return acts;
}

void shell_judge(struct hv_arena *arena, struct hv_str text, const struct shell_start *start,
                 const struct shell_world *world, struct shell_judgement *out)
{
    static const struct shell_world nothing = {0};
    struct shell_watched watched;
    *out = (struct shell_judgement){.class = SHELL_READ_ONLY, .why = HV_STR("only reads")};
    shell_read(arena, text, start, &out->script);
    shell_watch(&watched, world ? world : &nothing);
    struct shell_acts acts = judge_all(arena, start, &watched.world, &out->script), first = acts;
    if (shell_heed(&watched, &first))
        acts = judge_all(arena, start, &watched.world, &out->script);
    out->brings_names = shell_acts_bring_names(acts.items, acts.count);
    out->acts = acts.items;
    out->count = acts.count;
    for (size_t i = 0; i < acts.count; i++)
        if (acts.items[i].class < out->class) {
            out->class = acts.items[i].class;
            out->why = acts.items[i].why;
        }
    if (!out->script.accepted) {
        out->class = SHELL_UNKNOWN;
        out->why = hv_str_from(out->script.reason ? out->script.reason : "bash would not accept it");
    } else if (out->script.open_document && out->class > SHELL_UNKNOWN) {
        out->class = SHELL_UNKNOWN;
        out->why = hv_str_from(open_document);
    }
}

/* ---- exit codes ----------------------------------------------------------------------------------------- */

/* Something else may have ended the script with its own code. */
static bool may_end_early(const struct shell_script *script)
{
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *command = &script->commands[i];
        if (command->word_count && command->kind == SHELL_COMMAND_SIMPLE &&
            shell_names_have("set exit exec eval return trap", command->words[0].value))
            return true;
    }
    return false;
}

bool shell_code_is_answer(const struct shell_judgement *judgement, int code, bool *certain)
{
    const struct shell_script *script = &judgement->script;
    const struct shell_command *command = NULL;
    const struct shell_act *last = NULL;
    *certain = false;
    for (size_t i = 0; i < script->count; i++)
        if (script->commands[i].parent == SIZE_MAX)
            command = &script->commands[i];
    for (size_t i = 0; i < judgement->count; i++)
        if (judgement->acts[i].command == command)
            last = &judgement->acts[i];
    if (code != 1 || !last || !last->answers || !script->accepted || last->command->place & SHELL_IN_BACKGROUND)
        return false;
    *certain = !(last->command->place & SHELL_IN_BRANCH) && !may_end_early(script);
    return true;
}

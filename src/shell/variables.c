/* variables.c: what is known of the shell's variables, with scopes that are undone. */
#include "shell/resolve.h"

bool variable_is_number(struct hv_str value)
{
    enum { DIGITS_MAX = 18 };
    size_t at = value.len && *value.ptr == '-';
    if (at >= value.len || value.len > DIGITS_MAX || (value.ptr[at] == '0' && value.len > at + 1))
        return false; /* a leading zero is octal, and may be an error */
    for (; at < value.len; at++)
        if (value.ptr[at] < '0' || value.ptr[at] > '9')
            return false;
    return true;
}

/* Variables that bash sets, or that change how it reads words: never bound; changing them forgets everything. */
static bool is_special(struct hv_str name)
{
    static const char *const names[] = {
        "_",          "CDPATH",   "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "EUID",          "FUNCNAME",
        "GLOBIGNORE", "GROUPS",   "HISTCMD",  "HOME",          "IFS",          "LANG",          "LINENO",
        "MAPFILE",    "OLDPWD",   "OPTARG",   "OPTERR",        "OPTIND",       "PIPESTATUS",    "POSIXLY_CORRECT",
        "PPID",       "PWD",      "RANDOM",   "REPLY",         "SECONDS",      "SHELLOPTS",     "SRANDOM",
        "UID",        "BASHOPTS", "BASHPID",  "COPROC",        "TEXTDOMAIN",   "TEXTDOMAINDIR", "SHLVL",
        "HOSTNAME",   "COLUMNS",  "LINES"};
    if (name.len && *name.ptr != '_' && (*name.ptr < 'A' || *name.ptr > 'Z'))
        return false; /* as most names of a script's own, and none of those */
    if (hv_str_starts(name, HV_STR("BASH")) || hv_str_starts(name, HV_STR("LC_")) ||
        hv_str_starts(name, HV_STR("COMP_")))
        return true;
    return READ_ONE_OF(name, names);
}

/* Those of them whose change means no more than their own value. */
static bool is_tame(struct hv_str name)
{
    static const char *const names[] = {"REPLY",   "OPTARG", "OPTIND",  "MAPFILE",  "_",     "OLDPWD", "LANG",
                                        "COLUMNS", "LINES",  "SECONDS", "HOSTNAME", "SHLVL", "RANDOM"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (hv_str_is(name, names[i]))
            return true;
    return hv_str_starts(name, HV_STR("LC_"));
}

static void index_insert(struct resolver *resolver, size_t number)
{
    size_t mask = resolver->index_capacity - 1;
    size_t at = hv_str_hash(resolver->variables.items[number].name) & mask;
    while (resolver->index[at])
        at = (at + 1) & mask;
    resolver->index[at] = (uint32_t)number + 1;
}

static void index_grow(struct resolver *resolver)
{
    enum { FIRST = 16 };
    resolver->index_capacity = resolver->index_capacity ? resolver->index_capacity * 2 : FIRST;
    resolver->index = hv_arena_array(resolver->arena, uint32_t, resolver->index_capacity);
    for (size_t i = 0; i < resolver->variables.count; i++)
        index_insert(resolver, i);
}

/* The number of a variable, or SIZE_MAX. */
static size_t find(const struct resolver *resolver, struct hv_str name)
{
    if (!resolver->index_capacity)
        return SIZE_MAX;
    size_t mask = resolver->index_capacity - 1;
    for (size_t at = hv_str_hash(name) & mask; resolver->index[at]; at = (at + 1) & mask)
        if (hv_str_eq(resolver->variables.items[resolver->index[at] - 1].name, name))
            return resolver->index[at] - 1;
    return SIZE_MAX;
}

/* The variable, made if need be, with its former state kept for the scope's end. */
static struct variable *change(struct resolver *resolver, struct hv_str name)
{
    size_t number = find(resolver, name);
    if (number == SIZE_MAX) {
        if (2 * (resolver->variables.count + 1) > resolver->index_capacity)
            index_grow(resolver);
        number = resolver->variables.count;
        *vec_push(&resolver->variables) = (struct variable){.name = name, .state = VALUE_INITIAL};
        index_insert(resolver, number);
    }
    if (resolver->scopes.count || resolver->checkpoints.count)
        *vec_push(&resolver->trail) = (struct variable_change){number, resolver->variables.items[number]};
    return &resolver->variables.items[number];
}

/* Numbers that bash keeps itself, whatever the environment says. */
static bool is_own_number(struct hv_str name)
{
    static const char *const names[] = {"SECONDS", "RANDOM", "SRANDOM", "LINENO",
                                        "PPID",    "UID",    "EUID",    "EPOCHSECONDS"};
    return READ_ONE_OF(name, names);
}

/* As the environment has it. */
static enum value_state initial(struct resolver *resolver, struct hv_str name, struct hv_str *value)
{
    const struct shell_start *start = resolver->start;
    *value = (struct hv_str){0};
    if (resolver->now.blind)
        return VALUE_UNKNOWN;
    if (hv_str_is(name, "HOME") && start->home.ptr)
        *value = start->home;
    else if (hv_str_is(name, "PWD"))
        *value = resolver->now.physical ? (struct hv_str){0} : resolver->now.directory; /* shell_run_environment sees */
    else if (start->variable && (!is_special(name) || hv_str_is(name, "HOSTNAME")))
        *value = start->variable(start->user, name);
    return value->ptr ? VALUE_KNOWN : is_own_number(name) ? VALUE_NUMBER : VALUE_UNKNOWN;
}

enum value_state variable_get(struct resolver *resolver, struct hv_str name, struct hv_str *value)
{
    *value = (struct hv_str){0};
    if (hv_str_is(name, "?") || hv_str_is(name, "$") || hv_str_is(name, "#"))
        return VALUE_NUMBER;
    bool parameter = resolver->now.parameters && name.len && *name.ptr >= '1' && *name.ptr <= '9';
    if (resolver->now.off || !(parameter || read_identifier(name, 0)))
        return VALUE_UNKNOWN;
    size_t number = find(resolver, name);
    if (number == SIZE_MAX || resolver->variables.items[number].state == VALUE_INITIAL)
        return initial(resolver, name, value);
    if (is_special(name))
        return VALUE_UNKNOWN;
    *value = resolver->variables.items[number].value;
    return resolver->variables.items[number].state;
}

void variable_set(struct resolver *resolver, struct hv_str name, enum value_state state, struct hv_str value)
{
    if (hv_str_is(name, "OLDPWD"))
        resolver->now.previous = (struct hv_str){0};
    if (hv_str_is(name, "IFS"))
        resolver->now.splitting = resolver->disorder = true;
    else if (is_special(name) && !is_tame(name))
        resolve_forget(resolver);
    struct variable *variable = change(resolver, name);
    variable->state = variable->tainted ? VALUE_UNKNOWN : state;
    variable->value = value;
    variable->source = variable->choices = variable->list = 0;
}

void variables_hide(struct resolver *resolver)
{
    resolver->now.blind = true;
    for (size_t i = 0; i < resolver->variables.count; i++) {
        struct variable *variable = change(resolver, resolver->variables.items[i].name);
        variable->state = VALUE_UNKNOWN;
        variable->source = variable->choices = variable->list = 0;
    }
}

static const struct variable *look_up(const struct resolver *resolver, struct hv_str name)
{
    size_t number = resolver->now.off || is_special(name) ? SIZE_MAX : find(resolver, name);
    return number == SIZE_MAX ? NULL : &resolver->variables.items[number];
}

uint32_t variable_choices(const struct resolver *resolver, struct hv_str name)
{
    const struct variable *variable = look_up(resolver, name);
    return variable ? variable->choices : 0;
}

uint32_t variable_list(const struct resolver *resolver, struct hv_str name)
{
    const struct variable *variable = look_up(resolver, name);
    return variable ? variable->list : 0;
}

void variable_set_choices(struct resolver *resolver, struct hv_str name, enum value_state state, uint32_t choices)
{
    variable_set(resolver, name, state, (struct hv_str){0});
    size_t number = find(resolver, name);
    if (!resolver->variables.items[number].tainted)
        resolver->variables.items[number].choices = choices;
}

void variable_set_list(struct resolver *resolver, struct hv_str name, uint32_t list)
{
    variable_taint(resolver, name);
    size_t number = find(resolver, name);
    if (resolver->variables.items[number].array && !is_special(name))
        resolver->variables.items[number].list = list;
}

void variable_note_source(struct resolver *resolver, struct hv_str name, size_t index)
{
    size_t number = find(resolver, name);
    if (number != SIZE_MAX && !resolver->now.off && !is_special(name))
        resolver->variables.items[number].source = (uint32_t)index + 1;
}

uint32_t variable_source(const struct resolver *resolver, struct hv_str name)
{
    size_t number = resolver->now.off ? SIZE_MAX : find(resolver, name);
    return number == SIZE_MAX ? 0 : resolver->variables.items[number].source;
}

bool variable_is_free(const struct resolver *resolver, struct hv_str name)
{
    size_t number = find(resolver, name);
    return number == SIZE_MAX || !resolver->variables.items[number].tainted;
}

void variable_taint(struct resolver *resolver, struct hv_str name)
{
    variable_set(resolver, name, VALUE_UNKNOWN, (struct hv_str){0});
    struct variable *variable = change(resolver, name);
    variable->array |= !variable->tainted;
    variable->tainted = true;
}

void variable_freeze(struct resolver *resolver, struct hv_str name)
{
    struct variable *variable = change(resolver, name);
    variable->tainted = true;
    variable->array = false;
}

void variable_demote(struct resolver *resolver, struct hv_str name)
{
    struct hv_str value;
    enum value_state state = variable_get(resolver, name, &value);
    bool number = state == VALUE_NUMBER || (state == VALUE_KNOWN && variable_is_number(value));
    bool counts = state == VALUE_COUNT || state == VALUE_PLACE;
    variable_set(resolver, name, number ? VALUE_NUMBER : counts ? state : VALUE_UNKNOWN, (struct hv_str){0});
}

void variable_count(struct resolver *resolver, struct hv_str name, enum value_state what)
{
    struct hv_str value;
    enum value_state state = variable_get(resolver, name, &value);
    bool counts = state == VALUE_NUMBER || state == VALUE_COUNT || (state == VALUE_KNOWN && variable_is_number(value));
    variable_set(resolver, name,
                 counts                 ? what
                 : state == VALUE_PLACE ? VALUE_PLACE
                                        : VALUE_UNKNOWN,
                 (struct hv_str){0});
}

void scope_open(struct resolver *resolver)
{
    *vec_push(&resolver->scopes) = (struct scope){resolver->now, resolver->trail.count};
}

void scope_close(struct resolver *resolver)
{
    struct scope scope = resolver->scopes.items[--resolver->scopes.count];
    while (resolver->trail.count > scope.trail) {
        struct variable_change *last = &resolver->trail.items[--resolver->trail.count];
        resolver->variables.items[last->number] = last->was;
    }
    resolver->now = scope.outer;
    resolver->now.just_moved = false;
}

void maybe_open(struct resolver *resolver)
{
    *vec_push(&resolver->checkpoints) = resolver->trail.count;
}

static bool is_number(const struct variable *variable)
{
    return variable->state == VALUE_NUMBER || (variable->state == VALUE_KNOWN && variable_is_number(variable->value));
}

/* What a variable is that may be either. */
static enum value_state joined_state(const struct variable *a, const struct variable *b)
{
    bool first = is_number(a), second = is_number(b);
    bool counts = (first || a->state == VALUE_COUNT) && (second || b->state == VALUE_COUNT);
    bool places = (first || a->state == VALUE_COUNT || a->state == VALUE_PLACE) &&
                  (second || b->state == VALUE_COUNT || b->state == VALUE_PLACE);
    return first && second ? VALUE_NUMBER : counts ? VALUE_COUNT : places ? VALUE_PLACE : VALUE_UNKNOWN;
}

void maybe_close(struct resolver *resolver)
{
    size_t from = resolver->checkpoints.items[--resolver->checkpoints.count], count = resolver->trail.count;
    for (size_t i = from; i < count; i++) {
        struct variable_change was = resolver->trail.items[i];
        struct variable now = resolver->variables.items[was.number];
        bool same = now.state == VALUE_KNOWN && was.was.state == VALUE_KNOWN && hv_str_eq(now.value, was.was.value);
        struct variable *joined = &resolver->variables.items[was.number];
        if (now.source != was.was.source)
            joined->source = 0;
        if (now.list != was.was.list)
            joined->list = 0;
        if (same)
            continue;
        joined->choices = joined->tainted ? 0 : choices_join(resolver, &now, &was.was);
        joined->state = joined_state(&now, &was.was);
    }
}

void resolve_forget(struct resolver *resolver)
{
    resolver->disorder = true;
    resolver->now.off = true;
    resolver->now.splitting = true;
    directory_lose(resolver);
}

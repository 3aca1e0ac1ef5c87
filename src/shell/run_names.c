/* run_names.c: what the names of programs tell by themselves; see runs.h. */
#include "shell/classify.h"
#include "shell/runs.h"

/* Sorted by name. */
static const struct {
    const char *name;
    unsigned traits;
} known_names[] = {
    {"Rscript", SHELL_NAME_INTERPRETER},
    {"aria2c", SHELL_NAME_FETCHER},
    {"ash", SHELL_NAME_SHELL | SHELL_NAME_INTERPRETER},
    {"awk", SHELL_NAME_INTERPRETER | SHELL_NAME_CARRIER},
    {"axel", SHELL_NAME_FETCHER},
    {"bash", SHELL_NAME_SHELL | SHELL_NAME_INTERPRETER},
    {"bsdtar", SHELL_NAME_CARRIER},
    {"bun", SHELL_NAME_INTERPRETER},
    {"curl", SHELL_NAME_FETCHER},
    {"curlie", SHELL_NAME_FETCHER},
    {"dash", SHELL_NAME_SHELL | SHELL_NAME_INTERPRETER},
    {"deno", SHELL_NAME_INTERPRETER},
    {"elinks", SHELL_NAME_FETCHER},
    {"ex", SHELL_NAME_CARRIER},
    {"expect", SHELL_NAME_CARRIER},
    {"fetch", SHELL_NAME_FETCHER},
    {"fish", SHELL_NAME_SHELL | SHELL_NAME_INTERPRETER},
    {"ftp", SHELL_NAME_FETCHER},
    {"gawk", SHELL_NAME_INTERPRETER | SHELL_NAME_CARRIER},
    {"gdb", SHELL_NAME_CARRIER},
    {"gmake", SHELL_NAME_CARRIER},
    {"gtar", SHELL_NAME_CARRIER},
    {"http", SHELL_NAME_FETCHER},
    {"httpie", SHELL_NAME_FETCHER},
    {"https", SHELL_NAME_FETCHER},
    {"ipython", SHELL_NAME_INTERPRETER},
    {"julia", SHELL_NAME_CARRIER},
    {"ksh", SHELL_NAME_SHELL | SHELL_NAME_INTERPRETER},
    {"lftp", SHELL_NAME_FETCHER},
    {"links", SHELL_NAME_FETCHER},
    {"lldb", SHELL_NAME_CARRIER},
    {"lua", SHELL_NAME_INTERPRETER},
    {"luajit", SHELL_NAME_INTERPRETER},
    {"lynx", SHELL_NAME_FETCHER},
    {"make", SHELL_NAME_CARRIER},
    {"mawk", SHELL_NAME_INTERPRETER | SHELL_NAME_CARRIER},
    {"mksh", SHELL_NAME_SHELL | SHELL_NAME_INTERPRETER},
    {"nawk", SHELL_NAME_CARRIER},
    {"nc", SHELL_NAME_FETCHER | SHELL_NAME_NETCAT},
    {"nc.openbsd", SHELL_NAME_NETCAT},
    {"nc.traditional", SHELL_NAME_NETCAT},
    {"ncat", SHELL_NAME_FETCHER | SHELL_NAME_NETCAT},
    {"netcat", SHELL_NAME_FETCHER | SHELL_NAME_NETCAT},
    {"node", SHELL_NAME_INTERPRETER},
    {"nodejs", SHELL_NAME_INTERPRETER},
    {"nvim", SHELL_NAME_CARRIER},
    {"osascript", SHELL_NAME_INTERPRETER},
    {"perl", SHELL_NAME_INTERPRETER},
    {"php", SHELL_NAME_INTERPRETER},
    {"powershell", SHELL_NAME_INTERPRETER},
    {"pwsh", SHELL_NAME_INTERPRETER},
    {"pypy", SHELL_NAME_INTERPRETER},
    {"rbash", SHELL_NAME_SHELL | SHELL_NAME_INTERPRETER},
    {"ruby", SHELL_NAME_INTERPRETER | SHELL_NAME_CARRIER},
    {"sh", SHELL_NAME_SHELL | SHELL_NAME_INTERPRETER},
    {"socat", SHELL_NAME_FETCHER},
    {"sqlite3", SHELL_NAME_CARRIER},
    {"tar", SHELL_NAME_CARRIER},
    {"tclsh", SHELL_NAME_INTERPRETER},
    {"telnet", SHELL_NAME_FETCHER},
    {"tmux", SHELL_NAME_CARRIER},
    {"vi", SHELL_NAME_CARRIER},
    {"view", SHELL_NAME_CARRIER},
    {"vim", SHELL_NAME_CARRIER},
    {"vimdiff", SHELL_NAME_CARRIER},
    {"w3m", SHELL_NAME_FETCHER},
    {"wget", SHELL_NAME_FETCHER},
    {"xh", SHELL_NAME_FETCHER},
    {"xterm", SHELL_NAME_CARRIER},
    {"yash", SHELL_NAME_SHELL | SHELL_NAME_INTERPRETER},
    {"zsh", SHELL_NAME_SHELL | SHELL_NAME_INTERPRETER},
};

static bool is_python(struct hv_str name)
{
    return hv_str_starts(name, HV_STR("python")) || hv_str_starts(name, HV_STR("pypy"));
}

unsigned shell_name_traits(struct hv_str name)
{
    size_t low = 0, high = sizeof known_names / sizeof *known_names;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = shell_compare_name(name, known_names[middle].name);
        if (order == 0)
            return known_names[middle].traits;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return is_python(name) ? SHELL_NAME_INTERPRETER : 0;
}

bool shell_name_is_shell(struct hv_str name)
{
    return shell_name_traits(name) & SHELL_NAME_SHELL;
}

bool shell_name_is_interpreter(struct hv_str name)
{
    return shell_name_traits(name) & SHELL_NAME_INTERPRETER;
}

char shell_code_option(struct hv_str name)
{
    if (shell_name_is_shell(name) || is_python(name) || shell_is_one_of(name, "expect pwsh powershell"))
        return 'c';
    if (shell_is_one_of(name, "perl ruby node nodejs lua luajit osascript Rscript bun julia"))
        return 'e';
    return shell_is_one_of(name, "php") ? 'r' : 0;
}

struct hv_str shell_base_name(struct hv_str word)
{
    size_t slash = hv_str_rfind_byte(word, '/');
    return slash == SIZE_MAX ? word : hv_str_slice(word, slash + 1, word.len);
}

struct hv_str shell_word_text(const struct shell_word *word)
{
    return word->known ? word->value : word->text;
}

/* rows.c: see rows.h. */
#include "shell/rows.h"

#include <string.h>

static void worsen(struct shell_reading *reading, enum shell_class class, const struct shell_word *name,
                   const char *does)
{
    reading->act.reads_listed = reading->act.writes_listed = false;
    shell_worsenf(reading, class, "%.*s %s", HV_STR_ARG(name->value), does);
}

/* One word stands after the name, and it is one of names. */
static bool is_only(const struct shell_word *words, size_t count, const char *names)
{
    return count == 2 && words[1].known && shell_names_have(names, words[1].value);
}

/* `npm install --help` only prints; the programs these judges are for agree on that when the word stands alone. */
static bool only_help(const struct shell_word *words, size_t count)
{
    return is_only(words, count, "--help");
}

void shell_judge_changes(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!only_help(words, count))
        worsen(reading, SHELL_WRITES, words, "changes something");
}

void shell_judge_runs(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!only_help(words, count))
        worsen(reading, SHELL_EXECUTES, words, "runs code");
}

void shell_judge_reaches(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!only_help(words, count))
        worsen(reading, SHELL_NETWORK, words, "reaches the network");
}

void shell_judge_tool(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    /* Others load plugins first, to tell of their options. */
    static const char helpful[] = "tsc eslint mypy vim vi nvim vimdiff";
    /* Their versions and lists by other words. */
    static const struct {
        const char *names, *word;
    } asked[] = {
        {"kind gitleaks k6 v hugo", "version"},
        {"hugo", "env"},
        {"dot ab cscope", "-V"},
        {"tcc", "-v"},
        {"clang-tidy", "--list-checks"},
        {"tesseract", "--list-langs"},
        {"jupyter", "--paths"},
    };
    bool helps = is_only(words, count, "--help") && shell_names_have(helpful, words[0].value);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        helps |= shell_names_have(asked[i].names, words[0].value) && is_only(words, count, asked[i].word);
    if (!helps && !is_only(words, count, "--version -version"))
        worsen(reading, SHELL_EXECUTES, words, "runs code, or plugins of the project");
}

void shell_judge_about(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    /* To others -v and -V are many words, with which they run, and what they do not know they leave to a script. */
    static const char small[] = "perl mvn gradle groovy lua luajit lua5.1 lua5.2 lua5.3 lua5.4 make gmake nim elixir "
                                "julia ocaml crystal nasm gfortran racket guile gdb lldb perf nginx openocd groff "
                                "apachectl apache2ctl httpd redis-server valkey-server haproxy lighttpd php-fpm squid "
                                "named dockerd containerd runc nats-server proftpd vsftpd dnsmasq chronyd rsyslogd "
                                "minio grafana-server";
    static const char large[] = "perl ghc ghci nvcc postgres mysqld mariadbd memcached unbound named vector fluent-bit "
                                "elasticsearch varnishd smbd nmbd nginx surreal couchdb sshd apachectl apache2ctl "
                                "httpd";
    static const char words_alone[] = "ant sbt scala scalac kotlin kotlinc groovy javac jshell ocaml erl loki "
                                      "prometheus promtool alertmanager gradle mvn julia ghc ghci nvcc";
    struct hv_str name = words[0].value;
    size_t slash = hv_str_rfind_byte(name, '/');
    name = hv_str_slice(name, slash == SIZE_MAX ? 0 : slash + 1, name.len);
    if (hv_str_starts(name, HV_STR("perl")))
        name = HV_STR("perl"); /* perl5.36 */
    bool starts_anyway = shell_names_have("erl rabbitmq-server", name);
    if ((is_only(words, count, "--version --help") && !starts_anyway) ||
        (is_only(words, count, "-v") && shell_names_have(small, name)) ||
        (is_only(words, count, "-V") && shell_names_have(large, name)) ||
        (is_only(words, count, "-version -help -fullversion --numeric-version") && shell_names_have(words_alone, name)))
        return;
    /* perl -V:archname shows one of its settings. */
    if (hv_str_is(name, "perl") && count == 2 && words[1].known && hv_str_starts(words[1].value, HV_STR("-V:")) &&
        shell_is_identifier(hv_str_slice(words[1].value, 3, words[1].value.len)))
        return;
    if ((is_only(words, count, "--info --print-libdir") && hv_str_is(name, "ghc")) ||
        (is_only(words, count, "version") && hv_str_is(name, "caddy")) ||
        (is_only(words, count, "list") && hv_str_is(name, "perf")))
        return;
    reading->act.runs_input = count == 1;
    worsen(reading, SHELL_EXECUTES, words, "runs code");
}

void shell_judge_client(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char helpful[] =
        "psql pg_dump pg_dumpall pg_restore createdb dropdb mysql mysqldump mysqladmin mariadb "
        "mariadb-dump redis-cli consul vault nomad";
    bool helps =
        (is_only(words, count, "--help") && shell_names_have(helpful, words[0].value)) ||
        (is_only(words, count, "version") && shell_names_have("consul vault nomad cosign rclone", words[0].value));
    if (!helps && !is_only(words, count, "--version -version"))
        worsen(reading, SHELL_NETWORK, words, "reaches the network");
}

void shell_judge_project(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    (void)count;
    worsen(reading, SHELL_EXECUTES, words, "runs what the project or a registry names");
}

bool shell_names_option_file(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++)
        if (words[at].value.len && words[at].value.ptr[0] == '@') {
            shell_worsenf(reading, SHELL_UNKNOWN, "the options in the file %.*s are not known",
                          HV_STR_ARG(words[at].value));
            return true;
        }
    return false;
}

static bool holds_none(struct shell_reading *reading, struct hv_str directory, const char *names)
{
    const struct shell_world *world = reading->world;
    return directory.ptr && world->holds_none && world->holds_none(world->user, directory, names);
}

void shell_needs_none(struct shell_reading *reading, const char *names)
{
    if (reading->act.class != SHELL_READ_ONLY)
        return;
    bool none = holds_none(reading, reading->directory, names);
    for (size_t at = 0; none && at < reading->elsewhere_count; at++)
        none = holds_none(reading, reading->elsewhere[at], names);
    if (none)
        return;
    names += hv_str_starts(hv_str_from(names), HV_STR(". ")) ? 2 : strspn(names, " ");
    shell_worsenf(reading, SHELL_EXECUTES, "files of the project, such as %.*s, may make it run code",
                  (int)strcspn(names, " :"), names);
}

/*
 * shell.c: what judging a shell script costs, in microseconds of the processor, the best of many rounds: reading it,
 * reading and judging it, and finding what it may start with the dangers in that.
 *   ninja -C build bench/bench_shell && build/bench/bench_shell [--helve PROGRAM] [--rounds N] [FILE…]
 * Without a file: a usual command, then 10,000 bytes of every shape that a script may have, and what the worst took.
 * With a program, also the whole way through `PROGRAM explain bash --batch` in the working directory: what one more
 * line costs it, from its JSON to the answer, the look-ups of programs and paths with it.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "shell/class.h"
#include "shell/danger.h"

#include <fcntl.h>
#include <helve/json.h>
#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { ROUNDS = 100, LONG = 10000, NAME_MAX_BYTES = 40, LINES = 50, RUNS = 3 };

extern char **environ;

struct options {
    int rounds;
    const char *helve; /* NULL: without the whole way */
};

/* A script: begin, unit again and again (# is its number), end. With close: unit nested, and as many closes. */
static const struct shape {
    const char *begin, *unit, *close, *end;
    int most; /* units; 0: as many as fit */
} shapes[] = {
    {"", "ls\n", "", "", 0},
    {"", "cd src && git log --oneline -n 20 -- \"$file\" | head -5 && echo \"done: $x\" > /dev/null\n", "", "", 0},
    {"", "echo $(cat a) $(ls b)\n", "", "", 0},
    {"", "for f in *.c; do wc -l \"$f\"; done\n", "", "", 0},
    {"", "case $x in a) ls;; b) pwd;; esac\n", "", "", 0},
    {"case $x in ", "a#) ls;; ", "", "esac", 0},
    {"", "cat <<E\nabc $x\nE\n", "", "", 0},
    {"cat <<E\n", "abc $x\n", "", "E\n", 0},
    {"cat <<'E'\n", "abc $x\n", "", "E\n", 0},
    {"", "n=$((n+1))\n", "", "", 0},
    {"echo $((", "1+", "", "1))", 0},
    {"n=1; ((", "n+=n,", "", "n++))", 0},
    {"", "if [ -f a ]; then cat a; else echo b; fi\n", "", "", 0},
    {"if a; then b; ", "elif ls; then pwd; ", "", "fi", 0},
    {"", "ls {a,b}{c,d}\n", "", "", 0},
    {"echo {", "a#,", "", "b}", 0},
    {"echo ", "{a,b} ", "", "", 0},
    {"echo ", "{a,b}", "", "", 0},
    {"echo ", "{1..9} ", "", "", 0},
    {"echo ", "{a,", "}", "", 0},
    {"", "echo {1..100}\n", "", "", 0},
    {"", "git status; git diff --stat; git log -3\n", "", "", 0},
    {"", "sed -n '1,5p;s/a/b/g' f\n", "", "", 0},
    {"sed -n '", "s/a/b/;", "", "' f", 0},
    {"", "awk '{print $1, $2}' f\n", "", "", 0},
    {"awk '{", "x=1;", "", "print}' f", 0},
    {"", "find . -type f -name '*.c' -not -path './x/*'\n", "", "", 0},
    {"find .", " -o -name a", "", "", 0},
    {"", "bash -c 'ls | head'\n", "", "", 0},
    {"", "env A=b timeout 5 nice ls\n", "", "", 0},
    {"", "while read -r l; do echo \"$l\"; done < f\n", "", "", 0},
    {"", "f() { ls \"$1\"; }; f a\n", "", "", 0},
    {"", "f#() { ls; }\n", "", "", 0},
    {"", "x#=a\n", "", "", 0},
    {"", "x=$x#\n", "", "", 0},
    {"", "x=a ", "", "ls", 0},
    {"", "m[a#]=b\n", "", "", 0},
    {"a=(", "b# ", "", ")", 0},
    {"declare -A m=(", "[k#]=v ", "", ")", 0},
    {"echo ", "'a' ", "", "", 0},
    {"echo ", "'a'\"b\"", "", "", 0},
    {"echo \"", "a $x ", "", "\"", 0},
    {"echo ", "\\a", "", "", 0},
    {"echo ", "$x ", "", "", 0},
    {"echo ", "${x#a} ", "", "", 0},
    {"echo ", "${x:-", "}", "", 0},
    {"echo ", "$'\\t' ", "", "", 0},
    {"ls ", "*.c ", "", "", 0},
    {"ls ", "[a]", "", "", 0},
    {"ls ", "~/a ", "", "", 0},
    {"ls -l ", "a# ", "", "", 0},
    {"ls ", "-l ", "", "", 0},
    {"rm ", "a# ", "", "", 0},
    {"rm -rf ", "../a# ", "", "", 0},
    {"cat a", " | cat", "", "", 0},
    {"ls", " && ls", "", "", 0},
    {"ls", " || ls", "", "", 0},
    {"", "ls & ", "", "", 0},
    {"", "! ls; ", "", "", 0},
    {"echo ", "$(ls) ", "", "", 0},
    {"echo ", "`ls` ", "", "", 0},
    {"diff ", "<(ls) ", "", "", 0},
    {"echo ", "$(echo ", ")", "", 0},
    {"echo ", "\"$(echo ", ")\"", "", 0},
    {"ls", " >f#", "", "", 0},
    {"ls", " 2>&1", "", "", 0},
    {"cat", " <<<a", "", "", 0},
    {"", "( ", "ls )", "", 0},
    {"", "{ ", "ls; }", "", 0},
    {"ls; ", "if ls; then ", "; fi", "", 0},
    {"ls; ", "while ls; do ", "; done", "", 0},
    {"", "{ ls; ", "}; ", "", 20},
    {"", "cd a; ", "", "ls", 0},
    {"", "cd a# && ls; ", "", "", 0},
    {"[[ ", "a == b && ", "", "c ]]", 0},
    {"[[ ", "( ", "a )", " ]]", 0},
    {"[[ a =~ ", "(", "a)", " ]]", 0},
    {"", "export x#=a; ", "", "", 0},
    {"", "read x#; ", "", "", 0},
    {"", "# a comment\n", "", "ls", 0},
    {"echo ", "a", "", "", 0},
    {"for x in a; do ", "ls; ", "", "done", 0},
    {"for x in ", "a# ", "", "; do ls $x; done", 0},
    {"for x in a; do ", "cd $x; ls $x; ", "", "done", 0},
    {"for x in a b; do for y in $(ls ", "$x ", "", "); do cat $y; done; done", 0},
    {"for x in a b; do cat ", "d#/$x ", "", "; done", 0},
    {"for x in a b; do ", "for y in a b; do ls; ", "done; ", "done", 20},
    {"f() { ", "ls; ", "", "}; f; f", 0},
    {"f() { ls; }; ", "f; ", "", "", 0},
    {"", "\\\n", "", "ls", 0},
    {"", ";\n", "", "ls", 0},
    {"", "sudo ", "", "ls", 0},
    {"", "env A=1 ", "", "ls", 0},
    {"", "xargs ", "", "ls", 0},
    {"", "echo a | sh; ", "", "", 0},
    {"sh -c '", "ls; ", "", "'", 0},
    {"eval ", "ls ';' ", "", "", 0},
    {"coproc ", "{ ls; ", "}; ", "", 20},
    {"tar cf a ", "b# ", "", "", 0},
    {"curl ", "-H a:b ", "", "x", 0},
    {"printf ", "'%s' ", "", "a", 0},
    {"test a ", "-a b ", "", "", 0},
    {"python3 -c '", "x=1;", "", "'", 0},
    {"", "x\n", "", "", 0},
    {"", "echo # >> a; ", "", "", 0},
    {"", "ls /x#; ", "", "", 0},
    {"", "npm ls x#; ", "", "", 0},
    {"", "git diff > x#; ", "", "", 0},
    {"", "python3 -m json.tool x#; ", "", "", 0},
    {"docker ", "rm ", "", "x", 0},
    {"docker ", "xargs ", "", "x", 0},
    {"find ", ". ", "", "-exec ls {} +", 0},
    {"find bench -exec ls ", "{} ", "", "+", 0},
    {"watch ", "x ", "", "", 0},
    {"sed ", "-e p ", "", "f", 0},
    {"declare -i ", "x ", "", "", 0},
    {"export ", "A#=b ", "", "", 0},
    {"", "mv a# b#; ", "", "", 0},
    {"cat ", "a*# ", "", "", 0},
    {"cat ", "*/*/a# ", "", "", 0},
    {"ls ", "**/a# ", "", "", 0},
    {"cat ", "/etc/*# ", "", "", 0},
    {"for f in *.c; do ls ", "old#/$f ", "", "; done", 0},
    {"rm /usr/bin/* ", "a# ", "", "", 0},
    {"", "find d# | xargs cat; ", "", "", 0},
    {"", "git ls-files | xargs cat; ", "", "", 0},
    {"cat ", "/dev/fd/3/a# ", "", "", 0},
    {"cat ", "/proc/self/fd/0/a# ", "", "", 0},
    {"", "echo > d#/x; ", "", "", 0},
    {"tar cf a ", "-C d# b ", "", "", 0},
    {"", "tar cf a# -C d#1 b -C d#2 c; ", "", "", 0},
    {"", "git -C d# status; ", "", "", 0},
    {"git ", "-C d# ", "", "log", 0},
    {"git log ", "$x ", "", "", 1000},
    {"", "cd d# && ", "", "git log", 0},
    {"", "(cd d# && yarn -v); ", "", "", 0},
    {"", "sudo x#; ", "", "", 0},
    {"watch ", "node ", "", "-z", 0},
    {"", "eval ", "", "ls", 0},
    {"", "cat $(echo a#); ", "", "", 0},
};

static const char usual[] =
    "cd src && git log --oneline -n 20 -- \"$file\" | head -5 && echo \"done: $x\" > /dev/null\n";

static uint64_t processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * CLOCK_SECOND + (uint64_t)now.tv_nsec;
}

static bool is_of_system(void *user, struct hv_str name)
{
    (void)user, (void)name;
    return true;
}

static void keep_least(uint64_t *least, uint64_t taken)
{
    *least = taken < *least ? taken : *least;
}

/* ---- the whole way --------------------------------------------------------------------------------------- */

/* So many lines that ask about text, at the beginning of a file without a name. */
static int make_input(struct hv_str text, int lines)
{
    CLEANUP_BUF struct hv_buf all = {.max = SIZE_MAX / 4};
    for (int i = 0; i < lines; i++) {
        struct hv_json_writer writer;
        hv_json_writer_init(&writer, &all);
        hv_json_begin_object(&writer);
        hv_json_member_int(&writer, "id", i);
        hv_json_member_string(&writer, "command", text);
        hv_json_end_object(&writer);
        hv_buf_add_byte(&all, '\n');
    }
    int fd = memfd_create("lines", MFD_CLOEXEC);
    if (fd < 0 || write(fd, all.data, all.len) != (ssize_t)all.len || lseek(fd, 0, SEEK_SET) != 0)
        perror("memfd");
    return fd;
}

/* What the program's processor time is for that many lines, in nanoseconds; UINT64_MAX: it did not run. */
static uint64_t run_batch(const char *helve, struct hv_str text, int lines)
{
    const char *const arguments[] = {helve, "explain", "bash", "--batch", NULL};
    CLEANUP_FD int input = make_input(text, lines);
    posix_spawn_file_actions_t actions;
    struct rusage used;
    pid_t pid;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    bool ran = posix_spawnp(&pid, helve, &actions, NULL, (char *const *)arguments, environ) == 0 &&
               wait4(pid, &status, 0, &used) == pid;
    posix_spawn_file_actions_destroy(&actions);
    if (!ran || status != 0)
        return UINT64_MAX;
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * CLOCK_SECOND +
           (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000;
}

static void measure_whole_way(const char *helve, struct hv_str text)
{
    uint64_t few = UINT64_MAX, many = UINT64_MAX;
    for (int i = 0; i < RUNS; i++) {
        keep_least(&few, run_batch(helve, text, 1));
        keep_least(&many, run_batch(helve, text, 1 + LINES));
    }
    if (many == UINT64_MAX || few == UINT64_MAX)
        printf("  %s does not run", helve);
    else
        printf(" %9.1f whole way", many > few ? (double)(many - few) / 1e3 / LINES : 0.0);
}

/* ---- the judgement alone --------------------------------------------------------------------------------- */

/* The whole judgement: what it took, in nanoseconds. */
static uint64_t measure(const char *name, struct hv_str text, const struct options *options)
{
    static const struct shell_world world = {.is_system_program = is_of_system};
    static const struct shell_start start_of = {.directory = {"/work", 5}, .home = {"/home/me", 8}};
    static const struct hv_str roots[] = {{"/work", 5}};
    static const struct shell_danger_world dangers_in = {.home = {"/home/me", 8}, .roots = roots, .root_count = 1};
    uint64_t read = UINT64_MAX, judged = UINT64_MAX, whole = UINT64_MAX;
    struct shell_judgement judgement;
    for (int i = 0; i < options->rounds; i++) {
        CLEANUP_ARENA struct hv_arena reading = {0}, arena = {0};
        struct shell_script script;
        struct shell_runs runs;
        struct shell_dangers dangers;
        uint64_t start = processor_ns();
        shell_read(&reading, text, NULL, &script);
        keep_least(&read, processor_ns() - start);
        hv_arena_release(&reading);
        start = processor_ns();
        shell_judge(&arena, text, &start_of, &world, &judgement);
        keep_least(&judged, processor_ns() - start);
        shell_list_runs(&arena, &judgement.script, &start_of, &runs);
        shell_find_dangers(&arena, &judgement.script, &runs, &dangers_in, &dangers);
        keep_least(&whole, processor_ns() - start);
    }
    printf("%-*.*s %6zu bytes %5zu commands %9.1f us read %9.1f judged %9.1f with dangers", NAME_MAX_BYTES,
           NAME_MAX_BYTES, name, text.len, judgement.script.count, (double)read / 1e3, (double)judged / 1e3,
           (double)whole / 1e3);
    if (options->helve)
        measure_whole_way(options->helve, text);
    printf("%s%s\n", judgement.script.accepted ? "" : "  not accepted: ",
           judgement.script.accepted ? "" : judgement.script.reason);
    return whole;
}

static void measure_file(const char *name, const struct options *options)
{
    CLEANUP_BUF struct hv_buf text = {.max = SHELL_SCRIPT_MAX + 1};
    FILE *file = fopen(name, "rb");
    char chunk[4096];
    for (size_t got; file && (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
        hv_buf_add(&text, chunk, got);
    if (file)
        fclose(file);
    (void)measure(name, hv_buf_str(&text), options);
}

/* text with its number in the place of "#"; "${x#" keeps it. */
static void add_unit(struct hv_buf *out, const char *text, int number)
{
    for (const char *at = text; *at; at++)
        if (*at == '#' && at != text && !strstr(text, "${"))
            hv_buf_addf(out, "%d", number);
        else
            hv_buf_add_byte(out, *at);
}

static void make_script(const struct shape *shape, struct hv_buf *out)
{
    int count = 0;
    size_t closing = strlen(shape->close);
    hv_buf_clear(out);
    hv_buf_add_cstr(out, shape->begin);
    while (out->len + (size_t)count * closing < LONG && (!shape->most || count < shape->most))
        add_unit(out, shape->unit, count++);
    for (int i = 0; i < count && closing; i++)
        hv_buf_add_cstr(out, shape->close);
    hv_buf_add_cstr(out, shape->end);
}

static void name_shape(const struct shape *shape, char *name, size_t size)
{
    (void)snprintf(name, size, "%.14s|%s|%s|%s", shape->begin, shape->unit, shape->close, shape->end);
    for (char *at = name; *at; at++)
        *at = *at == '\n' ? '.' : *at;
}

static void measure_shapes(const struct options *options)
{
    CLEANUP_BUF struct hv_buf text = {.max = 4 * LONG};
    char name[80], worst_name[80] = "";
    uint64_t worst = 0;
    (void)measure("a usual command", hv_str_of(usual, sizeof usual - 2), options);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        make_script(&shapes[i], &text);
        name_shape(&shapes[i], name, sizeof name);
        uint64_t taken = measure(name, hv_buf_str(&text), options);
        if (taken <= worst)
            continue;
        worst = taken;
        memcpy(worst_name, name, sizeof name);
    }
    printf("the worst: %.1f us, %s\n", (double)worst / 1e3, worst_name);
}

int main(int count, char **names)
{
    struct options options = {.rounds = ROUNDS};
    int64_t rounds;
    int first = 1;
    mallopt(M_TRIM_THRESHOLD, 4 << 20); /* as helve does: src/cli/main.c */
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    for (; first + 1 < count && !strncmp(names[first], "--", 2); first += 2) {
        if (!strcmp(names[first], "--helve"))
            options.helve = names[first + 1];
        if (!strcmp(names[first], "--rounds") && hv_str_to_int64(hv_str_from(names[first + 1]), &rounds))
            options.rounds = (int)rounds;
    }
    for (int i = first; i < count; i++)
        measure_file(names[i], &options);
    if (count == first)
        measure_shapes(&options);
    return 0;
}

/* test_class_guile.c: what programs make of their words otherwise than it looks: bundles, repeated options, names of
 * files, settings of the project that run before the words are looked at. */
#include "class_table.h"

static void what_programs_read_otherwise_than_it_looks_is_asked(void **state)
{
    static const char *const commands[] = {
        /* A letter with a value takes the next word, and the letters behind it others. */
        "tree -Po pattern out.html",
        "tree -aIo pattern out.html",
        "tree -LoR 2 out.html",
        "tree -L2o out.html",
        /* The last of several counts. */
        "kill -0 -s KILL 1234",
        "kill -0 -n 9 1234",
        "kill -0 -sKILL 1234",
        "kill -s 0 -9 1234",
        "kill -s 0 -n 9 1234",
        "kill -0 $(cat file.pid)",
        "kill -0 \"$a\" \"$b\"",
        "pigz -t -d f.gz",
        "unpigz -l -d f.gz",
        "pbzip2 -l f.txt",
        "gcc -fsyntax-only -fno-syntax-only x.c",
        "printf '%s\\n' a out | xargs -I {} -n 2 uniq a",
        "printf '%s\\n' a out | xargs -I {} -L 2 xxd",
        "echo a | xargs -I '' sort a",
        /* Operands that are written, or run. */
        "cpp -E a.h b.h",
        "x86_64-linux-gnu-cpp -M a.h b.h",
        "cpp -E a.h \"$x\"",
        "hck -o out.txt -f1 in.txt",
        "st touch x",
        "jobs -x touch x",
        "jobs -lx touch x",
        "jobs \"$x\" touch x",
        /* A program of that name, wherever it is. */
        "git frobnicate -h",
        "git lfs -h",
        /* Code in what is no program. */
        "less -p $'x\\n!touch x\\n' f",
        "more -P $'x\\n!touch x\\n' f",
        "info -f './x;touch y;.gz'",
        "info \"$x\"",
        "python3 -i -m json.tool a.json < b.py",
        "port info file:///x",
        /* Names of other machines. */
        "cpio -t -F \"$x\"",
        "tar tf \"ev$x\"",
        "ss -F filter.txt",
        "pandoc x.md -t docx",
        "pandoc x.md -t epub",
        "pandoc x.md --to=ipynb",
        /* What is written beside what is said. */
        "python3 -X pycache_prefix=/ws/x -m json.tool a.json",
        "python3 -X perf -m json.tool a.json",
        "python3 -X \"$x\" -m json.tool a.json",
        "pygmentize -O \"$x\" a.py",
        "pygmentize -P\"$x\" a.py",
        "lddtree \"$x\"",
        /* Where the shell will be is not known before its end. */
        "trap 'git status' EXIT; cd sub",
        /* Secrets of others. */
        "ps auxe",
        "ps eww",
        "ps -p 1 e",
        "nmcli connection show --show-secrets x",
        "packer --version",
        /* What git rev-parse hands on. */
        "git grep foo $(git rev-parse -nOtouch)",
        "x=$(git rev-parse -nOtouch); git grep foo \"$x\"",
        "git log $(git rev-parse --author=x)",
        "git log $(git rev-parse --all HEAD -a)",
        /* Help that is asked for too late. */
        "tc qdisc add dev lo root netem loss 100% -V",
        "bridge fdb add x dev y -V",
        "dos2unix f --help",
        "ifconfig eth0 down --help",
        "iwconfig eth0 essid x --help",
        "plutil -convert xml1 f -help",
        "xcodebuild build -version",
        "lstopo out.png --help",
        "sqlite3 a.db 'drop table x' -version",
        /* A word behind the letter of a limit. */
        "prlimit -p 1234 -cunlimited",
        "prlimit -n1000:2000",
        "docker compose -f \"$x\" ps",
        "docker compose -f /x/compose.yml config",
        "docker compose --project-directory /x config",
        "sqlite3 -readonly \"$x\" 'select a from t'",
        "sqlite3 -readonly ../a.db 'select a from t'",
    };
    (void)state;
    check_harmful(commands, sizeof commands / sizeof *commands);
}

static void what_awk_reads_otherwise_than_it_looks_is_asked(void **state)
{
    static const char *const commands[] = {
        /* To some the slash in brackets ends a pattern, to others it does not. */
        "awk 'BEGIN{a[/[]/]/ /x]; system(\"touch x\") #/\n}'",
        "awk 'BEGIN{a[/[^]/]/ /x]; system(\"touch x\") #/\n}'",
        "awk 'BEGIN{a[/[[:alpha:]/]/ /x]; system(\"touch x\") #/\n}'",
        "awk 'BEGIN{a[/[[:a/b:]]/ /x]; system(\"touch x\") #/\n}'",
        "awk 'BEGIN{a[/[[:alpha]/]/ /x]; system(\"touch x\") #/\n}'",
        /* A name right behind a number. */
        "awk 'BEGIN{x = 2system(\"touch x\")}'",
        "awk '{$1system(\"touch x\")}'",
        "awk 'BEGIN{x = 1e5system(\"touch x\")}'",
        "awk 'BEGIN{x = 0x1fsystem(\"touch x\")}'",
        "awk '/x/ getline .5system(\"touch x\")'",
        "awk 'BEGIN{getline $1system(\"touch x\")}'",
        "awk 'BEGIN{getline system(\"touch x\")}'",
        "awk 'BEGIN{x = 1getline < \"/inet/tcp/0/host.example/80\"}'",
        "awk 'BEGIN{getline $(0) < \"/inet/tcp/0/host.example/80\"}'",
        "awk 'BEGIN{getline $(1) < \"/etc/hostname\"; print}'",
        "awk 'BEGIN{ARGV[1]=\"/inet/tcp/0/host.example/80\"; ARGC=2} {print}'",
        "awk 'BEGIN{ARGV[1] = \"x\"; ARGC=2} {print}'",
        "awk 'BEGIN{sub(/a/, \"b\", ARGV[1])} {print}' a",
        "awk 'BEGIN{split(\"/a b\", ARGV); ARGC=2} {print}'",
        "awk 'function f(a) {a[1]=\"x\"} BEGIN{f(ARGV)} {print}' a",
        "awk 'BEGIN{x == ARGV[1]++} {print}' a",
        "awk 'BEGIN{y = x == ARGV[1] = \"b\"} {print}' a",
    };
    (void)state;
    check_harmful(commands, sizeof commands / sizeof *commands);
}

static void what_starts_processes_without_end_is_asked(void **state)
{
    static const char *const commands[] = {
        "while :; do sleep 99 & done",
        "while sleep 1; do (sleep 99 &); done",
        "(while :; do sleep 9 & done) &",
        "until false; do ls | cat & done",
        "for ((;;)); do { sleep 9; } & done",
        "for i in {1..100000}; do sleep 99 & done",
        "for i in $(seq 100000); do sleep 99 & done",
        "for i; do sleep 99 & done",
        "yes | while read x; do sleep 99 & done",
        "f() { sleep 99 & }; while :; do f; done",
        "f() { g; }; g() { sleep 99 & }; until false; do f; done",
        "f() { (f); }; f",
        "f() { echo $(f); }; f",
        "f() { g; }; g() { ls | cat; (f); }; f",
        "yes | xargs -P 0 -n 1 sleep",
        "yes | xargs -P 5000 -n 1 sleep",
        "yes | xargs --max-procs=\"$n\" -n 1 sleep",
    };
    static const char *const few[] = {
        "for f in a b c; do wc -l $f & done; wait",
        "for f in *.c; do wc -l \"$f\" & done; wait",
        "while sleep 1; do date; done &",
        "sleep 1 & sleep 2 & wait",
        "f() { g; ls; }; g() { date; }; while sleep 1; do f; done",
        "f() { sleep 1 & }; f; f; wait",
        "ls | xargs -P 8 -n 1 wc -l",
        "ls | xargs -P \"$(nproc)\" -n 1 wc -l",
    };
    (void)state;
    check_harmful(commands, sizeof commands / sizeof *commands);
    check_harmless(few, sizeof few / sizeof *few);
}

static void what_is_near_to_it_only_reads(void **state)
{
    static const char *const commands[] = {
        "tree -aL 2",
        "tree -L2 -I node_modules",
        "tree -dfi -P '*.c'",
        "kill -0 1234",
        "kill -0 1234 5678",
        "kill -0 \"$pid\"",
        "kill -s 0 -- 1234",
        "sleep 1 & kill -0 $!",
        "kill -l",
        "pigz -dc f.gz",
        "pigz -t f.gz",
        "pbzip2 -dc f.bz2",
        "gcc -fsyntax-only -fno-common x.c",
        "printf '%s\\n' a b | xargs -I {} -n 1 cat {}",
        "ls | xargs -I {} wc -l {}",
        "cpp -E a.h",
        "gcc -E a.c b.c",
        "gcc -E -include config.h a.c",
        "hck -f1 -d, in.txt",
        "choose -f : 0 in.txt",
        "jobs",
        "jobs -l %1",
        "git status -h",
        "git diff $(git rev-parse --short HEAD)",
        "x=$(git rev-parse --verify -q HEAD); git show \"$x\"",
        "git show $(git rev-list -n1 --before=yesterday HEAD)",
        "git commit -h",
        "less -p 'a b' f",
        "info coreutils 'ls invocation'",
        "info -f ./x.info",
        "man ls",
        "man 3 printf",
        "man ./x.1",
        "python3 -X utf8 -X importtime -m json.tool a.json",
        "port installed",
        "tar tzf \"./build/$x\"",
        "tar tf build-12.tar",
        "cpio -t -F a.cpio",
        "pandoc x.md -t gfm",
        "pandoc x.md -t html5",
        "pandoc x.md -t latex+smart",
        "pygmentize -O style=colorful a.py",
        "trap 'echo done' EXIT; ls",
        "ps aux",
        "ps -ef",
        "ps -eo pid,etime",
        "ps axo pid,etime",
        "ps -u root --format pid,time",
        "ps --user uucp",
        "nmcli connection show --active",
        "tc -V",
        "tc qdisc show dev lo",
        "bridge -V",
        "dos2unix --version",
        "ifconfig eth0",
        "prlimit -p 1234 -n --nofile",
        "prlimit --pid 1234 -o RESOURCE",
        "docker compose version",
        "docker compose ls",
        "sqlite3 -readonly -safe \"/x/a.db\" 'select a from t'",
        "sqlite3 -readonly /x/a.db .tables",
        "xcodebuild -version",
        "awk '/[[:space:]]+x/ {n++} END {print n / 2}' f",
        "awk '/[^a-z]/ && !/[.\\/]x]/' f",
        "awk 'FILENAME == ARGV[1] {a[$1]; next} $1 in a' x y",
        "awk 'FILENAME==ARGV[ARGC-1]' x y || awk 'ARGV[1] != FILENAME' x y",
        "awk 'BEGIN {for (i in ARGV) n++; print n}'",
        "awk '{getline x; print x}' f",
        "awk '{getline $1; print $1, 1e3 * 0x1F}' f",
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
}

/* Where nothing can be asked about the project's files, they may be there. */
static void programs_that_run_settings_of_the_directory_are_asked(void **state)
{
    static const char *const commands[] = {
        "ansible --version",
        "latexmk --version",
        "premake5 --version",
        "idf.py --version",
        "elixir --version",
        "mix --version",
        "rebar3 --version",
        "composer about",
        "poetry --version",
        "serverless --version",
        "composer update --help",
        "nest --version",
        "ember --version",
        "expo --version",
        "pants --version",
        "docker compose ps",
        "docker compose -f dev.yml logs -f web",
        "pnpm ls",
        "sqlite3 -readonly a.db 'select a from t'",
        "chktex x.tex",
        "port info",
    };
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        static const struct shell_start start = {{"/ws", 3}, {"/home/u", 7}, NULL, NULL, true};
        struct shell_world world = {.is_system_program = is_system_here};
        struct hv_arena arena = {0};
        struct shell_judgement judgement;
        shell_judge(&arena, hv_str_from(commands[i]), &start, &world, &judgement);
        if (judgement.class != SHELL_EXECUTES) {
            print_error("%s: %s\n", commands[i], shell_class_name(judgement.class));
            wrong++;
        }
        hv_arena_release(&arena);
    }
    assert_int_equal(wrong, 0);
    check_harmless(commands, sizeof commands / sizeof *commands);
}

/* The last act of command reads path, and its list is complete. */
static bool reads_path(const char *command, const char *path)
{
    struct hv_arena arena = {0};
    struct shell_judgement judgement;
    bool found = false;
    judge_here(&arena, command, &judgement);
    const struct shell_act *act = judgement.count ? &judgement.acts[judgement.count - 1] : NULL;
    for (size_t i = 0; act && i < act->read_count; i++)
        found |= hv_str_is(act->reads[i].path, path);
    hv_arena_release(&arena);
    return found;
}

static void files_are_found_where_programs_look_for_them(void **state)
{
    static const struct {
        const char *command, *path;
    } cases[] = {
        {"jq -R . /k/secret --args", "/k/secret"},
        {"jq -n input /k/secret --jsonargs a", "/k/secret"},
        {"man /k/secret", "/k/secret"},
        {"man ../k/secret", "/k/secret"},
        {"info -f /k/secret", "/k/secret"},
        {"info /k/secret", "/k/secret"},
        {"gcc -E -include /k/secret x.c", "/k/secret"},
        {"gcc -E -include/k/secret x.c", "/k/secret"},
        {"tar -C /k -cf - secret", "/k/secret"},
        {"tar -cf - --directory=/ -C k secret", "/k/secret"},
        {"tar cfC - /k secret", "/k/secret"},
        {"jo a=@/k/secret", "/k/secret"},
        {"jo a=:../k/secret", "/k/secret"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!reads_path(cases[i].command, cases[i].path))
            print_error("%s\n", cases[i].command);
        assert_true(reads_path(cases[i].command, cases[i].path));
    }
    assert_false(reads_path("jq -n '$ARGS' --args /k/secret", "/k/secret"));
    assert_false(reads_path("man ls", "/ws/ls"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_programs_read_otherwise_than_it_looks_is_asked),
        cmocka_unit_test(what_awk_reads_otherwise_than_it_looks_is_asked),
        cmocka_unit_test(what_starts_processes_without_end_is_asked),
        cmocka_unit_test(what_is_near_to_it_only_reads),
        cmocka_unit_test(programs_that_run_settings_of_the_directory_are_asked),
        cmocka_unit_test(files_are_found_where_programs_look_for_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

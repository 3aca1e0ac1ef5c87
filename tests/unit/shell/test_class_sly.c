/* test_class_sly.c: options and operands that look as if they only asked: what they write, fetch or run is found. */
#include "class_table.h"

static void what_hides_what_it_does_is_asked(void **state)
{
    static const char *const commands[] = {
        "cargo tree --offline",
        "cargo metadata --offline --format-version 1",
        "poetry version patch",
        "poetry version 2.0.0",
        "uv version 1.2.3",
        "svn -q update",
        "svn -q commit -m x",
        "svn diff a.c@HEAD",
        "svn info a.c@5",
        "ctags -x -o out.txt a.c",
        "ctags -x -f out.txt a.c",
        "ctags -x --options=x a.c",
        "ctags a.c -x",
        "ctags src --list-kinds=C",
        "ctags a.c --version",
        "code -s . --install-extension x.vsix",
        "code --status . --install-extension x.vsix",
        "clang-format @arguments",
        "xz -t -d f.xz",
        "xz -td f.xz",
        "xz -l -d f.xz",
        "bzip2 -t -d f.bz2",
        "zstd -t -d f.zst",
        "zstd -l -d f.zst",
        "zstdcat \"$x\"",
        "unzip -l -T f.zip",
        "ip -r route get 192.0.2.1",
        "lsof -i@host.example",
        "lsof -i @host.example:80",
        "lsof -i \"$x\"",
        "ss dst host.example",
        "ss -t src secret.host.example",
        "ss -t '( dst host.example )'",
        "ss host.example",
        "ss dst = host.example",
        "ss src eq \"$x\"",
        "ss established",
        "ss dst 192.0.2.7 state established",
        "fuser 80,host.example/tcp",
        "fuser -n tcp 80,host.example,90",
        "xxd a -p",
        "xxd -l 4 a -p",
        "xxd -- a -p",
        "gold --verbose",
        "ld.gold -v --verbose",
        "nstat -s",
        "file -p a.c",
        "cloc --md -",
        "file -b --preserve-date a.c",
        "pip debug --local out",
        "pip3 help --local out",
        "pip check --local out",
        "git archive --prefix -oout HEAD",
        "git archive --format --outpu=out HEAD",
        "git archive --prefix \"$x\" HEAD",
        "git config user.name --get",
        "git config user.name out --list",
        "git config --global user.name -z",
        "git stash show -G stash@{0} -S --output=out",
        "git stash show -G stash@{0} -S --outpu=out",
        "diffstat -Rluout a.patch",
        "diffstat -p -oout a.patch",
        "losetup -l /dev/loop0 a.img",
        "unsquashfs a.sqfs -l",
        "terraform fmt main.tf -check",
        "tofu fmt main.tf -write=false",
        "openssl x509 -in http://host.example/x -noout -text",
        "openssl crl -in http://host.example/x -noout",
        "openssl verify http://host.example/x",
        "openssl x509 -in \"$x\"",
        "sdiff -o /dev/null a b",
        "xmllint --c14n a.xml",
        "xmllint --schema a.xsd b.xml",
        "xmllint --relaxng a.rng b.xml",
        "zless '+!touch x' f",
        "zmore '+!touch x' f",
        "screen -h 100 touch x",
        "coredumpctl info -o out.txt",
        "coredumpctl -o out.txt list",
        "python3 -m this",
        "python3 -m sysconfig",
        "yarn --cwd ../other list",
        "pnpm -C ../other ls",
        "poetry -C ../other env info",
        "docker compose -f https://host.example/x.git config",
        "docker compose -f git@github.com:x/y.git config",
        "docker compose -f oci://host.example/x config",
        "docker-compose -f https://host.example/x.git config",
        "podman top c aux",
        "lspci -M",
        "journalctl --image=x.img",
        "shopt -s nullglob; find . -name *.zzz -newer -delete",
        "env -i git status",
        "env - git status",
        "env -u GIT_CONFIG_COUNT git status",
        "env -u GOTOOLCHAIN go version",
        "env -u GOPROXY go doc x",
        "env -i go version",
        "env - go env",
        "env -i npm ls",
        "env -u npm_config_update_notifier npm ls",
        "npm_config_update_notifier=true npm ls",
        "CHECKPOINT_DISABLE= terraform version",
        "unset CHECKPOINT_DISABLE; terraform version",
        "env -u CHECKPOINT_DISABLE terraform version",
        "env -i terraform fmt -check",
        "env - terraform -help",
        "unset npm_config_update_notifier; npm ls",
        "npm ls --update-notifier",
        "npm --prefix \"$x\" ls",
        "GOTOOLCHAIN=go1.99 go version",
        "export GOTOOLCHAIN=auto; go version",
        "env -u A -u GIT_CONFIG_KEY_0 git log",
        "env -i bash -c 'g\"\"it status'",
        "docker --version run x",
        "svn --version update",
        "parted -s -f disk.img print",
        "smartctl -l scttempint,5,p disk",
        "javap http://host.example/X.class",
        "keytool -printcrl -file http://host.example/x.crl",
        "net-snmp-config --compile-subagent x y.c",
        "fltk-config --compile x.cxx",
        "rabin2 -I r2pipe://x",
        "unrtf x.rtf",
        "wvText a.doc b.txt",
        "xlsx2csv directory",
        "pygmentize -f html -O full,cssfile=out.css x.py",
        "texdoc amsmath",
        "exiv2 http://host.example/x.jpg",
        "MP4Box -info http://host.example/x.mp4",
        "csvtk head '|touch x'",
        "mlr --icsv --ojson cat https://host.example/x.csv",
        "ant -v",
        "sbt -v",
        "mvn -V",
        "gradle -V",
        "ghci -v",
        "erl --version",
        "swift -v",
        "R -v",
        "jshell -v",
        "mongod -v",
        "mysqld -v",
        "memcached -v",
        "nats-server -V",
        "elasticsearch -v",
        "rabbitmq-server --version",
        "postconf myhostname=x",
        "rpm2archive x.rpm",
        "openssl x509 -in org.openssl.engine:../../x:y -noout",
        "openssl verify org.openssl.engine:x:y",
        "openssl verify -CAfile pkcs11:x a.pem",
        "openssl crl -in a -CAfile Org.OpenSSL.Engine:x:y -noout",
        "openssl req -in org.openssl.engine:x:y -noout -text",
        "openssl pkey -pubin -in org.openssl.engine:x:y -noout",
        "gcc -fsyntax-only a.f90",
        "gcc -fsyntax-only a.c b.F08",
        "gcc -fsyntax-only -x f95 a",
        "gcc -fsyntax-only -xf77-cpp-input a",
        "gcc -M a.F90",
        "g++ -fsyntax-only \"$x\"",
        "cloc a.zip",
        "cloc src a.TAR.GZ",
        "cloc a.whl",
        "cloc a/b.src.rpm",
        "cloc 6be804e07a5db",
        "cloc HEAD~1",
        "cloc master",
        "cloc *",
        "cloc *.zip",
        "named-checkconf a.conf",
        "named-checkconf -px a.conf",
        "zfs diff pool@a",
        "zfs diff pool@a pool",
        "zfs diff -FH pool@a",
        "smartctl -l sasphy,reset disk",
        "smartctl --log=sataphy,reset disk",
        "codesign -v --check-notarization A.app",
        "codesign --verify --check-notarization A.app",
        "xcrun -r -f x",
        "xmake --version",
        "az --version",
        "az -v",
        "az --version --help",
        "rustfmt +nightly --check a.rs",
        "rustfmt +nightly --version",
        "sqlite3 -readonly a.db $'select edit\\t(1)'",
        "sqlite3 -readonly a.db $'select edit\\n(1)'",
    };
    (void)state;
    check_harmful(commands, sizeof commands / sizeof *commands);
}

static void what_is_near_to_it_only_reads(void **state)
{
    static const char *const commands[] = {
        "openssl x509 -in file:a.pem -noout -text",
        "openssl x509 -in a.pem -noout -checkip fe80::1",
        "openssl verify -CAfile ca.pem a.pem",
        "gcc -fsyntax-only -x c++ -",
        "gcc -fsyntax-only a.cpp src/b.hh ./c.mm",
        "gcc -E a.d/x.S",
        "for f in src/*.c; do gcc -fsyntax-only \"$f\"; done",
        "cloc src/main.c tests",
        "cloc ./*.c",
        "poetry version -s",
        "uv version --short",
        "svn -q status",
        "ctags -x --sort=no -R src",
        "ctags --list-kinds=c",
        "code --list-extensions",
        "xz -t f.xz",
        "xz -dc f.xz",
        "bzip2 -t f.bz2",
        "gzip -dt f.gz",
        "zstdcat f.zst",
        "unzip -Z -T f.zip",
        "lsof -i :8080",
        "lsof -i@192.0.2.1:80",
        "lsof -ti:3000",
        "ss -ltn 'sport = :ssh'",
        "ss -t dst 192.0.2.7",
        "ss state established '( dport = :443 or sport = :443 )'",
        "ss -tn dst 2001:db8::1",
        "ss -tn dst = 192.0.2.7 and dport = :ssh",
        "ss -tn state connected exclude time-wait sport eq 80",
        "fuser 80/tcp 80,192.0.2.7/tcp",
        "fuser -v src/a.c",
        "xxd -l 4 -- a",
        "xxd -s $((16*4)) -l16 a",
        "xxd -",
        "gold --version",
        "nstat -a -s",
        "pip inspect --local",
        "pip freeze --local",
        "git archive --format=tar --prefix=x/ HEAD | tar t",
        "git stash show -p -U5 -S add stash@{0}",
        "git config -z --get user.name x",
        "git config --global user.name",
        "git config get --all user.name",
        "diffstat -R -p 1 a.patch",
        "losetup -l /dev/loop0",
        "unsquashfs -l a.sqfs etc",
        "tofu fmt -check -recursive a b",
        "openssl x509 -in c.pem -noout -text",
        "for f in certs/*.pem; do openssl x509 -in \"$f\" -noout -enddate; done",
        "xmllint --nonet --noout --schema a.xsd b.xml",
        "zless f.gz",
        "coredumpctl list",
        "yarn list",
        "docker compose -f dev.yml config",
        "podman top c",
        "find . -name *.c -newer a.c",
        "env -i A=b ls",
        "env -u LANG git status",
        "env A=b git status",
        "docker --version",
        "parted -s disk.img print",
        "unrtf --nopict --text x.rtf",
        "xlsx2csv a.xlsx",
        "pygmentize -f html x.py",
        "ant -version",
        "mvn -v",
        "gradle -v",
        "erl -version",
        "swift --version",
        "mysqld -V",
        "postconf -n",
        "pandoc x.md -t html",
        "sqlite3 -readonly a.db 'select edited_at, credits from t'",
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
}

/* Not all programs stop where they are asked for their version: what else they are given is done. */
static void what_stands_beside_a_question_for_the_version_counts(void **state)
{
    static const char *const harmful[] = {
        "bzip2 --version a",
        "bzip2 -V a",
        "bunzip2 --license a.bz2",
        "sqlite3 -version -init x",
        "sqlite3 -help -init x a.db",
        "rustfmt --version --print-config default x.toml",
        "rustc -vV -Zcodegen-backend=./x.so",
        "rustc --version @arguments",
        "ccache --version -C",
        "ccache -V --set-config=compiler=./x",
        "luac -v x.lua",
        "luac5.4 -v -o y x.lua",
        "sgdisk -V -Z disk.img",
        "glslangValidator --version -V a.vert -o x",
        "php -v -dextension=./x.so",
        "php --ini -d extension=./x.so",
        "pahole --version -J a.o",
        "ffprobe -version -report",
        "less --help -ox -",
        "screen -v -dm id",
        "code --version --install-extension x",
        "yq --version -i .a f",
        "gpg --version --delete-key x",
        "ls --help --zzz",
        "sort --version -o x a",
        "cp --help a b",
        "sort --help $x",
    };
    static const char *const harmless[] = {
        "bzip2 --version",  "bzip2 -V",      "sqlite3 -version",  "rustfmt --version", "rustc -vV",
        "rustc --version",  "ccache -V",     "luac -v",           "sgdisk -V",         "php -v",
        "ffprobe -version", "less --help",   "ls -la --help",     "sort --version",    "cat --version a",
        "cp --help",        "gpg --version", "python3 --version", "code --version",    "glslangValidator --version",
    };
    (void)state;
    check_harmful(harmful, sizeof harmful / sizeof *harmful);
    check_harmless(harmless, sizeof harmless / sizeof *harmless);
}

/* Without a command of their own they take what they do from stdin. */
static void programs_that_take_commands_from_their_input_are_asked_about(void **state)
{
    static const char *const harmful[] = {
        "openssl < f",  "echo 'rand -out x 5' | openssl",
        "openssl",      "virsh < f",
        "virsh -q < f", "bluetoothctl < f",
        "chronyc < f",  "lldpcli < f",
        "deno < f",
    };
    static const char *const harmless[] = {
        "openssl version",      "openssl --help",   "virsh list --all < f", "virsh -v",
        "bluetoothctl devices", "chronyc tracking", "lldpcli --version",    "deno --version",
    };
    (void)state;
    check_harmful(harmful, sizeof harmful / sizeof *harmful);
    check_harmless(harmless, sizeof harmless / sizeof *harmless);
}

/* "/dev/stderr" opens what stderr is anew, with other rights: a file to read is emptied then, and written. */
static void names_of_descriptors_do_not_write_what_is_read(void **state)
{
    static const char *const harmful[] = {
        "ls 5<a >/dev/fd/5",
        "ls <a >/dev/stdin",
        "{ ls >/dev/fd/0; } <a",
        "while read -r l <&3; do echo x >/dev/fd/3; done 3<a",
        "exec 5<a; ls 2>>/dev/fd/5",
        "f() { ls &>/dev/stdin; }; f <a",
        "exec 2<a; ls >/dev/stderr",
        "{ echo x | tee /dev/stderr; } 2<a",
        "echo hi 1<a 2>/dev/stdout",
        "sort -o /dev/stderr b 2<a",
        "find . -fprint /dev/stdout 1<a",
        "find . -exec bash -c 'ls 1<\"$1\" 2>/dev/stdout' _ {} \\;",
        "{ ls 2>&0 >/dev/stderr; } <a",
        "{ exec 3<&0; ls >&3 2>/dev/stdout; } <a",
        "exec 3<a; ls >&3 2>/dev/stdout",
        "exec 3<a 4<&3; ls >&4 2>/dev/stdout",
        "exec 3<a 1<&3-; ls 2>/dev/stdout",
        "bash -c 'ls >&3 2>/dev/stdout' 3<a",
        "sort -o /dev/stdin a <b",
        "sort -o /dev/fd/3 a 3<b",
        "iconv -o /dev/fd/0 a <b",
    };
    static const char *const harmless[] = {
        "ls >/dev/stderr",
        "ls >/dev/fd/1 2>/dev/fd/2",
        "echo x | tee /dev/stderr",
        "sort -o /dev/stdout a",
        "ls 3>&1 1>&2 2>&3",
        "ls >&- 2>&-",
        "exec 3>&1; x=$(ls 2>&1 1>&3); echo \"$x\"",
        "while read -r l <&3; do echo \"$l\"; done 3<a",
        "while read -r l <&3; do echo \"$l\" >&2; done 3< <(ls)",
        "exec 3<a; cat <&3; exec 3<&-",
        "cat </dev/stdin",
        "ls 1</dev/null",
    };
    (void)state;
    check_harmful(harmful, sizeof harmful / sizeof *harmful);
    check_harmless(harmless, sizeof harmless / sizeof *harmless);
}

/* Options of programs that are easily taken for others. */
static void what_options_mean_to_each_program_counts(void **state)
{
    static const char *const harmful[] = {
        "ag -A --pager x",
        "ag --context --pager x y",
        "ag -C \"$x\" y",
        "rhash -l out a",
        "rhash -rlout a",
        "rhash --output=out a",
        "mlr repl",
        "mlr regtest a",
        "mlr --csv cat then frobnicate a.csv",
        "msgcat -e -o out a.po",
        "msgattrib -e -o out a.po",
        "journalctl --case-sensitive --vacuum-size=1",
        "lzop -t -n -d a",
        "lzop -t -n -x a",
        "chrt --idle touch ls",
        "csvtk freq -k -o out a.csv",
        "csvtk corr -p -o out a.csv",
        "markdown -T -o out a.md",
        "wasm-tools print -f -o out a.wasm",
        "aspell list --ignore-case --conf=x",
        /* "--" does not end the options of these */
        "unzip -l -- -l z.zip",
        "unzip -l -- \"$x\"",
        "xargs unzip -l -- <f",
        "tidy -q -- -m a.html",
        "git stash list -- --output=x",
        "git stash list -- -p --ext-diff",
    };
    static const char *const harmless[] = {
        "ag -A 3 y",
        "ag -C y",
        "rhash --sha1 -r .",
        "rhash -c a",
        "md5deep -r -l .",
        "msgcat -e a.po",
        "msggrep -K -e x a.po",
        "journalctl --case-sensitive=no -g x",
        "lzop -t a",
        "plzip -n 2 -t a",
        "chrt -i 0 ls",
        "unzip -l -- z.zip",
        "tidy -e -q a.html",
        "git stash list -- a.c",
        "csvtk freq -k -f 1 a.csv",
        "csvtk sort -k 1 a.csv",
        "markdown -T a.md",
        "lowdown -T ms a.md",
        "aspell list --ignore-case",
        "mlr --csv cat then sort -f a a.csv",
    };
    (void)state;
    check_harmful(harmful, sizeof harmful / sizeof *harmful);
    check_harmless(harmless, sizeof harmless / sizeof *harmless);
}

/* What a loop binds may be what its own words are made of: they are not looked for round in circles. */
static void loops_over_their_own_variables_are_judged(void **state)
{
    static const char *const harmful[] = {
        "for o in a b; do for i in $(ls $i); do sort $i; done; done",
        "while :; do for i in 1 `echo $i`; do sort $i; done; done",
        "for o in a b; do for i in $(ls $j); do for j in $(ls $i); do sort $i $j; done; done; done",
    };
    static const char *const harmless[] = {
        "for o in a b; do for i in $(ls $i); do cat $i; done; done",
        "for o in a b; do for i in 1 `echo $i`; do cat \"$i\"; done; done",
    };
    (void)state;
    check_harmful(harmful, sizeof harmful / sizeof *harmful);
    check_harmless(harmless, sizeof harmless / sizeof *harmless);
}

/* Where nothing can be asked about the project's files, they may be there. */
static void what_the_project_settings_may_change_is_asked(void **state)
{
    static const char *const commands[] = {
        "npm ls",           "npm run",           "ruff check .",     "ctags -x a.c",
        "pytest --version", "flake8 --version",  "pylint --version", "tox --version",
        "jest --version",   "grunt --version",   "mocha --version",  "webpack --version",
        "mvn -v",           "sbt --version",     "gradle --version", "bazel --version",
        "lein --version",   "phpstan --version", "dotnet --version",
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

/* find puts a word for each starting point into each place of {}: what is too much is not known. */
static void more_than_find_can_be_seen_to_run_is_asked(void **state)
{
    char command[4096];
    (void)state;
    for (int places = 10; places <= 100; places += 90) {
        char *end = stpcpy(command, "find");
        for (int i = 0; i < places; i++)
            end = stpcpy(end, " .");
        end = stpcpy(end, " -exec cat");
        for (int i = 0; i < places; i++)
            end = stpcpy(end, " {}");
        (void)stpcpy(end, " +");
        assert_int_equal(class_of(command), places == 10 ? SHELL_READ_ONLY : SHELL_UNKNOWN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_hides_what_it_does_is_asked),
        cmocka_unit_test(what_is_near_to_it_only_reads),
        cmocka_unit_test(what_stands_beside_a_question_for_the_version_counts),
        cmocka_unit_test(programs_that_take_commands_from_their_input_are_asked_about),
        cmocka_unit_test(names_of_descriptors_do_not_write_what_is_read),
        cmocka_unit_test(what_options_mean_to_each_program_counts),
        cmocka_unit_test(loops_over_their_own_variables_are_judged),
        cmocka_unit_test(what_the_project_settings_may_change_is_asked),
        cmocka_unit_test(more_than_find_can_be_seen_to_run_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

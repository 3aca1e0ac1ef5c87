/*
 * test_class_numbers.c: values that can only be numbers, and names that git prints: where they make a script harmless,
 * and where what looks like them does not.
 */
#include "class_table.h"

static void arithmetic_over_numbers_only_reads(void **state)
{
    static const char *const commands[] = {
        "n=$(wc -l < f); echo $((n+1))",
        "echo $(( $(date -d 2024-12-25 +%s) - $(date +%s) )) seconds",
        "n=$(grep -c FAIL f || echo 0); echo $((1 + n))",
        "n=$(stat -c %s f); echo $((n / 1024))",
        "n=$(ls | wc -l); [ $n -gt 5 ] && echo many",
        "n=$(ls | wc -l); [[ $n -gt 5 ]] && echo many",
        "[ $(nproc) -gt 2 ] && echo many",
        "n=$(git rev-list --count HEAD); echo $((n))",
        "x=$(nproc); y=$((x*2)); echo $y",
        "t=0; for f in a b; do n=$(wc -l <f); t=$((t+n)); done; echo $t",
        "t=0; for f in *.txt; do n=$(grep -c x f); t=$((t + n)); done; echo \"$t\"",
        "t=0; for f in reports/*.txt; do n=$(grep -c x \"$f\"); t=$((t + n)); done; echo \"$t\"",
        "t=0; for f in src/*.c; do t=$((t + $(stat -c %s \"$f\"))); done; echo \"$t\"",
        "for i in 1 2; do for j in 3 4; do echo $((i*j)); done; done",
        "for i in {1..3}; do for j in $(seq 2); do echo $((i+j)); done; done",
        "for i in 1 2 3; do sed -n \"${i}p\" f; done",
        "for i in $(seq 1 5); do awk \"NR==$i\" f; done",
        "for i in 1 2; do head -n $i f; done",
        "for p in 22 80; do ss -ltn \"sport = :$p\"; done",
        /* what bash counts itself */
        "t=$(git log -1 --format=%ct -- src); now=$(date +%s); echo $(( (now - t) / 3600 ))",
        "s=$SECONDS; ls; echo \"took $((SECONDS - s))s\"",
        "echo $((RANDOM % 10)) $((EPOCHSECONDS - 60)) $((UID + 1))",
        "x=$RANDOM; [ $((x % 2)) -eq 0 ] && echo even",
        /* ((…)) sets no other variable than those that stand in it */
        "for f in src/*.c; do n=$(wc -l < \"$f\"); if (( n > 50 )); then echo \"$f\"; fi; done",
        "k=0; for f in src/*.c; do (( k++ )); wc -l < \"$f\"; done; echo $k",
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
}

static void arithmetic_over_what_may_be_more_does_not(void **state)
{
    static const char *const commands[] = {
        "unset SECONDS; SECONDS='a[$(id)]'; echo $((SECONDS))",
        "read RANDOM < f; echo $((RANDOM))",
        "for LINENO in 'a[$(id)]'; do echo $((LINENO)); done",
        "f() { local SECONDS='a[$(id)]'; echo $((SECONDS)); }; f",
        "echo $((SHLVL))",
        "t=$(git log -1 --format=%ct%s); echo $((t))",
        "t=$(git log -1 --format=%ct -p); echo $((t))",
        "t=$(git log --format=%ct); echo $((t))",
        "t=$(git log -1 --format=%ct --format=%s); echo $((t))",
        "for f in src/*.c; do (( f = 1 )); wc -l < \"$f\"; done",
        "for f in src/*.c; do (( x )); wc -l < \"$f\"; done",
        "for f in src/*.c; do (( $x )); wc -l < \"$f\"; done",
        /* a name and a number become another name, whose value is evaluated */
        "a5='b[$(touch pwn)]'; a=1; n=5; echo $((a$n))",
        "a5='b[$(touch pwn)]'; a=1; for n in 5 6; do echo $((a$n)); done",
        "a5='b[$(touch pwn)]'; a=1; n=5; ((a$n))",
        "a5='b[$(touch pwn)]'; a=1; n=5; echo ${x:a$n}",
        "a5='b[$(touch pwn)]'; a=1; n=5; x[a$n]=1",
        "a5='b[$(touch pwn)]'; a=1; n=5; [[ a$n -eq 1 ]]",
        "n=$(cat f); echo $((n))",
        "n=$(grep -c x f g); echo $((n))",
        "n=$(grep -c x *); echo $((n))",
        "n=$(grep -rc x .); echo $((n))",
        "n=$(grep -c x \"$f\"); echo $((n))",
        "n=$(grep -c \"$p\" f); echo $((n))",
        "for f in *.txt; do n=$(grep -c x \"$f\"); echo $((n)); done",
        "for f in a/*.txt; do :; done; n=$(grep -c x \"$f\"); echo $((n))",
        "for f in a/*.txt; do f=$x; n=$(grep -c x \"$f\"); echo $((n)); done",
        "for f in a/*.txt; do read f; n=$(grep -c x \"$f\"); echo $((n)); done",
        "for f in a/*.txt; do n=$(grep -c x $f); echo $((n)); done",
        "for f in \"$x\"; do n=$(grep -c x \"$f\"); echo $((n)); done",
        "for f in a $x; do n=$(grep -c x \"$f\"); echo $((n)); done",
        "for f; do n=$(grep -c x \"$f\"); echo $((n)); done",
        "n=$(grep c x f); echo $((n))",
        "n=$(wc -l f); echo $((n))",
        "n=$(wc -l < f 2>&1); echo $((n))",
        "n=$(wc -l < f; cat g); echo $((n))",
        "n=$(cat f || wc -l < f); echo $((n))",
        "n=$(wc -l < f | cat); echo $((n))",
        "n=$(date +%s%Z); echo $((n))",
        "n=$(date +%s -f g); echo $((n))",
        "n=$(date $x +%s); echo $((n))",
        "n=$(stat -c %n f); echo $((n))",
        "n=$(stat -c %s%n f); echo $((n))",
        "n=$(stat -c %s *); echo $((n))",
        "n=$(echo $x); echo $((n))",
        "n=$(echo 5 x); echo $((n))",
        "n=$(git rev-list --count --format=%s HEAD); echo $((n))",
        "wc() { cat f; }; n=$(wc -l); echo $((n))",
        "n=$(x=1 wc -l); echo $((n))",
        "while read x; do n=$(wc -l <f); done; echo $((n))",
        "n='x[$(id)]'; for f in a b; do n=$(wc -l <f) | cat; t=$((n)); done",
        "n='x[$(id)]'; for f in a b; do (n=$(wc -l <f)); t=$((n)); done",
        "n='x[$(id)]'; for f in a b; do n=$(wc -l <f) true; t=$((n)); done",
        "n='x[$(id)]'; for f in a b; do if true; then n=$(wc -l <f); fi; t=$((n)); done",
        "n='x[$(id)]'; for f in a b; do false && n=$(wc -l <f); t=$((n)); done",
        "n='x[$(id)]'; for f in a b; do t=$((n)); n=$(wc -l <f); done",
        "for f in a b; do n=$(wc -l <f); read n; t=$((n)); done",
        "for f in a b; do n=$(wc -l <f); n=$f; t=$((n)); done",
        "for f in a b; do n=$(wc -l <f); printf -v n %s x; t=$((n)); done",
        "for f in a b; do n=$(wc -l <f); : ${n:=x}; t=$((n)); done",
        "readonly n='x[$(id)]'; for f in a b; do n=$(wc -l <f); t=$((n)); done",
        "for i in 1 2; do for j in 3 x; do echo $((i*j)); done; done",
        "for i in 1 2; do for j in 3; do j=$x; echo $((i*j)); done; done",
        "for i in 1 2; do sed \"${i}w out\" f; done",
        "for i in 1 2; do sed \"s/a/b/${i}e\" f; done",
        "for i in 1 2; do sed -i \"${i}d\" f; done",
        "for i in 1 2; do sed -f s$i f; done",
        "for i in 1 x; do sed -n \"${i}p\" f; done",
        "for i in 1 2; do awk \"{print > \\\"f$i\\\"}\" f; done",
        "for i in 1 2; do awk -f p$i f; done",
        "for p in 22 80; do ss -ltn \"dst $p.evil.com\"; done",
        "for p in a 80; do ss -ltn \"dst $p\"; done",
        "n=$(wc -l < f); sed -n \"${n}$x\" f",
    };
    (void)state;
    check_harmful(commands, sizeof commands / sizeof *commands);
}

/* grep -n x f | cut -d: -f1 and the like, put into arithmetic and scripts of sed. */
static void numbers_of_lines_only_read(void **state)
{
    static const char *const commands[] = {
        "n=$(grep -n main f.c | cut -d: -f1); sed -n \"${n},$((n+20))p\" f.c",
        "n=$(grep -n \"def $x\" src/a.py | head -1 | cut -d: -f1); echo $((n - 3))",
        "N=$(grep -n main f.c | head -n 1 | cut -d : -f 1); sed -n \"$((N-3)),$((N+30))p\" f.c",
        "start=$(grep -nm1 x f | cut -f1 -d:); end=$(grep -n y f | tail -1 | cut -d: -f1); echo $((end - start))",
        "start=$(cat f | grep -n x | sed 's/:.*//'); echo $((start))",
        "n=$(grep -n x f | awk -F: '{print $1}' | sort -rn | head -1); echo $((n))",
        "n=$(grep -n x f 2>/dev/null | cut -d: -f1); echo $((n))",
        "for f in a b; do n=$(grep -n x f | cut -d: -f1); echo $((n + 1)); done",
        "command -v grep; n=$(grep -n x f | cut -d: -f1); echo $((n + 1))",
        "sed -n \"$(grep -n main f.c | cut -d: -f1),+30p\" f.c",
        "sed -n \"$(grep -n main f.c | head -1 | cut -d: -f1),\\$p\" f.c",
        "n=$(awk '/main/{print NR; exit}' f.c); sed -n \"${n},$((n+15))p\" f.c",
        "n=$(awk 'END {print NR}' f.c); echo $((n / 2))",
        "n=$(wc -l f | awk '{print $1}'); tail -n $((n/2)) f",
        "n=$(wc -l f g | tail -1 | cut -d ' ' -f1); echo $((n))",
        "n=$(ls | wc -l | tr -d ' '); echo $((n * 2))",
        "n=$(echo \"$x\" | tr -dc 0-9); echo $((n * 2))",
        "n=$(grep -oE '[0-9]+' f | head -1); echo $((n * 2))",
        "n=$(grep -c '' f); sed -n \"$((n/2)),$((n/2+5))p\" f",
        "n=$(wc -l < f); sed -n \"$((n-10)),${n}p;${n}q\" f",
        "n=$(grep -n main f.c | head -1 | cut -d: -f1); [ -n \"$n\" ] && sed -n \"$((n-3)),$((n+9))p\" f.c",
        "n=$(grep -n x f | cut -d: -f1); if [ \"$n\" -gt 9 ]; then echo $((n - 9)); fi",
        "i=1; while [ $i -lt 5 ]; do sed -n \"$i,$((i+1))p\" f; i=$((i+1)); done",
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
}

static void what_may_be_more_than_numbers_of_lines_does_not(void **state)
{
    static const char *const commands[] = {
        /* what grep says of a binary file names variables */
        "grep='x[$(id)]'; n=$(grep -n x f | cut -d: -f1); echo $((n))",
        "file='x[$(id)]'; n=$(grep -n x f | cut -d: -f1); echo $((n))",
        "for file in *; do n=$(grep -n x f | cut -d: -f1); echo $((n)); done",
        "Le='x[$(id)]'; n=$(grep -n x f | cut -d: -f1); echo $((n))",
        "read grep <f; n=$(grep -n x f | cut -d: -f1); echo $((n))",
        "read \"$x\" <f; n=$(grep -n x f | cut -d: -f1); echo $((n))",
        "printf -v file %s y; n=$(grep -n x f | cut -d: -f1); echo $((n))",
        "mapfile file <f; n=$(grep -n x f | cut -d: -f1); echo $((n))",
        "export Binary='x[$(id)]'; bash -c 'n=$(grep -n x f | cut -d: -f1); echo $((n))'",
        "bash -c 'n=$(grep -n x f | cut -d: -f1); echo $((n))'",
        "grepx='y[$(id)]'; x=1; n=$(grep -n x f | cut -d: -f1); echo $((${n}x))",
        "grep5='y[$(id)]'; n=$(grep -n x f | cut -d: -f1); echo $((${n}5))",
        "a_b=1; n=$(grep -n x f | cut -d: -f1); echo $((${n}$n))",
        /* more than numbers */
        "n=$(grep -n x f | cut -d: -f2); echo $((n))",
        "n=$(grep -n x f | cut -d: -f1,2); echo $((n))",
        "n=$(grep -n x f); echo $((n))",
        "n=$(grep x f | cut -d: -f1); echo $((n))",
        "n=$(grep -n x f g | cut -d: -f1); echo $((n))",
        "n=$(grep -n x * | cut -d: -f1); echo $((n))",
        "n=$(grep -n x \"$f\" | cut -d: -f1); echo $((n))",
        "n=$(grep -n x 'a;b' | cut -d: -f1); echo $((n))",
        "n=$(grep -nH x f | cut -d: -f1); echo $((n))",
        "n=$(grep -nr x f | cut -d: -f1); echo $((n))",
        "n=$(grep -n -A3 x f | cut -d: -f1); echo $((n))",
        "n=$(grep -n $x f | cut -d: -f1); echo $((n))",
        "n=$(grep -n \"$x\" f | cut -d: -f1); echo $((n))",
        "n=$(grep -n x f |& cut -d: -f1); echo $((n))",
        "n=$(grep -n x f 2>&1 | cut -d: -f1); echo $((n))",
        "n=$(wc -l f |& awk '{print $1}'); echo $((n))",
        "n=$(grep -n x f | cat g | cut -d: -f1); echo $((n))",
        "n=$(grep -n x f | head -1 g | cut -d: -f1); echo $((n))",
        "n=$(grep -n x f | sort -t x -k 2 | cut -d: -f1); echo $((n))",
        "n=$({ grep -n x f; cat g; } | cut -d: -f1); echo $((n))",
        "n=$(x=1 grep -n x f | cut -d: -f1); echo $((n))",
        "cut() { cat f; }; n=$(grep -n x f | cut -d: -f1); echo $((n))",
        "grep() { cat f; }; n=$(grep -n x f | cut -d: -f1); echo $((n))",
        "n=$(grep -n x f | cut -d: -f1 g); echo $((n))",
        "n=$(wc -l f | awk '{print $2}'); echo $((n))",
        "n=$(wc -l f | sort -k2 | tail -1 | cut -d ' ' -f2); echo $((n))",
        "n=$(awk '/x/{print $1}' f); echo $((n))",
        "n=$(awk '/x/{print}; {print NR}' f); echo $((n))",
        "n=$(awk '/x/,/y/{print NR}' f); n=$x; echo $((n))",
        "n=$(tr -d 0-9 <f); echo $((n))",
        "n=$(grep -oE '[a-z]+' f); echo $((n))",
        "n=$(grep -oF '[0-9]+' f); echo $((n))",
        "n=$(grep -o '\\d' f); echo $((n))",
        /* such a number is none of a process */
        "ps $(grep -n x f | cut -d: -f1)",
        /* other commands of sed */
        "n=$(grep -n x f | cut -d: -f1); sed \"${n}w out\" f",
        "n=$(grep -n x f | cut -d: -f1); sed \"s/a/${n}/\" f",
        "n=$(grep -n x f | cut -d: -f1); sed \"${n}e\" f",
        "n=$(grep -n x f | cut -d: -f1); sed -i \"${n}d\" f",
        "n=$(grep -n x f | cut -d: -f1); sed -f \"${n}p\" f",
        "n=$(grep -n x f | cut -d: -f1); sed -n \"${n}$x\" f",
        "n=$(grep -n x f | cut -d: -f1); sed -n \"$n\" f",
        "n=$(grep -n x f | cut -d: -f1); sed -n \"${x}p\" f",
        "sed -n \"$(cat n),5p\" f",
        "sed -n \"$((x)),5p\" f",
    };
    (void)state;
    check_harmful(commands, sizeof commands / sizeof *commands);
}

/* A subscript, the parts of a slice, and operands of -eq are arithmetic, too: PATH=1 looks for ls in ./1. */
static void arithmetic_beside_arithmetic_sets_variables_too(void **state)
{
    static const char *const harmful[] = {
        "echo ${a[PATH=1]}; ls",
        "echo \"${a[IFS=3]}\"; ls",
        "a=(1 2); echo ${#a[PATH=1]}; ls",
        "a=xyz; echo ${a:PATH=1}; ls",
        "a=xyz; echo \"${a:0:PATH=1}\"; ls",
        "echo ${@:PATH=1}; ls",
        "y=${a[PATH=1]}; ls",
        "echo \"${x:-$((PATH=1))}\"; ls",
        "echo ${x/${a[PATH=1]}/}; ls",
        "cat <<<\"${a[PATH=1]}\"; ls",
        "[[ PATH=1 -eq 1 ]]; ls",
        "[[ 1 -lt 'GIT_DIR=1' ]] && git log",
        /* what was known of it is so no more */
        "x=/dev/null; echo ${a[x=1]}; ls >$x",
        "x=/dev/null; a=abc; echo ${a:x=1}; ls >$x",
        "x=/dev/null; echo ${y:-$((x=1))}; ls >$x",
        "x=/dev/null; [[ x=1 -eq 1 ]]; ls >$x",
        "x=/dev/null; for i in 1 2; do ls >$x; echo ${a[x=1]}; done",
    };
    static const char *const harmless[] = {
        "i=0; echo ${a[i++]}; ls",
        "i=0; a=abc; echo ${a:i++:1}",
        "i=0; while [ $i -lt 3 ]; do echo \"${a[i++]}\"; done",
        "i=0; a=(x y); echo \"${a[i+1]}\" \"${a[$((i+1))]}\"; [[ i+1 -eq 1 ]]",
    };
    (void)state;
    check_harmful(harmful, sizeof harmful / sizeof *harmful);
    check_harmless(harmless, sizeof harmless / sizeof *harmless);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_lines_only_read),
        cmocka_unit_test(what_may_be_more_than_numbers_of_lines_does_not),
        cmocka_unit_test(arithmetic_over_numbers_only_reads),
        cmocka_unit_test(arithmetic_over_what_may_be_more_does_not),
        cmocka_unit_test(arithmetic_beside_arithmetic_sets_variables_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

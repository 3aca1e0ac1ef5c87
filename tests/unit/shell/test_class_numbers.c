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
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
}

static void arithmetic_over_what_may_be_more_does_not(void **state)
{
    static const char *const commands[] = {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_over_numbers_only_reads),
        cmocka_unit_test(arithmetic_over_what_may_be_more_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_class_perl.c: what code of perl is taken for. Harmful neighbours use what is hard to tell in Perl: quotes with
 * any delimiter, names made of data, the operator of a glob, what the first line and the names of files do. */
#include "class_table.h"

static void lines_that_look_at_text_only_read(void **state)
{
    static const char *const commands[] = {
        "perl -ne 'print if /foo/' a.txt",
        "perl -ne 'print \"$1\\n\" if /version = \"(.*)\"/' Cargo.toml",
        "perl -lane 'print $F[0]' a.txt",
        "perl -pe 's/\\s+$/\\n/' a.txt",
        "perl -0777 -ne 'print scalar(() = /\\n/g)' a.txt",
        "perl -ne 'print unless $seen{$_}++' a.txt",
        "perl -F, -lane 'print $F[2]' data.csv",
        "perl -lne '$s += $_; END { print $s }' n.txt",
        "perl -lne '$h{$1}++ while /(\\w+)/g; END { print \"$_ $h{$_}\" for sort { $h{$b} <=> $h{$a} } keys %h }' "
        "a.txt",
        "perl -ne 'printf \"%s %s\\n\", $., $_ if length > 80' src/*.c",
        "perl -MList::Util=sum -lne 'push @a, $_; END { print sum(@a) }' a.txt",
        "git log --oneline | perl -pe 's/^\\w+ //'",
        "perl -ne 'print if 5..10' a.txt",
        "perl -ne 'print if /start/ .. /end/' a.txt",
        "perl -pe 's/(\\d+)/$1*2/e' a.txt",
        "perl -V",
        "perl -v",
        "perl -lane 'print 2*$F[0], $F[1]*$F[2], ($a)*$b'",
        "perl -00 -ne 'print if /x/' a.txt",
        "perl -l012 -0040 -ne print",
        "perl -ne 'print' src/*.c",
        "perl -nE 'say if /x/' a.txt b.txt",
        "perl -pe 's/a/b/; s/c/d/g' a.txt | head",
        "perl -lne 'print length' a.txt",
        "perl -F'\\t' -lane 'print $F[1]' a.tsv",
    };
    (void)state;
    check_harmless(commands, sizeof commands / sizeof *commands);
}

static void code_that_may_do_more_is_asked(void **state)
{
    static const char *const commands[] = {
        "perl -e 'print 2**10'",
        "perl -e 'print <*>'",
        "perl -le 'print for 1..3'",
        "perl -e 'print join(\",\", map { $_ * 2 } 1..5), \"\\n\"'",
        "perl -MData::Dumper -e 'print Dumper([1])'",
        "perl -i -pe 's/a/b/' a.txt",
        "perl -pi -e 's/a/b/' a.txt",
        "perl -e 'system(\"rm x\")'",
        "perl -ne 'system $_' a.txt",
        "perl -ne '`$_`' a.txt",
        "perl -ne 'print if /x/' 'ls|'",
        "perl -ne 'print if /x/' '>out'",
        "perl -ne 'print' *.txt",
        "perl -ne 'print' \"$f\"",
        "perl -pe 's/x/$_/ee' a.txt",
        "perl -pe 's$x$y$ee' a.txt",
        "perl -pe 's$x$y$seen' a.txt",
        "perl -pe 's xaxbxee' a.txt",
        "perl -pe 's!a!b!gee' a.txt",
        "perl -ne 'push @{$F[0]}, $F[1]' a.txt",
        "perl -ne '@ARGV=(\"ls|\")' a.txt",
        "perl -ne '$^I=\".bak\"' a.txt",
        "perl -ne 'open F, \">x\"; print F' a.txt",
        "perl -e 'unlink \"x\"'",
        "perl -e 'do \"x.pl\"'",
        "perl -Mevil -ne 'print' a.txt",
        "perl -ne 'print' -e 'unlink $_' a.txt",
        "perl -e 'require \"x\"'",
        "perl -e '&{\"sys\".\"tem\"}(\"x\")'",
        "perl -e '\"CORE::system\"->(\"x\")'",
        "perl -e 'exec\"x\"'",
        "perl -e '1;system\"x\"'",
        "perl x.pl",
        "perl -n x.pl",
        "perl -ne 'for (*$x) { $_ = \\@F }'",
        "perl -e 'IO'\"'\"'File'",
        "perl -Dx -ne 'print'",
        "perl -d -e 1",
        "perl -c x.pl",
        "perl -s -ne 'print' a.txt",
        "perl -I. -ne 'print' a.txt",
        "perl -ne 'print' -- a.txt",
        "perl -ne 'print $x * $y' a.txt",
        "perl -F'/@{[system]}/' -ane 'print'",
        "perl -F'`x`' -ane 'print'",
        "perl -le 'print $0, $$'",
        "perl -0d -e 1",
        "perl -0D -e 1",
        "perl -e '#!/bin/sh'",
        "perl -e 'atan2 *{\"AR\".\"GV\"}=\\@F, 1'",
        "perl -e '1; # )\n*{\"AR\".\"GV\"} = [\"ls|\"]'",
        "perl -e 'sort $x @F'",
        "perl -ne 'print $$x' f",
        "perl -ne '@$x = (1)' f",
        "perl -e 'print \"a\" if s/a/b/;evalbytes \"x\"'",
        "perl -e '%SIG=(ALRM=>1)'",
        "perl -e 'glob(\"x\")'",
        "perl -MPOSIX=creat -e 'creat(\"x\",1)'",
        "perl -MList::Util=first,evil -e 1",
        "perl -ne 'print' '|ls'",
        "perl -ne 'print' ' x'",
        "perl -ne 'print' src/*.c '+<x'",
        "perl -e '$x->y'",
        "perl -e 'print \"\\xe9\"' $x",
        "perl \"$x\" -ne print",
        "perl -ne \"print $x\" f",
        "perl -e 'tr/a/b/; s @a@b@ee'",
        "perl -e 'q xaxx; s/a/b/ee'",
        "perl -x -e 1",
        "perl -S x",
        "perl -e 'local *STDOUT'",
        "perl -e 'no strict'",
    };
    (void)state;
    check_harmful(commands, sizeof commands / sizeof *commands);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_look_at_text_only_read),
        cmocka_unit_test(code_that_may_do_more_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_perl.c: perl one-liners: code that runs unasked, and every known way by which code could do more than it seems.
 */
#include "class_table.h"

static const char *const harmless_commands[] = {
    "perl -ne 'print if /TODO/' src/a.c",
    "perl -ne 'print \"$1\\n\" if /href=\"([^\"]+)\"/' index.html",
    "perl -lane 'print $F[1] if @F > 3' t.txt",
    "perl -0777 -ne 'print \"$1\\n\" while /\\/\\*\\*(.*?)\\*\\//gs' src/api.js",
    "perl -ne 'print \"$ARGV:$.: $_\" if /\\t/; close ARGV if eof' src/*.py",
    "perl -nle 'print $& while /#[0-9a-fA-F]{6}\\b/g' a.css",
    "perl -lne '$h{$1}++ while /\\b([A-Z]{2,})\\b/g; END { print \"$h{$_} $_\" for sort { $h{$b} <=> $h{$a} } keys %h "
    "}' f",
    "perl -pe 's/\\e\\[[0-9;]*m//g' log",
    "perl -ne '$s += $_; END { print $s }'",
    "perl -ne 'print if 10..20'",
    "perl -F: -lane 'print $F[0]' /etc/passwd",
    "perl -ne 'printf \"%s %d\\n\", $1, length($2) if /(\\w+)=(.*)/'",
    "perl -e 'print \"hello\\n\"'",
    "perl -e 'printf \"%.2f\\n\", 22/7'",
    "perl -v",
    "perl -V:version",
    "perl -MList::Util=sum0 -lne 'print sum0 split'",
    "perl -MList::Util=sum,max -lane 'print max(@F); print sum @F' f",
    "perl -ne 'print if length > 80' f",
    "perl -ne 'print if length($_) > 80' f",
    "perl -ne 'print unless $seen{$_}++' f",
    "perl -ne 'print if !$s{$_}++' f",
    "perl -ne '$x++ }{ print $x' f",
    "perl -ne '$x++ if /a/; } END { print \"$x\\n\"' f",
    "perl -lne 'print $.' f",
    "perl -ne 'print if $. == 5' f",
    "perl -ne 'print if $. >= 5 && $. <= 10' f",
    "perl -ne 'print if 2..4; last if $. > 4' f",
    "perl -pe 's/^\\s+|\\s+$//g' f",
    "perl -pe 's{/usr}{/opt}g' f",
    "perl -pe 's|a|b|; s#x#y#; s!p!q!; s,c,d,' f",
    "perl -pe 'tr/a-z/A-Z/' f",
    "perl -pe 'y/a-z/A-Z/' f",
    "perl -pe '$_ = lc' f",
    "perl -pe '$_ = reverse $_' f",
    "perl -ne 'print scalar reverse' f",
    "perl -ne 'print ucfirst lc' f",
    "perl -ne 'BEGIN { $/ = \"\" } print if /x/' f",
    "perl -00 -ne 'print if /x/' f",
    "perl -ne 'push @a, $_; END { print reverse @a }' f",
    "perl -e 'print reverse <>' f",
    "perl -e 'print sort <>' f",
    "perl -e 'print sort { $a <=> $b } <>' f",
    "perl -e 'while (<>) { chomp; my @f = split /,/; print \"$f[0]\\n\" }' f",
    "perl -e 'while (my $l = <STDIN>) { chomp $l; print length($l), \"\\n\" }'",
    "perl -e 'my @l = <STDIN>; chomp(@l); print \"@l\\n\"'",
    "perl -e 'for my $i (1..10) { print $i * $i, \"\\n\" }'",
    "perl -e 'for (my $i = 0; $i < 10; $i++) { print \"$i\\n\" }'",
    "perl -e 'print \"$_\\n\" for 1..5'",
    "perl -e 'print join(\",\", map { $_ * 2 } grep { $_ % 2 } 1..10), \"\\n\"'",
    "perl -le 'print for sort { $a <=> $b } map { $_ ** 2 } 1..3'",
    "perl -le 'print for @ARGV' a b",
    "perl -e 'print \"@ARGV\\n\"' a \"$x\"",
    "perl -e 'print scalar(localtime), \"\\n\"'",
    "perl -e 'print time, \"\\n\"'",
    "perl -le 'print scalar localtime 1700000000'",
    "perl -E 'say 2**10'",
    "perl -E 'say \"yes\" if \"abc\" =~ /b/'",
    "perl -E 'say for 1..3'",
    "perl -lane 'print \"$F[0] $F[-1]\"' f",
    "perl -lane 'print join \"\\t\", @F[0,2]' f",
    "perl -lane 'print \"@F[1..$#F]\"' f",
    "perl -F, -lane 'print $F[2]' f.csv",
    "perl -F'\\t' -lane 'print $F[2]' f.tsv",
    "perl -F/,/ -ane 'print $F[1]' f",
    "perl -lane '$s{$F[0]} += $F[1]; END { for my $k (sort keys %s) { printf \"%-20s %d\\n\", $k, $s{$k} } }' f",
    "perl -lne 'push @{$h{$1}}, $2 if /(\\w+)=(\\w+)/; END { print \"$_: @{$h{$_}}\" for sort keys %h }' f",
    "perl -lne '$h{$1}{$2}++ if /(\\w+) (\\w+)/; END { for my $a1 (sort keys %h) { for my $b1 (sort keys %{$h{$a1}}) { "
    "print \"$a1 $b1 $h{$a1}{$b1}\" } } }' f",
    "perl -e 'print map { \"$_->[0]\\n\" } sort { $a->[1] <=> $b->[1] } map { [$_, length] } <>' f",
    "perl -ne 'if (/^(\\w+)\\s*=\\s*(.*)$/) { print \"$1 -> $2\\n\" } else { print STDERR \"bad: $_\" }' conf",
    "perl -ne 'next unless /foo/; s/bar/baz/g; print' f",
    "perl -ne 'print \"$ARGV\\n\" if /x/ && !$s{$ARGV}++' src/*.c src/*.h",
    "perl -ne 'print if /start/../end/' f",
    "perl -ne 'print if /start/ ... /end/' f",
    "perl -nE 'say $1 if /^version\\s*=\\s*\"(.*)\"/' Cargo.toml",
    "perl -ne 'print $1, \"\\n\" if m{<title>(.*?)</title>}' x.html",
    "perl -nle 'print \"$.: $_\" if /[^[:ascii:]]/' f",
    "perl -ne 'print if /[\\x80-\\xff]/' f",
    "perl -nle 'print if /^(?!.*foo).*bar/' f",
    "perl -ne '@m = /\\d+/g; print scalar(@m), \"\\n\"' f",
    "perl -ne 'my ($a1, $b1) = split; print \"$b1 $a1\\n\"' f",
    "perl -lne 'my ($k, $v) = /^(\\S+)\\s+(.*)/ or next; print \"$v=$k\"' f",
    "perl -ne 'print sprintf(\"%05d %s\", $., $_)' f",
    "perl -pe '$_ = \"$. $_\"' f",
    "perl -ne 'print \"-\" x 40, \"\\n\", $_' f",
    "perl -e 'print \"=\" x 20 . \"\\n\"'",
    "perl -lpe '$_ = sprintf \"%-30s|\", $_' f",
    "perl -ne '$n++ if /x/; END { print $n // 0, \"\\n\" }' f",
    "perl -lne '$m = $_ if !defined $m || $_ > $m; END { print $m }' f",
    "perl -ne 'print if -1 < index $_, \"foo\"' f",
    "perl -lne 'print substr($_, 0, 10)' f",
    "perl -ne 'print substr $_, 2, 5; print \"\\n\"' f",
    "perl -MPOSIX=floor -e 'print floor(3.7)'",
    "perl -MPOSIX -le 'print strftime(\"%Y-%m-%d\", localtime)'",
    "perl -MData::Dumper -e 'my %h = (a => 1); print Dumper(\\%h)'",
    "perl -MMIME::Base64 -ne 'print encode_base64($_)' f",
    "perl -Mstrict -Mwarnings -e 'my $x = 3; print \"$x\\n\"'",
    "perl -we 'use strict; use warnings; my $x = 1; print $x'",
    "perl -CSD -ne 'print if /\\p{Han}/' f",
    "perl -pe 's/(\\w+)/\\u$1/g' f",
    "perl -pe 's/(\\d+)/<$1>/g' < f",
    "perl -pe 's/\\$\\{(\\w+)\\}/<$1>/g' f",
    "perl -0pe 's/\\n\\n+/\\n\\n/g' f",
    "perl -0ne 'print \"$_\\n\"' f",
    "perl -ne 'print \"$+{y}\\n\" if /(?<y>\\d{4})/' f",
    "cat f | perl -ne 'print if /x/'",
    "git log --oneline | perl -lane 'print $F[0]'",
    "perl -le 'print \"a\"..\"e\"'",
    "perl -le 'print join \",\", \"a\"..\"e\"'",
    "perl -e 'print \"ok\\n\" if -e \"f\"'",
    "perl -e 'exit 1'",
    "perl -e 'exit(@ARGV > 2)' a",
    "perl -le 'print hex(\"ff\"), \" \", oct(\"0755\"), \" \", sprintf(\"%b\", 10)'",
    "perl -le 'print $^V; print $]; print \"@INC\"'",
    "perl -lne 'print \"$1 $2\" while /(\\w+):(\\w+)/g' \"src/a.c\"",
    "perl -ne 'print if eof' f",
    "perl -ne 'print \"$ARGV: $.\\n\" if eof; close ARGV if eof' a b",
    "perl -ne 'print; print \"\\n\" unless /\\n\\z/' f",
    "perl -e '%h = map { $_ => 1 } qw(a b c); print join \",\", sort keys %h'",
    "perl -e 'my ($x, $y) = (3, 4); print sqrt($x**2 + $y**2), \"\\n\"'",
    "perl -lne 'print if tr/,// == 3' f",
    "perl -lne 'print scalar tr/a-z//' f",
    "perl -ne 'chomp; print join(\" \", reverse split), \"\\n\"' f",
    "perl -lne '$l = length; $max = $l if $l > $max; END { print $max }' f",
    "perl -nle '$w{lc $1}++ while /(\\w+)/g; END { my @t = sort { $w{$b} <=> $w{$a} || $a cmp $b } keys %w; print "
    "\"$w{$_}\\t$_\" for @t[0..9] }' f",
    "perl -ne 'print \"$.:$_\" if /\\bfoo\\b/i and not /bar/' f",
    "perl -ne 'printf(\"%4d: %s\", $., $_) if $. > 10 and $. < 20' f",
    "perl -ne 'print if $prev ne $_; $prev = $_' f",
    "perl -ne 'LINE: for my $w (split) { next LINE if $w eq \"x\"; print \"$w\\n\" }' f",
    "perl -lne 'print join \"|\", map { s/a/b/r } split /,/' f",
    "perl -ne '($x = $_) =~ s/a/b/; print $x' f",
    "perl -ne 'print lc =~ s/a/b/r' f",
    "perl -e 'printf STDERR \"%s\\n\", \"x\"'",
    "perl -ne 'print STDERR $_ if /x/' f",
    "perl -ne '$c{$_}++ for split //; END { print \"$_ $c{$_}\\n\" for sort keys %c }' f",
    "perl -ne 'print unless /^\\s*(#|$)/' f",
    "perl -ne 'print unless /^#/ || /^$/' f",
    "perl -lane 'print $F[$#F]' f",
    "perl -lane 'print $F[0] + $F[1] / 2' f",
    "perl -lane '$sum += $F[2]; $n++; END { printf \"%.2f\\n\", $sum / $n if $n }' f",
    "perl -le '@a = (3,1,2); @a = sort { $a <=> $b } @a; print $a[@a/2]; print $a[$#a/2]'",
    "perl -e 'my $s = do { local $/; <STDIN> }; print length $s'",
    "perl -ne 'print if ($. % 2) == 0' f",
    "perl -ne 'print if $. % 2' f",
    "perl -ne 'print' -- a.txt",
    "perl -wnle 'print if /x/' a.txt",
    "perl -ne 'print \"$ARGV:$.:$_\" if m#//\\s*TODO#' src/*.c",
};

static const char *const asked_commands[] = {
    "perl -e 'system(\"id\")'",
    "perl -e 'system \"id\"'",
    "perl -e 'exec \"id\"'",
    "perl -e '`id`'",
    "perl -e 'print `id`'",
    "perl -e 'qx/id/'",
    "perl -e 'print qx(id)'",
    "perl -e 'print readpipe \"id\"'",
    "perl -e 'open F, \">x\"'",
    "perl -e 'open(my $f, \">\", \"x\")'",
    "perl -e 'open(F, \"id|\"); print <F>'",
    "perl -ne 'print' 'id |'",
    "perl -ne 'print' '|id'",
    "perl -ne 'print' '>x'",
    "perl -ne 'print' ' >x'",
    "perl -ne 'print' 'x| '",
    "perl -ne 'print' '+<x'",
    "perl -ne 'print' '<&3'",
    "perl -ne 'print' *",
    "perl -ne 'print' *.c",
    "perl -ne 'print' src/*",
    "perl -ne 'print' src/*.{c,h*}",
    "perl -ne 'print' \"$f\"",
    "perl -ne 'print' $f",
    "perl -ne 'print' \"$f.c\"",
    "perl -ne 'print' \"a$f\"",
    "perl -ne 'print' a$f.c",
    "perl -ne 'print' $(ls)",
    "perl -ne 'print' a \"$f\"",
    "perl -e 'print <>' *",
    "perl -e 'print while <>' \"$f\"",
    "perl -e 'print while <ARGV>' \"$f\"",
    "perl -e 'eof() and 1' \"$f\"",
    "find . -name '*.c' | xargs perl -ne 'print'",
    "perl -e '@ARGV = (\"id |\"); print <>'",
    "perl -ne 'BEGIN { @ARGV = (\"id|\") } print'",
    "perl -ne 'BEGIN { push @ARGV, \"id|\" } print'",
    "perl -ne 'push @ARGV, $_'",
    "perl -ne 'unshift @ARGV, $_'",
    "perl -ne '$ARGV[0] = \"id|\"'",
    "perl -ne '$ARGV[0] .= \"|\"' f g",
    "perl -ne 's/$/|/ for @ARGV' f g",
    "perl -ne 'for (@ARGV) { s/$/|/ }' f g",
    "perl -ne 'for my $x (@ARGV) { $x .= \"|\" }' f g",
    "perl -ne 'map { $_ .= \"|\" } @ARGV' f g",
    "perl -ne 'map { s/x/y/ } @ARGV' f g",
    "perl -ne 'grep { chop } @ARGV' f g",
    "perl -ne 'map { tr/a/|/ } @ARGV' f g",
    "perl -ne 'for (@ARGV) { while (<STDIN>) { 1 } }' f g",
    "perl -ne 'chop @ARGV' 'f|x' g",
    "perl -ne 'chop $ARGV[0]' 'f|x' g",
    "perl -ne 'splice @ARGV, 0, 1, \"id|\"'",
    "perl -ne '($x, @ARGV) = split'",
    "perl -ne '@ARGV = split'",
    "perl -ne 'local @ARGV = (\"id|\"); print <>'",
    "perl -ne 'our @ARGV = (\"id|\")'",
    "perl -ne '$x = \"ARGV\"; $$x[0] = \"id|\"'",
    "perl -ne '$x = \"ARGV\"; $x->[0] = \"id|\"'",
    "perl -ne '$x = \"ARGV\"; push @$x, \"id|\"'",
    "perl -ne '$x = \"ARGV\"; push @{$x}, \"id|\"'",
    "perl -ne 'push @$_, \"id|\"'",
    "perl -ne '$_->[0] = \"id|\"'",
    "perl -ne 'chomp; push @{$_}, \"id|\"'",
    "perl -ne '$h{a} = \"ARGV\"; push @{$h{a}}, \"id|\"'",
    "perl -ne '$h{a} = \"ARGV\"; $h{a}[0] = \"id|\"'",
    "perl -ne '@h = (\"ARGV\"); $h[0][0] = \"id|\"'",
    "perl -ne '%h = (a => \"ARGV\"); $h{a}[0] = \"id|\"'",
    "perl -ne '$h{a}{b} = \"ARGV\"; $h{a}{b}[0] = \"id|\"'",
    "perl -ne 'for $x (\"ARGV\") { $x->[0] = \"id|\" }'",
    "perl -ne 'for my $x (\"ARGV\") { push @$x, \"id|\" }'",
    "perl -ne 'map { push @$_, \"id|\" } \"ARGV\"'",
    "perl -ne '($x) = \"ARGV\"; push @$x, \"id|\"'",
    "perl -ne 'my ($x, $y) = split; push @$x, $y'",
    "perl -ne '$x = \"\\tI\"; $$x = \".bak\"'",
    "perl -ne '${\"ARGV\"}[0] = 1'",
    "perl -ne '@{\"ARGV\"} = 1'",
    "perl -ne '${\\\"x\"}'",
    "perl -ne '$r = \\@ARGV; push @$r, \"id|\"'",
    "perl -ne 'push @{\\@ARGV}, \"id|\"'",
    "perl -ne 'for (\\@ARGV) { push @$_, \"id|\" }'",
    "perl -ne '$0 = \"x\"'",
    "perl -e '$^I = \".bak\"; print while <>' f",
    "perl -ne 'BEGIN { $^I = \"\" } print' f",
    "perl -ne 'BEGIN { ${^I} = \"\" } print' f",
    "perl -e '$ENV{PATH} = \".\"'",
    "perl -e 'print $ENV{AWS_SECRET}'",
    "perl -e 'print %ENV'",
    "perl -e '$SIG{__WARN__} = \"x\"'",
    "perl -e '@INC = (\".\")'",
    "perl -e 'push @INC, \".\"'",
    "perl -e 's/x/y/ for @INC'",
    "perl -e '$INC[0] = \".\"'",
    "perl -e 'BEGIN { $^H |= 0x200000 }'",
    "perl -ne 's/x/system(\"id\")/e'",
    "perl -ne 's/x/\"id\"/ee'",
    "perl -pe 's/(\\d+)/$1+1/ge'",
    "perl -ne '/(?{ system \"id\" })/'",
    "perl -ne '/(?\?{ system \"id\" })/'",
    "perl -ne '/x(?{`id`})/x'",
    "perl -ne 'm{(?{system})}'",
    "perl -ne \"m'(?{system})'\"",
    "perl -ne 'qr/(?{1})/'",
    "perl -ne 's/(?{1})//'",
    "perl -ne 'split /(?{1})/'",
    "perl -ne 'print \"@{[system 1]}\"'",
    "perl -ne 'print \"@{[ `id` ]}\"'",
    "perl -ne 'print \"${\\ system 1}\"'",
    "perl -ne 'print \"${\\(system 1)}\"'",
    "perl -ne '/@{[system 1]}/'",
    "perl -ne '/${\\ system}/'",
    "perl -ne 's/x/@{[system]}/'",
    "perl -ne 'print \"$x[system 1]\"'",
    "perl -ne 'print \"$x{system 1}\"'",
    "perl -ne 'print \"$x->[system 1]\"'",
    "perl -ne 'print \"$x->{a}[system 1]\"'",
    "perl -ne 'print \"@x[system 1]\"'",
    "perl -ne 'print \"$.->[system 1]\"'",
    "perl -ne 'print \"$&->[system 1]\"'",
    "perl -ne 'print \"$+->{system 1}\"'",
    "perl -ne 'print \"$+{x}[system 1]\"'",
    "perl -ne 'print \"$+{x}->[system 1]\"'",
    "perl -ne 'print \"$-[0][system 1]\"'",
    "perl -ne 'print \"$1->[system 1]\"'",
    "perl -ne 'print \"$@->[system 1]\"'",
    "perl -ne 'print \"$$->[system 1]\"'",
    "perl -ne 'print \"@-->[system 1]\"'",
    "perl -ne 'print \"@x->[system 1]\"'",
    "perl -ne 'print \"${x}[system 1]\"'",
    "perl -ne 'print \"${^MATCH}[system 1]\"'",
    "perl -ne 'print \"@{x}[system 1]\"'",
    "perl -ne '/$&->[system 1]/'",
    "perl -ne '/$+{x}[system 1]/'",
    "perl -ne 'print \"@x{system 1}\"'",
    "perl -ne 'print \"$x[`id`]\"'",
    "perl -ne 'print \"$#{[system 1]}\"'",
    "perl -ne 'print \"@-[system 1]\"'",
    "perl -ne 'print \"$+[system 1]\"'",
    "perl -ne '/$x[system 1]/'",
    "perl -ne '/$x{`id`}/'",
    "perl -ne 'print qq{@{[system]}}'",
    "perl -ne 'print qq{@\\{[system]\\}}'",
    "perl -ne 'print qq@\\@{[system]}@'",
    "perl -ne 'print qq[$x\\[system 1\\]]'",
    "perl -E 'print \"$x->@[system 1]\"'",
    "perl -E 'print \"$x->@{system 1}\"'",
    "perl -ne 'print \"\\N{U+41}\"'",
    "perl -ne '$x[system 1]'",
    "perl -ne '$x{+system}'",
    "perl -ne '@x[system 1]'",
    "perl -e 'eval \"1\"'",
    "perl -e 'eval { 1 }'",
    "perl -e 'do \"x\"'",
    "perl -e 'do x'",
    "perl -e 'do $x'",
    "perl -e 'require \"x\"'",
    "perl -e 'use lib \".\"; use x;'",
    "perl -e 'use lib \".\";'",
    "perl -e 'no strict;'",
    "perl -e 'use POSIX qw(system);'",
    "perl -e 'use Foo;'",
    "perl -e 'sub f { 1 } f()'",
    "perl -e 'sub AUTOLOAD { 1 } f()'",
    "perl -e '&f'",
    "perl -e '&$f'",
    "perl -e '&{\"system\"}(1)'",
    "perl -e '$f->()'",
    "perl -e '$f->(1)'",
    "perl -e '$x->f'",
    "perl -e 'Foo->bar'",
    "perl -e 'new Foo'",
    "perl -e '\"Foo\"->bar'",
    "perl -e 'STDOUT->autoflush'",
    "perl -e '$x->$y'",
    "perl -e 'foo'",
    "perl -e 'foo \"x\"'",
    "perl -e 'print foo()'",
    "perl -e 'goto X'",
    "perl -e 'dump'",
    "perl -e 'fork'",
    "perl -e 'kill 9, 1'",
    "perl -e 'unlink \"x\"'",
    "perl -e 'rename \"x\", \"y\"'",
    "perl -e 'chmod 0, \"x\"'",
    "perl -e 'mkdir \"x\"'",
    "perl -e 'rmdir \"x\"'",
    "perl -e 'link \"x\",\"y\"'",
    "perl -e 'symlink \"x\",\"y\"'",
    "perl -e 'utime 1,1,\"x\"'",
    "perl -e 'truncate \"x\", 0'",
    "perl -e 'chdir \"x\"'",
    "perl -e 'socket(S,1,1,0)'",
    "perl -e 'syscall 1'",
    "perl -e 'ioctl 1,1,1'",
    "perl -e 'tie %h, \"X\"'",
    "perl -e 'bless {}, \"X\"'",
    "perl -e 'select F'",
    "perl -e 'sysopen F, \"x\", 1'",
    "perl -e 'opendir D, \".\"'",
    "perl -e 'print <*.c>'",
    "perl -e 'print glob \"*\"'",
    "perl -e 'print <$x>'",
    "perl -e 'print <F>'",
    "perl -e 'print <<>>' f",
    "perl -e 'print <<\"E\"\n`id`\nE\n'",
    "perl -e 'print <<E;\n@{[system]}\nE\n'",
    "perl -e 'print F \"x\"'",
    "perl -e 'print {$x} \"x\"'",
    "perl -e 'print {STDERR} \"x\"'",
    "perl -e 'print $x \"x\"'",
    "perl -e 'print $x /2; system 1 #/'",
    "perl -e 'print $x /2/'",
    "perl -e 'print $x -1'",
    "perl -e 'join $x /x;system 1;#/, 2'",
    "perl -e '$x ++ /2; system(\"a\")#/'",
    "perl -e 'time / 2; system 1 #/'",
    "perl -e 'print length < 3; system 1; #>'",
    "perl -e '$x /2/ system 1'",
    "perl -e 'y => 1; system 1'",
    "perl -e 's = 1; system 1 = 2 ='",
    "perl -e 'format STDOUT =\n@<<<\nsystem(1)\n.\nwrite'",
    "perl -e '\n=pod\nx\n=cut\nsystem 1'",
    "perl -e '\n=x\n\"\n=cut\n; system 1; \"'",
    "perl -e '#!/bin/sh\nid'",
    "perl -e '#!perl -i\nprint'",
    "perl -e 'print 1\n__END__\nx'",
    "perl -e 'sort f @x'",
    "perl -e 'sort $f @x'",
    "perl -e 'sort { system 1 } 1,2'",
    "perl -e 'map { system $_ } 1'",
    "perl -e 'map system($_), 1'",
    "perl -e 'grep { `$_` } 1'",
    "perl -e 'map { ; system } 1'",
    "perl -e 'print map +(system), 1'",
    "perl -e 'binmode STDOUT, \":via(Foo)\"'",
    "perl -e 'binmode STDOUT, \":encoding(x)\"'",
    "perl -e 'binmode F'",
    "perl -e 'close F'",
    "perl -ne 'close ARGV % $x'",
    "perl -ne 'close ARGV . $x'",
    "perl -e 'close STDOUT; open X'",
    "perl -e '%x::y = 1'",
    "perl -e '$main::x = 1'",
    "perl -e '$::x = 1'",
    "perl -e '@main::ARGV = \"id|\"; print <>'",
    "perl -e '@::ARGV = \"id|\"; print <>'",
    "perl -e \"@main'ARGV = 1; print <>\"",
    "perl -e '*x = \\&system'",
    "perl -e '*ARGV = [\"id|\"]; print <>'",
    "perl -e '*{\"x\"} = 1'",
    "perl -e 'sprintf \"%n\", $x; foo'",
    "perl -e 'CORE::system 1'",
    "perl -e 'CORE::say 1'",
    "perl -e 'main::f()'",
    "perl -e 'POSIX::system(1)'",
    "perl -e 'print \"a\" ~~ @x'",
    "perl -e '%x = %SIG'",
    "perl -e 'print %+, %INC'",
    "perl -e 'undef @ARGV; print $!{ENOENT}'",
    "perl -e '@ISA = \"x\"'",
    "perl -e 'say 1'",
    "perl -e 'say STDERR 1'",
    "perl -i -pe 's/a/b/' f",
    "perl -pi -e 's/a/b/' f",
    "perl -pie 's/a/b/' f",
    "perl -i.bak -pe 's/a/b/' f",
    "perl -ni -e 'print' f",
    "perl -nlei 'print' f",
    "perl -s -e 'print' f",
    "perl -S x",
    "perl -x -e 1",
    "perl -d -e 1",
    "perl -D1 -e 1",
    "perl -de 1",
    "perl -I. -e 1",
    "perl -I . -e 1",
    "perl -Mfoo -e 1",
    "perl -mfoo -e 1",
    "perl '-Mstrict;system(1)' -e 1",
    "perl '-MPOSIX qw(system)' -e 1",
    "perl '-MList::Util=sum);system(1' -e 1",
    "perl -M-strict -e 1",
    "perl -Mlib=. -e 1",
    "perl -Mre=eval -ne '/$x/'",
    "perl -T -e 1",
    "perl -t -e 1",
    "perl -u -e 1",
    "perl -U -e 1",
    "perl -CSne 1",
    "perl -C=x -e 1",
    "perl '-F/x/,system(1);/' -ane 1",
    "perl '-F\"x\",system(1)\"' -ane 1",
    "perl \"-F'x',system(1)'\" -ane 1",
    "perl '-F, -Mfoo' -ane 1",
    "perl '-F/@{[system]}/' -ane 1",
    "perl '-F/(?{1})/' -ane 1",
    "perl '-F(?{1})' -ane 1",
    "perl -F -ane 1",
    "perl '-l -i' -e 1",
    "perl '-n -i' -e 1",
    "perl -e",
    "perl -e \"$x\"",
    "perl -ne \"print if /$x/\"",
    "perl -e 1 \"$x\"",
    "perl -e 1 $x",
    "perl $x -e 1",
    "perl \"$x\" -e 1",
    "perl -n$x -e 1",
    "perl x.pl",
    "perl -e 1 -e 'system 1'",
    "perl -ne 'print' -i f",
    "perl -c x.pl",
    "perl",
    "perl -",
    "perl -n",
    "perl - < x",
    "echo 'system 1' | perl",
    "PERL5OPT=-Mfoo perl -e 1",
    "PERL5LIB=. perl -MPOSIX -e 1",
    "export PERL5LIB=.; perl -MPOSIX -e 1",
    "./perl -e 1",
    "perl -e 'print 1' > x",
    "perl -ne '}; system 1; {'",
    "perl -e '} system 1; {'",
    "perl -e 'print 1 } { print 2'",
    "perl -ne 'print } END { print } system 1; {'",
    "perl -e 'my $x : system(1)'",
    "perl -e 'print 1.2.3'",
    "perl -e 'if (1) { system 1 }'",
    "perl -e 'unless (0) { print } else { system 1 }'",
    "perl -e 'print 1 if system 1'",
    "perl -e '1 and system 1'",
    "perl -e '(system 1)[0]'",
    "perl -e '[system 1]'",
    "perl -e '+{a => system 1}'",
    "perl -e '$x = system 1'",
    "perl -e '$x ? system 1 : 2'",
    "perl -e 'print \"a\" . system 1'",
    "perl -e 'print \"a\", system(1)'",
    "perl -e '{ system 1 }'",
    "perl -e 'local $_ = `id`'",
    "perl -e 'while (system 1) {}'",
    "perl -e 'for (;system 1;) {}'",
    "perl -e 'for (system 1) {}'",
    "perl -e 'BEGIN { system 1 }'",
    "perl -e 'END { system 1 }'",
    "perl -e 'INIT { system 1 }'",
    "perl -e 'package X; 1'",
    "perl -e 'return system 1'",
    "perl -e 'print !system 1'",
    "perl -e 'print -system 1'",
    "perl -e 'print \"x\" =~ system 1'",
    "perl -e 'lc system 1'",
    "perl -e 'defined &system'",
    "perl -e 'defined(&{\"x\"})'",
    "perl -e 'exists &x'",
    "perl -e 'print pack \"p\", 1; x'",
    "perl -e '?x?'",
    "perl -e 'm?x?'",
    "perl -e 'print \"a\" |.system'",
    "perl -E 'sub { system 1 }->()'",
    "perl -E '__SUB__->()'",
    "perl -E 'given (1) { system 1 }'",
    "perl -E 'try { system 1 } catch ($e) {}'",
    "perl -E 'my $x isa system'",
    "perl -e 'my sub f { 1 }'",
    "perl -MList::Util=first -e 'print first { system $_ } 1'",
    "perl -MList::Util=first -e 'print first sub { 1 }, 1'",
    "perl -MList::Util=sum -e 'print sort sum 1,2'",
    "perl -MList::Util=nope -e 1",
    "perl -MPOSIX=system -e 1",
    "perl -MPOSIX -e 'system 1'",
    "perl -MPOSIX -e 'print getpid()'",
    "perl -MPOSIX -e 'remove(\"x\")'",
    "perl -MJSON::PP -e 1",
    "perl -MData::Dumper -e '$Data::Dumper::Sortkeys = \"x\"'",
};

static void code_that_only_prints_and_computes_runs_unasked(void **state)
{
    (void)state;
    check_harmless(harmless_commands, sizeof harmless_commands / sizeof *harmless_commands);
}

static void all_other_code_is_asked(void **state)
{
    (void)state;
    check_harmful(asked_commands, sizeof asked_commands / sizeof *asked_commands);
}

static bool no_name_is_special(void *user, struct hv_str directory, unsigned wanted)
{
    (void)directory;
    return *(const bool *)user && wanted == SHELL_TREE_NO_OPTION;
}

static bool is_of_the_system(void *user, struct hv_str name)
{
    (void)user, (void)name;
    return true;
}

static enum shell_class class_in_tree(const char *command, bool plain)
{
    static const struct shell_start start = {{"/ws", 3}, {"/home/u", 7}, NULL, NULL};
    struct shell_world world = {
        .is_system_program = is_of_the_system, .tree_is_plain = no_name_is_special, .user = &plain};
    struct hv_arena arena = {0};
    struct shell_judgement judgement;
    shell_judge(&arena, hv_str_from(command), &start, &world, &judgement);
    enum shell_class class = judgement.class;
    hv_arena_release(&arena);
    return class;
}

/* A file may be called ">x.c", or "x |": perl would write it, or run it. */
static void a_glob_is_read_where_no_name_begins_otherwise_and_all_end_plainly(void **state)
{
    (void)state;
    assert_int_equal(class_in_tree("perl -ne 'print' *.c", true), SHELL_READ_ONLY);
    assert_int_equal(class_in_tree("perl -ne 'print' *.c", false), SHELL_EXECUTES);
    assert_int_equal(class_in_tree("perl -ne 'print' *", true), SHELL_EXECUTES);
    assert_int_equal(class_in_tree("perl -ne 'print' src/*", true), SHELL_EXECUTES);
    assert_int_equal(class_in_tree("perl -ne 'print' src/*.c", false), SHELL_READ_ONLY);
    assert_int_equal(class_in_tree("for f in */ 'x |'; do perl -ne 'print' \"$f\"; done", true), SHELL_EXECUTES);
    assert_int_equal(class_in_tree("for f in src/*.c; do perl -ne 'print' \"$f\"; done", true), SHELL_EXECUTES);
    assert_int_equal(class_in_tree("find . | xargs perl -ne 'print'", true), SHELL_EXECUTES);
}

/* ---- properties ------------------------------------------------------------------------------------------- */

/* Code in pieces: every second one is a text or a pattern. */
static const char *const pieced[][9] = {
    {"print ", "\"$1 x\"", " if ", "/h(a)=b/"},
    {"$h{", "\"$1,$2\"", "}++ while ", "/(\\w+) (\\d)/g", "; END { print ", "\"$_\\n\"", " for sort keys %h }"},
    {"my ($k, $v) = split ", "/=/", ", $_; push @{$h{$k}}, $v; printf ", "\"%s %s\\n\"", ", $k, scalar @{$h{$k}}"},
    {"if ($. > 3 and $F[1] =~ ", "/a+/", ") { print STDERR ", "\"@F[1,2]\"", "; next } else { $n += length $_ }"},
    {"print join(", "\",\"", ", map { lc } grep { ", "/^a/", " } sort { $a cmp $b } @x), ", "\"\\n\""},
    {"for my $i (0 .. $#F) { $s[$i] += $F[$i] / 2 }; print ", "\"$s[0]\"", " . $x x 3 unless eof"},
};
enum { PIECED = sizeof pieced / sizeof *pieced, PIECES = sizeof *pieced / sizeof **pieced };

/* The code with token put in at an offset of one of its pieces, quoted for the shell. */
static bool is_harmless_with(const char *const *pieces, size_t piece, size_t at, const char *token)
{
    struct hv_arena arena = {0};
    struct hv_str code = HV_STR("");
    for (size_t i = 0; i < PIECES && pieces[i]; i++) {
        struct hv_str text = hv_str_from(pieces[i]);
        if (i != piece)
            code = hv_arena_join(&arena, code, text);
        else
            code = hv_arena_format(&arena, "%.*s%.*s%s%.*s", HV_STR_ARG(code), (int)at, text.ptr, token,
                                   HV_STR_ARG(hv_str_slice(text, at, text.len)));
    }
    struct hv_str command = hv_arena_format(&arena, "perl -lane '%.*s' f", HV_STR_ARG(code));
    struct shell_judgement judgement;
    judge_here(&arena, command.ptr, &judgement);
    bool harmless = judgement.class == SHELL_READ_ONLY;
    if (harmless && *token)
        print_error("%s\n", command.ptr);
    hv_arena_release(&arena);
    return harmless;
}

static size_t count_harmless_with(const char *const *tokens, size_t count, size_t parity)
{
    size_t wrong = 0;
    for (size_t i = 0; i < PIECED; i++)
        for (size_t piece = parity; piece < PIECES && pieced[i][piece]; piece += 2)
            for (size_t at = parity; at + parity <= strlen(pieced[i][piece]); at++)
                for (size_t token = 0; token < count; token++)
                    wrong += !(at && pieced[i][piece][at - 1] == '\\') &&
                             is_harmless_with(pieced[i], piece, at, tokens[token]);
    return wrong;
}

static void what_runs_something_is_asked_wherever_it_stands_in_code(void **state)
{
    static const char *const tokens[] = {
        ";system 1;",  "`id`",      " system(1) ", ";exec 1;",   "&f;",         "->f;",     ";<$x>;",      ";open X;",
        ";eval $_;",   " qx(id) ",  ";do $x;",     ";require x", " <<E ",       " *x ",     "{system 1}",  "[system 1]",
        "\n=pod\n",    ";unlink x", ";f();",       " print F ",  ";$0 = 1;",    ";%ENV;",   ";@ARGV = 1;", ";__END__",
        ";sub f { };", " glob ",    ";$x->();",    ";&$x;",      ";@{system};", "\\&f",     ";use x;",     "?x?",
        ";bless [];",  ";tie @x;",  ";kill 1;",    ";fork;",     ";dump;",      ";goto X;", ";select X;",  "$SIG{x}",
    };
    (void)state;
    for (size_t i = 0; i < PIECED; i++)
        assert_true(is_harmless_with(pieced[i], 0, 0, ""));
    assert_int_equal(count_harmless_with(tokens, sizeof tokens / sizeof *tokens, 0), 0);
}

static void code_in_a_text_or_a_pattern_is_asked(void **state)
{
    static const char *const tokens[] = {"@{[system 1]}", "${\\system 1}", "(?{system 1})", "(??{system 1})",
                                         "$x[system 1]",  "$x{system 1}",  " @x[system 1]", "$x->[system 1]",
                                         "@{[`id`]}",     " @h{system 1}", "$x->[0][`id`]", "$ENV{x}",
                                         "\\N{x}",        "$x->@[`id`]",   "${system 1}"};
    (void)state;
    assert_int_equal(count_harmless_with(tokens, sizeof tokens / sizeof *tokens, 1), 0);
}

static void what_is_asked_says_which_word_it_was(void **state)
{
    struct hv_arena arena = {0};
    struct shell_judgement judgement;
    (void)state;
    judge_here(&arena, "perl -ne 'print; unlink $x'", &judgement);
    assert_int_equal(judgement.class, SHELL_EXECUTES);
    assert_true(hv_str_find(judgement.why, HV_STR("unlink"), 0) != SIZE_MAX);
    hv_arena_release(&arena);
}

static void the_files_that_are_read_are_listed(void **state)
{
    struct hv_arena arena = {0};
    struct shell_judgement judgement;
    (void)state;
    judge_here(&arena, "perl -ne 'print' a.txt /etc/hosts", &judgement);
    const struct shell_act *act = &judgement.acts[0];
    assert_true(act->reads_listed && act->writes_listed && !act->reads_input);
    assert_int_equal(act->read_count, 2);
    assert_true(hv_str_is(act->reads[0].path, "/ws/a.txt") && hv_str_is(act->reads[1].path, "/etc/hosts"));
    judge_here(&arena, "perl -ne 'print'", &judgement);
    assert_true(judgement.acts[0].reads_input && !judgement.acts[0].read_count);
    judge_here(&arena, "perl -e 'print 1' a.txt", &judgement);
    assert_true(!judgement.acts[0].reads_input && !judgement.acts[0].read_count);
    judge_here(&arena, "perl -e 'print if -e $x'", &judgement);
    assert_false(judgement.acts[0].reads_listed);
    hv_arena_release(&arena);
}

/* Deep nesting and long code are asked, and cost neither stack nor time. */
static void deep_and_long_code_is_asked(void **state)
{
    static const char *const repeated[] = {"(",     "[",        "{",      "!",        "- ",   "$x = ", "$x ? ",
                                           "$x[",   "$x{ lc ",  "@{[",    "if (1) {", "not ", "$x + ", "map { ",
                                           "do { ", "my $x = ", "print ", "+",        "\\"};
    struct hv_arena arena = {0};
    struct hv_buf code;
    struct shell_judgement judgement;
    (void)state;
    hv_buf_init(&code, 1 << 20);
    for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++)
        for (size_t times = 500; times <= 8000; times *= 4) {
            hv_buf_clear(&code);
            hv_buf_add_cstr(&code, "perl -e '");
            for (size_t k = 0; k < times; k++)
                hv_buf_add_cstr(&code, repeated[i]);
            hv_buf_add_cstr(&code, "'");
            judge_here(&arena, code.data, &judgement);
            assert_int_not_equal(judgement.class, SHELL_READ_ONLY);
        }
    hv_buf_release(&code);
    hv_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_that_only_prints_and_computes_runs_unasked),
        cmocka_unit_test(all_other_code_is_asked),
        cmocka_unit_test(a_glob_is_read_where_no_name_begins_otherwise_and_all_end_plainly),
        cmocka_unit_test(what_runs_something_is_asked_wherever_it_stands_in_code),
        cmocka_unit_test(code_in_a_text_or_a_pattern_is_asked),
        cmocka_unit_test(what_is_asked_says_which_word_it_was),
        cmocka_unit_test(the_files_that_are_read_are_listed),
        cmocka_unit_test(deep_and_long_code_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

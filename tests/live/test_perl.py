"""The reader of perl one-liners beside perl itself: what runs unasked compiles though every harmful operation is forbidden to it."""
import json
import random
import resource
import shlex
import shutil
import subprocess

from harness import Skip

MUTANTS, MEMORY_MAX = 2500, 400 << 20
# Operations of perl that start, open, write, remove or load something, or call what is not in the text.
FORBIDDEN = (":subprocess,:filesys_write,open,sysopen,open_dir,closedir,umask,:sys_db,:dangerous,require,dofile,runcv,:others,reset,"
             "dbstate,tied,ioctl,flock,socket,bind,connect,listen,accept,shutdown,chdir,alarm,hintseval,entereval,bless,tie,untie,"
             "dbmopen,dbmclose,sselect,select,exec,kill,entersub,method,method_named,anoncode,goto,pipe_op,sysread,syswrite,read,"
             "sysseek,refassign,crypt")
SEEDS = [
    ("-ne", r'print "$1\n" if /href="([^"]+)"/'), ("-lane", r'print "$F[0] $F[-1]" if @F > 3'),
    ("-0777 -ne", r'print "$1\n" while /\/\*\*(.*?)\*\//gs'), ("-ne", r'print "$ARGV:$.: $_" if /\t/; close ARGV if eof'),
    ("-lne", r'$h{$1}++ while /\b([A-Z]{2,})\b/g; END { print "$h{$_} $_" for sort { $h{$b} <=> $h{$a} } keys %h }'),
    ("-pe", r's/\e\[[0-9;]*m//g'), ("-pe", r's{/usr}{/opt}g; y/a-z/A-Z/'), ("-ne", r'$x++ }{ print $x'),
    ("-ne", r'printf "%s %d\n", $1, length($2) if /(\w+)=(.*)/'), ("-e", r'printf "%.2f\n", 22 / 7'),
    ("-lne", r'push @{$h{$1}}, $2 if /(\w+)=(\w+)/; END { print "$_: @{$h{$_}}" for sort keys %h }'),
    ("-e", r'for (my $i = 0; $i < 10; $i++) { print "$i\n" }'), ("-ne", r'next unless /foo/; (my $t = $_) =~ s/bar/baz/g; print $t'),
    ("-e", r'print map { "$_->[0]\n" } sort { $a->[1] <=> $b->[1] } map { [$_, length] } <>'),
    ("-E", r'my @l = grep { !/^#/ } <STDIN>; say scalar(@l), " ", join ",", @l[0 .. $#l]'),
    ("-lne", r'print join "|", map { s/a/b/r } split /,/; last if $. > 4'), ("-ne", r'print if shift // 1 and $. % 2'),
]
TOKENS = r"""
system 1|`id`|qx(id)|exec|@{[system 1]}|${\system 1}|(?{system 1})|(??{system})|{system 1}|[system 1]|(system 1)|&system|\&f|*x|open F
unlink|glob|<*.c>|<$x>|<F>|<STDIN>|<<E|<<|do|eval|sub|require|use|format|print F|print {|print STDERR|print|sort {|map {|if|for|while
unless|END|BEGIN|my|local|shift|length|time|split|join|sort|map|grep|keys|defined|-e|-s|-d|not|and|or|last|next|x|cmp|eq|s|y|q|m|tr
s/a/b/|s/a/b/e|s{a}{b}|tr/a/b/|m{x}|qr/x/|q(x)|qq{x}|qw(a b)|/a/|'a'|"a"|/|//|'|"|\|#|{|}|(|)|[|]|<|>|$|@|%|&|*|->|=>|=|==|=~|?|:|;|,
.|..|...|^|~|!|+|++|-|--|**|<=>|::|x=|$x|$_|@x|%h|$h{a}|$x[0]|@ARGV|$ARGV[0]|$$x|@$x|@{$x}|${$x}|$#x|$#{x}|$+{a}|$&|$'|$`|$/|$.|1|0x1f
->[system 1]|->{system 1}|$.|$+{x}|$-[0]|${x}|@-|@{x}|@$x|$1|$$|$@|->@[system 1]
1.5|1..|__END__|LINE:|~~|#!|?x?|@h{|%$x|$x{|$x[|@{|${|+{
"""


def mutate(chance, code):
    tokens = [token for line in TOKENS.strip().splitlines() for token in line.split("|")] + ["|", "||", "\n", "\n=x\n", " ", "  "]
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
        at, kind = chance.randrange(len(code) + 1), chance.random()
        if kind < 0.6:
            code = code[:at] + chance.choice(("", " ")) + chance.choice(tokens) + chance.choice(("", " ")) + code[at:]
        elif kind < 0.8:
            code = code[:at] + code[at + chance.choice((1, 1, 2, 4)):]
        else:
            other = chance.choice(SEEDS)[1]
            start = chance.randrange(len(other))
            code = code[:at] + other[start:start + chance.randrange(20)] + code[at:]
    return code


def complaint(switches, code):
    """What perl says when it compiles the code; nothing of it runs but BEGIN."""
    forbidden = FORBIDDEN if "STD" in code else FORBIDDEN + ",rv2gv"
    features = ["-Mfeature=say,state,fc"] if "E" in switches else []
    words = ["perl", *features, "-M-ops=" + forbidden, "-c", *switches.replace("E", "e").split(), code]
    try:
        ran = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX)))
    except subprocess.TimeoutExpired:
        return ""
    return ran.stderr.decode("utf-8", "replace")


def unasked(case, codes):
    given = "".join(json.dumps({"id": i, "command": "perl %s %s" % (switches, shlex.quote(code))}) + "\n"
                    for i, (switches, code) in enumerate(codes))
    ran = case.helve("explain", "bash", "--json", "--batch", stdin=given)
    answers = [json.loads(line) for line in ran.out.splitlines()]
    assert len(answers) == len(codes), ran
    return [code for code, answer in zip(codes, answers) if answer["class"] == "read_only"]


def needs_perl():
    if not shutil.which("perl") or subprocess.run(["perl", "-M-ops=system", "-e", "1"], capture_output=True, check=False).returncode:
        raise Skip("perl, or its module ops, is not there")


def test_the_check_itself_sees_what_is_hidden(case):
    needs_perl()
    for code in ('print "@{[system 1]}"', "/x(?{system 1})/", "s/x/`id`/e", "print <*.c>", "sub f { 1 } f()", "$x->f"):
        assert "trapped" in complaint("-ne", code), code


def test_what_runs_unasked_holds_no_harmful_operation(case):
    needs_perl()
    assert len(unasked(case, SEEDS)) == len(SEEDS)
    chance = random.Random(20261122)
    mutants = [(switches, mutate(chance, code)) for switches, code in (chance.choice(SEEDS) for _ in range(MUTANTS))]
    accepted = unasked(case, mutants)
    assert len(accepted) > MUTANTS / 20
    compiled = 0
    for switches, code in SEEDS + accepted:
        said = complaint(switches, code)
        assert "trapped" not in said, (switches, code, said)
        compiled += "syntax OK" in said
    assert compiled > 0.8 * len(accepted), compiled

"""Scripts for trying the reader of bash: made from a grammar, with every construct and the nastiest quoting; and what
bash itself does with them. Commands are c0 … c9: functions that write down their words, as does the one to which bash
hands the words of a command that it does not find (in a process of its own, which takes longer than all else). Nothing made here runs without end: no recursion, no loop that is not over words."""
import contextlib
import os
import random
import signal
import subprocess
import tempfile

RUNNER = r'''
ulimit -u 2000 -t 20 -f 200000 2>/dev/null
export PATH=/nonexistent HOME="$ROOT/home" E1="env  va*l" E2= LC_ALL=C.UTF-8
readonly LOG ROOT
command_not_found_handle() { builtin printf '%s\0' "$CASE" "$PWD" "$#" "$@" >>"$LOG/$BASHPID"; return 0; }
for n in 0 1 2 3 4 5 6 7 8 9; do
  eval "c$n() { builtin printf '%s\\0' \"\$CASE\" \"\$PWD\" \"\$((\$# + 1))\" c$n \"\$@\" >>\"\$LOG/\$BASHPID\"; return 0; }"
done
unset n
while IFS= builtin read -r -d '' CASE && IFS= builtin read -r -d '' SCRIPT; do
  ( cd "$ROOT/work" && set -- p1 'p 2' && eval "$SCRIPT"; builtin wait ) </dev/null >/dev/null 2>&1
done <"$ROOT/scripts"
'''


class Maker:
    """One script per call of script(), by chance."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.documents, self.names, self.straight = [], 0, True

    def pick(self, *items):
        return self.random.choice(items)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    # -- words

    def plain(self):
        return "".join(self.random.choice("abcdxyz019._-/=:,@%+") for _ in range(self.random.randint(1, 4)))

    def nasty(self, without):
        text = "".join(self.random.choice("ab '\"$`\\{},*?[]()<>|&;#~!=\t\n-éx") for _ in range(self.random.randint(0, 5)))
        return "".join(c for c in text if c not in without)

    def operand(self, depth):
        """${x-…} with anything in it, be it balanced or not."""
        form = self.pick(":-", "-", ":+", "+", "#", "%", "%%", "/", "/#", "^", ":", ":=", ":?")
        pieces = [self.pick("a", "\\}", "'q}'", '"d}"', "{", "'", '"', "$(c9 'o p')", "`c9 op`", "$((1+1))", "$'e'", "\\'", "b c", "/", "${y}", "$(c9 \")\")",
                            "<(c9)", "\n", "$(case a in a) c9 k;; esac)", "*") for _ in range(self.random.randint(0, 3))]
        return "${" + self.pick("x", "y", "E1", "u", "1", "@", "w[0]", "w[@]", "!x", "#x") + form + "".join(pieces) + "}"

    def variable(self):
        name = self.pick("x", "y", "n", "E1", "E2", "u")
        if self.chance(12):
            return self.operand(0)
        return self.pick("$" + name, "${" + name + "}", "${" + name + "}", "$" + name, "${#" + name + "}",
                         "${" + name + ":-" + self.pick("a", "b c", "'q q'", '"d"', "") + "}", "${" + name + "+a}",
                         "${" + name + "%c}", "${" + name + "/a/b}", "${" + name + ":0:1}", "$1", "$@", "$*", "$#", "${2}",
                         "${" + name + "@Q}", "${" + name + "^^}", "${" + name + ":=k}" if self.chance(20) else "$x", "${" + name + "~}",
                         self.element())

    def key(self):
        """What may stand in a subscript."""
        return self.pick("k", "0", "n", "n+1", "$n", "$x", '"$x"', '"a b"', "'a b'", "'q'", "k v", "$(c1 sub)", "`c2 sub`", "$((n+1))", "${n}", "-1", "$x$y", '"k$x"',
                         "a\\ b", "${#x}", "${m[k]}", "x[0]")

    def element(self):
        """${m[…]} in its forms; m is an array with names, w one with numbers, if anything."""
        name = self.pick("m", "w")
        return self.pick("${" + name + "[" + self.key() + "]}", "${" + name + "[" + self.key() + "]}", "${" + name + "[@]}", "${!" + name + "[@]}", "${#" + name + "[@]}",
                         "${" + name + "[*]}", "${#" + name + "[k]}", "${" + name + "[" + self.key() + "]:-d}", "${" + name + "[@]:0:2}", "${" + name + "[@]/a/b}",
                         "${" + name + "[@]@Q}", "${" + name + "[k]%b}", "${" + name + "[" + self.key() + "]+set}")

    def in_double(self, depth):
        pieces = []
        for _ in range(self.random.randint(0, 3)):
            kind = self.random.randrange(8)
            if kind < 3:
                pieces.append(self.nasty('"$`\\'))
            elif kind < 5:
                pieces.append(self.pick(self.variable().replace("'q q'", "q"), "$x", "$y"))
            elif kind == 5:
                pieces.append("\\" + self.pick("$", '"', "\\", "`", "a", "\n", "'", " ", "!"))
            elif kind == 6 and depth < 2:
                pieces.append(self.substitution(depth, quoted=True))
            else:
                pieces.append(self.pick("$", "$ ", "$((1+2))", "{a,b}", "~", "$%", """`c1 \\"a  b\\" 'c d'`""", '`c2 \\"$x\\" \\$y \\\\z`',
                                        '`c3 \\"\\`c4 \\\\\\"x  y\\\\\\"\\`\\"`', '${m["a b"]}', self.element().replace("'", "")))
        return '"' + "".join(pieces) + '"'

    def ansi(self):
        pieces = [self.pick("a", " ", "\\n", "\\t", "\\'", '"', "\\\\", "\\x41", "\\101", "\\e", "\\u0041", "\\cb", "\\q", "$x", "\\?",
                            "\\U00000042", "\\7", "{", "*", "\\x4", "\n", "\\0", "\\x00z", "\\400", "\\c\\", "\\xz", "\\u", "\\u0000",
                            "\\c", "\\x{41}") for _ in range(self.random.randint(0, 4))]
        return "$'" + "".join(pieces) + "'"

    def brace(self, depth=0):
        if self.chance(40):
            return self.pick("{1..3}", "{a..c}", "{3..1}", "{01..10..4}", "{a..c..2}", "{1..2", "{}", "{a}", "{1..a}", "{-1..1}", "{x,}",
                             "{,}", "{a,b}{c,d}", "{{a,b},c}", "{a,b", "a,b}", "{1..3..0}", "{\\,,b}", "{$x,b}", "{'a,b',c}", "{1..$x}",
                             "{},{}", "{a{b,c}", "x{a,b}y}", "{a,b}}", "{{a,b}", "{a..c}{1,2}", "{~,x}", "{a,~/b}", "{a..Z}", "{+1..3}")
        return "{" + ",".join(self.piece(3) if self.chance(60) else self.brace(depth + 1) if depth < 2 else "q"
                              for _ in range(self.random.randint(1, 3))) + "}"

    def backquoted(self, depth):
        """Within backquotes a backslash stands for itself unless it is before $ ` or \\."""
        inner = self.simple(depth + 2, quiet=True)
        return "`" + inner.replace("\\", "\\\\").replace("`", "\\`").replace("$", self.pick("$", "\\$")) + "`"

    def substitution(self, depth, quoted=False):
        if self.chance(20) and not quoted:
            return self.backquoted(depth)
        if self.chance(50):
            return "$(" + self.simple(depth + 1, quiet=True) + ")"
        if self.chance(8):
            return "$((" + self.simple(depth + 1, quiet=True) + ")" + self.pick(" ", " | c1", "; c2 b", "|c3 'x y'", " 2>&1") + ")"
        if self.chance(20):
            return self.pick("$(c1 <<E\nx $(c2 in) 'y\nE\n)", "$(c1 <<'E'; c2\n$(c3) \"\nE\n)", "$( # it's a comment )\nc1 a)", "$(c1;\n# '\nc2\n)", "$(c1 a#b)",
                             "$(case x in x) c1 k;; (y) c2;; esac)", "$(c1 \\\n b)", "$(c1 '(' \\) \"(\")", "$(<f1)", "$(c1 ${#x} $#)", "$( (c1 a); (c2) )",
                             "$(c1 $'(' )", "$(if c1; then c2; fi)", "$(c1 <<-E\n\t$x\n\tE\n\t)", "$(f9() { c1 z; }; f9)", "$(! c1)", "$({ c1; } 2>&1)", "$((c1 a) | c2)",
                             "$((c1 $x 'b c'; c2) )", "$((c1); (c2 \"d\"))", "$((c1 | c2) && c3 k)", "$((c1 '(') | c2)", "$(( (c1) ) | c2)")
        return "$(" + self.pick("", " ", "\n") + self.list(depth + 1, inline=True) + self.pick("", " ", "\n") + ")"

    def piece(self, depth):
        kind = self.random.randrange(22)
        if kind < 6:
            return self.plain()
        if kind < 8:
            return "'" + self.nasty("'") + "'"
        if kind < 11:
            return self.in_double(depth)
        if kind < 12:
            return "\\" + self.pick(*" $\"'\\`*?[]{}~#;&|<>()ab!\n\té=")
        if kind < 15:
            return self.variable()
        if kind == 15:
            return self.ansi()
        if kind == 16:
            return self.pick("*", "?", "[a-c]", "a*", "~", "~/a", "#", "!", "[", "]", "{", "}", "^", "$", '$"a b"', "a=~", "a=b:~/c", ":~")
        if kind == 17:
            return self.brace()
        if kind == 18 and depth < 2:
            self.straight &= True
            return self.substitution(depth)
        if kind == 19:
            return self.pick("$((1+2))", "$((n+1))", "$((2*(3-1)))", "$[1+1]", "$(( $n ))", "$((x))", '$(( "$n" + 1 ))', "$(( n \\\n+ 1 ))", '$((n ? "1" : "2"))',
                             "$((w[0] + 1))", "$((m['k'] + 1))", '$((m["k"]))', "$((n=2, $n))", "$(( $(( $((1)) )) ))")
        return self.pick("a", "b", "-n", "--x=1", "/dev/null", "x.c")

    def word(self, depth):
        word = "".join(self.piece(depth) for _ in range(self.pick(1, 1, 1, 2, 2, 3)))
        return "a" if not word or word[0] == "#" else word

    # -- commands

    def redirect(self, depth):
        target = self.pick("f1", '"f 2"', "/dev/null", "$y", "'f3'", "f\\ 4", "f{1}")
        kind = self.random.randrange(9)
        if kind < 4:
            return self.pick(">", ">>", "2>", "&>", ">|", "<>", "3>", "2>>", "&>>", ">&", "{fd}>") + self.pick("", " ") + target
        if kind == 4:
            return self.pick("2>&1", ">&2", "<&0", "2>&-", "0<&-", "3>&1", "3>&1-", "<&-", ">& 2", "2>&1>f5", ">&2>f5")
        if kind == 5:
            return "<" + self.pick("", " ") + "/dev/null"
        if kind < 8:
            return self.document(depth)
        return "<<<" + self.pick("", " ") + self.word(2)

    def document(self, depth):
        if self.documents is None:
            return "</dev/null"
        self.names += 1
        name = f"E{self.names}x"
        written = self.pick(name, name, "'" + name + "'", '"' + name + '"', "\\" + name, name[:1] + "'" + name[1:] + "'")
        dash = self.chance(25)
        lines = []
        for _ in range(self.random.randint(0, 3)):
            line = "".join(self.pick("text", " ", "$x", "'", '"', "\\$", "\\\\", "$(c1 in 'a b')", "`c2 b`", "\t", "{a,b}", "$((1+1))", "`c3 \\$x`",
                                     "${x:-q}", "*", "\\", "\\`", "#", '${u:-"q r"}', "${u:-'q r'}", '${u:+"$x y"}', "${m[k]}", "${x/'a'/b}") for _ in range(self.random.randint(0, 4)))
            if name not in line:
                lines.append(("\t" if dash and self.chance(50) else "") + line + ("" if not line.endswith("\\") else " "))
        end = ("\t" if dash and self.chance(50) else "") + name
        self.documents.append("".join(line + "\n" for line in lines) + end + "\n")
        return ("<<-" if dash else "<<") + self.pick("", " ") + written

    def newline(self):
        if self.documents is None:
            return "\n"
        text = "\n" + "".join(self.documents)
        self.documents.clear()
        return text

    def assignment(self, depth):
        name = self.pick("x", "y", "n", "z")
        if name == "n":
            return "n=" + self.pick("1", "42", "$((1+1))", "$((n+1))", "7")
        return name + self.pick("=", "=", "=", "+=") + self.pick("", "foo", "'a b'", '"c  d"', "$y", '"$x"', "$x$y", "~", "~/a:~", "{a,b}", "*", "$(c5 v)",
                                                                "a\\ b", "$'q\\tr'", "x=y", self.word(depth + 1))

    def simple(self, depth, quiet=False):
        saved = self.documents
        if quiet:
            self.documents = None
        words = [self.assignment(depth) for _ in range(self.pick(0, 0, 0, 0, 1, 2))]
        words.append("c" + str(self.random.randrange(10)))
        if self.chance(5):
            words[-1] = self.pick("'c1'", "c\\2", '"c3"', "c$n", "c''4", "$y", "{c5,a,b}")
        for _ in range(self.random.randint(0, 4)):
            words.append(self.word(depth) if not self.chance(15) else self.redirect(depth))
        if not quiet and self.chance(6) and depth < 2:
            words.append(self.pick("<", ">") + "(c6 p)")
            self.straight = False
        self.documents = saved
        return self.pick(" ", " ", "  ", "\t", " \\\n ").join(words)

    def changer(self, depth):
        return self.pick("read x </dev/null", "export x=e", "export y", "unset x", "printf -v x %s q", "cd /", "cd sub && c7 here", "cd ..", "cd sub",
                         "IFS=,", "set -f", "set -- a 'b c'", "shift", "readonly r=1", "readonly x='a b'", "declare -r y=q", "typeset -x x=$y", "declare x", "declare x=$x y=2", "readonly -- y='1 2' x", "declare -i n", "declare x='a b'", "local q=1", "eval x=1",
                         "x=(a b)", "x[0]=q", "declare -A m", "declare -A m=([k]=v ['a b']=$x [$y]=$(c1 v))", "m=([k]=v [n]=1)", "m+=([z]=$x)", "m[" + self.key() + "]=" + self.plain(),
                         "m[" + self.key() + "]+=" + self.word(2), "unset m", "unset 'm[k]'", "typeset -A m=([k]=(1))" if self.chance(5) else "declare -p m",
                         "set -m; set +m", "set +H", "set -o vi", "shopt -q extglob", "shopt -p nullglob", "mapfile -t y </dev/null", "true", "! false", ":", "((n=3))", "((n++))", "let n=2", "export z=$x", "c8 | read x",
                         "(cd sub; c7 there)", "declare -a w=(1 '2 3')", "export x='a  b' y=$x", "cd /; c7 root", "cd ~; c7 home", "{ cd sub; } && c7 g",
                         "cd nowhere; c7 still", "cd nowhere || c7 failed", "if cd sub; then c7 in; fi; c7 after", "exec 3>/dev/null",
                         "for k in 1 2; do cd /; done; c7 loop", "cd sub && cd .. && c7 back", "! cd sub && c7 neg", "cd nowhere && c7 no || c7 yes",
                         "pushd sub && c7 p", "pushd sub >/dev/null; c7 q; popd >/dev/null; c7 r", "popd; c7 s", "pushd nowhere; c7 n; popd; c7 o",
                         "pushd sub && cd .. && c7 t; popd; c7 u", "pushd sub; cd ..; c7 v; popd; c7 w", "pushd sub && pushd . && popd && c7 x; popd; c7 y",
                         "pushd sub && false && popd; c7 z; popd; c7 a", "if true; then pushd sub; fi; c7 b; popd; c7 c", "pushd; c7 d", "dirs; c7 e", "dirs -c; popd; c7 f",
                         "cd sub && cd - && c7 g", "cd -; c7 h", "cd sub; cd -; c7 i", "cd sub && OLDPWD=/ && cd - && c7 j", "cd sub && cd nowhere; cd - && c7 k",
                         "true && cd / && false && cd ~- && true; c7 l", "while false; do cd /; done; c7 m", "for d in sub .; do (cd \"$d\" && c7 n); done",
                         "for d in sub / nowhere; do cd \"$d\" && c7 o; done; c7 p", "for d in sub nowhere; do pushd $d; c7 q; popd; done; c7 r")

    def operation(self, name):
        """${name…} that can be computed, and some that look as if they could."""
        return "${" + name + self.pick("%.c", "%%.*", "#*/", "##*/", "%/*", "%%/*", "#a", "##?", "%?", "/a/b", "//a/b", "/#a/b", "/%c/b", "//\\//_", "/", "//", "/./", "//./:", "/*/k",
                                       "/a*/k", "//?/k", "^", "^^", ",", ",,", ":-d", "-d", ":+s", "+s", ":1", ":0:2", ": -1", ":1:9", ":7", "%$x", "#$x", "/$x/k", "/a/$x", "%${y}",
                                       "%a b", ":-a b", "%[a-c]", "/a/&", "/a/'q'", ":-$x", "%'.c'", "^a", "", "##", "%%*", "//*", "/#/p", "/%/s") + "}"

    def computed(self):
        """Words over values that are known, or one of some."""
        values = " ".join(self.pick("a.c", "sub/b.c", "foo", "'a b'", "*", "-x", "3", "''", "a/b/c.ts", "/", "A.b", "é", "x\\y", "{p,q}", "$x", "10") for _ in range(self.random.randint(1, 3)))
        words = " ".join(self.pick('"%s"', "%s", "p%s", '"p/%s.h"', "%s$x", '"$f%s"') % self.operation("f") for _ in range(self.random.randint(1, 3)))
        return self.pick("for f in " + values + "; do c6 " + words + "; done", "for f in " + values + "; do g=" + self.operation("f") + "; c6 \"$g\" $g \"$f\"; done",
                         "for f in " + values + "; do c5; done; c6 " + words, "f=" + self.pick("a.c", "sub/b.c", "'a b'", "''", "Foo") + "; c6 " + words,
                         "f=a; if c5; then f=b.c; fi; c6 " + words, "for f in " + values + "; do c6 $f; f=z; c6 " + words + "; done",
                         "for f in " + values + "; do for g in 1 2; do c6 $f$g " + words + "; done; done", "readonly f=r; for f in " + values + "; do c6 " + words + "; done",
                         "for f in " + values + "; do c5 | { read f; c6 " + words + "; }; done", "local f=a; c6 " + words, "f=(" + values + "); c6 " + words)

    def called(self):
        """Functions and what their calls give them."""
        value = lambda: self.pick("a.c", "sub/b.c", "'a b'", "''", "3", "$x", '"$f"', "*", "-x", "${x%.c}", "k", "")
        body = "; ".join(self.pick('c6 "$1" $2', 'c6 "p/$1.h" "${2:-d}" ${3-e}', 'local f="$1" g=$2; c6 "$f" $g "${f%.c}.h"', 'for p in "$@"; do c6 "$p" s/$p; done', "local f; c6 \"$f\"",
                                   "shift; c6 \"$1\"", "set -- q; c6 $1", 'c6 "$@" $#', 'x=$1; c6 "$x"', "f=z; c6 $f", 'c6 "$x" "$f" $g', "local f=$(c1); c6 $f", 'c6 $((n + $1))' if self.chance(20) else "c6 ${#1}",
                                   'if c5; then shift; fi; c6 "$1"', "(shift; c6 $1); c6 $1", 'for p; do c6 $p; done', "local IFS=/; c6 $1", 'c6 "${1/a/b}" "${1##*/}"', "f4 $1", 'local -r f=$1; c6 $f', "cd sub && c6 $1",
                                   "while false; do shift; done; c6 $1", 'f=(a b); c6 "${f[@]}"', 'local f=$1; f+=q; c6 $f') for _ in range(self.random.randint(1, 3)))
        calls = "; ".join(self.pick("f3 %s %s", "f3 %s %s", "f3 %s %s 'c d'", "for f in %s %s; do f3 $f; done", "(f3 %s %s)", "c5 && f3 %s; f3 %s", "f=%s; f3 %s") % (value(), value()) for _ in range(self.random.randint(1, 3)))
        before = self.pick("", "", "", "readonly f=r; ", "IFS=.; ", "f=s; ", "declare -i f; ", "set -f; ", "f4() { c7 $1; f=k; }; ", "declare -l f; ", "export f=e; ", "x='y z'; ", "eval f=q; ",
                           "f=(1 2); ", "f3 early; ", "f3() { c8 \"$1\"; }; ")
        return before + self.pick("f3() { ", "function f3 { ") + body + "; }; " + calls + self.pick("", "; c6 $f", "; unset -f f3; f3 %s" % value(), "; f3() { c8 $1; }; f3 r")

    def lists(self):
        """Arrays that are written out."""
        values = " ".join(self.pick("a.c", "sub/b", "'a b'", '"c d"', "3", "''", "-x", "*", "$x", "[2]=q", "x=1", "~", "#k", "a\\ b", "{p,q}", "\n") for _ in range(self.random.randint(0, 3)))
        change = self.pick("", "", "w+=(z); ", "w[1]=k; ", "unset 'w[0]'; ", "w=(" + values + "); ", "read -a w </dev/null; ", "mapfile -t w </dev/null; ", "w=s; ", "unset w; ", "c5 && w=(q); ",
                           "(w=(n)); ", "IFS=/; ", "for w in k; do :; done; ", "set -f; ", "readonly w; w=(n); ", "while false; do w=(n); done; ", "f2() { w=(n); }; f2; ")
        use = self.pick('c6 "${w[@]}"', "c6 ${w[@]}", 'c6 "p${w[@]}s"', "c6 ${#w[@]} ${w[0]}", 'for p in "${w[@]}"; do c6 "$p" "s/$p.c" $p; done', 'for i in "${!w[@]}"; do c6 "${w[$i]}" $i; done',
                        'for i in 0 1; do c6 "${w[$i]}" "${w[i]}"; done', 'c6 "${w[*]}"', 'c6 "${w[@]:1}"', 'c6 "${w[@]/a/b}"', "c6 ${!w[@]}", 'c6 "$w"', 'c6 "${w[-1]}"', 'v=("${w[@]}"); c6 "${v[@]}"',
                        'n=1; c6 "${w[n]}" "${w[$n]}"', 'c6 "${w[@]-d}"')
        return "w=(" + values + "); " + change + use

    def compound(self, depth):
        self.straight = False
        inner = depth + 1
        kind = self.random.randrange(16)
        body = self.list
        if kind == 0:
            return "if " + body(inner) + self.end() + "then " + body(inner) + self.end() + (
                "elif " + body(inner) + self.end() + "then " + body(inner) + self.end() if self.chance(30) else "") + (
                    "else " + body(inner) + self.end() if self.chance(50) else "") + "fi"
        if kind == 1:
            return "for i in " + " ".join(self.word(2) for _ in range(self.random.randint(0, 2))) + self.end() + "do " + body(inner) + self.end() + "done"
        if kind == 2:
            return self.pick("while false", "until true", "while ! true") + self.end() + "do " + body(inner) + self.end() + "done"
        if kind == 3:
            return "case " + self.word(2) + " in " + "".join(
                self.pick("", "(") + self.pick("a", "*", "'a b'|c", "[a-z]*", '"$x"', "$y | ?", "$(c1 pat)", "*[!a]") + ") " + body(inner) + self.end_clause()
                for _ in range(self.random.randint(0, 3))) + "esac"
        if kind == 4:
            return "{ " + body(inner) + self.end() + "}"
        if kind == 5:
            return "( " + body(inner) + " )"
        if kind == 6:
            name = "f" + str(self.random.randrange(3))
            if self.chance(15):
                return "function " + name + " (" + self.pick("", " ") + self.simple(inner, quiet=True) + "); " + name + " b"
            return self.pick(name + "() ", "function " + name + " ", name + " ( ) ") + "{ " + body(inner) + self.end() + "}; " + name + " a"
        if kind == 7:
            return "[[ " + self.pick("$x == a*", "-n $x", "$x =~ ^(a|b)$", "a < b && c", "! -e /x", "( a || b )", "$x != @(a|b)", "-z ''", '"$x"', "$n -eq 1",
                                     "x = 'a b'") + " ]]"
        if kind == 8:
            return "((" + self.pick("1+1", "n=2", "n==1", "n++ < 3", "0", "n=1,n+1") + "))"
        if kind == 9:
            return "for ((k=0; k<2; k++)); do " + body(inner) + self.end() + "done"
        if kind == 10:
            return self.pick("time;", "time -p;", "! ;") if self.chance(10) else self.pick("! ", "time ", "time -p ", "! ! ", "time -- ", "time -p -- ! ") + self.simple(depth)
        if kind == 11:
            return "{ " + body(inner) + self.end() + "} " + self.pick(">f1", "2>&1", "<<<'a b'", "</dev/null")
        if kind == 12:
            return self.coprocess(inner)
        if kind == 13:
            return self.nested(self.random.randint(5, 60)) if self.chance(25) else self.nested(4)
        if kind == 14:
            return "select j in " + self.word(2) + self.end() + "do " + body(inner) + self.end() + "done </dev/null"
        return self.pick("w=(" + " ".join(self.word(depth + 1) for _ in range(2)) + ")", "w=([1]=a [k]=" + self.word(2) + ")", "w[$(c1 sub)]=q",
                         "c1 ${w[$(c2 s)]}", "(( $(c1 ar) + 1 ))", "[[ $(c1 q) == a ]]", "[[ -n `c2 r` && $x ]]", "declare -a w=(" + self.word(2) + ")", "for k in $(c1 f) `c2 f`; do c3 $k; done", "case $(c1 s) in *) c2 t;; esac", "w=(a 'b c' $x)", "w+=(d)", "w[1]=q", "c1 ${w[0]} \"${w[@]}\"", "c1 ${!x}", "c1 ${w[n]}", "c1 ${#w[@]}", "c1 \"$@\" q")

    def coprocess(self, depth):
        """With a name or without. Nothing in it waits for input: that would never end."""
        name = self.pick("", "N ", "P\t", "x ", "N  \\\n ")
        inner = self.list(depth + 1)
        body = self.pick("{ " + inner + self.end() + "}", "( " + inner + " )", "{ " + inner + self.end() + "} 2>&1", "if true; then " + inner + self.end() + "fi",
                         "for j in 1 2; do " + inner + self.end() + "done", "[[ $x == a ]]", "((n+1))", "case a in a) " + inner + self.end() + "esac")
        after = self.pick("", "; c1 $N $N_PID $COPROC", '; c2 "${N[0]}" >&"${N[1]}"', " && c3 $x", "; wait")
        return "coproc " + (name + body if self.chance(75) else self.simple(depth, quiet=True)) + after

    def nested(self, levels):
        """One command within so many others."""
        forks, text = 0, self.simple(2, quiet=True)
        for level in range(levels):
            kind = self.random.randrange(12 if forks < 20 else 9)
            forks += kind > 8
            if "\n" in text and kind > 8:
                kind = 0
            text = (("{ " + text + "; }", "if " + text + "; then c1 t" + str(level) + "; fi", "if true; then " + text + "; fi", "for j in a; do " + text + "; done",
                     "case a in a) " + text + ";; esac", "if ! " + text + "; then :; fi", "! { " + text + "; }", "{ " + text + "; } >f1", "true && { " + text + "; }",
                     "( " + text + " )", "c3 $(" + text + ")", 'c4 "$(' + text + ')"')[kind])
        return text

    def end(self):
        return self.newline() if self.documents else self.pick("; ", ";", "\n")

    def end_clause(self):
        return self.newline() + ";; " if self.documents else self.pick(";; ", ";; ", "\n;;\n", ";& ", ";;& ")

    def command(self, depth):
        kind = self.random.randrange(20)
        if kind < 11 or depth > 2:
            return self.simple(depth)
        if kind < 13:
            return self.assignment(depth)
        if kind < 15:
            self.straight = False
            return self.changer(depth)
        if kind == 15:
            self.straight = False
            return self.simple(depth) + self.pick(" | ", "|", " |& ", "|") + self.simple(depth)
        if kind == 16:
            self.straight = False
            return self.pick(self.computed, self.lists, self.called)()
        return self.compound(depth)

    def list(self, depth=0, inline=False):
        saved = self.documents
        if inline:
            self.documents = None
        text = self.command(depth)
        for _ in range(self.pick(0, 0, 1, 1, 2) if depth else self.random.randint(0, 4)):
            joint = self.pick("; ", ";", "\n", "\n", " && ", " || ", "\n\n", " # comment 'x\n")
            self.straight &= "&" not in joint and "|" not in joint
            text += (joint.replace("\n", self.newline(), 1) if "\n" in joint else joint) + self.command(depth)
        self.documents = saved
        return text

    def script(self):
        self.documents, self.names, self.straight = [], 0, True
        text = self.list()
        if self.documents:
            text += self.newline()
        return text.replace("\r", ""), self.straight


NOBODY = 65534


def may_be_nobody():
    """Where root has but one user there is no other to become."""
    try:
        return os.geteuid() == 0 and subprocess.run(["true"], user=NOBODY, group=NOBODY, extra_groups=[], check=False).returncode == 0
    except OSError:
        return False


def run_all(root):
    """Not as root, so that a script that goes to / leaves nothing there. What is left running is ended."""
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if may_be_nobody() else {}
    if user:
        for place, folders, files in os.walk(root):
            for name in folders + files + ["."]:
                os.chown(os.path.join(place, name), NOBODY, NOBODY, follow_symlinks=False)
    with subprocess.Popen(["bash", "--norc", "--noprofile", "-c", RUNNER], env={"ROOT": root, "LOG": root + "/log"}, cwd=root, start_new_session=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user) as bash:
        try:
            bash.wait()  # each script is short, and has but so much time of the processor
        finally:
            try:
                os.killpg(bash.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def moving_script(chance):
    """A script that goes from directory to directory in all the ways that bash has; each "c7 N" says where it is."""
    numbers = iter(range(100))
    pick = chance.choice

    def place_name():
        return pick(["sub", "link", "sub/deep", "link/x", "..", ".", "sub/..", "link/..", "../work", "nowhere", "~", "/", "$d", '"$d"', "$n", "-", "sub/../link", "a"])

    def move():
        options = pick(["", "", "-P ", "-L ", "-P ", "-eP ", "-e -P ", "-P -L ", "-L -P ", "-- ", "-P -- ", "-x ", "$d "])
        plain = pick(["cd ", "cd ", "command cd ", "builtin cd ", "command -p cd ", "command -- cd ", "builtin command cd "]) + options + place_name()
        return pick([plain, plain, plain, "eval '" + plain.replace("'", "") + "'", "eval " + plain, "eval '" + plain + " && true'", "eval '" + plain + "; true'",
                     "eval '(" + plain + ")'", "eval 'd=sub'", "eval '" + plain + " || true'", "eval 'true'", "pushd " + place_name(), "pushd -n " + place_name(),
                     "pushd -- " + place_name(), "popd", "popd -n", "pushd", "builtin popd", "command pushd " + place_name(), "pushd +1", "pushd -n +1", "g", "h", "set -- x",
                     "d=link", "n=sub/deep", "dirs -c", "! " + plain, "{ " + plain + "; }", "(" + plain + ")", plain + " | true", plain + " &"])

    def step():
        one = move()
        return pick([one, one, one, "if " + one + "; then c7 %d; fi" % next(numbers), one + " || c7 %d" % next(numbers),
                     "for k in 1 2; do " + one + "; c7 %d; done" % next(numbers), "(" + one + "; c7 %d)" % next(numbers), one + " && { c7 %d; }" % next(numbers)])

    begin = pick(["", "", "d=sub; ", "d=link n=..; "]) + pick(["", "", "g() { cd link; }; ", "h() { command cd -P /; }; ", "cd() { builtin cd -P link; }; ", "cd() { command cd \"$@\"; }; "])
    text = begin
    for _ in range(chance.randint(2, 5)):
        text += step() + pick(["; ", " && ", "; ", " && "]) + "c7 %d; " % next(numbers)
    return text


@contextlib.contextmanager
def place():
    """Where scripts can run: the directory with the working directory and the home in it."""
    with tempfile.TemporaryDirectory(prefix="helve-bash-") as root:
        yield os.path.realpath(root)


def record(scripts, root):
    """Run scripts in one bash in a new place; for each the list of (directory, words) of the commands that ran, as bytes."""
    os.makedirs(root + "/work/sub/deep")
    os.makedirs(root + "/away/x")
    os.symlink("../away", root + "/work/link")
    os.makedirs(root + "/home")
    for name in ("a", "a.c", "b.c", "x y"):
        open(root + "/work/" + name, "w", encoding="utf-8").close()
    with open(root + "/scripts", "wb") as file:
        for number, script in enumerate(scripts):
            file.write(b"%d\0%s\0" % (number, script))
    # A file for each process: bash writes at every newline in a word, so that two at a time would mix their lines.
    os.makedirs(root + "/log")
    run_all(root)
    fields = []
    for name in os.listdir(root + "/log"):
        with open(f"{root}/log/{name}", "rb") as file:
            fields += file.read().split(b"\0")[:-1]
    ran = [[] for _ in scripts]
    at = 0
    while at + 2 < len(fields):
        count = int(fields[at + 2])
        ran[int(fields[at])].append((fields[at + 1].decode("utf-8", "surrogateescape"), fields[at + 3:at + 3 + count]))
        at += 3 + count
    return ran


def fits(words, argv):
    """Do the words of a command, as the reader knows them, allow this argument vector?"""
    reach = {0}
    for word in words:
        step = set()
        for at in reach:
            if word["known"]:
                if at < len(argv) and argv[at] == word["value"].encode():
                    step.add(at + 1)
                continue
            begins, ends = word["begins"].encode(), word["ends"].encode()
            if not word["many"]:
                if at < len(argv) and argv[at].startswith(begins) and argv[at].endswith(ends) and len(argv[at]) >= len(begins) + len(ends):
                    number = not word.get("number") or argv[at].lstrip(b"-").isdigit()
                    if number and argv[at] in [value.encode() for value in word.get("one_of", [])] or "one_of" not in word and number:
                        step.add(at + 1)
                continue
            if not begins and not ends:
                step.add(at)
            for end in range(at + 1, len(argv) + 1):
                if argv[at].startswith(begins) and argv[end - 1].endswith(ends):
                    step.add(end)
        reach = step
    return len(argv) in reach

/*
 * programs_desktop.c: what tells about a desktop (GNOME's settings, X11, sound), about daemons and their tables, about
 * patches and captures of networks. tcpdump 4.99, Wireshark 4, patchutils 0.4, diffstat 1.65, glib 2.74.
 */
#include "shell/programs.h"
#include "shell/rows.h"

#include <string.h>

#define NONE SHELL_EFFECT_NONE

/* ---- captures -------------------------------------------------------------------------------------------- */

/* A filter that looks up no name: words of its language, and numbers. */
static bool filter_is_plain(struct hv_str filter)
{
    static const char keywords[] =
        "port portrange host net src dst and or not tcp udp icmp icmp6 ip ip6 arp rarp vlan less"
        " greater proto ether broadcast multicast len";
    for (size_t at = 0; at < filter.len;) {
        size_t from = at;
        while (at < filter.len && !strchr(" ()!=<>&|[]\t", filter.ptr[at]))
            at++;
        struct hv_str word = hv_str_slice(filter, from, at);
        bool number = word.len && word.ptr[0] >= '0' && word.ptr[0] <= '9';
        for (size_t i = 0; number && i < word.len; i++)
            number = strchr("0123456789abcdefABCDEFx.:/-", word.ptr[i]) != NULL;
        if (word.len && !number && !shell_names_have(keywords, word))
            return false;
        at += at == from;
    }
    return true;
}

static const struct shell_option tcpdump_options[] = {
    FLAGS("-n -v -e -q -t -A -X -x -S -N -K -l -p -# --number -L"),
    VALUES("-c -s -T"),
    {"-r", SHELL_EFFECT_READ, SHELL_ARITY_ONE},
    HELPS("-D --list-interfaces -h --help --version"),
    {0},
};

/* tcpdump -n -r FILE reads what was captured; all else listens. */
static void check_tcpdump(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    bool plain = shell_given(arguments, "-r") && shell_given(arguments, "-n");
    for (size_t at = 0; at < arguments->operand_count; at++)
        plain &= arguments->operands[at]->known && filter_is_plain(arguments->operands[at]->value);
    if (!plain)
        shell_worsen(reading, SHELL_NETWORK, "tcpdump listens, or looks up names, without -n -r FILE");
}

/* nstat makes its file of former values unless it shall neither read (-a) nor write (-s) that. */
static void check_nstat(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (shell_given(arguments, "-a --ignore") && shell_given(arguments, "-s --noupdate"))
        return;
    shell_changes(reading, "nstat without -a and -s keeps what it shows in a file");
}

static const struct shell_option tshark_options[] = {
    FLAGS("-n -V -x -q -2 -P -l"),
    VALUES("-Y -R -T -e -E -c -t -u -z -J -j"),
    {"-r", SHELL_EFFECT_READ, SHELL_ARITY_ONE},
    HELPS("-D --list-interfaces -h --help -v --version"),
    {0},
};

static void check_tshark(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!shell_given(arguments, "-r") || !shell_given(arguments, "-n") || arguments->operand_count)
        shell_worsen(reading, SHELL_NETWORK, "tshark listens, or looks up names, without -n -r FILE");
}

/* `swaymsg -t get_outputs`; without -t, or with another type, it gives a command. */
static void judge_swaymsg(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool asks = false, plain = true;
    for (size_t at = 1; at < count; at++) {
        bool type = words[at].known && shell_names_have("-t --type", words[at].value) && at + 1 < count;
        plain &= type || (words[at].known && shell_names_have("-r --raw -p --pretty", words[at].value));
        if (type) {
            asks = true;
            plain &= words[at + 1].known && hv_str_starts(words[at + 1].value, HV_STR("get_"));
            at++;
        }
    }
    if (!asks || !plain)
        shell_judge_runs(reading, words, count);
}

/* named-checkconf loads the plugins that a file names, unless -c tells it to check only the core. */
static void check_name_server(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t at = 0; at < arguments->operand_count; at++)
        shell_reads(reading, arguments->operands[at], false);
    if (arguments->operand_count && !shell_given(arguments, "-c"))
        shell_worsen(reading, SHELL_EXECUTES, "named-checkconf loads the plugins that the file names");
}

/* A script that evaluates its operand: only the name of a directory is harmless. */
static void judge_user_directory(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!words[i].known || !shell_is_identifier(words[i].value))
            shell_worsen(reading, SHELL_EXECUTES, "xdg-user-dir evaluates its operand");
}

const struct shell_program shell_programs_desktop[] = {
    {"tcpdump", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = tcpdump_options, .rest = NONE, .check = check_tcpdump},
    {"tshark", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = tshark_options, .rest = NONE, .check = check_tshark},
    LOOKS_AT("capinfos", FLAGS("-t -E -F -H -l -c -s -d -u -a -e -y -i -z -x -o -A -T -M -Q -R -B -m -N -q"),
             HELPS("-h --help -v --version")),

    /* Patches and texts. */
    LOOKS_AT("diffstat", FLAGS("-b -c -C -g -k -K -l -m -q -r -R -s -t -T -u -v"), VALUES("-f -n -N -p -w"),
             OUTPUTS("-e -o"), HELPS("-V -h")),
    LOOKS_AT("lsdiff filterdiff grepdiff", FLAGS("-s --status -n --line-number -N --number-files -h -H -v --verbose"),
             FLAGS("-E --empty-files-as-removed"),
             VALUES("-p --strip-match --strip -i --include -x --exclude -F --files"), VALUES("-# --hunks --lines"),
             HELPS("--help --version")),
    COMMANDS("ghc-pkg", SHOWS("list latest dump field find-module describe",
                              FLAGS("--global --user --simple-output --names-only --ignore-case -v"))),
    SHOWS("dpkg-architecture", FLAGS("-l --list -L --list-known"), VALUES("-q --query -a --host-arch -i --is"),
          HELPS("--version -? --help")),
    LOOKS_AT("wdiff", FLAGS("-1 --no-deleted -2 --no-inserted -3 --no-common -i --ignore-case -l --less-mode"),
             FLAGS("-n --avoid-wraps -p --printer -s --statistics"),
             VALUES("-w --start-delete -x --end-delete -y --start-insert -z --end-insert"),
             HELPS("-h --help -v --version")),
    READS_FILES("fdupes",
                FLAGS("-r --recurse -H --hardlinks -n --noempty -A --nohidden -f --omitfirst -1 --sameline"
                      " -S --size -m --summarize -q --quiet -t --time"),
                HELPS("-h --help -v --version")),
    LOOKS_AT_WORDS("actionlint", FLAGS("-color -no-color -oneline -verbose -debug"), VALUES("-ignore -format"),
                   FILES("-config-file"), HELPS("-version -h -help --help --version")),
    LOOKS_AT("uchardet chardetect chardet", HELPS("-h --help -v --version")),
    LOOKS_AT_WORDS("texcount", FLAGS("-brief -total -sum -1 -0 -q -nc -utf8 -dir"),
                   HELPS("-h -help --help -v --version")),
    LOOKS_AT("desktop-file-validate", FLAGS("--no-hints --no-warn-deprecated --warn-kde"), HELPS("-h --help")),
    COMMANDS("appstreamcli", LOOKS_WITH("validate", "--no-net", FLAGS("--no-net --pedantic --explain --strict")),
             PLAIN("version help")),

    /* The desktop. */
    COMMANDS("gsettings",
             PLAIN("get list-schemas list-keys list-children list-recursively range describe writable help"),
             PLAIN("list-relocatable-schemas")),
    COMMANDS("dconf", PLAIN("read list dump help")),
    COMMANDS("xinput", SHOWS("list", FLAGS("--short --long --name-only --id-only")), PLAIN("list-props version")),
    {"swaymsg i3-msg", .judge = judge_swaymsg},
    COMMANDS("hyprctl", SHOWS("monitors clients workspaces activewindow activeworkspace devices layers binds cursorpos"
                              " version",
                              FLAGS("-j"))),
    COMMANDS("brightnessctl", PLAIN("info get max")),
    {"xmodmap", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-pke -pk -pm -pp"), HELPS("-version -help")), .rest = SHELL_EFFECT_WRITES,
     .needs = "-pke -pk -pm -pp"},
    SHOWS_WITH("uconv", "-l --list -L --list-transliterators", FLAGS("-l --list -L --list-transliterators"),
               HELPS("-h --help -V --version")),
    {"update-java-alternatives", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-l --list -v --verbose"), HELPS("-h -? --help")), .rest = NONE, .needs = "-l --list"},
    COMMANDS(
        "gio", PLAIN("version help"),
        {"mime", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .first = {NONE}, .first_count = 1, .rest = SHELL_EFFECT_WRITES}),
    COMMANDS("xdg-mime", GROUP("query", PLAIN("filetype default"))),
    COMMANDS("xdg-settings", PLAIN("get check")),
    {"xdg-user-dir", .judge = judge_user_directory},
    COMMANDS("playerctl", PLAIN("status metadata")),
    COMMANDS("amixer", PLAIN("get sget contents scontents controls scontrols info")),
    SHOWS_WITH("wmctrl", "-l -d -m", FLAGS("-l -d -m -p -G -x -u"), HELPS("-h --help -V --version")),
    {"xprop", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-root -notype"), VALUES("-id -name -len"), HELPS("-help -version")), .rest = NONE,
     .needs = "-root -id -name"},
    {"xwininfo", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-root -tree -children -stats -all -int -shape -size -wm -bits -events -english -metric"),
                        FLAGS("-frame"), VALUES("-id -name"), HELPS("-help -version")),
     .needs = "-root -id -name"},
    SHOWS("gpustat", FLAGS("-c -u -p -F -a --show-cmd --show-user --show-pid --show-fan --json --no-color"),
          HELPS("-h --help -v --version")),
    SHOWS_WITH("nvitop", "-1 --once", FLAGS("-1 --once --light --ascii"), HELPS("-h --help -V --version")),
    SHOWS_WITH("dfu-util", "-l --list", FLAGS("-l --list -v --verbose"), VALUES("-d --device"),
               HELPS("-V --version --help")),

    /* Daemons, and tables of the kernel. */
    {"exportfs", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-v -s"))},
    {"smbstatus", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-b -p -S -L -v -B -j --json"), VALUES("-u"), HELPS("-? --help --usage -V --version"))},
    LOOKS_AT("testparm", FLAGS("-s -v -l"), HELPS("-? --help --usage -V --version")),
    LOOKS_AT("unbound-checkconf", FLAGS("-h -f")),
    {"named-checkconf", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-c -h -j -l -p -x"), HELPS("-v")), .rest = NONE, .check = check_name_server},
    SHOWS_WITH("postqueue", "-p -j", FLAGS("-p -j")),
    {"mailq", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version"))},
    SHOWS_WITH("multipath", "-l", FLAGS("-l"), HELPS("-h")),
    COMMANDS("fail2ban-client", PLAIN("status ping version banned")),
    COMMANDS("rauc", PLAIN("status")),
    PROMPTS("lldpcli", PLAIN("show")),
    SHOWS_WITH("ipvsadm", "-n --numeric", FLAGS("-L -l --list -n --numeric --stats --rate -c --connection")),
    SHOWS_WITH("conntrack", "-L --dump -C --count -S --stats", FLAGS("-L --dump -C --count -S --stats"),
               VALUES("-p --proto -s --src -d --dst -o --output -f --family"), HELPS("-h --help -V --version")),
    {"nstat", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-a --ignore -s --noupdate -z --zeros -j --json -p --pretty"), HELPS("-h --help -V --version")),
     .rest = SHELL_EFFECT_NONE, .check = check_nstat},
    SHOWS_WITH("auditctl", "-l -s -v", FLAGS("-l -s -v")),
    SHOWS_WITH("ssh-add", "-l -L", FLAGS("-l -L"), VALUES("-E")),
    SHOWS("faillog", FLAGS("-a --all"), VALUES("-u --user"), HELPS("-h --help")),
    SHOWS("ac lastcomm", FLAGS("-d -p -y -z -a"), FILES("-f --file"), HELPS("-h --help -V --version")),
    SHOWS("zdump", FLAGS("-v -i -V"), VALUES("-c -t"), HELPS("--help --version")),
    SHOWS_WITH("localedef", "--list-archive", FLAGS("--list-archive"), HELPS("-? --help --usage -V --version")),
    {"clamscan", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-r --recursive -i --infected --no-summary -v --verbose --quiet -o --suppress-ok-results"),
                 FLAGS("-a --archive-verbose --stdout -z --allmatch"),
                 MAYBE("--exclude --exclude-dir --include --include-dir --max-filesize --max-scansize"),
                 HELPS("-h --help -V --version")),
     .rest = SHELL_EFFECT_READ_TREE, .answers = true},
    /* It runs the extension that lies in the directory, whatever it is told. */
    {"idf.py", .judge = shell_judge_tool, .needs_none = "idf_ext.py"},
    {"bibtex biber vale proselint west xev xdotool notify-send tic steghide sbom-tool interdiff combinediff "
     "detex",
     .judge = shell_judge_tool},
    {0},
};

/*
 * programs_inspect.c: what tells about a Linux machine beyond programs_system.c: sysstat 12.6, numactl 2.0, lm-sensors
 * 3.6, util-linux 2.38's rarer ones, iproute2's bridge and tc, ethtool 6.1, nftables, security modules, systemd's
 * helpers, displays and graphics cards, and newer tools that show the same as ps, df and ls.
 */
#include "shell/programs.h"
#include "shell/rows.h"

#include <string.h>

#define UTIL_HELP HELPS("-h --help -V --version")
#define GNU_HELP HELPS("--help --version")
#define NONE SHELL_EFFECT_NONE

/* ---- sysstat --------------------------------------------------------------------------------------------- */

/* ---- networks -------------------------------------------------------------------------------------------- */

/* All words are names and numbers: nft reads them as one text, in which ";" begins a further command. */
static bool are_plain_names(const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++) {
        if (!words[at].known || !words[at].value.len)
            return false;
        for (size_t i = 0; i < words[at].value.len; i++) {
            unsigned char byte = (unsigned char)words[at].value.ptr[i];
            bool letter = (byte | 32) >= 'a' && (byte | 32) <= 'z';
            if (!letter && !(byte >= '0' && byte <= '9') && !memchr("-_./:", byte, 5))
                return false;
        }
    }
    return true;
}

static const struct shell_program nft_rows[] = {{"list", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = NONE}, {0}};

static const struct shell_program nft_row = {
    "nft",
    SHELL_SYNTAX_EXACT,
    SHELL_READ_ONLY,
    .options = OPTIONS(FLAGS("-a --handle -n --numeric -s --stateless -t --terse -j --json -y -p -S -T -N"),
                       HELPS("-v --version -h --help")),
    .subcommands = nft_rows,
    .without_operands = SHELL_EFFECT_WRITES};

static void judge_nft(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!are_plain_names(words, count))
        shell_worsen(reading, SHELL_WRITES, "nft may be given further commands");
    shell_judge_row(reading, &nft_row, words, count);
    if (reading->act.class == SHELL_WRITES)
        reading->act.writes_listed = false;
}

/* OBJECT [show …], as ip has it. */
static void judge_objects(struct shell_reading *reading, const struct shell_program *row, const char *objects,
                          const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    if (!shell_arguments(reading, row, words, count, &arguments) || arguments.help)
        return;
    const struct shell_word *object = arguments.operand_count ? arguments.operands[0] : NULL;
    const struct shell_word *verb = arguments.operand_count > 1 ? arguments.operands[1] : NULL;
    if (object && object->known && shell_names_have(objects, object->value) &&
        (!verb || (verb->known && shell_names_have("show list ls lst", verb->value))))
        return;
    shell_changes(reading, "%.*s changes how the machine is connected", HV_STR_ARG(words[0].value));
}

/* -batch runs the commands of a file, -netns enters another name space. */
static const struct shell_option object_options[] = {
    FLAGS("-s -stats -statistics -d -details -o -oneline -j -json -p -pretty -c -color -compressvlans -r -raw -i -iec"),
    HELPS("-V -Version -help"),
    {0},
};

static void judge_bridge(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"bridge", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = object_options};
    judge_objects(reading, &row, "link fdb mdb vlan", words, count);
}

static void judge_tc(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"tc", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = object_options};
    judge_objects(reading, &row, "qdisc class filter chain", words, count);
}

/* -Z resets counters, -A, -D, -F, -P … change. */
static const struct shell_option iptables_options[] = {
    FLAGS("-L --list -S --list-rules -n --numeric -v --verbose -x --exact --line-numbers -4 -6"),
    VALUES("-t --table"),
    HELPS("-h --help -V --version"),
    {0},
};

static const char firewall_shows[] =
    "--list-all --list-all-zones --list-services --list-ports --list-protocols --list-sources --list-interfaces"
    " --list-rich-rules --list-forward-ports --get-zones --get-active-zones --get-default-zone --get-services"
    " --get-icmptypes --state --get-zone-of-interface --query-service --query-port --info-zone --info-service";

/* Without -n, -L looks up the names of addresses. */
static void judge_iptables(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"iptables",      SHELL_SYNTAX_EXACT,
                                             SHELL_READ_ONLY, .options = iptables_options,
                                             .rest = NONE,    .needs = "-L --list -S --list-rules"};
    struct shell_arguments arguments;
    shell_judge_row(reading, &row, words, count);
    if (reading->act.class == SHELL_READ_ONLY && shell_arguments(reading, &row, words, count, &arguments) &&
        shell_given(&arguments, "-L --list") && !shell_given(&arguments, "-n --numeric"))
        shell_worsen(reading, SHELL_NETWORK, "iptables -L without -n asks for the names of addresses");
}

/* ---- processes ------------------------------------------------------------------------------------------- */

/* A number behind the name of a limit sets it: only names alone are known here. An operand is a program. */
static const struct shell_option prlimit_options[] = {
    FLAGS("--as -v --core -c --cpu -t --data -d --fsize -f --locks -x --memlock -l --msgqueue -q --nice -e --nofile -n"
          " --nproc -u --rss -m --rtprio -r --rttime -y --sigpending -i --stack -s --noheadings --raw --verbose"),
    VALUES("-p --pid -o --output"),
    UTIL_HELP,
    {0},
};

/* What is attached to the letter of a limit sets it, too, be it a word: -cunlimited. */
static void check_prlimit(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++)
        if (words[at].value.len > 2 && words[at].value.ptr[0] == '-' && words[at].value.ptr[1] != '-' &&
            !memchr("po", words[at].value.ptr[1], 2))
            shell_worsen(reading, SHELL_WRITES, "prlimit sets what stands behind the letter of a limit");
}

/* xset and setxkbmap set what they are given; q alone asks. */
static void judge_xset(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (count == 2 && words[1].known && shell_names_have("q -q -query -print -version", words[1].value))
        return;
    shell_changes(reading, "%.*s changes the display", HV_STR_ARG(words[0].value));
}

const struct shell_program shell_programs_inspect[] = {
    /* -e runs a program. */
    {"pidstat", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-d -H -h -I -l -R -r -s -t -u -U -v -w --human"), VALUES("-C -G -p -T"), MAYBE("--dec"),
                        HELPS("-V")),
     .rest = NONE},
    /* What stands behind -f, -s, -e and -I may be left out, so it is judged as an operand; -o writes. */
    {"sar", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-A -b -B -d -e -F -f -H -h -I -p -q -r -R -s -S -t -u -v -w -W -y -z --human --pretty --sadc"),
                 VALUES("-i -j -m -n -P"), MAYBE("--dec --dev --fs --iface --int"), HELPS("-V --version --help")),
     .rest = SHELL_EFFECT_READ, .numeric_options = true},
    SHOWS("nfsiostat cifsiostat tapestat", FLAGS("-a -d -p -s -h -k -m -t -y -z --human"), VALUES("-l"),
          HELPS("--help -V --version")),
    SHOWS("nfsstat", FLAGS("-s --server -c --client -n --nfs -r --rpc -m --mounts -o -v --verbose -l --list -2 -3 -4"),
          UTIL_HELP),
    {"numactl", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-H --hardware -s --show"), GNU_HELP),
     .rest = SHELL_EFFECT_EXECUTE, .needs = "-H --hardware -s --show"},
    SHOWS("numastat", FLAGS("-c -m -n -v -z"), VALUES("-p"), MAYBE("-s"), HELPS("-V")),
    SHOWS("sensors", FLAGS("-A --no-adapter -f --fahrenheit -j -u -n --allow-no-sensors --bus-list"),
          FILES("-c --config-file"), HELPS("-h --help -v --version")),
    SHOWS("ipcs", FLAGS("-m --shmems -q --queues -s --semaphores -a --all -t --time -p --pid -c --creator -l --limits"),
          FLAGS("-u --summary --human -b --bytes"), VALUES("-i --id"), UTIL_HELP),
    SHOWS("lsfd", FLAGS("-l --threads -J --json -n --noheadings -r --raw -u --notruncate --summary -d --debug-filter"),
          VALUES("-o --output -p --pid -Q --filter -C --counter"), UTIL_HELP),
    SHOWS("lsirq", FLAGS("-J --json -P --pairs -n --noheadings -S --softirq"), VALUES("-o --output -s --sort"),
          UTIL_HELP),
    {"prlimit", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = prlimit_options, .rest = SHELL_EFFECT_EXECUTE,
     .check_words = check_prlimit},
    {"pmap", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-x --extended -X -XX -d --device -q --quiet -p --show-path -k"), VALUES("-A --range"),
                        UTIL_HELP),
     .rest = NONE, .numeric_options = true},
    SHOWS("slabtop", FLAGS("-o --once"), VALUES("-d --delay -s --sort"), UTIL_HELP),
    SHOWS_WITH("chage", "-l --list", FLAGS("-l --list -i --iso8601"), HELPS("-h --help")),
    {"iotop", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-o --only -b --batch -P --processes -a --accumulated -k --kilobytes -t --time -q -qq "
                              "-qqq --quiet --no-help"),
                        VALUES("-n --iter -d --delay -p --pid -u --user"), HELPS("-h --help --version")),
     .needs = "-b --batch"},
    SHOWS("smem", FLAGS("-k -p -r -t -a -m -u -w -H -n"), VALUES("-c -s -P -U -M -R -K"), HELPS("-h --help --version")),
    /* Interactive ones that can do more than show, but not when they are asked for their version. */
    {"htop btop bpytop glances atop nmon gtop bashtop zenith ncdu gdu broot ranger lf nnn vifm yazi iftop nethogs "
     "bmon powertop",
     .judge = shell_judge_tool},
    SHOWS("procs", FLAGS("-t --tree --or --and -l --list --no-header -a -o"), VALUES("--sorta --sortd -i --insert"),
          VALUES("--only -c --color"), HELPS("-h --help -V --version")),

    /* systemd's helpers. -M and -H ask another machine. */
    SHOWS("systemd-cgls", FLAGS("-a --all -l --full -k -x -c --no-pager"), VALUES("-u --unit --user-unit"),
          HELPS("-h --help --version")),
    SHOWS("systemd-cgtop", FLAGS("-p -t -c -m -i -r --raw -b --batch -k -P"), MAYBE("--cpu --order --recursive"),
          VALUES("-n --iterations -d --delay --depth"), FLAGS("-1"), HELPS("-h --help --version")),
    SHOWS("systemd-path", VALUES("--suffix"), FLAGS("--no-pager"), HELPS("-h --help --version")),
    SHOWS("systemd-escape", FLAGS("-u --unescape -p --path -m --mangle --instance"), VALUES("--suffix --template"),
          HELPS("-h --help --version")),
    SHOWS("systemd-delta", FLAGS("--no-pager"), MAYBE("--diff"), VALUES("-t --type"), HELPS("-h --help --version")),
    COMMANDS("systemd-id128",
             SHOWS("show machine-id boot-id invocation-id new", FLAGS("-p --pretty -u --uuid --value"))),
    {"busctl", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(HELPS("--version --help"), FLAGS("--user --system --no-pager")),
     .subcommands = SUBCOMMANDS(SHOWS(
         "list status", FLAGS("--user --system --no-pager --no-legend --unique --acquired --activatable -l --full -j"),
         VALUES("--json")))},
    COMMANDS("bootctl", SHOWS("status list is-installed", FLAGS("--no-pager -p -x --quiet"))),
    COMMANDS("dkms", SHOWS("status", VALUES("-m -v -k -a"))),

    /* Security modules. */
    {"getenforce selinuxenabled aa-enabled", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-q --quiet"), HELPS("-h --help")), .answers = true},
    SHOWS("sestatus", FLAGS("-v -b")),
    SHOWS("getsebool", FLAGS("-a")),
    {"aa-status apparmor_status", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("--enabled --profiled --enforced --complaining --kill --special-unconfined"
                              " --process-mixed --verbose -v --json --pretty-json --count --show"),
                        HELPS("-h --help")),
     .rest = NONE, .answers = true},
    {"getcap", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-n -r -v"), HELPS("-h")),
     .rest = SHELL_EFFECT_READ_TREE},
    SHOWS("getpcaps", FLAGS("--legacy --iab --ugly"), HELPS("-h --help")),
    SHOWS("mokutil", FLAGS("--sb-state -l --list-enrolled --list-new --pk --kek --db --dbx --list-sbat-revocations"),
          HELPS("-h --help --version")),

    /* Networks. */
    /* One operand, the device, and an option that asks. */
    {"ethtool", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-a --show-pause -c --show-coalesce -g --show-ring -i --driver -k --show-features --show-offload -l"
               " --show-channels -n -u --show-nfc --show-ntuple -P --show-permaddr -S --statistics -T"
               " --show-time-stamping -x --show-rxfh --show-rxfh-indir --show-eee --show-priv-flags --show-fec"
               " --phy-statistics --json -I --include-statistics"),
         HELPS("-h --help --version")),
     .first = {NONE}, .first_count = 1, .rest = SHELL_EFFECT_WRITES},
    {"bridge", .judge = judge_bridge},
    {"tc", .judge = judge_tc},
    {"nft", .judge = judge_nft},
    SHOWS("iptables-save ip6tables-save", FLAGS("-c --counters"), VALUES("-t --table"),
          HELPS("-h --help -V --version")),
    {"iptables ip6tables iptables-nft iptables-legacy ip6tables-nft ip6tables-legacy", .judge = judge_iptables},
    COMMANDS("ufw", PLAIN("version"), {"status", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = NONE},
             GROUP("app", PLAIN("list info"))),
    {"firewall-cmd", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS(
             "--list-all --list-all-zones --list-services --list-ports --list-protocols --list-sources "
             "--list-interfaces"
             " --list-rich-rules --list-forward-ports --get-zones --get-active-zones --get-default-zone --get-services"
             " --get-icmptypes --state --permanent --check-config"),
         VALUES("--zone --get-zone-of-interface --query-service --query-port --info-zone --info-service"),
         HELPS("-h --help -V --version")),
     .needs = firewall_shows, .answers = true},
    SHOWS("iwgetid", FLAGS("-r --raw -s --scheme -a --ap -f --freq -c --channel -p --protocol -m --mode")),
    {"iwconfig", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = OPTIONS(GNU_HELP), .first = {NONE}, .first_count = 1,
     .rest = SHELL_EFFECT_WRITES},
    {"rfkill", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-J --json -n --noheadings -r --raw --output-all"), VALUES("-o --output"), UTIL_HELP),
     .subcommands = SUBCOMMANDS({"list", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = NONE},
                                WRITERS("block unblock toggle"), RUNNERS("event"))},
    PROMPTS("bluetoothctl", PLAIN("devices list show info paired-devices version")),
    PROMPTS("chronyc", SHOWS("tracking sources sourcestats activity serverstats rtcdata ntpdata", FLAGS("-v -a"))),
    SHOWS("ipcalc sipcalc", FLAGS("-b --broadcast -m --netmask -n --network -p --prefix -c --check -4 -6 -j --json"),
          FLAGS("--minaddr --maxaddr --addresses --no-decorate -s --silent -a --all-info"),
          HELPS("-v --version --help")),

    /* Hardware. */
    SHOWS("lsscsi", FLAGS("-b --brief -c --classic -C --controllers -d --device -g --generic -H --hosts -i --scsi_id"),
          FLAGS("-k --kname -l -ll -lll --long -L --list -N --no-nvme -p --protection -P --protmode -s --size -t"),
          FLAGS("--transport -u --unit -U -v --verbose -w --wwn -x --lunhex"), TREES("-y --sysfsroot"), UTIL_HELP),
    {"dmidecode", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-q --quiet -u --dump --no-quirks --no-sysfs"), VALUES("-s --string -t --type"),
                        VALUES("-H --handle --oem-string"), FILES("--from-dump -d --dev-mem"), OUTPUTS("--dump-bin"),
                        UTIL_HELP)},
    SHOWS("hwinfo", FLAGS("--short --all --cpu --disk --memory --network --netcard --pci --usb --bios --monitor"),
          FLAGS("--gfxcard --sound --keyboard --mouse --partition --framebuffer --storage --block --wlan --version"),
          HELPS("--help")),
    {"lstopo lstopo-no-graphics hwloc-ls", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-l --logical -p --physical -v --verbose -s --silent -c --cpuset --no-io --no-bridges"),
                        FLAGS("--no-icaches --no-caches --whole-io --merge --no-legend --taskset --disallowed"),
                        VALUES("--only --of --ignore --filter"), HELPS("-h --help --version")),
     .rest = SHELL_EFFECT_WRITE},
    COMMANDS("cpupower", SHOWS("frequency-info idle-info info",
                               FLAGS("-e --debug -f --freq -l --hwlimits -d --driver -p --policy"
                                     " -g --governors -a --related-cpus -y --latency -n --no-rounding"
                                     " -s --stats -m --human -o --proc -w --hwfreq -b --perf-bias"))),
    SHOWS("cpuid", FLAGS("-1 --one-cpu -r --raw -i --inst -k --kernel"), VALUES("-l --leaf -s --subleaf"),
          HELPS("-h -H --help -v --version")),
    SHOWS("acpi", FLAGS("-b --battery -a --ac-adapter -t --thermal -c --cooling -V --everything -i --details -s"),
          FLAGS("--show-empty -f --fahrenheit -k --kelvin"), HELPS("-h --help -v --version")),
    SHOWS("upower", FLAGS("-e --enumerate -d --dump"), VALUES("-i --show-info"), HELPS("-h --help -v --version")),
    COMMANDS("dcgmi", SHOWS("discovery", FLAGS("-l --list -c"))),
    SHOWS("rocminfo ibstat ibstatus ibv_devinfo ibv_devices", FLAGS("-l --list -s --short -v --verbose -p"),
          VALUES("-d --ib-dev"), HELPS("-h --help -V --version")),
    SHOWS("rocm-smi", FLAGS("-a --showallinfo -i --showid -v --showvbios --showdriverversion --showproductname -t"),
          FLAGS("--showtemp -u --showuse --showmemuse -f --showfan -P --showpower -g --showgpuclocks -c"),
          FLAGS("--showclocks -b --showbus --showpids --showtopo --json --csv -l --showhw --showuniqueid"),
          VALUES("-d --device --showmeminfo"), HELPS("-h --help -V --version")),
    SHOWS("clinfo", FLAGS("-l --list --raw --human --json -a --all-props"), HELPS("-h --help -? -v --version")),
    SHOWS("glxinfo eglinfo vainfo vdpauinfo es2_info", FLAGS("-B -t -v -l -i -b -a")),
    SHOWS("vulkaninfo", FLAGS("--summary"), HELPS("-h --help")),

    /* Displays and fonts. */
    SHOWS_WORDS("xrandr",
                FLAGS("-q --query --current --verbose --prop --properties --listmonitors"
                      " --listactivemonitors --listproviders -v --version -version"),
                HELPS("-help --help")),
    SHOWS_WORDS("xdpyinfo xlsclients xlsfonts xlsatoms", FLAGS("-a -l -queryExtensions -version"), VALUES("-ext -fn")),
    {"xset setxkbmap", .judge = judge_xset},
    /* -i, -w and -U reach the network. */
    SHOWS("inxi", FLAGS("-F -A -b -B -C -D -d -E -G -I -j -J -k -L -l -M -m -n -N -o -p -P -R -S -s -u -x -z -Z"),
          VALUES("-c -y"), HELPS("-h --help -V --version")),
    SHOWS("efibootmgr", FLAGS("-v --verbose"), HELPS("-V --version")),
    SHOWS("fc-list fc-match", FLAGS("-v --verbose -q --quiet -s --sort -a --all -b --brief"), VALUES("-f --format"),
          HELPS("-V --version -h --help")),
    LOOKS_AT("fc-query fc-scan fc-validate", FLAGS("-b --brief -v --verbose"), VALUES("-i --index -f --format -l"),
             HELPS("-V --version -h --help")),
    {"otfinfo", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-s --scripts -f --features -z --optical-size -p --postscript-name -a --family -v"
                              " --font-version -i --info -g --glyphs -t --tables -u --unicode -V --verbose"),
                        HELPS("-h --help --version")),
     .rest = SHELL_EFFECT_READ},

    /* The same as df, du, ls, ps in a newer form. */
    SHOWS_WORDS("duf", FLAGS("-all -hide-fs -inodes -json"),
                VALUES("-hide -only -only-fs -only-mp -hide-mp -sort -output -style"), VALUES("-theme -width"),
                HELPS("-version -help")),
    {"dust", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-r --reverse -s --apparent-size -b --no-percent-bars -c --no-colors -f --filecount -p"),
                        FLAGS("--full-paths -i --ignore-hidden -x --limit-filesystem -t --file-types -F --only-file"),
                        FLAGS("-D --only-dir -P --no-progress -B --bars-on-right -H --si -R --screen-reader"),
                        VALUES("-d --depth -n --number-of-lines -X --ignore-directory -e --filter -v"),
                        VALUES("--invert-filter -w --terminal-width -z --min-size"), HELPS("-h --help -V --version")),
     .rest = SHELL_EFFECT_READ_TREE, .without_operands = SHELL_EFFECT_READ_TREE},
    {"diskus", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-b --apparent-size -v --verbose"), VALUES("-j --threads --size-format"),
                        HELPS("-h --help -V --version")),
     .rest = SHELL_EFFECT_READ_TREE, .without_operands = SHELL_EFFECT_READ_TREE},
    {"lsd", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a --all -A --almost-all -F --classify -l --long -1 --oneline -R --recursive -h"),
                        FLAGS("--human-readable --tree -d --directory-only -t --timesort -S --sizesort -r --reverse"),
                        FLAGS("-X --extensionsort -G --gitsort -v --versionsort --total-size -i --inode -Z --context"),
                        FLAGS("--header --classic --no-symlink --ignore-config -N --literal"),
                        VALUES("--color --icon --icon-theme --depth --permission --size --date --sort"),
                        VALUES("--group-dirs --blocks --hyperlink -I --ignore-glob"), HELPS("--help -V --version")),
     .rest = SHELL_EFFECT_READ_TREE, .without_operands = SHELL_EFFECT_READ},
    COMMANDS("bpftool", GROUP("prog", SHOWS("show list", FLAGS("-j -p"))),
             GROUP("map", SHOWS("show list", FLAGS("-j -p"))), GROUP("net", SHOWS("show list", FLAGS("-j -p"))),
             GROUP("link", SHOWS("show list", FLAGS("-j -p"))),
             GROUP("cgroup", SHOWS("show list tree", FLAGS("-j -p"))), PLAIN("version help")),
    {0},
};

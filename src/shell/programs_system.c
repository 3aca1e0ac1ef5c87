/*
 * programs_system.c: what tells about the machine, its users, processes and services: procps 4.0, util-linux 2.38,
 * psmisc, systemd 252, dpkg 1.21, apt 2.6, lsof 4.95, shells' helpers. What asks a server for names (getent, host) is
 * the network's.
 */
#include "shell/programs.h"
#include "shell/rows.h"
#include <string.h>

#define GNU_HELP HELPS("--help --version")
#define UTIL_HELP HELPS("-h --help -V --version")
#define READ SHELL_EFFECT_READ
#define NONE SHELL_EFFECT_NONE

/* A program that tells something: no operands, or such as are data; no option does anything else. */
#define TELLER(names, ...)                                                                                             \
    {                                                                                                                  \
        names, SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__, GNU_HELP),                           \
                                                  .rest = SHELL_EFFECT_NONE, .harmless_options = true                  \
    }
/* A program that changes the machine whatever its words are, unless they only ask for help. */
#define CHANGER(names)                                                                                                 \
    {                                                                                                                  \
        names, .judge = shell_judge_changes                                                                            \
    }

/* ---- date, hostname: setting ----------------------------------------------------------------------------- */

/* An operand that is no +FORMAT sets the clock. */
static void check_date(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t i = 0; i < arguments->operand_count; i++)
        if (!arguments->operands[i]->value.len || arguments->operands[i]->value.ptr[0] != '+' ||
            shell_may_be_many(arguments->operands[i]))
            shell_worsen(reading, SHELL_WRITES, "an operand of date sets the clock");
}

/* ---- processes ------------------------------------------------------------------------------------------ */

/* The last letter of the word takes the next one for its value: -o, -p …, and without a dash o, p …. */
static bool takes_value_of_ps(const struct shell_word *word)
{
    struct hv_str value = word->value;
    if (!word->known || !value.len)
        return false;
    if (hv_str_starts(value, HV_STR("--")))
        return hv_str_find_byte(value, '=', 0) == SIZE_MAX;
    return strchr(value.ptr[0] == '-' ? "CGOUgopqstu" : "OUkopqt", value.ptr[value.len - 1]) != NULL;
}

/* ps takes letters with and without a dash, and reads all of them as questions. It has none that change anything; but
 * "e" without a dash shows the variables of all processes of the person. */
static void judge_ps(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        bool letters = words[i].known && words[i].value.len && words[i].value.ptr[0] != '-';
        bool value = i > 1 && takes_value_of_ps(&words[i - 1]);
        bool number = words[i].flags & (SHELL_WORD_NUMBER | SHELL_WORD_COUNT);
        if (!words[i].known && !hv_str_starts(words[i].value, HV_STR("-")) && !number && !value)
            shell_worsenf(reading, SHELL_UNKNOWN, "%.*s may be \"e\", which shows the environment of processes",
                          HV_STR_ARG(words[i].text));
        for (size_t j = 0; letters && !value && j < words[i].value.len; j++)
            if (words[i].value.ptr[j] == 'e')
                shell_worsen(reading, SHELL_UNKNOWN, "ps e shows the environment of processes, with its secrets");
    }
}

static void check_top(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!shell_given(arguments, "-b") || arguments->operand_count)
        shell_worsen(reading, SHELL_UNKNOWN, "top without -b takes commands from the terminal");
}

/* lsof's letters with values are many, and + turns things on: what is listed here is what people use. */
static const struct shell_option lsof_options[] = {
    FLAGS("-a -b -C -G -l -n -N -O -P -Q -R -t -U -v -V -w -X -K"),
    VALUES("-c -d -p -u -g -s -T -A"),
    MAYBE("-i -F -o -L"),
    HELPS("-h -?"),
    {0},
};

/* A host that is given by a name is looked up: letters before the port, but for the digits of an IPv6 address. */
static bool names_host(struct hv_str text)
{
    size_t colons = 0, letters = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        bool digit = (byte >= '0' && byte <= '9') || strchr("abcdefABCDEF", byte);
        colons += byte == ':';
        if (byte == ':' && colons == 1 && i && letters)
            return true;
        if (!colons && (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z')
            letters += !(digit && hv_str_find(text, HV_STR("::"), 0) != SIZE_MAX);
    }
    return !colons && letters;
}

/* lsof -i [46][protocol][@host][:service]. */
static void check_lsof(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        size_t at = hv_str_find_byte(words[i].value, '@', 0);
        bool open = !words[i].known && hv_str_find_byte(words[i].value, ':', 0) == SIZE_MAX &&
                    !(words[i].flags & (SHELL_WORD_NUMBER | SHELL_WORD_NO_OPTION | SHELL_WORD_GLOB));
        bool behind = open && hv_str_is(words[i - 1].value, "-i");
        bool attached =
            open && hv_str_find_byte(words[i].value, 'i', 0) != SIZE_MAX && hv_str_starts(words[i].value, HV_STR("-"));
        if (behind || attached ||
            (at != SIZE_MAX && names_host(hv_str_slice(words[i].value, at + 1, words[i].value.len))))
            shell_worsen(reading, SHELL_NETWORK, "lsof looks up the name of a host");
    }
}

/* fuser PORT,HOST/tcp, and "-n tcp PORT,HOST", look up the host. */
static void check_fuser(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t i = 0; i < arguments->operand_count; i++) {
        struct hv_str name = arguments->operands[i]->value;
        size_t from = hv_str_find_byte(name, ',', 0), to = from == SIZE_MAX ? name.len : from + 1;
        while (to < name.len && name.ptr[to] != ',' && name.ptr[to] != '/')
            to++;
        if (from != SIZE_MAX && names_host(hv_str_slice(name, from + 1, to)))
            shell_worsen(reading, SHELL_NETWORK, "fuser looks up the name of a host");
    }
}

/* ---- services ------------------------------------------------------------------------------------------- */

static const struct shell_option systemctl_options[] = {
    FLAGS("--user --system --all -a -l --full --no-pager --no-legend --plain --failed -q --quiet --value "
          "--no-ask-password"),
    FLAGS("-r --recursive --reverse --after --before --with-dependencies --show-types --legend"),
    VALUES("-t --type --state -p --property -P -n --lines -o --output --what --timestamp"),
    REACHES_WITH("-H --host -M --machine"),
    HELPS("-h --help --version"),
    {0},
};
#define ASKS(name)                                                                                                     \
    {                                                                                                                  \
        name, SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = systemctl_options, .rest = SHELL_EFFECT_NONE,              \
                                                 .answers = true                                                       \
    }

/* ---- packages ------------------------------------------------------------------------------------------- */

static void check_dpkg(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!arguments->given_count)
        shell_worsen(reading, SHELL_UNKNOWN, "what dpkg does is not known");
    if (shell_given(arguments, "-c --contents -I --info -f --field") && arguments->operand_count)
        shell_reads(reading, arguments->operands[0], false);
}

static const struct shell_option apt_options[] = {
    FLAGS("-a --all-versions --installed --upgradable --upgradeable --names-only -n -f --full --no-all-versions -q"),
    FLAGS("--quiet -i --important --recurse --installed --no-recommends --no-suggests --manual-installed -v --verbose"),
    HELPS("-h --help --version"),
    {0},
};
#define APT_ASKS(name)                                                                                                 \
    {                                                                                                                  \
        name, SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = apt_options, .rest = SHELL_EFFECT_NONE,                    \
                                                 .harmless_options = false                                             \
    }
static const struct shell_program apt_rows[] = {
    APT_ASKS("list search show showsrc policy depends rdepends madison pkgnames showpkg stats dump dumpavail unmet"),
    {0},
};
/* What would be done, of which nothing is: `apt-get -s upgrade`. */
static const char apt_simulates[] = "-s --simulate --dry-run --just-print --no-act --recon";
static const struct shell_option apt_simulation[] = {
    FLAGS("-s --simulate --dry-run --just-print --no-act --recon -V --verbose-versions -q --quiet -qq -y --yes"
          " --no-install-recommends --install-recommends"),
    {0},
};
static const struct shell_program apt_simulated[] = {
    {"install reinstall remove purge upgrade dist-upgrade full-upgrade autoremove build-dep", SHELL_SYNTAX_EXACT,
     SHELL_READ_ONLY, .options = apt_simulation, .rest = SHELL_EFFECT_NONE},
    {0},
};

static void judge_apt(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"apt-get", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = apt_options,
                                             .subcommands = apt_rows};
    static const struct shell_program simulated = {"apt-get", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
                                                   .options = apt_simulation, .subcommands = apt_simulated};
    bool simulates = false;
    for (size_t at = 1; at < count; at++)
        simulates |= words[at].known && shell_names_have(apt_simulates, words[at].value);
    for (size_t at = 1; at < count; at++)
        simulates &= !words[at].known || !hv_str_is(words[at].value, "--"); /* behind it -s is a package */
    shell_judge_row(reading, simulates ? &simulated : &row, words, count);
    /* A package may be a file. */
    for (size_t at = 1; simulates && at < count; at++)
        if (!words[at].known || hv_str_find_byte(words[at].value, '/', 0) != SIZE_MAX)
            shell_reads(reading, &words[at], false);
}

/* rpm: -i alone installs; with -q it informs. */
static void check_rpm(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!shell_given(arguments, "-q --query -V --verify"))
        shell_worsen(reading, SHELL_WRITES, "rpm changes which packages are installed");
    else if (shell_given(arguments, "-V --verify") && !shell_given(arguments, "--noscripts"))
        shell_worsen(reading, SHELL_EXECUTES, "rpm -V runs the scripts of packages; with --noscripts it does not");
}

/* `tput init` and `tput reset` set modes of the terminal, and run the program that its description names; -S takes
 * them from standard input. */
static void check_tput(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t at = 0; at < arguments->operand_count; at++)
        if (!arguments->operands[at]->known || shell_names_have("init reset", arguments->operands[at]->value))
            shell_worsen(reading, SHELL_EXECUTES,
                         "tput init and reset set the terminal anew, by the program that it names");
}

/* ldconfig -p prints the cache; alone it writes it. */
static void check_ldconfig(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!shell_given(arguments, "-p --print-cache") || arguments->operand_count)
        shell_changes(reading, "ldconfig changes the cache of libraries");
}

/* ssh-keygen -l prints the fingerprint of a key; all else makes or changes keys. */
static void check_ssh_keygen(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!shell_given(arguments, "-l"))
        shell_worsen(reading, SHELL_WRITES, "ssh-keygen makes keys");
}

/* ---- network interfaces ---------------------------------------------------------------------------------- */

/* Objects that people look at; -n and netns switch name spaces, exec runs. */
static bool asks_about_network(const struct shell_arguments *arguments)
{
    static const char objects[] = "a addr address l link r route ro n neigh neighbor neighbour rule ru maddr ntable "
                                  "tunnel tun netconf token vrf mroute";
    const struct shell_word *object = arguments->operand_count ? arguments->operands[0] : NULL;
    const struct shell_word *verb = arguments->operand_count > 1 ? arguments->operands[1] : NULL;
    bool spaces = object && object->known && hv_str_is(object->value, "netns");
    if (spaces) /* exec runs, add, set and attach change */
        return !verb || (verb->known && shell_names_have("list list-id identify pids", verb->value));
    bool link = object && object->known && shell_names_have("l link", object->value); /* "ip link s" sets */
    return (!object || (object->known && shell_names_have(objects, object->value))) &&
           (!verb || (verb->known && (shell_names_have("show list ls lst get sh", verb->value) ||
                                      (!link && hv_str_is(verb->value, "s")))));
}

static void check_ip(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!asks_about_network(arguments))
        shell_worsen(reading, SHELL_WRITES, "ip changes how the machine is connected");
    if (reading->act.class == SHELL_WRITES)
        reading->act.writes_listed = false;
}

/* ss asks the kernel; -K ends connections, -D writes. */
static const struct shell_option ss_options[] = {
    FLAGS("-H --no-header -O --oneline -n --numeric -a --all -l --listening -o --options -e --extended -m --memory"),
    FLAGS("-p --processes -T --threads -i --info --tos --cgroup --tipcinfo -s --summary -Z --context -z --contexts"),
    FLAGS(
        "-b --bpf -4 --ipv4 -6 --ipv6 -0 --packet -t --tcp -M --mptcp -S --sctp -u --udp -d --dccp -w --raw -x --unix"),
    FLAGS("--tipc --vsock --xdp --no-queues --inet-sockopt -B --bound-inactive"),
    VALUES("-f --family -A --query --socket"),
    REACHES("-r --resolve"),
    REACHES_WITH("-F --filter"), /* the file may name hosts, which are looked up */
    CHANGES("-K --kill"),
    OUTPUTS("-D --diag"),
    HELPS("-h --help -V --version"),
    {0},
};

/* A word of ss's filters that is no part of its language, and no number, is a host that is looked up; so is the name of
 * a state that does not stand behind "state" or "exclude", and these two behind anything else. `before` is the last
 * word that is no operator. */
static bool is_looked_up(struct hv_str token, struct hv_str before, bool filters)
{
    static const char language[] = "dst src dport sport dev fwmark cgroup autobound and or not & && | || !";
    static const char states[] = "connected synchronized bucket big all established syn-sent syn-recv fin-wait-1 "
                                 "fin-wait-2 time-wait closed close-wait last-ack listening listen closing unconnected "
                                 "estab";
    if (!filters && (shell_names_have("state exclude", token) ||
                     (shell_names_have("state exclude", before) && shell_names_have(states, token))))
        return false;
    return !shell_names_have(language, token) && !shell_names_have("dport sport dev cgroup", before) &&
           names_host(token);
}

static void check_ss(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    static const char operators[] = "= == != >= <= > < eq ne neq ge geq gt le leq lt";
    struct hv_str before = HV_STR("");
    bool filters = false; /* states come first */
    for (size_t i = 0; i < arguments->operand_count; i++) {
        const struct shell_word *word = arguments->operands[i];
        bool port = shell_names_have("dport sport", before) || hv_str_find_byte(word->value, ':', 0) == 0;
        bool number = word->flags & SHELL_WORD_NUMBER || (word->flags & SHELL_WORD_FILLED && !word->tail.len);
        if (!word->known && !port && !number)
            shell_worsen(reading, SHELL_NETWORK, "ss looks up the name of a host");
        for (size_t at = 0; at < word->value.len; at++) {
            size_t from = at;
            while (at < word->value.len && !strchr(" \t\n()", word->value.ptr[at]))
                at++;
            struct hv_str token = hv_str_slice(word->value, from, at);
            if (!token.len || shell_names_have(operators, token))
                continue;
            if (is_looked_up(token, before, filters))
                shell_worsen(reading, SHELL_NETWORK, "ss looks up the name of a host");
            filters |= !shell_names_have("state exclude", token) && !shell_names_have("state exclude", before);
            before = token;
        }
    }
}

/* mount without operands lists; findmnt is for that. */
static void check_mount(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (arguments->operand_count)
        shell_changes(reading, "mount changes the tree of files");
}

static void check_crontab(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!shell_given(arguments, "-l") || arguments->operand_count)
        shell_changes(reading, "crontab changes what runs by itself");
}

/* sysctl NAME reads, NAME=value, -w, -p and --system write. */
static void check_sysctl(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t i = 0; i < arguments->operand_count; i++)
        if (!arguments->operands[i]->known || hv_str_find_byte(arguments->operands[i]->value, '=', 0) != SIZE_MAX)
            shell_changes(reading, "sysctl sets what it is given with =");
        else if (hv_str_find_byte(arguments->operands[i]->value, '/', 0) != SIZE_MAX)
            shell_worsen(reading, SHELL_UNKNOWN, "a name with a slash may lead sysctl to any file");
}

/* ---- the terminal --------------------------------------------------------------------------------------- */

/* A packed file is given to a shell under its name, as it is. */
static void check_info(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        bool plain = words[i].known;
        for (size_t at = 0; at < words[i].value.len; at++)
            plain &= !strchr(";|&$`<>\"'\\*?#\n", words[i].value.ptr[at]);
        if (!plain)
            shell_worsen(reading, SHELL_EXECUTES, "info may run what stands in the name of a file");
        else if (hv_str_find_byte(words[i].value, '/', 0) != SIZE_MAX)
            shell_reads(reading, &words[i], false);
    }
}

/* Whatever it is asked, it may mend its trust database, start its agent and fetch keys, as its settings say. */
static void judge_gpg(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (count != 2 || !words[1].known || !shell_names_have("--version --help", words[1].value)) {
        reading->act.reads_listed = false;
        shell_changes(reading, "gpg may change its key ring, and fetch keys");
    }
}

const struct shell_program shell_programs_system[] = {
    {"date", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("--debug -R --rfc-email --rfc-822 --rfc-2822 -u --utc --universal --resolution"),
                        MAYBE("-I --iso-8601"), VALUES("-d --date --rfc-3339"), FILES("-f --file -r --reference"),
                        CHANGES_WITH("-s --set"), GNU_HELP),
     .rest = NONE, .check = check_date},
    {"hostname", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a --alias -A --all-fqdns -d --domain -f --fqdn --long -i --ip-address -I "
                              "--all-ip-addresses -s --short -y"),
                        FLAGS("--yp --nis"), {"-b --boot", SHELL_EFFECT_WRITES},
                        {"-F --file", SHELL_EFFECT_WRITES, SHELL_ARITY_ONE}, HELPS("-h --help -V --version")),
     .rest = SHELL_EFFECT_WRITES},
    {"ps", .judge = judge_ps},
    {"top", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-b -c -e -E -H -i -S -1"), VALUES("-d -n -o -O -p -u -U -w"), HELPS("-h -v")),
     .rest = NONE, .check = check_top},
    {"pgrep pidwait", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-a --list-full -l --list-name -v --inverse -w --lightweight -c --count -f --full -i --ignore-case -n"),
         FLAGS("--newest -o --oldest -x --exact -A --ignore-ancestors -L --logpidfile -H --require-handler"),
         VALUES("-d --delimiter -g --pgroup -G --group -O --older -P --parent -s --session -t --terminal -u --euid -U "
                "--uid"),
         VALUES("-r --runstates --cgroup --ns --nslist --signal --env"), FILES("-F --pidfile"), HELPS("-h -V"),
         GNU_HELP),
     .rest = NONE, .answers = true},
    {"pkill killall", SHELL_SYNTAX_GNU, SHELL_WRITES, "sends signals to processes", .judge = shell_judge_changes},
    {"pidof", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-s --single-shot -c --check-root -q -w --with-workers -x -z"),
                        VALUES("-o --omit-pid -S --separator -d"), HELPS("-h -V"), GNU_HELP),
     .rest = NONE, .harmless_options = true, .answers = true},
    {"pstree", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a --arguments -A --ascii -c --compact-not -g --show-pgids -G --vt100 -h -l --long"),
                        FLAGS("--highlight-all -n --numeric-sort -p --show-pids -s --show-parents -S --ns-changes -t"),
                        FLAGS("--thread-names -T --hide-threads -u --uid-changes -U --unicode -Z --security-context"),
                        VALUES("-H --highlight-pid -N --ns-sort -C --color"), HELPS("-V"), GNU_HELP),
     .rest = NONE, .harmless_options = true},
    TELLER("pwdx", FLAGS("-V")),
    {"lsof", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = lsof_options, .rest = NONE, .check_words = check_lsof},
    {"fuser", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a --all -I --inode -l --list-signals -m --mount -M --ismountpoint -s --silent -u"),
                        FLAGS("--user -v --verbose -4 --ipv4 -6 --ipv6"), VALUES("-n --namespace"),
                        CHANGES("-k --kill -w"), HELPS("-V"), GNU_HELP),
     .rest = NONE, .check = check_fuser},
    TELLER("uname arch", FLAGS("-a --all -s --kernel-name -n --nodename -r --kernel-release -v --kernel-version -m"),
           FLAGS("--machine -p --processor -i --hardware-platform -o --operating-system")),
    TELLER("id", FLAGS("-a -Z --context -g --group -G --groups -n --name -r --real -u --user -z --zero")),
    TELLER("systemd-detect-virt", FLAGS("-c --container -v --vm -q --quiet -r --chroot")),
    TELLER("whoami logname groups users tty nproc hostid", FLAGS("-s --silent --quiet --all"), VALUES("--ignore")),
    TELLER("who", FLAGS("-a --all -b --boot -d --dead -H --heading -l --login --lookup -m -p --process -q --count -r"),
           FLAGS("--runlevel -s --short -t --time -T -w --mesg -u --users --message --writable")),
    TELLER("w", FLAGS("-h --no-header -u --no-current -s --short -f --from -o --old-style -i --ip-addr -p --pids"),
           HELPS("-V")),
    TELLER("uptime", FLAGS("-p --pretty -s --since"), HELPS("-h -V")),
    TELLER("free",
           FLAGS("-b --bytes -k --kibi -m --mebi -g --gibi --kilo --mega --giga --tera --peta --tebi --pebi -h"),
           FLAGS("--human --si -l --lohi -t --total -v --committed -w --wide -L --line"),
           VALUES("-s --seconds -c --count"), HELPS("-V")),
    TELLER("vmstat", FLAGS("-a --active -f --forks -m --slabs -n --one-header -s --stats -d --disk -D --disk-sum -t"),
           FLAGS("--timestamp -w --wide -y --no-first"), VALUES("-p --partition -S --unit"), HELPS("-h -V")),
    TELLER("iostat mpstat", FLAGS("-c -d -h -k -m -N -s -t -V -x -y -z -A -u"), VALUES("-p -P -I -j -o -g")),
    TELLER("lscpu",
           FLAGS("-a --all -b --online -B --bytes -C --caches -c --offline -J --json -e --extended -p --parse"),
           FLAGS("-x --hex -y --physical --output-all"), VALUES("-s --sysroot"), HELPS("-h -V")),
    {"lsblk", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-A --noempty -a --all -b --bytes -D --discard -d --nodeps -f --fs -i --ascii -J --json "
                              "-l --list -M --merge"),
                        FLAGS("-m --perms -N --nvme -n --noheadings -O --output-all -P --pairs -p --paths -r --raw -S "
                              "--scsi -s --inverse"),
                        FLAGS("-T --tree -t --topology -v --virtio -y --shell -z --zoned"),
                        VALUES("-E --dedup -e --exclude -I --include -o --output -w --width -x --sort"),
                        TREES("--sysroot"), UTIL_HELP),
     .rest = NONE, .harmless_options = true},
    {"findmnt", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-s --fstab -m --mtab -k --kernel -A --all -a --ascii -b --bytes -C --nocanonicalize -c "
                       "--canonicalize -D"),
                 FLAGS("--df -d --direction -e --evaluate -f --first-only -i --invert -J --json -l --list -n "
                       "--noheadings -P --pairs"),
                 FLAGS("-R --submounts -r --raw -T --target -u --notruncate -U --uniq -v --nofsroot -y --shell -x "
                       "--verify --real"),
                 FLAGS("--pseudo --tree --verbose --output-all --deleted --shadowed --vfs-all"),
                 VALUES("-M --mountpoint -N --task -O --options -o --output -S --source -t --types -w --timeout"),
                 FILES("-F --tab-file"), UTIL_HELP),
     .rest = NONE, .harmless_options = true, .answers = true},
    TELLER("lsmem lsipc lslocks lsns lslogins", FLAGS("-a --all -b --bytes -J --json -n --noheadings -P --pairs -r"),
           FLAGS("--raw -S --split -p --task -m --shmems -q --queues -s --semaphores -t --type -u --notruncate"),
           VALUES("-o --output -i --id"), MAYBE("--summary"), HELPS("-h -V")),
    TELLER("lsusb", FLAGS("-v --verbose -t --tree"), VALUES("-s -d -D"), HELPS("-V -h")),
    {"lspci", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-m -v -k -x -n -nn -b -D -P -PP -vv -vvv -mm -t -vt -tv"), VALUES("-s -d -i -p"),
                        REACHES("-q -Q"), HELPS("-V --version --help")),
     .rest = NONE},
    TELLER("lsmod", FLAGS("-s -v")),
    {"lshw", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-short -html -xml -json -businfo -sanitize -numeric -quiet"),
                        VALUES("-class -C -c -disable"), HELPS("-version -help"))},
    TELLER("lsb_release",
           FLAGS("-v --version -i --id -d --description -r --release -c --codename -a --all -s --short")),
    {"last lastb lastlog", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-a --hostlast -d --dns -F --fulltimes -i --ip -R --nohostname -w --fullnames -x --system"),
                 VALUES("-n --limit -p --present -s --since -t --until --time-format -u -b"), FILES("-f --file"),
                 HELPS("-h -V"), GNU_HELP),
     .rest = NONE, .numeric_options = true},
    TELLER("printenv", FLAGS("-0 --null")),
    TELLER("locale",
           FLAGS("-V --usage -a --all-locales -m --charmaps -c --category-name -k --keyword-name -v --verbose")),
    {"getconf", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-a"), GNU_HELP), .rest = NONE},
    TELLER("sleep usleep", FLAGS("")),
    TELLER("yes", FLAGS("")),
    TELLER("cal ncal", FLAGS("-1 -3 -j -m -y -h -J -e -o -p -w -M -S -b -C -N"), VALUES("-d -A -B -H -s -n")),
    {"tput", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-V -x"), VALUES("-T"), CHANGES("-S")),
     .rest = SHELL_EFFECT_NONE, .harmless_options = true, .check = check_tput},
    TELLER("clear", FLAGS("-x -V"), VALUES("-T")),
    CHANGER("reset tset"),
    {"stty", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a --all -g --save"), VALUES("-F --file"), GNU_HELP),
     .subcommands = SUBCOMMANDS({"size speed", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = SHELL_EFFECT_WRITES})},
    {"dircolors", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-b --sh --bourne-shell -c --csh --c-shell -p --print-database --print-ls-colors"), GNU_HELP),
     .rest = READ, .harmless_options = true},
    TELLER("infocmp toe", FLAGS("-1 -a -x -C -L -I -d -n -q")),
    TELLER("mountpoint", FLAGS("-q --quiet -d --fs-devno -x --devno --nofollow"), HELPS("-h -V")),
    {"info", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a --all -w --where --location --subnodes"), VALUES("-k --apropos -n --node"),
                        FILES("-f --file"), OUTPUTS("-o --output"), HELPS("-h --help --version")),
     .rest = NONE, .check_words = check_info},
    {"systemctl", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = systemctl_options,
     .subcommands = SUBCOMMANDS(
         ASKS("status show list-units list-unit-files list-timers list-sockets list-jobs list-dependencies "
              "list-machines"),
         ASKS("list-automounts list-paths is-active is-enabled is-failed is-system-running cat get-default"),
         ASKS("show-environment help")),
     .answers = true},
    {"journalctl", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-a --all -f --follow -e --pager-end -l --full -q --quiet -m --merge -r --reverse -x --catalog "
               "--no-pager"),
         FLAGS("--no-full --no-tail --no-hostname --utc --system --user -k --dmesg --list-boots --disk-usage --header"),
         FLAGS("--list-catalog --dump-catalog -N --fields --verify --show-cursor -b --boot"),
         MAYBE("-n --lines --case-sensitive"),
         VALUES("-u --unit --user-unit -t --identifier -p --priority --facility -g --grep -S --since -U"),
         VALUES("--until -o --output --output-fields -c --cursor --after-cursor -F --field -T"),
         TREES("-D --directory --root"), FILES("--file -i"), REACHES_WITH("-M --machine"),
         CHANGES("--rotate --flush --sync --relinquish-var --smart-relinquish-var --update-catalog --setup-keys"),
         CHANGES_WITH("--vacuum-size --vacuum-files --vacuum-time --cursor-file"), HELPS("-h --help --version")),
     .rest = NONE, .numeric_options = true},
    {"dpkg", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-l --list -L --listfiles -s --status -S --search -p --print-avail -V --verify -C --audit "
               "--get-selections"),
         FLAGS("--print-architecture --print-foreign-architectures --compare-versions --yet-to-unpack --no-pager -c"),
         FLAGS("--contents -I --info -f --field -W --show"), HELPS("--version --help -?")),
     .rest = NONE, .check = check_dpkg},
    {"dpkg-query", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-W --show -l --list -s --status -L --listfiles -S --search -p --print-avail --no-pager"),
                        FLAGS("--control-list --control-show -c"), VALUES("-f --showformat --admindir"),
                        HELPS("-? --help --version")),
     .rest = NONE, .harmless_options = true},
    {"apt apt-get apt-cache", .judge = judge_apt},
    {"apt-mark", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = apt_options,
     .subcommands = SUBCOMMANDS(APT_ASKS("showauto showmanual showhold"))},
    {"rpm", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-q --query -a --all -f --file -i --info -l --list -c --configfiles -d --docfiles -R "
                              "--requires --provides"),
                        FLAGS("--changelog --scripts -V --verify --last -s --state --conflicts --noscripts"),
                        VALUES("--qf --queryformat --whatprovides --whatrequires"), HELPS("--version --help")),
     .rest = NONE, .check = check_rpm},
    {"ldconfig", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-p --print-cache -v --verbose"), HELPS("-? --help -V --version")), .rest = NONE,
     .check = check_ldconfig},
    {"ssh-keygen", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-l -v"), VALUES("-E"), FILES("-f")),
     .rest = NONE, .check = check_ssh_keygen},
    {"gpg gpg2 gpgv", .judge = judge_gpg},
    {"gpgconf", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("--list-dirs --list-components"), GNU_HELP), .needs = "--list-dirs --list-components"},
    {"service", SHELL_SYNTAX_GNU, SHELL_EXECUTES, "service runs the script of a service",
     .options = OPTIONS(FLAGS("--status-all"), GNU_HELP), .rest = NONE},
    {"mount", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-l --show-labels -v --verbose"), VALUES("-t --types"), UTIL_HELP), .rest = NONE,
     .check = check_mount},
    {"umount", SHELL_SYNTAX_NONE, SHELL_WRITES, .judge = shell_judge_changes},
    {"crontab", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-l"), VALUES("-u")), .rest = NONE,
     .check = check_crontab},
    {"sysctl", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a --all -A -X -b --binary -e --ignore -N --names -n --values -q --quiet --deprecated"),
                        VALUES("-r --pattern"), CHANGES("-w --write --system"),
                        {"-p --load -f", SHELL_EFFECT_WRITES, SHELL_ARITY_OPTIONAL}, HELPS("-h -d -V"), GNU_HELP),
     .rest = NONE, .check = check_sysctl},
    {"udevadm", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         {"info", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
          .options = OPTIONS(
              HELPS("-h --help -V --version"),
              FLAGS("--value -r --root -a --attribute-walk -t --tree -x --export -e --export-db --no-pager"),
              VALUES("-q --query --property -p --path -n --name -P --export-prefix"), FILES("-d --device-id-of-file")),
          .rest = NONE},
         WRITERS("trigger settle control test test-builtin"), PLAIN("version")),
     .options = OPTIONS(HELPS("--version -V --help -h"))},
    {"ip", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-4 -6 -0 -s -stats -statistics -d -details -o -oneline -br -brief -j -json -p -pretty -h -human"),
         MAYBE("-c -color --color"), FLAGS("-iec -a -all -t -timestamp -ts -N -Numeric -echo"), REACHES("-r -resolve"),
         VALUES("-f -family"), HELPS("-V -Version -help")),
     .rest = NONE, .check = check_ip},
    {"ss", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = ss_options, .rest = NONE, .check = check_ss},
    {"netstat", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-r --route -i --interfaces -g --groups -s --statistics -M --masquerade -v --verbose -W --wide -n "
               "--numeric"),
         FLAGS(
             "--numeric-hosts --numeric-ports --numeric-users -N --symbolic -e --extend -p --programs -o --timers -c"),
         FLAGS(
             "--continuous -l --listening -a --all -F --fib -C --cache -Z --context -t --tcp -u --udp -U --udplite -S"),
         FLAGS("--sctp -w --raw -x --unix -4 -6 --ax25 --ipx --netrom --ddp --bluetooth"), VALUES("-A --protocol"),
         HELPS("-V -h"), GNU_HELP),
     .rest = NONE, .harmless_options = true},
    {"ifconfig", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-a -s -v"), GNU_HELP), .first = {NONE},
     .first_count = 1, .rest = SHELL_EFFECT_WRITES},
    {"route arp", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-n --numeric -e --extend -v --verbose -a -F --fib"), HELPS("-V -h"), GNU_HELP),
     .rest = SHELL_EFFECT_WRITES},
    {"dmesg", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-d --show-delta -e --reltime -H --human -k --kernel -L --color -p --force-prefix -P "
                              "--nopager -r --raw -S"),
                        FLAGS("--noescape --syslog -T --ctime -t --notime -u --userspace -w --follow -W --follow-new "
                              "-x --decode -J --json"),
                        VALUES("-f --facility -l --level -s --buffer-size --since --until --time-format"),
                        FILES("-F --file -K --kmsg-file"),
                        CHANGES("-C --clear -c --read-clear -D --console-off -E --console-on"),
                        CHANGES_WITH("-n --console-level"), HELPS("-h --help -V --version")),
     .rest = NONE},
    CHANGER("useradd userdel usermod groupadd groupdel passwd chpasswd chsh visudo vipw adduser deluser"),
    CHANGER("shutdown reboot halt poweroff init telinit"),
    CHANGER("mkfs mkswap swapoff blkdiscard hdparm e2fsck fsck modprobe insmod rmmod setcap setfacl chattr hwclock"),
    CHANGER("update-ca-certificates locale-gen depmod"),
    {0},
};

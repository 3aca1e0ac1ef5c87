/*
 * programs_apple.c: macOS 14 and Xcode 15: what tells about the machine, files, programs and projects. Manual pages of
 * vm_stat(1), defaults(1), mdls(1), lipo(1), plutil(1), security(1), codesign(1), launchctl(1), diskutil(8), pmset(1),
 * scutil(8), networksetup(8) and their like.
 */
#include "shell/programs.h"
#include "shell/rows.h"

#define NONE SHELL_EFFECT_NONE
#define READ SHELL_EFFECT_READ

/* plutil without one of these converts or changes its files; -extract and -convert print with -o -. */
static void check_plutil(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t at = 0; at < arguments->operand_count; at++)
        shell_reads(reading, arguments->operands[at], false);
    const struct shell_given *out = shell_given(arguments, "-o");
    bool printed = out && out->argument.known && hv_str_is(out->argument.value, "-");
    bool changes = shell_given(arguments, "-extract -convert") != NULL || out;
    for (size_t at = 1; at + 2 < arguments->count; at++) /* -extract KEY raw prints */
        printed |= !out && arguments->words[at].known && hv_str_is(arguments->words[at].value, "-extract") &&
                   arguments->words[at + 2].known && hv_str_is(arguments->words[at + 2].value, "raw") &&
                   !shell_given(arguments, "-convert");
    bool checks = !changes && (arguments->operand_count || shell_given(arguments, "-p -lint -type"));
    if (checks || (changes && printed))
        return;
    shell_changes(reading, "plutil changes its files unless -o - prints them");
}

/* PlistBuddy -c 'Print …': other commands of its language change the file. */
static void check_plist_buddy(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    bool prints = shell_given(arguments, "-c") != NULL;
    for (size_t at = 0; at < arguments->given_count; at++) {
        const struct shell_word *code = &arguments->given[at].argument;
        prints &= !arguments->given[at].has_argument || (code->known && (hv_str_starts(code->value, HV_STR("Print")) ||
                                                                         hv_str_starts(code->value, HV_STR("print"))));
    }
    for (size_t at = 0; at < arguments->operand_count; at++)
        shell_reads(reading, arguments->operands[at], false);
    if (prints)
        return;
    shell_changes(reading, "PlistBuddy changes the file unless it is told to print");
}

/* dscl PATH -read … asks; without a verb it takes commands from its input. */
static void judge_dscl(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char verbs[] = "-read -list -search -readall -readpl -ls -cat";
    size_t verb = count > 1 && words[1].known && shell_names_have("-q -plist -raw -url", words[1].value) ? 3 : 2;
    bool local =
        verb < count && words[verb - 1].known && shell_names_have(". /Local/Default localhost", words[verb - 1].value);
    if (local && words[verb].known && shell_names_have(verbs, words[verb].value))
        return;
    shell_changes(reading, "dscl changes the accounts of the machine, or asks another one");
}

/* networksetup -get… and -list… ask. */
static void judge_networksetup(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool asks = count > 1 && words[1].known &&
                (hv_str_starts(words[1].value, HV_STR("-get")) || hv_str_starts(words[1].value, HV_STR("-list")) ||
                 shell_names_have("-version -printcommands -help -showpreferredwirelessnetworks", words[1].value));
    for (size_t at = 2; at < count; at++)
        asks &= !shell_may_be_option(&words[at]);
    if (asks)
        return;
    shell_changes(reading, "networksetup changes how the machine is connected");
}

/* scutil with one of these asks; else it takes commands from its input, or sets. */
static void judge_scutil(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool asks = count == 2 && words[1].known && shell_names_have("--dns --proxy --nwi", words[1].value);
    asks |= count == 3 && words[1].known && words[2].known && hv_str_is(words[1].value, "--get") &&
            shell_names_have("ComputerName HostName LocalHostName", words[2].value);
    if (asks)
        return;
    shell_changes(reading, "scutil changes settings of the machine");
}

/* pmset -g [what]: gets, whatever stands behind it. */
static void judge_pmset(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (count > 1 && words[1].known && hv_str_is(words[1].value, "-g"))
        return;
    shell_changes(reading, "pmset changes how the machine uses power");
}

/* -v alone may verify as well as be a level of words: both only look. */
static void check_codesign(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t at = 0; at < arguments->operand_count; at++)
        shell_reads(reading, arguments->operands[at], true);
    const struct shell_given *output = shell_given(arguments, "--entitlements");
    bool printed = !output || (output->argument.known && shell_names_have("- :-", output->argument.value));
    if (printed && shell_given(arguments, "-d --display -v -vv -vvv --verify --verbose"))
        return;
    shell_changes(reading, "codesign changes files unless it displays or verifies");
}

const struct shell_program shell_programs_apple[] = {
    SHOWS_WORDS("sw_vers",
                FLAGS("-productName -productVersion -buildVersion --productName --productVersion --buildVersion"),
                FLAGS("--productVersionExtra")),
    SHOWS_WORDS("system_profiler", FLAGS("-json -xml -listDataTypes"), VALUES("-detailLevel -timeout")),
    SHOWS("vm_stat", VALUES("-c")),
    SHOWS("memory_pressure", FLAGS("-Q")),
    COMMANDS("defaults", {"read read-type domains find help", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
                          .options = OPTIONS(FLAGS("-g -globalDomain -currentHost"), VALUES("-app")), .rest = NONE}),
    {"mdls", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-raw"), VALUES("-name -nullMarker"), OUTPUTS("-plist")), .rest = READ},
    SHOWS_WORDS("mdfind", FLAGS("-0 -live -count -literal -interpret -s"), VALUES("-name -attr"), TREES("-onlyin")),
    {"lipo", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-info -archs -detailed_info"), {"-verify_arch", SHELL_EFFECT_NONE, SHELL_ARITY_NONE}),
     .rest = READ, .needs = "-info -archs -detailed_info -verify_arch"},
    {"plutil", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-p -lint -s -r -n"), {"-extract", SHELL_EFFECT_NONE, SHELL_ARITY_TWO},
                        VALUES("-convert -type -expect"), {"-o", SHELL_EFFECT_NONE, SHELL_ARITY_ONE}, HELPS("-help")),
     .rest = NONE, .check = check_plutil},
    {"PlistBuddy", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-x"), {"-c", SHELL_EFFECT_NONE, SHELL_ARITY_ONE}), .rest = NONE,
     .check = check_plist_buddy},
    {"otool otool-classic llvm-otool", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-L -l -h -f -a -D -t -v -V -d -o -s -n -I -r -S -T -M -R -c -x -X -C -G -P -j -q -Q -B"),
                        VALUES("-arch -p"), FLAGS("-tV -tv -lv -hv -ov -dyld_info -function_starts -toc"),
                        HELPS("--version -version --help")),
     .rest = READ},
    LOOKS_AT_WORDS("dyld_info",
                   FLAGS("-dependents -platform -exports -imports -fixups -segments -objc -load_commands -uuid"),
                   VALUES("-arch")),
    LOOKS_WITH("pagestuff", "-a", FLAGS("-a")),
    {"vtool", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-show -show-build -show-build-version -show-source-version -show-space"), VALUES("-arch")),
     .rest = READ, .needs = "-show -show-build -show-build-version -show-source-version -show-space"},
    COMMANDS("launchctl",
             PLAIN("list print print-disabled version managerpid manageruid managername dumpstate hostinfo"),
             PLAIN("blame print-cache help")),
    COMMANDS("diskutil", SHOWS_WORDS("list info", FLAGS("-plist -all internal external physical virtual")),
             PLAIN("listFilesystems activity"),
             GROUP("apfs", {"list listUsers listSnapshots listVolumeGroups", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
                            .options = OPTIONS(FLAGS("-plist")), .rest = NONE}),
             GROUP("cs coreStorage corestorage", PLAIN("list info")), GROUP("ar appleRAID", PLAIN("list"))),
    {"hdiutil", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .subcommands =
         SUBCOMMANDS({"info", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-plist"))},
                     {"imageinfo verify", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
                      .options = OPTIONS(FLAGS("-plist -quiet -format -checksum")), .rest = READ},
                     WRITERS("attach detach create convert mount unmount burn resize compact erasekeys chpass"))},
    {"pmset", .judge = judge_pmset},
    {"dscl", .judge = judge_dscl},
    {"networksetup", .judge = judge_networksetup},
    {"scutil", .judge = judge_scutil},
    COMMANDS("csrutil", PLAIN("status")),
    {"spctl", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("--status -a --assess -v -vv -vvv -vvvv --verbose"), VALUES("-t --type")), .rest = READ,
     .needs = "--status -a --assess"},
    COMMANDS("fdesetup", PLAIN("status isactive list")),
    {"security", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("-h")),
     .subcommands =
         SUBCOMMANDS(SHOWS("find-identity", FLAGS("-v"), VALUES("-p -s")),
                     SHOWS("list-keychains default-keychain login-keychain", VALUES("-d")), PLAIN("error help"))},
    {"codesign", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-d --display -v -vv -vvv -vvvv --deep"), REACHES("--check-notarization"),
                        MAYBE("--verbose --strict"), VALUES("-a --architecture --bundle-version"),
                        {"--entitlements", SHELL_EFFECT_NONE, SHELL_ARITY_ONE},
                        {"--verify", SHELL_EFFECT_NONE, SHELL_ARITY_NONE}, HELPS("--help")),
     .rest = NONE, .check = check_codesign},
    {"pkgutil", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("--packages --only-files --only-dirs -v --verbose"), MAYBE("--pkgs"),
                        VALUES("--files --pkg-info --pkg-info-plist --lsbom --group-pkgs"),
                        FILES("--file-info --check-signature --payload-files"), TREES("--volume"), HELPS("-h --help")),
     .rest = READ},
    /* sips -g KEY FILE asks about a picture; all else makes or changes one. */
    {"sips", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(VALUES("-g --getProperty"), HELPS("-h --help -H --helpProperties")), .rest = READ,
     .needs = "-g --getProperty"},
    {"GetFileInfo", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-a -c -d -m -t -P")), .rest = READ},
    {"xattr", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-l -r -v -x -s"), {"-p", SHELL_EFFECT_NONE, SHELL_ARITY_ONE}, HELPS("-h --help")),
     .rest = READ},
    COMMANDS("tmutil", SHOWS("listbackups destinationinfo listlocalsnapshots latestbackup isexcluded version status"
                             " machinedirectory",
                             FLAGS("-X -m -t"))),
    SHOWS("ioreg", FLAGS("-a -b -f -i -l -r -t -x -y -z"), VALUES("-c -d -k -n -p -w"), HELPS("-h")),
    SHOWS("kextstat", FLAGS("-a -l -k -s"), VALUES("-b")),
    COMMANDS("kmutil", SHOWS("showloaded", FLAGS("--list-only --no-kernel-components --show"),
                             VALUES("-b --bundle-identifier --collection --sort --variant-suffix"))),
    COMMANDS("systemextensionsctl", PLAIN("list")),
    COMMANDS("profiles", SHOWS("list show status", VALUES("-type"))),
    {"xcodebuild", SHELL_SYNTAX_WORDS, SHELL_EXECUTES, "xcodebuild builds",
     .options = OPTIONS(HELPS("-version -showsdks -help -usage"))},
    {"xcrun", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options =
         OPTIONS(HELPS("--version -version -h -help --help --show-sdk-path -show-sdk-path --show-sdk-version"
                       " -show-sdk-version --show-sdk-platform-path -show-sdk-platform-path --show-sdk-build-version"),
                 {"--find -find -f", SHELL_EFFECT_HELP, SHELL_ARITY_ONE}, VALUES("--sdk -sdk"), FLAGS("-v -n")),
     .subcommands =
         SUBCOMMANDS({"simctl", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
                      .subcommands = SUBCOMMANDS(
                          SHOWS("list", FLAGS("-j --json -v")), PLAIN("help listapps get_app_container getenv"),
                          RUNNERS("boot install launch spawn"),
                          WRITERS("erase delete create shutdown uninstall addmedia privacy push status_bar"))})},
    {"xcode-select", SHELL_SYNTAX_GNU, SHELL_WRITES, "xcode-select changes which tools are used",
     .options = OPTIONS(HELPS("-p --print-path -v --version -h --help"))},
    COMMANDS("xcresulttool",
             {"get", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
              .options = OPTIONS(FLAGS("--legacy --compact"), VALUES("--format --id --test-id"), TREES("--path"))}),
    {0},
};

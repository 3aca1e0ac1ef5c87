/*
 * programs_mobile.c: telephones and Java: what looks into packages, classes, key stores and running machines. Android
 * SDK build-tools 34, bundletool 1.15, libimobiledevice 1.3, JDK 21.
 */
#include "shell/programs.h"
#include "shell/rows.h"

#define NONE SHELL_EFFECT_NONE
#define READ SHELL_EFFECT_READ

/* ---- Java ------------------------------------------------------------------------------------------------ */

/* java runs code, but for what it tells about itself. Other options of the machine write files, or run programs. */
static void judge_java(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char last[] =
        "-version --version -fullversion --list-modules -X --help-extra -help --help -showversion";
    static const char more[] = "-XshowSettings -XshowSettings:all -XshowSettings:vm -XshowSettings:properties"
                               " -XshowSettings:locale -XshowSettings:system -XX:+PrintFlagsFinal"
                               " -XX:+PrintFlagsInitial -XX:+PrintCommandLineFlags -XX:+UnlockDiagnosticVMOptions"
                               " -XX:+UnlockExperimentalVMOptions -server -client";
    bool tells = count > 1, ends = false;
    for (size_t at = 1; at < count; at++) {
        bool end = words[at].known && shell_names_have(last, words[at].value);
        ends |= end;
        tells &= end || (words[at].known && shell_names_have(more, words[at].value));
    }
    if (!tells || !ends)
        shell_worsen(reading, SHELL_EXECUTES, "java runs code");
}

/* "@file" stands for the words in the file. */
static void judge_jdeps(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_option options[] = {
        FLAGS("-s -summary -v -verbose --list-deps --list-reduced-deps --print-module-deps -R -recursive -jdkinternals"
              " --jdk-internals -q -quiet --missing-deps --ignore-missing-deps -P -profile -apionly --api-only -I"
              " --inverse --compile-time --check -no-recursive --no-recursive"),
        VALUES("-e -regex --regex -f -filter -p -package --package --multi-release -m --module --require -include"),
        TREES("-cp -classpath --class-path --module-path --upgrade-module-path --system"),
        OUTPUTS("-dotoutput --dot-output --generate-module-info --generate-open-module"),
        HELPS("-h -? -help --help -version --version"),
        {0}};
    static const struct shell_program row = {"jdeps", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = options,
                                             .rest = SHELL_EFFECT_READ_TREE};
    for (size_t at = 1; at < count; at++)
        if (words[at].value.len && words[at].value.ptr[0] == '@')
            shell_worsen(reading, SHELL_UNKNOWN, "the options in the file of jdeps are not known");
    shell_judge_row(reading, &row, words, count);
}

/* A number, of a process or (1s, 500ms) of an interval. */
static bool is_process(const struct shell_word *word)
{
    size_t digits = 0;
    while (digits < word->value.len && word->value.ptr[digits] >= '0' && word->value.ptr[digits] <= '9')
        digits++;
    struct hv_str unit = hv_str_slice(word->value, digits, word->value.len);
    return (word->known && digits && (!unit.len || shell_names_have("s ms", unit))) || word->flags & SHELL_WORD_NUMBER;
}

/*
 * What attaches to a process sends it SIGQUIT, for which a Java machine opens a door: one of before Java 17 sends it to
 * whatever has that number, and other programs end by it.
 */
static void judge_java_attaching(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool lists = count == 2 && words[1].known && shell_names_have("-l -h -help --help", words[1].value);
    if (!lists && (count > 1 || !hv_str_is(words[0].value, "jcmd")))
        shell_worsen(reading, SHELL_EXECUTES, "it sends a signal to the process, which may end by it");
}

/* A name of another machine may stand for the process of jstat. */
static void judge_java_process(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_option options[] = {
        FLAGS("-class -compiler -gc -gccapacity -gccause -gcmetacapacity -gcnew -gcnewcapacity -gcold -gcoldcapacity"
              " -gcutil -printcompilation -options -t"),
        VALUES("-h"),
        HELPS("-help --help -?"),
        {0}};
    static const struct shell_program row = {"jstat", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = options};
    struct shell_arguments arguments;
    if (!shell_arguments(reading, &row, words, count, &arguments) || arguments.help)
        return;
    for (size_t at = 0; at < arguments.operand_count; at++)
        if (!is_process(arguments.operands[at]))
            shell_worsen(reading, SHELL_NETWORK, "only the number of a process is certain to be of this machine");
}

/* ---- Android --------------------------------------------------------------------------------------------- */

#define APK(names)                                                                                                     \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,                                                                    \
            .options =                                                                                                 \
                OPTIONS(FLAGS("--not-required --different-only --files-only --patch-size --raw-size --defined-only"),  \
                        VALUES("--config --name --type --package --class --method"),                                   \
                        VALUES("--file --files --proguard-mappings --proguard-seeds")),                                \
            .rest = READ                                                                                               \
    }

const struct shell_program shell_programs_mobile[] = {
    {"aapt aapt2", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--help")),
     .subcommands = SUBCOMMANDS(
         {"list l", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-v -a")), .rest = READ},
         {"dump d", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
          .options = OPTIONS(FLAGS("--values --include-meta-data --no-values -v"), VALUES("-c"), FILES("--file")),
          .first = {NONE}, .first_count = 1, .rest = READ},
         PLAIN("version v"),
         WRITERS("package p add a remove r crunch c singleCrunch s compile link optimize convert"))},
    {"apkanalyzer", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-h --human-readable")),
     .subcommands = SUBCOMMANDS(
         GROUP("apk", APK("summary file-size download-size features compare")), GROUP("files", APK("list cat")),
         GROUP("manifest", APK("print application-id version-name version-code min-sdk target-sdk permissions"
                               " debuggable")),
         GROUP("dex", APK("list references packages code")),
         GROUP("resources", APK("packages configs value name names xml")))},
    COMMANDS("apksigner",
             LOOKS_AT("verify", FLAGS("-v --verbose --print-certs --print-certs-pem -Werr"),
                      VALUES("--min-sdk-version --max-sdk-version"), FILES("--in --v4-signature-file")),
             PLAIN("version help")),
    LOOKS_WITH("zipalign", "-c", FLAGS("-c -v -p -f -z"), VALUES("-P")),
    {"dexdump dexdump2", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a -c -d -e -f -g -h -i -j -n -s -w"), VALUES("-l"), OUTPUTS("-o")), .rest = READ},
    {"bundletool", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         {"dump validate get-size", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
          .options = OPTIONS(FILES("--bundle --apks --device-spec"), VALUES("--module --xpath --resource --dimensions"),
                             FLAGS("--values --instant --human-readable-sizes")),
          .rest = NONE},
         PLAIN("version help"))},
    SHOWS_WITH("sdkmanager", "--list_installed --version", FLAGS("--list_installed --version"), TREES("--sdk_root")),
    COMMANDS("avdmanager", {"list", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
                            .options = OPTIONS(FLAGS("-c --compact -0 --null")), .rest = NONE}),
    {"emulator", SHELL_SYNTAX_WORDS, SHELL_EXECUTES, "emulator starts a machine",
     .options = OPTIONS(HELPS("-list-avds -version -help -accel-check -webcam-list"))},
    {"adb", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS(VALUES("-s -t"), FLAGS("-d -e"), HELPS("--version")),
     .subcommands = SUBCOMMANDS(SHOWS("devices", FLAGS("-l")),
                                PLAIN("version help get-state get-serialno get-devpath features host-features"),
                                RUNNERS("shell install push root sideload exec-out"), REACHERS("connect tcpip"),
                                WRITERS("pull uninstall reboot logcat bugreport kill-server start-server forward"))},
    {"fastboot", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version"), VALUES("-s")),
     .subcommands = SUBCOMMANDS(SHOWS("devices", FLAGS("-l")), PLAIN("getvar"))},
    SHOWS("idevice_id", FLAGS("-l --list -n --network -d --debug"), HELPS("-h --help -v --version")),
    SHOWS("ideviceinfo", FLAGS("-s --simple -x --xml -n --network -d --debug"),
          VALUES("-u --udid -q --domain -k --key"), HELPS("-h --help -v --version")),
    SHOWS_WITH("ideviceinstaller", "-l --list-apps", FLAGS("-l --list-apps"), VALUES("-u --udid -o"),
               HELPS("-h --help -v --version")),

    {"java", .judge = judge_java},
    {"javap", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(HELPS("--version --help -version -help"),
                        FLAGS("-c -p -private -public -protected -package -s -l -v -verbose -constants -sysinfo"),
                        TREES("-cp -classpath --class-path --module-path"), VALUES("--module -m --multi-release")),
     .rest = READ},
    {"jps", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-q -m -l -v -V"), HELPS("-h -help --help"))},
    {"jcmd jstack jinfo jmap", .judge = judge_java_attaching},
    {"jstat", .judge = judge_java_process},
    {"jdeps", .judge = judge_jdeps},
    COMMANDS("jmod", {"list describe", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .rest = READ}),
    COMMANDS("jimage", {"list info verify", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
                        .options = OPTIONS(FLAGS("--verbose --full-version"), VALUES("--include")), .rest = READ}),
    {"keytool", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-list -printcert -printcertreq -printcrl -showinfo -v -rfc -cacerts -tls"),
                        VALUES("-alias -storepass -storetype -keypass"), FILES("-keystore -file -jarfile"),
                        REACHES_WITH("-sslserver"), HELPS("-help --help -h")),
     .needs = "-list -printcert -printcertreq -printcrl -showinfo"},
    {"jarsigner", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-verify -verbose -certs -strict -verbose:all -verbose:summary -verbose:grouped"),
                        HELPS("-help --help -version --version")),
     .first = {READ}, .first_count = 1, .rest = NONE, .needs = "-verify"},
    {0},
};

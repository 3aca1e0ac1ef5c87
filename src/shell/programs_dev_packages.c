/*
 * programs_dev_packages.c: package managers: what they list of what is installed reads; what asks a registry reaches
 * the network; what installs runs the scripts of packages. npm help, pnpm help, yarn(1), pip help, gem help, bundle
 * help, composer list, brew(1), nix(1).
 */
#include "shell/programs.h"
#include "shell/rows.h"

/* ---- node's ---------------------------------------------------------------------------------------------- */

/* npm takes these before and after its sub-command. */
static const struct shell_option npm_options[] = {
    FLAGS("-g --global -s --silent -q --quiet -d -dd -ddd --verbose --json --no-json --long -l --parseable -p --offline"
          " --prefer-offline --no-color --no-unicode --no-update-notifier --no-fund --no-audit --no-progress"
          " --workspaces -ws --include-workspace-root -iwr --no-workspaces --if-present"),
    VALUES("--loglevel -w --workspace --omit --include --depth"),
    MAYBE("--color"),
    TREES("--prefix -C"),
    HELPS("-h --help -v --version"),
    {0},
};

static const struct shell_program npm_rows[] = {
    SHOWS_MORE("ls list la ll", npm_options,
               FLAGS("-a --all --link --package-lock-only --unicode --prod --production --dev --only-prod --long")),
    SHOWS_MORE("root prefix bin completion help-search", npm_options, FLAGS("--all")),
    {"fund", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .more_options = npm_options, .rest = SHELL_EFFECT_EXECUTE},
    SHOWS_MORE("explain why query", npm_options, FLAGS("--package-lock-only --expect-results"),
               VALUES("--which --expect-result-count"), RUNS("--browser")),
    SHOWS_MORE("sbom", npm_options, FLAGS("--package-lock-only"), VALUES("--sbom-format --sbom-type")),
    SHOWS_MORE("get", npm_options, FLAGS("--all")),
    GROUP("config c", SHOWS_MORE("get list ls", npm_options, FLAGS("--all")), WRITERS("set delete rm fix"),
          RUNNERS("edit")),
    GROUP("pkg", SHOWS_MORE("get", npm_options, FLAGS("--all")), WRITERS("set delete fix")),
    GROUP("cache", SHOWS_MORE("ls", npm_options, FLAGS("--all")), REACHERS("add"), WRITERS("clean verify npx")),
    {"run run-script rum urn", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .more_options = npm_options,
     .rest = SHELL_EFFECT_EXECUTE},
    {"version", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("--json")), .rest = SHELL_EFFECT_EXECUTE},
    REACHERS("view info show v outdated audit search s se find ping whoami doctor owner author dist-tag dist-tags"
             " access team token profile org hook star unstar stars diff login adduser logout publish unpublish"
             " deprecate undeprecate trust"),
    RUNNERS("install i in ins inst insta instal isnt isnta isntal add ci clean-install ic install-clean isntall-clean"
            " install-test it cit install-ci-test update up upgrade udpate rebuild rb link ln test t tst start stop"
            " restart exec x init create innit pack explore edit repo docs home bugs issues"),
    {"help", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .rest = SHELL_EFFECT_EXECUTE}, /* it opens a viewer or a browser */
    WRITERS("uninstall unlink remove rm r un prune dedupe ddp find-dupes shrinkwrap set set-script install-scripts"),
    {0},
};

static const struct shell_option pnpm_options[] = {
    FLAGS("-r --recursive -g --global --silent -s --json --long --parseable --no-color --color -w --workspace-root"
          " --offline --stream --prod -P -D --dev --no-optional --only-projects --lockfile-only"),
    VALUES("-F --filter --depth --loglevel --reporter"),
    TREES("-C --dir"),
    HELPS("-h --help -v --version"),
    {0},
};

static const struct shell_program pnpm_rows[] = {
    SHOWS_MORE("ls list ll la", pnpm_options, VALUES("--find-by")),
    SHOWS_MORE("why root bin", pnpm_options, FLAGS("--all")),
    GROUP("config c", SHOWS_MORE("get list", pnpm_options, FLAGS("--all")), WRITERS("set delete")),
    SHOWS_MORE("get", pnpm_options, FLAGS("--all")),
    GROUP("store", SHOWS_MORE("path", pnpm_options, FLAGS("--all")), REACHERS("add"), WRITERS("prune status")),
    GROUP("licenses", SHOWS_MORE("list ls", pnpm_options, FLAGS("--all"))),
    {"run run-script", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .more_options = pnpm_options, .rest = SHELL_EFFECT_EXECUTE},
    REACHERS("outdated audit view info show search publish fetch login logout whoami ping"),
    RUNNERS("install i add update up upgrade exec dlx create init rebuild rb test t start import link ln deploy pack"
            " patch patch-commit setup env self-update approve-builds"),
    WRITERS("remove rm uninstall un unlink prune dedupe set cache server"),
    {0},
};

/* ---- python's -------------------------------------------------------------------------------------------- */

static const struct shell_option pip_options[] = {
    FLAGS("-v --verbose -vv -q --quiet --isolated --no-color --disable-pip-version-check --no-input --no-python-version"
          "-warning --require-virtualenv"),
    HELPS("-h --help -V --version"),
    {0},
};

static const struct shell_option poetry_options[] = {
    FLAGS("-q --quiet -v -vv -vvv --verbose --ansi --no-ansi -n --no-interaction --no-plugins --no-cache"),
    TREES("-C --directory -P --project"),
    HELPS("-h --help -V --version"),
    {0}};

static const struct shell_program poetry_rows[] = {
    {"show", SHELL_SYNTAX_EXACT, SHELL_WRITES, "poetry show makes the project's environment where there is none",
     .options = OPTIONS(FLAGS("-t --tree --why -T --top-level -a --all --no-dev --no-truncate"),
                        VALUES("--only --with --without"), REACHES("-l --latest -o --outdated")),
     .more_options = poetry_options, .rest = SHELL_EFFECT_NONE},
    {"version", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-s --short --dry-run")),
     .more_options = poetry_options, .rest = SHELL_EFFECT_WRITES},
    SHOWS_MORE("check", poetry_options, FLAGS("--lock --strict")),
    SHOWS_MORE("about list help", poetry_options, FLAGS("--raw")),
    GROUP("env", SHOWS_MORE("list info", poetry_options, FLAGS("-p --path -e --executable --full-path")),
          WRITERS("remove use activate")),
    REACHERS("search lock publish update add"),
    RUNNERS("install run shell build init new"),
    WRITERS("remove config cache self source export"),
    {0},
};

static const struct shell_option uv_options[] = {
    FLAGS("-q --quiet -v --verbose --no-progress --offline --no-cache -n --no-config"),
    VALUES("--color"),
    HELPS("-h --help -V --version"),
    {0}};

static const struct shell_program uv_rows[] = {
    GROUP("pip",
          SHOWS_MORE("list", uv_options, FLAGS("-e --editable --exclude-editable --system --strict"),
                     VALUES("--format --exclude"), REACHES("--outdated")),
          SHOWS_MORE("show check", uv_options, FLAGS("-f --files --system --strict")),
          SHOWS_MORE("freeze", uv_options, FLAGS("--exclude-editable --system --strict")),
          SHOWS_MORE("tree", uv_options, FLAGS("--invert --no-dedupe --system --strict --show-version-specifiers"),
                     VALUES("-d --depth --prune --package"), REACHES("--outdated")),
          RUNNERS("install sync compile"), WRITERS("uninstall")),
    GROUP("python", SHOWS_MORE("find dir", uv_options, FLAGS("--system --bin")),
          SHOWS_MORE("list", uv_options, FLAGS("--only-installed --all-versions")), REACHERS("install upgrade"),
          WRITERS("uninstall pin")),
    GROUP("tool", SHOWS_MORE("list dir", uv_options, FLAGS("--show-paths --bin")), RUNNERS("run install upgrade"),
          WRITERS("uninstall update-shell")),
    GROUP("cache", SHOWS_MORE("dir", uv_options, FLAGS("--bin")), WRITERS("clean prune")),
    {"version", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("--short")), .more_options = uv_options,
     .rest = SHELL_EFFECT_WRITES},
    SHOWS_MORE("help", uv_options, FLAGS("--no-pager")),
    REACHERS("lock tree publish"),
    RUNNERS("run sync add build init x"),
    WRITERS("remove venv export self"),
    {0},
};

/* ---- ruby's, php's, the system's ------------------------------------------------------------------------- */

/* ---- where the project has a say ------------------------------------------------------------------------- */

static const struct shell_program yarn_rows[] = {
    SHOWS("list why", FLAGS("--prod --production --json -R --recursive --peers --no-progress -s --silent"),
          VALUES("--depth --pattern")),
    GROUP("config", SHOWS("get list", FLAGS("--json --why --verbose")), WRITERS("set delete unset")),
    GROUP("workspaces", SHOWS("info list", FLAGS("--json -v")), RUNNERS("run foreach focus")),
    PLAIN("bin versions"),
    GROUP("cache", SHOWS("dir list", FLAGS("--json")), WRITERS("clean")),
    GROUP("global", SHOWS("dir bin list", FLAGS("--json")), RUNNERS("add upgrade"), WRITERS("remove")),
    REACHERS("info outdated audit npm publish login logout owner tag team search"),
    RUNNERS("install add up upgrade upgrade-interactive run exec dlx create init test build start dev lint node pack"
            " rebuild link import set plugin patch workspace dedupe"),
    WRITERS("remove unlink autoclean version unplug"),
    {0},
};

/* package.json may name the version of the manager that is fetched and runs instead of this one. */
#define MANAGER_FILES "package.json:packageManager package.json:\\u .corepack.env"

/* An option that names another project, whose files nobody has looked at. */
static void stay_in_project(struct shell_reading *reading, const struct shell_word *words, size_t count,
                            const char *options)
{
    for (size_t at = 1; at < count; at++) {
        struct hv_str rest = hv_str_from(options), option;
        while (hv_str_split(&rest, ' ', &option))
            if (option.len && hv_str_starts(words[at].value, option))
                shell_worsen(reading, SHELL_EXECUTES, "the files of another project may make it run code");
    }
}

/* yarnPath and plugins: even `yarn --version` runs what .yarnrc.yml names. */
static void check_yarn(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    stay_in_project(reading, words, count, "--cwd");
    shell_needs_none(reading, MANAGER_FILES " .yarnrc.yml .yarnrc .pnp.cjs .pnp.js .yarn/releases .yarn/plugins");
}

static void check_pnpm(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    stay_in_project(reading, words, count, "-C --dir");
    shell_needs_none(reading, MANAGER_FILES " .pnpmfile.cjs .pnpmfile.mjs pnpmfile.js .npmrc:pnpmfile .npmrc:\\u"
                                            " pnpm-workspace.yaml:pnpmfile pnpm-workspace.yaml:configDependencies");
}

/* Both ask the interpreter of the project's environment, or the one that its files name, about itself. */
static const char environment_files[] = ".venv venv .python-version .python-versions poetry.toml .poetry uv.toml";

static bool asks_version(const struct shell_word *words, size_t count)
{
    return count == 2 && words[1].known && shell_names_have("--version -V --help -h", words[1].value);
}

static void check_poetry(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    stay_in_project(reading, words, count, "-C --directory -P --project");
    /* Plugins of the project are loaded before anything is told. */
    shell_needs_none(reading, asks_version(words, count) ? ".poetry" : environment_files);
}

static void check_uv(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (asks_version(words, count))
        return;
    shell_needs_none(reading, environment_files);
    /* [tool.uv] pip = {python = "./x"}, however it is written. */
    bool pip = false;
    for (size_t at = 1; at < count; at++)
        pip |= !words[at].known || hv_str_is(words[at].value, "pip");
    if (pip)
        shell_needs_none(reading, "pyproject.toml:pip pyproject.toml:\\u pyproject.toml:\\x");
}

/* From here on it is in the directory of --prefix. */
static void enter_prefix(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++) {
        struct shell_word place = words[at];
        bool attached = hv_str_starts(place.value, HV_STR("--prefix="));
        if (!attached && !hv_str_is(place.value, "-C") && !hv_str_is(place.value, "--prefix"))
            continue;
        if (attached)
            place.value = hv_str_slice(place.value, sizeof "--prefix=" - 1, place.value.len);
        else if (at + 1 < count)
            place = words[++at];
        shell_enter(reading, &place);
    }
}

/* Where its logs and cache are, the project must not say: it writes there. */
static void check_npm(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    reading->act.npm = reading->act.class == SHELL_READ_ONLY && !asks_version(words, count);
    if (!reading->act.npm)
        return;
    const char *files = reading->world->git_is_quiet ? ".npmrc:logs-dir .npmrc:cache .npmrc:timing" : ".npmrc";
    shell_needs_none(reading, files);
    enter_prefix(reading, words, count);
    shell_needs_none(reading, files);
}

/* `asdf list all x` asks the network, by a plugin, and so does `nvm list available`. */
#define INSTALLED(names)                                                                                               \
    {                                                                                                                  \
        names, SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = SHELL_EFFECT_EXECUTE                                        \
    }

const struct shell_program shell_programs_dev_packages[] = {
    {"yarn yarnpkg", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = yarn_rows,
     .options = OPTIONS(HELPS("-v --version -h --help"), FLAGS("-s --silent --json --no-progress"), TREES("--cwd")),
     .without_operands = SHELL_EFFECT_EXECUTE, .check_words = check_yarn},
    {"npm", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = npm_rows, .more_options = npm_options,
     .check_words = check_npm},
    {"pnpm", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = pnpm_rows, .more_options = pnpm_options,
     .check_words = check_pnpm},
    {"bun", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         GROUP("pm", SHOWS("ls list bin hash hash-string hash-print", FLAGS("--all -g --global")),
               WRITERS("cache migrate pack trust untrusted default-trusted version pkg")),
         REACHERS("outdated info publish audit why"),
         RUNNERS("run test x install i add update upgrade create init build exec repl link unlink patch dev start"),
         WRITERS("remove rm")),
     .options = OPTIONS(HELPS("-v --version --revision -h --help"))},
    {"npx pnpx bunx corepack uvx", .judge = shell_judge_project},
    {"pip pip3 pip3.9 pip3.10 pip3.11 pip3.12 pip3.13", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         SHOWS_MORE("list", pip_options,
                    FLAGS("-e --editable -l --local --user --pre --not-required --exclude-editable --include-editable"),
                    VALUES("--format --exclude"), TREES("--path"), REACHES("-o --outdated -u --uptodate")),
         SHOWS_MORE("show", pip_options, FLAGS("-f --files")),
         SHOWS_MORE("freeze", pip_options, FLAGS("-l --local --user --all --exclude-editable"), VALUES("--exclude"),
                    TREES("--path"), FILES("-r --requirement")),
         /* Elsewhere --local is short for --local-log, which writes. */
         SHOWS_MORE("inspect", pip_options, FLAGS("--local --user")),
         SHOWS_MORE("check debug completion help", pip_options, FLAGS("-b --bash -z --zsh -f --fish")),
         SHOWS_MORE("hash", pip_options, VALUES("-a --algorithm")),
         GROUP("config", SHOWS_MORE("list get debug", pip_options, FLAGS("--global --user --site")),
               WRITERS("set unset"), RUNNERS("edit")),
         GROUP("cache", SHOWS_MORE("dir info list", pip_options, VALUES("--format")), WRITERS("remove purge")),
         REACHERS("index search"), RUNNERS("install download wheel lock"), WRITERS("uninstall")),
     .more_options = pip_options},
    {"pipx", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version -h --help")),
     .subcommands = SUBCOMMANDS(SHOWS("list", FLAGS("--short --json --include-injected --skip-maintenance")),
                                RUNNERS("run install inject upgrade upgrade-all reinstall reinstall-all runpip"),
                                WRITERS("uninstall uninstall-all ensurepath"))},
    {"poetry", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = poetry_rows, .more_options = poetry_options,
     .check_words = check_poetry},
    {"uv", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = uv_rows, .more_options = uv_options,
     .check_words = check_uv},
    {"conda mamba micromamba", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         SHOWS("list", FLAGS("-e --export --explicit --json --no-pip -f --full-name -c --canonical --revisions -r"),
               VALUES("-n --name"), TREES("-p --prefix")),
         SHOWS("info", FLAGS("-a --all -e --envs -s --system --json --base --unsafe-channels")),
         GROUP("env", SHOWS("list", FLAGS("--json")),
               SHOWS("export", FLAGS("--no-builds --from-history --json"), VALUES("-n --name")),
               RUNNERS("create update"), WRITERS("remove config")),
         {"config", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
          .options = OPTIONS(FLAGS("--show --show-sources --describe --json"), VALUES("--get")),
          .rest = SHELL_EFFECT_NONE, .needs = "--show --show-sources --describe --get"},
         REACHERS("search"), RUNNERS("install create update upgrade run build activate develop"),
         WRITERS("remove uninstall clean init rename")),
     .options = OPTIONS(HELPS("-V --version -h --help"))},
    {"gem", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         SHOWS("list",
               FLAGS("-l --local -d --details -i --installed -I --no-installed -a --all --versions --no-versions -e"
                     " --exact -q --quiet --prerelease --no-prerelease"),
               VALUES("-v --version"), REACHES("-r --remote -b --both")),
         SHOWS("environment env which contents help query dependency specification",
               FLAGS("-l --local --all -a --lib-only -s --show-files")),
         REACHERS("search info outdated fetch push owner yank signin signout sources"),
         RUNNERS("install i update exec build pristine open"), WRITERS("uninstall cleanup unpack lock generate_index")),
     .options = OPTIONS(HELPS("-v --version -h --help"))},
    /* Plugins of the project are loaded before its words are looked at. */
    /* Installed packages as composer.json and its lock file tell; plugins of the project are loaded unless forbidden.
     */
    {"composer", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         {"show info licenses validate depends why prohibits why-not status outdated check-platform-reqs fund suggests",
          .judge = shell_judge_runs},
         PLAIN("about"), REACHERS("search audit diagnose"),
         RUNNERS("install i update u upgrade require r run run-script exec create-project init global dump-autoload"
                 " reinstall"),
         WRITERS("remove rm clear-cache config archive bump")),
     .options = OPTIONS(FLAGS("--no-plugins --no-ansi -n --no-interaction -q --quiet")),
     .needs_none = "composer.json vendor"},
    {"brew", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         SHOWS("list ls",
               FLAGS("--formula --formulae --cask --casks --versions --full-name --pinned --multiple -1 -l -r -t"
                     " --installed-on-request")),
         SHOWS("leaves", FLAGS("-r --installed-on-request -p --installed-as-dependency")),
         PLAIN("config commands shellenv"),
         GROUP("services", SHOWS("list ls", FLAGS("--json")), WRITERS("start stop restart run cleanup kill")),
         REACHERS("info abv search outdated deps uses desc home update up fetch doctor dr livecheck log cat options"),
         RUNNERS("install reinstall upgrade bundle test create edit"),
         WRITERS("uninstall remove rm link unlink pin unpin cleanup autoremove tap untap tap-info analytics")),
     .options = OPTIONS(HELPS("--version -v --prefix --cellar --caskroom --repository --cache -h --help"))},
    {"mise rtx bundle bundler rake rails rspec rubocop irb pry spring jekyll fastlane cocoapods pod",
     .judge = shell_judge_project},
    {"nix", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version --help")),
     .subcommands =
         SUBCOMMANDS(RUNNERS("build develop run shell eval repl flake profile store search fmt hash why-depends"
                             " path-info log show-config"))},
    {"nix-shell nix-build nix-env nix-store nix-channel nixos-rebuild home-manager nix-instantiate",
     .judge = shell_judge_tool},
    {"sdk", SHELL_SYNTAX_EXACT, SHELL_EXECUTES, "it changes or runs what other programs are",
     .options = OPTIONS(HELPS("--version -V -v --help")), .subcommands = SUBCOMMANDS(PLAIN("current version"))},
    {"asdf fnm volta", SHELL_SYNTAX_EXACT, SHELL_EXECUTES, "it changes or runs what other programs are",
     .options = OPTIONS(HELPS("--version -V -v --help")),
     .subcommands = SUBCOMMANDS(PLAIN("current version which"), INSTALLED("list"),
                                RUNNERS("exec install plugin shell run use"), WRITERS("global local uninstall"))},
    {"pyenv rbenv nodenv jenv goenv", SHELL_SYNTAX_EXACT, SHELL_EXECUTES, "it changes or runs what other programs are",
     .options = OPTIONS(HELPS("--version -V -v --help")),
     .subcommands =
         SUBCOMMANDS(PLAIN("version version-name which whence root"), SHOWS("versions", FLAGS("--bare --skip-aliases")),
                     {"install", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-l --list")),
                      .rest = SHELL_EFFECT_EXECUTE, .needs = "-l --list"},
                     /* Without a version they tell which one is chosen. */
                     {"global local", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .rest = SHELL_EFFECT_WRITES},
                     RUNNERS("exec shell run use"), WRITERS("uninstall"))},
    /* What is no command of its own, "current" too, is a version that n fetches. */
    {"n", SHELL_SYNTAX_EXACT, SHELL_EXECUTES, "it fetches versions of node and changes which one runs",
     .options = OPTIONS(HELPS("--version -V --help -h")), .subcommands = SUBCOMMANDS(INSTALLED("list ls"))},
    {"nvm", SHELL_SYNTAX_EXACT, SHELL_EXECUTES, "it fetches versions of node and changes which one runs",
     .options = OPTIONS(HELPS("--version --help -h")),
     .subcommands = SUBCOMMANDS(PLAIN("current version which"), INSTALLED("list ls"))},
    {0},
};

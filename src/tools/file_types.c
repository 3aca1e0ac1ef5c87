/* file_types.c: see file_types.h. One row per type: its names, then patterns of file names. */
#include "tools/file_types.h"

#include "base/nearest.h"
#include "text/glob.h"

struct file_type {
    const char *names;    /* separated by blanks, the usual one first */
    const char *patterns; /* separated by blanks */
};

static const struct file_type types[] = {
    {"ada", "*.adb *.ads"},
    {"agda", "*.agda *.lagda"},
    {"aidl", "*.aidl"},
    {"alire", "alire.toml"},
    {"amake", "*.bp *.mk"},
    {"asciidoc", "*.adoc *.asc *.asciidoc"},
    {"asm", "*.asm *.s *.S"},
    {"asp", "*.ascx *.ascx.cs *.ascx.vb *.asp *.aspx *.aspx.cs *.aspx.vb"},
    {"ats", "*.ats *.dats *.hats *.sats"},
    {"avro", "*.avdl *.avpr *.avsc"},
    {"awk", "*.awk"},
    {"bat batch", "*.bat *.cmd"},
    {"bazel", "*.bazel *.bzl *.BUILD BUILD WORKSPACE WORKSPACE.bzlmod MODULE.bazel *.bazelrc"},
    {"bitbake", "*.bb *.bbappend *.bbclass *.conf *.inc"},
    {"boxlang", "*.bx *.bxm *.bxs"},
    {"brotli", "*.br"},
    {"buildstream", "*.bst"},
    {"bzip2", "*.bz2 *.tbz2"},
    {"c", "*.c *.h *.H *.cats *.[chH].in *.[chH]"},
    {"cabal", "*.cabal"},
    {"candid", "*.did"},
    {"carp", "*.carp"},
    {"cbor", "*.cbor"},
    {"ceylon", "*.ceylon"},
    {"cfml", "*.cfc *.cfm"},
    {"clojure clj", "*.clj *.cljc *.cljs *.cljx *.edn"},
    {"cmake", "*.cmake CMakeLists.txt"},
    {"cmd", "*.bat *.cmd"},
    {"cml", "*.cml"},
    {"coffee", "*.coffee"},
    {"coffeescript", "*.coffee"},
    {"config", "*.cfg *.conf *.config *.ini"},
    {"coq", "*.v"},
    {"cpp c++ cxx", "*.C *.cc *.cpp *.cxx *.c++ *.h *.H *.hh *.hpp *.hxx *.h++ *.inl *.ipp *.tpp *.[ChH] "
                    "*.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc.in *.hh.in"},
    {"creole", "*.creole"},
    {"crystal", "*.cr *.ecr Projectfile shard.yml"},
    {"cs csharp", "*.cs *.csx"},
    {"cshtml", "*.cshtml"},
    {"csproj", "*.csproj"},
    {"css", "*.css *.scss *.sass"},
    {"csv", "*.csv"},
    {"cuda", "*.cu *.cuh"},
    {"cython", "*.pyx *.pxd *.pxi"},
    {"d", "*.d"},
    {"dart", "*.dart"},
    {"devicetree dts", "*.dts *.dtsi *.dtso"},
    {"dhall", "*.dhall"},
    {"diff", "*.diff *.patch"},
    {"dita", "*.dita *.ditamap *.ditaval"},
    {"docker", "*Dockerfile* *Containerfile*"},
    {"dockercompose", "docker-compose.yml docker-compose.*.yml"},
    {"dvc", "*.dvc Dvcfile"},
    {"ebuild", "*.ebuild *.eclass"},
    {"edn", "*.edn"},
    {"elisp", "*.el"},
    {"elixir ex", "*.ex *.exs *.eex *.heex *.leex *.livemd"},
    {"elm", "*.elm"},
    {"erb", "*.erb"},
    {"erlang erl", "*.erl *.hrl"},
    {"fennel", "*.fnl"},
    {"fidl", "*.fidl"},
    {"fish", "*.fish"},
    {"flatbuffers", "*.fbs"},
    {"fortran", "*.f *.F *.f77 *.F77 *.f90 *.F90 *.f95 *.F95 *.f03 *.f08 *.for *.FOR *.pfo"},
    {"fsharp", "*.fs *.fsi *.fsx"},
    {"fut", "*.fut"},
    {"gap", "*.g *.gap *.gd *.gi *.tst"},
    {"gdscript", "*.gd"},
    {"gleam", "*.gleam"},
    {"gn", "*.gn *.gni"},
    {"go golang", "*.go go.mod go.sum go.work"},
    {"gprbuild", "*.gpr"},
    {"gradle", "*.gradle *.gradle.kts gradle.properties gradle-wrapper.* gradlew gradlew.bat"},
    {"graphql", "*.graphql *.graphqls *.gql"},
    {"groovy", "*.groovy *.gradle"},
    {"gzip", "*.gz *.tgz"},
    {"h", "*.h *.hh *.hpp"},
    {"haml", "*.haml"},
    {"hare", "*.ha"},
    {"haskell hs", "*.hs *.lhs *.cpphs *.c2hs *.hsc"},
    {"hbs", "*.hbs"},
    {"hcl", "*.hcl"},
    {"html", "*.htm *.html *.ejs"},
    {"hy", "*.hy"},
    {"idris", "*.idr *.lidr"},
    {"janet", "*.janet"},
    {"java", "*.java *.jsp *.jspx *.properties"},
    {"jinja", "*.j2 *.jinja *.jinja2"},
    {"js javascript", "*.js *.jsx *.mjs *.cjs *.vue"},
    {"json", "*.json *.jsonc *.json5 composer.lock *.sarif"},
    {"jsonl", "*.jsonl *.ndjson"},
    {"jsx", "*.jsx"},
    {"julia jl", "*.jl"},
    {"jupyter ipynb", "*.ipynb *.jpynb"},
    {"k", "*.k"},
    {"kconfig", "Kconfig Kconfig.*"},
    {"kotlin kt", "*.kt *.kts"},
    {"lean", "*.lean"},
    {"less", "*.less"},
    {"license", "*[.-]LICEN[CS]E* AGPL-*[0-9]* APACHE-*[0-9]* BSD-*[0-9]* CC-BY-* COPYING COPYING[.-]* COPYRIGHT "
                "COPYRIGHT[.-]* EULA EULA[.-]* GFDL-*[0-9]* GNU-*[0-9]* GPL-*[0-9]* LGPL-*[0-9]* LICEN[CS]E "
                "LICEN[CS]E[.-]* MIT-*[0-9]* MPL-*[0-9]* NOTICE NOTICE[.-]* OFL-*[0-9]* PATENTS PATENTS[.-]* "
                "UNLICEN[CS]E UNLICEN[CS]E[.-]* agpl[.-]* gpl[.-]* lgpl[.-]* licen[cs]e licen[cs]e.*"},
    {"lilypond", "*.ly *.ily"},
    {"lisp", "*.el *.jl *.lisp *.lsp *.sc *.scm"},
    {"llvm", "*.ll"},
    {"lock", "*.lock package-lock.json pnpm-lock.yaml"},
    {"log", "*.log"},
    {"lua", "*.lua"},
    {"lz4", "*.lz4"},
    {"lzma", "*.lzma"},
    {"m4", "*.ac *.m4"},
    {"make makefile", "*.mk *.mak [Mm]akefile [Gg][Nn][Uu]makefile [Mm]akefile.am [Mm]akefile.in Makefile.* "
                      "[Gg][Nn][Uu]makefile.am [Gg][Nn][Uu]makefile.in"},
    {"mako", "*.mako *.mao"},
    {"man", "*.[0-9] *.[0-9][cEFMmpSx] *.[0-9]p *.[0-9lnpx]"},
    {"markdown md", "*.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx"},
    {"matlab", "*.m"},
    {"meson", "meson.build meson_options.txt meson.options"},
    {"minified", "*.min.css *.min.html *.min.js"},
    {"mint", "*.mint"},
    {"mk", "mkfile"},
    {"ml ocaml", "*.ml *.mli *.mll *.mly"},
    {"motoko", "*.mo"},
    {"msbuild", "*.csproj *.fsproj *.proj *.props *.sln *.slnf *.targets *.vcxproj"},
    {"nim", "*.nim *.nimble *.nims *.nimf"},
    {"ninja", "*.ninja"},
    {"nix", "*.nix"},
    {"objc", "*.h *.m"},
    {"objcpp", "*.h *.mm"},
    {"org", "*.org *.org_archive"},
    {"pants", "BUILD"},
    {"pascal", "*.dpr *.inc *.lpr *.pas *.pp"},
    {"pdf", "*.pdf"},
    {"perl pl", "*.perl *.pl *.PL *.plh *.plx *.pm *.t"},
    {"php", "*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml"},
    {"po", "*.po *.pot"},
    {"pod", "*.pod"},
    {"postscript", "*.eps *.ps"},
    {"powershell ps ps1", "*.cdxml *.ps1 *.ps1xml *.psd1 *.psm1"},
    {"prolog", "*.pl *.pro *.prolog *.P"},
    {"protobuf proto", "*.proto"},
    {"puppet", "*.epp *.erb *.pp *.rb"},
    {"purs purescript", "*.purs"},
    {"py python", "*.py *.pyi"},
    {"qmake", "*.prf *.pri *.pro"},
    {"qml", "*.qml"},
    {"qrc", "*.qrc"},
    {"qui", "*.ui"},
    {"r", "*.R *.r *.Rmd *.rmd *.Rnw *.rnw"},
    {"racket", "*.rkt"},
    {"raku", "*.p6 *.pl6 *.pm6 *.raku *.rakudoc *.rakumod *.rakutest"},
    {"rdoc", "*.rdoc"},
    {"readme", "*README README*"},
    {"reasonml", "*.re *.rei"},
    {"red", "*.r *.red *.reds"},
    {"rescript", "*.res *.resi"},
    {"robot", "*.robot"},
    {"rst", "*.rst"},
    {"ruby rb", "*.rb *.rbw *.gemspec *.rake Gemfile Rakefile config.ru .irbrc"},
    {"rust rs", "*.rs"},
    {"sass", "*.sass *.scss"},
    {"scala", "*.scala *.sbt"},
    {"scdoc", "*.scd *.scdoc"},
    {"seed7", "*.s7i *.sd7"},
    {"sh bash shell",
     "*.sh *.bash *.bashrc *.env *.csh *.ksh *.tcsh *.zsh .bash_profile .bashrc .login .profile .zshenv .zshrc "
     "bashrc zshrc profile *.cshrc *.kshrc .bash_login .bash_logout .cshrc .kshrc .logout .tcshrc .zlogin "
     ".zlogout .zprofile bash_login bash_logout bash_profile zlogin zlogout zprofile zshenv"},
    {"slim", "*.skim *.slim *.slime"},
    {"smarty", "*.tpl"},
    {"sml", "*.sig *.sml"},
    {"sol solidity", "*.sol"},
    {"soy", "*.soy"},
    {"spark", "*.spark"},
    {"spec", "*.spec"},
    {"sql", "*.sql *.psql"},
    {"starlark", "*.star *.bzl *.bazel"},
    {"stylus", "*.styl"},
    {"sv", "*.h *.sv *.svh *.v *.vg"},
    {"svelte", "*.svelte *.svelte.ts"},
    {"svg", "*.svg"},
    {"swift", "*.swift"},
    {"swig", "*.def *.i"},
    {"systemd", "*.automount *.conf *.device *.mount *.path *.scope *.service *.slice *.socket *.swap *.target "
                "*.timer *.link"},
    {"taskpaper", "*.taskpaper"},
    {"tcl", "*.tcl"},
    {"tex latex", "*.tex *.ltx *.cls *.sty *.bib *.dtx *.ins"},
    {"texinfo", "*.texi"},
    {"textile", "*.textile"},
    {"tf terraform", "*.tf *.tfvars *.tf.json *.tfvars.json *.tfrc *.terraformrc *.terraform.lock.hcl terraform.rc"},
    {"thrift", "*.thrift"},
    {"toml", "*.toml Cargo.lock"},
    {"ts typescript", "*.ts *.tsx *.cts *.mts"},
    {"tsx", "*.tsx"},
    {"twig", "*.twig"},
    {"txt", "*.txt"},
    {"typoscript", "*.ts *.typoscript"},
    {"typst", "*.typ"},
    {"usd", "*.usd *.usda *.usdc"},
    {"v", "*.v *.vsh"},
    {"vala", "*.vala"},
    {"vb", "*.vb"},
    {"vcl", "*.vcl"},
    {"verilog", "*.v *.vh *.sv *.svh"},
    {"vhdl", "*.vhd *.vhdl"},
    {"vim vimscript", "*.vim *.vimrc .vimrc .gvimrc vimrc gvimrc _vimrc _gvimrc"},
    {"vue", "*.vue"},
    {"webidl", "*.idl *.webidl *.widl"},
    {"wgsl", "*.wgsl"},
    {"wiki", "*.mediawiki *.wiki"},
    {"xml", "*.xml *.xml.dist *.dtd *.xsl *.xslt *.xsd *.xjb *.rng *.sch *.xhtml"},
    {"xz", "*.txz *.xz"},
    {"yacc", "*.y"},
    {"yaml yml", "*.yaml *.yml"},
    {"yang", "*.yang"},
    {"z", "*.Z"},
    {"zig", "*.zig *.zon"},
    {"zsh", "*.zsh .zshenv .zlogin .zlogout .zprofile .zshrc zshenv zlogin zlogout zprofile zshrc"},
    {"zstd", "*.zst *.zstd"},
};

enum { TYPE_COUNT = sizeof types / sizeof *types, NAMES_MAX = 2 * TYPE_COUNT };

const struct file_type *file_type_named(struct hv_str name)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        struct hv_str rest = hv_str_from(types[i].names), known;
        while (hv_str_split(&rest, ' ', &known))
            if (hv_str_eq_nocase(known, name))
                return &types[i];
    }
    return NULL;
}

bool file_type_matches(const struct file_type *type, struct hv_str name)
{
    struct hv_str rest = hv_str_from(type->patterns), pattern;
    while (hv_str_split(&rest, ' ', &pattern))
        if (glob_match(pattern, name, 0))
            return true;
    return false;
}

struct hv_str file_type_nearest(struct hv_str name)
{
    struct hv_str names[NAMES_MAX], rest;
    size_t count = 0;
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        rest = hv_str_from(types[i].names);
        while (count < NAMES_MAX && hv_str_split(&rest, ' ', &names[count]))
            count++;
    }
    return nearest_name(name, names, count);
}

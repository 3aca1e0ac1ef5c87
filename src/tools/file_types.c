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
    {"asm", "*.asm *.s *.S"},
    {"awk", "*.awk"},
    {"bat batch", "*.bat *.cmd"},
    {"bazel", "*.bazel *.bzl *.BUILD BUILD WORKSPACE MODULE.bazel"},
    {"c", "*.c *.h *.H *.cats *.[chH].in"},
    {"clojure clj", "*.clj *.cljc *.cljs *.cljx *.edn"},
    {"cmake", "*.cmake CMakeLists.txt"},
    {"coffee", "*.coffee"},
    {"config", "*.cfg *.conf *.config *.ini"},
    {"cpp c++ cxx", "*.C *.cc *.cpp *.cxx *.c++ *.h *.H *.hh *.hpp *.hxx *.h++ *.inl *.ipp *.tpp *.[chH].in"},
    {"crystal", "*.cr *.ecr Projectfile"},
    {"cs csharp", "*.cs *.csx"},
    {"css", "*.css *.scss *.sass"},
    {"csv", "*.csv"},
    {"cuda", "*.cu *.cuh"},
    {"cython", "*.pyx *.pxd *.pxi"},
    {"d", "*.d"},
    {"dart", "*.dart"},
    {"diff", "*.diff *.patch"},
    {"docker", "*Dockerfile* *Containerfile*"},
    {"elisp", "*.el"},
    {"elixir ex", "*.ex *.exs *.eex *.heex *.leex *.livemd"},
    {"elm", "*.elm"},
    {"erb", "*.erb"},
    {"erlang erl", "*.erl *.hrl"},
    {"fish", "*.fish"},
    {"fortran", "*.f *.F *.f77 *.F77 *.f90 *.F90 *.f95 *.F95 *.f03 *.f08 *.for *.FOR *.pfo"},
    {"fsharp", "*.fs *.fsi *.fsx"},
    {"go golang", "*.go go.mod go.sum go.work"},
    {"gradle", "*.gradle *.gradle.kts gradle.properties"},
    {"graphql", "*.graphql *.graphqls *.gql"},
    {"groovy", "*.groovy *.gradle"},
    {"h", "*.h *.hh *.hpp"},
    {"haml", "*.haml"},
    {"haskell hs", "*.hs *.lhs *.cpphs *.c2hs *.hsc"},
    {"hcl", "*.hcl"},
    {"html", "*.htm *.html *.ejs"},
    {"java", "*.java *.jsp *.jspx *.properties"},
    {"js javascript", "*.js *.jsx *.mjs *.cjs *.vue"},
    {"json", "*.json *.jsonc *.json5 composer.lock *.sarif"},
    {"jsonl", "*.jsonl *.ndjson"},
    {"julia jl", "*.jl"},
    {"jupyter ipynb", "*.ipynb"},
    {"kotlin kt", "*.kt *.kts"},
    {"less", "*.less"},
    {"lisp", "*.el *.jl *.lisp *.lsp *.sc *.scm"},
    {"lock", "*.lock package-lock.json pnpm-lock.yaml"},
    {"log", "*.log"},
    {"lua", "*.lua"},
    {"m4", "*.ac *.m4"},
    {"make makefile", "*.mk *.mak [Mm]akefile [Gg][Nn][Uu]makefile [Mm]akefile.am [Mm]akefile.in Makefile.*"},
    {"man", "*.[0-9] *.[0-9][cEFMmpSx] *.[0-9]p"},
    {"markdown md", "*.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx"},
    {"matlab", "*.m"},
    {"meson", "meson.build meson_options.txt meson.options"},
    {"ml ocaml", "*.ml *.mli *.mll *.mly"},
    {"nim", "*.nim *.nimble *.nims"},
    {"ninja", "*.ninja"},
    {"nix", "*.nix"},
    {"objc", "*.h *.m"},
    {"objcpp", "*.h *.mm"},
    {"org", "*.org *.org_archive"},
    {"pascal", "*.dpr *.inc *.lpr *.pas *.pp"},
    {"perl pl", "*.perl *.pl *.PL *.plh *.plx *.pm *.t"},
    {"php", "*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml"},
    {"po", "*.po *.pot"},
    {"powershell ps ps1", "*.cdxml *.ps1 *.ps1xml *.psd1 *.psm1"},
    {"prolog", "*.pl *.pro *.prolog *.P"},
    {"protobuf proto", "*.proto"},
    {"puppet", "*.epp *.erb *.pp *.rb"},
    {"purs purescript", "*.purs"},
    {"py python", "*.py *.pyi"},
    {"qml", "*.qml"},
    {"r", "*.R *.r *.Rmd *.rmd *.Rnw *.rnw"},
    {"racket", "*.rkt"},
    {"rst", "*.rst"},
    {"ruby rb", "*.rb *.rbw *.gemspec Gemfile Rakefile config.ru .irbrc"},
    {"rust rs", "*.rs"},
    {"sass", "*.sass *.scss"},
    {"scala", "*.scala *.sbt"},
    {"sh bash shell",
     "*.sh *.bash *.bashrc *.csh *.ksh *.tcsh *.zsh .bash_profile .bashrc .login .profile .zshenv .zshrc "
     "bashrc zshrc profile"},
    {"sol solidity", "*.sol"},
    {"sql", "*.sql *.psql"},
    {"starlark", "*.star *.bzl *.bazel"},
    {"svelte", "*.svelte *.svelte.ts"},
    {"svg", "*.svg"},
    {"swift", "*.swift"},
    {"systemd",
     "*.automount *.conf *.device *.mount *.path *.scope *.service *.slice *.socket *.swap *.target *.timer"},
    {"tcl", "*.tcl"},
    {"tex latex", "*.tex *.ltx *.cls *.sty *.bib *.dtx *.ins"},
    {"tf terraform", "*.tf *.tfvars *.tf.json *.tfvars.json *.tfrc .terraformrc"},
    {"thrift", "*.thrift"},
    {"toml", "*.toml Cargo.lock"},
    {"ts typescript", "*.ts *.tsx *.cts *.mts"},
    {"tsx", "*.tsx"},
    {"jsx", "*.jsx"},
    {"txt", "*.txt"},
    {"typst", "*.typ"},
    {"vala", "*.vala"},
    {"vb", "*.vb"},
    {"verilog", "*.v *.vh *.sv *.svh"},
    {"vhdl", "*.vhd *.vhdl"},
    {"vim", "*.vim *.vimrc .vimrc .gvimrc vimrc gvimrc"},
    {"vue", "*.vue"},
    {"wgsl", "*.wgsl"},
    {"xml", "*.xml *.xml.dist *.dtd *.xsl *.xslt *.xsd *.xjb *.rng *.sch *.xhtml"},
    {"yacc", "*.y"},
    {"yaml yml", "*.yaml *.yml"},
    {"zig", "*.zig *.zon"},
    {"zsh", "*.zsh .zshenv .zlogin .zlogout .zprofile .zshrc zshenv zlogin zlogout zprofile zshrc"},
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

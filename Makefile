# A thin layer over meson. `make` builds build/helve; every target installs what it needs first (scripts/bootstrap).
BUILD = build
MESON = meson
NINJA = ninja
SANITIZE = address,undefined
# Where `make install` puts it; PREFIX holds on in this build folder, DESTDIR stages for packages.
PREFIX =
DESTDIR =

.PHONY: all help demo check test bench fuzz install uninstall lint format clean bootstrap-build bootstrap-test

all: bootstrap-build
	@test -f $(BUILD)/build.ninja || $(MESON) setup $(BUILD) --buildtype=release -Dstrip=true >/dev/null
	@$(NINJA) -C $(BUILD)

bootstrap-build:
	@scripts/bootstrap build
bootstrap-test:
	@scripts/bootstrap test

demo: all
	@scripts/demo

# The minute's loop; PART is a folder of src/ (PART="shell policy" for two), else what differs from main.
check: bootstrap-test
	@scripts/check $(PART)

test: bootstrap-test
	@scripts/test

bench: all
	@bench/run

# Twenty seconds for each target, other inputs each time; TIME=600 for longer. Findings stay as crash-* files.
fuzz: bootstrap-test
	@FUZZ_SEED=$(or $(SEED),0) scripts/fuzz $(or $(TIME),20)

install: all
	@scripts/install install $(BUILD) "$(PREFIX)" "$(DESTDIR)"

uninstall:
	@scripts/install uninstall $(BUILD) "$(PREFIX)" "$(DESTDIR)"

help:
	@echo "make                   build $(BUILD)/helve (installs packages that are missing, where it may)"
	@echo "make demo              see it work: offline, without a key"
	@echo "make check             in a minute: the tests of what differs from main, or of PART=shell"
	@echo "make test              all tests, with sanitizers (CONTRIBUTING.md names single steps)"
	@echo "make install           put it in place: PREFIX=/usr/local, or PREFIX=\$$HOME/.local without rights; DESTDIR=DIR"
	@echo "make uninstall         take it away again"
	@echo "make bench fuzz lint format clean"

# clang-tidy on what changed; ALL=1 for every file.
lint: bootstrap-test
	@scripts/lint

format: bootstrap-test
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build build-*

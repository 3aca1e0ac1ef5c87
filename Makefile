# A thin layer over meson. `make` builds build/helve; every target installs what it needs first (scripts/bootstrap).
BUILD = build
MESON = meson
NINJA = ninja
SANITIZE = address,undefined

.PHONY: all demo test bench fuzz install lint format clean bootstrap-build bootstrap-test

all: bootstrap-build
	@test -f $(BUILD)/build.ninja || $(MESON) setup $(BUILD) --buildtype=release -Dstrip=true >/dev/null
	@$(NINJA) -C $(BUILD)

bootstrap-build:
	@scripts/bootstrap build
bootstrap-test:
	@scripts/bootstrap test

demo: all
	@scripts/demo

test: bootstrap-test all
	@scripts/test

bench: all
	@bench/run

# Twenty seconds for each target, other inputs each time; TIME=600 for longer. Findings stay as crash-* files.
fuzz: bootstrap-test
	@FUZZ_SEED=$(or $(SEED),0) scripts/fuzz $(or $(TIME),20)

install: all
	$(MESON) install -C $(BUILD)

lint: bootstrap-test
	@scripts/lint

format: bootstrap-test
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build build-*

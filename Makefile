# A front for CMake. `make help` lists what there is.
PREFIX ?= /usr/local
DESTDIR ?=
# two per processor: some jobs wait, and a busy machine shares its time by processes
JOBS ?= $(shell echo $$((2 * $$(nproc 2>/dev/null || echo 1))))
BUILD = build/release
INSTALLED = $(BUILD)/installed.txt
FUZZ_SECONDS ?= 3600
MAKEFLAGS += --no-print-directory

# Ninja where it is installed; looked up when used, because `make test` may just have installed it.
GENERATOR = $(if $(shell command -v ninja),Ninja,Unix Makefiles)
CONFIGURE = CMAKE_GENERATOR="$(GENERATOR)" cmake

.PHONY: help build run test test-long fuzz metamorphic bench bench-short gallery papers install uninstall deb python clean format unicode
.DEFAULT_GOAL := build

help:
	@echo "make build      build the program: build/zwang"
	@echo "make run        build it and run an example: examples/slider-crank-parts.zw into build/run"
	@echo "make test       build and run all tests, optimised and with sanitizers"
	@echo "make test-long  the same with the long ones"
	@echo "make fuzz       fuzz text -> equations -> kernels for FUZZ_SECONDS ($(FUZZ_SECONDS)) with libFuzzer"
	@echo "make metamorphic restate models in other units, orders, names, company, ... and compare"
	@echo "make bench      build and run the benchmarks"
	@echo "make bench-short every benchmark with one round: do they run at all?"
	@echo "make gallery    write docs/gallery.md and its pictures anew"
	@echo "make papers     write docs/papers/*.md anew, what 'zwang paper' prints"
	@echo "make install    install under PREFIX ($(PREFIX)); DESTDIR is put in front"
	@echo "make uninstall  remove what it has installed"
	@echo "make deb        build the Debian packages: build/deb"
	@echo "make python     build the wheel of the Python package: build/python"
	@echo "make format     lay out the sources with clang-format"
	@echo "make unicode    write the table of Unicode characters anew, with python3"
	@echo "make clean      remove build/"

# Configured once; afterwards CMake looks after itself.
build:
	@tools/setup.sh run
	@test -f build/release/CMakeCache.txt || $(CONFIGURE) --preset release -DZW_BUILD_TESTS=OFF
	@cmake --build --preset release --target product --parallel $(JOBS)
	@ln -sf release/zwang build/zwang

run: build
	@mkdir -p build/run
	build/zwang run examples/slider-crank-parts.zw --out build/run
	@echo
	@echo "Written; look at:"
	@ls -1 build/run/slider-crank-parts.* | sed 's/^/  /'

test:
	@tools/setup.sh test
	@CMAKE_GENERATOR="$(GENERATOR)" tools/test.sh -j $(JOBS)

test-long:
	@tools/setup.sh test
	@tools/setup.sh deb
	@ZW_LONG=1 CMAKE_GENERATOR="$(GENERATOR)" tools/test.sh --long -j $(JOBS)

fuzz:
	@tools/setup.sh fuzz
	@FUZZ_SECONDS=$(FUZZ_SECONDS) CMAKE_GENERATOR="$(GENERATOR)" fuzz/fuzz.sh -j $(JOBS)

metamorphic: build
	@tools/setup.sh test
	@$(CONFIGURE) --preset release -DZW_BUILD_TESTS=ON >build/metamorphic.log || { cat build/metamorphic.log; exit 1; }
	@cmake --build --preset release --target product test_api_misuse --parallel $(JOBS)
	@python3 -B test/metamorphic/walk.py --program build/zwang -j $(JOBS)

bench: build
	@cmake --build --preset release --target benchmarks --parallel $(JOBS)
	@tools/bench.sh

bench-short: build
	@cmake --build --preset release --target benchmarks --parallel $(JOBS)
	@tools/bench.sh --short

gallery: build
	ZWANG=build/zwang tools/gallery.sh

papers: build
	ZWANG=build/zwang tools/papers.sh

# The list of what was installed is kept apart: tests install from the same folder.
install: build
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"
	@cp $(BUILD)/install_manifest.txt "$(INSTALLED)"

uninstall:
	@tools/uninstall.sh "$(INSTALLED)" "$(DESTDIR)"

deb:
	@tools/setup.sh deb
	@tools/deb.sh build/deb -j $(JOBS)

python:
	@tools/setup.sh python
	@test -f build/release/CMakeCache.txt || $(CONFIGURE) --preset release -DZW_BUILD_TESTS=OFF
	@cmake --build --preset release --target zwang_static --parallel $(JOBS)
	@ZWANG_BUILD=$(BUILD) bind/python/wheel.sh build/python
	@ls build/python/*.whl

clean:
	rm -rf build

format:
	find src include test bench bind -name '*.[ch]' | xargs clang-format -i

unicode:
	@mkdir -p build
	tools/unicode.py > build/unicode_table.c && mv build/unicode_table.c src/text/unicode_table.c

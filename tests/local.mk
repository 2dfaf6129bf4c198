# tests/: unit tests (TAP, in C), the generator, and one run.t or more in each other folder.
# `make check` runs everything, `make check-quick` what is fast enough for a sanitizer build.

TEST_EXTENSIONS = .t
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
T_LOG_DRIVER = $(LOG_DRIVER)
T_LOG_COMPILER = sh
AM_TESTS_ENVIRONMENT = TAP_HARNESS=1; export TAP_HARNESS; . $(srcdir)/tests/lib/env.sh;

# Each unit test is one file and links every layer (LDADD).
#@ unit_tests = tests/unit test_*.c :flat :noext
unit_tests = \
	tests/unit/test_base \
	tests/unit/test_fileio \
	tests/unit/test_filter \
	tests/unit/test_jdom \
	tests/unit/test_jscan \
	tests/unit/test_kclass \
	tests/unit/test_load \
	tests/unit/test_map \
	tests/unit/test_nsys \
	tests/unit/test_num \
	tests/unit/test_opt \
	tests/unit/test_out \
	tests/unit/test_pyinstrument \
	tests/unit/test_rules \
	tests/unit/test_rules_gold \
	tests/unit/test_session \
	tests/unit/test_spans \
	tests/unit/test_table \
	tests/unit/test_text \
	tests/unit/test_torch
#@ end

# What several unit tests share
#@ tests_lib_libtest_a_SOURCES = tests *.[ch] !test_*.c !tests/gen/*
tests_lib_libtest_a_SOURCES = \
	tests/corpus/compare.c \
	tests/corpus/sheet.c \
	tests/corpus/sheet.h \
	tests/corpus/views.c \
	tests/corpus/views.h \
	tests/lib/tap.h \
	tests/perf/bench.c \
	tests/perf/measure.c \
	tests/perf/measure.h \
	tests/perf/work.c \
	tests/truth/checks.h \
	tests/truth/compare.c \
	tests/truth/crosscheck.c \
	tests/truth/device.c \
	tests/truth/host.c \
	tests/truth/overlap.c \
	tests/truth/trial.c \
	tests/truth/trial.h
#@ end
check_LIBRARIES = %D%/lib/libtest.a

#@ shell_tests = tests *.t
shell_tests = \
	tests/corpus/bad.t \
	tests/corpus/run.t \
	tests/lint/filelen.t \
	tests/lint/fnlen.t \
	tests/lint/layers.t \
	tests/lint/paths.t \
	tests/lint/sources.t
#@ end

check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests) $(shell_tests)

# The generator knows nothing of profdive, but may use its base library.
noinst_PROGRAMS += %D%/gen/tracegen
#@ tests_gen_tracegen_SOURCES = tests/gen *.[ch]
tests_gen_tracegen_SOURCES = \
	tests/gen/bench.c \
	tests/gen/block.c \
	tests/gen/defs.c \
	tests/gen/gen.h \
	tests/gen/json.c \
	tests/gen/kernels.c \
	tests/gen/measure.c \
	tests/gen/out_nsys.c \
	tests/gen/out_pyinstrument.c \
	tests/gen/out_torch.c \
	tests/gen/overlap.c \
	tests/gen/phases.c \
	tests/gen/run.c \
	tests/gen/sim.c \
	tests/gen/torch_text.c \
	tests/gen/torch_text.h \
	tests/gen/tracegen.c \
	tests/gen/truth.c \
	tests/gen/truth.h \
	tests/gen/truth_cpu.c \
	tests/gen/truth_gpu.c
#@ end
tests_gen_tracegen_LDADD = src/base/libbase.a $(SQLITE_LIBS) $(CJSON_LIBS) $(ZLIB_LIBS) \
	$(UNISTRING_LIBS) $(LIBINTL) $(MATH_LIBS)

# Inputs, expected outputs and scripts: every other file below tests/
#@ test_files = tests * !*.[ch] !local.mk !.* !*.log !*.trs !*.o !*.a !*.Po !tests/home/* !tests/tmp.* !tests/unit/test_* !tests/gen/tracegen
test_files = \
	tests/corpus/bad.t \
	tests/corpus/run.t \
	tests/gen/README \
	tests/lib/env.sh \
	tests/lib/tap.sh \
	tests/lint/filelen.t \
	tests/lint/fnlen.t \
	tests/lint/layers.t \
	tests/lint/paths.t \
	tests/lint/sources.t
#@ end
EXTRA_DIST += $(test_files)

#@ quick_shell_tests = tests *.t !tests/corpus/* !tests/lint/* !tests/term/*
quick_shell_tests =
#@ end
quick_tests = $(unit_tests) $(quick_shell_tests)
check-quick:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(quick_tests)'
.PHONY: check-quick

distclean-local:
	rm -rf %D%/home

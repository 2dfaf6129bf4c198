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
	tests/unit/test_advice \
	tests/unit/test_ahead \
	tests/unit/test_align \
	tests/unit/test_an_cpu \
	tests/unit/test_an_gpu \
	tests/unit/test_base \
	tests/unit/test_cache \
	tests/unit/test_changing \
	tests/unit/test_chart \
	tests/unit/test_cmdline \
	tests/unit/test_damage \
	tests/unit/test_decimal \
	tests/unit/test_diff \
	tests/unit/test_facts \
	tests/unit/test_fileio \
	tests/unit/test_filter \
	tests/unit/test_findings \
	tests/unit/test_flame \
	tests/unit/test_gpu_views \
	tests/unit/test_growth \
	tests/unit/test_guard \
	tests/unit/test_gunzip \
	tests/unit/test_idtab \
	tests/unit/test_jcut \
	tests/unit/test_jscan \
	tests/unit/test_kclass \
	tests/unit/test_kept \
	tests/unit/test_lanes \
	tests/unit/test_load \
	tests/unit/test_map \
	tests/unit/test_mem_pages \
	tests/unit/test_memory \
	tests/unit/test_model \
	tests/unit/test_ncu \
	tests/unit/test_nsys \
	tests/unit/test_nsys_json \
	tests/unit/test_nsys_samples \
	tests/unit/test_nsys_wal \
	tests/unit/test_num \
	tests/unit/test_opindex \
	tests/unit/test_opt \
	tests/unit/test_order \
	tests/unit/test_out \
	tests/unit/test_outfile \
	tests/unit/test_par \
	tests/unit/test_part \
	tests/unit/test_pyi_forms \
	tests/unit/test_pyinstrument \
	tests/unit/test_pyjoin \
	tests/unit/test_pyruns \
	tests/unit/test_pyspy \
	tests/unit/test_pystacks \
	tests/unit/test_ranks \
	tests/unit/test_reopen \
	tests/unit/test_replay \
	tests/unit/test_report \
	tests/unit/test_rules \
	tests/unit/test_rules_gold \
	tests/unit/test_scope \
	tests/unit/test_segs \
	tests/unit/test_session \
	tests/unit/test_shape \
	tests/unit/test_spans \
	tests/unit/test_sqlite_faults \
	tests/unit/test_stacks \
	tests/unit/test_stats \
	tests/unit/test_table \
	tests/unit/test_text \
	tests/unit/test_torch \
	tests/unit/test_tshape \
	tests/unit/test_twin \
	tests/unit/test_typeahead \
	tests/unit/test_ui_app \
	tests/unit/test_ui_canvas \
	tests/unit/test_ui_enter \
	tests/unit/test_ui_frames \
	tests/unit/test_ui_mouse \
	tests/unit/test_ui_random \
	tests/unit/test_ui_timeline \
	tests/unit/test_ui_work
#@ end

# What several unit tests share
#@ tests_lib_libtest_a_SOURCES = tests *.[ch] !test_*.c !tests/gen/* !tests/corpus/* !tests/fuzz/* !tests/perf/* !tests/term/* !tests/truth/*
tests_lib_libtest_a_SOURCES = \
	tests/lib/an_bench.h \
	tests/lib/cache_fake.h \
	tests/lib/finding_bench.h \
	tests/lib/finding_plans.h \
	tests/lib/pty.h \
	tests/lib/py_bench.h \
	tests/lib/same_profile.h \
	tests/lib/same_tev.h \
	tests/lib/sampler.h \
	tests/lib/tap.h \
	tests/lib/ui_fake.h \
	tests/lib/ui_run.h
#@ end
check_LIBRARIES = %D%/lib/libtest.a

#@ shell_tests = tests *.t
shell_tests = \
	tests/cache/run.t \
	tests/corpus/bad.t \
	tests/corpus/by_step.t \
	tests/corpus/call_stacks.t \
	tests/corpus/diff.t \
	tests/corpus/figures.t \
	tests/corpus/findings.t \
	tests/corpus/forward.t \
	tests/corpus/hour.t \
	tests/corpus/memory.t \
	tests/corpus/ncu.t \
	tests/corpus/nsys_json.t \
	tests/corpus/pyruns.t \
	tests/corpus/ranks.t \
	tests/corpus/replay.t \
	tests/corpus/rules.t \
	tests/corpus/run.t \
	tests/corpus/samplers.t \
	tests/corpus/shares.t \
	tests/corpus/slow.t \
	tests/corpus/stats.t \
	tests/damage/large.t \
	tests/doc/complete.t \
	tests/doc/examples.t \
	tests/doc/fresh.t \
	tests/doc/manual.t \
	tests/doc/tutorial.t \
	tests/fuzz/replay.t \
	tests/golden/allrows.t \
	tests/golden/barecalls.t \
	tests/golden/capture.t \
	tests/golden/copysizes.t \
	tests/golden/copywait.t \
	tests/golden/cputensors.t \
	tests/golden/edges.t \
	tests/golden/failures.t \
	tests/golden/foreign.t \
	tests/golden/imports.t \
	tests/golden/inferred.t \
	tests/golden/nvtxops.t \
	tests/golden/owners.t \
	tests/golden/partial.t \
	tests/golden/records.t \
	tests/golden/refused.t \
	tests/golden/run.t \
	tests/golden/secrets.t \
	tests/golden/shares.t \
	tests/golden/smallwork.t \
	tests/golden/summary.t \
	tests/lint/filelen.t \
	tests/lint/findings.t \
	tests/lint/fnlen.t \
	tests/lint/layers.t \
	tests/lint/links.t \
	tests/lint/outputs.t \
	tests/lint/ownfolder.t \
	tests/lint/paths.t \
	tests/lint/sources.t \
	tests/net/samplers.t \
	tests/perf/race.t \
	tests/perf/work.t \
	tests/replay/findings.t \
	tests/replay/programs.t \
	tests/report/commands.t \
	tests/report/html.t \
	tests/report/machine.t \
	tests/report/opargs.t \
	tests/report/outputs.t \
	tests/report/run.t \
	tests/report/zh.t \
	tests/screen/across.t \
	tests/screen/actions.t \
	tests/screen/damaged.t \
	tests/screen/diff.t \
	tests/screen/inputs.t \
	tests/screen/kept.t \
	tests/screen/link.t \
	tests/screen/many.t \
	tests/screen/pywindow.t \
	tests/screen/run.t \
	tests/screen/session.t \
	tests/screen/write.t \
	tests/term/jobs.t \
	tests/term/robust.t \
	tests/term/run.t \
	tests/truth/diff.t \
	tests/truth/graphs.t \
	tests/truth/hosttrace.t \
	tests/truth/run.t \
	tests/truth/um.t \
	tests/truth/zero3.t
#@ end

check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests) $(shell_tests)

# The generator knows nothing of profdive, but may use its base library.
noinst_PROGRAMS += %D%/gen/tracegen
#@ tests_gen_tracegen_SOURCES = tests/gen *.[ch]
tests_gen_tracegen_SOURCES = \
	tests/gen/bench.c \
	tests/gen/bench_nsys.c \
	tests/gen/block.c \
	tests/gen/defs.c \
	tests/gen/gen.h \
	tests/gen/json.c \
	tests/gen/kernels.c \
	tests/gen/machine.c \
	tests/gen/measure.c \
	tests/gen/memory_snapshot.h \
	tests/gen/ncu.c \
	tests/gen/ncu_report.h \
	tests/gen/offload.c \
	tests/gen/out_nsys.c \
	tests/gen/out_nsys.h \
	tests/gen/out_pyinstrument.c \
	tests/gen/out_torch.c \
	tests/gen/overlap.c \
	tests/gen/phases.c \
	tests/gen/program.c \
	tests/gen/program.h \
	tests/gen/run.c \
	tests/gen/sim.c \
	tests/gen/torch_text.c \
	tests/gen/torch_text.h \
	tests/gen/tracegen.c \
	tests/gen/truth.c \
	tests/gen/truth.h \
	tests/gen/truth_cpu.c \
	tests/gen/truth_gpu.c \
	tests/gen/whatif.c \
	tests/gen/zero3.c
#@ end
tests_gen_tracegen_LDADD = src/base/libbase.a $(SQLITE_LIBS) $(ZLIB_LIBS) $(ISAL_LIBS) \
	$(UNISTRING_LIBS) $(LIBINTL) $(MATH_LIBS)

# Real profiles against reference values, see tests/corpus/run.t
check_PROGRAMS += %D%/corpus/compare
#@ tests_corpus_compare_SOURCES = tests/corpus *.[ch]
tests_corpus_compare_SOURCES = \
	tests/corpus/compare.c \
	tests/corpus/csv.c \
	tests/corpus/csv.h \
	tests/corpus/jtree.c \
	tests/corpus/jtree.h \
	tests/corpus/official.c \
	tests/corpus/official.h \
	tests/corpus/shares.c \
	tests/corpus/shares.h \
	tests/corpus/sheet.c \
	tests/corpus/sheet.h \
	tests/corpus/views.c \
	tests/corpus/views.h
#@ end

# Bytes that a program writes to its terminal, see tests/term/robust.t
check_PROGRAMS += %D%/term/pty
tests_term_pty_SOURCES = tests/term/pty.c

# A shell with job control and its terminal in one, see tests/term/jobs.t
check_PROGRAMS += %D%/term/jobs
tests_term_jobs_SOURCES = tests/term/jobs.c

# The explorer with a fault put into it, see tests/term/robust.t
check_PROGRAMS += %D%/term/crash
tests_term_crash_SOURCES = tests/term/crash.c

# The generated run against the generator's truth, see tests/truth/run.t
check_PROGRAMS += %D%/truth/compare
#@ tests_truth_compare_SOURCES = tests/truth *.[ch]
tests_truth_compare_SOURCES = \
	tests/truth/checks.h \
	tests/truth/compare.c \
	tests/truth/crosscheck.c \
	tests/truth/device.c \
	tests/truth/host.c \
	tests/truth/offload.c \
	tests/truth/overlap.c \
	tests/truth/trial.c \
	tests/truth/trial.h
#@ end
tests_truth_compare_SOURCES += tests/corpus/jtree.c tests/corpus/jtree.h tests/corpus/sheet.c tests/corpus/sheet.h

# The bench counts the allocations of our own objects. What each target measures stands in tests/perf/bench.sh; `make bench-files`
# takes FILES, ROUNDS and EVENTS.
check_PROGRAMS += %D%/perf/bench
#@ tests_perf_bench_SOURCES = tests/perf *.[ch] :flat
tests_perf_bench_SOURCES = \
	tests/perf/aggregate.c \
	tests/perf/bench.c \
	tests/perf/bench.h \
	tests/perf/contend.c \
	tests/perf/draw.c \
	tests/perf/files.c \
	tests/perf/flame.c \
	tests/perf/measure.c \
	tests/perf/measure.h \
	tests/perf/race.c \
	tests/perf/scan.c \
	tests/perf/stage.h \
	tests/perf/step.c \
	tests/perf/synth.c \
	tests/perf/work.c
#@ end
tests_perf_bench_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
bench_targets = bench bench-big bench-ir bench-files bench-sqlite bench-aggregate bench-draw bench-flame bench-reopen bench-doc
$(bench_targets): profdive$(EXEEXT) %D%/perf/bench$(EXEEXT) %D%/gen/tracegen$(EXEEXT) %D%/term/pty$(EXEEXT)
	srcdir='$(srcdir)' CC='$(CC)' sh $(srcdir)/%D%/perf/bench.sh $@ $(FILES)
.PHONY: $(bench_targets)

# Contenders of the race: compiled by the bench alone, where their libraries are installed
#@ bench_peers = tests/perf/peers *
bench_peers = \
	tests/perf/peers/build.sh \
	tests/perf/peers/cjson.c \
	tests/perf/peers/jansson.c \
	tests/perf/peers/peer.h \
	tests/perf/peers/pyjson.py \
	tests/perf/peers/rapidjson.cpp \
	tests/perf/peers/simdjson.cpp \
	tests/perf/peers/yajl.c
#@ end
EXTRA_DIST += $(bench_peers)

# Each fuzzer takes any bytes, see fuzz/fuzz.h. Without --enable-fuzzing it replays files (fuzz/replay.t).
#@ fuzzers = tests/fuzz fuzz_*.c !fuzz_main.c !fuzz_util.c :flat :noext
fuzzers = \
	tests/fuzz/fuzz_cache \
	tests/fuzz/fuzz_filter \
	tests/fuzz/fuzz_gz \
	tests/fuzz/fuzz_jscan \
	tests/fuzz/fuzz_memory \
	tests/fuzz/fuzz_ncu \
	tests/fuzz/fuzz_nsys \
	tests/fuzz/fuzz_pyinstrument \
	tests/fuzz/fuzz_rules \
	tests/fuzz/fuzz_samplers \
	tests/fuzz/fuzz_shape \
	tests/fuzz/fuzz_sqlite \
	tests/fuzz/fuzz_text \
	tests/fuzz/fuzz_trace \
	tests/fuzz/fuzz_ui
#@ end
check_PROGRAMS += $(fuzzers)
check_LIBRARIES += %D%/fuzz/libfuzz.a
tests_fuzz_libfuzz_a_SOURCES = %D%/fuzz/fuzz.h %D%/fuzz/fuzz_util.c
EXTRA_tests_fuzz_libfuzz_a_SOURCES = %D%/fuzz/fuzz_main.c
fuzz_libs = %D%/fuzz/libfuzz.a $(LDADD)
fuzz_ldflags = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
if !FUZZING
tests_fuzz_libfuzz_a_SOURCES += %D%/fuzz/fuzz_main.c
endif
# One after the other, FUZZ_SECONDS each; FUZZ_ONLY="trace gz": these alone.
fuzz: $(fuzzers) %D%/gen/tracegen$(EXEEXT)
	srcdir=$(srcdir) FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_ONLY='$(FUZZ_ONLY)' \
		sh $(srcdir)/%D%/fuzz/fuzz.sh $(fuzzers)
.PHONY: fuzz
tests_fuzz_fuzz_trace_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_trace_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_shape_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_shape_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_cache_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_cache_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_gz_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_gz_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_jscan_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_jscan_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_pyinstrument_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_pyinstrument_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_samplers_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_samplers_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_ncu_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_ncu_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_memory_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_memory_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_nsys_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_nsys_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_sqlite_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_sqlite_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_rules_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_rules_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_filter_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_filter_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_text_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_text_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_ui_LDADD = $(fuzz_libs)
tests_fuzz_fuzz_ui_LDFLAGS = $(fuzz_ldflags)

# Inputs, expected outputs and scripts: every other file below tests/
#@ test_files = tests * !*.[ch] !local.mk !.* !*.log !*.trs !*.o !*.a !*.Po !tests/home/* !tests/tmp.* !tests/unit/test_* !tests/gen/tracegen !tests/corpus/compare !tests/truth/compare !tests/fuzz/fuzz_* !tests/fuzz/seeds/* !tests/fuzz/work/* !tests/fuzz/findings/* !tests/perf/bench !tests/term/pty !tests/term/crash !tests/term/jobs !tests/perf/data/* !tests/perf/peers/*
test_files = \
	tests/cache/run.t \
	tests/corpus/bad.t \
	tests/corpus/by_step.py \
	tests/corpus/by_step.t \
	tests/corpus/call_stacks.py \
	tests/corpus/call_stacks.t \
	tests/corpus/diff.t \
	tests/corpus/figures.t \
	tests/corpus/findings.t \
	tests/corpus/forward.t \
	tests/corpus/hour.t \
	tests/corpus/identities.py \
	tests/corpus/memory.py \
	tests/corpus/memory.t \
	tests/corpus/ncu.py \
	tests/corpus/ncu.t \
	tests/corpus/nsys_json.t \
	tests/corpus/pyruns.py \
	tests/corpus/pyruns.t \
	tests/corpus/ranks.py \
	tests/corpus/ranks.t \
	tests/corpus/replay.t \
	tests/corpus/rules.t \
	tests/corpus/run.t \
	tests/corpus/samplers.t \
	tests/corpus/shares.t \
	tests/corpus/slow.t \
	tests/corpus/slow_ops.py \
	tests/corpus/stats.t \
	tests/damage/large.t \
	tests/doc/complete.t \
	tests/doc/examples.t \
	tests/doc/fresh.t \
	tests/doc/manual.t \
	tests/doc/tutorial.t \
	tests/fuzz/README \
	tests/fuzz/filter.dict \
	tests/fuzz/fuzz.sh \
	tests/fuzz/gz.dict \
	tests/fuzz/jscan.dict \
	tests/fuzz/nsys.dict \
	tests/fuzz/pyinstrument.dict \
	tests/fuzz/replay.t \
	tests/fuzz/rules.dict \
	tests/fuzz/samplers.dict \
	tests/fuzz/text.dict \
	tests/fuzz/trace.dict \
	tests/fuzz/ui.dict \
	tests/gen/README \
	tests/golden/allrows.t \
	tests/golden/barecalls.t \
	tests/golden/capture.t \
	tests/golden/copysizes.t \
	tests/golden/copywait.t \
	tests/golden/cputensors.t \
	tests/golden/edges.t \
	tests/golden/failures.t \
	tests/golden/foreign.t \
	tests/golden/imports.t \
	tests/golden/inferred.t \
	tests/golden/nvtxops.t \
	tests/golden/owners.t \
	tests/golden/partial.t \
	tests/golden/records.t \
	tests/golden/refused.t \
	tests/golden/run.t \
	tests/golden/secrets.t \
	tests/golden/shares.t \
	tests/golden/smallwork.t \
	tests/golden/summary.t \
	tests/lib/env.sh \
	tests/lib/tap.sh \
	tests/lib/tmux.sh \
	tests/lint/filelen.t \
	tests/lint/findings.t \
	tests/lint/fnlen.t \
	tests/lint/layers.t \
	tests/lint/links.t \
	tests/lint/outputs.t \
	tests/lint/ownfolder.t \
	tests/lint/paths.t \
	tests/lint/sources.t \
	tests/net/samplers.t \
	tests/perf/bench.sh \
	tests/perf/race.t \
	tests/perf/work.t \
	tests/replay/findings.t \
	tests/replay/programs.t \
	tests/replay/reference.py \
	tests/report/commands.t \
	tests/report/html.t \
	tests/report/machine.t \
	tests/report/opargs.t \
	tests/report/outputs.t \
	tests/report/run.t \
	tests/report/zh.t \
	tests/screen/across.t \
	tests/screen/actions.t \
	tests/screen/ascii-20x6.screen \
	tests/screen/ascii-60x15.screen \
	tests/screen/ascii.script \
	tests/screen/color16-80x24.screen \
	tests/screen/color16.script \
	tests/screen/damaged.t \
	tests/screen/diff-200x60.screen \
	tests/screen/diff-80x24.screen \
	tests/screen/diff.script \
	tests/screen/diff.t \
	tests/screen/findings-80x24.screen \
	tests/screen/findings.script \
	tests/screen/inputs.t \
	tests/screen/kept.t \
	tests/screen/keys-80x24.screen \
	tests/screen/keys.script \
	tests/screen/lanes-200x60.screen \
	tests/screen/lanes-80x24.screen \
	tests/screen/lanes.script \
	tests/screen/link.t \
	tests/screen/many.t \
	tests/screen/mono-80x24.screen \
	tests/screen/mono.script \
	tests/screen/own-200x60.screen \
	tests/screen/own-20x6.screen \
	tests/screen/own-80x24.screen \
	tests/screen/own.script \
	tests/screen/panes-200x60.screen \
	tests/screen/panes-80x24.screen \
	tests/screen/panes.script \
	tests/screen/pywindow.t \
	tests/screen/run.t \
	tests/screen/session.t \
	tests/screen/small-20x6.screen \
	tests/screen/small-60x15.screen \
	tests/screen/small.script \
	tests/screen/stacks-200x60.screen \
	tests/screen/stacks-80x24.screen \
	tests/screen/stacks-ascii-80x24.screen \
	tests/screen/stacks-ascii.script \
	tests/screen/stacks.script \
	tests/screen/walk-200x60.screen \
	tests/screen/walk-80x24.screen \
	tests/screen/walk.script \
	tests/screen/whole-80x24.screen \
	tests/screen/whole.script \
	tests/screen/wide-120x30.screen \
	tests/screen/wide-160x48.screen \
	tests/screen/wide-200x60.screen \
	tests/screen/wide.script \
	tests/screen/write.t \
	tests/term/jobs.t \
	tests/term/robust.t \
	tests/term/run.t \
	tests/term/traffic.sh \
	tests/truth/diff.t \
	tests/truth/graphs.t \
	tests/truth/hosttrace.t \
	tests/truth/run.t \
	tests/truth/um.t \
	tests/truth/zero3.t
#@ end
EXTRA_DIST += $(test_files) %D%/fuzz/seeds

#@ quick_shell_tests = tests *.t !tests/corpus/* !tests/lint/* !tests/term/*
quick_shell_tests = \
	tests/cache/run.t \
	tests/damage/large.t \
	tests/doc/complete.t \
	tests/doc/examples.t \
	tests/doc/fresh.t \
	tests/doc/manual.t \
	tests/doc/tutorial.t \
	tests/fuzz/replay.t \
	tests/golden/allrows.t \
	tests/golden/barecalls.t \
	tests/golden/capture.t \
	tests/golden/copysizes.t \
	tests/golden/copywait.t \
	tests/golden/cputensors.t \
	tests/golden/edges.t \
	tests/golden/failures.t \
	tests/golden/foreign.t \
	tests/golden/imports.t \
	tests/golden/inferred.t \
	tests/golden/nvtxops.t \
	tests/golden/owners.t \
	tests/golden/partial.t \
	tests/golden/records.t \
	tests/golden/refused.t \
	tests/golden/run.t \
	tests/golden/secrets.t \
	tests/golden/shares.t \
	tests/golden/smallwork.t \
	tests/golden/summary.t \
	tests/net/samplers.t \
	tests/perf/race.t \
	tests/perf/work.t \
	tests/replay/findings.t \
	tests/replay/programs.t \
	tests/report/commands.t \
	tests/report/html.t \
	tests/report/machine.t \
	tests/report/opargs.t \
	tests/report/outputs.t \
	tests/report/run.t \
	tests/report/zh.t \
	tests/screen/across.t \
	tests/screen/actions.t \
	tests/screen/damaged.t \
	tests/screen/diff.t \
	tests/screen/inputs.t \
	tests/screen/kept.t \
	tests/screen/link.t \
	tests/screen/many.t \
	tests/screen/pywindow.t \
	tests/screen/run.t \
	tests/screen/session.t \
	tests/screen/write.t \
	tests/truth/diff.t \
	tests/truth/graphs.t \
	tests/truth/hosttrace.t \
	tests/truth/run.t \
	tests/truth/um.t \
	tests/truth/zero3.t
#@ end
quick_tests = $(unit_tests) $(quick_shell_tests)
check-quick:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(quick_tests)'
.PHONY: check-quick

distclean-local:
	rm -rf %D%/home %D%/perf/data %D%/fuzz/work %D%/fuzz/findings

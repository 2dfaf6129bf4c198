# src/: one library per layer, and the program

#@ src_base_libbase_a_SOURCES = src/base *.[ch]
src_base_libbase_a_SOURCES = \
	src/base/arena.c \
	src/base/arena.h \
	src/base/buildid.c \
	src/base/buildid.h \
	src/base/check64.c \
	src/base/check64.h \
	src/base/cmdline.c \
	src/base/cmdline.h \
	src/base/decimal.c \
	src/base/decimal.h \
	src/base/err.c \
	src/base/err.h \
	src/base/fileio.c \
	src/base/fileio.h \
	src/base/guard.c \
	src/base/guard.h \
	src/base/gunzip.c \
	src/base/gunzip.h \
	src/base/i18n.h \
	src/base/jcut.c \
	src/base/jcut.h \
	src/base/job.h \
	src/base/jout.c \
	src/base/jout.h \
	src/base/jscan.c \
	src/base/jscan.h \
	src/base/lazy.c \
	src/base/lazy.h \
	src/base/map.c \
	src/base/map.h \
	src/base/mem.c \
	src/base/mem.h \
	src/base/num.c \
	src/base/num.h \
	src/base/opt.c \
	src/base/opt.h \
	src/base/outfile.c \
	src/base/outfile.h \
	src/base/pages.c \
	src/base/pages.h \
	src/base/par.c \
	src/base/par.h \
	src/base/runs.h \
	src/base/sbuf.c \
	src/base/sbuf.h \
	src/base/search.h \
	src/base/sorted.c \
	src/base/sorted.h \
	src/base/spans.c \
	src/base/spans.h \
	src/base/text.c \
	src/base/text.h \
	src/base/vec.h \
	src/base/work.h
#@ end

#@ src_table_libtable_a_SOURCES = src/table *.[ch]
src_table_libtable_a_SOURCES = \
	src/table/cell.c \
	src/table/cell.h \
	src/table/filter.c \
	src/table/filter.h \
	src/table/get.c \
	src/table/get.h \
	src/table/pack.c \
	src/table/pack.h \
	src/table/shape.c \
	src/table/shape.h \
	src/table/table.c \
	src/table/table.h \
	src/table/view.c
#@ end

#@ src_model_libmodel_a_SOURCES = src/model *.[ch]
src_model_libmodel_a_SOURCES = \
	src/model/builder.c \
	src/model/builder.h \
	src/model/builder_impl.h \
	src/model/cmdlines.c \
	src/model/copy_of_capture.c \
	src/model/copy_of_capture.h \
	src/model/cuda_result.c \
	src/model/cuda_result.h \
	src/model/finish.c \
	src/model/id_table.c \
	src/model/id_table.h \
	src/model/kernel_report.c \
	src/model/kernel_report.h \
	src/model/link.c \
	src/model/link.h \
	src/model/memory.c \
	src/model/memory.h \
	src/model/nest.c \
	src/model/nest.h \
	src/model/order.c \
	src/model/order.h \
	src/model/place.c \
	src/model/place.h \
	src/model/profile.c \
	src/model/profile.h \
	src/model/schema.c \
	src/model/schema.h \
	src/model/session.c \
	src/model/session.h \
	src/model/strtab.c \
	src/model/strtab.h
#@ end

#@ src_load_read_libread_a_SOURCES = src/load/read *.[ch]
src_load_read_libread_a_SOURCES = \
	src/load/read/file_damage.c \
	src/load/read/file_damage.h \
	src/load/read/head.c \
	src/load/read/head.h \
	src/load/read/json_kind.c \
	src/load/read/json_kind.h \
	src/load/read/json_objects.c \
	src/load/read/json_objects.h \
	src/load/read/json_tokens.c \
	src/load/read/json_tokens.h \
	src/load/read/loader.h \
	src/load/read/part.c \
	src/load/read/part.h \
	src/load/read/text_window.c \
	src/load/read/text_window.h
#@ end

#@ src_load_stacks_libstacks_a_SOURCES = src/load/stacks *.[ch]
src_load_stacks_libstacks_a_SOURCES = \
	src/load/stacks/frame_text.c \
	src/load/stacks/frame_text.h \
	src/load/stacks/stacktree.c \
	src/load/stacks/stacktree.h
#@ end

#@ src_load_torch_libtorch_a_SOURCES = src/load/torch *.[ch]
src_load_torch_libtorch_a_SOURCES = \
	src/load/torch/call_stack.c \
	src/load/torch/detail.c \
	src/load/torch/event.c \
	src/load/torch/fast/batch.c \
	src/load/torch/fast/numbers.h \
	src/load/torch/fast/pipeline.c \
	src/load/torch/fast/shape.c \
	src/load/torch/fast/shape_read.h \
	src/load/torch/meta.c \
	src/load/torch/sink.c \
	src/load/torch/torch_impl.h \
	src/load/torch/trace.c
#@ end

#@ src_load_nsys_libnsys_a_SOURCES = src/load/nsys *.[ch]
src_load_nsys_libnsys_a_SOURCES = \
	src/load/nsys/chrome.c \
	src/load/nsys/context.c \
	src/load/nsys/db.h \
	src/load/nsys/device.c \
	src/load/nsys/event_wait.c \
	src/load/nsys/file.c \
	src/load/nsys/file.h \
	src/load/nsys/gpu.c \
	src/load/nsys/host.c \
	src/load/nsys/json.c \
	src/load/nsys/json_row.c \
	src/load/nsys/json_row.h \
	src/load/nsys/loader.c \
	src/load/nsys/meta.c \
	src/load/nsys/nsys.h \
	src/load/nsys/nvtx.c \
	src/load/nsys/rows.c \
	src/load/nsys/samples.c \
	src/load/nsys/sched.c \
	src/load/nsys/sqlite.c \
	src/load/nsys/sqlite.h \
	src/load/nsys/sqlite_conn.c \
	src/load/nsys/sqlite_rows.c \
	src/load/nsys/um.c
#@ end

#@ src_load_sampler_libsampler_a_SOURCES = src/load/sampler *.[ch]
src_load_sampler_libsampler_a_SOURCES = \
	src/load/sampler/collapsed.c \
	src/load/sampler/flame_svg.c \
	src/load/sampler/pyinstrument/html.c \
	src/load/sampler/pyinstrument/json.c \
	src/load/sampler/pyinstrument/nodes.c \
	src/load/sampler/pyinstrument/pyi.h \
	src/load/sampler/pyinstrument/session.c \
	src/load/sampler/pyinstrument/stacks.c \
	src/load/sampler/pyinstrument/text.c \
	src/load/sampler/pyspy_chrome.c \
	src/load/sampler/pyspy_dump.c \
	src/load/sampler/speedscope.c
#@ end

#@ src_load_ncu_libncu_a_SOURCES = src/load/ncu *.[ch]
src_load_ncu_libncu_a_SOURCES = \
	src/load/ncu/csv.c \
	src/load/ncu/labels.c \
	src/load/ncu/labels.h \
	src/load/ncu/message.c \
	src/load/ncu/message.h \
	src/load/ncu/metrics.c \
	src/load/ncu/report.c \
	src/load/ncu/report.h \
	src/load/ncu/result.c \
	src/load/ncu/roofs.c \
	src/load/ncu/rules.c \
	src/load/ncu/sections.c
#@ end

#@ src_load_memory_libmemory_a_SOURCES = src/load/memory *.[ch]
src_load_memory_libmemory_a_SOURCES = \
	src/load/memory/objects.c \
	src/load/memory/objects.h \
	src/load/memory/pickle.c \
	src/load/memory/pickle.h \
	src/load/memory/snapshot.c
#@ end

#@ src_load_libload_a_SOURCES = src/load *.[ch] :flat
src_load_libload_a_SOURCES = \
	src/load/identify.h \
	src/load/recognised.c \
	src/load/recognised.h \
	src/load/registry.c
#@ end

#@ src_reopen_libreopen_a_SOURCES = src/reopen *.[ch]
src_reopen_libreopen_a_SOURCES = \
	src/reopen/cache.c \
	src/reopen/cache.h \
	src/reopen/cache_impl.h \
	src/reopen/folder.c \
	src/reopen/folder.h \
	src/reopen/profile_check.c \
	src/reopen/profile_file.c \
	src/reopen/profile_file.h \
	src/reopen/profile_file_impl.h \
	src/reopen/profile_open.c \
	src/reopen/table_file.c
#@ end

#@ src_session_libsession_a_SOURCES = src/session *.[ch]
src_session_libsession_a_SOURCES = \
	src/session/discover.c \
	src/session/discover.h \
	src/session/event_fields.c \
	src/session/event_fields.h \
	src/session/run_facts.c \
	src/session/run_facts.h \
	src/session/session_load.c \
	src/session/session_load.h
#@ end

#@ src_calc_libcalc_a_SOURCES = src/calc *.[ch]
src_calc_libcalc_a_SOURCES = \
	src/calc/calltree.c \
	src/calc/calltree.h \
	src/calc/edit_script.c \
	src/calc/edit_script.h \
	src/calc/groups.c \
	src/calc/groups.h \
	src/calc/owner_stream.c \
	src/calc/owner_stream.h \
	src/calc/owners.c \
	src/calc/owners.h \
	src/calc/stats.c \
	src/calc/stats.h
#@ end

#@ src_rules_librules_a_SOURCES = src/rules *.[ch] !rules_data.c
src_rules_librules_a_SOURCES = \
	src/rules/frame_name.c \
	src/rules/glob.c \
	src/rules/kernel_name.c \
	src/rules/kernel_name.h \
	src/rules/name_glob.h \
	src/rules/rule_file.c \
	src/rules/rules.c \
	src/rules/rules.h \
	src/rules/rules_impl.h \
	src/rules/words.c \
	src/rules/words.h
#@ end

#@ src_facts_libfacts_a_SOURCES = src/facts *.[ch]
src_facts_libfacts_a_SOURCES = \
	src/facts/blocking.c \
	src/facts/distortion.c \
	src/facts/distortion.h \
	src/facts/facts.c \
	src/facts/facts.h \
	src/facts/first_use.c \
	src/facts/inferred.c \
	src/facts/inferred.h \
	src/facts/occupancy.c \
	src/facts/occupancy.h \
	src/facts/oncpu.c \
	src/facts/ops.c \
	src/facts/parts.h \
	src/facts/phases.c \
	src/facts/query.c \
	src/facts/records.c \
	src/facts/records.h \
	src/facts/roles.c \
	src/facts/steps.c \
	src/facts/track_index.c \
	src/facts/warmup.c
#@ end

#@ src_scope_libscope_a_SOURCES = src/scope *.[ch]
src_scope_libscope_a_SOURCES = \
	src/scope/analysis.h \
	src/scope/columns.h \
	src/scope/context.c \
	src/scope/device_window.c \
	src/scope/device_window.h \
	src/scope/found_on.c \
	src/scope/found_on.h \
	src/scope/scope.c \
	src/scope/scope.h \
	src/scope/selection.c \
	src/scope/selection.h \
	src/scope/selections.c \
	src/scope/selections.h
#@ end

#@ src_measure_libmeasure_a_SOURCES = src/measure *.[ch]
src_measure_libmeasure_a_SOURCES = \
	src/measure/collective.c \
	src/measure/collective.h \
	src/measure/device_state.c \
	src/measure/device_state.h \
	src/measure/gaps.c \
	src/measure/gaps.h \
	src/measure/host_partition.c \
	src/measure/host_partition.h \
	src/measure/idle_cause.c \
	src/measure/idle_cause.h \
	src/measure/kernel_sums.c \
	src/measure/kernel_sums.h \
	src/measure/lanes.c \
	src/measure/lanes.h \
	src/measure/nvtx_gpu.c \
	src/measure/nvtx_gpu.h \
	src/measure/op_index.c \
	src/measure/op_index.h \
	src/measure/op_time.c \
	src/measure/op_time.h \
	src/measure/py_by_step.c \
	src/measure/py_by_step.h \
	src/measure/py_dump.c \
	src/measure/py_dump.h \
	src/measure/py_markers.c \
	src/measure/py_markers.h \
	src/measure/py_shares.c \
	src/measure/py_shares.h \
	src/measure/py_threads.c \
	src/measure/py_threads.h \
	src/measure/pytree.c \
	src/measure/pytree.h \
	src/measure/pytree_build.c \
	src/measure/quality.c \
	src/measure/quality.h \
	src/measure/tally.c \
	src/measure/tally.h
#@ end

#@ src_ranks_libranks_a_SOURCES = src/ranks *.[ch]
src_ranks_libranks_a_SOURCES = \
	src/ranks/cause.c \
	src/ranks/clock.c \
	src/ranks/collect.c \
	src/ranks/identify.c \
	src/ranks/match.c \
	src/ranks/ranks.c \
	src/ranks/ranks.h \
	src/ranks/ranks_impl.h
#@ end

#@ src_replay_libreplay_a_SOURCES = src/replay *.[ch]
src_replay_libreplay_a_SOURCES = \
	src/replay/change.c \
	src/replay/change.h \
	src/replay/graph.c \
	src/replay/graph.h \
	src/replay/learn.c \
	src/replay/nodes.c \
	src/replay/path.c \
	src/replay/plan.c \
	src/replay/plan.h \
	src/replay/replay.h \
	src/replay/run.c \
	src/replay/run.h
#@ end

#@ src_views_libviews_a_SOURCES = src/views *.[ch] :flat
src_views_libviews_a_SOURCES = \
	src/views/figures.c \
	src/views/figures.h
#@ end

#@ src_views_gpu_libgpu_a_SOURCES = src/views/gpu *.[ch]
src_views_gpu_libgpu_a_SOURCES = \
	src/views/gpu/classes.c \
	src/views/gpu/collectives.c \
	src/views/gpu/copyrate.c \
	src/views/gpu/devices.c \
	src/views/gpu/gaps.c \
	src/views/gpu/gapstats.c \
	src/views/gpu/gpu.c \
	src/views/gpu/gpustats.c \
	src/views/gpu/instances.c \
	src/views/gpu/kernels.c \
	src/views/gpu/kernelshapes.c \
	src/views/gpu/kernexec.c \
	src/views/gpu/memcpy.c \
	src/views/gpu/memops.c \
	src/views/gpu/offload.c \
	src/views/gpu/streams.c \
	src/views/gpu/um.c
#@ end

#@ src_views_kernel_libkernel_a_SOURCES = src/views/kernel *.[ch]
src_views_kernel_libkernel_a_SOURCES = \
	src/views/kernel/common.c \
	src/views/kernel/common.h \
	src/views/kernel/join.c \
	src/views/kernel/join.h \
	src/views/kernel/limits.c \
	src/views/kernel/limits.h \
	src/views/kernel/ncu.c \
	src/views/kernel/ncumetrics.c \
	src/views/kernel/ncuoccupancy.c \
	src/views/kernel/ncurules.c \
	src/views/kernel/ncusections.c \
	src/views/kernel/ncusource.c \
	src/views/kernel/ncustalls.c \
	src/views/kernel/roofline.c \
	src/views/kernel/stalls.c \
	src/views/kernel/stalls.h
#@ end

#@ src_views_memory_libmemviews_a_SOURCES = src/views/memory *.[ch]
src_views_memory_libmemviews_a_SOURCES = \
	src/views/memory/common.c \
	src/views/memory/common.h \
	src/views/memory/memalloc.c \
	src/views/memory/memcurve.c \
	src/views/memory/memory.c \
	src/views/memory/mempeak.c \
	src/views/memory/memsegments.c \
	src/views/memory/oom.c \
	src/views/memory/ownership.c \
	src/views/memory/ownership.h \
	src/views/memory/replay.c \
	src/views/memory/replay.h
#@ end

#@ src_views_host_libhost_a_SOURCES = src/views/host *.[ch]
src_views_host_libhost_a_SOURCES = \
	src/views/host/chains.c \
	src/views/host/expert.c \
	src/views/host/fwdbwd.c \
	src/views/host/hosttrace.c \
	src/views/host/launches.c \
	src/views/host/opframes.c \
	src/views/host/ops.c \
	src/views/host/optree.c \
	src/views/host/osrt.c \
	src/views/host/runtime.c \
	src/views/host/sched.c \
	src/views/host/sync.c \
	src/views/host/threads.c
#@ end

#@ src_views_nvtx_libnvtx_a_SOURCES = src/views/nvtx *.[ch]
src_views_nvtx_libnvtx_a_SOURCES = \
	src/views/nvtx/nvtx.c \
	src/views/nvtx/nvtxgpu.c \
	src/views/nvtx/nvtxkern.c \
	src/views/nvtx/nvtxsum.c
#@ end

#@ src_views_python_libpython_a_SOURCES = src/views/python *.[ch]
src_views_python_libpython_a_SOURCES = \
	src/views/python/common.c \
	src/views/python/common.h \
	src/views/python/frameworks.c \
	src/views/python/leaves.c \
	src/views/python/modules.c \
	src/views/python/pyhost.c \
	src/views/python/pyidle.c \
	src/views/python/pylines.c \
	src/views/python/pythreads.c \
	src/views/python/rows.c \
	src/views/python/rows.h \
	src/views/python/stacks.c
#@ end

#@ src_views_run_librun_a_SOURCES = src/views/run *.[ch]
src_views_run_librun_a_SOURCES = \
	src/views/run/breakdown.c \
	src/views/run/coverage.c \
	src/views/run/critical.c \
	src/views/run/crosscheck.c \
	src/views/run/plan.c \
	src/views/run/quality.c \
	src/views/run/ranks.c \
	src/views/run/skew.c \
	src/views/run/sources.c \
	src/views/run/steps.c \
	src/views/run/stepstats.c \
	src/views/run/stragglers.c \
	src/views/run/whatif.c
#@ end

#@ src_findings_libfindings_a_SOURCES = src/findings *.[ch]
src_findings_libfindings_a_SOURCES = \
	src/findings/expression.c \
	src/findings/finding.c \
	src/findings/finding.h \
	src/findings/finding_file.c \
	src/findings/finding_impl.h \
	src/findings/gain.c \
	src/findings/memo.c \
	src/findings/metric.c \
	src/findings/metric.h \
	src/findings/metric_copy.c \
	src/findings/metric_first.c \
	src/findings/metric_gpu.c \
	src/findings/metric_host.c \
	src/findings/metric_impl.h \
	src/findings/metric_kernel.c \
	src/findings/metric_step.c \
	src/findings/metrics.c \
	src/findings/rulebook.c \
	src/findings/rulebook.h \
	src/findings/sentence.c
#@ end

#@ src_compare_libcompare_a_SOURCES = src/compare *.[ch]
src_compare_libcompare_a_SOURCES = \
	src/compare/diff.c \
	src/compare/diff.h \
	src/compare/diff_devices.c \
	src/compare/diff_findings.c \
	src/compare/diff_gather.c \
	src/compare/diff_impl.h \
	src/compare/diff_rows.c \
	src/compare/diff_sequence.c \
	src/compare/diff_stat.c
#@ end

#@ src_verdict_libverdict_a_SOURCES = src/verdict *.[ch]
src_verdict_libverdict_a_SOURCES = \
	src/verdict/findings.c \
	src/verdict/loss_rank.c \
	src/verdict/loss_rank.h \
	src/verdict/no_verdict.c \
	src/verdict/no_verdict.h \
	src/verdict/overview.c \
	src/verdict/overview_files.c \
	src/verdict/overview_impl.h \
	src/verdict/overview_say.c \
	src/verdict/rules_view.c \
	src/verdict/session_runs.c \
	src/verdict/session_runs.h
#@ end

#@ src_catalog_libcatalog_a_SOURCES = src/catalog *.[ch]
src_catalog_libcatalog_a_SOURCES = \
	src/catalog/registry.c \
	src/catalog/stored_tables.c \
	src/catalog/stored_tables.h \
	src/catalog/views.h
#@ end

#@ src_report_libreport_a_SOURCES = src/report *.[ch]
src_report_libreport_a_SOURCES = \
	src/report/cache.c \
	src/report/chart.c \
	src/report/chart.h \
	src/report/compare.c \
	src/report/compare.h \
	src/report/doc_breakdown.c \
	src/report/doc_cpu.c \
	src/report/doc_gpu.c \
	src/report/doc_methods.c \
	src/report/doc_overview.c \
	src/report/doc_paths.c \
	src/report/documents.c \
	src/report/escape.c \
	src/report/escape.h \
	src/report/html.c \
	src/report/html.h \
	src/report/out.c \
	src/report/out.h \
	src/report/out_cells.c \
	src/report/out_csv.c \
	src/report/out_impl.h \
	src/report/out_json.c \
	src/report/out_md.c \
	src/report/out_text.c \
	src/report/report.c \
	src/report/report.h \
	src/report/section.c \
	src/report/section.h \
	src/report/svg.c \
	src/report/svg.h
#@ end

bin_PROGRAMS += profdive

#@ profdive_SOURCES = src/cmd *.[ch]
profdive_SOURCES = \
	src/cmd/cmd.h \
	src/cmd/cmd_cache.c \
	src/cmd/cmd_diff.c \
	src/cmd/cmd_event.c \
	src/cmd/cmd_help.c \
	src/cmd/cmd_open.c \
	src/cmd/cmd_open.h \
	src/cmd/cmd_print.c \
	src/cmd/cmd_report.c \
	src/cmd/cmd_report.h \
	src/cmd/cmd_rules.c \
	src/cmd/cmd_summary.c \
	src/cmd/cmd_tables.c \
	src/cmd/commands.c \
	src/cmd/main.c \
	src/cmd/messages.c \
	src/cmd/open_session.c \
	src/cmd/options.c \
	src/cmd/stored_views.c \
	src/cmd/stored_views.h
#@ end

# The rule files are compiled in, so that the program works without being installed.
nodist_src_rules_librules_a_SOURCES = %D%/rules/rules_data.c
CLEANFILES += %D%/rules/rules_data.c

%D%/rules/rules_data.c: $(rule_files) $(srcdir)/tools/embed-data
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	files=; for f in $(rule_files); do \
		test -f $$f || f=$(srcdir)/$$f; files="$$files $$f"; done; \
	sh $(srcdir)/tools/embed-data $@ $$files

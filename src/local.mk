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
	src/base/par.c \
	src/base/par.h \
	src/base/runs.h \
	src/base/sbuf.c \
	src/base/sbuf.h \
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
	src/model/cache.c \
	src/model/cache.h \
	src/model/cache_check.c \
	src/model/cache_impl.h \
	src/model/cache_open.c \
	src/model/cmdlines.c \
	src/model/cuda_result.c \
	src/model/cuda_result.h \
	src/model/finish.c \
	src/model/idtab.c \
	src/model/idtab.h \
	src/model/link.c \
	src/model/link.h \
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
	src/model/strtab.h \
	src/model/twin.c \
	src/model/twin.h
#@ end

#@ src_load_libload_a_SOURCES = src/load *.[ch]
src_load_libload_a_SOURCES = \
	src/load/cache_dir.c \
	src/load/cache_dir.h \
	src/load/collapsed.c \
	src/load/discover.c \
	src/load/discover.h \
	src/load/event_fields.c \
	src/load/event_fields.h \
	src/load/file_damage.c \
	src/load/file_damage.h \
	src/load/flame_svg.c \
	src/load/frame_text.c \
	src/load/frame_text.h \
	src/load/head.c \
	src/load/head.h \
	src/load/identify.h \
	src/load/jtok.c \
	src/load/jtok.h \
	src/load/jwin.c \
	src/load/jwin.h \
	src/load/known.c \
	src/load/known.h \
	src/load/loader.h \
	src/load/nsys.h \
	src/load/nsys_chrome.c \
	src/load/nsys_ctx.c \
	src/load/nsys_db.h \
	src/load/nsys_device.c \
	src/load/nsys_file.c \
	src/load/nsys_file.h \
	src/load/nsys_gpu.c \
	src/load/nsys_host.c \
	src/load/nsys_jrow.c \
	src/load/nsys_jrow.h \
	src/load/nsys_json.c \
	src/load/nsys_loader.c \
	src/load/nsys_meta.c \
	src/load/nsys_nvtx.c \
	src/load/nsys_samples.c \
	src/load/nsys_sched.c \
	src/load/nsys_sqlite.c \
	src/load/nsys_sqlite.h \
	src/load/nsys_sqlite_rows.c \
	src/load/nsys_um.c \
	src/load/part.c \
	src/load/part.h \
	src/load/probe_json.c \
	src/load/probe_json.h \
	src/load/pyi.h \
	src/load/pyi_html.c \
	src/load/pyi_nodes.c \
	src/load/pyi_session.c \
	src/load/pyi_stacks.c \
	src/load/pyi_text.c \
	src/load/pyinstrument.c \
	src/load/pyspy_chrome.c \
	src/load/pyspy_dump.c \
	src/load/registry.c \
	src/load/reopen.c \
	src/load/reopen.h \
	src/load/reopen_bytes.c \
	src/load/reopen_impl.h \
	src/load/run_facts.c \
	src/load/run_facts.h \
	src/load/session_load.c \
	src/load/session_load.h \
	src/load/speedscope.c \
	src/load/stacktree.c \
	src/load/stacktree.h \
	src/load/textwin.c \
	src/load/textwin.h \
	src/load/torch_ahead.c \
	src/load/torch_batch.c \
	src/load/torch_detail.c \
	src/load/torch_event.c \
	src/load/torch_impl.h \
	src/load/torch_meta.c \
	src/load/torch_num.h \
	src/load/torch_read.h \
	src/load/torch_shape.c \
	src/load/torch_sink.c \
	src/load/torch_trace.c
#@ end

#@ src_analyze_libanalyze_a_SOURCES = src/analyze *.[ch] !rules_data.c
src_analyze_libanalyze_a_SOURCES = \
	src/analyze/align.c \
	src/analyze/align.h \
	src/analyze/an_breakdown.c \
	src/analyze/an_chains.c \
	src/analyze/an_classes.c \
	src/analyze/an_collectives.c \
	src/analyze/an_common.h \
	src/analyze/an_copyrate.c \
	src/analyze/an_coverage.c \
	src/analyze/an_crosscheck.c \
	src/analyze/an_devices.c \
	src/analyze/an_expert.c \
	src/analyze/an_findings.c \
	src/analyze/an_frameworks.c \
	src/analyze/an_fwdbwd.c \
	src/analyze/an_gaps.c \
	src/analyze/an_gapstats.c \
	src/analyze/an_gpu.c \
	src/analyze/an_gpustats.c \
	src/analyze/an_hosttrace.c \
	src/analyze/an_instances.c \
	src/analyze/an_kernels.c \
	src/analyze/an_kernelshapes.c \
	src/analyze/an_kernexec.c \
	src/analyze/an_launches.c \
	src/analyze/an_leaves.c \
	src/analyze/an_memcpy.c \
	src/analyze/an_memops.c \
	src/analyze/an_modules.c \
	src/analyze/an_nvtx.c \
	src/analyze/an_nvtxgpu.c \
	src/analyze/an_nvtxkern.c \
	src/analyze/an_nvtxsum.c \
	src/analyze/an_offload.c \
	src/analyze/an_opframes.c \
	src/analyze/an_ops.c \
	src/analyze/an_optree.c \
	src/analyze/an_osrt.c \
	src/analyze/an_overview.c \
	src/analyze/an_pyhost.c \
	src/analyze/an_pyidle.c \
	src/analyze/an_pylines.c \
	src/analyze/an_pystacks.c \
	src/analyze/an_pystacks.h \
	src/analyze/an_pythreads.c \
	src/analyze/an_quality.c \
	src/analyze/an_rules.c \
	src/analyze/an_runtime.c \
	src/analyze/an_sched.c \
	src/analyze/an_sources.c \
	src/analyze/an_stacks.c \
	src/analyze/an_steps.c \
	src/analyze/an_stepstats.c \
	src/analyze/an_streams.c \
	src/analyze/an_sync.c \
	src/analyze/an_threads.c \
	src/analyze/an_um.c \
	src/analyze/analyses.h \
	src/analyze/analysis.h \
	src/analyze/blocking.c \
	src/analyze/calltree.c \
	src/analyze/calltree.h \
	src/analyze/context.c \
	src/analyze/devwin.c \
	src/analyze/devwin.h \
	src/analyze/diff.c \
	src/analyze/diff.h \
	src/analyze/diff_findings.c \
	src/analyze/diff_gather.c \
	src/analyze/diff_impl.h \
	src/analyze/diff_sequence.c \
	src/analyze/diff_stat.c \
	src/analyze/distort.c \
	src/analyze/distort.h \
	src/analyze/facts.c \
	src/analyze/facts.h \
	src/analyze/facts_impl.h \
	src/analyze/finding.c \
	src/analyze/finding.h \
	src/analyze/finding_expr.c \
	src/analyze/finding_impl.h \
	src/analyze/finding_memo.c \
	src/analyze/finding_parse.c \
	src/analyze/finding_text.c \
	src/analyze/firstuse.c \
	src/analyze/gapscan.c \
	src/analyze/gapscan.h \
	src/analyze/gpu_state.c \
	src/analyze/gpu_state.h \
	src/analyze/groups.c \
	src/analyze/groups.h \
	src/analyze/idle.c \
	src/analyze/idle.h \
	src/analyze/index.c \
	src/analyze/inferred.c \
	src/analyze/inferred.h \
	src/analyze/kclass.c \
	src/analyze/kclass.h \
	src/analyze/kept.c \
	src/analyze/kept.h \
	src/analyze/ksums.c \
	src/analyze/ksums.h \
	src/analyze/lanes.c \
	src/analyze/lanes.h \
	src/analyze/leaf.c \
	src/analyze/leaf.h \
	src/analyze/metric.c \
	src/analyze/metric.h \
	src/analyze/metric_gpu.c \
	src/analyze/metric_host.c \
	src/analyze/metric_impl.h \
	src/analyze/metric_kernel.c \
	src/analyze/metric_step.c \
	src/analyze/nvgpu.c \
	src/analyze/nvgpu.h \
	src/analyze/occupancy.c \
	src/analyze/occupancy.h \
	src/analyze/opindex.c \
	src/analyze/opindex.h \
	src/analyze/oplayer.c \
	src/analyze/opsplit.c \
	src/analyze/opsplit.h \
	src/analyze/phases.c \
	src/analyze/pick.c \
	src/analyze/pick.h \
	src/analyze/picks.c \
	src/analyze/picks.h \
	src/analyze/pydump.c \
	src/analyze/pydump.h \
	src/analyze/pyjoin.c \
	src/analyze/pyjoin.h \
	src/analyze/pyroles.c \
	src/analyze/pyroles.h \
	src/analyze/pyrows.c \
	src/analyze/pyrows.h \
	src/analyze/pysplit.c \
	src/analyze/pysplit.h \
	src/analyze/pytree.c \
	src/analyze/pytree.h \
	src/analyze/registry.c \
	src/analyze/roles.c \
	src/analyze/rules.c \
	src/analyze/rules.h \
	src/analyze/rules_frame.c \
	src/analyze/rules_impl.h \
	src/analyze/rules_match.c \
	src/analyze/rules_parse.c \
	src/analyze/scope.c \
	src/analyze/scope.h \
	src/analyze/segflow.c \
	src/analyze/segflow.h \
	src/analyze/segs.c \
	src/analyze/segs.h \
	src/analyze/stats.c \
	src/analyze/stats.h \
	src/analyze/steps.c \
	src/analyze/viewsum.c \
	src/analyze/viewsum.h \
	src/analyze/warmup.c \
	src/analyze/words.c \
	src/analyze/words.h
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
	src/report/html.c \
	src/report/html.h \
	src/report/out.c \
	src/report/out.h \
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
	src/cmd/kept_views.c \
	src/cmd/kept_views.h \
	src/cmd/main.c \
	src/cmd/messages.c \
	src/cmd/open_session.c \
	src/cmd/options.c
#@ end

# The rule files are compiled in, so that the program works without being installed.
nodist_src_analyze_libanalyze_a_SOURCES = %D%/analyze/rules_data.c
CLEANFILES += %D%/analyze/rules_data.c

%D%/analyze/rules_data.c: $(rule_files) $(srcdir)/tools/embed-data
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	files=; for f in $(rule_files); do \
		test -f $$f || f=$(srcdir)/$$f; files="$$files $$f"; done; \
	sh $(srcdir)/tools/embed-data $@ $$files

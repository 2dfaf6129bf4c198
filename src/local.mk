# src/: one library per layer, and the program

#@ src_base_libbase_a_SOURCES = src/base *.[ch]
src_base_libbase_a_SOURCES = \
	src/base/arena.c \
	src/base/arena.h \
	src/base/err.c \
	src/base/err.h \
	src/base/fileio.c \
	src/base/fileio.h \
	src/base/i18n.h \
	src/base/jdom.c \
	src/base/jdom.h \
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
	src/base/sbuf.c \
	src/base/sbuf.h \
	src/base/spans.c \
	src/base/spans.h \
	src/base/text.c \
	src/base/text.h \
	src/base/vec.h
#@ end

#@ src_table_libtable_a_SOURCES = src/table *.[ch]
src_table_libtable_a_SOURCES = \
	src/table/cell.c \
	src/table/cell.h \
	src/table/filter.h \
	src/table/table.c \
	src/table/table.h \
	src/table/view.c
#@ end

#@ src_model_libmodel_a_SOURCES = src/model *.[ch]
src_model_libmodel_a_SOURCES = \
	src/model/builder.c \
	src/model/builder.h \
	src/model/builder_impl.h \
	src/model/finish.c \
	src/model/link.c \
	src/model/link.h \
	src/model/nest.c \
	src/model/nest.h \
	src/model/profile.c \
	src/model/profile.h \
	src/model/schema.c \
	src/model/schema.h \
	src/model/session.c \
	src/model/session.h \
	src/model/strtab.c \
	src/model/strtab.h
#@ end

#@ src_load_libload_a_SOURCES = src/load *.[ch]
src_load_libload_a_SOURCES = \
	src/load/loader.h \
	src/load/nsys.h \
	src/load/nsys_ctx.c \
	src/load/nsys_db.h \
	src/load/nsys_gpu.c \
	src/load/nsys_host.c \
	src/load/nsys_nvtx.c \
	src/load/nsys_sqlite.c \
	src/load/probe_json.c \
	src/load/probe_json.h
#@ end

#@ src_analyze_libanalyze_a_SOURCES = src/analyze *.[ch] !rules_data.c
src_analyze_libanalyze_a_SOURCES = \
	src/analyze/analysis.h \
	src/analyze/kclass.c \
	src/analyze/kclass.h \
	src/analyze/rules.c \
	src/analyze/rules.h \
	src/analyze/rules_frame.c \
	src/analyze/rules_impl.h \
	src/analyze/rules_match.c \
	src/analyze/rules_parse.c \
	src/analyze/scope.h
#@ end

#@ src_report_libreport_a_SOURCES = src/report *.[ch]
src_report_libreport_a_SOURCES =
#@ end

bin_PROGRAMS += profdive

#@ profdive_SOURCES = src/cmd *.[ch]
profdive_SOURCES =
#@ end

# The rule files are compiled in, so that the program works without being installed.
nodist_src_analyze_libanalyze_a_SOURCES = %D%/analyze/rules_data.c
CLEANFILES += %D%/analyze/rules_data.c

%D%/analyze/rules_data.c: $(rule_files) $(srcdir)/tools/embed-data
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	files=; for f in $(rule_files); do \
		test -f $$f || f=$(srcdir)/$$f; files="$$files $$f"; done; \
	sh $(srcdir)/tools/embed-data $@.tmp $$files && mv -f $@.tmp $@

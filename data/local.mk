# data/: rule files and other text that the program reads; the rules are compiled in as well

#@ rule_files = data *.rules :flat
rule_files = \
	data/findings.rules \
	data/frames.rules \
	data/kernel-classes.rules \
	data/ops.rules \
	data/phases.rules \
	data/runtime-api.rules \
	data/steps.rules \
	data/threads.rules
#@ end

#@ other_data = data * !.* !*.rules !local.mk !sample.stamp :flat
other_data =
#@ end

dist_pkgdata_DATA = $(rule_files) $(other_data)

# Completions, written by tools/gen-docs, where shells look for them below the prefix. Another
# place: make install bashcompdir=...
bashcompdir = $(datadir)/bash-completion/completions
zshcompdir = $(datadir)/zsh/site-functions
fishcompdir = $(datadir)/fish/vendor_completions.d
dist_bashcomp_DATA = %D%/completions/profdive
dist_zshcomp_DATA = %D%/completions/_profdive
dist_fishcomp_DATA = %D%/completions/profdive.fish

# The sample run: what `./bootstrap demo` opens and what the tests know the true figures of.
all-local: %D%/sample.stamp
CLEANFILES += %D%/sample.stamp
clean-local:
	rm -rf %D%/sample

%D%/sample.stamp: tests/gen/tracegen$(EXEEXT)
	$(AM_V_GEN)rm -rf %D%/sample && $(MKDIR_P) %D%/sample && \
	tests/gen/tracegen$(EXEEXT) --seed 1 --out %D%/sample && touch $@

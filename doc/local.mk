# doc/: manual pages and documents for readers of the source

#@ dist_man_MANS += doc *.1 *.5 *.7
dist_man_MANS += \
	doc/profdive-formats.7 \
	doc/profdive-keys.7 \
	doc/profdive-rules.5 \
	doc/profdive-views.7 \
	doc/profdive.1
#@ end

#@ documents = doc * !.* !*.1 !*.5 !*.7 !local.mk
documents = \
	doc/architecture.md \
	doc/benchmarks.md \
	doc/cache-format.md \
	doc/decisions/0001-one-track-per-layer.md \
	doc/decisions/0002-one-result-type.md \
	doc/decisions/0003-nvtx-as-op-layer.md \
	doc/definitions.md \
	doc/tutorial.md
#@ end

EXTRA_DIST += $(documents)

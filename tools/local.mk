# tools/: helpers of the build and of the tests

#@ tools = tools * !.* !local.mk
tools = \
	tools/check-layers \
	tools/check-links \
	tools/embed-data \
	tools/fnlen \
	tools/gen-complete.awk \
	tools/gen-docs \
	tools/gen-man.awk \
	tools/install-bench-deps \
	tools/layers.txt \
	tools/list-sources \
	tools/trs-summary
#@ end

EXTRA_DIST += $(tools)

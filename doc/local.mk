# doc/: manual pages and documents for readers of the source

#@ dist_man_MANS += doc *.1 *.5 *.7
dist_man_MANS += \
	doc/profdive-keys.7 \
	doc/profdive-rules.5 \
	doc/profdive-views.7 \
	doc/profdive.1
#@ end

#@ documents = doc * !.* !*.1 !*.5 !*.7 !local.mk
documents =
#@ end

EXTRA_DIST += $(documents)

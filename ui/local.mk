# ui/: the terminal

#@ ui_screen_libscreen_a_SOURCES = ui/screen *.[ch]
ui_screen_libscreen_a_SOURCES = \
	ui/screen/action.c \
	ui/screen/action.h \
	ui/screen/canvas.c \
	ui/screen/canvas.h \
	ui/screen/editor.c \
	ui/screen/editor.h \
	ui/screen/glyph.c \
	ui/screen/glyph.h \
	ui/screen/keymap.c \
	ui/screen/keymap.h \
	ui/screen/needle.c \
	ui/screen/needle.h \
	ui/screen/settings.c \
	ui/screen/settings.h \
	ui/screen/signals.c \
	ui/screen/signals.h \
	ui/screen/style.c \
	ui/screen/style.h \
	ui/screen/term.h \
	ui/screen/term_curses.c \
	ui/screen/term_null.c
#@ end

#@ ui_work_libwork_a_SOURCES = ui/work *.[ch]
ui_work_libwork_a_SOURCES = \
	ui/work/flame.c \
	ui/work/flame.h \
	ui/work/prep.c \
	ui/work/provider.h \
	ui/work/work.c \
	ui/work/work.h \
	ui/work/work_impl.h \
	ui/work/work_report.c
#@ end

#@ ui_widgets_libwidgets_a_SOURCES = ui/widgets *.[ch]
ui_widgets_libwidgets_a_SOURCES = \
	ui/widgets/event_text.c \
	ui/widgets/event_text.h \
	ui/widgets/flame.c \
	ui/widgets/flame.h \
	ui/widgets/frame_find.c \
	ui/widgets/frame_find.h \
	ui/widgets/layout.c \
	ui/widgets/layout.h \
	ui/widgets/model_view.c \
	ui/widgets/model_view.h \
	ui/widgets/pane.c \
	ui/widgets/pane.h \
	ui/widgets/prompt.c \
	ui/widgets/prompt.h \
	ui/widgets/strip.c \
	ui/widgets/strip.h \
	ui/widgets/table.c \
	ui/widgets/table.h \
	ui/widgets/table_draw.c \
	ui/widgets/table_sum.c \
	ui/widgets/text.c \
	ui/widgets/text.h \
	ui/widgets/timeline.c \
	ui/widgets/timeline.h \
	ui/widgets/timeline_draw.c
#@ end

#@ ui_panes_libpanes_a_SOURCES = ui/panes *.[ch]
ui_panes_libpanes_a_SOURCES = \
	ui/panes/breakdown.c \
	ui/panes/detail.c \
	ui/panes/diff.c \
	ui/panes/findings.c \
	ui/panes/help.c \
	ui/panes/kernels.c \
	ui/panes/log.c \
	ui/panes/nav.c \
	ui/panes/nav.h \
	ui/panes/ops.c \
	ui/panes/overview.c \
	ui/panes/panes.h \
	ui/panes/python.c \
	ui/panes/registry.c \
	ui/panes/runtime.c \
	ui/panes/settings.c \
	ui/panes/sources.c \
	ui/panes/table.c \
	ui/panes/table.h \
	ui/panes/timeline/across.c \
	ui/panes/timeline/describe.c \
	ui/panes/timeline/down.c \
	ui/panes/timeline/draw.c \
	ui/panes/timeline/lanes.c \
	ui/panes/timeline/pane.c \
	ui/panes/timeline/pane.h \
	ui/panes/timeline/state.c \
	ui/panes/transfers.c
#@ end

#@ ui_app_libapp_a_SOURCES = ui/app *.[ch]
ui_app_libapp_a_SOURCES = \
	ui/app/act.c \
	ui/app/app.c \
	ui/app/app.h \
	ui/app/app_impl.h \
	ui/app/command.c \
	ui/app/complete.c \
	ui/app/frame.c \
	ui/app/go.c \
	ui/app/history.c \
	ui/app/mouse.c \
	ui/app/script.c \
	ui/app/session_file.c \
	ui/app/state.c \
	ui/app/typeahead.c
#@ end

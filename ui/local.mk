# ui/: the terminal

#@ ui_libui_a_SOURCES = ui *.[ch]
ui_libui_a_SOURCES = \
	ui/app.h \
	ui/canvas.c \
	ui/canvas.h \
	ui/glyph.c \
	ui/glyph.h \
	ui/style.c \
	ui/style.h
#@ end

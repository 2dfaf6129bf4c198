/*
 * action.h - everything a key can mean, in one table: from it come the enum, the names after ":", the default keys, the help
 * pane and the key bar. One meaning per key in every pane; a pane that has no use for an action says so.
 */
#ifndef UI_SCREEN_ACTION_H
#define UI_SCREEN_ACTION_H

#include <stdbool.h>
#include <stddef.h>

/* Where an action works; a pane has one or more of these. */
enum action_where {
	IN_ALL = 1, IN_TABLE = 2, IN_TREE = 4, IN_TIME = 8, IN_TEXT = 16, IN_LIST = 32, IN_STACK = 64, IN_FLAME = 128
};

/* ACTION(id, name, keys, where, label of the key bar or NULL, help) */
/* clang-format off */
#define ACTIONS(ACTION) \
	ACTION(BACK, "back", "q", IN_ALL, N_("back"), \
		N_("one level back; at the first one, leave")) \
	ACTION(QUIT, "quit", "Q F10", IN_ALL, N_("quit"), N_("leave at once")) \
	ACTION(ESCAPE, "escape", "Esc", IN_ALL, NULL, \
		N_("stop loading, clear range, search and filter, leave zoom: one at a time")) \
	ACTION(CANCEL, "cancel", "C-c", IN_ALL, NULL, \
		N_("stop loading or the running query; twice: leave")) \
	ACTION(HELP, "help", "? F1", IN_ALL, N_("help"), N_("this help")) \
	ACTION(SETTINGS, "settings", "F2", IN_ALL, NULL, \
		N_("settings: what each is, Enter changes it")) \
	ACTION(LEFT, "left", "h Left", IN_ALL, NULL, \
		N_("left: cursor in the timeline, close or parent in a tree, columns in a table")) \
	ACTION(DOWN, "down", "j Down", IN_ALL, NULL, N_("down one row or lane")) \
	ACTION(UP, "up", "k Up", IN_ALL, NULL, N_("up one row or lane")) \
	ACTION(RIGHT, "right", "l Right", IN_ALL, NULL, \
		N_("right: cursor in the timeline, open in a tree, columns in a table")) \
	ACTION(TOP, "top", "g Home", IN_ALL, NULL, N_("first row, start of the window")) \
	ACTION(END, "end", "G End", IN_ALL, NULL, N_("last row, end of the window")) \
	ACTION(PAGE_UP, "page-up", "PgUp C-b", IN_ALL, NULL, N_("up one page")) \
	ACTION(PAGE_DOWN, "page-down", "PgDn C-f", IN_ALL, NULL, N_("down one page")) \
	ACTION(HALF_UP, "half-page-up", "C-u", IN_ALL, NULL, N_("up half a page")) \
	ACTION(HALF_DOWN, "half-page-down", "C-d", IN_ALL, NULL, N_("down half a page")) \
	ACTION(PAN_LEFT, "pan-left", "H", IN_TABLE | IN_TIME, NULL, \
		N_("pan left by half a screen")) \
	ACTION(PAN_RIGHT, "pan-right", "L", IN_TABLE | IN_TIME, NULL, \
		N_("pan right by half a screen")) \
	ACTION(NEXT_PANE, "next-pane", "Tab", IN_ALL, NULL, N_("next pane")) \
	ACTION(PREV_PANE, "previous-pane", "S-Tab", IN_ALL, NULL, N_("previous pane")) \
	ACTION(PANE_1, "overview", "1", IN_ALL, NULL, N_("overview: why is the step slow?")) \
	ACTION(PANE_2, "timeline", "2", IN_ALL, NULL, \
		N_("timeline: steps, threads, CUDA calls and streams on one axis")) \
	ACTION(PANE_3, "kernels", "3", IN_ALL, NULL, N_("kernels: classes, kernels, instances")) \
	ACTION(PANE_4, "ops", "4", IN_ALL, NULL, N_("self-time tree of ops")) \
	ACTION(PANE_5, "runtime", "5", IN_ALL, NULL, N_("CUDA runtime calls and waits")) \
	ACTION(PANE_6, "python", "6", IN_ALL, NULL, N_("Python call stacks")) \
	ACTION(PANE_7, "transfers", "7", IN_ALL, NULL, N_("transfers and waits")) \
	ACTION(PANE_8, "breakdown", "8", IN_ALL, NULL, N_("breakdown: each nanosecond once")) \
	ACTION(PANE_9, "findings", "9", IN_ALL, NULL, N_("what to look at")) \
	ACTION(PANE_SOURCES, "sources", "", IN_ALL, NULL, \
		N_("the files, what is in them, what was damaged")) \
	ACTION(PANE_LOG, "log", "", IN_ALL, NULL, N_("messages so far")) \
	ACTION(DETAIL, "detail", "i", IN_ALL, NULL, \
		N_("the row or event whole: names uncut, every column with its meaning")) \
	ACTION(MAXIMISE, "maximise", "O", IN_ALL, NULL, \
		N_("this pane over the whole screen, and back")) \
	ACTION(ENTER, "enter", "Enter", IN_ALL, N_("down"), \
		N_("down: step, window, kernel, API call, op, Python frame; opens a closed row")) \
	ACTION(HIST_BACK, "history-back", "Backspace C-o M-Left", IN_ALL, N_("up"), \
		N_("back to where Enter was pressed")) \
	ACTION(HIST_FWD, "history-forward", "C-] M-Right", IN_ALL, NULL, N_("forward again")) \
	ACTION(SEARCH, "search", "/ F3", IN_ALL, N_("search"), \
		N_("search in the pane; small letters find both cases")) \
	ACTION(NEXT_MATCH, "next-match", "n", IN_ALL, NULL, N_("next match")) \
	ACTION(PREV_MATCH, "previous-match", "N", IN_ALL, NULL, N_("previous match")) \
	ACTION(STAR, "same-next", "*", IN_TREE | IN_TIME, NULL, \
		N_("timeline: next event of the same name; tree: open all below")) \
	ACTION(HASH, "same-previous", "#", IN_TIME, NULL, N_("previous event of the same name")) \
	ACTION(ZOOM_IN, "zoom-in", "+ = z", IN_TIME | IN_FLAME, N_("zoom"), \
		N_("zoom in at the cursor")) \
	ACTION(ZOOM_OUT, "zoom-out", "- _ Z", IN_TIME | IN_FLAME, N_("zoom"), N_("zoom out")) \
	ACTION(ZOOM_ALL, "zoom-all", "0", IN_TIME | IN_FLAME, NULL, N_("the whole window")) \
	ACTION(PREV_EVENT, "previous-event", ",", IN_TIME, N_("event"), \
		N_("previous event in the lane")) \
	ACTION(NEXT_EVENT, "next-event", ".", IN_TIME, N_("event"), N_("next event in the lane")) \
	ACTION(PREV_STEP, "previous-step", "{", IN_ALL, N_("step"), N_("previous step")) \
	ACTION(NEXT_STEP, "next-step", "}", IN_ALL, N_("step"), N_("next step")) \
	ACTION(PREV_GAP, "previous-gap", "(", IN_TIME, N_("gap"), \
		N_("previous idle gap of the GPU")) \
	ACTION(NEXT_GAP, "next-gap", ")", IN_TIME, N_("gap"), N_("next idle gap of the GPU")) \
	ACTION(PREV_FINDING, "previous-finding", "[ F7", IN_ALL, NULL, \
		N_("previous finding, in its pane")) \
	ACTION(NEXT_FINDING, "next-finding", "] F8", IN_ALL, NULL, \
		N_("next finding, in its pane")) \
	ACTION(RANGE, "range", "v", IN_TIME, N_("range"), \
		N_("select a range; Enter zooms to it and every pane follows")) \
	ACTION(ABSREL, "absolute", "a", IN_TIME, NULL, \
		N_("times from the window's start, or from the session's zero")) \
	ACTION(FILTER, "filter", "& F4 \\", IN_TABLE | IN_TREE | IN_TIME, N_("filter"), \
		N_("show only rows, or lanes, that match; empty clears")) \
	ACTION(SORT_PREV, "sort-left", "<", IN_TABLE | IN_TREE, NULL, \
		N_("sort by the column to the left")) \
	ACTION(SORT_NEXT, "sort-right", ">", IN_TABLE | IN_TREE, N_("sort"), \
		N_("sort by the column to the right")) \
	ACTION(SORT_MENU, "sort-by", "F6", IN_TABLE | IN_TREE, NULL, \
		N_("type the column to sort by")) \
	ACTION(INVERT, "invert", "I", IN_TABLE | IN_TREE, NULL, \
		N_("turn the order round; flame: callers or callees first")) \
	ACTION(TAG, "tag", "Space", IN_TABLE | IN_TREE | IN_TEXT, NULL, \
		N_("tables: tag the row and go on; text: next page")) \
	ACTION(HIDE, "hide", "x", IN_TABLE | IN_TIME, NULL, \
		N_("hide rows of this row's class; timeline: the lane")) \
	ACTION(SHOW_ALL, "show-all", "X", IN_TABLE | IN_TIME, NULL, \
		N_("show all classes, or lanes, again")) \
	ACTION(LANE_DOWN, "lane-down", "J", IN_TIME, NULL, \
		N_("move the lane down, with those that belong to it")) \
	ACTION(LANE_UP, "lane-up", "K", IN_TIME, NULL, N_("move the lane up")) \
	ACTION(FOLD, "fold", "c", IN_TREE | IN_TIME, NULL, \
		N_("close the row; timeline: the first lane of several only")) \
	ACTION(FOLD_ALL, "fold-all", "C", IN_TREE | IN_TIME, NULL, N_("close all rows or lanes")) \
	ACTION(UNFOLD, "unfold", "e", IN_TREE | IN_TIME, NULL, \
		N_("open or close the row or lane")) \
	ACTION(UNFOLD_ALL, "unfold-all", "E", IN_TREE | IN_TIME, NULL, \
		N_("open all rows or lanes")) \
	ACTION(PERCENT, "percent", "%", IN_TABLE | IN_TREE, NULL, \
		N_("figures, times as share of the window, sums as mean per step")) \
	ACTION(VIEW_NEXT, "next-view", "t", IN_TABLE | IN_TREE | IN_LIST, N_("view"), \
		N_("next table of the pane")) \
	ACTION(VIEW_PREV, "previous-view", "T", IN_TABLE | IN_TREE | IN_LIST, NULL, \
		N_("previous table of the pane")) \
	ACTION(SPLIT, "split", "p", IN_TABLE | IN_TREE, NULL, \
		N_("split rows by nothing, phase, step, micro-batch, device, thread")) \
	ACTION(SOURCE, "next-source", "s", IN_ALL, NULL, \
		N_("take figures from the next file only; after the last: each view's own " \
		   "choice")) \
	ACTION(WINDOW, "next-window", "W", IN_ALL, NULL, \
		N_("window: steady steps, or the whole capture")) \
	ACTION(MARK, "mark", "m", IN_ALL, NULL, N_("m and a letter: remember this place")) \
	ACTION(GOTO_MARK, "goto-mark", "'", IN_ALL, NULL, \
		N_("' and a letter: go there; '' to the last place")) \
	ACTION(MEASURE, "measure", "M", IN_ALL, NULL, \
		N_("M and the letters of two marks: the time between them, as a range; . is the " \
		   "cursor")) \
	ACTION(DIFF, "diff", "d", IN_ALL, NULL, \
		N_("what differs from the other run (profdive diff), and back")) \
	ACTION(ARGS, "arguments", "A", IN_ALL, NULL, \
		N_("command lines with their arguments, and without them again")) \
	ACTION(COPY, "copy", "y", IN_ALL, NULL, \
		N_("copy the row or event to the clipboard of the terminal")) \
	ACTION(EDIT, "edit", "o", IN_STACK, N_("edit"), \
		N_("open the file of the Python frame at its line in $VISUAL or $EDITOR")) \
	ACTION(WRITE, "write-pane", "w", IN_ALL, NULL, \
		N_("write the pane to a file: its table as :set format says, else the screen as " \
		   "text")) \
	ACTION(REPORT, "report", "R F9", IN_ALL, N_("reports"), N_("write the six reports")) \
	ACTION(RELOAD, "reload", "F5", IN_ALL, NULL, \
		N_("read files again that have changed; else compute the tables again")) \
	ACTION(COMMAND, "command", ":", IN_ALL, NULL, \
		N_("type a command; Tab completes, Up recalls")) \
	ACTION(REDRAW, "redraw", "C-l", IN_ALL, NULL, N_("draw the screen anew")) \
	ACTION(SUSPEND, "suspend", "C-z", IN_ALL, NULL, N_("back to the shell; fg returns"))
/* clang-format on */

enum action {
	ACT_NONE,
#define ACTION(id, name, keys, where, label, help) ACT_##id,
	ACTIONS(ACTION)
#undef ACTION
	ACT_N
};

struct action_def {
	const char *name, *keys;
	unsigned where;
	const char *label, *help;	/* N_() marked */
};
const struct action_def *action_get(enum action a);
enum action action_find(const char *name, size_t n);	/* ACT_NONE */

#endif

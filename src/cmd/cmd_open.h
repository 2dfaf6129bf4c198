/* cmd_open.h - the explorer, for the commands that end in it */
#ifndef CMD_CMD_OPEN_H
#define CMD_CMD_OPEN_H

#include "cmd/cmd.h"
#include "ui/app/app.h"

/*
 * --script, --screen and --window … into *u, which begins with zeros. *screen: there is a script or a terminal. false with *e set:
 * ERR_USAGE.
 */
bool explore_options(struct ui_opts *u, const struct invocation *in, bool *screen, struct err *e);
/* Runs the explorer on what `op` began to load (with snapshots); u->title is made of the operands where it is NULL. Exit status. */
int explore(struct invocation *in, struct opened *op, struct ui_opts *u);

#endif

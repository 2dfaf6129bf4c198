/*
 * crash.c - the explorer with a fault put into it, for the test of what a crash leaves of the terminal.
 *
 *	crash draw|thread FILE
 *
 * Shows the run of ui_fake.h. With the first key after FILE has come to be, something is written through a null pointer: on the thread
 * that draws, or on another one while that goes on.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "findings/rulebook.h"
#include "tests/lib/ui_fake.h"
#include "ui/app/app.h"

static struct session *session;
static const char *fuse;
static bool elsewhere;

__attribute__((no_sanitize("undefined"))) static void *fault(void *arg)
{
	volatile int *volatile nowhere = NULL;

	(void)arg;
	*nowhere = 1;
	return NULL;
}

static uint64_t poll_session(void *arg, struct ui_progress *pr)
{
	pthread_t other;

	(void)arg;
	memset(pr, 0, sizeof(*pr));
	if (access(fuse, F_OK) == 0 && !(elsewhere && pthread_create(&other, NULL, fault, NULL) == 0))
		fault(NULL);
	return session->generation;
}

static struct session *take_session(void *arg)
{
	(void)arg;
	return session_clone(session);
}

static void cancel(void *arg)
{
	(void)arg;
}

int main(int argc, char **argv)
{
	struct ui_opts o = { .provider = { .poll = poll_session, .take = take_session, .cancel = cancel }, .title = "made" };
	struct err e = ERR_INIT;
	struct rulebook *r = rulebook_new(&e);
	int status = 2, ended_by;

	if (argc != 3 || !r) {
		fprintf(stderr, "usage: crash draw|thread FILE\n");
		return 2;
	}
	elsewhere = !strcmp(argv[1], "thread");
	fuse = argv[2];
	session = fake_session();
	o.rules = r;
	scope_init(&o.scope);
	status = ui_run(&o, &ended_by, &e);
	if (status)
		fprintf(stderr, "crash: %s\n", e.text);
	session_free(session);
	rulebook_free(r);
	return status;
}

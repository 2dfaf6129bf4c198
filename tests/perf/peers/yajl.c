/* yajl.c - yajl: callbacks, the file in pieces of 64 KiB. Depth 2 is an event in the only array of objects that has "ph". */
#include <yajl/yajl_parse.h>
#include <yajl/yajl_version.h>

#include "peer.h"

struct state {
	struct peer_sums sums;
	struct peer_event e;
	int depth;		/* of objects and arrays */
	int in_events;		/* the array is traceEvents */
	enum peer_field field;
	int corr, events_key;
};

enum { ROOT = 1, EVENT = 3, ARGS = 4 };

static int on_number(void *arg, const char *s, size_t n)
{
	struct state *st = arg;
	char buf[64];

	(void)n;
	memcpy(buf, s, n < 63 ? n : 63);
	buf[n < 63 ? n : 63] = '\0';
	if (st->field && st->depth == EVENT && st->in_events)
		peer_double(&st->e, st->field, strtod(buf, NULL));
	else if (st->corr && st->depth == ARGS && st->in_events)
		st->e.corr = strtoll(buf, NULL, 10);
	return 1;
}

static int on_string(void *arg, const unsigned char *s, size_t n)
{
	struct state *st = arg;

	if (st->field && st->depth == EVENT && st->in_events)
		peer_string(&st->e, st->field, (const char *)s, n);
	return 1;
}

static int on_key(void *arg, const unsigned char *s, size_t n)
{
	struct state *st = arg;

	if (st->depth == EVENT)
		st->field = peer_field_of((const char *)s, n);
	else if (st->depth == ARGS)
		st->corr = st->field == PF_ARGS && peer_is_corr((const char *)s, n);
	else if (st->depth == ROOT)
		st->events_key = n == 11 && memcmp(s, "traceEvents", 11) == 0;
	return 1;
}

static int on_open(void *arg)
{
	struct state *st = arg;

	if (++st->depth == EVENT)
		memset(&st->e, 0, sizeof(st->e));
	else if (st->depth == EVENT - 1)
		st->in_events = st->events_key;
	return 1;
}

static int on_close(void *arg)
{
	struct state *st = arg;

	if (st->depth-- == EVENT && st->in_events)
		peer_add(&st->sums, &st->e);
	return 1;
}

int main(int argc, char **argv)
{
	static unsigned char buf[1 << 16];
	double since = peer_now();
	struct state st = { .depth = 0 };
	yajl_callbacks cb = { .yajl_number = on_number, .yajl_string = on_string, .yajl_map_key = on_key, .yajl_start_map = on_open,
		.yajl_end_map = on_close, .yajl_start_array = on_open, .yajl_end_array = on_close };
	yajl_handle h = yajl_alloc(&cb, NULL, &st);
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	ssize_t n;
	char version[32];

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		if (yajl_parse(h, buf, (size_t)n) != yajl_status_ok)
			peer_die("yajl: no JSON");
	if (n < 0 || yajl_complete_parse(h) != yajl_status_ok)
		peer_die("yajl: no JSON");
	snprintf(version, sizeof(version), "%d.%d.%d", YAJL_MAJOR, YAJL_MINOR, YAJL_MICRO);
	peer_report("yajl", version, "callbacks", since, &st.sums);
	return 0;
}

/* test_ui_work.c - the worker behind the panes: caching by question and session, stale answers, late answers, cancel, large tables. */
#include "tests/lib/tap.h"
#include "tests/lib/ui_fake.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "findings/rulebook.h"
#include "ui/widgets/table.h"

static atomic_int runs, cancelled, slow, contexts;

static const struct column_def cols[] = {
	{ "name", "Name", UNIT_TEXT, COL_NAME, 0, "" },
	{ "value_ns", "Value", UNIT_NS, 0, 1, "" },
};

static struct an_ctx *fake_ctx(const struct session *s, const struct rulebook *r, struct job *job, const struct an_ctx *reuse)
{
	struct an_ctx *cx = xcalloc(1, sizeof(*cx));

	(void)job;
	(void)reuse;
	cx->session = s;
	cx->rules = r ? r->names : NULL;
	atomic_fetch_add(&contexts, 1);
	return cx;
}

static void fake_ctx_free(struct an_ctx *cx)
{
	atomic_fetch_sub(&contexts, 1);
	free(cx);
}

/* "rowsN": N rows in which value falls as the name rises; "slow": until told otherwise or cancelled; "fail" */
static struct table *fake_table(const char *id, const struct an_ctx *cx, const struct scope *sc, struct err *e)
{
	int n = atoi(id + 4);
	struct table *t;

	atomic_fetch_add(&runs, 1);
	if (!strcmp(id, "fail")) {
		err_set(e, ERR_FORMAT, "on purpose");
		return NULL;
	}
	while (!strcmp(id, "slow") && atomic_load(&slow)) {
		if (job_cancelled(cx->job)) {
			atomic_fetch_add(&cancelled, 1);
			err_set(e, ERR_CANCELLED, "cancelled");
			return NULL;
		}
		usleep(500);
	}
	t = table_new("rows", cols, 2);
	for (int i = 0; i < n; i++) {
		char name[32];
		uint32_t row = table_row(t);

		snprintf(name, sizeof(name), "%c%06d", i % 2 ? 'b' : 'a', i);
		table_cstr(t, row, 0, name);
		table_i64(t, row, 1, (int64_t)n - i + (sc->window == WINDOW_ALL ? 1000 : 0));
	}
	return t;
}

static const struct work_ops ops = { .ctx_new = fake_ctx, .ctx_free = fake_ctx_free, .table = fake_table };

/* Asks until the answer is final. */
static struct result *want(struct work *w, const char *id, const struct scope *sc)
{
	for (int i = 0; i < 400; i++) {
		struct pollfd fd = { work_fd(w), POLLIN, 0 };
		bool pending = false;
		struct result *r;

		work_collect(w);
		work_frame_begin(w);
		r = work_want(w, id, sc, &pending);
		work_frame_end(w);
		if (r && !pending)
			return r;
		poll(&fd, 1, 20);
	}
	return NULL;
}

static void test_cache(struct work *w)
{
	struct scope all, steady;
	struct result *r, *old;
	bool pending = false;
	int before;

	scope_init(&steady);
	scope_init(&all);
	all.window = WINDOW_ALL;
	r = want(w, "rows5", &steady);
	ok(r && r->table && r->table->n_rows == 5, "an answer comes");
	before = atomic_load(&runs);
	ok(want(w, "rows5", &steady) == r && atomic_load(&runs) == before, "the same question is not computed twice");
	ok(want(w, "rows5", &all) != r && atomic_load(&runs) == before + 1, "another scope is another question");
	old = result_ref(r);
	{
		struct session *s = fake_session();

		s->generation = 99;
		work_put_session(w, s);
	}
	work_frame_begin(w);
	r = work_want(w, "rows5", &steady, &pending);
	work_frame_end(w);
	ok(r == old && pending, "after a newer session the old answer stays, marked");
	r = want(w, "rows5", &steady);
	ok(r && r != old && r->generation == 99, "until the new one is there");
	is_int(old->table->n_rows, 5, "who holds the old one still has it");
	result_unref(old);
	r = want(w, "fail", &steady);
	ok(r && !r->table && !strcmp(r->err.text, "on purpose"), "a failure is an answer");
}

/* :set ascii while a table is computed: what was begun for the other alphabet is computed again */
static void test_forget(struct work *w)
{
	struct scope sc;
	bool pending = false;
	int before = atomic_load(&runs);

	scope_init(&sc);
	sc.window = WINDOW_ALL;
	atomic_store(&slow, 1);
	work_frame_begin(w);
	work_want(w, "slow", &sc, &pending);
	work_frame_end(w);
	for (int i = 0; i < 2000 && atomic_load(&runs) == before; i++)
		usleep(1000);
	work_forget(w);
	atomic_store(&slow, 0);
	ok(want(w, "slow", &sc) && atomic_load(&runs) == before + 2, "a table that was begun before all is forgotten is not taken");
}

static void test_late(struct work *w)
{
	struct scope sc;
	bool pending = false;

	scope_init(&sc);
	atomic_store(&slow, 1);
	work_frame_begin(w);
	work_want(w, "slow", &sc, &pending);
	work_frame_end(w);
	usleep(20000);
	ok(work_busy(w), "it is being computed");
	/* the next frame does not ask any more */
	work_frame_begin(w);
	work_frame_end(w);
	for (int i = 0; i < 200 && work_busy(w); i++) {
		usleep(5000);
		work_collect(w);
	}
	ok(!work_busy(w) && atomic_load(&cancelled) == 1, "what nobody asks for any more is cancelled");
	work_frame_begin(w);
	ok(!work_want(w, "slow", &sc, &pending), "and its late answer is dropped");
	work_frame_end(w);
	usleep(10000);
	work_cancel(w);
	for (int i = 0; i < 200 && work_busy(w); i++) {
		usleep(5000);
		work_collect(w);
	}
	pending = false;
	work_frame_begin(w);
	{
		struct result *r = work_want(w, "slow", &sc, &pending);

		ok(r && r->err.code == ERR_CANCELLED && !pending, "^C leaves an answer that says so, and it is not asked for again");
	}
	work_frame_end(w);
	atomic_store(&slow, 0);
	work_forget(w);
	ok(want(w, "slow", &sc) != NULL, "F5 asks again");
}

static void turn(struct work *w, struct wtable *t, struct pane *p, const char *id, const struct scope *sc)
{
	for (int i = 0; i < 400; i++) {
		struct pollfd fd = { work_fd(w), POLLIN, 0 };

		work_collect(w);
		work_frame_begin(w);
		p->pending = false;
		wtable_want(t, p, id, sc);
		work_frame_end(w);
		if (!p->pending && t->prep)
			return;
		poll(&fd, 1, 20);
	}
	fail("the table does not come");
}

/* Rows that are called the same are rows of their own: a tag is of one of them. */
static void test_keys(void)
{
	static const struct column_def two[] = {
		{ "name", "Name", UNIT_TEXT, COL_KEY | COL_NAME, 0, "" }, { "value", "Value", UNIT_COUNT, 0, 1, "" },
	};
	struct table *t = table_new("same", two, 2);
	struct prep *p, *sorted;

	for (int i = 0; i < 3; i++) {
		uint32_t row = table_row(t);

		table_cstr(t, row, 0, i < 2 ? "same" : "other");
		table_i64(t, row, 1, i);
	}
	p = prep_make(t, 1, -1, false, "");
	sorted = prep_make(t, 1, 1, true, "");
	ok(p->keys[0] != p->keys[1] && p->keys[0] != p->keys[2] && p->keys[1] != p->keys[2], "rows of one name have keys of their own");
	ok(!memcmp(p->keys, sorted->keys, 3 * sizeof(*p->keys)), "which another order does not change");
	prep_free(p);
	prep_free(sorted);
	table_free(t);
}

static void test_table(struct work *w)
{
	struct ui_ctx ui;
	struct pane p;
	struct wtable t;
	struct scope sc;
	struct outcome out;
	struct needle n;
	struct err e = ERR_INIT;
	struct grid g;
	struct canvas c;
	char say[64] = "";

	memset(&ui, 0, sizeof(ui));
	memset(&p, 0, sizeof(p));
	memset(&t, 0, sizeof(t));
	memset(&n, 0, sizeof(n));
	memset(&out, 0, sizeof(out));
	scope_init(&sc);
	ui.work = w;
	p.ui = &ui;
	p.page_rows = 10;
	t.sort_col = -1;
	turn(w, &t, &p, "rows50000", &sc);
	is_uint(t.vis.n, 50000, "a large table is prepared in the worker");
	needle_set(&n, "a000300");
	ok(wtable_find(&t, &n, 1, say, sizeof(say)) && t.cursor == 300, "search finds row 300");
	is_str(say, "1 of 1", "and says of how many");
	ok(wtable_sort(&t, "value_ns", &e), "sort by value");
	t.desc = false;
	turn(w, &t, &p, "rows50000", &sc);
	is_int(t.vis.a[0], 49999, "smallest value first");
	is_uint(t.cursor, 49999 - 300, "the cursor stays on its row");
	ok(wtable_filter(&t, "value_ns > 49990 and name ~ b", &e), "filter");
	turn(w, &t, &p, "rows50000", &sc);
	is_uint(t.vis.n, 5, "five rows are left");
	ok(!wtable_filter(&t, "nosuch > 3", &e), "a filter on an unknown column is refused: %s", e.text);
	wtable_act(&t, &p, ACT_END, &out);
	is_uint(t.cursor, 4, "G goes to the last row");
	grid_init(&g, 30, 8);
	c = canvas_whole(&g);
	wtable_draw(&t, &p, &c, "");
	ok(grid_find(&g, "b000001") && g.work <= 8, "only visible rows are formatted (%u)", g.work);
	grid_fini(&g);
	needle_fini(&n);
	wtable_fini(&t);
}

static bool fake_write(void *arg, const struct an_ctx *cx, const struct scope *sc, char *text, size_t cap, struct err *e)
{
	(void)arg;
	(void)cx;
	(void)sc;
	(void)e;
	snprintf(text, cap, "written");
	return true;
}

/* No memory for the stack of a thread; no thread may have ended before, its stack would be taken again. */
static bool start_without_memory(struct work *w, const struct ui_report *rep, const struct scope *sc)
{
	struct rlimit old, none;
	bool started;

	getrlimit(RLIMIT_AS, &old);
	none = old;
	none.rlim_cur = 1;
	setrlimit(RLIMIT_AS, &none);
	started = work_report_start(w, rep, sc);
	setrlimit(RLIMIT_AS, &old);
	return started;
}

/* A sanitizer ends the program that has no memory: there the thread is not refused, the rest is tested. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CAN_REFUSE false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define CAN_REFUSE false
#endif
#endif
#ifndef CAN_REFUSE
#define CAN_REFUSE true
#endif

static void test_report(void)
{
	struct work *w = work_new(&ops, NULL);
	struct ui_report rep = { .write = fake_write };
	enum report_state st = REPORT_NONE;
	struct scope sc;
	char text[64] = "";

	scope_init(&sc);
	work_put_session(w, fake_session());
	ok(want(w, "rows5", &sc) != NULL, "the facts are there");
	ok(!CAN_REFUSE || !start_without_memory(w, &rep, &sc), "a report without a thread is refused");
	ok(work_report_start(w, &rep, &sc), "and can be started again");
	for (int i = 0; i < 400 && st != REPORT_DONE; i++) {
		st = work_report_poll(w, text, sizeof(text));
		usleep(1000);
	}
	ok(st == REPORT_DONE && !strcmp(text, "written"), "it is written");
	work_free(w);
	is_int(atomic_load(&contexts), 0, "and nobody holds its session");
}

int main(void)
{
	struct work *w;

	test_keys();
	test_report();
	w = work_new(&ops, NULL);
	work_put_session(w, fake_session());
	test_cache(w);
	test_forget(w);
	test_late(w);
	test_table(w);
	work_free(w);
	return done_testing();
}

/* test_scope.c - windows and splits as the command line writes them */
#include <string.h>

#include "scope/scope.h"

#include "tests/lib/tap.h"

static void test_defaults(void)
{
	struct scope a, b;

	scope_init(&a);
	memset(&b, 0xa5, sizeof(b));
	scope_init(&b);
	is_mem(&a, sizeof(a), &b, sizeof(b), "a fresh scope is always the same bytes");
	is_int(a.window, WINDOW_STEADY, "steady by default");
	is_int(a.source, -1, "the view's own choice of source");
	ok(a.rank == SCOPE_ANY && a.device == SCOPE_ANY && a.pid == SCOPE_ANY && a.tid == SCOPE_ANY, "everything");
	ok(a.kclass == -1 && !a.phases && !a.kernel_hash && !a.op_hash && !a.runtime_hash && !a.partition[0], "no selection");
}

static void test_windows(void)
{
	static const struct { const char *text, *back; enum window_kind kind; int64_t a, b; } good[] = {
		{ "steady", "steady", WINDOW_STEADY, 0, 0 },
		{ "all", "all", WINDOW_ALL, 0, 0 },
		{ "step:7", "step:7", WINDOW_STEPS, 7, 7 },
		{ "steps:3-5", "steps:3-5", WINDOW_STEPS, 3, 5 },
		{ "steps:4-4", "step:4", WINDOW_STEPS, 4, 4 },
		{ "steps:4", "step:4", WINDOW_STEPS, 4, 4 },
		{ "time:12.5ms..80ms", "time:12500000ns..80000000ns", WINDOW_TIME, 12500000, 80000000 },
		{ "time:0..1", "time:0ns..1ns", WINDOW_TIME, 0, 1 },
		{ "time:1.5us..2us", "time:1500ns..2000ns", WINDOW_TIME, 1500, 2000 },
		{ "time:0.000000001s..1s", "time:1ns..1000000000ns", WINDOW_TIME, 1, 1000000000 },
		{ "time:250ns..0.3us", "time:250ns..300ns", WINDOW_TIME, 250, 300 },
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct scope s;
		char buf[64];
		bool time = good[i].kind == WINDOW_TIME;

		scope_init(&s);
		ok(scope_parse_window(&s, good[i].text, NULL), "%s", good[i].text);
		is_int(s.window, good[i].kind, "%s: its kind", good[i].text);
		if (good[i].kind >= WINDOW_STEPS) {
			is_int(time ? s.start_ns : s.step_a, good[i].a, "%s: where it begins", good[i].text);
			is_int(time ? s.end_ns : s.step_b, good[i].b, "%s: where it ends", good[i].text);
		}
		is_str(scope_window_text(&s, buf, sizeof(buf)), good[i].back, "%s: written again", good[i].text);
		ok(scope_parse_window(&s, buf, NULL), "%s: which is read again", buf);
	}
}

static void test_bad_windows(void)
{
	static const char *const bad[] = {
		"", "steps", "step:", "step:x", "step:3-5", "steps:5-3", "steps:3-", "step:3 ", "time:", "time:1ms", "time:1ms..",
		"time:2ms..1ms", "time:1ms..1ms", "time:..2ms", "time:1ms..2ms..3ms", "time:1h..2h", "time:99999999999999999999..1",
		"time:10000000000s..20000000000s", "Steady", "all ", "warm",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct scope s;
		struct err e = ERR_INIT;

		scope_init(&s);
		ok(!scope_parse_window(&s, bad[i], &e) && e.code == ERR_USAGE, "'%s' is no window", bad[i]);
	}
}

static void test_by(void)
{
	static const struct { const char *text; enum by_dim by; } dims[] = {
		{ "step", BY_STEP }, { "phase", BY_PHASE }, { "microbatch", BY_MICROBATCH }, { "thread", BY_THREAD },
		{ "process", BY_PROCESS }, { "device", BY_DEVICE }, { "rank", BY_RANK }, { "all", BY_ALL },
	};
	struct scope s;
	struct err e = ERR_INIT;

	scope_init(&s);
	for (size_t i = 0; i < sizeof(dims) / sizeof(*dims); i++) {
		ok(scope_parse_by(&s, dims[i].text, NULL), "--by %s", dims[i].text);
		is_int(s.by, dims[i].by, "--by %s: its dimension", dims[i].text);
	}
	ok(!scope_parse_by(&s, "steps", &e) && e.code == ERR_USAGE, "--by steps is none");
}

static void test_names(void)
{
	for (int i = 0; i < PHASE_N; i++) {
		const char *name = phase_name((enum phase)i);

		is_int(phase_by_name(name, strlen(name)), i, "phase %s", name);
	}
	is_int(phase_by_name("forwards", 8), PHASE_N, "no phase");
	is_int(phase_by_name("forward", 3), PHASE_N, "nor a beginning of one");
	is_str(phase_name(PHASE_N), "unattributed", "beyond the last");
	is_uint(scope_hash_name("aten::mm", 8), scope_hash_name("aten::mm_", 8), "a name's hash is of its bytes");
	ok(scope_hash_name("aten::mm", 8) != scope_hash_name("aten::mm", 7), "of all of them");
	ok(scope_hash_name("", 0) != 0, "never 0");
}

/* What a command line can say, it says; what only panes select, it does not. */
static void test_options(void)
{
	char text[SCOPE_OPTIONS_MAX];
	struct scope s;

	scope_init(&s);
	ok(scope_options(&s, text), "the whole");
	is_str(text, "--window steady", "is the steady window");
	scope_parse_window(&s, "steps:3-7", NULL);
	scope_parse_by(&s, "phase", NULL);
	memcpy(s.partition, "gpu:1", 5);
	s.source = 1;
	s.rank = 0;
	s.device = 2;
	s.pid = 7;
	s.tid = 9;
	ok(scope_options(&s, text), "narrowed by all that has an option");
	is_str(text, "--window steps:3-7 --by phase --partition gpu:1 --source 2 --rank 0 --device 2 --thread 7/9", "each option");
	s.op_hash = 1;
	ok(!scope_options(&s, text), "a selected op has none");
}

/* A scope written over other bytes: no byte may keep what was there, for scopes are compared and hashed as bytes. */
static struct scope written_over(int byte)
{
	struct scope s;

	memset(&s, byte, sizeof(s));
	s.window = WINDOW_STEPS;
	s.step_a = s.step_b = s.start_ns = s.end_ns = 1;
	s.by = BY_STEP;
	s.source = s.clock_group = s.kclass = 2;
	s.rank = s.device = s.pid = s.tid = 3;
	s.phases = s.roles = s.page = 4;
	s.subclass_hash = s.kernel_hash = s.op_hash = s.runtime_hash = 5;
	scope_set_partition(&s, "compute", 7);
	scope_set_partition(&s, "cpu", 3);
	return s;
}

static void test_bytes(void)
{
	struct scope a = written_over(0xaa), b = written_over(0x55);

	is_mem(&a, sizeof(a), &b, sizeof(b), "equal scopes are equal bytes");
	is_str(a.partition, "cpu", "a partition replaces another");
}

int main(void)
{
	test_bytes();
	test_options();
	test_defaults();
	test_windows();
	test_bad_windows();
	test_by();
	test_names();
	return done_testing();
}

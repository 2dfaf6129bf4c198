/* fuzz_rules.c - a rule file of any bytes, then names of any bytes looked up in it; the two are parted by a NUL byte */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "rules/rules_impl.h"
#include "tests/fuzz/fuzz.h"

static void on_rule(void *arg, const struct rule_info *u)
{
	size_t *n = arg;

	fuzz_hold(u->file && u->table && u->id, "rule %zu without a name", *n);
	++*n;
}

static void check_level2(const char *level2, const char *name, size_t n)
{
	char buf[16];
	size_t full = rules_level2(level2, name, n, buf, sizeof(buf));

	fuzz_hold(strlen(buf) <= full && strlen(buf) < sizeof(buf), "level 2 of %zu bytes", full);
}

static void look_up(const struct rules *r, const char *name, size_t n)
{
	struct kernel_class k;
	struct host_class h;
	struct runtime_class rt;
	struct frame_name f;
	struct step_name s;

	rules_kernel(r, name, n, &k);
	fuzz_hold(k.class < KCLASS_N && k.subclass && k.rule_id, "kernel class");
	fuzz_hold(!rules_is_nccl(name, n) || k.class == KCLASS_COMMUNICATION, "nccl is %s", kclass_name(k.class));
	rules_op(r, name, n, &h);
	fuzz_hold(h.l1 < L1_N && h.level2 && h.rule_id, "op class");
	check_level2(h.level2, name, n);
	fuzz_hold(rules_op_base(name, n) <= n, "op base longer than the name");
	rules_python(r, name, n, &h);
	fuzz_hold(h.l1 < L1_N && h.level2 && h.rule_id, "frame class");
	rules_runtime_class(r, name, n, &rt);
	fuzz_hold(rt.rt < RT_N && rt.l1 < L1_N && rt.level2 && rt.category, "call class");
	check_level2(rt.level2, name, n);
	fuzz_hold(rules_runtime_base(name, n) <= n, "call base longer than the name");
	rules_frame_name(name, n, &f);
	fuzz_hold(f.func >= name && f.func + f.func_len <= name + n, "function outside the name");
	if (rules_step_name(r, name, n, &s))
		fuzz_hold(s.head >= name && s.tail + s.tail_len <= name + n, "step name outside the name");
	rules_microbatch_name(r, name, n, &s);
	rules_phase_marker(r, name, n);
	rules_thread_role(r, name, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, '\0', size) : NULL;
	size_t text = end ? (size_t)(end - data) : size, n = 0;
	struct err e = ERR_INIT;
	struct rulebook *r = rulebook_empty();	/* none built in: those cost more than all the rest */

	if (rulebook_add_text(r, "made.rules", (const char *)data, text, &e)) {
		rulebook_each(r, on_rule, &n);
		fuzz_hold(n == rulebook_count(r), "%zu rules listed of %zu", n, rulebook_count(r));
	} else {
		fuzz_hold(e.code != ERR_NONE && !rulebook_count(r), "a bad file adds rules, or gives no reason");
	}
	look_up(r->names, "", 0);
	rulebook_check(r, NULL, NULL, &n);
	while (end) {
		const char *name = (const char *)end + 1;
		size_t left = size - (size_t)(name - (const char *)data);
		const char *next = left ? memchr(name, '\0', left) : NULL;

		left = next ? (size_t)(next - name) : left;
		look_up(r->names, name, left);
		look_up(fuzz_rules()->names, name, left);
		end = (const uint8_t *)next;
	}
	rulebook_free(r);
	return 0;
}

/* test_idtab.c - numbers by id against a plain list, for ids that lie close together, in runs, and anywhere */
#include <stdlib.h>

#include "base/mem.h"
#include "model/id_table.h"
#include "tests/lib/tap.h"

enum { N = 5000 };

static uint64_t seed = 1;

static uint32_t dice(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33);
}

/* What a list says: the number put last for an id. */
static uint32_t last_of(const uint32_t *ids, size_t n, uint32_t id)
{
	while (n--)
		if (ids[n] == id)
			return (uint32_t)n;
	return UINT32_MAX;
}

static void compare(const char *what, const uint32_t *ids, bool table)
{
	struct idtab t = { 0 };
	unsigned bad = 0;

	idtab_init(&t, ids, N);
	ok((t.place != NULL) == table, "%s: a %s", what, table ? "table" : "map");
	for (uint32_t i = 0; i < N; i++)
		if (ids[i] != UINT32_MAX && idtab_put(&t, ids[i], i) != last_of(ids, i, ids[i]))
			bad++;
	ok(!bad, "%s: %u times another one than before", what, bad);
	for (uint32_t i = 0; i < N; i++) {
		uint32_t id = ids[dice() % N] + dice() % 3 - 1;

		bad += id != UINT32_MAX && idtab_get(&t, id) != last_of(ids, N, id);
	}
	for (uint32_t far = 1; far; far <<= 1)
		bad += idtab_get(&t, far) != last_of(ids, N, far);
	ok(!bad, "%s: %u of the ids around them differ", what, bad);
	idtab_fini(&t);
}

int main(void)
{
	uint32_t *ids = xreallocarray(NULL, N, sizeof(*ids));
	struct idtab none = { 0 };

	for (size_t i = 0; i < N; i++)
		ids[i] = 1000 + (uint32_t)i / 2;
	compare("close together", ids, true);
	for (size_t i = 0; i < N; i++)
		ids[i] = i % 7 ? (uint32_t)i / 1000 * 1000003 + dice() % 1000 : UINT32_MAX;
	compare("in runs far apart, some without", ids, true);
	for (size_t i = 0; i < N; i++)
		ids[i] = dice() << 1;
	compare("anywhere", ids, false);
	for (size_t i = 0; i < N; i++)
		ids[i] = UINT32_MAX - 1 - (uint32_t)i;
	compare("the largest", ids, true);
	idtab_init(&none, ids, 0);
	ok(idtab_get(&none, 5) == UINT32_MAX, "of no ids there is none");
	idtab_fini(&none);
	free(ids);
	return done_testing();
}

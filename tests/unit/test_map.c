/* test_map.c - the hash map (base/map.h), against an array that is searched from end to end */
#include "base/map.h"

#include "tests/lib/tap.h"

enum {
	KEYS = 600,
	ROUNDS = 40000
};

static void test_basics(void)
{
	struct map m = {0};

	is_uint(map_find(&m, 1, 2), MAP_NONE, "an empty map finds nothing");
	map_put(&m, 1, 2, 10);
	map_put(&m, 2, 1, 20);
	is_uint(map_find(&m, 1, 2), 10, "a key");
	is_uint(map_find(&m, 2, 1), 20, "its halves are not interchangeable");
	map_put(&m, 1, 2, 11);
	is_uint(map_find(&m, 1, 2), 11, "put replaces");
	is_uint(m.n, 2, "and does not count twice");
	is_uint(map_get_or_put(&m, 1, 2, 99), 11, "what is there stays");
	is_uint(map_get_or_put(&m, 3, 3, 30), 30, "what is not is stored");
	is_uint(map_find(&m, 3, 3), 30, "and found");
	map_put(&m, 0, 0, 0);
	is_uint(map_find(&m, 0, 0), 0, "key and value 0");
	map_put(&m, UINT64_MAX, UINT64_MAX, 1);
	is_uint(map_find(&m, UINT64_MAX, UINT64_MAX), 1, "key of all ones");
	map_fini(&m);
	is_uint(map_find(&m, 1, 2), MAP_NONE, "usable after map_fini");
}

static void test_random(void)
{
	static struct {
		uint64_t a, b;
		uint32_t val;
	} plain[KEYS];
	struct map m = {0};
	size_t n = 0;
	int bad = 0;

	srand(5);
	for (int i = 0; i < ROUNDS; i++) {
		/* Few distinct keys, far apart and close together, so that keys come back. */
		uint64_t a = (uint64_t)(rand() % 20) << (rand() % 2 * 40),
			 b = (uint64_t)(rand() % 15);
		uint32_t val = (uint32_t)rand() % 1000, want = MAP_NONE;
		size_t k;

		for (k = 0; k < n && (plain[k].a != a || plain[k].b != b);)
			k++;
		if (k < n)
			want = plain[k].val;
		bad += map_find(&m, a, b) != want;
		if (rand() % 2) {
			map_put(&m, a, b, val);
			want = val;
		} else {
			uint32_t got = map_get_or_put(&m, a, b, val);

			want = want == MAP_NONE ? val : want;
			bad += got != want;
		}
		if (k == n) {
			plain[n].a = a;
			plain[n++].b = b;
		}
		plain[k].val = want;
	}
	is_int(bad, 0, "%d random puts and finds", ROUNDS);
	is_uint(m.n, n, "as many keys as the array");
	ok(n > 300, "%zu distinct keys", n);
	map_fini(&m);
}

static void test_many(void)
{
	struct map m = {0};
	int bad = 0;

	map_reserve(&m, 10);
	for (uint32_t i = 0; i < 200000; i++)
		map_put(&m, (uint64_t)i << 32, i % 7, i);
	for (uint32_t i = 0; i < 200000; i++)
		bad += map_find(&m, (uint64_t)i << 32, i % 7) != i ||
		       map_find(&m, (uint64_t)i << 32, 7) != MAP_NONE;
	is_int(bad, 0, "200000 keys that differ in high bits only");
	ok(m.cap >= 2 * m.n, "never more than half full");
	map_fini(&m);
}

static void test_hash(void)
{
	static const char text[] = "0123456789abcdef";
	bool differ = true;

	for (size_t n = 0; n < 16; n++)
		differ = differ && map_hash_bytes(text, n) != map_hash_bytes(text, n + 1);
	ok(differ, "each length has its own hash");
	is_uint(map_hash_bytes(text + 10, 0), map_hash_bytes(text, 0), "no bytes are no bytes");
	ok(map_hash_bytes("a\0", 2) != map_hash_bytes("a", 1), "a NUL counts");
}

int main(void)
{
	test_basics();
	test_random();
	test_many();
	test_hash();
	return done_testing();
}

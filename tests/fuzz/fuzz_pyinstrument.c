/* fuzz_pyinstrument.c - what is this file, facts of a run, and pyinstrument's trees */
#include "load/identify.h"
#include "session/run_facts.h"
#include "tests/fuzz/fuzz.h"

static void check_identity(const uint8_t *data, size_t size)
{
	char path[FUZZ_PATH_MAX];
	struct err e = ERR_INIT;
	struct identity id;

	fuzz_file(data, size, path);
	fuzz_hold(loader_identify(path, &id, &e), "%s", e.text);
	fuzz_hold(id.what && (size || id.empty), "a file that is nothing");
	fuzz_file_close(path);
}

static void check_facts(const uint8_t *data, size_t size)
{
	struct session *s = session_new();
	char path[FUZZ_PATH_MAX];
	struct err e = ERR_INIT;

	fuzz_file(data, size, path);
	if (!run_facts_read(s, path, &e))
		fuzz_hold(e.text[0] && e.offset >= -1 && e.offset <= (int64_t)size, "fails without a reason, or at byte %lld of %zu",
			(long long)e.offset, size);
	fuzz_file_close(path);
	session_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p;

	check_identity(data, size);
	check_facts(data, size);
	if (fuzz_load(&loader_pyinstrument, data, size, &p))
		fuzz_check_views(p, size);
	else
		profile_unref(p);
	return 0;
}

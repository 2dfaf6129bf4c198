/* cjson.c - cJSON: the whole text as a tree. */
#include <cjson/cJSON.h>

#include "peer.h"

static void take(struct peer_event *e, const cJSON *v)
{
	enum peer_field f = peer_field_of(v->string, strlen(v->string));
	const cJSON *a;

	if (f == PF_ARGS) {
		cJSON_ArrayForEach(a, v)
			if (peer_is_corr(a->string, strlen(a->string)) && cJSON_IsNumber(a))
				e->corr = (int64_t)a->valuedouble;
	} else if (f && cJSON_IsString(v)) {
		peer_string(e, f, v->valuestring, strlen(v->valuestring));
	} else if (f && cJSON_IsNumber(v)) {
		peer_double(e, f, v->valuedouble);
	}
}

int main(int argc, char **argv)
{
	double since = peer_now();
	struct peer_sums s = { 0 };
	const cJSON *event, *v;
	size_t n;
	char *text = argc == 2 ? peer_slurp(argv[1], 0, &n) : NULL;
	cJSON *root = text ? cJSON_ParseWithLength(text, n) : NULL;

	if (!root)
		peer_die("cjson: no JSON");
	cJSON_ArrayForEach(event, cJSON_GetObjectItemCaseSensitive(root, "traceEvents")) {
		struct peer_event e = { 0 };

		cJSON_ArrayForEach(v, event)
			take(&e, v);
		peer_add(&s, &e);
	}
	peer_report("cJSON", cJSON_Version(), "tree", since, &s);
	return 0;
}

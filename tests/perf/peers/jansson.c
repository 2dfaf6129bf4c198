/* jansson.c - Jansson: the whole text as a tree. */
#include <jansson.h>

#include "peer.h"

static void take(struct peer_event *e, const char *key, json_t *v)
{
	enum peer_field f = peer_field_of(key, strlen(key));

	if (f == PF_ARGS)
		e->corr = json_integer_value(json_object_get(v, "correlation"));
	else if (f && json_is_string(v))
		peer_string(e, f, json_string_value(v), json_string_length(v));
	else if (f && json_is_integer(v))
		peer_integer(e, f, json_integer_value(v));
	else if (f && json_is_real(v))
		peer_double(e, f, json_real_value(v));
}

int main(int argc, char **argv)
{
	double since = peer_now();
	struct peer_sums s = { 0 };
	json_error_t err;
	const char *key;
	json_t *event, *v, *root;
	size_t n = 0, i;
	char *text = argc == 2 ? peer_slurp(argv[1], 0, &n) : NULL;

	if (!text || !(root = json_loadb(text, n, 0, &err)))
		peer_die("jansson: no JSON");
	json_array_foreach(json_object_get(root, "traceEvents"), i, event) {
		struct peer_event e = { 0 };

		json_object_foreach(event, key, v)
			take(&e, key, v);
		peer_add(&s, &e);
	}
	peer_report("Jansson", JANSSON_VERSION, "tree", since, &s);
	return 0;
}

/*
 * simdjson.cpp - simdjson: On-Demand over the whole file, or with "dom" a tree.
 *
 * The library picks the implementation of its first stage at run time, the walk of On-Demand is compiled here, for one (-march): both
 * are printed.
 */
#include <simdjson.h>

#include "peer.h"

using namespace simdjson;

static void args(peer_event *e, ondemand::value v)
{
	ondemand::object o;
	int64_t i;

	if (v.get_object().get(o))
		return;
	for (auto f : o) {
		std::string_view key;

		if (!f.unescaped_key().get(key) && peer_is_corr(key.data(), key.size()) && !f.value().get_int64().get(i))
			e->corr = i;
	}
}

static void take(peer_event *e, peer_field f, ondemand::value v)
{
	std::string_view s;
	int64_t i;
	double d;

	if (f == PF_ARGS)
		args(e, v);
	else if (f == PF_TS || f == PF_DUR) {
		if (!v.get_double().get(d))
			peer_double(e, f, d);
	} else if (f == PF_PID || f == PF_TID) {
		if (!v.get_int64().get(i))
			peer_integer(e, f, i);
	} else if (!v.get_string().get(s))
		peer_string(e, f, s.data(), s.size());
}

static void on_demand(const padded_string &text, peer_sums *sums)
{
	ondemand::parser p;
	ondemand::document d;

	if (p.iterate(text).get(d))
		peer_die("simdjson: no JSON");
	for (auto event : d["traceEvents"].get_array()) {
		peer_event e{};

		for (auto m : event.get_object()) {
			std::string_view key = m.unescaped_key();
			peer_field f = peer_field_of(key.data(), key.size());

			if (f)
				take(&e, f, m.value());
		}
		peer_add(sums, &e);
	}
}

static void tree(const padded_string &text, peer_sums *sums)
{
	dom::parser p;
	dom::element root;

	if (p.parse(text).get(root))
		peer_die("simdjson: no JSON");
	for (dom::object event : root["traceEvents"].get_array()) {
		peer_event e{};

		for (auto m : event) {
			peer_field f = peer_field_of(m.key.data(), m.key.size());
			std::string_view s;
			int64_t i;
			double d;

			if (f == PF_ARGS && !m.value["correlation"].get(i))
				e.corr = i;
			else if (f && !m.value.get(s))
				peer_string(&e, f, s.data(), s.size());
			else if (f && !m.value.get(i))
				peer_integer(&e, f, i);
			else if (f && !m.value.get(d))
				peer_double(&e, f, d);
		}
		peer_add(sums, &e);
	}
}

int main(int argc, char **argv)
{
	double since = peer_now();
	bool dom = argc == 3 && strcmp(argv[1], "dom") == 0;
	peer_sums sums{};
	padded_string text;
	std::string impl;

	if (padded_string::load(argv[argc - 1]).get(text))
		peer_die("simdjson: cannot read the file");
	try {
		if (dom)
			tree(text, &sums);
		else
			on_demand(text, &sums);
	} catch (const simdjson_error &err) {
		peer_die(err.what());
	}
	impl = "stage1:" + get_active_implementation()->name();
	if (!dom)
		impl += ",walk:" SIMDJSON_STRINGIFY(SIMDJSON_BUILTIN_IMPLEMENTATION);
	peer_report(dom ? "simdjson-DOM" : "simdjson-On-Demand", SIMDJSON_STRINGIFY(SIMDJSON_VERSION), impl.c_str(), since, &sums);
	return 0;
}

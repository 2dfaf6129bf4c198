/* rapidjson.cpp - RapidJSON: callbacks in place (the fastest way it has), or with "dom" a tree in place. */
#include <rapidjson/document.h>
#include <rapidjson/reader.h>

#include "peer.h"

using namespace rapidjson;

#if defined(RAPIDJSON_SSE42)
static const char simd[] = "SSE4.2";
#elif defined(RAPIDJSON_SSE2)
static const char simd[] = "SSE2";
#elif defined(RAPIDJSON_NEON)
static const char simd[] = "NEON";
#else
static const char simd[] = "scalar";
#endif

struct Handler : BaseReaderHandler<UTF8<>, Handler> {
	peer_sums sums{};
	peer_event e{};
	int depth = 0;
	bool events_key = false, in_events = false, corr = false;
	peer_field field = PF_NONE;
	enum { ROOT = 1, EVENT = 3, ARGS = 4 };

	bool open()
	{
		if (++depth == EVENT)
			e = peer_event{};
		else if (depth == EVENT - 1)
			in_events = events_key;
		return true;
	}
	bool close()
	{
		if (depth-- == EVENT && in_events)
			peer_add(&sums, &e);
		return true;
	}
	bool StartObject() { return open(); }
	bool EndObject(SizeType) { return close(); }
	bool StartArray() { return open(); }
	bool EndArray(SizeType) { return close(); }
	bool Key(const char *s, SizeType n, bool)
	{
		if (depth == EVENT)
			field = peer_field_of(s, n);
		else if (depth == ARGS)
			corr = field == PF_ARGS && peer_is_corr(s, n);
		else if (depth == ROOT)
			events_key = n == 11 && memcmp(s, "traceEvents", 11) == 0;
		return true;
	}
	bool String(const char *s, SizeType n, bool)
	{
		if (field && depth == EVENT && in_events)
			peer_string(&e, field, s, n);
		return true;
	}
	bool Double(double d)
	{
		if (field && depth == EVENT && in_events)
			peer_double(&e, field, d);
		return true;
	}
	bool Int64(int64_t v)
	{
		if (!in_events)
			return true;
		if (field && depth == EVENT)
			peer_integer(&e, field, v);
		else if (corr && depth == ARGS)
			e.corr = v;
		return true;
	}
	bool Int(int v) { return Int64(v); }
	bool Uint(unsigned v) { return Int64(v); }
	bool Uint64(uint64_t v) { return Int64((int64_t)v); }
};

static void take(peer_event *e, const Value::Member &m)
{
	peer_field f = peer_field_of(m.name.GetString(), m.name.GetStringLength());

	if (f == PF_ARGS && m.value.IsObject()) {
		auto c = m.value.FindMember("correlation");

		if (c != m.value.MemberEnd() && c->value.IsInt64())
			e->corr = c->value.GetInt64();
	} else if (f && m.value.IsString()) {
		peer_string(e, f, m.value.GetString(), m.value.GetStringLength());
	} else if (f && m.value.IsInt64()) {
		peer_integer(e, f, m.value.GetInt64());
	} else if (f && m.value.IsNumber()) {
		peer_double(e, f, m.value.GetDouble());
	}
}

static void tree(char *text, peer_sums *sums)
{
	Document d;

	if (d.ParseInsitu(text).HasParseError())
		peer_die("rapidjson: no JSON");
	for (auto &event : d["traceEvents"].GetArray()) {
		peer_event e{};

		for (auto &m : event.GetObject())
			take(&e, m);
		peer_add(sums, &e);
	}
}

int main(int argc, char **argv)
{
	double since = peer_now();
	bool dom = argc == 3 && strcmp(argv[1], "dom") == 0;
	Handler h;
	Reader r;
	size_t n;
	char *text = peer_slurp(argv[argc - 1], 16, &n), impl[32];

	if (dom) {
		tree(text, &h.sums);
	} else {
		InsituStringStream in(text);

		if (r.Parse<kParseInsituFlag | kParseStopWhenDoneFlag>(in, h).IsError())
			peer_die("rapidjson: no JSON");
	}
	snprintf(impl, sizeof(impl), "%s,%s", dom ? "tree" : "SAX-in-place", simd);
	peer_report(dom ? "RapidJSON-DOM" : "RapidJSON", RAPIDJSON_VERSION_STRING, impl, since, &h.sums);
	return 0;
}

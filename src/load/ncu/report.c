/* report.c - the container of a report, see report.h */
#include "load/ncu/report.h"

#include <string.h>

#include "base/fileio.h"
#include "base/i18n.h"
#include "base/text.h"
#include "load/read/file_damage.h"
#include "load/read/head.h"

enum { MAGIC_BYTES = 4, PIECE = 1 << 16 };

/* Field numbers. */
enum { HEADER_SOURCES = 1, HEADER_RESULTS = 2, HEADER_SESSION = 3, HEADER_STRINGS = 4, HEADER_PAYLOAD = 5, HEADER_PROCESS = 6 };
enum { SESSION_VERSION = 8, SESSION_COMMAND = 11 };

struct report_reader {
	struct report r;
	struct load_ctx *lx;
	struct file_src *src;
	struct err *e;
	unsigned char *buf;	/* what was read last */
	size_t cap;
	int64_t at, told;	/* offset in the (inflated) file; the part of it that the job knows of */
	bool gz, failed;	/* failed: *e is set */
	bool tool_known;
};

/* ---- bytes -------------------------------------------------------------------------------- */

static void tell_job(struct report_reader *rd)
{
	int64_t done = file_src_done(rd->src);

	if (rd->lx->job && done > rd->told)
		job_add(rd->lx->job, (uint64_t)(done - rd->told), 0);
	rd->told = done > rd->told ? done : rd->told;
	if (job_cancelled(rd->lx->job) && !rd->failed)
		rd->failed = !err_set(rd->e, ERR_CANCELLED, "cancelled");
}

/* The next n bytes into the buffer, which grows only as they come. How many there were. */
static size_t take(struct report_reader *rd, uint64_t n)
{
	size_t have = 0, got = 1;

	while (have < n && got && !rd->failed) {
		size_t want = n - have < PIECE ? (size_t)(n - have) : have < PIECE ? PIECE : n - have < have ? (size_t)(n - have) : have;

		if (have + want > rd->cap) {
			rd->cap = have + want;
			rd->buf = xrealloc(rd->buf, rd->cap);
		}
		if (!file_src_read(rd->src, rd->buf + have, want, &got, rd->e))
			rd->failed = true;
		else
			have += got;
		tell_job(rd);
	}
	rd->at += (int64_t)have;
	return have;
}

/* Past n bytes, unread where the file allows it. How many there were. */
static uint64_t skip(struct report_reader *rd, uint64_t n)
{
	uint64_t left = n;
	int64_t size = file_src_size(rd->src);

	if (!rd->gz && size > 0) {
		left = (uint64_t)(size > rd->at ? size - rd->at : 0);
		left = n < left ? n : left;
		rd->at += (int64_t)left;
		file_src_seek(rd->src, rd->at);
		return left;
	}
	while (left && !rd->failed) {
		size_t got = take(rd, left < PIECE ? left : PIECE);

		if (!got)
			break;
		left -= got;
	}
	return n - left;
}

/* ---- headers of blocks -------------------------------------------------------------------- */

struct block {
	uint64_t sources, results, payload;
	int64_t at;		/* of the block */
	struct msg rest;	/* of the header, where it is no field */
};

/* {1 provider, 2 version}: the tool's own becomes the version of the source, the others options. */
static void read_version(struct report_reader *rd, struct msg in)
{
	struct msg who = msg_bytes(in, 1), what = msg_bytes(in, 2);
	const char *name = (const char *)who.p;
	char version[64];

	if (!msg_len(what) || msg_len(what) >= sizeof(version))
		return;
	memcpy(version, what.p, msg_len(what));
	version[msg_len(what)] = '\0';
	if (text_starts(name, msg_len(who), "Nsight Compute") && !rd->tool_known) {
		rd->tool_known = true;
		builder_set_producer(rd->r.b, "Nsight Compute", version);
	} else if (text_starts(name, msg_len(who), "CUDA Version")) {
		builder_option(rd->r.b, "cuda", version);
	} else if (text_starts(name, msg_len(who), "Display Driver")) {
		builder_option(rd->r.b, "driver", version);
	}
}

/* Host names, addresses, paths and environments of the session stay where they are. */
static void read_session(struct report_reader *rd, struct msg in)
{
	struct msg_field f;

	while (msg_next(&in, &f)) {
		if (f.wire == WIRE_BYTES && f.number == SESSION_VERSION)
			read_version(rd, f.in);
		else if (f.wire == WIRE_BYTES && f.number == SESSION_COMMAND && msg_len(f.in))
			builder_option_command(rd->r.b, "command", CMDLINE_PLAIN, (const char *)f.in.p, msg_len(f.in));
	}
}

static void read_strings(struct report_reader *rd, struct msg in)
{
	struct msg_field f;

	while (msg_next(&in, &f))
		if (f.wire == WIRE_BYTES && f.number == 1)
			VEC_PUSH(&rd->r.names, builder_intern(rd->r.b, (const char *)f.in.p, msg_len(f.in)));
}

static void read_header(struct report_reader *rd, struct msg in, struct block *k, bool survey)
{
	struct msg_field f;

	uint64_t pid;

	rd->r.pid = -1;
	while (msg_next(&in, &f)) {
		if (f.wire == WIRE_VARINT) {
			if (f.number == HEADER_SOURCES)
				k->sources = f.v;
			else if (f.number == HEADER_RESULTS)
				k->results = f.v;
			else if (f.number == HEADER_PAYLOAD)
				k->payload = f.v;
		} else if (f.wire == WIRE_BYTES) {
			if (f.number == HEADER_STRINGS && survey)
				read_strings(rd, f.in);
			else if (f.number == HEADER_SESSION && survey)
				read_session(rd, f.in);
			else if (f.number == HEADER_PROCESS && (pid = msg_number(f.in, 1, UINT64_MAX)) <= UINT32_MAX)
				rd->r.pid = (int64_t)pid;
		}
	}
	k->rest = in;
}

/* False: there is no block more, or none that can be read. `survey`: the first pass, which tells of damage of headers. */
static bool next_block(struct report_reader *rd, struct block *k, bool survey)
{
	size_t got;
	uint32_t n;

	*k = (struct block){ .at = rd->at };
	got = take(rd, 4);
	if (got < 4) {
		if (got && survey)
			builder_damage(rd->r.b, N_("the report ends inside a block"), k->at, 1);
		return false;
	}
	n = msg_u32(rd->buf);
	got = take(rd, n);
	read_header(rd, (struct msg){ rd->buf, rd->buf + got }, k, survey);
	if (got < n) {
		if (survey)
			builder_damage(rd->r.b, N_("the report ends inside a block"), k->at, 1);
		return false;
	}
	if (k->rest.p != k->rest.end && survey)
		builder_damage(rd->r.b, N_("headers of blocks that can be read in part only"), k->at + 4 + (k->rest.p - rd->buf), 1);
	return !rd->failed;
}

/* ---- entries ------------------------------------------------------------------------------ */

static bool read_result(struct report_reader *rd, uint32_t n, uint64_t *left)
{
	int64_t at = rd->at;
	size_t got = take(rd, n < *left ? n : *left);

	*left -= got;
	rd->r.entry = (struct msg){ rd->buf, rd->buf + got };
	rd->r.entry_at = at;
	rd->r.cut = got < n;
	if (got && !rd->failed && !report_result(&rd->r, rd->r.entry))
		builder_damage(rd->r.b, N_("results that say nothing of a launch"), at, 1);
	if (got < n && !rd->failed)
		builder_damage(rd->r.b, N_("results that are cut short"), at, 1);
	return got == n;
}

/* The entries of a block, as far as they go. False: the file ends among them. */
static bool read_entries(struct report_reader *rd, const struct block *k)
{
	uint64_t left = k->payload, i;
	bool cut = false;

	for (i = 0; left >= 4 && !rd->failed; i++) {
		int64_t at = rd->at;
		size_t got = take(rd, 4);
		uint32_t n;

		left -= got;
		if (got < 4)
			break;
		n = msg_u32(rd->buf);
		if (i >= k->sources && i - k->sources < k->results) {
			cut = !read_result(rd, n, &left);
			if (cut)
				break;
			continue;
		}
		if (n > left) {
			builder_damage(rd->r.b, N_("entries that are longer than their block"), at, 1);
			break;
		}
		if (skip(rd, n) < n)
			break;
		left -= n;
	}
	if (cut)
		return skip(rd, left) == left && !rd->failed;
	if (skip(rd, left) < left) {
		builder_damage(rd->r.b, N_("the report ends inside a block"), rd->at, 1);
		return false;
	}
	if (i < UINT32_MAX && (k->sources > i || k->results > i - k->sources) && !rd->failed)
		builder_damage(rd->r.b, N_("blocks that announce more entries than they hold"), k->at, 1);
	return !rd->failed;
}

/* ---- the file ----------------------------------------------------------------------------- */

static bool begin(struct report_reader *rd)
{
	size_t got = take(rd, MAGIC_BYTES + 4);
	uint32_t n;

	if (rd->failed)
		return false;
	if (got < MAGIC_BYTES + 4 || memcmp(rd->buf, "NVR", MAGIC_BYTES) != 0) {
		rd->failed = !err_set(rd->e, ERR_FORMAT, _("not an Nsight Compute report"));
		return false;
	}
	n = msg_u32(rd->buf + MAGIC_BYTES);
	if (skip(rd, n) < n)
		builder_damage(rd->r.b, N_("the report ends inside its header"), MAGIC_BYTES, 1);
	return !rd->failed;
}

/* Twice over all blocks: for the strings and the session, which may stand behind what refers to them; then for the results. */
static bool read_blocks(struct report_reader *rd)
{
	int64_t first = rd->at;
	struct block k;

	while (next_block(rd, &k, true))
		if (skip(rd, k.payload) < k.payload)
			break;
	if (rd->failed || !file_src_rewind(rd->src, rd->e))
		return false;
	rd->at = 0;
	skip(rd, (uint64_t)first);
	while (!rd->failed && next_block(rd, &k, false) && read_entries(rd, &k))
		;
	return !rd->failed;
}

static bool load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct report_reader rd = { .r.b = lx->builder, .lx = lx, .e = e };
	bool ok;

	rd.src = file_src_open(path, e);
	if (!rd.src)
		return false;
	rd.gz = file_src_gz(rd.src);
	builder_set_bytes(lx->builder, file_src_size(rd.src));
	if (lx->job)
		atomic_store(&lx->job->total, (uint64_t)file_src_size(rd.src));
	builder_set_format(lx->builder, FORMAT_NCU_REPORT);
	builder_set_producer(lx->builder, "Nsight Compute", NULL);
	ok = begin(&rd) && read_blocks(&rd);
	if (ok) {
		builder_content(lx->builder, "launches", 8, rd.r.launches);
		if (!rd.r.launches)
			builder_note(lx->builder, "%s", _("the report holds no profiled kernel"));
		file_damage_tell(lx->builder, rd.src);
	}
	file_src_close(rd.src);
	VEC_FREE(&rd.r.names);
	free(rd.buf);
	return ok;
}

static int probe(const struct probe *p)
{
	return head_starts(p, "NVR\0", MAGIC_BYTES) ? 100 : 0;
}

const struct loader loader_ncu_rep = {
	.name = "ncu-rep",
	.what = N_("an Nsight Compute report (.ncu-rep)"),
	.probe = probe,
	.load = load,
};

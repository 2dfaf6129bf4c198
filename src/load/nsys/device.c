/*
 * device.c - which board a device number of the events means, see nsys.h
 *
 * A deviceId is the CUDA ordinal inside its process. From 2025.1 TARGET_INFO_CUDA_DEVICE maps it to
 * a board; before that it is a guess: the driver's ordinal, else the profiler's own index, else the
 * only board.
 */
#include <inttypes.h>
#include <string.h>

#include "base/i18n.h"
#include "load/nsys/nsys.h"

#define COL_ID(prefix, name)   prefix##_##name,
#define COL_NAME(prefix, name) #name,
#define BOARDS_MAX	       256

struct board {
	int64_t id, cu_device, sm_count, bytes_per_s, mem_bytes, capability;
	str_id name;
};
struct ordinal {
	int64_t pid, cuda_id, board_id;
};
struct boards {
	VEC(struct board) list;
	VEC(struct ordinal) ordinals;
	bool cu_device_usable; /* distinct on every board */
	bool mixed;	       /* more than one model */
};

/* clang-format off */
/*
 * TARGET_INFO_GPU, its thin form of early 2021 (deviceId instead of id), and TARGET_INFO_CUDA_GPU
 * of 2020
 */
/* clang-format off */
#define BOARD_COLS(C) \
	C(BOARD, id) C(BOARD, deviceId) C(BOARD, cuDevice) C(BOARD, name) C(BOARD, smCount) \
	C(BOARD, numMultiprocessors) C(BOARD, memoryBandwidth) C(BOARD, globalMemoryBandwidth) \
	C(BOARD, totalMemory) C(BOARD, globalMemorySize) C(BOARD, computeMajor) \
	C(BOARD, computeMinor) \
	C(BOARD, computeCapabilityMajor) C(BOARD, computeCapabilityMinor)
#define ORDINAL_COLS(C) C(ORDINAL, gpuId) C(ORDINAL, cudaId) C(ORDINAL, pid)
/* clang-format on */

enum { BOARD_COLS(COL_ID) BOARD_N };
enum { ORDINAL_COLS(COL_ID) ORDINAL_N };

static const char *const board_cols[] = { BOARD_COLS(COL_NAME) };
static const char *const ordinal_cols[] = { ORDINAL_COLS(COL_NAME) };
/* clang-format on */

static int64_t positive(struct nsys_scan *s, unsigned col, int64_t otherwise)
{
	int64_t v = nsys_int_or(s, col, 0);

	return v > 0 ? v : otherwise;
}

/*
 * TARGET_INFO_CUDA_GPU gives its bandwidth in kB/s: below 2e10 that is a board, in bytes it would
 * be none.
 */
static struct board read_board(struct nsys_ctx *cx, struct nsys_scan *s)
{
	struct board d = {
		.id = nsys_int_or(s, BOARD_id, nsys_int_or(s, BOARD_deviceId, -1)),
		.cu_device = nsys_int_or(s, BOARD_cuDevice, -1),
		.sm_count = positive(s, BOARD_smCount, positive(s, BOARD_numMultiprocessors, 0)),
		.bytes_per_s = positive(s, BOARD_memoryBandwidth, 0),
		.mem_bytes = positive(s, BOARD_totalMemory, positive(s, BOARD_globalMemorySize, 0)),
		.capability = 10 * positive(s, BOARD_computeMajor, positive(s, BOARD_computeCapabilityMajor, 0)) +
			      positive(s, BOARD_computeMinor, positive(s, BOARD_computeCapabilityMinor, 0)),
		.name = ID_NONE};
	int64_t old = positive(s, BOARD_globalMemoryBandwidth, 0);
	const char *name;
	size_t n;

	if (!d.bytes_per_s)
		d.bytes_per_s = old < INT64_C(20000000000) ? old * 1000 : old;
	if (nsys_text(s, BOARD_name, &name, &n))
		d.name = builder_intern(cx->b, name, n);
	return d;
}

static void read_boards(struct nsys_ctx *cx, const char *table, struct boards *bs)
{
	struct nsys_scan *s = NULL;

	if (nsys_db_has(cx->db, table, NULL))
		s = nsys_scan_open(cx->db, table, board_cols, BOARD_N, NULL, 0, NULL);
	while (s && bs->list.n < BOARDS_MAX && nsys_scan_step(s) == NSYS_ROW) {
		struct board d = read_board(cx, s);

		if (d.id >= 0)
			VEC_PUSH(&bs->list, d);
	}
	nsys_scan_close(s);
}

/* Display adapters of other makers are listed with zeros. */
static void drop_adapters(struct boards *bs)
{
	size_t kept = 0, real = 0;

	for (size_t i = 0; i < bs->list.n; i++)
		real += bs->list.a[i].sm_count > 0;
	for (size_t i = 0; i < bs->list.n; i++)
		if (!real || bs->list.a[i].sm_count > 0)
			bs->list.a[kept++] = bs->list.a[i];
	bs->list.n = kept;
}

static void judge_boards(struct boards *bs)
{
	bs->cu_device_usable = bs->list.n > 0;
	for (size_t i = 0; i < bs->list.n; i++) {
		const struct board *d = &bs->list.a[i];

		bs->mixed |= d->name != bs->list.a[0].name;
		bs->cu_device_usable &= d->cu_device >= 0;
		for (size_t k = 0; k < i; k++)
			bs->cu_device_usable &= d->cu_device != bs->list.a[k].cu_device;
	}
}

static void read_ordinals(struct nsys_ctx *cx, struct boards *bs)
{
	static const char table[] = "TARGET_INFO_CUDA_DEVICE";
	struct nsys_scan *s = NULL;

	if (nsys_db_has(cx->db, table, NULL))
		s = nsys_scan_open(cx->db, table, ordinal_cols, ORDINAL_N, NULL, 0, NULL);
	while (s && nsys_scan_step(s) == NSYS_ROW) {
		struct ordinal o = {nsys_int_or(s, ORDINAL_pid, -1),
				    nsys_int_or(s, ORDINAL_cudaId, -1),
				    nsys_int_or(s, ORDINAL_gpuId, -1)};

		if (o.cuda_id >= 0 && o.board_id >= 0)
			VEC_PUSH(&bs->ordinals, o);
	}
	nsys_scan_close(s);
}

static const struct board *board_by(const struct boards *bs, size_t member, int64_t value)
{
	for (size_t i = 0; i < bs->list.n; i++) {
		int64_t v;

		memcpy(&v, (const char *)&bs->list.a[i] + member, sizeof(v));
		if (v == value)
			return &bs->list.a[i];
	}
	return NULL;
}

static const struct board *board_of(const struct boards *bs, const struct nsys_device_use *u,
				    bool *guess)
{
	const struct board *d = NULL;

	*guess = false;
	for (size_t i = 0; i < bs->ordinals.n && !d; i++)
		if (bs->ordinals.a[i].pid == u->pid && bs->ordinals.a[i].cuda_id == u->device)
			d = board_by(bs, offsetof(struct board, id), bs->ordinals.a[i].board_id);
	if (d)
		return d;
	*guess = bs->mixed;
	if (bs->cu_device_usable)
		d = board_by(bs, offsetof(struct board, cu_device), u->device);
	if (!d && !bs->cu_device_usable)
		d = board_by(bs, offsetof(struct board, id), u->device);
	if (!d && bs->list.n == 1)
		d = &bs->list.a[0];
	return d;
}

static void tell_board(struct nsys_ctx *cx, int64_t device, const struct board *d)
{
	size_t n;

	builder_device(cx->b, device,
		       d && d->name != ID_NONE ? builder_str(cx->b, d->name, &n) : NULL,
		       d ? d->sm_count : 0, d ? d->bytes_per_s : 0);
	if (d)
		builder_device_more(cx->b, device, d->capability, d->mem_bytes, d->id);
}

/*
 * One number can be two boards, when each process sees only its own: the first keeps the row, a
 * note tells.
 */
static void tell_used(struct nsys_ctx *cx, const struct boards *bs)
{
	bool guessed = false;

	for (size_t i = 0; i < cx->devices.n; i++) {
		const struct nsys_device_use *u = &cx->devices.a[i];
		const struct board *d, *first = NULL;
		bool guess, unused;
		size_t k = 0;

		d = board_of(bs, u, &guess);
		guessed |= guess && d;
		while (cx->devices.a[k].device != u->device)
			k++;
		if (k == i) {
			tell_board(cx, u->device, d);
			continue;
		}
		first = board_of(bs, &cx->devices.a[k], &unused);
		if (first == d)
			continue;
		if (first)
			builder_device_more(cx->b, u->device, first->capability, first->mem_bytes, -1);
		builder_note(cx->b,
			     _("device %" PRId64 " of process %" PRId64
			       " is another board than device "
			       "%" PRId64 " of process %" PRId64),
			     u->device, u->pid, u->device, cx->devices.a[k].pid);
	}
	if (guessed)
		builder_note(cx->b, _("which board a device number means is a guess: the boards "
				      "differ and the file "
				      "has no map"));
}

static void tell_listed(struct nsys_ctx *cx, const struct boards *bs)
{
	for (size_t i = 0; i < bs->list.n; i++)
		tell_board(cx, bs->cu_device_usable ? bs->list.a[i].cu_device : bs->list.a[i].id,
			   &bs->list.a[i]);
}

void nsys_read_devices(struct nsys_ctx *cx)
{
	struct boards bs = {0};

	read_boards(cx, "TARGET_INFO_CUDA_GPU", &bs);
	if (!bs.list.n)
		read_boards(cx, "TARGET_INFO_GPU", &bs);
	drop_adapters(&bs);
	judge_boards(&bs);
	read_ordinals(cx, &bs);
	if (cx->devices.n)
		tell_used(cx, &bs);
	else
		tell_listed(cx, &bs);
	VEC_FREE(&bs.list);
	VEC_FREE(&bs.ordinals);
}

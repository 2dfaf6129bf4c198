/*
 * nsys_pages.c - rows from the pages of an SQLite file, see nsys_pages.h
 *
 * What is checked of a page are the library's own checks (with cell_size_check on), so that a row is handed out here only if the library
 * hands it out, too.
 */
#include "load/nsys_pages.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guard.h"

#define HEADER 100
#define PAYLOAD_MAX (1u << 26)
#define LEAF 0x0d
#define INTERIOR 0x05

static uint32_t be16(const unsigned char *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* What is behind it; at most 9 bytes. */
static const unsigned char *varint(const unsigned char *p, uint64_t *v)
{
	uint64_t x = 0;

	for (unsigned i = 0; i < 8; i++) {
		x = x << 7 | (p[i] & 0x7f);
		if (p[i] < 0x80) {
			*v = x;
			return p + i + 1;
		}
	}
	*v = x << 8 | p[8];
	return p + 9;
}

/* ---- the file ---- */

static bool read_header(struct pages *f)
{
	const unsigned char *h = f->map;

	f->size = be16(h + 16) == 1 ? 65536 : be16(h + 16);
	f->usable = f->size - h[20];
	if (memcmp(h, "SQLite format 3", 16) != 0 || f->size < 512 || (f->size & (f->size - 1)) || f->usable < 480)
		return false;
	/* no WAL; the fractions that all files have; the size is valid; UTF-8 */
	if (h[18] != 1 || h[19] != 1 || h[21] != 64 || h[22] != 32 || h[23] != 32 || be32(h + 24) != be32(h + 92) || be32(h + 56) != 1)
		return false;
	f->count = be32(h + 28);
	return f->count && (uint64_t)f->count * f->size == f->n;
}

bool pages_open(struct pages *f, const char *path)
{
	struct stat st;

	*f = (struct pages){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (f->fd < 0)
		return false;
	if (fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= 512) {
		f->n = (size_t)st.st_size;
		f->map = (const unsigned char *)guard_map(f->fd, f->n, 64);
	}
	if (f->map && read_header(f))
		return true;
	pages_close(f);
	return false;
}

void pages_close(struct pages *f)
{
	guard_unmap((const char *)f->map, f->n, 64);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct pages){ .fd = -1 };
}

/* ---- the tree ---- */

/* Bytes of a payload that lie in the page. */
static uint32_t local_bytes(const struct pages *f, uint64_t payload)
{
	uint32_t max = f->usable - 35, min = (f->usable - 12) * 32 / 255 - 23, k;

	if (payload <= max)
		return (uint32_t)payload;
	k = min + (uint32_t)((payload - min) % (f->usable - 4));
	return k <= max ? k : min;
}

/* Bytes of the cell, 0 if it goes beyond `end`. */
static uint32_t cell_bytes(const struct pages *f, const unsigned char *cell, const unsigned char *end, bool leaf)
{
	const unsigned char *p = leaf ? cell : cell + 4;
	uint64_t payload = 0, rowid, n;

	/* a varint may be looked at behind the page: there is more of the file, or zeros */
	if (leaf)
		p = varint(p, &payload);
	p = varint(p, &rowid);
	if (payload > PAYLOAD_MAX)
		return 0;
	n = (uint64_t)(p - cell);
	if (leaf)
		n += local_bytes(f, payload) + (payload > f->usable - 35 ? 4 : 0);
	n = n < 4 ? 4 : n;
	return n <= (uint64_t)(end - cell) ? (uint32_t)n : 0;
}

/* Enters a page whose cells all lie where they must. */
static bool enter(struct pages_rows *r, uint32_t number)
{
	const struct pages *f = r->f;
	struct pages_level *l = &r->level[r->depth];
	const unsigned char *page, *h, *end;
	uint32_t first, last;
	bool leaf;

	if (r->depth == PAGES_DEPTH || !number || number > f->count || !r->pages_left--)
		return false;
	page = f->map + (uint64_t)(number - 1) * f->size;
	h = number == 1 ? page + HEADER : page;
	leaf = *h == LEAF;
	if (!leaf && (*h != INTERIOR || !be32(h + 8)))
		return false;
	*l = (struct pages_level){ .page = page, .cells = h + (leaf ? 8 : 12), .n = be16(h + 3), .right = leaf ? 0 : be32(h + 8) };
	/* an empty page is the root of an empty table, and nothing else */
	if (!l->n && (r->depth || !leaf))
		return false;
	first = (uint32_t)(l->cells - page) + 2 * l->n;
	last = f->usable - 4 - !leaf;
	end = page + f->usable;
	for (unsigned i = 0; i < l->n; i++) {
		uint32_t at = be16(l->cells + 2 * i);

		if (first > f->usable || at < first || at > last || !cell_bytes(f, page + at, end, leaf))
			return false;
	}
	r->depth++;
	return true;
}

/* Down to the next leaf; depth 0 at the end. */
static bool next_leaf(struct pages_rows *r)
{
	while (r->depth) {
		struct pages_level *l = &r->level[r->depth - 1];

		if (!l->right && l->next < l->n)
			return true;
		if (!l->right || l->next > l->n) {
			r->depth--;
			continue;
		}
		if (!enter(r, l->next < l->n ? be32(l->page + be16(l->cells + 2 * l->next)) : l->right))
			return false;
		l->next++;
	}
	return true;
}

bool pages_begin(struct pages_rows *r, const struct pages *f, uint32_t root)
{
	r->f = f;
	r->depth = 0;
	r->pages_left = f->count;
	return enter(r, root);
}

/* ---- records ---- */

static uint64_t value_bytes(uint64_t type)
{
	static const uint8_t bytes[12] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };

	return type < 12 ? bytes[type] : (type - 12) / 2;
}

/* The cells of a record of n bytes, all of which are wanted lie within the first `local`. False: odd. */
static bool read_record(struct pages_rows *r, const unsigned char *p, uint64_t n, uint32_t local)
{
	const unsigned char *h, *head_end, *body;
	uint64_t head, at, type;

	for (unsigned i = 0; i < r->n_want; i++)
		r->cell[i] = (struct pages_cell){ 0 };
	h = varint(p, &head);
	/* a record without columns is damage to the library */
	if (head > local || head < (uint64_t)(h - p) + (r->n_cols > 0))
		return false;
	head_end = p + head;
	body = p;
	at = head;
	for (unsigned c = 0; c < r->n_cols && h < head_end; c++) {
		if (*h < 0x80)
			type = *h++;
		else
			h = varint(h, &type);
		if (r->want[c] >= 0)
			r->cell[r->want[c]] = (struct pages_cell){ type, body + at };
		if (type == 10 || type == 11)
			return false;
		at += value_bytes(type);
		if (h > head_end || at > n || (r->want[c] >= 0 && at > local))
			return false;
	}
	return h < head_end || at == n;
}

enum pages_step pages_step(struct pages_rows *r)
{
	const struct pages_level *l;
	const unsigned char *p;
	uint64_t payload, rowid;

	if (!next_leaf(r))
		return PAGES_ODD;
	if (!r->depth)
		return PAGES_END;
	l = &r->level[r->depth - 1];
	p = l->page + be16(l->cells + 2 * l->next);
	p = varint(p, &payload);
	p = varint(p, &rowid);
	r->rowid = (int64_t)rowid;
	/* the file may be another one since the page was entered */
	if (payload > PAYLOAD_MAX || p + local_bytes(r->f, payload) > l->page + r->f->size)
		return PAGES_ODD;
	if (!read_record(r, p, payload, local_bytes(r->f, payload)))
		return PAGES_ODD;
	r->level[r->depth - 1].next++;
	return PAGES_ROW;
}

int64_t pages_int(const struct pages_cell *c)
{
	const unsigned char *p = c->p;
	uint64_t v = 0;
	unsigned n = (unsigned)value_bytes(c->type);

	if (c->type >= 8)
		return c->type == 9;
	if (!n)
		return 0;
	for (unsigned i = 0; i < n; i++)
		v = v << 8 | p[i];
	return (int64_t)(v << (64 - 8 * n)) >> (64 - 8 * n);
}

double pages_real(const struct pages_cell *c)
{
	uint64_t bits = 0;
	double d;

	for (unsigned i = 0; i < 8; i++)
		bits = bits << 8 | c->p[i];
	memcpy(&d, &bits, sizeof(d));
	return d;
}

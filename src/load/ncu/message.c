/* message.c - the wire format of protobuf, see message.h */
#include "load/ncu/message.h"

enum { VARINT_MAX = 10 };

static bool varint(const unsigned char **at, const unsigned char *end, uint64_t *v)
{
	const unsigned char *p = *at;

	*v = 0;
	for (unsigned i = 0; i < VARINT_MAX && p < end; i++) {
		*v |= (uint64_t)(*p & 0x7f) << 7 * i;
		if (!(*p++ & 0x80)) {
			*at = p;
			return true;
		}
	}
	return false;
}

static bool fixed(const unsigned char **at, const unsigned char *end, size_t n, uint64_t *v)
{
	if ((size_t)(end - *at) < n)
		return false;
	*v = 0;
	for (size_t i = 0; i < n; i++)
		*v |= (uint64_t)(*at)[i] << 8 * i;
	*at += n;
	return true;
}

bool msg_next(struct msg *m, struct msg_field *f)
{
	const unsigned char *p = m->p;
	uint64_t tag, n;

	*f = (struct msg_field){ 0 };
	if (p == m->end || !varint(&p, m->end, &tag) || !(tag >> 3) || tag >> 32)
		return false;
	f->number = (uint32_t)(tag >> 3);
	f->wire = tag & 7;
	switch (f->wire) {
	case WIRE_VARINT:
		if (!varint(&p, m->end, &f->v))
			return false;
		break;
	case WIRE_FIXED64:
	case WIRE_FIXED32:
		if (!fixed(&p, m->end, f->wire == WIRE_FIXED64 ? 8 : 4, &f->v))
			return false;
		break;
	case WIRE_BYTES:
		if (!varint(&p, m->end, &n) || n > (uint64_t)(m->end - p))
			return false;
		f->in = (struct msg){ p, p + n };
		p += n;
		break;
	default:
		return false;
	}
	m->p = p;
	return true;
}

bool msg_find(struct msg m, uint32_t number, struct msg_field *f)
{
	while (msg_next(&m, f))
		if (f->number == number)
			return true;
	return false;
}

uint64_t msg_number(struct msg m, uint32_t number, uint64_t otherwise)
{
	struct msg_field f;

	return msg_find(m, number, &f) && f.wire == WIRE_VARINT ? f.v : otherwise;
}

struct msg msg_bytes(struct msg m, uint32_t number)
{
	struct msg_field f;

	return msg_find(m, number, &f) && f.wire == WIRE_BYTES ? f.in : (struct msg){ m.end, m.end };
}

uint32_t msg_u32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

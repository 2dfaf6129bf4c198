/*
 * message.h - walks over the fields of one protobuf message in memory, without knowing its type.
 *
 * Only the wire format is used: a tag (number << 3 | wire type), then a varint (0), 8 bytes (1), 4 bytes (5), or a length and so
 * many bytes (2). Nothing outside [p, end) is read; a tag, number or length that does not fit ends the walk.
 */
#ifndef LOAD_NCU_MESSAGE_H
#define LOAD_NCU_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct msg {			/* also a string: any run of bytes of a message */
	const unsigned char *p, *end;
};
struct msg_field {
	uint32_t number, wire;	/* wire: WIRE_… */
	uint64_t v;		/* a varint, or the bits of 4 or 8 bytes */
	struct msg in;		/* WIRE_BYTES */
};
enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

static inline size_t msg_len(struct msg m)
{
	return (size_t)(m.end - m.p);
}

/*
 * The next field; m->p moves behind it. False at the end (m->p == m->end), and where the bytes are no field: then m->p stays at
 * them.
 */
bool msg_next(struct msg *m, struct msg_field *f);
/* The first field of that number; false: there is none before the end or the first damage. */
bool msg_find(struct msg m, uint32_t number, struct msg_field *f);
/* Its varint, `otherwise` if it is missing; its bytes, none if they are missing. */
uint64_t msg_number(struct msg m, uint32_t number, uint64_t otherwise);
struct msg msg_bytes(struct msg m, uint32_t number);
/* 4 bytes, little endian. */
uint32_t msg_u32(const unsigned char *p);

#endif

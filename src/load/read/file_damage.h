/*
 * file_damage.h - what was wrong with a file as the system and gzip gave it, told to the builder.
 */
#ifndef LOAD_READ_FILE_DAMAGE_H
#define LOAD_READ_FILE_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fileio.h"
#include "model/builder.h"

/*
 * To be called when the text of src was read to its end: counts the damage that file_src_damage()
 * tells, if any, and says how much of a file was read that became shorter or could not be read any
 * further.
 */
void file_damage_tell(struct builder *b, const struct file_src *src);

/*
 * For a file that a library reads by its path, and may open more than once: what stands there before
 * it is read, and whether it is still the same behind that. Offsets are unknown. A file that was
 * deleted meanwhile counts as unchanged: what is open stays readable.
 */
struct file_state {
	bool known;
	uint64_t device, inode;
	int64_t size, written_ns;
};
void file_state_read(struct file_state *s, const char *path);
void file_state_tell(struct builder *b, const struct file_state *before, const char *path);

#endif

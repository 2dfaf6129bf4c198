/* file_damage.c - see file_damage.h */
#include "load/read/file_damage.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "base/i18n.h"

void file_damage_tell(struct builder *b, const struct file_src *src)
{
	int64_t at = -1, read = file_src_done(src), size = file_src_size(src);
	const char *what = file_src_damage(src, &at);

	if (!what)
		return;
	builder_damage(b, what, at, 1);
	if (read < size)
		builder_note(b, _("%" PRId64 " of %" PRId64 " bytes of the file were read"), read,
			     size);
}

void file_state_read(struct file_state *s, const char *path)
{
	struct stat st;

	*s = (struct file_state){0};
	if (stat(path, &st) < 0)
		return;
	s->known = true;
	s->device = (uint64_t)st.st_dev;
	s->inode = (uint64_t)st.st_ino;
	s->size = st.st_size;
	s->written_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

void file_state_tell(struct builder *b, const struct file_state *before, const char *path)
{
	struct file_state now;

	file_state_read(&now, path);
	if (!before->known || !now.known)
		return;
	if (now.device != before->device || now.inode != before->inode) {
		builder_damage(b, N_("the file was replaced while it was read"), -1, 1);
	} else if (now.size < before->size) {
		builder_damage(b, N_("the file became shorter while it was read"), -1, 1);
		builder_note(b, _("the file had %" PRId64 " bytes and has %" PRId64 " now"),
			     before->size, now.size);
	} else if (now.size != before->size || now.written_ns != before->written_ns) {
		builder_damage(b, N_("the file was written to while it was read"), -1, 1);
	}
}

/*
 * snapshot.c - memory snapshots of PyTorch: torch.cuda.memory._dump_snapshot(FILE), a pickle
 *
 * What the objects of a snapshot are is in objects.h, what is read of the pickle in pickle.h.
 */
#include <inttypes.h>

#include "base/fileio.h"
#include "base/i18n.h"
#include "load/memory/pickle.h"
#include "load/read/file_damage.h"
#include "load/read/head.h"

/* Whether the profile can be used. Damage is told with its place; a pickle that could run code is none of ours. */
static bool judge(struct builder *b, const struct pickle_result *r, bool found, struct err *e)
{
	if (r->end == PICKLE_FAILED)
		return false;
	if (r->end == PICKLE_REFUSED)
		return err_set(e, ERR_FORMAT, _("a pickle that could run code is not read: %s at byte %" PRId64), r->what, r->at);
	if (!found && r->end == PICKLE_BROKEN)
		return err_set(e, ERR_FORMAT, _("a Python pickle that is no memory snapshot: %s at byte %" PRId64), _(r->what), r->at);
	if (!found)
		return err_set(e, ERR_FORMAT, _("a Python pickle that is no memory snapshot of PyTorch"));
	if (r->end == PICKLE_CUT)
		builder_damage(b, N_("the snapshot is cut short"), r->at, 1);
	else if (r->end == PICKLE_BROKEN)
		builder_damage(b, r->what, r->at, 1);
	return true;
}

static bool load(struct load_ctx *lx, const char *path, struct err *e)
{
	struct file_src *src = file_src_open(path, e);
	struct pickle_result r;
	struct objects o;
	bool ok;

	if (!src)
		return false;
	builder_set_bytes(lx->builder, file_src_size(src));
	if (lx->job)
		atomic_store(&lx->job->total, (uint64_t)file_src_size(src));
	builder_set_format(lx->builder, FORMAT_MEMORY_SNAPSHOT);
	builder_set_producer(lx->builder, "torch.cuda.memory", NULL);
	objects_init(&o, lx->builder);
	r = pickle_read(&o, src, lx->job, e);
	ok = judge(lx->builder, &r, objects_done(&o) && (r.end == PICKLE_STOPPED || o.records), e);
	if (ok)
		file_damage_tell(lx->builder, src);
	objects_fini(&o);
	file_src_close(src);
	return ok;
}

static int probe(const struct probe *p)
{
	return head_starts(p, "\x80", 1) && p->head_len > 2 && p->head[1] >= 2 && p->head[1] <= 5 ? 90 : 0;
}

const struct loader loader_memory_snapshot = {
	.name = "memory-snapshot",
	.what = N_("a memory snapshot of PyTorch (.pickle)"),
	.probe = probe,
	.load = load,
};

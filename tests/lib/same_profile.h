/*
 * same_profile.h - whether two profiles are the same to the last bit, for tests of ways to load that must not differ.
 */
#ifndef TESTS_LIB_SAME_PROFILE_H
#define TESTS_LIB_SAME_PROFILE_H

#include <string.h>

#include "model/profile.h"

#define SAME_ARRAY(a, b, member, count) \
	((a)->count != (b)->count || \
	 ((a)->count && memcmp((a)->member, (b)->member, (a)->count * sizeof(*(a)->member)) != 0))

/* structs with padding are compared by member */
static inline const char *same_tables(const struct profile *a, const struct profile *b)
{
	if (a->n_tracks != b->n_tracks || a->n_threads != b->n_threads || a->n_processes != b->n_processes ||
	    a->n_devices != b->n_devices || a->n_damages != b->n_damages || a->n_contents != b->n_contents ||
	    a->n_notes != b->n_notes || a->n_options != b->n_options)
		return "the number of rows of a table";
	for (uint32_t i = 0; i < a->n_tracks; i++) {
		const struct track *x = &a->tracks[i], *y = &b->tracks[i];

		if (x->layer != y->layer || x->thread != y->thread || x->pid != y->pid || x->device != y->device ||
		    x->context != y->context || x->stream != y->stream || x->domain != y->domain ||
		    x->link_group != y->link_group || x->first != y->first || x->count != y->count ||
		    x->overlaps != y->overlaps || x->depth_max != y->depth_max)
			return "a track";
	}
	for (uint32_t i = 0; i < a->n_threads; i++)
		if (a->threads[i].pid != b->threads[i].pid || a->threads[i].tid != b->threads[i].tid ||
		    a->threads[i].name != b->threads[i].name)
			return "a thread";
	for (uint32_t i = 0; i < a->n_processes; i++)
		if (a->processes[i].pid != b->processes[i].pid || a->processes[i].name != b->processes[i].name)
			return "a process";
	for (uint32_t i = 0; i < a->n_devices; i++)
		if (a->devices[i].device != b->devices[i].device || a->devices[i].name != b->devices[i].name ||
		    a->devices[i].sm_count != b->devices[i].sm_count)
			return "a device";
	for (uint32_t i = 0; i < a->n_damages; i++)
		if (strcmp(a->damages[i].what, b->damages[i].what) != 0 || a->damages[i].offset != b->damages[i].offset ||
		    a->damages[i].count != b->damages[i].count)
			return "a damage";
	for (uint32_t i = 0; i < a->n_contents; i++)
		if (a->contents[i].what != b->contents[i].what || a->contents[i].count != b->contents[i].count)
			return "a count";
	for (uint32_t i = 0; i < a->n_notes; i++)
		if (strcmp(a->notes[i], b->notes[i]) != 0)
			return "a note";
	return SAME_ARRAY(a, b, options, n_options) ? "an option" : NULL;
}

/* NULL, or what differs first. */
static inline const char *same_profile(const struct profile *a, const struct profile *b)
{
	if (SAME_ARRAY(a, b, start, n) || SAME_ARRAY(a, b, dur, n))
		return "the times";
	if (SAME_ARRAY(a, b, name, n))
		return "the names";
	if (SAME_ARRAY(a, b, self, n) || SAME_ARRAY(a, b, parent, n))
		return "the nesting";
	if (SAME_ARRAY(a, b, link, n) || SAME_ARRAY(a, b, by_launch, n_by_launch))
		return "the links";
	if (SAME_ARRAY(a, b, aux, n) || SAME_ARRAY(a, b, kernels, n_kernels) || SAME_ARRAY(a, b, copies, n_copies) ||
	    SAME_ARRAY(a, b, collectives, n_collectives) || SAME_ARRAY(a, b, op_details, n_op_details))
		return "the details";
	if (SAME_ARRAY(a, b, event_waits, n_event_waits))
		return "event_waits";
	if (SAME_ARRAY(a, b, ums, n_ums))
		return "the places in unified memory";
	if (SAME_ARRAY(a, b, frames, n_frames) || SAME_ARRAY(a, b, frame_lines, n_frame_lines))
		return "the stacks";
	if (a->n_strs != b->n_strs || (a->n_strs && (SAME_ARRAY(a, b, str_off, n_strs) ||
						      a->str_off[a->n_strs] != b->str_off[b->n_strs] ||
						      memcmp(a->str_blob, b->str_blob, a->str_off[a->n_strs]) != 0)))
		return "the strings";
	if (a->epoch_ns != b->epoch_ns || a->rank != b->rank || a->world != b->world || a->caps != b->caps ||
	    a->first_ns != b->first_ns || a->last_ns != b->last_ns || a->producer != b->producer || a->bytes != b->bytes)
		return "what the source is";
	return same_tables(a, b);
}

#endif

/* distortion.h - recording options that cost time or change what is measured, and what each of them does */
#ifndef FACTS_DISTORTION_H
#define FACTS_DISTORTION_H

#include "base/arena.h"
#include "model/profile.h"

struct distortion {
	const char *option;	/* as the file names it */
	const char *means;	/* N_() marked */
	bool host_time;		/* makes host time longer */
};
/* Calls fn for each option that was on, each once. Python frames of a torch trace tell with_stack where the file does not. */
void distortions(const struct profile *p, void (*fn)(void *arg, const struct distortion *d), void *arg);
/* "with_stack, record_shapes": those that make host time longer; NULL if there are none. */
const char *distortion_list(const struct profile *p, struct arena *a);

#endif

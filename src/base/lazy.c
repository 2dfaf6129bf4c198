/* lazy.c - see lazy.h */
#include "base/lazy.h"

#include <string.h>

void lazy_init(struct lazy *l)
{
	memset(l, 0, sizeof(*l));
	pthread_mutex_init(&l->lock, NULL);
}

void lazy_fini(struct lazy *l)
{
	void *made = atomic_load(&l->made);

	if (made)
		l->drop(made);
	pthread_mutex_destroy(&l->lock);
}

void *lazy_make(struct lazy *l, void *(*make)(const void *of), const void *of,
		void (*drop)(void *made))
{
	void *made = atomic_load(&l->made);

	if (made)
		return made;
	pthread_mutex_lock(&l->lock);
	if (!l->tried) {
		l->drop = drop;
		atomic_store(&l->made, make(of));
		l->tried = true;
	}
	made = atomic_load(&l->made);
	pthread_mutex_unlock(&l->lock);
	return made;
}

void *lazy_peek(struct lazy *l)
{
	return atomic_load(&l->made);
}

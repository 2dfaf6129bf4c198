/* fuzz_main.c - replays files through a fuzzer that is not linked with libFuzzer: fuzz_NAME FILE... */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
	(void)data;
	return size < max_size ? size : max_size;
}

static bool replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;
	bool done = false;

	if (f && fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0) {
		rewind(f);
		data = malloc((size_t)size + 1);
		done = data && fread(data, 1, (size_t)size, f) == (size_t)size;
	}
	if (done) {
		uint8_t *exact = malloc(size ? (size_t)size : 1);	/* a sanitizer sees the first byte behind it */

		done = exact != NULL;
		for (long i = 0; done && i < size; i++)
			exact[i] = data[i];
		if (done)
			LLVMFuzzerTestOneInput(exact, (size_t)size);
		free(exact);
	}
	free(data);
	if (f)
		fclose(f);
	return done;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-')
			continue;	/* an option of libFuzzer */
		if (!replay(argv[i])) {
			fprintf(stderr, "%s: cannot be read\n", argv[i]);
			return 2;
		}
	}
	return 0;
}

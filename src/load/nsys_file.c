/* nsys_file.c - an SQLite file as a file, see nsys_file.h */
#include "load/nsys_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

#define HEADER_BYTES 100

int64_t nsys_file_bytes(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (int64_t)st.st_size : -1;
}

bool nsys_file_journal(const char *path)
{
	static const char *const tails[] = {"-wal", "-journal"};
	bool found = false;

	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		char *name = xasprintf("%s%s", path, tails[i]);

		found |= nsys_file_bytes(name) > 0;
		free(name);
	}
	return found;
}

char *nsys_file_uri(const char *path, bool immutable)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
	static const char hex[] = "0123456789ABCDEF";
	static const char tail[] = "?mode=ro&immutable=1";
	char *uri = xmalloc(strlen(path) * 3 + sizeof(tail) + 8);
	size_t n = (size_t)sprintf(uri, "file:%s", *path == '/' ? "//" : "");

	for (const char *p = path; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (strchr(plain, c)) {
			uri[n++] = (char)c;
			continue;
		}
		uri[n++] = '%';
		uri[n++] = hex[c >> 4];
		uri[n++] = hex[c & 15];
	}
	snprintf(uri + n, sizeof(tail), "%s", immutable ? tail : "?mode=ro");
	return uri;
}

static uint32_t big_endian(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

int64_t nsys_file_promised(const char *path)
{
	unsigned char h[HEADER_BYTES];
	FILE *f = fopen(path, "rb");
	size_t got = f ? fread(h, 1, sizeof(h), f) : 0;
	int64_t page;

	if (f)
		fclose(f);
	if (got < sizeof(h) || big_endian(h + 24) != big_endian(h + 92))
		return 0;
	page = (int64_t)h[16] << 8 | h[17];
	if (page == 1)
		page = 65536;
	if (page < 512 || (page & (page - 1)))
		return 0;
	return page * big_endian(h + 28);
}

bool nsys_file_gzip(const char *path)
{
	unsigned char head[2] = {0};
	FILE *f = fopen(path, "rb");
	bool gz = f && fread(head, 1, sizeof(head), f) == sizeof(head) && head[0] == 0x1f &&
		  head[1] == 0x8b;

	if (f)
		fclose(f);
	return gz;
}

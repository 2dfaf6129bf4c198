/* file.c - an SQLite file as a file, see file.h */
#include "load/nsys/file.h"

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

/* -1: there is none */
static int64_t bytes_beside(const char *path, const char *tail)
{
	char *name = xasprintf("%s%s", path, tail);
	int64_t bytes = nsys_file_bytes(name);

	free(name);
	return bytes;
}

bool nsys_file_journal(const char *path)
{
	return bytes_beside(path, "-wal") > 0 || bytes_beside(path, "-journal") > 0;
}

bool nsys_file_lone_wal(const char *path)
{
	return bytes_beside(path, "-wal") > 0 && bytes_beside(path, "-shm") < 0;
}

/* Each way creates nothing, neither -wal nor -shm. */
static const char *query_of(const char *path)
{
	if (!nsys_file_journal(path))
		return "?mode=ro&immutable=1";
	if (nsys_file_lone_wal(path))
		return "?mode=ro&vfs=unix-none";
	return "?mode=ro&readonly_shm=1";
}

char *nsys_file_uri(const char *path)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
	static const char hex[] = "0123456789ABCDEF";
	const char *query = query_of(path);
	char *uri = xmalloc(strlen(path) * 3 + strlen(query) + 8);
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
	strcpy(uri + n, query);
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

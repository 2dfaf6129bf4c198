/* cuda_result.c - see cuda_result.h; the codes are those of driver_types.h and cuda.h (CUDA 12) */
#include "model/cuda_result.h"

#include <stddef.h>

#include "base/i18n.h"

enum severity {
	ANSWER,
	ERROR,
	FATAL
};

static const struct {
	int16_t code;
	uint8_t severity;
	const char *text;
} results[] = {
	{0, ANSWER, N_("success")},
	{1, ERROR, N_("invalid value")},
	{2, ERROR, N_("out of memory")},
	{3, ERROR, N_("not initialized")},
	{4, ERROR, N_("the driver is shutting down")},
	{9, ERROR, N_("invalid launch configuration")},
	{35, ERROR, N_("the driver is older than the runtime")},
	{98, ERROR, N_("invalid device function")},
	{100, ERROR, N_("no device")},
	{101, ERROR, N_("invalid device")},
	{200, ERROR, N_("invalid kernel image")},
	{201, ERROR, N_("invalid context")},
	{209, ERROR, N_("no kernel image for this device")},
	{214, FATAL, N_("uncorrectable ECC error")},
	{218, ERROR, N_("invalid PTX")},
	{400, ERROR, N_("invalid handle")},
	{500, ANSWER, N_("symbol not found")},
	{600, ANSWER, N_("not ready")},
	{700, FATAL, N_("illegal memory address")},
	{701, ERROR, N_("too many resources for a launch")},
	{702, FATAL, N_("launch timed out")},
	{704, ANSWER, N_("peer access already enabled")},
	{705, ANSWER, N_("peer access not enabled")},
	{709, ERROR, N_("context is destroyed")},
	{710, FATAL, N_("assertion in a kernel")},
	{712, ANSWER, N_("host memory already registered")},
	{713, ANSWER, N_("host memory not registered")},
	{714, FATAL, N_("hardware stack error")},
	{715, FATAL, N_("illegal instruction")},
	{716, FATAL, N_("misaligned address")},
	{717, FATAL, N_("invalid address space")},
	{718, FATAL, N_("invalid program counter")},
	{719, FATAL, N_("kernel launch failed")},
	{801, ERROR, N_("not supported")},
	{900, ERROR, N_("not permitted in a stream capture")},
	{901, ERROR, N_("a stream capture was invalidated")},
	{999, ERROR, N_("unknown error")},
};

static size_t find(int64_t code)
{
	size_t i = 0, n = sizeof(results) / sizeof(*results);

	while (i < n && results[i].code != code)
		i++;
	return i < n ? i : SIZE_MAX;
}

bool cuda_result_failed(int64_t code)
{
	size_t i = find(code);

	return i == SIZE_MAX || results[i].severity != ANSWER;
}

bool cuda_result_fatal(int64_t code)
{
	size_t i = find(code);

	return i != SIZE_MAX && results[i].severity == FATAL;
}

const char *cuda_result_text(int64_t code)
{
	size_t i = find(code);

	return i == SIZE_MAX ? NULL : results[i].text;
}

/*
 * cuda_result.h - what the return codes of CUDA calls mean. cudaError_t and CUresult number the same
 * causes alike (since CUDA 10.1), and hipError_t follows them.
 */
#ifndef MODEL_CUDA_RESULT_H
#define MODEL_CUDA_RESULT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * True if the call did not do what it was asked for. Success is none, and neither are the answers of
 * queries: not ready, symbol not found, peer access or host memory already (not) enabled.
 */
bool cuda_result_failed(int64_t code);
/* True if the device's state is lost: every later call of the process fails, and nothing that was computed can be trusted. */
bool cuda_result_fatal(int64_t code);
/* "illegal memory address"; NULL if the code has no words here. N_() marked. */
const char *cuda_result_text(int64_t code);

#endif

/*
 * check64.h - a checksum of bytes that finds damage at the speed of memory. It is no signature: who wants to can forge it. The value
 * depends on the byte order of the machine.
 *
 * Eight lanes of multiply and rotate. Each step is a bijection of the word that it takes in, so a change of one word is always found;
 * others are missed with a chance of about 2^-64.
 */
#ifndef BASE_CHECK64_H
#define BASE_CHECK64_H

#include <stddef.h>
#include <stdint.h>

uint64_t check64(const void *p, size_t n);

#endif

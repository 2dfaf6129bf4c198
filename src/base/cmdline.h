/*
 * cmdline.h - command lines that stand in profiles: what is shown of them, and what is never shown.
 *
 * Samplers and profilers write the command line of what they looked at into their files, and people put tokens and passwords into
 * command lines. So a program and its script are shown, arguments only to whoever asks for them (--show-args), and values that look
 * like secrets not even then. All texts may hold any bytes.
 */
#ifndef BASE_CMDLINE_H
#define BASE_CMDLINE_H

#include <stddef.h>

#include "base/sbuf.h"

/* How a command line stands in a text. */
enum cmdline_form {
	CMDLINE_PLAIN,	 /* it is the text */
	CMDLINE_TARGET,	 /* pyinstrument: "Program: train.py 3"; "Profile at FILE:LINE" has none */
	CMDLINE_PROCESS, /* py-spy: process 7:"python train.py"; other texts have none */
	CMDLINE_NAME, /* a name of a process, which is one if it looks like one: "python train.py", not "GPU 0" */
};
/* Where it is in the text: *at and its length, 0 if there is none. */
size_t cmdline_find(enum cmdline_form form, const char *s, size_t n, size_t *at);

/*
 * Appends what is shown of a command line: the program, and the script or "-m MODULE" of an interpreter; for the rest
 * "… (3 arguments: --show-args)". Without arguments it is the text as it stands.
 */
void cmdline_short(const char *s, size_t n, struct sbuf *out);

/*
 * Overwrites what looks like a secret with '*', in place: values of what is called token, key, secret, password, credential or auth
 * ("NAME=VALUE", "NAME: VALUE", "--NAME VALUE"), user and password of a URL, words that begin as tokens do (hf_, ghp_, sk-, AKIA, a
 * JWT, …), and long words that look random.
 */
void cmdline_mask(char *s, size_t n);
/* Whether values under such a name are secrets: "HF_TOKEN", "args.api_key". */
int cmdline_secret_name(const char *s, size_t n);

#endif

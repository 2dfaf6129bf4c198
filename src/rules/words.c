/* words.c - the fixed words and their names, see words.h */
#include "rules/words.h"

#include <string.h>

/* The index of s (n bytes) in words, `count` if it is none of them. */
static int word_index(const char *const *words, int count, const char *s, size_t n)
{
	for (int i = 0; i < count; i++)
		if (strlen(words[i]) == n && !memcmp(words[i], s, n))
			return i;
	return count;
}

static const char *const phases[PHASE_N] = {"dataload",	 "forward",   "backward",
					    "recompute", "optimizer", "other"};
static const char *const roles[ROLE_N] = {"other",	   "main",	 "autograd",
					  "loader-worker", "pin-memory", "comm-watchdog"};
static const char *const levels[L1_N] = {
	"compute",	"data movement", "framework scheduling", "sync wait", "communication",
	"data loading", "other",
};
static const char *const rt_classes[RT_N] = {"sync", "launch", "memcpy", "other"};

const char *phase_name(enum phase p)
{
	return p < PHASE_N ? phases[p] : "unattributed";
}

enum phase phase_by_name(const char *s, size_t n)
{
	return (enum phase)word_index(phases, PHASE_N, s, n);
}

const char *role_name(enum role r)
{
	return roles[r < ROLE_N ? r : ROLE_OTHER];
}

enum role role_by_name(const char *s, size_t n)
{
	return (enum role)word_index(roles, ROLE_N, s, n);
}

const char *level1_name(enum level1 l)
{
	return levels[l];
}

enum level1 level1_by_name(const char *s, size_t n)
{
	return (enum level1)word_index(levels, L1_N, s, n);
}

const char *rt_class_name(enum rt_class c)
{
	return rt_classes[c];
}

static const struct {
	char letter;
	const char *name;
} frameworks[] = {
	{'P', "user Python"},
	{'N', "PyTorch"},
	{'B', "PyTorch autograd"},
	{'F', "PyTorch distributed (DDP, FSDP, c10d)"},
	{'O', "PyTorch optimizer"},
	{'L', "data loading"},
	{'C', "torch.compile and Triton"},
	{'T', "trainer (Transformers, Lightning, Accelerate)"},
	{'H', "Transformers and PEFT"},
	{'D', "DeepSpeed"},
	{'M', "Megatron and TransformerEngine"},
	{'K', "kernel libraries (flash-attn, xformers, bitsandbytes)"},
	{'R', "profiler"},
	{'G', "logging"},
	{'S', "Python standard library"},
	{'X', "other Python packages"},
	{'V', "NVIDIA libraries (driver, cuDNN, NCCL)"},
	{'U', "C library, loader and kernel of the system"},
	{'E', "other native code"},
};

const char *rules_framework_name(char letter)
{
	for (size_t i = 0; i < sizeof(frameworks) / sizeof(frameworks[0]); i++)
		if (frameworks[i].letter == letter)
			return frameworks[i].name;
	return NULL;
}

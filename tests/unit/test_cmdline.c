/* test_cmdline.c - command lines: what is shown, what is masked, where they stand (base/cmdline.h) */
#include "base/cmdline.h"

#include "base/mem.h"
#include "tests/lib/tap.h"

static void shows(const char *line, const char *want)
{
	struct sbuf out = {0};

	cmdline_short(line, strlen(line), &out);
	is_str(sbuf_str(&out), want, "%s", line);
	sbuf_fini(&out);
}

static void masks(const char *text, const char *want)
{
	char *copy = xstrdup(text);

	cmdline_mask(copy, strlen(copy));
	is_str(copy, want, "%s", text);
	free(copy);
}

static void test_short(void)
{
	shows("", "");
	shows("python", "python");
	shows("python train.py", "python train.py");
	shows("/opt/my-env/bin/python3.11 /home/u/train.py",
	      "/opt/my-env/bin/python3.11 /home/u/train.py");
	shows("python train.py --lr 0.1 abc", "python train.py … (3 arguments: --show-args)");
	shows("python train.py x", "python train.py … (1 argument: --show-args)");
	shows("python -u -X dev train.py x", "python train.py … (4 arguments: --show-args)");
	shows("python -W ignore::Warning train.py", "python train.py … (2 arguments: --show-args)");
	shows("python -Wignore train.py", "python train.py … (1 argument: --show-args)");
	shows("python -m torch.distributed.run --nproc 8 train.py",
	      "python -m torch.distributed.run … (3 arguments: --show-args)");
	shows("python -um pkg.mod hush", "python -m pkg.mod … (1 argument: --show-args)");
	shows("python -mpkg.mod", "python -mpkg.mod");
	shows("python -c 'x = \"hush\"; f(x)' hush", "python -c … (2 arguments: --show-args)");
	shows("python -c from a import b; b(hush)", "python -c … (5 arguments: --show-args)");
	shows("python -uc print(hush) hush", "python -c … (2 arguments: --show-args)");
	shows("python -cprint(1) hush", "python -c … (2 arguments: --show-args)");
	shows("python --pin hush", "python … (2 arguments: --show-args)");
	shows("python-app --pin hush", "python-app … (2 arguments: --show-args)");
	shows("pythonw.exe a.py hush", "pythonw.exe a.py … (1 argument: --show-args)");
	shows("python - hush", "python - … (1 argument: --show-args)");
	shows("Python /x/bin/uvicorn app:app --reload",
	      "Python /x/bin/uvicorn … (2 arguments: --show-args)");
	shows("HUSH=1 A=b python train.py x", "python train.py … (3 arguments: --show-args)");
	shows("train.py 3 0", "train.py … (2 arguments: --show-args)");
	shows("./a.out --pin hush", "./a.out … (2 arguments: --show-args)");
	shows("torchrun --nproc_per_node 8 train.py --x y",
	      "torchrun train.py … (4 arguments: --show-args)");
	shows("py-spy record -o hush.py -- python train.py",
	      "py-spy train.py … (5 arguments: --show-args)");
	shows("nsys profile --config=hush.py python train.py",
	      "nsys train.py … (3 arguments: --show-args)");
	shows("http://u:hush@host/x", "http://******@host/x");
}

static void test_mask(void)
{
	masks("key: value, passwd='a b' Monkey=1 sk-0123456789abcdefgh. keyboard",
	      "key: *****, passwd='***' Monkey=* ********************** keyboard");
	masks("HF_TOKEN=abc x", "HF_TOKEN=*** x");
	masks("HF_TOKEN=a,b;c x", "HF_TOKEN=***** x");
	masks("--hf-token hush --lr 1", "--hf-token **** --lr 1");
	masks("--api_key=hush --lr 1", "--api_key=**** --lr 1");
	masks("--api-key 'a b' --lr 1", "--api-key '***' --lr 1");
	masks("--password --lr 1", "--password --lr 1");
	masks("--password", "--password");
	masks("--token=", "--token=");
	masks("--tokenizer gpt2 --max-tokens 4096 --author me --passes 3",
	      "--tokenizer gpt2 --max-tokens 4096 --author me --passes 3");
	masks("Authorization: Bearer abc.def x", "Authorization: Bearer ******* x");
	masks("--header 'Authorization: Basic abc='", "--header 'Authorization: Basic ****'");
	masks("{\"HF_TOKEN\":\"a b\",\"x\":1}", "{\"HF_TOKEN\":\"***\",\"x\":1}");
	masks("git clone https://me:hush@host.org/a@b?c",
	      "git clone https://*******@host.org/a@b?c");
	masks("https://host.org/a@b s3://bucket/key", "https://host.org/a@b s3://bucket/key");
	masks("hf_abcdefghijklmnop ghp_abcdefghijklmnop12 AKIAIOSFODNN7EXAMPLE",
	      "******************* ********************** ********************");
	masks("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln",
	      "*****************************************");
	masks("x=q7GmVz0KpXs93bTfRhYw2LdNcE8u y", "x=**************************** y");
	masks("--run=0123456789abcdef0123456789abcdef.", "--run=*********************************");
	masks("llama3_70b_instruct_fsdp_bf16_seqlen8192 ResNet50WithVeryLongCamelCaseName2",
	      "llama3_70b_instruct_fsdp_bf16_seqlen8192 ResNet50WithVeryLongCamelCaseName2");
	masks("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
	      "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn");
	masks("", "");
}

static void test_bytes(void)
{
	char text[] = "python\0--token\0hush\0\xff\x1b";
	struct sbuf out = {0};

	cmdline_short(text, sizeof(text) - 1, &out);
	is_str(sbuf_str(&out), "python … (3 arguments: --show-args)", "NULs between words");
	sbuf_fini(&out);
	cmdline_mask(text, sizeof(text) - 1);
	is_mem(text, sizeof(text) - 1, "python\0--token\0****\0\xff\x1b", sizeof(text) - 1,
	       "and between an option and its value");
}

static void stands(enum cmdline_form form, const char *text, const char *want)
{
	size_t at, n = cmdline_find(form, text, strlen(text), &at);

	is_mem(text + at, n, want, strlen(want), "%s", text);
}

static void test_find(void)
{
	stands(CMDLINE_PLAIN, "a b", "a b");
	stands(CMDLINE_TARGET, "Program: train.py 3", "train.py 3");
	stands(CMDLINE_TARGET, "train.py 3", "train.py 3");
	stands(CMDLINE_TARGET, "Profile at /a b.py:3", "");
	stands(CMDLINE_PROCESS, "process 7:\"python \"a\" b\"", "python \"a\" b");
	stands(CMDLINE_PROCESS, "process 7", "");
	stands(CMDLINE_PROCESS, "process 7:\"", "");
	stands(CMDLINE_PROCESS, "process_batch (a.py:7)", "");
	stands(CMDLINE_NAME, "python", "");
	stands(CMDLINE_NAME, "GPU 0", "");
	stands(CMDLINE_NAME, "python 4711", "python 4711");
	stands(CMDLINE_NAME, "worker --pin 3", "worker --pin 3");
	ok(cmdline_secret_name("args.api_key", 12) && !cmdline_secret_name("args.Input Dims", 15),
	   "names of secrets");
}

int main(void)
{
	test_short();
	test_mask();
	test_bytes();
	test_find();
	return done_testing();
}

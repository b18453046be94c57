/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "engine/analysis/names/frames.h"
#include "engine/base/arena.h"
#include "engine/base/enums.h"

/* A pattern of frame names, which look like "path/file.py(123): function" or "<built-in method
 * function of ...>". */
struct frame_row {
	/* Substring of the name. "^" at its front: the name of a range or a function begins with
	 * it, not that of a Python file: programs choose those, as "capture_all.py(9): main". */
	const char *file;
	const char *function; /* end of the name, from the colon on; NULL: any */
	uint8_t class;        /* enum weir_frame_class */
};

/*
 * The first row that matches decides. For compilers, only code that runs at compile time is listed:
 * guards, launchers and the wrappers of compiled code are in the same files and run in every step.
 * Listing the frame that encloses a compilation is enough, since frames inside it inherit the
 * class.
 */
static const struct frame_row frame_rows[] = {
	{"DataLoader", NULL, WEIR_FRAME_INPUT},
	{"torch/utils/data/", NULL, WEIR_FRAME_INPUT},
	{"tokenization_", NULL, WEIR_FRAME_INPUT},
	{"tokenizers/", NULL, WEIR_FRAME_INPUT},
	{"tokenizers.Tokenizer", NULL, WEIR_FRAME_INPUT},
	{"tiktoken/", NULL, WEIR_FRAME_INPUT},
	{"sentencepiece/", NULL, WEIR_FRAME_INPUT},
	{"image_processing_", NULL, WEIR_FRAME_INPUT},
	{"feature_extraction_", NULL, WEIR_FRAME_INPUT},
	{"PIL/Image.py", NULL, WEIR_FRAME_INPUT},
	{"torchvision/io/", NULL, WEIR_FRAME_INPUT},
	{"torchvision/transforms/", NULL, WEIR_FRAME_INPUT},
	{"torchaudio/", NULL, WEIR_FRAME_INPUT},
	{"soundfile.py", NULL, WEIR_FRAME_INPUT},
	{"librosa/", NULL, WEIR_FRAME_INPUT},
	{"datasets/arrow_dataset.py", NULL, WEIR_FRAME_INPUT},
	{"datasets/iterable_dataset.py", NULL, WEIR_FRAME_INPUT},
	{"webdataset/", NULL, WEIR_FRAME_INPUT},
	{"nvidia/dali/", NULL, WEIR_FRAME_INPUT},
	{"<built-in function imread>", NULL, WEIR_FRAME_INPUT},
	{"<built-in function imdecode>", NULL, WEIR_FRAME_INPUT},
	{" of _io.BufferedReader object", NULL, WEIR_FRAME_INPUT},
	{" of _io.FileIO object", NULL, WEIR_FRAME_INPUT},
	{"<built-in function open>", NULL, WEIR_FRAME_INPUT},

	{"torch/_dynamo/convert_frame.py", NULL, WEIR_FRAME_COMPILE},
	{"torch/_inductor/compile_fx.py", ": run", WEIR_FRAME_PLAIN},
	{"torch/_inductor/compile_fx.py", NULL, WEIR_FRAME_COMPILE},
	{"torch/_inductor/codecache.py", ": __call__", WEIR_FRAME_PLAIN},
	{"torch/_inductor/codecache.py", ": run", WEIR_FRAME_PLAIN},
	{"torch/_inductor/codecache.py", NULL, WEIR_FRAME_COMPILE},
	{"torch/_inductor/async_compile.py", NULL, WEIR_FRAME_COMPILE},
	{"triton_heuristics.py", ": precompile", WEIR_FRAME_COMPILE},
	{"triton_heuristics.py", ": autotune_to_one_config", WEIR_FRAME_COMPILE},
	{"triton/runtime/autotuner.py", ": _bench", WEIR_FRAME_COMPILE},
	{"triton/runtime/jit.py", ": _do_compile", WEIR_FRAME_COMPILE},
	{"triton/compiler/compiler.py", ": compile", WEIR_FRAME_COMPILE},
	{"triton/compiler/compiler.py", ": _init_handles", WEIR_FRAME_COMPILE},
	{"triton/compiler/code_generator.py", NULL, WEIR_FRAME_COMPILE},
	{"torch/utils/cpp_extension.py", NULL, WEIR_FRAME_COMPILE},
	{"torch/jit/_trace.py", ": trace", WEIR_FRAME_COMPILE},
	{"cupy/cuda/compiler.py", NULL, WEIR_FRAME_COMPILE},
	{"numba/cuda/compiler.py", NULL, WEIR_FRAME_COMPILE},
	{"flashinfer/jit/", ": build_and_load", WEIR_FRAME_COMPILE},
	{"deep_gemm/jit/compiler.py", NULL, WEIR_FRAME_COMPILE},
	{"jax/_src/compiler.py", NULL, WEIR_FRAME_COMPILE},
	{"_compile.compile_inner", NULL, WEIR_FRAME_COMPILE},
	{"compile_fx_inner", NULL, WEIR_FRAME_COMPILE},
	{"dynamo_timed", NULL, WEIR_FRAME_COMPILE},
	{"TritonTemplate", NULL, WEIR_FRAME_COMPILE},
	{"NVRTC", NULL, WEIR_FRAME_COMPILE},
	{"CompileProgram", NULL, WEIR_FRAME_COMPILE},
	{"compileFusion", NULL, WEIR_FRAME_COMPILE},
	{"^XlaCompile", NULL, WEIR_FRAME_COMPILE},
	/* JAX and XLA, from tracing a function to loading its code; also the ranges of the
         * compiler's own threads, one of which launches kernels to try them. */
	{"^trace_to_jaxpr", NULL, WEIR_FRAME_COMPILE},
	{"^lower_sharding_computation", NULL, WEIR_FRAME_COMPILE},
	{"^backend_compile", NULL, WEIR_FRAME_COMPILE},
	{"::CompileAndLoad", NULL, WEIR_FRAME_COMPILE},
	{"::CompileInternal", NULL, WEIR_FRAME_COMPILE},
	{"PJRT_Client_Compile", NULL, WEIR_FRAME_COMPILE},
	{"^OptimizeHloModule", NULL, WEIR_FRAME_COMPILE},
	{"^CompileToBackendResult", NULL, WEIR_FRAME_COMPILE},
	{"^CompileModuleToLlvmIr", NULL, WEIR_FRAME_COMPILE},
	{"^CompileSingleModule", NULL, WEIR_FRAME_COMPILE},
	{"PTX->CUBIN", NULL, WEIR_FRAME_COMPILE},
	/* ONNX Runtime reads a model, optimises its graph and prepares its kernels. */
	{"^model_loading_", NULL, WEIR_FRAME_COMPILE},
	{"^session_initialization", NULL, WEIR_FRAME_COMPILE},
	{"^capture_", NULL, WEIR_FRAME_COMPILE}, /* the program captures a graph for one size */
	{"CUDAGraphNode.record", NULL, WEIR_FRAME_COMPILE},
	{"torch/cuda/graphs.py", ": capture_begin", WEIR_FRAME_COMPILE},
	{"<frozen importlib._bootstrap>", ": _find_and_load", WEIR_FRAME_COMPILE},

	{"<built-in function collect>", NULL, WEIR_FRAME_GARBAGE},
	{"built-in method gc.collect", NULL, WEIR_FRAME_GARBAGE},
	{"^gc_collect_", NULL, WEIR_FRAME_GARBAGE}, /* functions of the interpreter */
	{"^_PyGC_", NULL, WEIR_FRAME_GARBAGE},

	/* PyTorch's ranges of the backends that move data through the host. Those of NCCL and UCC
         * end when the work is queued. */
	{"^gloo:", NULL, WEIR_FRAME_COLLECTIVE},
	{"^mpi:", NULL, WEIR_FRAME_COLLECTIVE},

	{" acquire of _thread.", NULL, WEIR_FRAME_WAIT},
	{"<built-in function sleep>", NULL, WEIR_FRAME_WAIT},
	{" of select.", NULL, WEIR_FRAME_WAIT},
	{"<built-in function select>", NULL, WEIR_FRAME_WAIT},
	{"threading.py(", ": wait", WEIR_FRAME_WAIT},
	{"queue.py(", ": get", WEIR_FRAME_WAIT},
	{"selectors.py(", ": select", WEIR_FRAME_WAIT},
	{"multiprocessing/connection.py(", ": wait", WEIR_FRAME_WAIT},
	{"multiprocessing/connection.py(", ": poll", WEIR_FRAME_WAIT},
	{"multiprocessing/connection.py(", ": recv", WEIR_FRAME_WAIT},
	{"multiprocessing/queues.py(", ": get", WEIR_FRAME_WAIT},
	{"concurrent/futures/_base.py(", ": result", WEIR_FRAME_WAIT},
	{"socket.py(", ": accept", WEIR_FRAME_WAIT},
	{"zmq/sugar/", ": recv", WEIR_FRAME_WAIT},
	{"zmq/sugar/", ": poll", WEIR_FRAME_WAIT},
};

/* Kinds of words of a range whose name is a phrase. It holds a word of each kind that the phrase
 * needs, and no word that the phrase does not know. */
#define FILLER  0u
#define SUBJECT 1u
#define VERB    2u

struct phrase_word {
	const char *word;
	uint8_t kinds;
};

struct phrase {
	const struct phrase_word *words;
	size_t count;
	uint8_t needs; /* kinds */
	uint8_t class; /* enum weir_frame_class */
};

/* Ranges that programs open in gc.callbacks or around gc.collect(): "gc.collect", "Python GC"
 * (PyTorch's profiler), "GC gen2". */
static const struct phrase_word garbage_words[] = {
	{"gc", SUBJECT},        {"garbage", SUBJECT}, {"collect", FILLER}, {"collection", FILLER},
	{"collector", FILLER},  {"python", FILLER},   {"cpython", FILLER}, {"gen", FILLER},
	{"generation", FILLER}, {"gen0", FILLER},     {"gen1", FILLER},    {"gen2", FILLER},
	{"full", FILLER},       {"pause", FILLER},
};

/* Ranges in which a server waits for work: "wait_request", "waiting for clients", "idle". Waiting
 * for a batch or for data does not count: another stage of the program is late then. */
static const struct phrase_word waiting_words[] = {
	{"wait", VERB},
	{"waiting", VERB},
	{"await", VERB},
	{"awaiting", VERB},
	{"poll", VERB},
	{"polling", VERB},
	{"listen", VERB},
	{"listening", VERB},
	{"idle", SUBJECT | VERB},
	{"idling", SUBJECT | VERB},
	{"sleep", SUBJECT | VERB},
	{"sleeping", SUBJECT | VERB},
	{"request", SUBJECT},
	{"requests", SUBJECT},
	{"client", SUBJECT},
	{"clients", SUBJECT},
	{"message", SUBJECT},
	{"messages", SUBJECT},
	{"query", SUBJECT},
	{"queries", SUBJECT},
	{"connection", SUBJECT},
	{"connections", SUBJECT},
	{"job", SUBJECT},
	{"jobs", SUBJECT},
	{"for", FILLER},
	{"a", FILLER},
	{"the", FILLER},
	{"next", FILLER},
	{"new", FILLER},
	{"incoming", FILLER},
	{"on", FILLER},
	{"server", FILLER},
	{"loop", FILLER},
	{"time", FILLER},
};

static const struct phrase phrases[] = {
	{garbage_words, WEIR_COUNT_OF(garbage_words), SUBJECT, WEIR_FRAME_GARBAGE},
	{waiting_words, WEIR_COUNT_OF(waiting_words), SUBJECT | VERB, WEIR_FRAME_NO_WORK},
};

static const char *const loading_records[] = {"Lazy Function Loading", "Module Loading",
                                              "Driver Compiler"};

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), tail = strlen(end);

	return length >= tail && strcmp(name + length - tail, end) == 0;
}

static bool has_file(const char *name, const char *file)
{
	if (file[0] != '^')
		return strstr(name, file) != NULL;
	return strstr(name, file + 1) == name && !strstr(name, ".py(");
}

/* Adds the kinds of a word to *seen. Returns false if the phrase does not know it; numbers are
 * words of every phrase. */
static bool add_word(const struct phrase *phrase, const char *word, size_t length, uint8_t *seen)
{
	for (size_t i = 0; i < phrase->count; i++)
		if (strlen(phrase->words[i].word) == length &&
		    strncasecmp(word, phrase->words[i].word, length) == 0) {
			*seen |= phrase->words[i].kinds;
			return true;
		}
	return strspn(word, "0123456789") >= length;
}

/* Returns true if the name holds all that the phrase needs, and nothing else. The first other word
 * ends the search, so that long names cost little. */
static bool is_phrase(const struct phrase *phrase, const char *name)
{
	uint8_t seen = 0;

	while (*name) {
		size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz"
		                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

		if (length > 0 && !add_word(phrase, name, length, &seen))
			return false;
		name += length > 0 ? length : 1;
	}
	return (seen & phrase->needs) == phrase->needs;
}

enum weir_frame_class weir_frame_class(const char *name)
{
	for (size_t i = 0; i < sizeof frame_rows / sizeof *frame_rows; i++)
		if (has_file(name, frame_rows[i].file) &&
		    (!frame_rows[i].function || ends_with(name, frame_rows[i].function)))
			return (enum weir_frame_class)frame_rows[i].class;
	for (size_t i = 0; i < WEIR_COUNT_OF(phrases); i++)
		if (is_phrase(&phrases[i], name))
			return (enum weir_frame_class)phrases[i].class;
	return WEIR_FRAME_PLAIN;
}

uint8_t *weir_frame_class_of_names(const struct weir_names *names)
{
	size_t count = weir_names_count(names);
	uint8_t *classes = weir_alloc(count);

	for (size_t i = 0; i < count; i++)
		classes[i] = (uint8_t)weir_frame_class(weir_names_text(names, (uint32_t)i));
	return classes;
}

const char *weir_frame_without_folders(const char *name)
{
	size_t path = strcspn(name, "(");

	if (name[0] != '/' && !(name[0] && name[1] == ':'))
		return name;
	while (path > 0 && name[path - 1] != '/' && name[path - 1] != '\\')
		path--;
	return name + path;
}

bool weir_frame_is_program(const char *name)
{
	return strstr(name, ".py(") != NULL && strncmp(name, "torch/", 6) != 0 &&
	       strstr(name, "/torch/") == NULL;
}

bool weir_frame_is_array_code(const char *name)
{
	static const char *const others[] = {"npyio",   "format.py", "memmap", "tofile",
	                                     "tobytes", "tolist",    "dump",   "testing/",
	                                     "f2py/",   "random",    "ctypes", "distutils"};

	if (!strstr(name, " of numpy.ndarray object") && !strstr(name, " of numpy.ufunc object") &&
	    strncmp(name, "numpy/", 6) != 0 && !strstr(name, "/numpy/"))
		return false;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strstr(name, others[i]))
			return false;
	return true;
}

bool weir_overhead_is_loading(const char *name)
{
	for (size_t i = 0; i < sizeof loading_records / sizeof *loading_records; i++)
		if (strstr(name, loading_records[i]))
			return true;
	return false;
}

bool weir_names_show_training(const struct weir_names *names)
{
	static const char gradient[] = "torch::autograd::AccumulateGrad";
	size_t count = weir_names_count(names);

	for (uint32_t i = 1; i < count; i++)
		if (strcmp(weir_names_text(names, i), gradient) == 0)
			return true;
	return false;
}

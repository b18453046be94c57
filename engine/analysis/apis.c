/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "engine/analysis/apis.h"
#include "engine/base/arena.h"

struct api_row {
	const char *pattern; /* without prefix and version suffix; at most one '*', which stands for
	                        any text */
	enum weir_api_class class;
};

/* The first row that matches decides: the particular stands before the general. */
static const struct api_row api_rows[] = {
	{"LaunchKernel*", WEIR_API_LAUNCH},
	{"LaunchCooperativeKernel*", WEIR_API_LAUNCH},
	{"LaunchGrid*", WEIR_API_LAUNCH},
	{"LaunchByPtr", WEIR_API_LAUNCH},
	{"Launch", WEIR_API_LAUNCH},
	{"ExtLaunch*", WEIR_API_LAUNCH},
	{"ModuleLaunch*", WEIR_API_LAUNCH},
	{"ExtModuleLaunchKernel", WEIR_API_LAUNCH},
	{"HccModuleLaunchKernel", WEIR_API_LAUNCH},

	{"GraphLaunch", WEIR_API_GRAPH_LAUNCH},

	{"StreamSynchronize", WEIR_API_SYNC},
	{"DeviceSynchronize", WEIR_API_SYNC},
	{"EventSynchronize", WEIR_API_SYNC},
	{"CtxSynchronize", WEIR_API_SYNC},
	{"ThreadSynchronize", WEIR_API_SYNC},

	/* Copies between devices and within one return early: CUDA Runtime API, "API
           synchronization behavior". */
	{"Memcpy*Async", WEIR_API_COPY_ASYNC},
	{"MemcpyPeer", WEIR_API_COPY_ASYNC},
	{"Memcpy3DPeer", WEIR_API_COPY_ASYNC},
	{"MemcpyDtoD", WEIR_API_COPY_ASYNC},
	{"MemPrefetch*Async", WEIR_API_COPY_ASYNC},
	/* hipMemcpyWithStream waits for its stream, in spite of its name. */
	{"Memcpy*", WEIR_API_COPY_BLOCKING},
	{"DrvMemcpy*Async", WEIR_API_COPY_ASYNC},
	{"DrvMemcpy*", WEIR_API_COPY_BLOCKING},

	{"Memset*", WEIR_API_SET},

	{"Malloc*Async", WEIR_API_ALLOC_ASYNC},
	{"FreeAsync", WEIR_API_ALLOC_ASYNC},
	{"MemAlloc*Async", WEIR_API_ALLOC_ASYNC},
	{"MemFreeAsync", WEIR_API_ALLOC_ASYNC},

	{"Malloc*", WEIR_API_ALLOC},
	{"ExtMalloc*", WEIR_API_ALLOC},
	{"Free*", WEIR_API_ALLOC},
	{"HostAlloc", WEIR_API_ALLOC},
	{"HostMalloc", WEIR_API_ALLOC},
	{"HostFree", WEIR_API_ALLOC},
	{"HostRegister", WEIR_API_ALLOC},
	{"HostUnregister", WEIR_API_ALLOC},
	{"MemAlloc*", WEIR_API_ALLOC},
	{"MemFree*", WEIR_API_ALLOC},
	{"MemHostAlloc", WEIR_API_ALLOC},
	{"MemHostRegister", WEIR_API_ALLOC},
	{"MemHostUnregister", WEIR_API_ALLOC},
	{"MemCreate", WEIR_API_ALLOC},
	{"MemMap*", WEIR_API_ALLOC},
	{"MemUnmap", WEIR_API_ALLOC},
	{"MemRelease", WEIR_API_ALLOC},
	{"MemAddressReserve", WEIR_API_ALLOC},
	{"MemAddressFree", WEIR_API_ALLOC},
	{"MemSetAccess", WEIR_API_ALLOC},
	{"MemImportFromShareableHandle", WEIR_API_ALLOC},
	{"MemPoolCreate", WEIR_API_ALLOC},
	{"MemPoolDestroy", WEIR_API_ALLOC},
	{"MemPoolTrimTo", WEIR_API_ALLOC},
	{"ArrayCreate", WEIR_API_ALLOC},
	{"ArrayDestroy", WEIR_API_ALLOC},
	{"Array3DCreate", WEIR_API_ALLOC},
	{"MipmappedArrayCreate", WEIR_API_ALLOC},
	{"MipmappedArrayDestroy", WEIR_API_ALLOC},
	{"IpcOpenMemHandle", WEIR_API_ALLOC},
	{"IpcCloseMemHandle", WEIR_API_ALLOC},

	{"ModuleGetLoadingMode", WEIR_API_QUERY},
	{"ModuleLoad*", WEIR_API_MODULE},
	{"ModuleUnload", WEIR_API_MODULE},
	{"ModuleGet*", WEIR_API_MODULE},
	{"ModuleEnumerateFunctions", WEIR_API_MODULE},
	{"Library*", WEIR_API_MODULE},
	{"Link*", WEIR_API_MODULE},
	{"KernelGetFunction", WEIR_API_MODULE},
	{"FuncLoad", WEIR_API_MODULE},

	{"Graphics*", WEIR_API_OTHER},
	{"Graph*", WEIR_API_CAPTURE},
	{"StreamIsCapturing", WEIR_API_CAPTURE},
	{"StreamBeginCapture*", WEIR_API_CAPTURE},
	{"StreamEndCapture", WEIR_API_CAPTURE},
	{"StreamGetCaptureInfo", WEIR_API_CAPTURE},
	{"StreamUpdateCaptureDependencies", WEIR_API_CAPTURE},
	{"ThreadExchangeStreamCaptureMode", WEIR_API_CAPTURE},

	{"EventQuery", WEIR_API_QUERY},
	{"EventElapsedTime", WEIR_API_QUERY},
	{"Event*", WEIR_API_EVENT},
	{"StreamWaitEvent", WEIR_API_EVENT},
	{"StreamWaitValue*", WEIR_API_EVENT},
	{"StreamWriteValue*", WEIR_API_EVENT},
	{"StreamBatchMemOp", WEIR_API_EVENT},

	{"StreamQuery", WEIR_API_QUERY},
	{"StreamGet*", WEIR_API_QUERY},
	{"Get*", WEIR_API_QUERY},
	{"PeekAtLastError", WEIR_API_QUERY},
	{"Occupancy*", WEIR_API_QUERY},
	{"ModuleOccupancy*", WEIR_API_QUERY},
	{"DeviceGet*", WEIR_API_QUERY},
	{"DeviceTotalMem", WEIR_API_QUERY},
	{"DeviceComputeCapability", WEIR_API_QUERY},
	{"DeviceCanAccessPeer", WEIR_API_QUERY},
	{"DevicePrimaryCtxGetState", WEIR_API_QUERY},
	{"ChooseDevice", WEIR_API_QUERY},
	{"CtxGet*", WEIR_API_QUERY},
	{"FuncGet*", WEIR_API_QUERY},
	{"KernelGet*", WEIR_API_QUERY},
	{"PointerGet*", WEIR_API_QUERY},
	{"HostGet*", WEIR_API_QUERY},
	{"MemHostGet*", WEIR_API_QUERY},
	{"MemGet*", WEIR_API_QUERY},
	{"MemPoolGet*", WEIR_API_QUERY},
	{"IpcGet*", WEIR_API_QUERY},
	{"DriverGet*", WEIR_API_QUERY},
	{"RuntimeGet*", WEIR_API_QUERY},
};

/* Calls of the operating system that profilers record: those that wait, and those that move bytes
 * or map memory. HSA is the layer below HIP: its calls are part of a HIP call as well. */
static const char *const system_calls[] = {
	"poll",     "ppoll",        "epoll_*", "select",      "pselect*",  "pthread_*",
	"sem_*",    "futex*",       "sleep",   "usleep",      "nanosleep", "clock_nanosleep",
	"sigwait*", "wait",         "wait3",   "wait4",       "waitid",    "waitpid",
	"fork",     "vfork",        "exec*",   "sched_yield", "syscall",   "read",
	"readv",    "pread*",       "write",   "writev",      "pwrite*",   "open*",
	"creat*",   "close*",       "fopen*",  "fclose",      "fread*",    "fwrite*",
	"fgets*",   "fputs*",       "fflush*", "fsync",       "fdatasync", "lseek*",
	"stat*",    "fstat*",       "lstat*",  "access",      "ioctl",     "fcntl*",
	"flock",    "mmap*",        "munmap",  "mremap",      "mprotect",  "madvise",
	"msync",    "accept*",      "connect", "socket*",     "recv*",     "send*",
	"shutdown", "dup*",         "pipe*",   "eventfd*",    "splice",    "sync",
	"msg*",     "process_vm_*", "hsa_*",
};

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The name behind "cuda", "cu" or "hip", else NULL: a capital must follow, so that "cublasSgemm" is
 * none. */
static const char *behind_prefix(const char *name)
{
	static const char *const prefixes[] = {"cuda", "cu", "hip", NULL};

	for (const char *const *prefix = prefixes; *prefix; prefix++) {
		size_t len = strlen(*prefix);

		if (strncmp(name, *prefix, len) == 0 && is_upper(name[len]))
			return name + len;
	}
	return NULL;
}

/* Length without one "_v<digits>" at the end. */
static size_t without_version(const char *name, size_t len)
{
	size_t at = len;

	while (at > 0 && is_digit(name[at - 1]))
		at--;
	return at < len && at >= 2 && memcmp(name + at - 2, "_v", 2) == 0 ? at - 2 : len;
}

/* Length without one mark of per-thread default streams at the end. */
static size_t without_stream_mark(const char *name, size_t len)
{
	static const char *const marks[] = {"_ptsz", "_ptds", "_spt", NULL};

	for (const char *const *mark = marks; *mark; mark++) {
		size_t n = strlen(*mark);

		if (len > n && memcmp(name + len - n, *mark, n) == 0)
			return len - n;
	}
	return len;
}

static size_t length_of_stem(const char *name)
{
	size_t len = strlen(name), before;

	do {
		before = len;
		len = without_stream_mark(name, without_version(name, len));
	} while (len < before);
	return len;
}

static bool matches(const char *pattern, const char *text, size_t len)
{
	const char *star = strchr(pattern, '*');
	size_t head = star ? (size_t)(star - pattern) : strlen(pattern);
	size_t tail = star ? strlen(star + 1) : 0;

	if (len < head + tail || (!star && len != head))
		return false;
	if (memcmp(text, pattern, head) != 0)
		return false;
	return tail == 0 || memcmp(text + len - tail, star + 1, tail) == 0;
}

static bool is_system_call(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(system_calls) / sizeof(system_calls[0]); i++)
		if (matches(system_calls[i], name, len))
			return true;
	return false;
}

enum weir_api_class weir_api_class(const char *name)
{
	const char *stem = behind_prefix(name);
	size_t len;

	if (!stem)
		return is_system_call(name) ? WEIR_API_SYSTEM : WEIR_API_OTHER;
	len = length_of_stem(stem);
	for (size_t i = 0; i < sizeof(api_rows) / sizeof(api_rows[0]); i++)
		if (matches(api_rows[i].pattern, stem, len))
			return api_rows[i].class;
	return WEIR_API_OTHER;
}

uint8_t *weir_api_class_of_names(const struct weir_names *names)
{
	size_t count = weir_names_count(names);
	uint8_t *classes = weir_alloc(count ? count : 1);

	for (size_t id = 0; id < count; id++)
		classes[id] = (uint8_t)weir_api_class(weir_names_text(names, (uint32_t)id));
	return classes;
}

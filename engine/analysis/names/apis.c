/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "engine/analysis/names/apis.h"
#include "engine/base/arena.h"

struct api_row {
	/* The name without prefix and version suffix. At most one '*' stands for any text. */
	const char *pattern;
	enum weir_api_class class;
};

/* The first row that matches decides, so specific patterns precede general ones. */
static const struct api_row api_rows[] = {
	{"LaunchKernel*", WEIR_API_LAUNCH},
	{"LaunchCooperativeKernel*", WEIR_API_LAUNCH},
	{"LaunchGrid*", WEIR_API_LAUNCH},
	{"LaunchHostFunc*", WEIR_API_STREAM_WAIT},
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

	/* Copies between devices and within one device return early: CUDA Runtime API, "API
         * synchronization behavior". */
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

	{"GraphInstantiate*", WEIR_API_MODULE}, /* once per shape, not per step */
	{"Graphics*", WEIR_API_OTHER},
	{"Graph*", WEIR_API_CAPTURE},
	{"StreamIsCapturing", WEIR_API_CAPTURE},
	{"StreamBeginCapture*", WEIR_API_CAPTURE_BEGIN},
	{"StreamEndCapture", WEIR_API_CAPTURE_END},
	{"StreamGetCaptureInfo", WEIR_API_CAPTURE},
	{"StreamUpdateCaptureDependencies", WEIR_API_CAPTURE},
	{"ThreadExchangeStreamCaptureMode", WEIR_API_CAPTURE},

	{"EventQuery", WEIR_API_QUERY},
	{"EventElapsedTime", WEIR_API_QUERY},
	{"Event*", WEIR_API_EVENT},
	{"StreamWaitEvent", WEIR_API_STREAM_WAIT},
	{"StreamWaitValue*", WEIR_API_STREAM_WAIT},
	{"StreamAddCallback", WEIR_API_STREAM_WAIT},
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

/* Calls without such a prefix, by their whole name: system calls as profilers record them, calls of
 * HSA below HIP, and run-time compilers. */
static const struct api_row plain_rows[] = {
	{"poll", WEIR_API_SYSTEM_WAIT},
	{"ppoll", WEIR_API_SYSTEM_WAIT},
	{"epoll_wait*", WEIR_API_SYSTEM_WAIT},
	{"epoll_pwait*", WEIR_API_SYSTEM_WAIT},
	{"select", WEIR_API_SYSTEM_WAIT},
	{"pselect*", WEIR_API_SYSTEM_WAIT},
	{"pthread_cond_*", WEIR_API_SYSTEM_WAIT},
	{"pthread_join", WEIR_API_SYSTEM_WAIT},
	{"pthread_timedjoin*", WEIR_API_SYSTEM_WAIT},
	{"pthread_barrier_wait", WEIR_API_SYSTEM_WAIT},
	{"pthread_mutex_*", WEIR_API_SYSTEM_WAIT},
	{"pthread_rwlock_*", WEIR_API_SYSTEM_WAIT},
	{"sem_*", WEIR_API_SYSTEM_WAIT},
	{"futex*", WEIR_API_SYSTEM_WAIT},
	{"sleep", WEIR_API_SYSTEM_WAIT},
	{"usleep", WEIR_API_SYSTEM_WAIT},
	{"nanosleep", WEIR_API_SYSTEM_WAIT},
	{"clock_nanosleep", WEIR_API_SYSTEM_WAIT},
	{"sigwait*", WEIR_API_SYSTEM_WAIT},
	{"sigtimedwait", WEIR_API_SYSTEM_WAIT},
	{"wait", WEIR_API_SYSTEM_WAIT},
	{"wait3", WEIR_API_SYSTEM_WAIT},
	{"wait4", WEIR_API_SYSTEM_WAIT},
	{"waitid", WEIR_API_SYSTEM_WAIT},
	{"waitpid", WEIR_API_SYSTEM_WAIT},
	{"sched_yield", WEIR_API_SYSTEM_WAIT},
	{"accept*", WEIR_API_SYSTEM_WAIT},
	{"recv*", WEIR_API_SYSTEM_WAIT},
	{"msgrcv", WEIR_API_SYSTEM_WAIT},

	{"read", WEIR_API_SYSTEM_FILE},
	{"readv", WEIR_API_SYSTEM_FILE},
	{"pread*", WEIR_API_SYSTEM_FILE},
	{"fread*", WEIR_API_SYSTEM_FILE},
	{"fgets*", WEIR_API_SYSTEM_FILE},
	{"fgetc*", WEIR_API_SYSTEM_FILE},
	{"getline", WEIR_API_SYSTEM_FILE},

	{"epoll_*", WEIR_API_SYSTEM},
	{"pthread_*", WEIR_API_SYSTEM},
	{"fork", WEIR_API_SYSTEM},
	{"vfork", WEIR_API_SYSTEM},
	{"exec*", WEIR_API_SYSTEM},
	{"syscall", WEIR_API_SYSTEM},
	{"write", WEIR_API_SYSTEM},
	{"writev", WEIR_API_SYSTEM},
	{"pwrite*", WEIR_API_SYSTEM},
	{"open*", WEIR_API_SYSTEM},
	{"creat*", WEIR_API_SYSTEM},
	{"close*", WEIR_API_SYSTEM},
	{"fopen*", WEIR_API_SYSTEM},
	{"fclose", WEIR_API_SYSTEM},
	{"fwrite*", WEIR_API_SYSTEM},
	{"fputs*", WEIR_API_SYSTEM},
	{"fflush*", WEIR_API_SYSTEM},
	{"fsync", WEIR_API_SYSTEM},
	{"fdatasync", WEIR_API_SYSTEM},
	{"lseek*", WEIR_API_SYSTEM},
	{"stat*", WEIR_API_SYSTEM},
	{"fstat*", WEIR_API_SYSTEM},
	{"lstat*", WEIR_API_SYSTEM},
	{"access", WEIR_API_SYSTEM},
	{"ioctl", WEIR_API_SYSTEM},
	{"fcntl*", WEIR_API_SYSTEM},
	{"flock", WEIR_API_SYSTEM},
	{"mmap*", WEIR_API_SYSTEM},
	{"munmap", WEIR_API_SYSTEM},
	{"mremap", WEIR_API_SYSTEM},
	{"mprotect", WEIR_API_SYSTEM},
	{"madvise", WEIR_API_SYSTEM},
	{"msync", WEIR_API_SYSTEM},
	{"connect", WEIR_API_SYSTEM},
	{"socket*", WEIR_API_SYSTEM},
	{"send*", WEIR_API_SYSTEM},
	{"shutdown", WEIR_API_SYSTEM},
	{"dup*", WEIR_API_SYSTEM},
	{"pipe*", WEIR_API_SYSTEM},
	{"eventfd*", WEIR_API_SYSTEM},
	{"splice", WEIR_API_SYSTEM},
	{"sync", WEIR_API_SYSTEM},
	{"msg*", WEIR_API_SYSTEM},
	{"process_vm_*", WEIR_API_SYSTEM},

	{"nvrtcCompileProgram", WEIR_API_MODULE},
	{"nvJitLinkComplete", WEIR_API_MODULE},
	{"hiprtcCompileProgram", WEIR_API_MODULE},
	{"hiprtcLinkComplete", WEIR_API_MODULE},
	{"hsa_executable_load*", WEIR_API_MODULE},
	{"hsa_executable_freeze", WEIR_API_MODULE},
	{"hsa_code_object_reader_create*", WEIR_API_MODULE},
	{"hsa_signal_wait*", WEIR_API_SYNC},
	{"hsa_memory_allocate", WEIR_API_ALLOC},
	{"hsa_memory_free", WEIR_API_ALLOC},
	{"hsa_amd_memory_pool_allocate", WEIR_API_ALLOC},
	{"hsa_amd_memory_pool_free", WEIR_API_ALLOC},
	{"hsa_*", WEIR_API_SYSTEM},
};

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the name after "cuda", "cu" or "hip", else NULL. A capital must follow, which excludes
 * "cublasSgemm". */
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

/* Returns the length without one "_v<digits>" at the end. */
static size_t without_version(const char *name, size_t len)
{
	size_t at = len;

	while (at > 0 && is_digit(name[at - 1]))
		at--;
	return at < len && at >= 2 && memcmp(name + at - 2, "_v", 2) == 0 ? at - 2 : len;
}

/* Returns the length without one suffix of per-thread default streams. */
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

static enum weir_api_class find_class(const struct api_row *rows, size_t count, const char *name,
                                      size_t len)
{
	for (size_t i = 0; i < count; i++)
		if (matches(rows[i].pattern, name, len))
			return rows[i].class;
	return WEIR_API_OTHER;
}

enum weir_api_class weir_api_class(const char *name)
{
	const char *stem = behind_prefix(name);

	if (!stem)
		return find_class(plain_rows, sizeof plain_rows / sizeof *plain_rows, name,
		                  strlen(name));
	return find_class(api_rows, sizeof api_rows / sizeof *api_rows, stem, length_of_stem(stem));
}

uint8_t *weir_api_class_of_names(const struct weir_names *names)
{
	size_t count = weir_names_count(names);
	uint8_t *classes = weir_alloc(count ? count : 1);

	for (size_t id = 0; id < count; id++)
		classes[id] = (uint8_t)weir_api_class(weir_names_text(names, (uint32_t)id));
	return classes;
}

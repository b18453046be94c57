/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/names/apis.h"

struct expected {
	const char *name;
	enum weir_api_class class;
};

static const struct expected known[] = {
	{"cudaLaunchKernel", WEIR_API_LAUNCH},
	{"cudaLaunchKernel_ptsz_v7000", WEIR_API_LAUNCH},
	{"cudaLaunchKernelExC_v11060", WEIR_API_LAUNCH},
	{"cuLaunchKernelEx", WEIR_API_LAUNCH},
	{"cudaLaunchCooperativeKernel", WEIR_API_LAUNCH},
	{"hipExtModuleLaunchKernel", WEIR_API_LAUNCH},
	{"hipExtLaunchKernel", WEIR_API_LAUNCH},
	{"hipModuleLaunchKernel", WEIR_API_LAUNCH},
	{"hipLaunchKernel_spt", WEIR_API_LAUNCH},
	{"cudaGraphLaunch", WEIR_API_GRAPH_LAUNCH},
	{"cuGraphLaunch_ptsz", WEIR_API_GRAPH_LAUNCH},
	{"hipGraphLaunch", WEIR_API_GRAPH_LAUNCH},
	{"cudaStreamSynchronize", WEIR_API_SYNC},
	{"cudaDeviceSynchronize", WEIR_API_SYNC},
	{"cuCtxSynchronize", WEIR_API_SYNC},
	{"hipEventSynchronize", WEIR_API_SYNC},
	{"cudaMemcpy", WEIR_API_COPY_BLOCKING},
	{"cudaMemcpy2D_ptds", WEIR_API_COPY_BLOCKING},
	{"cudaMemcpyToSymbol", WEIR_API_COPY_BLOCKING},
	{"cuMemcpyDtoH_v2", WEIR_API_COPY_BLOCKING},
	{"hipMemcpyWithStream", WEIR_API_COPY_BLOCKING},
	{"cudaMemcpyAsync", WEIR_API_COPY_ASYNC},
	{"cuMemcpyHtoDAsync_v2", WEIR_API_COPY_ASYNC},
	{"cudaMemcpy2DAsync_ptsz", WEIR_API_COPY_ASYNC},
	{"cudaMemcpyPeerAsync", WEIR_API_COPY_ASYNC},
	{"cudaMemsetAsync", WEIR_API_SET},
	{"cuMemsetD32Async", WEIR_API_SET},
	{"cudaMalloc", WEIR_API_ALLOC},
	{"cudaFree", WEIR_API_ALLOC},
	{"cudaMallocHost", WEIR_API_ALLOC},
	{"cudaHostAlloc", WEIR_API_ALLOC},
	{"cudaHostRegister", WEIR_API_ALLOC},
	{"cuMemAlloc_v2", WEIR_API_ALLOC},
	{"cuMemCreate", WEIR_API_ALLOC},
	{"cuMemSetAccess", WEIR_API_ALLOC},
	{"hipExtMallocWithFlags", WEIR_API_ALLOC},
	{"hipHostMalloc", WEIR_API_ALLOC},
	{"cudaMallocAsync_v11020", WEIR_API_ALLOC_ASYNC},
	{"cudaMallocFromPoolAsync", WEIR_API_ALLOC_ASYNC},
	{"cudaFreeAsync", WEIR_API_ALLOC_ASYNC},
	{"cuMemAllocAsync", WEIR_API_ALLOC_ASYNC},
	{"cuModuleLoadDataEx", WEIR_API_MODULE},
	{"cuLibraryLoadData", WEIR_API_MODULE},
	{"cuLibraryGetKernel", WEIR_API_MODULE},
	{"hipModuleGetFunction", WEIR_API_MODULE},
	{"cuLinkCreate_v2", WEIR_API_MODULE},
	{"cudaStreamIsCapturing", WEIR_API_CAPTURE},
	{"cudaStreamGetCaptureInfo_v2_v11030", WEIR_API_CAPTURE},
	{"cudaStreamBeginCapture", WEIR_API_CAPTURE_BEGIN},
	{"cudaGraphInstantiateWithFlags", WEIR_API_MODULE},
	{"cudaThreadExchangeStreamCaptureMode", WEIR_API_CAPTURE},
	{"cudaEventRecordWithFlags", WEIR_API_EVENT},
	{"cudaEventCreateWithFlags", WEIR_API_EVENT},
	{"hipStreamWaitEvent", WEIR_API_STREAM_WAIT},
	{"cudaLaunchHostFunc", WEIR_API_STREAM_WAIT},
	{"hipStreamAddCallback", WEIR_API_STREAM_WAIT},
	{"hiprtcCompileProgram", WEIR_API_MODULE},
	{"hipModuleLoadData", WEIR_API_MODULE},
	{"cuLibraryLoadData", WEIR_API_MODULE},
	{"hsa_executable_load_agent_code_object", WEIR_API_MODULE},
	{"hsa_amd_memory_pool_allocate", WEIR_API_ALLOC},
	{"cudaEventQuery", WEIR_API_QUERY},
	{"cudaEventElapsedTime", WEIR_API_QUERY},
	{"hipStreamQuery", WEIR_API_QUERY},
	{"cudaGetLastError", WEIR_API_QUERY},
	{"cudaFuncGetAttributes", WEIR_API_QUERY},
	{"cuModuleGetLoadingMode", WEIR_API_QUERY},
	{"hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", WEIR_API_QUERY},
	{"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", WEIR_API_QUERY},
	{"cudaPointerGetAttributes", WEIR_API_QUERY},
	{"poll", WEIR_API_SYSTEM_WAIT},
	{"pthread_cond_wait", WEIR_API_SYSTEM_WAIT},
	{"fread", WEIR_API_SYSTEM_FILE},
	{"ioctl", WEIR_API_SYSTEM},
	{"hsa_signal_wait_scacquire", WEIR_API_SYNC},
	{"hsa_queue_create", WEIR_API_SYSTEM},
	{"pollute", WEIR_API_OTHER},
	{"cudaSetDevice", WEIR_API_OTHER},
	{"cudaLaunchHostFunc_spt", WEIR_API_STREAM_WAIT},
	{"cudaGraphicsMapResources", WEIR_API_OTHER},
};

/* Names that resemble driver and runtime calls. */
static const char *const strangers[] = {
	"",         "cu",     "cuda",          "hip",     "cublasGemmEx", "cudnnConvolutionForward",
	"aten::mm", "Malloc", "hipblasCreate", "cudaX_v", "_v2",          "cuda_v2",
	NULL,
};

static void a_call_is_known_under_every_spelling(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		enum weir_api_class class = weir_api_class(known[i].name);

		if (class != known[i].class)
			fail_msg("%s: class %d, expected %d", known[i].name, (int)class,
			         (int)known[i].class);
	}
}

static void a_stranger_is_other(void **state)
{
	(void)state;
	for (const char *const *name = strangers; *name; name++)
		if (weir_api_class(*name) != WEIR_API_OTHER)
			fail_msg("\"%s\" has a class", *name);
}

static void the_column_of_classes_follows_the_ids(void **state)
{
	struct weir_names *names = weir_names_new();
	uint32_t sync = weir_names_add(names, "cudaStreamSynchronize", 21);
	uint32_t op = weir_names_add(names, "aten::mm", 8);
	uint8_t *classes = weir_api_class_of_names(names);

	(void)state;
	assert_int_equal(classes[0], WEIR_API_OTHER);
	assert_int_equal(classes[sync], WEIR_API_SYNC);
	assert_int_equal(classes[op], WEIR_API_OTHER);
	free(classes);
	weir_names_free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_is_known_under_every_spelling),
		cmocka_unit_test(a_stranger_is_other),
		cmocka_unit_test(the_column_of_classes_follows_the_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

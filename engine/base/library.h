/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads a shared library when something first needs it. libarchive, libcurl and libpq bring 36
 * other libraries with them: a program that is linked with them takes four times as long to start
 * and maps 70 MB more, and most commands call none of them.
 *
 * A header NAME_calls.h lists the calls of a library once, as WEIR_NAME_CALLS(call). It declares a
 * struct of pointers to them, and a macro for each, so that sources call them by their own names.
 * The linker refuses a call that is missing there.
 */
#ifndef WEIR_BASE_LIBRARY_H
#define WEIR_BASE_LIBRARY_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

/* A member of the struct of pointers; the text in a table of names. __typeof__ lets the compiler
 * check every call against the header of the library. */
#define WEIR_CALL_POINTER(name) __typeof__(name) *(name);
#define WEIR_CALL_NAME(name)    #name,

struct weir_library {
	const char *file;         /* "libpq.so.5": the version that the header describes */
	const char *package;      /* the package that holds it, for the message */
	const char *const *names; /* `count` calls */
	size_t count;
	void *calls; /* a struct of `count` pointers to functions; they are set by loading */
	pthread_mutex_t lock;
	atomic_bool is_loaded;
};

/*
 * Defines the functions that NAME_calls.h declares, once, in NAME_calls.c: weir_NAME_load(), and
 * weir_NAME(), which returns the struct of pointers. `list` is WEIR_NAME_CALLS.
 */
/* clang-format off */
#define WEIR_LIBRARY_DEFINE(name_, list, file_, package_) \
	static const char *const call_names[] = {list(WEIR_CALL_NAME)}; \
	static struct weir_##name_##_calls call_pointers; \
	static_assert(sizeof call_pointers == \
	              sizeof call_names / sizeof call_names[0] * sizeof(void *), "no padding"); \
	static struct weir_library library = { \
		.file = (file_), \
		.package = (package_), \
		.names = call_names, \
		.count = sizeof call_names / sizeof call_names[0], \
		.calls = &call_pointers, \
		.lock = PTHREAD_MUTEX_INITIALIZER, \
	}; \
	enum weir_status weir_##name_##_load(struct weir_error *err) \
	{ \
		return weir_library_load(&library, err); \
	} \
	const struct weir_##name_##_calls *weir_##name_(void) \
	{ \
		return &call_pointers; \
	}
/* clang-format on */

/* Loads the library unless that was done. Safe on several threads. The library stays loaded. Fails
 * with WEIR_E_IO and the package to install. */
enum weir_status weir_library_load(struct weir_library *library, struct weir_error *err);

#endif

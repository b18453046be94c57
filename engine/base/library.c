/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dlfcn.h>
#include <string.h>

#include "engine/base/library.h"

/* Sets the pointers; returns the name of a call that is missing, or NULL. */
static const char *find_calls(const struct weir_library *library, void *handle)
{
	for (size_t i = 0; i < library->count; i++) {
		void *address = dlsym(handle, library->names[i]);

		if (!address)
			return library->names[i];
		/* POSIX lets an object pointer of dlsym() hold a function; C has no cast for it. */
		memcpy((char *)library->calls + i * sizeof address, &address, sizeof address);
	}
	return NULL;
}

static enum weir_status load(const struct weir_library *library, struct weir_error *err)
{
	void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
	const char *missing;

	if (!handle) {
		const char *reason = dlerror();

		return weir_fail(err, WEIR_E_IO,
		                 "needs %s, which cannot be loaded: install %s (%s)", library->file,
		                 library->package, reason ? reason : "no reason");
	}
	missing = find_calls(library, handle);
	if (missing)
		return weir_fail(err, WEIR_E_IO, "needs another version of %s, with %s: install %s",
		                 library->file, missing, library->package);
	return WEIR_OK;
}

enum weir_status weir_library_load(struct weir_library *library, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	if (atomic_load_explicit(&library->is_loaded, memory_order_acquire))
		return WEIR_OK;
	pthread_mutex_lock(&library->lock);
	if (!atomic_load_explicit(&library->is_loaded, memory_order_relaxed)) {
		status = load(library, err);
		atomic_store_explicit(&library->is_loaded, !status, memory_order_release);
	}
	pthread_mutex_unlock(&library->lock);
	return status;
}

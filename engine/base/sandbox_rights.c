/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled with _GNU_SOURCE: syscall() is not in POSIX, and libc has no calls for Landlock and
 * seccomp. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#if defined(__linux__)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "engine/base/sandbox.h"
#include "engine/base/sandbox_rights.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Landlock ---- */

#if defined(SYS_landlock_create_ruleset)

#define CREATE_VERSION (1u << 0) /* LANDLOCK_CREATE_RULESET_VERSION */
#define MOST_VERSION   5         /* later ones know nothing else that we refuse */

/* LANDLOCK_ACCESS_FS_* but READ_FILE (bit 2) and READ_DIR (bit 3): EXECUTE, WRITE_FILE, REMOVE_*
 * and MAKE_*; since version 2 REFER, since 3 TRUNCATE, since 5 IOCTL_DEV. The headers of the
 * machine that builds weir may be older than the kernel that runs it. */
#define FILES_SINCE_1 ((UINT64_C(1) << 13) - 1 - (1u << 2) - (1u << 3))
#define REFER         (UINT64_C(1) << 13)
#define TRUNCATE      (UINT64_C(1) << 14)
#define IOCTL_DEV     (UINT64_C(1) << 15)
#define TCP           UINT64_C(3) /* LANDLOCK_ACCESS_NET_BIND_TCP and CONNECT_TCP, since 4 */

/* struct landlock_ruleset_attr; a kernel that does not know the last member takes it if it is 0. */
struct refused {
	uint64_t files, network;
};

/* Refuses everything that the rights name, because the set has no rule that allows any of it. */
static bool use_landlock(void)
{
	static const struct refused of_version[] = {
		{0, 0},
		{FILES_SINCE_1, 0},
		{FILES_SINCE_1 | REFER, 0},
		{FILES_SINCE_1 | REFER | TRUNCATE, 0},
		{FILES_SINCE_1 | REFER | TRUNCATE, TCP},
		{FILES_SINCE_1 | REFER | TRUNCATE | IOCTL_DEV, TCP},
	};
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
	bool done;
	long set;

	if (version < 1)
		return false;
	set = syscall(SYS_landlock_create_ruleset,
	              &of_version[version < MOST_VERSION ? version : MOST_VERSION],
	              sizeof of_version[0], 0);
	if (set < 0)
		return false;
	done = syscall(SYS_landlock_restrict_self, set, 0) == 0;
	close((int)set);
	return done;
}

#else

static bool use_landlock(void)
{
	return false;
}

#endif

/* ---- seccomp ---- */

#if defined(SYS_seccomp) && defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(SYS_seccomp) && defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(ARCHITECTURE)

#define X32_BIT 0x40000000u /* calls of the second set of x86-64 */

/* Calls that start programs, reach the network, change what other threads and programs see in the
 * file system, or reach into other processes. io_uring does its work outside of the filter. */
static const int refused_calls[] = {
	SYS_execve,
	SYS_execveat,
	SYS_socket,
	SYS_socketpair,
	SYS_connect,
	SYS_bind,
	SYS_listen,
	SYS_accept,
	SYS_accept4,
	SYS_sendto,
	SYS_sendmsg,
	SYS_sendmmsg,
	SYS_unlinkat,
	SYS_renameat2,
	SYS_mkdirat,
	SYS_mknodat,
	SYS_linkat,
	SYS_symlinkat,
	SYS_truncate,
	SYS_fchmod,
	SYS_fchmodat,
	SYS_fchown,
	SYS_fchownat,
	SYS_utimensat,
	SYS_setxattr,
	SYS_lsetxattr,
	SYS_fsetxattr,
	SYS_removexattr,
	SYS_lremovexattr,
	SYS_fremovexattr,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_unshare,
	SYS_setns,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_kill,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_kexec_load,
	SYS_init_module,
	SYS_finit_module,
	SYS_name_to_handle_at,
	SYS_open_by_handle_at,
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef SYS_unlink /* x86-64 has the calls without "at" as well */
	SYS_unlink,
	SYS_rename,
	SYS_mkdir,
	SYS_rmdir,
	SYS_mknod,
	SYS_link,
	SYS_symlink,
	SYS_chmod,
	SYS_chown,
	SYS_lchown,
	SYS_creat,
	SYS_utime,
	SYS_utimes,
	SYS_futimesat,
#endif
#ifdef SYS_io_uring_setup
	SYS_io_uring_setup,
#endif
#ifdef SYS_openat2 /* its flags lie in memory, where the filter cannot look; libc does not call it \
                    */
	SYS_openat2,
#endif
#ifdef SYS_move_mount
	SYS_move_mount,
	SYS_open_tree,
	SYS_fsmount,
#endif
};

#define WRITING_FLAGS (O_ACCMODE | O_CREAT | O_TRUNC)

struct program {
	struct sock_filter steps[2 * COUNT_OF(refused_calls) + 32];
	unsigned short count;
};

static void add(struct program *program, unsigned short code, uint32_t value, uint8_t if_true,
                uint8_t if_false)
{
	program->steps[program->count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void add_load(struct program *program, size_t offset)
{
	add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void add_answer(struct program *program, uint32_t answer)
{
	add(program, BPF_RET | BPF_K, answer, 0, 0);
}

static const uint32_t refusal = SECCOMP_RET_ERRNO | EPERM;

static void add_refused(struct program *program, int call)
{
	add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
	add_answer(program, refusal);
}

/* Refuses to open for writing. `flags` is the index of that argument; its lower half comes first on
 * the processors above. Later steps need the number of the call: it is loaded again. */
static void add_opening(struct program *program, int call, unsigned flags)
{
	size_t offset = offsetof(struct seccomp_data, args) + flags * sizeof(uint64_t);

	add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4);
	add_load(program, offset);
	add(program, BPF_JMP | BPF_JSET | BPF_K, WRITING_FLAGS, 0, 1);
	add_answer(program, refusal);
	add_load(program, offsetof(struct seccomp_data, nr));
}

static void build(struct program *program)
{
	*program = (struct program){0};
	add_load(program, offsetof(struct seccomp_data, arch));
	add(program, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	add_answer(program, SECCOMP_RET_KILL_PROCESS); /* calls of another processor have others */
	add_load(program, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
	add(program, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
	add_answer(program, refusal);
#endif
#ifdef SYS_open
	add_opening(program, SYS_open, 1);
#endif
	add_opening(program, SYS_openat, 2);
	for (size_t i = 0; i < COUNT_OF(refused_calls); i++)
		add_refused(program, refused_calls[i]);
	add_answer(program, SECCOMP_RET_ALLOW);
}

/* Installs the filter. Without SPEC_ALLOW, kernels before 5.16 slow the thread down. */
static bool use_seccomp(void)
{
	struct program program;
	struct sock_fprog filter = {.filter = program.steps};

	build(&program);
	filter.len = program.count;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
	               &filter) == 0 ||
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

#else

static bool use_seccomp(void)
{
	return false;
}

#endif

unsigned weir_rights_drop(unsigned layers)
{
	unsigned used = 0;

#if defined(__linux__)
	/* Both demand it of a thread without privileges. It concerns this thread and its children.
	 */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return 0;
#endif
	if (layers & WEIR_SANDBOX_LANDLOCK && use_landlock())
		used |= WEIR_SANDBOX_LANDLOCK;
	if (layers & WEIR_SANDBOX_SECCOMP && use_seccomp())
		used |= WEIR_SANDBOX_SECCOMP;
	return used;
}

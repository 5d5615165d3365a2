/* process.h: the parts of the worker process, for each other. Only the main thread runs cells. */
#pragma once

#include <jansson.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* ---- talk.c: messages to and from the session */
void talk_open(int fd); /* the socket; call it first */
/* Sends a message to the session; safe from every thread, not from a signal handler. */
void talk_send(json_t *message);
/* Waits for the session's next message with this "op". Returns NULL if the session has ended. Jumps
 * on an interrupt. Main thread only. */
json_t *talk_answer(const char *want);
json_t *talk_next(void); /* waits for any message; NULL if the session has ended */
bool talk_ours(void);    /* false in a child that a cell forked */

/* ---- output.c: stdout in a buffer of our own, flushed often, rescued after a crash */
void output_open(void);
/* Flushes C's and C++'s streams, so that output precedes the next message. */
void output_flush(void);
/* Drops the cell's output between an interrupt and its end. A flood of output then spends its time
 * in the cell's own code, where it can be stopped, not in a full pipe. Async-signal-safe. */
void output_mute(void);
void output_unmute(void);
/* Flushes, and connects stdout and stderr to the session again, even if a cell closed, redirected
 * or reopened them. */
void output_restore(void);
void output_rescue(void); /* async-signal-safe: writes what is still in the buffer */

/* ---- stdin.c: reading stdin asks the user. To be called before libstdc++ is loaded. */
void stdin_open(void);
void stdin_restore(void); /* makes stdin ask again, also after end of file, fclose and freopen */

/* ---- signals.c: crashes */
/* Registers [start, end) as code of a cell, for crash reports and safe interruption. */
void signals_add_library(const char *path, uintptr_t start, uintptr_t end);
bool signals_is_cell(uintptr_t address);                    /* async-signal-safe */
uintptr_t signals_counter(const ucontext_t *context);       /* where the signal interrupted */
void signals_crash(int number, siginfo_t *, void *context); /* reports, and ends the process */
/* SIGINT and SIGRTMAX wait while the handler runs. flags: of sigaction. */
void signals_handle(int number, void (*handler)(int, siginfo_t *, void *), int flags);
/* Returns the action that signals_handle() made for this signal if `handler` is its handler, else
 * NULL. A caller that restores the result of signal() has only the handler, and the kernel fills in
 * siginfo for SA_SIGINFO alone. */
const struct sigaction *signals_ours(int number, sighandler_t handler);
void signals_open(int fd); /* sends crash reports to this socket */

/* Returns the file size limit in bytes that a write exceeded since the last call (SIGXFSZ), or
 * 0. */
size_t signals_file_limit(void);

/* Returns those of `addresses` that are in cells' code: [[path, offset], ...]. */
json_t *signals_frames(void *const *addresses, int count);

/* ---- interrupt.c: after signals_open() */
void interrupt_open(void);
/* Returns where an interrupt jumps to while a cell runs. Usage: if (sigsetjmp(*interrupt_enter(),
 * 1)
 * == 0) { interrupt_start(); ...; interrupt_leave(); } else the cell was stopped. */
sigjmp_buf *interrupt_enter(void);
void interrupt_start(void);
void interrupt_leave(void);
/* Non-zero after an interrupt. Our blocking calls then call interrupt_jump(). */
extern volatile int interrupt_came;
_Noreturn void interrupt_jump(void);
/* For a crash handler: does not return if the unwinder crashed. */
void interrupt_astray(void);

/* ---- throw.c: where the exception was thrown that a cell let out. Tells the session (a
 * "frames" message); returns the bytes the process held then, when it was std::bad_alloc, else 0.
 */
size_t throw_report(void);

/* ---- exit.c: exit() in a cell */
void exit_open(bool cell); /* before a cell (true) or a program, which may call exit() */
void exit_close(void);     /* after it */
/* After a jump: returns true if exit() caused it, with its argument in *status. Reports where. */
bool exit_report(int *status);

/* ---- memory.c: the limit on what a cell may allocate */
void memory_open(void);
void memory_tighten(void); /* before a cell runs */
void memory_loosen(void);  /* after it */
size_t memory_held(void);  /* bytes of private writable memory; allocates a little */
size_t memory_limit(void); /* bytes; 0: none */

/* ---- limits.c: setrlimit() in a cell */
/* Sets the soft limit, as far as the hard one allows. */
void limits_set(int which, unsigned long soft);
void limits_open(void);    /* call it before memory_open */
void limits_begin(void);   /* before a cell runs */
void limits_restore(void); /* after it: undoes what the cell lowered */

/* ---- mappings.c: the memory of the cells' libraries */
/* Crash reports, interrupts and mappings support this many libraries. */
enum { WB_PROCESS_LIBRARIES = 1 << 16 };
/* Takes in a loaded library before any of its code runs. */
void mappings_add(const struct dl_phdr_info *info);
/* Returns the protection of a cell's code, for mprotect(). Async-signal-safe. */
int mappings_code(const void *address);

/* ---- cuda.c: the device behind libcudart, if the cell uses one */
/* Prepares a loaded library before it runs. record, debug: arguments of softgpu_record() and
 * softgpu_debug(), or NULL. */
void cuda_prepare(unsigned options, const char *record, const char *debug);
/* Adds the address of the named variable, in the library or those it uses, to softgpu_record()'s
 * argument. malloc'd; NULL for NULL. */
char *cuda_wish(const char *record, void *library);
void cuda_interrupt(void); /* async-signal-safe */
/* Waits for the device and adds "cuda", "report", "memory_used", "memory_total" to the message.
 * Returns false if the device is unusable. */
bool cuda_finish(json_t *message);
/* Returns true if the address is or was softgpu's device memory. Async-signal-safe. */
bool cuda_owns(const void *address);

/* ---- statics.c: what templates and inline functions keep, once for all cells */
/* Makes a loaded library use the earlier libraries' symbols of `versions` ({symbol: version}; NULL:
 * none), before any of its code runs. Later libraries can use the symbols that are new in it. */
void statics_share(void *handle, const json_t *versions);
/* Begins the cell's own code, which uses the earlier libraries' function addresses. */
void statics_begin(void);
/* Lets statics_begin write the value there. */
void statics_later(uintptr_t *at, uintptr_t value);

/* ---- redefine.c: what is defined anew, all code uses */
/* Takes in a loaded library before any of its code runs. binds is {symbol: [chain, item]} for what
 * it defines (item 0: at once), and {symbol: [chain]} for what it uses; NULL: nothing. */
void redefine_load(void *handle, const json_t *binds);

/* ---- job.c */
void job_run(const json_t *request);
/* Sends the last message when a cell or a finished program calls exit(). */
void job_exiting(int status);

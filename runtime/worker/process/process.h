/* process.h: the parts of the worker process, for each other. One thread, the main one, runs cells.
 */
#ifndef WARPBOOK_WORKER_PROCESS_H
#define WARPBOOK_WORKER_PROCESS_H

#include <jansson.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* ---- talk.c: messages to and from the session */
void talk_open(int fd); /* the socket: first of all */
/* Sends a message to the session; safe from every thread, not from a signal handler. */
void talk_send(json_t *message);
/* Waits for the session's next message with this "op"; NULL when it is gone. Jumps when
 * interrupted. The main thread alone. */
json_t *talk_answer(const char *want);
json_t *talk_next(void); /* waits for any message, whatever comes; NULL when the session is gone */
bool talk_ours(void);    /* whether this is the process itself, and no child that a cell forked */

/* ---- output.c: stdout in a buffer of our own, flushed often, rescued after a crash */
void output_open(void);
/* Everything printed so far goes out, in order with the next message: C's and C++'s streams. */
void output_flush(void);
/* Between an interrupt and the end of the cell what it prints is dropped, so that a flood spends
 * its time in the cell's own code, where it can be stopped, and not in a full pipe.
 * Async-signal-safe. */
void output_mute(void);
void output_unmute(void);
/* Flushes; then stdout and stderr lead to the session again, whatever a cell closed, redirected or
 * reopened. */
void output_restore(void);
void output_rescue(void); /* async-signal-safe: writes what is still in the buffer */

/* ---- stdin.c: reading stdin asks the user. To be called before libstdc++ is loaded. */
void stdin_open(void);
void stdin_restore(void); /* stdin asks again, after an end of file, fclose and freopen, too */

/* ---- signals.c: crashes */
/* Code of cells lies in [start, end); crash reports and safe interruption look it up. */
void signals_add_library(const char *path, uintptr_t start, uintptr_t end);
bool signals_is_cell(uintptr_t address);                    /* async-signal-safe */
uintptr_t signals_counter(const ucontext_t *context);       /* where a signal interrupted */
void signals_crash(int number, siginfo_t *, void *context); /* reports, and ends the process */
/* SIGINT and SIGRTMAX wait while the handler runs. flags: of sigaction. */
void signals_handle(int number, void (*handler)(int, siginfo_t *, void *), int flags);
/* What signals_handle() made of this signal, if `handler` is its handler; else NULL. Who keeps what
 * signal() returned gives back a bare handler, and the kernel fills in siginfo for SA_SIGINFO
 * alone. */
const struct sigaction *signals_ours(int number, sighandler_t handler);
void signals_open(int fd); /* a crash is reported to this socket */

/* The limit of a file's size, bytes, that was met since the last call (SIGXFSZ); else 0. */
size_t signals_file_limit(void);

/* The calls among `addresses` that stand in cells' code: [[path, offset], ...]. */
json_t *signals_frames(void *const *addresses, int count);

/* ---- interrupt.c: after signals_open() */
void interrupt_open(void);
/* Where an interrupt jumps to while a cell runs:
 *   if (sigsetjmp(*interrupt_enter(), 1) == 0) { interrupt_start(); ...; interrupt_leave(); } else
 * stopped */
sigjmp_buf *interrupt_enter(void);
void interrupt_start(void);
void interrupt_leave(void);
/* Non-zero since an interrupt arrived; a blocking call of ours that sees it calls interrupt_jump().
 */
extern volatile int interrupt_came;
_Noreturn void interrupt_jump(void);
/* For the handler of a crash: does not return if looking for a place to stop crashed. */
void interrupt_astray(void);

/* ---- throw.c: where the exception was thrown that a cell let out. Tells the session (a
 * "frames" message); returns the bytes the process held then, when it was std::bad_alloc, else 0.
 */
size_t throw_report(void);

/* ---- exit.c: exit() in a cell */
void exit_open(
    bool cell);        /* before a cell runs (true), or a program, which may exit() as it likes */
void exit_close(void); /* after it */
/* After a jump: whether exit() was it; *status what it was called with. Tells the session where. */
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
void limits_open(void);    /* before memory_open */
void limits_begin(void);   /* before a cell runs */
void limits_restore(void); /* after it: undoes what the cell lowered */

/* ---- mappings.c: the memory of the cells' libraries */
/* Crash reports, interrupts and mappings know this many libraries. */
enum { WB_PROCESS_LIBRARIES = 1 << 16 };
/* To be called for a library just loaded, before any of its code runs. */
void mappings_add(const struct dl_phdr_info *info);
/* The protection of a cell's code, for mprotect(); async-signal-safe. */
int mappings_code(const void *address);

/* ---- cuda.c: the device behind libcudart, if the cell uses one */
/* After the library is loaded, before it runs; record: softgpu_record()'s wish, or NULL. */
void cuda_prepare(unsigned options, const char *record);
/* The wish with the place of the variable that it names, in the library or those it uses; malloc'd,
 * NULL for NULL. */
char *cuda_wish(const char *record, void *library);
void cuda_interrupt(void); /* async-signal-safe */
/* Waits for the device; adds "cuda", "report", "memory_used", "memory_total" to the message.
 * Returns false when the device can't be used any more. */
bool cuda_finish(json_t *message);
/* Returns true if the address is or was softgpu's device memory. Async-signal-safe. */
bool cuda_owns(const void *address);

/* ---- statics.c: what templates and inline functions keep, once for all cells */
/* Lets a library just loaded use what earlier ones have of `versions` ({symbol: version}; NULL:
 * nothing), before any of its code runs; what they have not is the library's own, for later ones.
 */
void statics_share(void *handle, const json_t *versions);
/* The cell's own code begins: it has the earlier libraries' addresses of functions, too. */
void statics_begin(void);
/* Lets statics_begin write the value there. */
void statics_later(uintptr_t *at, uintptr_t value);

/* ---- redefine.c: what is defined anew, all code uses */
/* Takes in a library just loaded, before any of its code runs. {symbol: [chain, item]} of what it
 * defines, item 0 for what is there at once, and of what it uses besides {symbol: [chain]}; NULL:
 * nothing. */
void redefine_load(void *handle, const json_t *binds);

/* ---- job.c */
void job_run(const json_t *request);
/* exit() was called, by a cell or at a program's end: the last word to the session. */
void job_exiting(int status);

#endif

/* softgpu.h: what softgpu's libcudart.so.13 offers beyond NVIDIA's. Callers find these functions
 * with dlsym(). If they are missing, the device is a real GPU. runtime/README.md lists the
 * environment variables that softgpu reads at its first use. */
#pragma once

/* Sets bits of enum sg_option (engine.h). With SG_SAMPLE, a launch that has to run whole may take
 * 20 s unless the environment sets another limit. */
void softgpu_set_options(unsigned options);

/* Selects what launches with SG_RECORD record:
 * {"what":"access"|"map"|"lanes"|"block"|"grid"|"values",
 * "block":[0,0,0],"warp":0,"time":1,"kernel":"transpose"}. Without "kernel" any kernel is recorded.
 * At most 32 launches are recorded until the next report. NULL records nothing. */
void softgpu_record(const char *wish);

/* Connects the debugger to a client, or ends that: {"path":"/tmp/..","texts":[files of PTX with
 * debug information],"sources":{"cell [..]":"the client's path"}}. Without "path", or NULL: off.
 * From then on launches run under it (debug/README.md). */
void softgpu_debug(const char *wish);

/* Sets the language of messages from now on: "en" or "zh" (wb_language_read() in base.h). */
void softgpu_set_language(const char *name);

/* Sets the caller's functions. Each may be NULL. `calls` is backtrace(); it gives the report its
 * "failed" member. softgpu calls `fault` as soon as a kernel faults, with the report's "fault" as
 * text. So the fault is known even if it kills the process. */
void softgpu_set_hooks(int (*calls)(void **, int), void (*fault)(const char *json));

/* Returns a JSON report of everything since the last reset. The caller frees it.
 *
 * {"device":"softgpu","launches":[{"kernel":"transpose(float*, ...)","symbol":"_Z9transpose...",
 * "grid":[..3],"block":[..3],"dynamic_shared":0,"seconds":0.1,"counters":{as sg_counters, by name},
 * "lines":[{"file":"..","line":3,"counters":{..}}],
 * "model":{"gpu":"h200","title":"..","measured":true,"seconds":..,"low":..,"high":..,
 * "bound":"memory","limits":{"memory":..,..},"sentence":"..","reason":"..","resident":8,
 * "registers":32,"registers_by":"ptxas"|"estimate","spilled":0,
 * "lines":[{"file":"..","line":3,"header":false,"share":0.4,"limits":{"memory":0.3,..},
 * "waits_for":"loads"}]} | {"gpu":..,"why":".."},
 * "gone":{"threads":24,"of":256,"block":[..3],"file":"..","barrier":8,"left":5}}], "fault":null |
 * {"code":700,"error":"cudaErrorIllegalAddress","kind":"..","kernel":"..","file":"..",
 * "line":3,"block":[..],"thread":[..],"address":"0x..","allocation":4096,
 * "text":"..","named":false}, "unchecked":null |
 * {"code":1,"error":"cudaErrorInvalidValue","call":"cudaMemcpy","text":"..",
 * "launch":false,"host":false,"kernel":""}, "answered":null | {..},
 * "refused":[{"kind":"textures","call":"cudaMallocArray","text":".."}], "dropped":0, "failed":[{as
 * "unchecked", and "asked":false,"sticky":false,"calls":[..]}],"failed_more":false,
 * "moved":[{"way":"to the device"|"to the host"|"on the device"|"fill"|"on the host",
 * "pinned":true,"times":3,"bytes":4096,"model":{"seconds":..,"low":..,"high":..}}]}
 *
 * With SG_RECORD a launch has "record" (recorded.h explains its members). For accesses:
 * {"ran":true,"requests":[{"file":"..","line":3,"kind":"load"|"store"|"atomic","shared":false,
 * "bytes":4,"times":8,"lanes":256,"moved":64,"wasted":1024,"base":..,"range":..,"name":"..",
 * "wished":{"time":1,"mask":..,"moved":8,"wasted":128,"at":[..32]},"worst":{..}}],"left_out":0}.
 * For lanes: "files":["a.cu"],"steps":[0,12,4294967295,7, ..], four numbers a step: file, line,
 * lanes, instructions. For a map: "map":{..,"fields":"first touches time others .."} in
 * hexadecimal. Its wish also has "name", "variable" and "variable_bytes" (the program's variable),
 * "rows", "cols", "element", "of". For a block's clocks (with SG_TRACE): "spans":"warp from to what
 * line .." in hexadecimal. A "what" of 0 is a pending load, else 1 + enum sg_wait. For a grid:
 * "came":"lanes warps ..", runs of warps that touched global memory with the same lanes. It is
 * missing if the grid has too many warps. For values: the wish also has "names", "texts" (files of
 * PTX with debug information), "first", "last", "before", "every" and "wide", and the record has
 * "values":{"watched":[{"name":"mine","array":false,"rows":1,"columns":1}],"moments":[{"what":
 * "line"|"barrier"|"end","file":"..","line":3,"round":1,"warp":0,"mask":..,"values":"1\t2\t..\n"}
 * ],"all":40,"same":3}, or in place of moments "trouble":"source"|"name"|"many" with "name" and
 * "known". Only the first launch of a wished kernel is recorded. For a trace the wish also has
 * "lines":[[7,9]] of the kernel's file, "thread" for one of the warp's, and no "names" for all
 * variables. Its trouble is "line": there is no code ("next": behind it; 0: none), or it is in
 * function "name" and the trace in "followed".
 *
 * "leak": null, or memory that kernels allocated and did not free: {"kernel":"..","file":"..",
 * "line":3,"blocks":8,"bytes":8388608}, of the line with the first such allocation.
 * "gone": threads that had ended when others of their block met at a barrier; lines are 0 if
 * unknown. "dropped": launches beyond the 4096 that are kept. "moved": copies and fills by
 * direction. "pinned" is set for host copies only. "model" is the time of all together.
 * "unchecked": the first error that the program did not query with cudaGetLastError. "answered":
 * the last error that it did query. "failed": each place in the program that received an error,
 * ordered by its last time. "asked" means that cudaGetLastError or cudaPeekAtLastError returned it.
 * "sticky" means that an earlier fault caused it. "host": host code accessed device memory. "calls"
 * are return addresses, innermost first. "named": the program asked for the name or text of the
 * fault's code. "refused": each unsupported feature that the program used, once;
 * machine/refused.inc lists the kinds, and faults.inc those of faults. An error that is a refusal
 * has its kind as "refused". The report is also written to $WARPBOOK_SOFTGPU_REPORT at a fault and
 * at the first errors, in case the program crashes. */
char *softgpu_report(int reset);

/* Ends running kernels with an error, like sg_interrupt(). Async-signal-safe. */
void softgpu_interrupt(void);

/* Returns true if the address is or was in device memory, or up to 16 bytes before it.
 * Async-signal-safe. */
bool softgpu_owns(const void *address);

/* Frees memory that kernels allocated and did not free, so that the next program finds all of the
 * heap. No kernel may run. */
void softgpu_heap_clear(void);

/* Clears a sticky error (after a fault) so that later calls work. Allocations stay. */
void softgpu_recover(void);

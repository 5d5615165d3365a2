/* softgpu.h: what softgpu's libcudart.so.13 offers beyond NVIDIA's. A caller finds these with
 * dlsym(); where they are missing the device is a real one.
 * runtime/README.md lists the variables of the environment that it reads at its first use. */
#ifndef SOFTGPU_H
#define SOFTGPU_H

/* Bits as in engine.h's enum sg_option. With SG_SAMPLE a launch that has to run whole may take 20
 * s, where the environment says nothing else. */
void softgpu_set_options(unsigned options);

/* What launches with SG_RECORD keep to be drawn:
 * {"what":"access"|"map"|"lanes"|"block"|"grid","block":[0,0,0],"warp":0,"time":1,
 * "kernel":"transpose"};
 * without "kernel" any, of at most 32 launches until the next report. NULL: nothing. */
void softgpu_record(const char *wish);

/* What it says from now on is said in that language: "en", "zh" (base.h's wb_language_read). */
void softgpu_set_language(const char *name);

/* Functions of the caller, each of which may be NULL. `calls` is backtrace(): the report then has
 * "failed". softgpu calls `fault` as soon as a kernel faults, with the report's "fault" as text, so
 * that the fault is known even if the process dies over it. */
void softgpu_set_hooks(int (*calls)(void **, int), void (*fault)(const char *json));

/* JSON, malloc'd, of everything since the last reset:
 * {"device":"softgpu","launches":[{"kernel":"transpose(float*, ...)","symbol":"_Z9transpose...",
 *   "grid":[..3],"block":[..3],"dynamic_shared":0,"seconds":0.1,"counters":{as sg_counters, by
 * name}, "lines":[{"file":"..","line":3,"counters":{..}}],
 *   "model":{"gpu":"h200","title":"..","measured":true,"seconds":..,"low":..,"high":..,
 *     "bound":"memory","limits":{"memory":..,..},"sentence":"..","reason":"..","resident":8,"registers":32,
 *     "registers_by":"ptxas"|"estimate","spilled":0,
 *     "lines":[{"file":"..","line":3,"header":false,"share":0.4,"limits":{"memory":0.3,..},
 *       "waits_for":"loads"}]} | {"gpu":..,"why":".."},
 *   "gone":{"threads":24,"of":256,"block":[..3],"file":"..","barrier":8,"left":5}}], "fault":null |
 * {"code":700,"error":"cudaErrorIllegalAddress","kind":"..","kernel":"..","file":"..",
 *   "line":3,"block":[..],"thread":[..],"address":"0x..","allocation":4096,"text":"..","named":false},
 *  "unchecked":null | {"code":1,"error":"cudaErrorInvalidValue","call":"cudaMemcpy","text":"..",
 *   "launch":false,"kernel":""},
 *  "answered":null | {..}, "refused":[{"kind":"textures","call":"cudaMallocArray","text":".."}],
 *  "dropped":0,
 *  "failed":[{as "unchecked", and "asked":false, "sticky":false,"calls":[..]}],"failed_more":false,
 *  "moved":[{"way":"to the device"|"to the host"|"on the device"|"fill"|"on the
 * host","pinned":true, "times":3,"bytes":4096,"model":{"seconds":..,"low":..,"high":..}}]}: copies
 * and fills by their way; pinned: of those to and from the host; model: of all together, where a
 * GPU is asked about With SG_RECORD a launch has "record" (recorded.h says what its members mean):
 * {"ran":true,"requests":[{"file":"..","line":3,"kind":"load"|"store"|"atomic","shared":false,
 *   "bytes":4,"times":8,"lanes":256,"moved":64,"wasted":1024,"base":..,"range":..,"name":"..",
 *   "wished":{"time":1,"mask":..,"moved":8,"wasted":128,"at":[..32]},"worst":{..}}],"left_out":0}
 * or, of lanes, "files":["a.cu"],"steps":[0,12,4294967295,7, ..]: the number of the file, the line,
 * its lanes, instructions; and so on.
 * or, of a map (wished for with "name", "variable" and "variable_bytes", which are where the
 * program's variable lies, "rows", "cols", "element", "of"), "map":{..,"fields":"first touches
 * time others ..", in hexadecimal digits}. Lines are reported of the blocks that were looked at.
 * or, of a block's clocks (with SG_TRACE), "spans":"warp from to what line ..", in hexadecimal
 * digits; what: 0: a load is on its way, else 1 + enum sg_wait (engine.h).
 * or, of a grid, "came":"lanes warps ..", in hexadecimal digits: the lanes that touched global
 * memory, and of how many warps in a row; not there where the grid has too many.
 * "gone": threads that had ended when the others of their block met at a barrier; lines, 0 where
 * not known. At most 4096 launches are kept; "dropped" counts the rest. "unchecked" is the first
 * error a call returned that the program did not ask for with cudaGetLastError, "answered" the last
 * that it did. "failed" has each place in the program that was returned an error, in the order of
 * the last time: "asked" by cudaGetLastError or cudaPeekAtLastError, "sticky" because of an earlier
 * fault; "calls" are its return addresses, innermost first. "named": the program asked for the name
 * or the text of the fault's code. "refused" has each feature that softgpu lacks and that the
 * program used, once, even if the program looked at the error; machine/refused.inc has the kinds.
 * An error that is a refusal has its kind as "refused". FILE is written when a kernel faults and
 * for the first errors too, in case the program crashes over them. */
char *softgpu_report(int reset);

/* As sg_interrupt: async-signal-safe, ends running kernels with an error. */
void softgpu_interrupt(void);

/* Returns true if the address is or was device memory, or lies up to 16 bytes before it.
 * Async-signal-safe. */
bool softgpu_owns(const void *address);

/* Clears a sticky error (after a fault) so that later calls work; allocations stay. */
void softgpu_recover(void);

#endif

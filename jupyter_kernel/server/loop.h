/* loop.h: the kernel process from start to end: the loops of shell and control. */
#pragma once

#include "jupyter_kernel/server/kernel.h"

/* Runs a kernel until it is shut down. Returns an exit status of the command (cli.h). */
int kernel_run(const char *connection_file, const kernel_parts *parts);

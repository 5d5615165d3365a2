/* checks.h: what `warpbook doctor` checks. Each function adds its findings to the report. None
 * takes more than a few seconds or changes the machine. */
#pragma once

#include "runtime/doctor/report.h"

/* Returns true if Warpbook runs from its source tree, where `make setup` installs what it needs. */
bool checks_in_tree(void);
/* Writes the command that installs what is missing: `make setup` in a source tree, else apt-get. */
const char *checks_fix(char *text, size_t size, const char *debian_packages);

void checks_device(report *r);       /* CPU and GPU */
void checks_compiler(report *r);     /* nvcc, the host compiler, and a program through both */
void checks_installation(report *r); /* Warpbook's own files and its cache */
void checks_sandbox(report *r);      /* bubblewrap, and if this kernel allows it */
void checks_jupyter(report *r);      /* JupyterLab and the kernelspec */

/* words.h: see words.c. */
#ifndef WARPBOOK_CLI_WORDS_H
#define WARPBOOK_CLI_WORDS_H

#include "runtime/cli/cli.h"

/* The call's words, every --option=value as two of them; room for twice as many. Returns how many
 * there are; -1 where help is asked for; else -1 - the exit status, and the user has been told. */
int wb_cli_words(const wb_command *command, int argc, char **argv, char **words);

#endif

say("reopened");
int null = open("/dev/null", O_WRONLY); dup2(null, 1); dup2(null, 2);
printf("to nobody\n");

run(); raise(SIGKILL);

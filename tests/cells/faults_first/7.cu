if (run() >= 0) exit(7);

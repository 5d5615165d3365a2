assert(run() == 1000);

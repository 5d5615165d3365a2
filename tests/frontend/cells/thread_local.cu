// left it has a variable of each thread
thread_local int mine = 3;

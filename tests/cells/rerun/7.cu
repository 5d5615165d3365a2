int unused_one = 3;

int broken = unused_one +;

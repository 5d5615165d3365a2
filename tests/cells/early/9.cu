#define LEAVE() do { return; } while (0)
LEAVE();

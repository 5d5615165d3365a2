int half() { return BS / 2 + F(1); }
#define BS 16
#define F(x) ((x) * 100)
int full() { return BS; }
half() + full() + F(1)

int over(float x) { return 3; }
int more(int x) { return 4; }
printf("%d %d\n", over(1), over(1.0f));

int later = 1;
int main() { return earlier; }

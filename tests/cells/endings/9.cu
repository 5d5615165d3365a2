int main() {
    atexit([] { printf("at the end\n"); });
    exit(3);
}

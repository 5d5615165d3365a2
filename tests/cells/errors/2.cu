int main_thing() {
    return 1;

HD int bad(int a) {
    return a + nowhere; }

int before = 1;
auto sized =
    [k](auto s) {
    return s.size() + k;
};

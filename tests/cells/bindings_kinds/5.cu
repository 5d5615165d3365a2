namespace n { namespace deep { auto [a, b] = std::pair{5, std::string("six")}; } }
n::deep::a

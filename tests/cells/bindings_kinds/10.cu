struct Flags { unsigned low : 3, high : 5; int rest; };
auto [low, high, rest] = Flags{5, 9, -1};

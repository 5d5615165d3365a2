say("wide");
std::ios::sync_with_stdio(false);
std::cout << "apart\n";

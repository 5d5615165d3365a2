say("apart");
{ std::ostringstream text; std::cout.rdbuf(text.rdbuf()); }
std::cin >> word;
n = std::cin.eof() && feof(stdin);

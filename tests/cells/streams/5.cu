say("duplicated");
std::cout.setstate(std::ios::failbit); std::clog.rdbuf(nullptr);
{ std::ostringstream text; std::cout.rdbuf(text.rdbuf()); std::cout << "kept"; std::cerr.rdbuf(text.rdbuf()); }

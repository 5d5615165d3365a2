say("end");
std::cin >> word; word

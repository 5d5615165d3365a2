std::string name = "third";
name
std::string(word) = "two";

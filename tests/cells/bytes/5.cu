printf("%s|", s.c_str());
wb::display("text/plain", std::string("d\xfc"));
wb::display("application/json", std::string("{\"k\": \"\xfc\"}"));
std::pair<std::string, const char *>(s + "\xc3\xa9" + s, p)

wb::html("<b>\"bold\"</b>");
wb::display("text/plain", std::string("10%"), "bar");
wb::update("text/plain", "20%", "bar");
wb::display("application/json", "{\"mark\": \"bar\"}");
for (int i = 0; i < 2; i++)
    std::cout << i;

std::get<0>(pr) = 5;
pr.first + b

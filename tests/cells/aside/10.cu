index = plain; max = 5;
vector<int> data{1, 2};
int clock = data.size(), more = 1;
index + max + clock + more

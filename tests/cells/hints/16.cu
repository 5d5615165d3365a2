using namespace std;
vector<unique_ptr<int>> several;

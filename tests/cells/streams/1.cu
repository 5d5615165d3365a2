#include <cstdio>
#include <unistd.h>
#include <fcntl.h>
#include <wchar.h>
#include <sstream>
#include <fstream>
#include <iostream>
void say(const char *who) { printf("C %s\n", who); std::cout << "C++ " << who << std::endl; fprintf(stderr, "E %s\n", who); std::clog << "L " << who << std::endl; }
int n = 1; std::string word;
say("first"); fclose(stdout); fclose(stderr); fclose(stdin);
n = getchar();

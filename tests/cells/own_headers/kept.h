#pragma once
static int kept = 1;
const int size = 3;

namespace n { const int c = 2; }
held() + kept() + n::c

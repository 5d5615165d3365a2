std::move(zzz);

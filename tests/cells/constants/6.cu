int(again - kept) + int(get() - kept) + int(of<int>() - kept)

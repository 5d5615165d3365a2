apart::kept++

printf("%d %d %d %d | %d %d %d | %d %d %d %d %d\n", sorted()[0].x, where(), calls_f(), launches(), h1(0), h2(0), h3(0), areas(), gets(), counts(), lamd(), refs());

x + many[0]

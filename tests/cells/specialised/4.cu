lamb()

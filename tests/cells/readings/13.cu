word

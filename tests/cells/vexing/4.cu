unseen[0]

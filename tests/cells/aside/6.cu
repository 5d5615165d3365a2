remove

helper(0)

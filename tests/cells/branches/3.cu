*pl

level + q::in_space + q::here

pair

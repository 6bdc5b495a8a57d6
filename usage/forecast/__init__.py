"""Where an account's credits are going: the end of the month, and when a sum will be used up."""

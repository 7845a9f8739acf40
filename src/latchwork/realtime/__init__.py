"""The loop that keeps pace with a clock, and the hand that touches what runs in it."""

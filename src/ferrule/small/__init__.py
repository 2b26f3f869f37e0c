"""Small models led by the hand: Ferrule finds and checks, the model answers and writes."""

"""What others add to Ferrule: tools, hooks, servers, instructions."""

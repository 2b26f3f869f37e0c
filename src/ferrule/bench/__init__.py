"""Small tasks in little repositories, given to Ferrule and to other agents, and checked by programs."""

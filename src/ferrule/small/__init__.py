"""Small models led by the hand: Ferrule finds and checks, the model answers and writes.

To be read in this order: `guided.py` makes a led model look like one that knows its tools, `errand.py` carries a
request out, `change.py` one that changes something. From there on `choosing.py` says which files, `checking.py` what
can tell whether it works, `writing.py` how the model is asked and `taking.py` what becomes of its words. All that is
known on the way is a `Work` (`work.py`), and all that is done a move (`moves.py`).

Below lie four rooms, each knowing only those before it: `code` (files as blocks and names), `words` (what people and
models say), `checks` (what can be run to judge a change) and `mends` (what is put right without the model).
"""

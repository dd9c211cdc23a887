"""Pictures of a run: what it knows after a step, drawn in characters.

A picture is drawn from facts in the steps. No algorithm knows a picture, and no picture knows a
screen: it gives rows of text with tones (good, bad, here …), which the application colours, a
handout writes as HTML and a test reads.

How a picture is added:

1. The algorithm puts what is to be seen into the facts of its steps: immutable, small, and where
   it costs time only when `RunContext.watched`.
2. A `RunState` takes the facts in, step by step (`full_domain_state`, `clustering_state`). Whatever
   can be worked out from one step alone needs no state.
3. A subclass of `Drawing` in a file of its own draws a `Scene` into a `Picture` of a given width
   and height. `move` answers the arrow keys.
4. One line in `contents` names it for its algorithms; the first of an algorithm is shown first.
5. A test draws recorded steps of a paper's sample and looks at nodes, cuts or members; going back
   and forth must give the same picture (`tests/core/pictures`).

May import: `run`, `algorithms` and what is below them.
"""

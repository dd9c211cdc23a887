"""Words for events: sentences, candidates and questions, which exist only when somebody asks.

May import: `algorithms` and below.
"""

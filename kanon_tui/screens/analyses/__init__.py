"""The analysis panels that the command palette and the results screen open.

`screens.panel` has what they share: a panel over the screens, with work in the background.
"""

"""Everything that is not on the screen: no user interface is imported from here."""

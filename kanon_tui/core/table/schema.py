"""The role of an attribute in the release and the kind of its values."""

from enum import StrEnum


class Role(StrEnum):
    """The treatment of an attribute when the table is published."""

    IDENTIFIER = "identifier"  # never published
    PERSON = "person"  # never published; its records are one person's, and privacy counts people
    QUASI = "quasi"  # generalised
    SENSITIVE = "sensitive"  # published as it is; protected by l-diversity and similar models
    OTHER = "other"  # published as it is
    WEIGHT = "weight"  # a survey weight: for the risk in a population; published only when asked

    @property
    def published(self) -> bool:
        """Whether a release has the attribute at all."""
        return self not in (Role.IDENTIFIER, Role.PERSON, Role.WEIGHT)


class Kind(StrEnum):
    """The kind of an attribute's values."""

    NUMERIC = "numeric"
    DATE = "date"
    CATEGORICAL = "categorical"

    @property
    def ordered(self) -> bool:
        """Whether values lie on a line, so that groups have a range."""
        return self is not Kind.CATEGORICAL

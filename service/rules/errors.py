"""Refusals of the rules: invalid cannot be read, illegal is not allowed now. Each has a code and says what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with the input: a JSON pointer into the body, and a sentence."""

    pointer: str
    detail: str


class RulesError(Exception):
    """A refusal; nothing has changed."""

    code = "refused"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class Invalid(RulesError):
    """The input does not fit the rules: unknown names, impossible faces, contradictions."""

    code = "invalid_request"

    def __init__(self, *faults: Fault) -> None:
        super().__init__(faults[0].detail)
        self.faults = faults


class Illegal(RulesError):
    """Readable, but not allowed now."""

    code = "illegal_action"


class IllegalStatus(Illegal):
    """The crawl is paused or has ended."""

    code = "illegal_status"


class IllegalMove(Illegal):
    """Going on inside the ten minutes after a longer stay (T3)."""

    code = "illegal_move"


class IllegalAlert(Illegal):
    """The alert system is off, or the ruleset has none."""

    code = "illegal_alert"


class IllegalReplacement(Illegal):
    """Take Your Time on a check that has not failed."""

    code = "illegal_replacement"


class IllegalEncounter(Illegal):
    """An encounter that can no longer be changed so, or slipped from."""

    code = "illegal_encounter"


class IllegalEntryCard(Illegal):
    """A locked entry card changed without `unlock` (S3)."""

    code = "illegal_entry_card"


class IllegalUndo(Illegal):
    """Nothing left to undo."""

    code = "illegal_undo"


class IllegalRedo(Illegal):
    """Nothing left to redo."""

    code = "illegal_redo"


class IllegalTimer(Illegal):
    """More timers than a crawl can hold."""

    code = "illegal_timer"

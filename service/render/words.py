"""What happened, clause by clause. Every word that somebody typed goes through `clean`, which each platform brings."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from service.rules.duration import said

Clean = Callable[[str], str]
Body = Mapping[str, Any]

LONGEST = 80
"""Characters of a name or label that a render shows."""
LISTED = 6
"""Names that a clause lists before it counts the others."""


def plain(words: str) -> str:
    """On one line, without control and format characters, and shortened; an ellipsis where nothing is left to see."""
    kept = "".join(" " if unicodedata.category(letter)[0] in "CZ" else letter for letter in words)
    kept = " ".join(kept.split()) or "…"
    return kept if len(kept) <= LONGEST else kept[: LONGEST - 1].rstrip() + "…"


def size(text: str) -> int:
    """How long platforms count a text at most: in units of UTF-16, in which an emoji is two."""
    return len(text.encode("utf-16-le")) // 2


def joined(clauses: Iterable[str], limit: int, between: str = "; ") -> str:
    """Clauses behind one another, as many as fit into `limit` units of UTF-16; an ellipsis for the others."""
    text = ""
    for clause in clauses:
        longer = f"{text}{between}{clause}" if text else clause
        if size(longer) > limit - len(f"{between}…"):
            return f"{text}{between}…" if text else "…"
        text = longer
    return text


def listed(names: Sequence[str], clean: Clean) -> str:
    """The first few names, and how many more there are."""
    more = len(names) - LISTED
    shown = ", ".join(map(clean, names[:LISTED]))
    return f"{shown} and {more} more" if more > 0 else shown


def spoken(word: str, clean: Clean) -> str:
    """A key of the rules as it is said: `door_broken` is "door broken"."""
    return clean(word.replace("_", " "))


def capital(words: str) -> str:
    """A sentence's first letter large, where that is still one letter: ß would make two, and break a limit."""
    first = words[:1].upper()
    return first + words[1:] if len(first) == 1 else words


def title(body: Body) -> str:
    return f"Round {body['number']}: {body['kind']}"


def deed(body: Body, clean: Clean) -> str:
    """What the party did, and how long it took. The GM's body also tells how far it meant to go."""
    movement, elapsed = body["movement"], said(body["clock"]["elapsed"])
    match body["kind"]:
        case "explore":
            on = " and moves on" if movement and movement["rooms_entered"] else ""
            return f"the party explores for {elapsed}{on}"
        case "travel":
            return f"the party moves at {clean(movement['pace'])} pace: {_rooms(movement)} in {elapsed}"
        case "combat":
            fight = body["clock"].get("fight_seconds")
            return f"the party fights for {said(fight)}" if fight is not None else f"a fight takes {elapsed}"
        case "rest":
            return f"the party rests for {elapsed}"
        case _:
            return f"{elapsed} of time {'goes' if body['clock']['elapsed'] else 'go'} by"


def news(body: Body, clean: Clean) -> Iterator[str]:
    """What came of it that everybody who may see `body` may know."""
    yield from _done(body, clean)
    for timer in body["timers"]["expired"]:
        yield f"{clean(timer['name'])} runs out"
    for timer in body["timers"]["ending"]:
        yield f"{clean(timer['name'])} is about to run out"
    yield from _alert(body)
    for encounter in body["encounters"]:
        yield f"an encounter comes at {said(encounter['at'])}"
    if body["halted"]:
        yield f"the party stops with {_remaining(body['halted']['remaining'])} to go"


def _done(body: Body, clean: Clean) -> Iterator[str]:
    for declared in body["declarations"]:
        if declared["found"]:
            yield f"{clean(declared['character'])} finds {listed(declared['found'], clean)}"
    for task in body["tasks"]:
        if task["degree"]:
            yield f"{_tried(task, clean)}: {task['degree'].replace('_', ' ')}"
    for save in body["saves"]:
        if save["degree"]:
            yield f"{clean(save['character'])}, {save['kind']} ({save['from']}): {save['degree'].replace('_', ' ')}"
    for chain in body["chains"]:
        if chain["status"] != "going_on":
            yield f"{clean(chain['character'])}: {doing(chain, clean)} {chain['status']}"


def _alert(body: Body) -> Iterator[str]:
    alert = body.get("alert")
    if alert and alert["enabled"] and alert["from"] != alert["to"]:
        yield f"the alert {'rises' if alert['to'] > alert['from'] else 'falls'} from {alert['from']} to {alert['to']}"


def _rooms(movement: Body) -> str:
    entered, asked = movement["rooms_entered"], movement.get("rooms_asked")
    if asked is not None and asked != entered:
        return f"{entered} of {counted(asked, 'room')}"
    return counted(entered, "room")


def counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def doing(declared: Body, clean: Clean) -> str:
    """What somebody does, in the words in which it was declared, else by the name of the activity."""
    return clean(declared["label"]) if declared["label"] else spoken(declared["activity"], clean)


def _tried(task: Body, clean: Clean) -> str:
    who = listed(task["characters"], clean)
    return f"{clean(task['task'])} ({who})" if task["task"] else who


def _remaining(remaining: Body) -> str:
    return counted(remaining["rooms"], "room") if "rooms" in remaining else said(remaining["seconds"])

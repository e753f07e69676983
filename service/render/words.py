"""What happened, clause by clause. Every word that somebody typed goes through `clean`, which each platform brings."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from service.rules.duration import said

Clean = Callable[[str], str]
Body = Mapping[str, Any]

LONGEST = 80
"""Characters of a name or label that a render shows."""


def plain(words: str) -> str:
    """On one line, without control and format characters, and shortened."""
    kept = "".join(" " if unicodedata.category(letter)[0] in "CZ" else letter for letter in words)
    kept = " ".join(kept.split())
    return kept if len(kept) <= LONGEST else kept[: LONGEST - 1].rstrip() + "…"


def joined(clauses: Iterable[str], limit: int) -> str:
    """Clauses behind one another, as many as fit into `limit` characters; an ellipsis for the others."""
    text = ""
    for clause in clauses:
        longer = f"{text}; {clause}" if text else clause
        if len(longer) > limit - 3:
            return f"{text}; …" if text else "…"
        text = longer
    return text


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
            yield f"{clean(declared['character'])} finds {', '.join(map(clean, declared['found']))}"
    for task in body["tasks"]:
        if task["degree"]:
            yield f"{_doing(task, clean)}: {task['degree'].replace('_', ' ')}"
    for save in body["saves"]:
        if save["degree"]:
            yield f"{clean(save['character'])}, {save['kind']} ({save['from']}): {save['degree'].replace('_', ' ')}"
    for chain in body["chains"]:
        if chain["status"] != "going_on":
            yield f"{clean(chain['character'])}: {clean(chain['label'] or chain['activity'])} {chain['status']}"


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


def _doing(task: Body, clean: Clean) -> str:
    who = ", ".join(map(clean, task["characters"]))
    return f"{clean(task['task'])} ({who})" if task["task"] else who


def _remaining(remaining: Body) -> str:
    return counted(remaining["rooms"], "room") if "rooms" in remaining else said(remaining["seconds"])

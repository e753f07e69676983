"""A data folder copied into one file, while its server runs or not, and put back.

The server only ever appends to its newest file, and has written what it acknowledges before it says so; so the files as
they are at one moment, each up to the length that it has then, hold all that was acknowledged before. When it rewrites
them it writes others, and names those in the manifest: a manifest that stayed the same while all of its files were
opened goes with exactly these. A last write that is there in part only is passed over by the server when it starts.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO

from service.store.embedded import EmbeddedStore
from service.store.folder import FORMAT, EmbeddedError, Folder, locked
from service.store.opening import open_redis

Say = Callable[[str], None]

_AOF = "appendonlydir"
_MANIFEST = "appendonly.aof.manifest"
_FORMAT = "format"
_MEMBER = re.compile(rf"{_FORMAT}|{_AOF}/appendonly\.aof\.[0-9a-z.]+")
_FILE = re.compile(r"^file (\S+) seq \d+ type [bhi]", re.MULTILINE)
_HISTORY = re.compile(r"^file \S+ seq \d+ type h.*\n?", re.MULTILINE)
_TRIES = 20


def back_up(folder: Path, file: Path, say: Say, *, force: bool = False) -> int:
    """Writes the folder's data into a new file, compressed; gives how many bytes of data it holds.

    The file is there whole, or not at all. EmbeddedError when it exists already, unless `force`, or when there is
    nothing to copy.
    """
    if file.exists() and not force:
        raise EmbeddedError(f"{file} exists already: give another name, or --force to write over it.")
    with ExitStack() as opened:
        manifest, files = _opened_together(folder / _AOF, opened)
        sizes = [os.fstat(each.fileno()).st_size for each in files.values()]
        say(f"copying {said(sum(sizes))} from {folder}")
        partial = file.with_name(f".{file.name}.partial")
        try:
            with partial.open("wb") as raw:
                os.fchmod(raw.fileno(), 0o600)  # hashes of tokens, secrets of webhooks, seeds
                _write(raw, folder, manifest, zip(files.items(), sizes, strict=True))
                raw.flush()
                os.fsync(raw.fileno())
            partial.replace(file)
            _sync_folder(file.parent)
        finally:
            partial.unlink(missing_ok=True)
    return sum(sizes)


def restore(file: Path, folder: Path, say: Say, *, force: bool = False) -> None:
    """Makes the folder's data what the file holds, once a server has started on it.

    EmbeddedError when a service runs there, when there is data already, unless `force`, or when the file is not whole;
    then nothing has changed.
    """
    target = Folder(folder)
    with _taken(target):
        there = target.path / _AOF
        if there.exists() and not force:
            raise EmbeddedError(
                f"There is data in {target.path} already: give another folder, or --force to replace it."
            )
        with tempfile.TemporaryDirectory(prefix="restoring-", dir=target.path) as scratch:
            unpacked = Path(scratch) / "data"
            unpacked.mkdir(mode=0o700)
            _unpack(file, unpacked)
            say(f"unpacked {said(sum(each.stat().st_size for each in (unpacked / _AOF).iterdir()))}; trying it")
            say(f"a server starts on it and finds {_keys_in(unpacked)} keys")
            _swap(unpacked, target.path, Path(scratch) / "replaced")


def said(size: int) -> str:
    """A size for people."""
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size / 1000:.1f} kB"


def _opened_together(folder: Path, opened: ExitStack) -> tuple[bytes, dict[str, IO[bytes]]]:
    """The manifest, and every file that it names, open: they stay readable even when the server drops them."""
    for _ in range(_TRIES):
        try:
            manifest = (folder / _MANIFEST).read_text(encoding="ascii")
        except FileNotFoundError:
            raise EmbeddedError(
                f"There is no data in {folder.parent}. Say which folder it is: --data-dir DIR"
            ) from None
        current = _HISTORY.sub("", manifest)
        with ExitStack() as attempt, contextlib.suppress(FileNotFoundError):
            files = {name: attempt.enter_context((folder / name).open("rb")) for name in _FILE.findall(current)}
            if (folder / _MANIFEST).read_text(encoding="ascii") == manifest:
                opened.enter_context(attempt.pop_all())
                return current.encode(), files
    raise EmbeddedError("The store goes on rewriting its files; try again in a moment.")


def _write(raw: IO[bytes], folder: Path, manifest: bytes, files: Iterator[tuple[tuple[str, IO[bytes]], int]]) -> None:
    with tarfile.open(fileobj=raw, mode="w:gz", compresslevel=6) as archive:
        for (name, file), size in files:
            member = tarfile.TarInfo(f"{_AOF}/{name}")
            member.size = size
            archive.addfile(member, file)
        for name, content in ((_FORMAT, (folder / _FORMAT).read_bytes()), (f"{_AOF}/{_MANIFEST}", manifest)):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, BytesIO(content))


def _unpack(file: Path, folder: Path) -> None:
    """Writes what a backup may hold and nothing else, and makes sure that all of it is there."""
    try:
        with gzip.open(file) as packed, tarfile.open(fileobj=packed, mode="r:") as archive:
            for member in archive:
                if not member.isfile() or not _MEMBER.fullmatch(member.name):
                    raise EmbeddedError(f"{file} is no backup of Alarum's: it holds {member.name!r}.")
                content = archive.extractfile(member)
                path = folder / member.name
                path.parent.mkdir(mode=0o700, exist_ok=True)
                with path.open("wb") as out:
                    shutil.copyfileobj(content, out)  # type: ignore[arg-type]
                    out.flush()
                    os.fsync(out.fileno())
            while packed.read(1 << 16):
                pass  # to the end, where the checksum of it all stands
        found = int((folder / _FORMAT).read_text(encoding="ascii"))
        names = _FILE.findall((folder / _AOF / _MANIFEST).read_text(encoding="ascii"))
        whole = bool(names) and all((folder / _AOF / name).is_file() for name in names)
    except (OSError, EOFError, tarfile.TarError, ValueError, zlib.error) as error:
        raise EmbeddedError(f"{file} is no whole backup of Alarum's: {error}.") from None
    if not whole:
        raise EmbeddedError(f"{file} is no whole backup of Alarum's: files that it names are missing.")
    if found > FORMAT:
        raise EmbeddedError(f"{file} was written by a newer Alarum (format {found}): run that version.")


def _swap(unpacked: Path, folder: Path, replaced: Path) -> None:
    """The new data in the old one's place. Killed in between, the old one is left under `replaced`."""
    there = folder / _AOF
    if there.exists():
        there.rename(replaced)
    try:
        (unpacked / _AOF).rename(there)
    except OSError:
        if replaced.exists():
            replaced.rename(there)
        raise
    (unpacked / _FORMAT).replace(folder / _FORMAT)
    _sync_folder(folder)


def _keys_in(folder: Path) -> int:
    """How many keys a server finds there. EmbeddedError when none starts on it."""
    server = EmbeddedStore(folder)
    server.start()
    try:
        with contextlib.closing(open_redis(server.url, connections=1)) as redis:
            return int(redis.dbsize())
    finally:
        server.stop()


@contextmanager
def _taken(folder: Folder) -> Iterator[None]:
    """The folder is ours alone, and no server is left on it either."""
    folder.take()
    try:
        with folder.open_server_lock() as lock:
            if not locked(lock):
                raise EmbeddedError(f"A store server still runs on {folder.path}: stop the service first.")
            yield
    finally:
        folder.give_back()


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

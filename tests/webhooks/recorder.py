"""A receiver in a process of its own, which says on its first line which port it has: it takes every message, and keeps
what came.

POST /after/SECONDS is answered so much later, any other POST at once. GET / gives [[webhook-id, monotonic seconds,
SHA-256 of the body], …], GET /count how many they are.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from hashlib import sha256

got: list[tuple[str, float, str]] = []


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = head.split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            connection = headers.get("connection", "keep-alive").lower()
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            if first.startswith("GET"):
                told = json.dumps(len(got) if first.startswith("GET /count") else got).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(told), told))
            else:
                got.append((headers.get("webhook-id", ""), time.monotonic(), sha256(body).hexdigest()))
                if wait := re.match(r"POST /after/([0-9.]+)", first):
                    await asyncio.sleep(float(wait[1]))
                writer.write(b"HTTP/1.1 204 No Content\r\nConnection: %s\r\n\r\n" % connection.encode())
            await writer.drain()
            if connection == "close":
                break
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    sys.stdout.close()
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())

"""A receiver in a process of its own: answers every POST with 204 and says when each message came.

GET gives [[webhook-id, monotonic seconds], …] of all that came so far.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

got: list[tuple[str, float]] = []


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            headers = {
                name.lower(): value.strip() for name, _, value in (x.partition(":") for x in head.split("\r\n")[1:])
            }
            await reader.readexactly(int(headers.get("content-length", 0)))
            if head.startswith("GET"):
                body = json.dumps(got).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            else:
                got.append((headers.get("webhook-id", ""), time.monotonic()))
                writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            await writer.drain()
            if headers.get("connection", "").lower() == "close":
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

"""Receives Alarum's webhooks: verifies each message, answers at once, handles it once.

WEBHOOK_SECRET=whsec_… python3 receiver.py 8099
"""

import base64
import hmac
import json
import os
import re
import sys
import time
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_")) or sys.exit("no secret")
TOLERANCE = 300  # seconds between the sender's clock and ours
LONGEST = 64 * 1024  # bytes of a body; Alarum sends no more
messages: Queue[tuple[str, bytes]] = Queue()


def verify(headers: Message, body: bytes) -> bool:
    """Whether this is Alarum's, unchanged and of now; `body` is the bytes as they came."""
    # With a library: standardwebhooks.Webhook(secret).verify(body, dict(headers)), or it raises.
    timestamp = headers.get("webhook-timestamp", "")
    sent = int(timestamp) if re.fullmatch("[0-9]{1,12}", timestamp) else 0
    if abs(time.time() - sent) > TOLERANCE:
        return False
    signed = f"{headers.get('webhook-id')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, signed, "sha256"))
    given = headers.get("webhook-signature", "").split(" ")  # two while the secret changes
    return any(hmac.compare_digest(expected, each.encode()) for each in given)


class Receiver(BaseHTTPRequestHandler):
    timeout = 15  # seconds, so that nobody holds a connection for ever

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length) if 0 <= length <= LONGEST else b""
        arrived = verify(self.headers, body)
        if arrived:
            messages.put((self.headers["webhook-id"], body))
        self.send_response(204 if arrived else 401)
        self.end_headers()


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
Thread(target=server.serve_forever, daemon=True).start()
print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
known: set[str] = set()
for message_id, body in iter(messages.get, None):
    if message_id not in known:  # it may come twice
        known.add(message_id)
        event = json.loads(body)
        print(event["sequence"], event["type"], flush=True)  # your bot's work

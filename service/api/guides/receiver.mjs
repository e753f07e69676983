// Receives Alarum's webhooks: verifies each message, answers at once, handles it once.
//
// WEBHOOK_SECRET=whsec_… node receiver.mjs 8099

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const KEY = Buffer.from(process.env.WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64");
if (!KEY.length) throw new Error("no secret");
const TOLERANCE = 300; // seconds between the sender's clock and ours
const LONGEST = 64 * 1024; // bytes of a body; Alarum sends no more
const known = new Set();

// Whether this is Alarum's, unchanged and of now; `body` is the bytes as they came.
// With the library "standardwebhooks": new Webhook(secret).verify(body, headers), or it throws.
function verify(headers, body) {
  const timestamp = headers["webhook-timestamp"];
  const sent = /^[0-9]{1,12}$/.test(timestamp) ? Number(timestamp) : 0;
  if (Math.abs(Date.now() / 1000 - sent) > TOLERANCE) return false;
  const signed = Buffer.concat([Buffer.from(`${headers["webhook-id"]}.${timestamp}.`), body]);
  const expected = Buffer.from("v1," + createHmac("sha256", KEY).update(signed).digest("base64"));
  const given = (headers["webhook-signature"] ?? "").split(" "); // two while the secret changes
  return given.some((each) => {
    const one = Buffer.from(each);
    return one.length === expected.length && timingSafeEqual(one, expected);
  });
}

function handle(id, body) {
  if (known.has(id)) return; // it may come twice
  known.add(id);
  const event = JSON.parse(body);
  console.log(event.sequence, event.type); // your bot's work
}

const server = createServer((request, response) => {
  const parts = [];
  let length = 0;
  request.on("data", (part) => {
    length += part.length;
    if (length <= LONGEST) parts.push(part);
  });
  request.on("end", () => {
    const body = Buffer.concat(parts);
    const arrived = length <= LONGEST && verify(request.headers, body);
    response.writeHead(arrived ? 204 : 401).end();
    if (arrived) setImmediate(handle, request.headers["webhook-id"], body);
  });
});
server.requestTimeout = 15_000; // milliseconds, so that nobody holds a connection for ever
server.listen(Number(process.argv[2]), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});

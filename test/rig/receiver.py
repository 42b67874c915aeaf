"""A webhook receiver of Python's standard library alone.

Takes one argument, JSON: secret, header, prefix, encoding ("hex", "base64" or "base64url"), timestampHeader (or null)
and manifest. Prints its port. It answers 204 to what is signed right and 401 to all else; GET /received lists what came.
"""

import base64
import gzip
import hashlib
import hmac
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

settings = json.loads(sys.argv[1])
received = []


def signature_of(body, timestamp):
    signed = body if timestamp is None else timestamp.encode() + b"." + body
    digest = hmac.new(settings["secret"].encode(), signed, hashlib.sha256).digest()
    if settings["encoding"] == "hex":
        text = digest.hex()
    elif settings["encoding"] == "base64":
        text = base64.b64encode(digest).decode()
    else:
        text = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    return settings["prefix"] + text


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/manifest.json":
            self.answer(200, settings["manifest"])
        elif self.path == "/received":
            self.answer(200, received)
        else:
            self.answer(404, None)

    def do_POST(self):
        body = self.read_body()
        name = settings["timestampHeader"]
        timestamp = None if name is None else self.headers.get(name, "")
        given = self.headers.get(settings["header"], "")
        accepted = hmac.compare_digest(signature_of(body, timestamp).encode(), given.encode())
        zipped = self.headers.get("Content-Encoding") == "gzip"
        # Nothing is read out of a body before its signature is known to be right.
        events = json.loads(gzip.decompress(body) if zipped else body)["events"] if accepted else []
        received.append(
            {
                "path": self.path,
                "accepted": accepted,
                "chunked": self.headers.get("Transfer-Encoding") == "chunked",
                "zipped": zipped,
                "events": len(events),
                "signature": given,
                "body": base64.b64encode(body).decode(),
            }
        )
        self.answer(204 if accepted else 401, None)

    def read_body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def answer(self, status, value):
        self.send_response(status)
        text = b"" if value is None else json.dumps(value).encode()
        if status != 204:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_address[1], flush=True)
server.serve_forever()

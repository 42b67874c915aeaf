"""A small app with a direct guard and a webhook, on Python's standard library alone.

Start it with the variables that `app-sim env` prints:  env $(app-sim env) python3 app.py
"""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CLIENT_ID = os.environ["PLATFORM_CLIENT_ID"]
CLIENT_SECRET = os.environ["PLATFORM_CLIENT_SECRET"].encode()
APP_SECRET = os.environ["PLATFORM_APP_SECRET"].encode()
TOLERANCE_SECONDS = 10
MAX_BODY_BYTES = 1024 * 1024

MANIFEST = {
    "modules": {
        "auth-guard": [
            {"key": "office", "name": "Office network", "url": "/guards/office", "options": {"type": "direct"}}
        ],
        "webhook": [{"key": "events", "url": "/webhooks", "events": ["project.translated", "project.approved"]}],
    }
}


class Refusal(Exception):
    """An answer with this status."""


def decode(part):
    if not part or set(part) - set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"):
        raise Refusal(401)
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def verified_claims(authorization, module):
    """The claims of a token that the platform signed for this app and module, and that is valid now."""
    scheme, _, token = (authorization or "").strip().partition(" ")
    parts = token.strip().split(".")
    if scheme.lower() != "bearer" or len(parts) != 3:
        raise Refusal(401)
    try:
        header, claims = json.loads(decode(parts[0])), json.loads(decode(parts[1]))
        signature = decode(parts[2])
    except (ValueError, RecursionError):
        raise Refusal(401) from None
    if not isinstance(header, dict) or header.get("alg") != "HS256" or "crit" in header:
        raise Refusal(401)
    expected = hmac.new(CLIENT_SECRET, f"{parts[0]}.{parts[1]}".encode(), hashlib.sha256).digest()
    # The text is compared too: base64 leaves some bits unused, so several texts decode to the same signature.
    spelled = base64.urlsafe_b64encode(expected).rstrip(b"=").decode()
    if not hmac.compare_digest(signature, expected) or not hmac.compare_digest(parts[2], spelled):
        raise Refusal(401)
    now = time.time()
    if not isinstance(claims, dict) or claims.get("aud") != CLIENT_ID or claims.get("module") != module:
        raise Refusal(401)
    if not is_number(claims.get("exp")) or claims["exp"] <= now - TOLERANCE_SECONDS:
        raise Refusal(401)
    for name in ("nbf", "iat"):
        if name in claims and (not is_number(claims[name]) or claims[name] > now + TOLERANCE_SECONDS):
            raise Refusal(401)
    return claims


def is_id(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 2**53


def guard(headers, body):
    claims = verified_claims(headers.get("Authorization"), "office")
    request = read_json(headers, body)
    user, organization, address = (request.get(name) for name in ("userId", "organizationId", "ipAddress"))
    if not is_id(user) or not is_id(organization) or not isinstance(address, str):
        raise Refusal(400)
    context = claims.get("context") if isinstance(claims.get("context"), dict) else {}
    if (user, organization) != (context.get("user_id"), context.get("organization_id")):
        raise Refusal(403)
    if request.get("moduleKey") != "office" or claims.get("sub") != str(user):
        raise Refusal(403)
    if address.startswith("203.0.113."):
        return {"success": True}
    return {"success": False, "message": "Log in from the office."}


def webhook(headers, body):
    expected = hmac.new(APP_SECRET, body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest((headers.get("X-Platform-Signature") or "").encode(), expected.encode()):
        raise Refusal(401)
    if headers.get("X-Module-Key") != "events":
        raise Refusal(403)
    if not isinstance(read_json(headers, body).get("events"), list):
        raise Refusal(400)
    return {}


def read_json(headers, body):
    if headers.get_content_type() != "application/json":
        raise Refusal(415)
    try:
        value = json.loads(body.decode())
    except (ValueError, RecursionError):
        raise Refusal(400) from None
    if not isinstance(value, dict):
        raise Refusal(400)
    return value


class App(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    modules = {"/guards/office": guard, "/webhooks": webhook}

    def do_GET(self):
        self.answer(200 if self.path == "/manifest.json" else 405 if self.path in self.modules else 404, MANIFEST)

    def do_POST(self):
        size = self.headers.get("Content-Length", "")
        if not size.isdecimal() or int(size) > MAX_BODY_BYTES:
            # The rest of a body that is not read completely would be parsed as the next request.
            self.close_connection = True
            return self.answer(413 if size.isdecimal() else 411, {})
        body = self.rfile.read(int(size))
        module = self.modules.get(self.path.partition("?")[0])
        try:
            if module is None:
                raise Refusal(404)
            self.answer(200, module(self.headers, body))
        except Refusal as refusal:
            self.answer(refusal.args[0], {})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Says nothing."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), App).serve_forever()

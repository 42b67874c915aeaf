"""A correct app with every kind of module, in the standard library alone: its codes and forms are signed, and kept nowhere."""
import base64, hashlib, hmac, html, ipaddress, json, os, re, secrets, threading, time
import urllib.error, urllib.parse, urllib.request
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT = int(os.environ.get("PORT", "8088"))
BASE = "/ext"
SELF = f"http://127.0.0.1:{PORT}{BASE}"
AUTH_URL = os.environ.get("PLATFORM_AUTH_URL", "http://127.0.0.1:7410")
API_URL = os.environ.get("PLATFORM_API_URL", AUTH_URL)
SDK_URL = os.environ.get("PLATFORM_SDK_URL", AUTH_URL)
CLIENT_ID = os.environ.get("PLATFORM_CLIENT_ID", "app-sim-client")
CLIENT_SECRET = os.environ.get("PLATFORM_CLIENT_SECRET", "app-sim-client-secret-long-enough-for-HS256")
APP_SECRET = os.environ.get("PLATFORM_APP_SECRET", "app-sim-app-secret")
ORG_ID = os.environ.get("PLATFORM_ORGANIZATION_ID", "200000001")
OWN_KEY = secrets.token_bytes(32)
LOCK = threading.Lock()
MB5 = 5 * 1024 * 1024

MANIFEST = {
    "identifier": "harbour",
    "name": "Harbour",
    "modules": {
        "auth-guard": [
            {"key": "office", "name": "Office network", "url": "/gate?rule=office",
             "options": {"type": "direct", "applyToAdmins": True}},
            {"key": "pin", "name": "Your PIN", "description": "Enter the PIN of your badge.", "url": "/gate?rule=pin",
             "options": {"type": "redirect", "applyToAdmins": False, "url": "/pin?lang=en"}},
            {"key": "presence", "name": "Presence", "url": "/gate?rule=presence",
             "options": {"type": "frame", "url": "/presence"}},
        ],
        "file-post-import": [
            {"key": "tidy", "url": "/import/tidy",
             "signaturePatterns": {"fileName": r"\.(json|txt|csv)$"}},
        ],
        "webhook": [
            {"key": "translated", "url": "/hooks?of=translated", "events": ["project.translated"]},
            {"key": "approved", "url": "/hooks?of=approved", "events": ["project.approved", "project.translated"],
             "environments": ["platform", "platform-enterprise"]},
        ],
    },
}


class Refused(Exception):
    def __init__(self, status, message):
        super().__init__(message)
        self.status = status
        self.message = message


class Answer:
    def __init__(self, status, body=b"", kind="application/json", headers=()):
        self.status = status
        self.body = body
        self.headers = [("Content-Type", kind), *headers] if kind else list(headers)


def as_json(status, value, headers=()):
    return Answer(status, json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"), "application/json", headers)


# ---- JSON Web Tokens -------------------------------------------------------

def unbase64url(text):
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        raise ValueError("alphabet")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def is_id(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2 ** 53


def read_token(token, module):
    """The claims of a token for this module; whatever is wrong with it is one and the same refusal."""
    try:
        if len(token) > 8192:
            raise ValueError("long")
        head, payload, signature = token.split(".")
        header = json.loads(unbase64url(head))
        if header.get("alg") != "HS256" or "crit" in header:
            raise ValueError("header")
        expected = hmac.new(CLIENT_SECRET.encode(), f"{head}.{payload}".encode(), hashlib.sha256).digest()
        if not hmac.compare_digest(expected, unbase64url(signature)):
            raise ValueError("signature")
        claims = json.loads(unbase64url(payload))
        now = time.time()
        if not is_number(claims["exp"]) or claims["exp"] <= now - 15:
            raise ValueError("expired")
        if "nbf" in claims and not (is_number(claims["nbf"]) and claims["nbf"] <= now + 15):
            raise ValueError("early")
        if "iat" in claims and not (is_number(claims["iat"]) and claims["iat"] <= now + 15):
            raise ValueError("early")
        audience = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        if CLIENT_ID not in audience:
            raise ValueError("audience")
        if claims["module"] != module:
            raise ValueError("module")
        context = claims["context"]
        if not is_id(context["user_id"]) or not is_id(context["organization_id"]):
            raise ValueError("person")
        if claims["sub"] != str(context["user_id"]):
            raise ValueError("subject")
        return claims
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Refused(401, "The token is not valid.") from None


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def bearer(request):
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise Refused(401, "A bearer token is needed.")
    return token.strip()


def person_of(claims):
    return {"u": claims["context"]["user_id"], "o": claims["context"]["organization_id"], "m": claims["module"]}


# ---- signed values: nothing but what was used is kept -----------------------

def seal(purpose, value):
    body = base64.urlsafe_b64encode(json.dumps(value, sort_keys=True).encode()).decode().rstrip("=")
    mac = hmac.new(OWN_KEY, f"{purpose}:{body}".encode(), hashlib.sha256).hexdigest()
    return f"{body}.{mac}"


def unseal(purpose, text):
    if not isinstance(text, str) or not text.isascii() or len(text) > 8192:
        return None
    body, _, mac = text.partition(".")
    expected = hmac.new(OWN_KEY, f"{purpose}:{body}".encode(), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected, mac):
        return None
    value = json.loads(unbase64url(body))
    return value if value["exp"] > time.time() else None


used_codes = {}
logins = {}  # digest of a state -> (person, code or None)


def remember(store, key, value, limit=20000):
    while len(store) >= limit:
        store.pop(next(iter(store)))
    store[key] = value


def new_code(person):
    return seal("code", {**person, "n": secrets.token_hex(16), "exp": time.time() + 120})


def redeem(code, person):
    value = unseal("code", code)
    if value is None or any(value[k] != person[k] for k in "uom"):
        return False
    with LOCK:
        if value["n"] in used_codes:
            return False
        remember(used_codes, value["n"], True)
        return True


# ---- guards -----------------------------------------------------------------

BLOCKED = [ipaddress.ip_network("198.51.100.0/24"), ipaddress.ip_network("2001:db8:dead::/48")]


def read_json(request, limit, what="application/json"):
    if request.headers.get_content_type() != what:
        raise Refused(415, "Send JSON.")
    raw = request.read_body(limit)
    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Refused(400, "This is no JSON.") from None
    if not isinstance(value, dict):
        raise Refused(400, "An object is needed.")
    return value


def _no_constant(name):
    raise ValueError(name)


def gate(request):
    rule = request.query_one("rule")
    if rule not in ("office", "pin", "presence"):
        raise Refused(404, "There is no such rule.")
    claims = read_token(bearer(request), rule)
    body = read_json(request, 64 * 1024)
    user, organization, address = body.get("userId"), body.get("organizationId"), body.get("ipAddress")
    if not is_id(user) or not is_id(organization) or not isinstance(address, str):
        raise Refused(422, "userId, organizationId and ipAddress are needed.")
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        raise Refused(422, "ipAddress is no address.") from None
    person = person_of(claims)
    if person["u"] != user or person["o"] != organization or body.get("moduleKey") != rule:
        raise Refused(403, "Token and body disagree.")
    if rule == "office":
        if getattr(ip, "ipv4_mapped", None):
            ip = ip.ipv4_mapped
        if any(ip in network for network in BLOCKED if network.version == ip.version):
            return as_json(200, {"success": False, "message": "This network is blocked."})
        return as_json(200, {"success": True})
    if "code" not in body:
        return as_json(200, {"success": False})
    if redeem(body["code"], person):
        return as_json(200, {"success": True})
    return as_json(200, {"success": False, "message": "The confirmation is not valid any more."})


def page(title, content, status=200, policy="frame-ancestors 'none'", headers=()):
    text = (f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(title)}</title>"
            f"<h1>{html.escape(title)}</h1>{content}</html>")
    return Answer(status, text.encode(), "text/html; charset=utf-8", [
        ("Content-Security-Policy", policy), ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"), *headers])


def refusal_page(error):
    return page("That did not work", f"<p>{html.escape(error.message)}</p>", error.status)


def callback(claims, **query):
    domain = claims["domain"]
    if not isinstance(domain, str) or not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,62}", domain):
        raise Refused(403, "The token names no organization.")
    return f"{AUTH_URL}/{domain}/guard/callback?{urllib.parse.urlencode(query, quote_via=urllib.parse.quote, safe='')}"


def state_key(state):
    return hashlib.sha256(state.encode("utf-8", "surrogatepass")).hexdigest()


def show_pin(request):
    try:
        claims = read_token(request.query_one("jwtToken"), "pin")
        state = request.query_one("state")
        if not state:
            raise Refused(400, "The state is missing.")
        person = person_of(claims)
        with LOCK:
            known = logins.get(state_key(state))
            if known is None:
                remember(logins, state_key(state), (person, None))
            elif known[0] != person:
                raise Refused(403, "This login belongs to somebody else.")
    except Refused as error:
        return refusal_page(error)
    ticket = seal("ticket", {**person, "s": state, "d": claims["domain"], "exp": min(time.time() + 600, claims["exp"])})
    return page("Your PIN", f"""<form action="{BASE}/pin/answer" method="post">
<input type="hidden" name="ticket" value="{html.escape(ticket)}">
<p><label>PIN <input name="pin" type="password" inputmode="numeric" maxlength="4" required></label></p>
<p><select name="reason"><option value="">Why?</option><option value="work" selected>Work</option><option>Other</option></select></p>
<p><label><input type="radio" name="where" value="office" checked> Office</label>
<label><input type="radio" name="where" value="home"> Home</label></p>
<button name="do" value="continue">Continue</button> <button name="do" value="cancel" formnovalidate>Cancel</button>
</form>""")


def answer_pin(request):
    try:
        if request.headers.get_content_type() != "application/x-www-form-urlencoded":
            raise Refused(415, "Send the form.")
        form = urllib.parse.parse_qs(request.read_body(64 * 1024).decode("utf-8", "replace"), keep_blank_values=True)
        ticket = unseal("ticket", form.get("ticket", [""])[0])
        if ticket is None:
            raise Refused(403, "The form is too old, or it is not ours.")
        person = {k: ticket[k] for k in "uom"}
        claims = {"domain": ticket["d"]}
        key = state_key(ticket["s"])
        if form.get("do") == ["cancel"]:
            return Answer(302, headers=[("Location", callback(claims, state=ticket["s"], error="The PIN was not entered – login cancelled."))], kind=None)
        if form.get("do") != ["continue"] or form.get("pin") != ["2468"]:
            return page("Your PIN", f"""<p>This PIN is wrong.</p><form action="{BASE}/pin/answer" method="post">
<input type="hidden" name="ticket" value="{html.escape(form['ticket'][0])}"><input name="pin" type="password" required>
<button name="do" value="continue">Continue</button> <button name="do" value="cancel" formnovalidate>Cancel</button></form>""", 200)
        with LOCK:
            known = logins.get(key)
            if known is None or known[0] != person:
                raise Refused(403, "This login belongs to somebody else.")
            code = known[1] or new_code(person)
            logins[key] = (person, code)
        return Answer(302, headers=[("Location", callback(claims, state=ticket["s"], code=code)), ("Cache-Control", "no-store")], kind=None)
    except Refused as error:
        return refusal_page(error)


def show_presence(request):
    try:
        read_token(request.query_one("jwtToken"), "presence")
    except Refused as error:
        return refusal_page(error)
    nonce = secrets.token_urlsafe(12)
    policy = (f"default-src 'none'; script-src 'nonce-{nonce}' {SDK_URL}; connect-src 'self'; "
              f"frame-ancestors {AUTH_URL}")
    return page("Is it you?", f"""<p id="say"></p>
<button id="yes" type="button">Yes, it is me</button> <button id="no" type="button">No</button>
<script src="{SDK_URL}/host.js"></script>
<script nonce="{nonce}">
const say = document.getElementById("say");
document.getElementById("yes").onclick = async () => {{
  const token = new URLSearchParams(location.search).get("jwtToken");
  const answer = await fetch("{BASE}/presence/approve", {{ method: "POST", headers: {{ "Authorization": "Bearer " + token }} }});
  const said = await answer.json();
  if (answer.ok) AP.verifyAuth({{ code: said.code }});
  else AP.verifyAuth({{ error: said.error || "The app could not confirm it." }});
}};
document.getElementById("no").onclick = () => AP.verifyAuth({{ error: "The user says that it is somebody else." }});
</script>""", policy=policy)


def approve_presence(request):
    claims = read_token(bearer(request), "presence")
    return as_json(200, {"code": new_code(person_of(claims))}, [("Cache-Control", "no-store")])


# ---- imports ----------------------------------------------------------------

files = {}


def failed(message):
    return as_json(200, {"error": {"message": message}})


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


FETCH = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirects)


def fetch(address, what):
    if not isinstance(address, str) or not address.startswith((f"{AUTH_URL}/", f"{API_URL}/")):
        raise Refused(200, f"The {what} is at an address that is not allowed.")
    try:
        with FETCH.open(address, timeout=20) as response:
            ends = time.monotonic() + 60
            parts = []
            while part := response.read1(1 << 16):
                if time.monotonic() > ends:
                    raise TimeoutError
                parts.append(part)
            body = b"".join(parts)
            length = response.headers.get("Content-Length")
            if length is not None and int(length) != len(body):
                raise OSError("cut off")
            return body
    except (OSError, ValueError, HTTPException):
        raise Refused(200, f"The {what} could not be fetched.") from None


def read_lines(raw):
    strings = []
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip() == b"":
            continue
        try:
            strings.append(json.loads(line.decode("utf-8")))
        except (ValueError, RecursionError):
            raise Refused(200, f"Line {number} of the strings is no JSON.") from None
    return strings


def check_string(record):
    if not isinstance(record, dict):
        raise Refused(200, "A string is no object.")
    text = record.get("text")
    plural = record.get("hasPlurals") is True
    if not isinstance(record.get("uniqId"), str) or not isinstance(record.get("identifier"), str):
        raise Refused(200, "A string has no uniqId or identifier.")
    if not (isinstance(text, dict) if plural else isinstance(text, str)):
        raise Refused(200, f"The string {record['identifier']} has no text.")
    for key, kind in (("labels", list), ("translations", dict), ("attributes", dict)):
        if record.get(key) is not None and not isinstance(record[key], kind):
            raise Refused(200, f"{key} of {record['identifier']} has a wrong type.")


def tidy_text(text):
    if isinstance(text, dict):
        return {key: tidy_text(value) for key, value in text.items()}
    return re.sub(r"  +", " ", text) if isinstance(text, str) else text


def tidy(record, mark):
    result = dict(record)
    result["text"] = tidy_text(record["text"])
    result["labels"] = [label for label in record.get("labels") or [] if label != mark] + [mark]
    if isinstance(record.get("translations"), dict):
        result["translations"] = {
            language: {**translation, "text": tidy_text(translation["text"])}
            if isinstance(translation, dict) and "text" in translation else translation
            for language, translation in record["translations"].items()}
    return result


def import_tidy(request):
    read_token(bearer(request), "tidy")
    job = read_json(request, MB5)
    try:
        return run_import(job)
    except Refused as error:
        return failed(error.message)


def run_import(job):
    if job.get("jobType") != "file-post-import":
        raise Refused(200, "This is no import job.")
    file = job.get("file")
    if not isinstance(file, dict):
        raise Refused(200, "There is no file.")
    if ("content" in file) == ("contentUrl" in file):
        raise Refused(200, "The file needs either content or contentUrl.")
    if "content" in file:
        try:
            content = base64.b64decode(file["content"], validate=True)
        except (ValueError, TypeError):
            raise Refused(200, "The content of the file is no base64.") from None
    else:
        content = fetch(file["contentUrl"], "file")
    if ("strings" in job) == ("stringsUrl" in job):
        raise Refused(200, "The job needs either strings or stringsUrl.")
    strings = job["strings"] if "strings" in job else read_lines(fetch(job["stringsUrl"], "list of strings"))
    if not isinstance(strings, list):
        raise Refused(200, "strings is no list.")
    for record in strings:
        check_string(record)
    if len({record["uniqId"] for record in strings}) != len(strings):
        raise Refused(200, "A uniqId stands twice.")
    mark = "src-" + hashlib.sha256(content).hexdigest()[:8]
    changed = [tidy(record, mark) for record in strings]
    data = {"strings": changed}
    body = json.dumps({"data": data}, ensure_ascii=True).encode()
    if len(body) > 4_000_000:
        name = secrets.token_urlsafe(18)
        lines = "".join(json.dumps(record, ensure_ascii=True) + "\n" for record in changed)
        with LOCK:
            remember(files, name, lines.encode(), 32)
        return as_json(200, {"data": {"stringsUrl": f"{SELF}/files/{name}"}})
    if changed and not any(record.get("hasPlurals") for record in changed) and len(changed) <= 200:
        rows = "".join(f"<li>{html.escape(record['text'])}" for record in changed)
        document = f"<!doctype html><meta charset=utf-8><title>Preview</title><ol>{rows}</ol>"
        data["preview"] = base64.b64encode(document.encode("utf-8", "replace")).decode()
        if len(data["preview"]) > 500_000:
            del data["preview"]
    return Answer(200, json.dumps({"data": data}, ensure_ascii=True).encode(), "application/json; charset=utf-8")


def show_file(request, name):
    with LOCK:
        lines = files.get(name)
    if lines is None:
        raise Refused(404, "There is no such file.")
    return Answer(200, lines, "application/x-ndjson")


# ---- webhooks ---------------------------------------------------------------

deliveries = {}


def hook(request):
    module = request.query_one("of")
    if module not in ("translated", "approved"):
        raise Refused(404, "There is no such module.")
    raw = request.read_body(MB5)
    expected = hmac.new(APP_SECRET.encode(), raw, hashlib.sha256).hexdigest()
    given = request.headers.get_all("X-Platform-Signature") or []
    if len(given) != 1 or not hmac.compare_digest(expected.encode(), given[0].encode("utf-8", "surrogateescape")):
        raise Refused(401, "The signature is not valid.")
    if request.headers.get("X-Platform-Id") != ORG_ID or request.headers.get("X-Module-Key") != module:
        raise Refused(403, "This is for somebody else.")
    try:
        events = json.loads(raw.decode("utf-8"))["events"]
        if not isinstance(events, list):
            raise ValueError("events")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Refused(400, "Events are needed.") from None
    key = hashlib.sha256(raw).hexdigest()
    with LOCK:
        known = (module, key) in deliveries
        remember(deliveries, (module, key), [event.get("event") for event in events if isinstance(event, dict)], 5000)
    return as_json(200 if known else 202, {"events": len(events)})


# ---- OAuth ------------------------------------------------------------------

flows = {}     # value of the cookie -> {state: (verifier, next)}
sessions = {}  # value of the cookie -> Session
REDIRECT_URI = f"{SELF}/connect/back"


class Session:
    def __init__(self, tokens):
        self.lock = threading.Lock()
        self.take(tokens)

    def take(self, tokens):
        self.access = tokens["access_token"]
        self.refresh = tokens.get("refresh_token") or getattr(self, "refresh", None)
        lifetime = tokens.get("expires_in")
        self.ends = time.time() + (lifetime if is_number(lifetime) else 7200)


def cookie(name, value, age=None):
    return ("Set-Cookie", f"{name}={value}; Path={BASE}; HttpOnly; SameSite=Lax" + ("" if age is None else f"; Max-Age={age}"))


def ask_token(fields):
    """The tokens; None where the platform refuses, False where it fails, which says nothing of what was sent."""
    body = json.dumps({"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, **fields}).encode()
    asked = urllib.request.Request(f"{AUTH_URL}/oauth/token", body, {"Content-Type": "application/json"}, method="POST")
    try:
        with FETCH.open(asked, timeout=15) as response:
            tokens = json.loads(response.read(1 << 20))
    except urllib.error.HTTPError as error:
        return False if error.code >= 500 else None
    except (OSError, ValueError, HTTPException):
        return False
    if not isinstance(tokens, dict) or not isinstance(tokens.get("access_token"), str) or not tokens["access_token"]:
        return None
    return tokens if str(tokens.get("token_type")).lower() == "bearer" else None


def sign_in(request):
    state, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    flow = request.cookie("hb_flow")
    with LOCK:
        if flow not in flows:
            flow = secrets.token_urlsafe(24)
            remember(flows, flow, {})
        remember(flows[flow], state, (verifier, safe_next(request.query_one("next"))), 10)
    query = urllib.parse.urlencode({
        "client_id": CLIENT_ID, "redirect_uri": REDIRECT_URI, "response_type": "code", "scope": "project",
        "state": state, "code_challenge": challenge, "code_challenge_method": "S256"})
    return Answer(302, headers=[("Location", f"{AUTH_URL}/oauth/authorize?{query}"), cookie("hb_flow", flow)], kind=None)


def safe_next(path):
    return path if re.fullmatch(r"/(?:[A-Za-z0-9._~-]+/?)*", path) else f"{BASE}/me/projects"


def connect_back(request):
    try:
        state, code, error = (request.query_one(name) for name in ("state", "code", "error"))
        with LOCK:
            flow = flows.get(request.cookie("hb_flow"), {})
            begun = flow.pop(state, None) if state else None
        if begun is None:
            raise Refused(403, "This login was not begun here, or it is over.")
        verifier, after = begun
        if error or not code:
            raise Refused(400, "The access was declined." if error == "access_denied" else "The platform did not allow it.")
        tokens = ask_token({"grant_type": "authorization_code", "redirect_uri": REDIRECT_URI, "code": code, "code_verifier": verifier})
        if not tokens:
            raise Refused(403, "The login did not succeed. Try again.")
    except Refused as refused:
        return refusal_page(refused)
    name = secrets.token_urlsafe(32)
    with LOCK:
        sessions.pop(request.cookie("hb_sid"), None)
        remember(sessions, name, Session(tokens))
    return Answer(303, headers=[("Location", after), cookie("hb_sid", name), ("Cache-Control", "no-store"),
                                ("Referrer-Policy", "no-referrer")], kind=None)


def call_api(session):
    asked = urllib.request.Request(f"{API_URL}/api/v2/projects", headers={"Authorization": f"Bearer {session.access}"})
    try:
        with FETCH.open(asked, timeout=15) as response:
            return 200, json.loads(response.read(1 << 22))
    except urllib.error.HTTPError as error:
        return error.code, None
    except (OSError, ValueError, HTTPException):
        return 0, None


def my_projects(request):
    session = sessions.get(request.cookie("hb_sid"))
    if session is None:
        return page("Sign in", f'<p><a href="{BASE}/signin">Sign in with the platform</a></p>', 401)
    with session.lock:
        status, projects = call_api(session)
        if status == 401 and session.refresh:
            tokens = ask_token({"grant_type": "refresh_token", "refresh_token": session.refresh})
            if tokens:
                session.take(tokens)
                status, projects = call_api(session)
            elif tokens is False:
                status = 503
    if status == 401:
        with LOCK:
            sessions.pop(request.cookie("hb_sid"), None)
        return page("Sign in", f'<p><a href="{BASE}/signin">Sign in again</a></p>', 401, headers=[cookie("hb_sid", "", 0)])
    try:
        names = [entry["data"]["name"] for entry in projects["data"]] if status == 200 else None
    except (KeyError, TypeError):
        names = None
    if names is None:
        return page("Projects", "<p>The platform does not answer. Try again.</p>", 503)
    return page("Projects", "<ul>" + "".join(f"<li>{html.escape(str(name))}" for name in names) + "</ul>")


# ---- the server ---------------------------------------------------------------

ROUTES = {
    ("GET", "/manifest.json"): lambda request: as_json(200, MANIFEST),
    ("POST", "/gate"): gate,
    ("GET", "/pin"): show_pin,
    ("POST", "/pin/answer"): answer_pin,
    ("GET", "/presence"): show_presence,
    ("POST", "/presence/approve"): approve_presence,
    ("POST", "/import/tidy"): import_tidy,
    ("POST", "/hooks"): hook,
    ("GET", "/"): lambda request: page("Harbour", f'<a href="{BASE}/signin">Sign in</a>'),
    ("GET", "/signin"): sign_in,
    ("GET", "/connect/back"): connect_back,
    ("GET", "/me/projects"): my_projects,
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "Harbour"
    sys_version = ""
    timeout = 30
    # One write for each answer: else the second packet waits for the first's acknowledgement.
    wbufsize = -1

    def query_one(self, name):
        values = self.query.get(name, [])
        if len(values) > 1:
            raise Refused(400, f"{name} is given more than once.")
        return values[0] if values else ""

    def cookie(self, name):
        found = re.search(rf"(?:^|;\s*){re.escape(name)}=([\w.-]*)", self.headers.get("Cookie", ""))
        return found[1] if found else ""

    def read_body(self, limit):
        if self.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise Refused(415, "Send it without a content coding.")
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            parts, total = [], 0
            while size := int(self.rfile.readline(64).split(b";")[0] or b"0", 16):
                total += size
                if total > limit:
                    raise Refused(413, "This is too large.")
                parts.append(self.rfile.read(size))
                self.rfile.readline(8)
            while self.rfile.readline(1024).strip():
                pass
            self.unread = 0
            return b"".join(parts)
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal():
            raise Refused(400, "The length is no number.")
        if int(length) > limit:
            raise Refused(413, "This is too large.")
        body = self.rfile.read(int(length))
        self.unread = 0
        return body

    def handle_any(self):
        self.unread = int(length) if (length := self.headers.get("Content-Length", "0")).isdecimal() else 0
        try:
            parts = urllib.parse.urlsplit(self.path)
            self.query = urllib.parse.parse_qs(parts.query, keep_blank_values=True, errors="surrogateescape")
            path = parts.path.removeprefix(BASE) if parts.path.startswith(BASE) else None
            method = "GET" if self.command == "HEAD" else self.command
            if method == "GET" and path and path.startswith("/files/"):
                answer = show_file(self, path.removeprefix("/files/"))
            elif (method, path) in ROUTES:
                answer = ROUTES[method, path](self)
            elif any(path == known for _, known in ROUTES):
                raise Refused(405, "Not this way.")
            else:
                raise Refused(404, "Nothing is here.")
        except Refused as error:
            answer = as_json(error.status, {"error": error.message})
        except Exception:
            answer = as_json(500, {"error": "Something went wrong."})
        self.close_connection = True
        if self.unread and self.unread <= 16 << 20:
            while self.unread and (part := self.rfile.read(min(self.unread, 1 << 16))):
                self.unread -= len(part)
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = handle_any

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


if __name__ == "__main__":
    Server(("127.0.0.1", PORT), Handler).serve_forever()

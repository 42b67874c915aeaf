import { type RequestParts, withHeader, withUrlParameters } from "./request-parts.ts";

/** Headers of proxies, by which an app may take a stranger for its own machine. */
const FORWARDED = { "X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1", "X-Forwarded-Host": "localhost" };
/** A client with which developers try their app. */
const TESTER = { "User-Agent": "curl/8.5.0" };
/** Headers that developers leave in an app to get past its login while they test. */
const SWITCHES = ["X-Debug", "X-Test", "X-Internal", "X-Admin", "X-Skip-Auth", "X-Authenticated", "X-Health-Check"];

/** The request with headers by which an app may let it past its verification. */
export function withBypassHeaders(request: RequestParts, value: "true" | "1"): RequestParts {
  return withHeaders(request, Object.fromEntries(SWITCHES.map((name) => [name, value])));
}

/** The request with headers of proxies, as if it came from the app's own machine. */
export function withProxyHeaders(request: RequestParts): RequestParts {
  return withHeaders(request, FORWARDED);
}

/** The request as developers send it while they test. */
export function withTestersAgent(request: RequestParts): RequestParts {
  return withHeaders(request, TESTER);
}

function withHeaders(request: RequestParts, headers: Readonly<Record<string, string>>): RequestParts {
  return Object.entries(headers).reduce((sent, [name, value]) => withHeader(sent, name, value), request);
}

/** Parameters that developers leave in an app to get past its checks while they test. */
const PARAMETERS = [
  "skip",
  "bypass",
  "debug",
  "test",
  "dev",
  "admin",
  "force",
  "preview",
  "success",
  "verified",
  "remember",
  "trusted",
  "auto",
  "approved",
  "passed",
  "allow",
  "mock",
];

/** The request with parameters in its URL by which an app may let it past its checks. */
export function withBypassParameters(request: RequestParts, value: "true" | "1"): RequestParts {
  return withUrlParameters(request, bypassMembers(value));
}

/** Each of these parameters with this value, as members of a body. */
export function bypassMembers<Value>(value: Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(PARAMETERS.map((name) => [name, value]));
}

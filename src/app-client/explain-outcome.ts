import { portOf } from "../config/platform-address.ts";
import type { CallPhase, FailedOutcome, Outcome } from "../journal/exchange.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { isLoopback } from "../protocol/url.ts";
import { withCommas } from "../protocol/with-commas.ts";

/** The detail of an answer in HTTP/2. */
export const SPEAKS_HTTP2 = "it is HTTP/2 alone";

/** How many characters of an app's Content-Encoding are shown; it may list a thousand codings. */
const ENCODING_CHARACTERS = 60;

/** The hint for an error of the app about which nothing else is known. */
export const OWN_LOG = "look in the app's own log";

/** Why something failed, in one line, and what to try. */
export interface Explanation {
  /** What went wrong. */
  readonly reason: string;
  /** What to try; null if nothing is known. */
  readonly hint: string | null;
}

/**
 * Explains an outcome that is not an answer.
 * @param url what was called
 * @param apps addresses of the installed apps, the only ones that `--app` can correct; missing: `url` is one of them
 * @param hasAnswered whether the same origin has answered before: then the scheme is right
 */
export function explainOutcome(
  outcome: FailedOutcome,
  url: string,
  apps: readonly string[] = [url],
  hasAnswered = () => false,
): Explanation {
  const { origin, protocol } = new URL(url);
  const mayExpectTls = () => protocol === "http:" && !hasAnswered();
  const overTls = addressOverTls(origin);
  const explain = (reason: string, hint: string | null = null): Explanation => ({ reason, hint });
  if ("expectsTls" in outcome) return explainTls(url, apps);
  switch (outcome.kind) {
    case "unreachable":
      return explainUnreachable(outcome, url, apps, hasAnswered);
    case "tls-failed": {
      const { code, detail } = outcome;
      return explain(`no TLS connection to ${origin}: ${detail}`, tlsHint(code, detail, url));
    }
    case "timed-out":
      return explain(
        `the app took longer than ${outcome.limitMs / 1000} s: ${phaseText[outcome.phase]}`,
        timeoutHints(origin)[outcome.phase],
      );
    case "disconnected":
      return explain(
        `the app closed the connection ${outcome.phase === "body" ? "in the middle of its" : "without an"} answer`,
        mayExpectTls()
          ? `did the app crash or exit on this call? Its own log may say why. If it expects TLS there, give its address as ${overTls}`
          : "did the app crash or exit on this call? Its own log may say why",
      );
    case "too-large":
      return explain(
        `the app's answer is larger than ${bytes(outcome.limit)}${outcome.decoded ? " after decompression" : ""}`,
      );
    case "not-http":
      if (outcome.detail === SPEAKS_HTTP2) {
        const hint =
          "make it speak HTTP/1.1, in Node with http.createServer, not http2.createServer; or give the address of a proxy that does";
        return explain(`the server at ${origin} speaks only HTTP/2, and app-sim speaks HTTP/1.1`, hint);
      }
      return explain(
        `the answer from ${origin} is not HTTP: ${outcome.detail}`,
        mayExpectTls()
          ? `is another service on that port? If the app expects TLS there, give its address as ${overTls}`
          : null,
      );
    case "undecodable": {
      const encoding = clip(harmlessLine(outcome.encoding), ENCODING_CHARACTERS);
      return explain(
        `the app's answer has Content-Encoding ${encoding} and cannot be read: ${outcome.detail}`,
        "answer without compression: app-sim sends Accept-Encoding: identity",
      );
    }
    case "cut-off":
      return explain(`app-sim stopped reading: ${outcome.detail}`);
    case "interrupted":
      return explain("interrupted");
  }
}

function addressOverTls(origin: string): string {
  return origin.replace(/^http:/, "https:");
}

/** An app at a plain address that expects TLS. */
function explainTls(url: string, apps: readonly string[]): Explanation {
  const { origin } = new URL(url);
  const overTls = addressOverTls(origin);
  const isApp = apps.some((app) => new URL(app).origin === origin);
  return {
    reason: `${origin} expects TLS, so it did not answer over HTTP`,
    hint: isApp ? `use --app ${overTls}` : `its address begins with https: ${overTls}`,
  };
}

const phaseText: Record<CallPhase, string> = {
  connect: "no connection",
  headers: "connected, but no answer came",
  body: "its answer began, but did not end",
};

const LIMIT_IS = "limit is for the whole call, to the last byte of the answer";

/** What to try if the time ran out in a phase. */
function timeoutHints(origin: string): Record<CallPhase, string> {
  return {
    connect: `is ${origin} the right address?`,
    headers: `does every code path of the handler send an answer? The ${LIMIT_IS}`,
    body: `the ${LIMIT_IS}`,
  };
}

function tlsHint(code: string, detail: string, url: string): string {
  const fault = `${code} ${detail}`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    const { hostname } = new URL(url);
    return `call the app by a name in its certificate (--app URL; /etc/hosts maps a name to an address), or create a certificate for this name, for example with mkcert ${hostname.replace(/^\[|\]$/g, "")}`;
  }
  if (code === "CERT_HAS_EXPIRED") return "create a new certificate for the app";
  if (code === "CERT_NOT_YET_VALID") return "is the clock of this machine right?";
  if (/WRONG_VERSION|EPROTO|packet length/i.test(fault)) {
    return "does the app speak plain HTTP? Then its URL begins with http://";
  }
  if (/ALERT|ECONNRESET/i.test(fault)) return "the app aborted the handshake: does it require a client certificate?";
  const own = code === "DEPTH_ZERO_SELF_SIGNED_CERT" ? "the certificate itself" : "the certificate of its issuer";
  return `the app's certificate must be trusted here: start app-sim with NODE_EXTRA_CA_CERTS=FILE, where FILE is ${own} (PEM); mkcert has it at $(mkcert -CAROOT)/rootCA.pem`;
}

/** Whether no port was given, on a machine where few apps listen on the default one. */
function isPortMissing(url: string): boolean {
  const { port, hostname } = new URL(url);
  return port === "" && isLoopback(hostname);
}

function explainUnreachable(
  { code, detail, elsewhere }: Outcome & { kind: "unreachable" },
  url: string,
  apps: readonly string[],
  hasAnswered: () => boolean,
): Explanation {
  const { origin, hostname } = new URL(url);
  const isApp = apps.some((app) => new URL(app).origin === origin);
  const noConnection = `no connection to ${origin}`;
  const giveAddress = isApp
    ? "give the app's address with --app URL"
    : `this address is not the app's own: correct it in the manifest or the answer, or make ${hostname} resolve here`;
  switch (code) {
    case "ECONNREFUSED": {
      if (!isApp) {
        const hint = "this address is not the app's own: start the server that belongs there, or correct the address";
        return { reason: `nothing listens at ${origin}`, hint };
      }
      if (hasAnswered())
        return {
          reason: `nothing listens at ${origin} any more`,
          hint: "did the app crash or exit? Its own log may say why",
        };
      const start = isPortMissing(url)
        ? `the address has no port, so ${portOf(url)} is used: give the app's port, as in --app ${origin}:3000`
        : "start the app, or set its address with --app URL";
      const hint = elsewhere === null ? start : `but ${elsewhere} answers: use --app ${elsewhere}`;
      return { reason: `nothing listens at ${origin}`, hint };
    }
    case "FORBIDDEN_ADDRESS":
      return {
        reason: `${origin} is not called: ${detail}`,
        hint: "apps and their files need an address of their own or a public one; load tests and invalid requests are for this machine and private networks only",
      };
    case "EMFILE":
    case "ENFILE": {
      const who = code === "EMFILE" ? "app-sim" : "this machine";
      return {
        reason: `${noConnection}: ${who} has reached its limit of open files and connections (${code})`,
        hint: "raise the limit (ulimit -n), or use fewer connections at a time",
      };
    }
    case "EADDRNOTAVAIL":
      return {
        reason: `${noConnection}: this machine has no address or no free port for it (EADDRNOTAVAIL)`,
        hint: "use fewer connections at a time and try again in a minute; if IPv6 is off here, use 127.0.0.1",
      };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { reason: `the host name ${hostname} cannot be resolved`, hint: giveAddress };
    default:
      return { reason: `${origin} cannot be reached: ${detail}`, hint: giveAddress };
  }
}

/** `5 MiB`, `5,000,000 bytes`. */
export function bytes(count: number): string {
  return count % 1_048_576 === 0 ? `${count / 1_048_576} MiB` : `${withCommas(count)} bytes`;
}

import { portOf } from "../config/platform-address.ts";
import type { CallPhase, FailedOutcome, Outcome } from "../journal/exchange.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { isLoopback } from "../protocol/url.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { SPEAKS_HTTP2 } from "./call-faults.ts";

/** How much of an app's Content-Encoding is shown; it may name a thousand codings. */
const ENCODING_CHARACTERS = 60;

/** The hint at an error of the app of which nothing else is known. */
export const OWN_LOG = "look into the app's own log";

/** Why something did not work, on one line, and what to try. */
export interface Explanation {
  /** What went wrong. */
  readonly reason: string;
  /** What to try; null: nothing is known. */
  readonly hint: string | null;
}

/**
 * Explains an outcome that is not an answer.
 * @param url what was called
 * @param apps addresses of the installed apps, which alone `--app` can mend; missing: `url` is one of them
 * @param hasAnswered whether an answer came from there before: then it speaks what the address says
 */
export function explainOutcome(
  outcome: FailedOutcome,
  url: string,
  apps: readonly string[] = [url],
  hasAnswered = () => false,
): Explanation {
  const { origin, protocol } = new URL(url);
  const mayExpectTls = () => protocol === "http:" && !hasAnswered();
  const overTls = origin.replace(/^http:/, "https:");
  const explain = (reason: string, hint: string | null = null): Explanation => ({ reason, hint });
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
          ? `does the app expect TLS there? Then give its address as ${overTls}; else, did it crash at this call? Its own log may say why`
          : "did the app crash, or end, at this call? Its own log may say why",
      );
    case "too-large":
      return explain(
        `the app's answer is larger than ${bytes(outcome.limit)}${outcome.decoded ? " when unpacked" : ""}`,
      );
    case "not-http":
      if (outcome.detail === SPEAKS_HTTP2) {
        const hint =
          "let it speak HTTP/1.1, in Node by http.createServer, not http2.createServer; or give the address of a proxy that does";
        return explain(`what answers at ${origin} speaks HTTP/2 alone, and app-sim speaks HTTP/1.1`, hint);
      }
      return explain(
        `what came back from ${origin} is not HTTP: ${outcome.detail}`,
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

const phaseText: Record<CallPhase, string> = {
  connect: "no connection",
  headers: "connected, but no answer came",
  body: "its answer began, but did not end",
};

const LIMIT_IS = "limit is for the whole call, to the last byte of the answer";

/** What to try where time was over in a phase. */
function timeoutHints(origin: string): Record<CallPhase, string> {
  return {
    connect: `is ${origin} the right address?`,
    headers: `does the handler answer on every path? The ${LIMIT_IS}`,
    body: `the ${LIMIT_IS}`,
  };
}

function tlsHint(code: string, detail: string, url: string): string {
  const fault = `${code} ${detail}`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    const { hostname } = new URL(url);
    return `call the app by a name of its certificate (--app URL; /etc/hosts gives a name its address), or make one for this name, for example with mkcert ${hostname.replace(/^\[|\]$/g, "")}`;
  }
  if (code === "CERT_HAS_EXPIRED") return "make a new certificate for the app";
  if (code === "CERT_NOT_YET_VALID") return "is the clock of this machine right?";
  if (/WRONG_VERSION|EPROTO|packet length/i.test(fault)) {
    return "does the app speak plain HTTP? Then its URL begins with http://";
  }
  if (/ALERT|ECONNRESET/i.test(fault)) return "the app ended the handshake: does it ask for a client certificate?";
  const own = code === "DEPTH_ZERO_SELF_SIGNED_CERT" ? "the certificate itself" : "the certificate of its issuer";
  return `the app's certificate must be trusted here: start app-sim with NODE_EXTRA_CA_CERTS=FILE, where FILE is ${own} (PEM); mkcert has it at $(mkcert -CAROOT)/rootCA.pem`;
}

/** Whether nobody named a port, on a machine where few apps listen at the usual one. */
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
    : `this address is not the app's own: correct it where the manifest or the answer names it, or let ${hostname} resolve here`;
  switch (code) {
    case "ECONNREFUSED": {
      if (!isApp) {
        const hint = "this address is not the app's own: start what belongs there, or correct it where it is named";
        return { reason: `nothing listens at ${origin}`, hint };
      }
      if (hasAnswered())
        return {
          reason: `nothing listens at ${origin} any more`,
          hint: "did the app crash, or end? Its own log may say why",
        };
      const start = isPortMissing(url)
        ? `the address names no port, which means ${portOf(url)}: give the app's, as in --app ${origin}:3000`
        : "start the app, or set its address with --app URL";
      const hint = elsewhere === null ? start : `but ${elsewhere} answers: use --app ${elsewhere}`;
      return { reason: `nothing listens at ${origin}`, hint };
    }
    case "FORBIDDEN_ADDRESS":
      return {
        reason: `${origin} is not called: ${detail}`,
        hint: "apps and their files have an address of their own or a public one; load and wrong requests are for this machine and private networks",
      };
    case "EMFILE":
    case "ENFILE": {
      const who = code === "EMFILE" ? "app-sim" : "this machine";
      return {
        reason: `${noConnection}: ${who} has as many files and connections open as it may (${code})`,
        hint: "raise the limit (ulimit -n), or ask for fewer connections at a time",
      };
    }
    case "EADDRNOTAVAIL":
      return {
        reason: `${noConnection}: this machine has no address or no free port for it (EADDRNOTAVAIL)`,
        hint: "ask for fewer connections at a time and try again in a minute; IPv6 may be off here: use 127.0.0.1",
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

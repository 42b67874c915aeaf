import type { CallPhase, FailedOutcome, Outcome } from "../journal/exchange.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";

/** How much of an app's Content-Encoding is shown; it may name a thousand codings. */
const ENCODING_CHARACTERS = 60;

/** Why something did not work, on one line, and what to try. */
export interface Explanation {
  readonly reason: string;
  readonly hint: string | null;
}

/** Explains an outcome that is not an answer. `url` is what was called. */
export function explainOutcome(outcome: FailedOutcome, url: string): Explanation {
  const { origin, protocol } = new URL(url);
  switch (outcome.kind) {
    case "unreachable":
      return explainUnreachable(outcome, url);
    case "tls-failed":
      return {
        reason: `no TLS connection to ${origin}: ${outcome.detail}`,
        hint: tlsHint(`${outcome.code} ${outcome.detail}`),
      };
    case "timed-out":
      return {
        reason: `the app took longer than ${seconds(outcome.limitMs)}: ${phaseText[outcome.phase]}`,
        hint:
          outcome.phase === "connect"
            ? `is ${origin} the right address?`
            : "the limit is for the whole call, to the last byte of the answer",
      };
    case "disconnected":
      return {
        reason:
          outcome.phase === "body"
            ? "the app closed the connection in the middle of its answer"
            : "the app closed the connection without an answer",
        hint: protocol === "http:" ? "did the app crash, or does it expect https there?" : "did the app crash?",
      };
    case "too-large":
      return {
        reason: `the app's answer is larger than ${bytes(outcome.limit)}${outcome.decoded ? " when unpacked" : ""}`,
        hint: null,
      };
    case "not-http":
      return {
        reason: `what came back from ${origin} is not HTTP: ${outcome.detail}`,
        hint: protocol === "http:" ? "is another service on that port, or does the app expect https there?" : null,
      };
    case "undecodable":
      return {
        reason: `the app's answer has Content-Encoding ${clip(harmlessLine(outcome.encoding), ENCODING_CHARACTERS)} and cannot be read: ${outcome.detail}`,
        hint: "answer without compression: app-sim sends Accept-Encoding: identity",
      };
    case "cut-off":
      return { reason: `app-sim stopped reading: ${outcome.detail}`, hint: null };
    case "interrupted":
      return { reason: "interrupted", hint: null };
  }
}

const phaseText: Record<CallPhase, string> = {
  connect: "no connection",
  headers: "connected, but no answer came",
  body: "its answer began, but did not end",
};

function tlsHint(fault: string): string {
  if (/WRONG_VERSION|EPROTO|packet length/i.test(fault)) {
    return "does the app speak plain HTTP? Then its URL begins with http://";
  }
  if (/ALERT|ECONNRESET/i.test(fault)) return "the app ended the handshake: does it ask for a client certificate?";
  return "the app's certificate must be trusted here: start app-sim with NODE_EXTRA_CA_CERTS=ca.pem";
}

function explainUnreachable({ code, detail, elsewhere }: Outcome & { kind: "unreachable" }, url: string): Explanation {
  const { origin, hostname } = new URL(url);
  if (code === "ECONNREFUSED") {
    return {
      reason: `nothing listens at ${origin}`,
      hint:
        elsewhere === null
          ? "start the app, or give its address with --app URL"
          : `but ${elsewhere} answers: use --app ${elsewhere}`,
    };
  }
  if (code === "FORBIDDEN_ADDRESS") {
    return {
      reason: `${origin} is not called: ${detail}`,
      hint: "an app's files belong at its own address or a public one; load is for this machine and private networks",
    };
  }
  if (code === "EMFILE" || code === "ENFILE") {
    return {
      reason: `no connection to ${origin}: ${code === "EMFILE" ? "app-sim" : "this machine"} has as many files and connections open as it may (${code})`,
      hint: "raise the limit (ulimit -n), or ask for fewer connections at a time",
    };
  }
  if (code === "EADDRNOTAVAIL") {
    return {
      reason: `no connection to ${origin}: this machine has no address or no free port for it (EADDRNOTAVAIL)`,
      hint: "ask for fewer connections at a time and try again in a minute; IPv6 may be off here: use 127.0.0.1",
    };
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return { reason: `the host name ${hostname} cannot be resolved`, hint: "give the app's address with --app URL" };
  }
  return { reason: `${origin} cannot be reached: ${detail}`, hint: "give the app's address with --app URL" };
}

/** `10 s`, `0.5 s`. */
function seconds(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}

/** `5 MiB`, `5,000,000 bytes`. */
export function bytes(count: number): string {
  return count % 1_048_576 === 0 ? `${count / 1_048_576} MiB` : `${count.toLocaleString("en-US")} bytes`;
}

import type { Server } from "node:http";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import type { OwnAddress } from "./own-origin.ts";

/** The most different messages: a port scan must not fill a terminal. */
const MAX_MESSAGES = 20;
const HOST_CHARACTERS = 100;

/** The first byte of a TLS handshake record, which no HTTP request begins with (RFC 8446, 5.1). */
const TLS_HANDSHAKE = 0x16;

/** Reports, once for each kind, clients that are turned away before their request reaches a route. */
export interface TurnedAway {
  /** @param host null if there was none, or more than one */
  wrongHost(host: string | null): void;
  /** Listens for connections that fail. */
  watch(server: Server): void;
}

/**
 * Creates the reporter.
 * @param caFile the certificate that clients have to trust; null for the user's own
 * @param tell gets a text of one line
 */
export function reportTurnedAway(
  address: OwnAddress,
  caFile: string | null,
  tell: (message: string) => void,
): TurnedAway {
  const reported = new Set<string>();
  const once = (message: string) => {
    if (reported.has(message) || reported.size > MAX_MESSAGES) return;
    reported.add(message);
    tell(reported.size > MAX_MESSAGES ? "further clients that are turned away are not reported" : message);
  };
  return {
    wrongHost: (host) => once(wrongHostText(host, address)),
    watch: (server) => {
      const tellOf = (text: string | null) => {
        if (text !== null) once(text);
      };
      server.on("tlsClientError", (error: NodeJS.ErrnoException) => tellOf(handshakeText(error, address, caFile)));
      server.on("clientError", ({ rawPacket }: { readonly rawPacket?: Buffer }) =>
        tellOf(bytesText(rawPacket, address)),
      );
    },
  };
}

function wrongHostText(given: string | null, { hosts, url, organizationHost }: OwnAddress): string {
  if (given === null) return "a request was refused because it has no Host header, or more than one";
  const host = clip(harmlessLine(given), HOST_CHARACTERS);
  const [isName, hasPort] = [/^[a-z0-9_-]+(\.[a-z0-9_-]+)*(:\d+)?$/i.test(host), host.includes(":")];
  // Without a port it came through a proxy or a tunnel, and those speak TLS.
  const scheme = hasPort ? new URL(url).protocol : "https:";
  const isBelow = organizationHost !== null && host.includes(`.${new URL(url).hostname}`);
  const advice = isBelow
    ? `the organization's own host is ${organizationHost}, and --domain names another organization`
    : isName
      ? `if your app reaches the platform under that name, start the platform with --public-url ${scheme}//${host}`
      : "this is not a valid Host";
  return `a request for Host ${host} was refused: the platform answers to ${hosts.join(", ")}; ${advice}`;
}

/** What the first bytes of a connection show if they are not HTTP; null if it is nothing that the user can fix. */
function bytesText(bytes: Buffer | undefined, { local }: OwnAddress): string | null {
  if (bytes?.[0] !== TLS_HANDSHAKE) return null;
  return `a client speaks TLS, but the platform is at ${local}: start it with --tls, or give the app that address`;
}

/** Why a TLS handshake failed, if it is something that the user can fix. */
function handshakeText(
  { code = "" }: NodeJS.ErrnoException,
  { local }: OwnAddress,
  caFile: string | null,
): string | null {
  const trust = caFile === null ? "it has to trust the issuer of your certificate" : `it has to trust ${caFile}`;
  if (code === "ERR_SSL_HTTP_REQUEST") {
    return `a client speaks plain HTTP, but the platform speaks TLS: its address is ${local}`;
  }
  if (/^ERR_SSL_.*(UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE)$/.test(code)) {
    return `a client does not accept the platform's certificate: ${trust} (see TLS in docs/serve.md)`;
  }
  // Node as a client disconnects without an alert.
  if (code !== "ECONNRESET") return null;
  return `a client broke off the TLS handshake: if it is your app, ${trust} (see TLS in docs/serve.md)`;
}

import { BlockList, isIP } from "node:net";
import { isNoValue } from "../protocol/no-value.ts";
import { isHttpUrl, isSamePlace, parseUrl } from "../protocol/url.ts";

/** A URL that may be fetched, or a reason that follows the name of the field. */
type JudgedUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly reason: string; readonly hint: string };

/**
 * Whether a URL that an answer of the app names (`data.stringsUrl`, `data.previewUrl`; interface 2.4) may be fetched
 * (hardening S21): http(s), without credentials, at one of the origins, never at a forbidden address.
 * @param allowedOrigins as `URL.origin` spells them, the app's own first
 */
export function judgeAnswerUrl(url: string, allowedOrigins: readonly string[]): JudgedUrl {
  const parsed = parseUrl(url);
  const [own] = allowedOrigins;
  const wanted = `give an absolute http(s) URL at the app's own origin${own === undefined ? "" : `, ${own}`}`;
  const refused = (reason: string, hint = wanted): JudgedUrl => ({ ok: false, reason, hint });
  const [, host = ""] = /^(?:https?:\/\/)?([^/?#:]*)/.exec(url) ?? [];
  if (isNoValue(host) && !allowedOrigins.includes(parsed?.origin ?? "")) {
    return refused(`has "${host}" where the app's own address should stand: a variable of the app is probably not set`);
  }
  if (parsed === null) return refused("is not an absolute URL");
  if (!/^https?:$/.test(parsed.protocol)) return refused(`begins with ${parsed.protocol}, which is never fetched`);
  if (parsed.username !== "" || parsed.password !== "") {
    const hint = "sign the URL in its query instead: app-sim sends no credentials";
    return refused("holds a user name or a password", hint);
  }
  if (!isHttpUrl(url)) return refused("is not an absolute URL");
  const forbidden = forbiddenAddress(parsed.hostname.replace(/^\[|\]$/g, ""));
  if (forbidden !== null) return refused(`is never fetched: ${forbidden}`);
  if (allowedOrigins.includes(parsed.origin)) return { ok: true, url: parsed };
  const ownName = allowedOrigins.map((origin) => new URL(origin)).find((origin) => isSamePlace(parsed, origin));
  if (ownName !== undefined)
    return refused(
      `names the origin ${parsed.origin}, but the app is ${ownName.origin} here`,
      `answer with that host: ${ownName.origin}${parsed.pathname}, or allow the other with --allow-origin ${parsed.origin}`,
    );
  return refused(
    `names the origin ${parsed.origin}, from which app-sim fetches nothing`,
    `allow it with --allow-origin ${parsed.origin} or in fileOrigins of the app's configuration`,
  );
}

/**
 * Why this IP address, in any of its spellings, is forbidden; null if it is not. An app under development may be on
 * this machine or in a private network.
 */
export function forbiddenAddress(address: string): string | null {
  const plain = address.replace(/%.*$/, "");
  const version = isIP(plain);
  if (version === 0) return null;
  const kind = kinds.find(({ list }) => list.check(plain, version === 4 ? "ipv4" : "ipv6"));
  return kind === undefined ? null : `${plain} is ${kind.name}`;
}

/**
 * Why no call at all is made to this IP address, in any of its spellings; null if it may be. An app that says it
 * listens on 0.0.0.0 is on this machine.
 */
export function neverCalled(address: string): string | null {
  const why = forbiddenAddress(address);
  return why?.endsWith(UNSPECIFIED) === true ? null : why;
}

const UNSPECIFIED = "an unspecified address";

type Network = readonly [first: string, bits: number];

const kinds = [
  kindOf("an address where clouds keep their credentials", [
    ["169.254.169.254", 32],
    ["100.100.100.200", 32],
    ["fd00:ec2::254", 128],
  ]),
  kindOf("a link-local address", [
    ["169.254.0.0", 16],
    ["fe80::", 10],
  ]),
  kindOf(UNSPECIFIED, [
    ["0.0.0.0", 8],
    ["::", 128],
  ]),
  kindOf("a multicast or broadcast address", [
    ["224.0.0.0", 4],
    ["255.255.255.255", 32],
    ["ff00::", 8],
  ]),
];

function kindOf(name: string, networks: readonly Network[]) {
  const list = new BlockList();
  for (const [first, bits] of networks) {
    if (first.includes(":")) list.addSubnet(first, bits, "ipv6");
    else {
      // The list itself recognizes IPv4-mapped addresses.
      list.addSubnet(first, bits, "ipv4");
      for (const [prefix, length] of inIpv6(first)) list.addSubnet(prefix, length + bits, "ipv6");
    }
  }
  return { name, list };
}

/** IPv6 addresses that lead to an IPv4 one: IPv4-compatible, translated (RFC 2765, RFC 6052) and 6to4 (RFC 3056). */
function inIpv6(address: string): Network[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const [high, low] = [(a << 8) | b, (c << 8) | d].map((half) => half.toString(16));
  const around: Network[] = [
    [`::ffff:0:${high}:${low}`, 96],
    [`64:ff9b::${high}:${low}`, 96],
    [`2002:${high}:${low}::`, 16],
  ];
  // ::1 and the like are IPv6 addresses of this machine.
  return a === 0 ? around : [[`::${high}:${low}`, 96], ...around];
}

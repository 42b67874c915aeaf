import { BlockList, isIP } from "node:net";
import { isNoValue } from "../protocol/no-value.ts";
import { isHttpUrl, isSamePlace, parseUrl } from "../protocol/url.ts";

/** A URL that may be fetched, or a reason that continues the name of the field. */
type JudgedUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly reason: string; readonly hint: string };

/**
 * Whether a URL in an app's answer (`data.stringsUrl`, `data.previewUrl`; interface 2.4) may be fetched (hardening
 * S21): http(s), without credentials, at one of the origins, never at a forbidden address.
 * @param allowedOrigins in the form of `URL.origin`, the app's own first
 * @param platform the platform's own address
 */
export function judgeAnswerUrl(url: string, allowedOrigins: readonly string[], platform?: string): JudgedUrl {
  const parsed = parseUrl(url);
  const [own] = allowedOrigins;
  const wanted = `give an absolute http(s) URL at the app's own origin${own === undefined ? "" : `, ${own}`}`;
  const refused = (reason: string, hint = wanted): JudgedUrl => ({ ok: false, reason, hint });
  const [, host = ""] = /^(?:https?:\/\/)?([^/?#:]*)/.exec(url) ?? [];
  if (isNoValue(host) && !allowedOrigins.includes(parsed?.origin ?? "")) {
    return refused(`has "${host}" in place of the app's own address: a variable of the app is probably not set`);
  }
  if (parsed === null) return refused("is not an absolute URL");
  if (!/^https?:$/.test(parsed.protocol)) return refused(`begins with ${parsed.protocol}, which app-sim never fetches`);
  if (parsed.username !== "" || parsed.password !== "") {
    const hint = "sign the URL in its query instead: app-sim sends no credentials";
    return refused("contains a user name or a password", hint);
  }
  if (!isHttpUrl(url)) return refused("is not an absolute URL");
  const forbidden = forbiddenAddress(parsed.hostname.replace(/^\[|\]$/g, ""));
  if (forbidden !== null) return refused(`is not fetched: ${forbidden}`);
  if (allowedOrigins.includes(parsed.origin)) return { ok: true, url: parsed };
  if (parsed.origin === parseUrl(platform ?? "")?.origin)
    return refused(
      "is an address of the platform itself, which keeps the job's own files only while it waits",
      OWN_FILE,
    );
  const otherScheme = allowedOrigins.find((origin) => isOtherScheme(parsed, new URL(origin)));
  if (otherScheme !== undefined)
    return refused(
      `begins with ${parsed.origin}, but the app's own address here is ${otherScheme}`,
      `use that address: ${otherScheme}${parsed.pathname}`,
    );
  const ownName = allowedOrigins.map((origin) => new URL(origin)).find((origin) => isSamePlace(parsed, origin));
  if (ownName !== undefined)
    return refused(
      `has the origin ${parsed.origin}, but the app's origin here is ${ownName.origin}`,
      `use that host in the answer: ${ownName.origin}${parsed.pathname}, or allow the other one with --allow-origin ${parsed.origin}`,
    );
  return refused(
    `has the origin ${parsed.origin}, which app-sim does not fetch from`,
    `allow it with --allow-origin ${parsed.origin} or in fileOrigins of the app's configuration`,
  );
}

const OWN_FILE = "answer 304 if nothing changes, or else give the address of a file of the app";

/** Whether only the scheme differs: no port serves both. */
function isOtherScheme(one: URL, other: URL): boolean {
  return one.protocol !== other.protocol && one.host === other.host && one.port !== "";
}

/**
 * Why this IP address, in any spelling, is forbidden; null if it is not. An app under development may be on this
 * machine or in a private network.
 */
export function forbiddenAddress(address: string): string | null {
  const plain = address.replace(/%.*$/, "");
  const version = isIP(plain);
  if (version === 0) return null;
  const kind = kinds.find(({ list }) => list.check(plain, version === 4 ? "ipv4" : "ipv6"));
  return kind === undefined ? null : `${plain} is ${kind.name}`;
}

/**
 * Why this IP address, in any spelling, is never called; null if it may be. An app that reports listening on 0.0.0.0 is
 * on this machine.
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
      // BlockList itself recognizes IPv4-mapped addresses.
      list.addSubnet(first, bits, "ipv4");
      for (const [prefix, length] of inIpv6(first)) list.addSubnet(prefix, length + bits, "ipv6");
    }
  }
  return { name, list };
}

/** IPv6 addresses that embed an IPv4 one: IPv4-compatible, translated (RFC 2765, RFC 6052) and 6to4 (RFC 3056). */
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

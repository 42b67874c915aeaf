import { clip, harmlessLine } from "../protocol/harmless.ts";

/** The same origin, or the same port of this machine by another of its names: `localhost` is `127.0.0.1`. */
export function isSamePlace(one: URL, other: URL): boolean {
  if (one.origin === other.origin) return true;
  return (
    one.protocol === other.protocol && one.port === other.port && isLoopback(one.hostname) && isLoopback(other.hostname)
  );
}

function isLoopback(hostname: string): boolean {
  return /^(?:127\.0\.0\.1|\[::1\]|(?:[a-z\d-]+\.)*localhost)$/.test(hostname);
}

/** Whether an address is one of the platform, by any name of this machine under which it listens: 127.0.0.1 only. */
export function isPlatformAddress(platform: string, address: URL): boolean {
  return isSamePlace(address, new URL(platform)) && address.hostname !== "[::1]";
}

/** An address for people: without its query, which holds tokens and codes. */
export function addressText({ protocol, host, pathname }: URL): string {
  return clip(harmlessLine(`${protocol}${host === "" ? "" : `//${host}`}${pathname}`), 200);
}

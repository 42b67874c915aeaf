import { clip, harmlessLine } from "../protocol/harmless.ts";
import { isSamePlace } from "../protocol/url.ts";

/** Whether an address is one of the platform, by any name of this machine under which it listens: 127.0.0.1 only. */
export function isPlatformAddress(platform: string, address: URL): boolean {
  return isSamePlace(address, new URL(platform)) && address.hostname !== "[::1]";
}

/** An address for people: without its query, which holds tokens and codes. */
export function addressText({ protocol, host, pathname }: URL): string {
  return clip(harmlessLine(`${protocol}${host === "" ? "" : `//${host}`}${pathname}`), 200);
}

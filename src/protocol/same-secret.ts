import { timingSafeEqual } from "node:crypto";

/** Whether two secrets are the same text; how long that takes tells nothing but their length. */
export function isSameSecret(given: string, right: string): boolean {
  const [givenBytes, rightBytes] = [Buffer.from(given), Buffer.from(right)];
  return givenBytes.length === rightBytes.length && timingSafeEqual(givenBytes, rightBytes);
}

import { timingSafeEqual } from "node:crypto";

/** Whether two secrets are equal; the time it takes reveals nothing but their lengths. */
export function isSameSecret(given: string, right: string): boolean {
  const [givenBytes, rightBytes] = [Buffer.from(given), Buffer.from(right)];
  return givenBytes.length === rightBytes.length && timingSafeEqual(givenBytes, rightBytes);
}

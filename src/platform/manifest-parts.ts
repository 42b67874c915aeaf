import { z } from "zod";
import { didYouMean } from "../protocol/nearest.ts";
import { isHttpUrl } from "../protocol/url.ts";
import type { Problem } from "../protocol/usage-error.ts";

/**
 * An address of an app: relative to app_base_url, or absolute (interface 2.1).
 * @param expected what is said where there is none
 */
export function addressSchema(expected?: string) {
  return z
    .string(expected)
    .refine((url) => url.startsWith("/") || isHttpUrl(url), 'must begin with "/" or be an http(s) URL');
}

/** A warning for each key that the interface does not know. */
export function unknownKeys(object: Record<string, unknown>, known: readonly string[], path: string): Problem[] {
  return Object.keys(object)
    .filter((key) => !known.includes(key))
    .map((key) => ({
      path: `${path}.${key}`,
      message: `is not part of the interface; ignored.${didYouMean(key, known)}`,
    }));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

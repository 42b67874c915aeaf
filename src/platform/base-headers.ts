/**
 * What every answer of the platform says, unless its address says otherwise: it is for this origin only, is not kept,
 * loads nothing, and is in nobody's frame (hardening S6, S11, A28).
 */
export const BASE_HEADERS = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

import { expect, test } from "vitest";
import { asksForGzip } from "../../src/import-checks/packed-strings.ts";
import type { Exchange } from "../../src/journal/exchange.ts";

const asking = (codings: string | null) =>
  asksForGzip({
    request: { headers: codings === null ? [] : [["Accept-Encoding", codings]] },
  } as unknown as Exchange);

test.each(["gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.2", "deflate , x-gzip", "gzip; q=0.01"])(
  "%s asks for gzip",
  (codings) => {
    expect(asking(codings)).toBe(true);
  },
);

test.each([null, "", "identity", "*", "br", "gzip;q=0", "identity, gzip; q=0.000", "notgzip"])(
  "%s does not ask for gzip",
  (codings) => {
    expect(asking(codings)).toBe(false);
  },
);

import type { ObservationCheck } from "../checking/check.ts";
import { varyingBits } from "../checking/randomness.ts";
import { answeredJson } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";

/** Bits of entropy that cannot be searched through at a server. */
const UNGUESSED_BITS = 48;

/** The check of the addresses at which the app hosts the files of its answers. */
export const hostedFilesCheck: ObservationCheck = {
  id: "import.answer.address",
  area: "import",
  title: "The addresses of the files that answers name cannot be guessed",
  section: "2.4",
  severity: "should",
  why: "The platform fetches these files without a login, so anybody can. Guessing an address reveals the texts of other people's files.",
  mend: "Put at least 16 bytes from a cryptographic random generator into each address, and remove the file once it has been fetched.",
  observe: (exchanges) => {
    const addresses = [...new Set(exchanges.flatMap(addressesIn))];
    if (addresses.length < 2) return skipVerdict("its answers name fewer than two files");
    const bits = varyingBits(addresses);
    if (bits >= UNGUESSED_BITS) return PASSED;
    const reason = `the varying part of ${addresses.length} addresses has at most ${Math.floor(bits)} bits of entropy`;
    return faulty(hostedFilesCheck, reason);
  },
};

/** The addresses that an answer names (interface 2.4). */
function addressesIn(exchange: Exchange): string[] {
  const { data } = (answeredJson(exchange) ?? {}) as { readonly data?: Readonly<Record<string, unknown>> | null };
  return [data?.stringsUrl, data?.previewUrl].filter((address) => typeof address === "string");
}

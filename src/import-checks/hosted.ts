import { addressText } from "../browser/addresses.ts";
import type { ObservationCheck } from "../checking/check.ts";
import { READ_OF } from "../checking/evidence.ts";
import { UNGUESSED_BITS, varyingBits } from "../checking/randomness.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { appSecrets } from "../config/secrets.ts";
import type { Exchange } from "../journal/exchange.ts";
import { answeredJson, unpackedBytes } from "../journal/readable-body.ts";
import { findSecrets } from "../journal/secrets-in.ts";
import { hasByteOrderMark } from "../protocol/byte-order-mark.ts";
import type { ImportCheck } from "./check.ts";
import { STRINGS_OF } from "./reading.ts";
import { surveyCheck } from "./survey.ts";

/** The check of the addresses at which the app hosts the files of its answers. */
export const hostedFilesCheck: ObservationCheck = {
  id: "import.answer.address",
  area: "import",
  title: "The addresses of the files that answers name cannot be guessed",
  section: "2.4",
  severity: "should",
  why: "The platform fetches these files without a login, so anybody can. Guessing an address reveals the texts of other people's files.",
  fix: "Put at least 16 bytes from a cryptographic random generator into each address, and remove the file once it has been fetched.",
  observe: (exchanges) => {
    const reused = addressOfTwoFiles(exchanges);
    if (reused !== undefined) return faulty(hostedFilesCheck, `different files were at the same address, ${reused}`);
    const addresses = [...new Set(exchanges.flatMap(addressesIn))];
    if (addresses.length < 2) return skipVerdict("its answers name fewer than two files");
    const bits = varyingBits(addresses);
    if (bits >= UNGUESSED_BITS) return PASSED;
    const reason = `the varying part of ${addresses.length} addresses has at most ${Math.floor(bits)} bits of entropy`;
    return faulty(hostedFilesCheck, reason);
  },
};

/** The address at which two different files were fetched: the next one can be expected there, too. */
function addressOfTwoFiles(exchanges: readonly Exchange[]): string | undefined {
  const files = exchanges.flatMap(({ purpose, request, response }) =>
    purpose === "import-file" && response?.status === 200 ? [{ url: request.url, bytes: unpackedBytes(response) }] : [],
  );
  const next = files.find(({ url, bytes }, index) =>
    files.slice(0, index).some((before) => before.url === url && !before.bytes.equals(bytes)),
  );
  return next === undefined ? undefined : addressText(new URL(next.url));
}

/** The check of how the file of strings begins. */
export const byteOrderMarkCheck: ImportCheck = surveyCheck(
  {
    id: "import.answer.byte-order-mark",
    title: "The file at stringsUrl has no byte order mark",
    section: "RFC 8259, 8.1",
    severity: "should",
    why: "JSON never begins with one. Many parsers then refuse the first line, and the import fails.",
    fix: "Write the file as UTF-8 without a byte order mark; in Python, as utf-8, not utf-8-sig.",
  },
  (check, { steps }) => {
    const files = steps.flatMap(({ role, exchange: { response } }) =>
      role.endsWith(STRINGS_OF) && response?.status === 200 ? [unpackedBytes(response)] : [],
    );
    if (files.length === 0) return skipVerdict("no answer to a small job has a stringsUrl");
    return files.some(hasByteOrderMark) ? faulty(check, "it begins with one") : PASSED;
  },
);

/** The check of what the app sends with its request for a file of a job. */
export const fetchedFilesCheck: ImportCheck = surveyCheck(
  {
    id: "import.file.credentials",
    title: "The app fetches the files of a job without its own secrets",
    section: "2.3",
    severity: "should",
    why: "The address of the file is public, and may be at any host. The owner of that host learns the secret, and can act as the app.",
    fix: "Fetch files with an HTTP client that has no default headers for the platform's API.",
  },
  (check, { steps, app }) => {
    const fetches = steps.filter(({ role }) => role.endsWith(READ_OF)).map(({ exchange }) => exchange);
    if (fetches.length === 0) return skipVerdict("the app fetched no file");
    const find = findSecrets(appSecrets(app));
    const [leaked] = fetches.flatMap(({ request }) => find(request.headers.map(([, value]) => value).join("\n")));
    return leaked === undefined ? PASSED : faulty(check, `the app's request for a file holds the ${leaked}`);
  },
);

/** The addresses that an answer names (interface 2.4). */
export function addressesIn(exchange: Exchange): string[] {
  const { data } = (answeredJson(exchange) ?? {}) as { readonly data?: Readonly<Record<string, unknown>> | null };
  return [data?.stringsUrl, data?.previewUrl].filter((address) => typeof address === "string");
}

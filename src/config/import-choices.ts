import { z } from "zod";
import { IMPORT_LIMIT_BYTES, IMPORT_TIMEOUT_MS } from "../protocol/limits.ts";
import { type ChoiceDefinition, choice, fixed, oneOf, wholeNumber } from "./choice-definition.ts";

/** What the interface leaves open of an import (interface 2.3 to 2.5, 8). */
export const importChoices = {
  "postImport.auth": oneOf(
    "5.1",
    ["post-import"],
    ["bearer", "none", "query"],
    "the JWT of the guards protects this call as well; query sends it as jwtToken",
  ),
  "postImport.update": fixed(
    "2.3",
    ["post-import"],
    "as-upload",
    "the job of a source update has no target languages, like that of a new file",
  ),
  "postImport.notModified": oneOf(
    "2.4",
    ["post-import"],
    ["accepted", "refused"],
    '304 without a body says "nothing changed"',
  ),
  "postImport.overLimit": fixed(
    "7",
    ["post-import"],
    "fail",
    "a payload over the limit fails the import and changes nothing",
  ),
  "postImport.omitted": oneOf(
    "2.4",
    ["post-import"],
    ["removed", "unchanged"],
    "a sent string that does not come back is shown as removed",
  ),
  "postImport.patterns": oneOf(
    "2.1",
    ["post-import"],
    ["all", "any"],
    "all given patterns must match; fileContent looks at the first 64 KiB",
  ),
  "postImport.platformType": fixed(
    "2.5",
    ["post-import"],
    "any-string",
    "the values mostly match format names, so none is refused",
  ),
  "postImport.statusTransitions": fixed("3.2", ["post-import"], "any", "an app may set any of the three statuses"),
  "postImport.timeout": choice(
    "8",
    ["post-import"],
    wholeNumber(100, IMPORT_TIMEOUT_MS),
    IMPORT_TIMEOUT_MS,
    "100 to 120000 (milliseconds)",
    "2 minutes, or less for tests",
  ),
  "postImport.fetch.timeout": choice(
    "8",
    ["post-import"],
    wholeNumber(100, 3_600_000),
    120_000,
    "100 to 3600000 (milliseconds)",
    "for a file that an answer names, no limit is shown; it gets the time of the call",
  ),
  "postImport.fetch.size": choice(
    "8",
    ["post-import"],
    wholeNumber(1024, 2 ** 40),
    4_294_967_296,
    "1024 to 1099511627776 (bytes)",
    "for a file that an answer names, no limit is shown; 4 GiB is more than a million strings",
  ),
  "limits.size": choice(
    "8",
    ["post-import"],
    z.union([z.enum(["5MiB", "5MB"]), wholeNumber(1024, IMPORT_LIMIT_BYTES["5MiB"])]),
    "5MiB",
    "5MB, or a smaller number of bytes from 1024, for tests",
    '"5 MB" as 5,242,880 bytes, with a warning from 5,000,000',
  ),
} as const satisfies Record<string, ChoiceDefinition>;

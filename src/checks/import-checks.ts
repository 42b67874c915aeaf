import type { StringRecord } from "../protocol/import-job.ts";
import { IMPORT_WARN_BYTES } from "../protocol/limits.ts";
import { bytes } from "./explain-outcome.ts";
import type { Finding } from "./finding.ts";

/** What the checks of an import look at. */
export interface CheckedImport {
  readonly sent: readonly StringRecord[];
  readonly received: readonly StringRecord[];
  readonly hasPreview: boolean;
  readonly hasStringsUrl: boolean;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly omittedAre: "removed" | "unchanged";
}

type Found = Pick<Finding, "path" | "message">;

interface ImportCheck {
  readonly id: string;
  readonly section: string;
  /** What its findings mean: `fail` fails the import, `warn` does not. */
  readonly result: "warn" | "fail";
  readonly find: (checked: CheckedImport) => Found[];
}

const importChecks: readonly ImportCheck[] = [
  {
    id: "import.uniqId.unique",
    section: "2.5",
    result: "fail",
    find: ({ received }) => {
      const first = new Map<string, number>();
      return received.flatMap(({ uniqId }, index) => {
        const earlier = first.get(uniqId);
        if (earlier === undefined) first.set(uniqId, index);
        return earlier === undefined
          ? []
          : [
              {
                path: `data.strings[${index}].uniqId`,
                message: `"${uniqId}" is also that of data.strings[${earlier}]; it must be unique within the file`,
              },
            ];
      });
    },
  },
  {
    id: "import.strings.omitted",
    section: "2.4",
    result: "warn",
    find: ({ sent, received, omittedAre }) => {
      const ids = new Set(received.map((record) => record.uniqId));
      const omitted = sent.filter((record) => !ids.has(record.uniqId));
      const [first] = omitted;
      if (first === undefined || omittedAre === "unchanged") return [];
      const which =
        omitted.length === 1
          ? `"${first.identifier}" was`
          : `${omitted.length} strings, the first of them "${first.identifier}", were`;
      return [{ path: "data.strings", message: `${which} sent but did not come back; shown as removed` }];
    },
  },
  {
    id: "import.preview.plurals",
    section: "2.4",
    result: "warn",
    find: ({ received, hasPreview }) =>
      hasPreview && received.some((record) => record.hasPlurals === true)
        ? [{ path: "data.preview", message: "a preview is not supported when the strings include plural strings" }]
        : [],
  },
  {
    id: "import.strings.both",
    section: "2.4",
    result: "warn",
    find: ({ hasStringsUrl }) =>
      hasStringsUrl
        ? [{ path: "data.stringsUrl", message: "is given beside data.strings, which it is an alternative to; ignored" }]
        : [],
  },
  {
    id: "import.size.near-limit",
    section: "8",
    result: "warn",
    find: ({ sentBytes, receivedBytes }) =>
      [
        { path: "request", size: sentBytes },
        { path: "response", size: receivedBytes },
      ]
        .filter(({ size }) => size >= IMPORT_WARN_BYTES)
        .map(({ path, size }) => ({
          path,
          message: `is ${bytes(size)}: over the limit where 5 MB is read as 5,000,000 bytes`,
        })),
  },
];

/** Every finding of every check, in the order of the checks. */
export function checkImport(checked: CheckedImport): Finding[] {
  return importChecks.flatMap(({ id, section, result, find }) =>
    find(checked).map((found) => ({ check: id, section, result, ...found })),
  );
}

import { gzipSync } from "node:zlib";
import { READ_OF } from "../checking/evidence.ts";
import { faulty, skipVerdict } from "../checking/verdict.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { type ImportCheck, importCheck } from "./check.ts";
import { fortyLines, submitStringsAt } from "./hosts.ts";
import { readImport } from "./reading.ts";
import { fortyStrings, judgeUnusual } from "./unusual-host.ts";

/** Whether a request says that the answer may be compressed with gzip (RFC 9110, 12.5.3). */
export function asksForGzip({ request }: Pick<Exchange, "request">): boolean {
  const codings = (headerValue(request.headers, "accept-encoding") ?? "").toLowerCase().split(",");
  return codings.some((coding) => /^\s*(?:x-)?gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/.test(coding));
}

/** The check of a file of strings that is compressed because the app asked for that. */
export const packedStringsCheck: ImportCheck = importCheck(
  {
    id: "import.strings-host.packed",
    title: "An app that asks for a compressed stringsUrl can read it",
    section: "RFC 9110, 12.5.3",
    severity: "should",
    why: "File servers compress text for readers that ask for it. The import then fails for a reason that users cannot fix.",
    fix: "Let the HTTP client set Accept-Encoding and decompress, or ask for identity.",
  },
  {
    run: async (tools) => {
      await tools.serving("plain", { content: fortyLines() }, (url) => submitStringsAt(tools, "plain", url));
      if (tools.readersOf("plain").some(asksForGzip)) {
        const packed = { content: gzipSync(fortyLines()), headers: { "content-encoding": "gzip" } };
        await tools.serving("unusual", packed, (url) => submitStringsAt(tools, "unusual", url));
      }
      await tools.serving("again", { content: fortyLines() }, (url) => submitStringsAt(tools, "again", url));
    },
    judge: (evidence) => {
      const unusual = readImport(evidence, "unusual", fortyStrings());
      if (unusual === null) return skipVerdict("the app does not ask for compressed files");
      const hasAsked = evidence.steps.some(
        ({ role, exchange }) => role === `unusual${READ_OF}` && asksForGzip(exchange),
      );
      if (!hasAsked) return skipVerdict("the app did not ask for a compressed file this time");
      const others = ["plain", "again"].map((role) => readImport(evidence, role, fortyStrings()));
      if (others.some((each) => each?.reply.kind !== "accepted"))
        return skipVerdict("the app does not accept the same file without compression");
      const { kind, says } = unusual.reply;
      if (kind !== "accepted") return faulty(packedStringsCheck, `the app ${says}, although it asked for gzip`);
      return judgeUnusual(packedStringsCheck, evidence, unusual, "stringsUrl is compressed with gzip");
    },
  },
);

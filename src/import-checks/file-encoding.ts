import { withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import { type ImportCheck, importCheck, withFileAt } from "./check.ts";
import { readImport } from "./reading.ts";

const [INLINE, BY_URL] = ["inline", "by contentUrl"] as const;
/** "Größe" in Latin-1, and the first bytes of an image: neither is UTF-8. */
const NOT_UTF8 = Buffer.from([0x0a, 0x47, 0x72, 0xf6, 0xdf, 0x65, 0x0a, 0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]);

/** The check of an app that takes every source file for UTF-8. */
export const fileEncodingCheck: ImportCheck = importCheck(
  {
    id: "import.file.not-utf8",
    title: "The app does not break on a source file that is not UTF-8",
    why: "Source files may be binary, such as .docx, or in another encoding, such as .properties in Latin-1. The platform has read them already: the app gets their strings.",
    fix: "Treat the file as bytes. If the app has to read it as text, decode it leniently, or answer with `error.message`.",
  },
  {
    run: async (tools) => {
      const request = await tools.request();
      const { file } = (request.body as { readonly json: ImportJob }).json;
      const content = Buffer.concat([Buffer.from(file.content ?? "", "base64"), NOT_UTF8]);
      const inline = withMembers(request, { file: { ...file, content: content.toString("base64") } });
      if (inline !== null) await tools.submit(INLINE, inline);
      await tools.serving("file", { content }, async (url) => tools.submit(BY_URL, withFileAt(request, url)));
    },
    judge: (evidence) => {
      const answers = [INLINE, BY_URL].map((role) => readImport(evidence, role)).filter((each) => each !== null);
      if (answers.length === 0) return skipVerdict("it was not sent");
      const broken = answers.find(({ reply }) => reply.kind === "broken" || reply.kind === "unclear");
      return broken === undefined
        ? PASSED
        : faulty(fileEncodingCheck, `to a file that is not UTF-8, the app ${broken.reply.says}`);
    },
  },
);

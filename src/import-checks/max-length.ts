import type { Evidence, Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import { type ImportCheck, importCheck, withFileOf } from "./check.ts";
import { readImport } from "./reading.ts";
import { forTranslation } from "./varied-strings.ts";

const SENT = "sent";
/** More characters than the translations have, and fewer bytes: an app may add something to a translation, too. */
const MAX_LENGTH = 60;

/** 38 characters in 70 bytes, and 28 in 84. */
const translations: Readonly<Record<string, string>> = {
  uk: "Дякуємо, що ви вчасно оплатили рахунок",
  ja: "お支払いいただきありがとうございます。またお越しください",
};

/** The same string twice: without a limit, and with one that its translations do not reach. */
function limitedStrings(): readonly [StringRecord, StringRecord] {
  const record = {
    // The space at the end makes most apps change it: unchanged strings may be omitted.
    text: "Thank you for paying on time ",
    translations: Object.fromEntries(Object.entries(translations).map(([id, text]) => [id, { text }])),
  };
  return [
    { ...record, uniqId: "app-sim-max-length::1", identifier: "payment.thanks" },
    { ...record, uniqId: "app-sim-max-length::2", identifier: "payment.thanks.short", maxLength: MAX_LENGTH },
  ];
}

/** The check that an app measures translations in characters. */
export const maxLengthCheck: ImportCheck = importCheck(
  {
    id: "import.translation.max-length",
    section: "2.5",
    title: "A translation that has more bytes, but not more characters than maxLength comes back whole",
    why: "The limit is for what people see. An app that counts bytes cuts every translation in Ukrainian or Japanese, even in the middle of a character.",
    fix: "Count the characters of a text, not the bytes of its encoding.",
  },
  {
    run: async (tools) => {
      const strings = [...limitedStrings()];
      await tools.submit(
        SENT,
        await withFileOf(tools, strings).request((job) => ({ ...forTranslation(job), strings })),
      );
    },
    judge: judgeMaxLength,
  },
);

const shown = (text: string) => harmlessLine(JSON.stringify(clip(text, MAX_LENGTH)));

function judgeMaxLength(evidence: Evidence): Verdict {
  const sent = limitedStrings();
  const answered = readImport(evidence, SENT, sent);
  if (answered === null) return skipVerdict("it was not sent");
  if (answered.reply.kind !== "accepted") return skipVerdict(`the app ${answered.reply.says} to the job`);
  const came = sent.map(({ uniqId }) => answered.strings?.find((record) => record.uniqId === uniqId));
  const [free, limited] = came;
  if (free === undefined || limited === undefined) return skipVerdict("its answer does not have both strings");
  for (const [id, text] of Object.entries(translations)) {
    const [before, after] = [free, limited].map((record) => record.translations?.[id]?.text);
    if (before !== text || after === text) continue;
    const what = typeof after === "string" ? `came back as ${shown(after)}` : "is missing";
    return faulty(maxLengthCheck, `with a maxLength of ${MAX_LENGTH} the translation into ${id} ${what}`);
  }
  return PASSED;
}

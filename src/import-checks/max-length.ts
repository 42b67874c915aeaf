import type { Evidence, Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import { type ImportCheck, importCheck, withFileOf } from "./check.ts";
import { readImport } from "./reading.ts";
import type { ImportTools } from "./tools.ts";
import { forTranslation } from "./varied-strings.ts";

const SENT = "sent";
/** As many characters as the longer translation has, and fewer than its bytes. */
const MAX_LENGTH = 61;

/** 61 characters in 112 bytes, and 28 in 84. */
const translations: Readonly<Record<string, string>> = {
  uk: "Дякуємо, що ви вчасно оплатили рахунок за нашу спільну роботу",
  ja: "お支払いいただきありがとうございます。またお越しください",
};

/** Longer than the limit, which is only for translations. */
const LONG_TEXT =
  "We thank you for paying your invoice on time, and hope that you enjoy what you have bought from us – until soon ";

/**
 * The same string twice: without a limit, and with one that its translations do not exceed. Then one whose own text is
 * longer than its limit.
 */
function limitedStrings(): readonly [StringRecord, StringRecord, StringRecord] {
  const record = {
    // The space at the end makes most apps change it: unchanged strings may be omitted.
    text: "Thank you for paying on time ",
    translations: Object.fromEntries(Object.entries(translations).map(([id, text]) => [id, { text }])),
  };
  return [
    { ...record, uniqId: "app-sim-max-length::1", identifier: "payment.thanks" },
    { ...record, uniqId: "app-sim-max-length::2", identifier: "payment.thanks.short", maxLength: MAX_LENGTH },
    {
      uniqId: "app-sim-max-length::3",
      identifier: "payment.thanks.long",
      text: LONG_TEXT,
      maxLength: MAX_LENGTH,
    },
  ];
}

/** The requests shared by the checks of this file. */
const LIMITED = "import.translation.max-length";

async function submitLimited(tools: ImportTools): Promise<void> {
  const strings = [...limitedStrings()];
  await tools.submit(SENT, await withFileOf(tools, strings).request((job) => ({ ...forTranslation(job), strings })));
}

/** The check that an app measures translations in characters. */
export const maxLengthCheck: ImportCheck = importCheck(
  {
    id: LIMITED,
    section: "2.5",
    title: "A translation that has more bytes, but not more characters than maxLength comes back whole",
    why: "The limit is for what people see. An app that counts bytes cuts every translation in Ukrainian or Japanese, even in the middle of a character.",
    fix: "Count the characters of a text, not the bytes of its encoding.",
  },
  { trial: LIMITED, run: submitLimited, judge: judgeMaxLength },
);

/** The check that an app does not apply the limit of translations to the text. */
export const textMaxLengthCheck: ImportCheck = importCheck(
  {
    id: "import.text.max-length",
    section: "2.5",
    title: "A text that is longer than maxLength comes back whole",
    severity: "should",
    why: "maxLength limits the translations. A text that is cut to it loses its end, and translators never learn what it said.",
    fix: "Measure translations only, and leave the text as it is.",
  },
  {
    trial: LIMITED,
    run: submitLimited,
    judge: (evidence) => {
      const [, , long] = answeredStrings(evidence);
      if (long === undefined) return skipVerdict("its answer does not have the string");
      const text = String(long.text).replace(/\s*(…|\.\.\.)?\s*$/, "");
      const isCut = text.length <= MAX_LENGTH && text !== "" && LONG_TEXT.startsWith(text);
      return isCut ? faulty(textMaxLengthCheck, `it came back as ${shown(text)}`) : PASSED;
    },
  },
);

const shown = (text: string) => harmlessLine(JSON.stringify(clip(text, MAX_LENGTH)));

/** The strings that came back, each in the place of the one that was sent; undefined: it did not, or not validly. */
function answeredStrings(evidence: Evidence): readonly (StringRecord | undefined)[] {
  const sent = limitedStrings();
  const answered = readImport(evidence, SENT, sent);
  const strings = answered?.reply.kind === "accepted" ? (answered.strings ?? []) : [];
  return sent.map(({ uniqId }) => strings.find((record) => record.uniqId === uniqId));
}

function judgeMaxLength(evidence: Evidence): Verdict {
  const [free, limited] = answeredStrings(evidence);
  if (free === undefined || limited === undefined) return skipVerdict("its answer does not have both strings");
  for (const [id, text] of Object.entries(translations)) {
    const [before, after] = [free, limited].map((record) => record.translations?.[id]?.text);
    if (before !== text || after === text) continue;
    const what = typeof after === "string" ? `came back as ${shown(after)}` : "is missing";
    return faulty(maxLengthCheck, `with a maxLength of ${MAX_LENGTH} the translation into ${id} ${what}`);
  }
  return PASSED;
}

import type { Evidence, Verdict } from "../checking/check.ts";
import { faulty, skipVerdict } from "../checking/verdict.ts";
import type { StringRecord } from "../protocol/import-job.ts";
import { busyVerdict, type ImportCheck, importCheck, sameVerdict, submitByUrl, withFileOf } from "./check.ts";
import { submitStringsAt } from "./hosts.ts";
import { previewOf, readImport } from "./reading.ts";
import { tellingStrings, wordOf } from "./separate-jobs.ts";
import { linesOfStrings, mixedStrings } from "./strings.ts";
import type { ImportTools } from "./tools.ts";

/** The word of the jobs that fail. */
const LOST_WORD = wordOf("lost");
const lostStrings = () => tellingStrings(LOST_WORD);

type Submit = (tools: ImportTools, role: string) => Promise<unknown>;

const correctInline: Submit = async (tools, role) =>
  tools.submit(role, await tools.request((job) => ({ ...job, strings: mixedStrings() })));

const correctByUrl: Submit = (tools, role) =>
  submitByUrl(withFileOf(tools, mixedStrings()), role, linesOfStrings(mixedStrings()));

/** Jobs that fail after correct strings, by name, and how the correct job before and after each is sent. */
const failures: Readonly<Record<string, { readonly what: string; readonly bad: Submit; readonly correct: Submit }>> = {
  inline: {
    what: "a job whose last string is a number",
    bad: async (tools, role) => {
      const strings = [...lostStrings(), 42] as StringRecord[];
      await tools.submit(role, await withFileOf(tools, lostStrings()).request((job) => ({ ...job, strings })));
    },
    correct: correctInline,
  },
  line: {
    what: "a file of strings whose last line is not JSON",
    bad: (tools, role) =>
      submitByUrl(withFileOf(tools, lostStrings()), role, `${linesOfStrings(lostStrings())}no JSON\n`),
    correct: correctByUrl,
  },
  "cut-off": {
    what: "a file of strings that broke off",
    bad: (tools, role) => {
      const content = linesOfStrings([...lostStrings(), ...mixedStrings()]);
      // Inside a character: a decoder that other jobs use, too, still waits for its end.
      const breaksAfter = Buffer.from(content).indexOf("ß") + 1;
      return tools.serving(role, { content, breaksAfter }, (url) =>
        submitStringsAt(withFileOf(tools, lostStrings()), role, url),
      );
    },
    correct: correctByUrl,
  },
};

const roleOf = (name: string, part: "first" | "again" | "bad" | "after") => `${part}-${name}`;

/** The check that nothing of a job that failed is in the answer to the next one. */
export const afterFailureCheck: ImportCheck = importCheck(
  {
    id: "import.sequence.after-failure",
    title: "A correct job gives the same result after one that failed half way",
    section: "2.4",
    why: "What is left of a failed job, such as a scratch file or a list, ends up in the file that somebody imports next.",
    fix: "Keep a job's data in local variables and files of its own, and remove them if it fails, too.",
  },
  {
    run: async (tools) => {
      for (const [name, { bad, correct }] of Object.entries(failures)) {
        await correct(tools, roleOf(name, "first"));
        await correct(tools, roleOf(name, "again"));
        await bad(tools, roleOf(name, "bad"));
        await correct(tools, roleOf(name, "after"));
      }
    },
    judge: (evidence) => {
      const verdicts = Object.keys(failures).map((name) => judgeAfter(evidence, name));
      const isFound = ({ result }: Verdict) => result !== "pass" && result !== "skip";
      return verdicts.find(isFound) ?? verdicts.find(({ result }) => result === "pass") ?? (verdicts[0] as Verdict);
    },
  },
);

function judgeAfter(evidence: Evidence, name: string): Verdict {
  const sent = mixedStrings();
  const read = (part: Parameters<typeof roleOf>[1]) => readImport(evidence, roleOf(name, part), sent);
  const [first, again, bad, after] = [read("first"), read("again"), read("bad"), read("after")];
  if (first === null || again === null || bad === null || after === null) return skipVerdict("it was not sent");
  if (bad.reply.kind !== "refused") return skipVerdict(`the app ${bad.reply.says} to a job that breaks off`);
  const unaccepted = [first, again].find(({ reply }) => reply.kind !== "accepted");
  if (unaccepted !== undefined) return skipVerdict(`the app ${unaccepted.reply.says} to the correct job`);
  const busy = busyVerdict(after.exchange);
  if (busy !== null) return busy;
  const what = `after ${failures[name]?.what}`;
  if (after.reply.kind !== "accepted") {
    return faulty(afterFailureCheck, `${what}, the app ${after.reply.says} to a correct job`);
  }
  const seen = JSON.stringify([after.strings, previewOf(evidence, roleOf(name, "after"), after)]);
  if (seen.includes(LOST_WORD)) return faulty(afterFailureCheck, `${what}, its answer has strings of that job`);
  return sameVerdict(afterFailureCheck, { first, other: after, again, sent, what: `the same job ${what}` });
}

import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { ImportCheck, ImportFacts } from "./check.ts";
import { readImport } from "./reading.ts";
import { OWN_JOB, surveyCheck, surveyed } from "./survey.ts";

/** A check that no answer breaks these rules of `app-sim post-import`. */
function ruleCheck(rules: readonly string[], facts: ImportFacts): ImportCheck {
  return surveyCheck({ section: "2.4", ...facts }, (check, evidence) => {
    let isJudged = false;
    for (const role of [...Object.keys(surveyed), OWN_JOB]) {
      const known = surveyed[role];
      const answered = readImport(evidence, role, known?.isByUrl === true ? known.strings() : null);
      if (answered?.verdict === null || answered === null) continue;
      isJudged = true;
      const finding = answered.findings.find((each) => rules.includes(each.check));
      if (finding === undefined) continue;
      return faulty(check, `in its answer to ${known?.what ?? "the correct job"}, ${finding.path} ${finding.message}`);
    }
    return isJudged ? PASSED : skipVerdict("it accepted none of the jobs");
  });
}

const lostImport = "The platform cannot use such an answer. The import fails for a reason that users cannot fix.";

/** Checks of the rules for answers (hardening I5, I9), which are those of `app-sim post-import`. */
export const importAnswerChecks: readonly ImportCheck[] = [
  ruleCheck(["import.answer.shape", "import.answer.pairs"], {
    id: "import.answer.shape",
    title: "An answer has data with strings or stringsUrl, or error.message, each of the right type",
    why: lostImport,
    fix: 'Answer {"data": {"strings": […]}}, or {"data": {"stringsUrl": …}}, or {"error": {"message": …}}.',
  }),
  ruleCheck(["import.content-type"], {
    id: "import.answer.content-type",
    title: "An answer says that it is JSON",
    severity: "should",
    why: "Clients choose how to read an answer by its Content-Type. Another type may be refused, or shown as a page.",
    fix: "Send `Content-Type: application/json`.",
  }),
  ruleCheck(["import.answer.status"], {
    id: "import.answer.http-status",
    title: "An answer with strings has the status 200",
    severity: "should",
    why: "The interface shows no other status. Others, such as 201 or 202, may mean that the import has only begun.",
    fix: "Answer 200 once the strings are there.",
  }),
  ruleCheck(["import.answer.names"], {
    id: "import.answer.names",
    title: "No member name in an answer is a misspelling of one in the interface",
    severity: "should",
    why: "The platform does not read such a member. What the app meant to say is lost, without an error.",
    fix: "Spell the members as the interface does: `strings`, `stringsUrl`, `preview`, `previewUrl`, `error.message`.",
  }),
  ruleCheck(["import.json.lossy"], {
    id: "import.answer.json",
    title: "The JSON of an answer means the same to every reader",
    section: "RFC 8259",
    severity: "should",
    why: "Parsers differ on repeated names and on numbers beyond 2^53. The platform may see other strings than the app meant.",
    fix: "Let a JSON library serialize the answer from one object.",
  }),
  ruleCheck(["import.string.shape"], {
    id: "import.answer.strings",
    title: "Every string of an answer is a complete record, each field of the right type",
    section: "2.5",
    why: lostImport,
    fix: "Start from the received record, and change only what should change.",
  }),
  ruleCheck(["import.uniqId.unique"], {
    id: "import.answer.unique",
    title: "Every string of an answer has a unique uniqId",
    section: "2.5",
    why: lostImport,
    fix: "Return each string once, with its original uniqId.",
  }),
  ruleCheck(["import.uniqId.changed"], {
    id: "import.answer.uniq-id",
    title: "A string keeps its uniqId",
    section: "2.5",
    severity: "should",
    why: "With another uniqId it is a new string to the platform. Its translations and its history are lost.",
    fix: "Return `uniqId` unchanged.",
  }),
  ruleCheck(["import.file.lines", "import.file.fetched", "import.file.address"], {
    id: "import.answer.strings-file",
    title: "The file at stringsUrl can be fetched, and has one string record per line",
    why: lostImport,
    fix: "Serve newline-delimited JSON at that address, without a login, until it has been fetched.",
  }),
  ruleCheck(["import.preview.content"], {
    id: "import.answer.preview",
    title: "A preview is the base64 of an HTML file, or the address of one",
    why: "The platform shows the preview in its editor. It shows nothing or noise if the base64 or the HTML is invalid, or if the page declares an encoding other than its own.",
    fix: "Encode the UTF-8 bytes of the HTML in base64 (RFC 4648, 4), serve it at previewUrl, or omit the preview.",
  }),
  ruleCheck(["import.preview.plurals"], {
    id: "import.answer.preview-plurals",
    title: "There is no preview if there are plural strings",
    why: "The interface does not support it. The platform may refuse the answer, or show a wrong preview.",
    fix: "Omit `preview` and `previewUrl` if any string has plurals.",
  }),
  ruleCheck(["import.text.categories", "import.translations.text"], {
    id: "import.answer.plural-categories",
    title: "The texts of plural strings have the plural categories of their language, and only these",
    section: "2.5",
    why: lostImport,
    fix: "Use the `pluralCategoryNames` of each language, and keep a text for every one of them.",
  }),
  ruleCheck(["import.translations.languages"], {
    id: "import.answer.languages",
    title: "Strings have translations only for target languages of the job",
    section: "2.5",
    why: lostImport,
    fix: "Key `translations` by the `id` of target languages of the job.",
  }),
  ruleCheck(["import.translations.status"], {
    id: "import.answer.status",
    title: "A status is a string or, for plural strings, an object with one for each plural category",
    section: "2.5",
    why: lostImport,
    fix: "Use untranslated, translated or approved.",
  }),
  ruleCheck(["import.identifier.empty", "import.labels", "import.maxLength.positive"], {
    id: "import.answer.values",
    title: "Identifiers and labels are not empty, no label occurs twice, and maxLength is positive",
    section: "2.5",
    severity: "should",
    why: "Such values have the right type but are useless. People see them in the editor.",
    fix: "Keep the identifier, add a label only if it is missing, omit empty labels, and send a positive maxLength or none.",
  }),
  ruleCheck(["import.text.empty"], {
    id: "import.answer.emptied",
    title: "A string that is not hidden keeps its text to translate",
    section: "2.5",
    severity: "should",
    why: "Nothing is left to translate, but the string still counts. The file is never finished.",
    fix: "Hide the string with `isHidden` instead.",
  }),
  ruleCheck(["import.maxLength.exceeded"], {
    id: "import.answer.max-length",
    title: "Changed translations are not longer than maxLength",
    section: "2.5",
    severity: "should",
    why: "A text that is too long does not fit where it is shown. The platform may refuse the translation.",
    fix: "Check the length after every change of a text.",
  }),
  ruleCheck(["import.text.placeholders", "import.text.icu"], {
    id: "import.answer.placeholders",
    title: "Changed texts keep their placeholders, and ICU messages stay valid",
    section: "2.5",
    severity: "should",
    why: "Programs replace placeholders at run time. A lost one leaves a gap, or crashes the program.",
    fix: "Change only the text between placeholders.",
  }),
  ruleCheck(["import.text.tags"], {
    id: "import.answer.tags",
    title: "Changed texts keep their tags",
    section: "2.5",
    severity: "should",
    why: "Without its tags a text loses its formatting, or breaks that of its surroundings.",
    fix: "Change only the text between tags, and do not escape tags.",
  }),
];

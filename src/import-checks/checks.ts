import type { CheckFacts, ObservationCheck, TrialCheck, TwinCheck } from "../checking/check.ts";
import { looseClaimTrials } from "../checking/token-loose-claims.ts";
import { tokenPartsTrial } from "../checking/token-parts-trial.ts";
import { tokenSpellingTwin } from "../checking/token-spelling-twin.ts";
import { tokenTrials } from "../checking/token-trials.ts";
import { tokenTwins } from "../checking/token-twins.ts";
import { secretCheck, tokenEchoCheck } from "../checking/told-checks.ts";
import { importAnswerChecks } from "./answers.ts";
import type { ImportCheck } from "./check.ts";
import { forgedJobsCheck } from "./forged-jobs.ts";
import { fetchedFilesCheck, hostedFilesCheck } from "./hosted.ts";
import { importHostChecks } from "./hosts.ts";
import { importRequestChecks } from "./invalid.ts";
import { importKeptChecks } from "./kept.ts";
import { importLimitChecks } from "./limits.ts";
import { importLineChecks } from "./lines.ts";
import { importMixingChecks } from "./mixing.ts";
import { importRelationChecks } from "./relations.ts";
import { importJobTaken } from "./taken.ts";
import { importTextChecks } from "./texts.ts";
import { importTroubleChecks } from "./troubles.ts";

/** Whether the app accepts a right job: known after the search for one. */
export const importAccepted: CheckFacts = {
  id: "import.job.accepted",
  area: "import",
  title: "The app accepts a right job",
  section: "2.3",
  severity: "must",
  choices: ["postImport.auth"],
  why: "No file can be imported. All other checks of imports need a job that the app accepts.",
  mend: "Look at the answer and at the app's log.",
};

const family = tokenTwins({ prefix: "import.token", area: "import", what: "The import" });

/** Whether imports need a token at all, which the interface does not show (5.1). */
export const importTokenMissing: TwinCheck = {
  ...(family.find(({ id }) => id === "import.token.missing") as TwinCheck),
  severity: "should",
  choices: ["postImport.auth"],
};

/** How an app that requires a token checks it. */
export const importTokenChecks: readonly (TwinCheck | TrialCheck)[] = [
  ...family.filter(({ id }) => id !== importTokenMissing.id).map(onChoice),
  ...tokenTrials({ prefix: "import.token", area: "import", what: "The import" }).map(onChoice),
  ...looseClaimTrials({ prefix: "import.token", area: "import", what: "The import" }).map(onChoice),
  onChoice(tokenPartsTrial({ prefix: "import.token", area: "import", what: "The import" })),
  onChoice(tokenSpellingTwin({ prefix: "import.token", area: "import", what: "The import" })),
];

/** The check, whose verdict relies on imports having a token. */
function onChoice<Of extends CheckFacts>(check: Of): Of {
  return { ...check, choices: ["postImport.auth", ...(check.choices ?? [])] };
}

const told = { prefix: "import.answer", area: "import", purpose: "post-import", what: "to a job" } as const;

/** The checks of an import module, apart from those of its token. */
export const importJobChecks: readonly (ImportCheck | TwinCheck | ObservationCheck)[] = [
  ...importJobTaken,
  forgedJobsCheck,
  ...importAnswerChecks,
  hostedFilesCheck,
  fetchedFilesCheck,
  ...importKeptChecks,
  ...importTextChecks,
  ...importRelationChecks,
  ...importMixingChecks,
  ...importLineChecks,
  ...importHostChecks,
  ...importRequestChecks,
  ...importLimitChecks,
  secretCheck(told),
  tokenEchoCheck(told),
  ...importTroubleChecks,
];

/** Every check of area `import`. */
export const importChecks: readonly CheckFacts[] = [
  importAccepted,
  importTokenMissing,
  ...importTokenChecks,
  ...importJobChecks,
];

import type { CheckFacts, ObservationCheck, TrialCheck, TwinCheck } from "../checking/check.ts";
import { secretCheck, tokenEchoCheck } from "../checking/leak-checks.ts";
import { looseClaimTrials } from "../checking/token-loose-claims.ts";
import { tokenOwnKeyTrial } from "../checking/token-own-key-trial.ts";
import { tokenPartsTrial } from "../checking/token-parts-trial.ts";
import { tokenPlacesTrial } from "../checking/token-places-trial.ts";
import { tokenSecretsTrial } from "../checking/token-secrets-trial.ts";
import { tokenSpellingTwin } from "../checking/token-spelling-twin.ts";
import { tokenTrials } from "../checking/token-trials.ts";
import { type TokenPlace, tokenTwins } from "../checking/token-twins.ts";
import { importAcceptedJobChecks } from "./accepted-jobs.ts";
import { afterFailureCheck } from "./after-failure.ts";
import { importAnswerChecks } from "./answers.ts";
import type { ImportCheck } from "./check.ts";
import { importFailingJobChecks } from "./failing-jobs.ts";
import { fileEncodingCheck } from "./file-encoding.ts";
import { forgedJobsCheck } from "./forged-jobs.ts";
import { hostRuleCheck } from "./host-rule.ts";
import { byteOrderMarkCheck, fetchedFilesCheck, hostedFilesCheck } from "./hosted.ts";
import { importHostChecks } from "./hosts.ts";
import { importRequestChecks } from "./invalid.ts";
import { importKeptFieldChecks } from "./kept-fields.ts";
import { importLimitChecks } from "./limits.ts";
import { importLineChecks } from "./lines.ts";
import { importMisreadValueChecks } from "./misread-values.ts";
import { packedStringsCheck } from "./packed-strings.ts";
import { importPreviewChecks } from "./preview.ts";
import { importRelationChecks } from "./relations.ts";
import { importSeparateJobChecks } from "./separate-jobs.ts";
import { importTextChecks } from "./texts.ts";
import { throughoutCheck } from "./throughout.ts";

/** Whether the app accepts a correct job: known after the search for one. */
export const importAccepted: CheckFacts = {
  id: "import.job.accepted",
  area: "import",
  title: "The app accepts a correct job",
  section: "2.3",
  severity: "must",
  choices: ["postImport.auth"],
  why: "No file can be imported. All other checks of imports need a job that the app accepts.",
  fix: "Send a job with `app-sim post-import`: it shows the job and the answer. The app's log may say why it refuses the job.",
};

const importToken: TokenPlace = { prefix: "import.token", area: "import", what: "The import" };

const family = tokenTwins(importToken);

/** Whether imports need a token at all, which the interface does not show (5.1). */
export const importTokenMissing: TwinCheck = {
  ...(family.find(({ id }) => id === "import.token.missing") as TwinCheck),
  severity: "should",
  choices: ["postImport.auth"],
};

/** How an app that requires a token checks it. */
export const importTokenChecks: readonly (TwinCheck | TrialCheck)[] = [
  ...family.filter(({ id }) => id !== importTokenMissing.id).map(onChoice),
  ...tokenTrials(importToken).map(onChoice),
  onChoice(tokenPlacesTrial(importToken)),
  onChoice(tokenSecretsTrial(importToken)),
  ...looseClaimTrials(importToken).map(onChoice),
  onChoice(tokenPartsTrial(importToken)),
  onChoice(tokenOwnKeyTrial(importToken)),
  onChoice(tokenSpellingTwin(importToken)),
];

/** The check, whose verdict relies on imports having a token. */
function onChoice<Of extends CheckFacts>(check: Of): Of {
  return { ...check, choices: ["postImport.auth", ...(check.choices ?? [])] };
}

const about = { prefix: "import.answer", area: "import", purpose: "post-import", what: "to a job" } as const;

/** The checks of an import module, apart from those of its token. */
export const importJobChecks: readonly (ImportCheck | TwinCheck | ObservationCheck)[] = [
  ...importAcceptedJobChecks,
  forgedJobsCheck,
  ...importAnswerChecks,
  ...importPreviewChecks,
  hostedFilesCheck,
  byteOrderMarkCheck,
  fetchedFilesCheck,
  ...importKeptFieldChecks,
  ...importTextChecks,
  ...importMisreadValueChecks,
  ...importRelationChecks,
  ...importSeparateJobChecks,
  afterFailureCheck,
  throughoutCheck,
  ...importLineChecks,
  ...importHostChecks,
  fileEncodingCheck,
  packedStringsCheck,
  hostRuleCheck,
  ...importRequestChecks,
  ...importLimitChecks,
  secretCheck(about),
  tokenEchoCheck(about),
  ...importFailingJobChecks,
];

/** Every check of area `import`. */
export const importChecks: readonly CheckFacts[] = [
  importAccepted,
  importTokenMissing,
  ...importTokenChecks,
  ...importJobChecks,
];

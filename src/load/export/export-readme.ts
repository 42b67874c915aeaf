import type { LoadPlan } from "../load-options.ts";
import { BODIES_FILE } from "./export-bodies.ts";
import { PROCESSOR_FILE, SCRIPT_FILE } from "./export-script.ts";

/** What the reader of an exported test has to know. */
export interface ReadmeFacts {
  readonly plan: LoadPlan;
  readonly target: string;
  /** Names of the variables with the secrets. */
  readonly variables: readonly string[];
  readonly bodies: number;
  readonly seed: number;
}

/** How to run the exported test (Markdown). */
export function readmeText({ plan, target, variables, bodies, seed }: ReadmeFacts): string {
  const exports = variables.map((name) => `export ${name}=…`).join("\n");
  return `# Webhook deliveries for Artillery

Made by \`app-sim load --export artillery\` (seed ${seed}). It sends signed deliveries to ${target}:
${planText(plan)}.

## Run

\`\`\`sh
${exports}    # app-sim env prints it
npx artillery@2 run ${SCRIPT_FILE}
\`\`\`

It ends with exit code 1 unless every delivery was answered with a 2XX status. The report counts
\`deliveries.acknowledged\`, \`deliveries.failed\`, each status (\`http.codes.…\`) and what did not come to an answer
(\`errors.…\`); \`http.response_time\` is in milliseconds. Another address of the app: \`--target https://…\`.

The newest Artillery asks for Node.js 22.18; 2.0.21 is the last one for Node.js 20.

## From many machines

\`\`\`sh
npx artillery@2 run-fargate --region eu-west-1 --count 10 --dotenv secrets.env ${SCRIPT_FILE}
npx artillery@2 run-lambda --region eu-west-1 --count 10 --dotenv secrets.env ${SCRIPT_FILE}
\`\`\`

Each of the \`--count\` workers runs the whole test: ten of them send ten times as much. \`secrets.env\` holds the
${variables.length === 1 ? "variable" : "variables"} above; keep it out of version control. See https://www.artillery.io/docs for what AWS has to allow.

## Files

| File | What it is |
|---|---|
| \`${SCRIPT_FILE}\` | the test: target, load, and what has to be so at its end |
| \`${PROCESSOR_FILE}\` | signs the bytes of each delivery when it is sent, and counts the answers |
| \`${BODIES_FILE}\` | ${bodies} ${bodies === 1 ? "body" : "bodies"}, sent in turn: where to, the module's key, the variable with the secret, the body |

No file holds a secret that app-sim knows; the bodies hold what was given as payload. Header names arrive in lower case, which HTTP does not tell apart.
`;
}

function planText({ mode, rate, concurrency, durationMs, count, batch }: LoadPlan): string {
  const events = batch === 1 ? "one event in each" : `up to ${batch} events in each`;
  const end = count === null ? `for ${(durationMs ?? 0) / 1000} s` : `until ${count} were sent`;
  return mode === "open"
    ? `${rate} deliveries a second ${end}, ${events}, however long the app takes to answer (an open loop)`
    : `${concurrency} senders ${end}, ${events}; each waits for the answer before it sends its next (a closed loop)`;
}

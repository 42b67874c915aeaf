import path from "node:path";
import type { Config } from "../../config/schema.ts";
import { filesNamed } from "../../output/files-named.ts";
import { plural } from "../../output/text.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { withCommas } from "../../protocol/with-commas.ts";

/** How something ended, as far as a line tells it. */
interface Why {
  readonly reason?: string | null | undefined;
  readonly hint?: string | null | undefined;
}

interface Told extends Why {
  readonly outcome: string;
}

/** The methods of the platform that keys call. */
export interface KeyedPlatform {
  manifest(): Promise<
    Why & { readonly apps: readonly { readonly webhooks: readonly { readonly events: readonly string[] }[] }[] }
  >;
  guard(): Promise<
    Told & {
      readonly deniedBy: string | null;
      readonly stages: readonly {
        readonly stage: string;
        readonly module?: string | undefined;
        readonly result: string;
      }[];
    }
  >;
  webhook(event: string): Promise<
    Told & {
      readonly deliveries: readonly { readonly attempts: readonly { readonly reason: string | null }[] }[];
    }
  >;
  postImport(file: string): Promise<{
    readonly jobs: readonly {
      readonly outcome: string;
      readonly error: string | null;
      readonly changes: { readonly changed: number } | null;
    }[];
  }>;
  oauthLogin(options: { readonly start: string; readonly refresh: boolean }): Promise<Told>;
  verify(options: {
    readonly onCheck: (event: CheckProgress) => void;
  }): Promise<Told & { readonly checks: readonly { readonly result: string }[] }>;
}

/** What a run of checks tells of itself, as far as it is counted. */
type CheckProgress =
  | { readonly what: "planned"; readonly parts: readonly { readonly checks: number }[] }
  | { readonly what: "began" }
  | { readonly what: "ended" };

/** What an action needs beside the platform. */
interface Surroundings {
  readonly config: Config;
  readonly cwd: string;
  /** The page on which a login begins. */
  readonly loginLink: string;
  /** Shows how far the action is. */
  readonly onProgress: (done: string) => void;
}

/** How an action ended. */
interface Ended {
  /** On one line. */
  readonly said: string;
  /** Where a person goes on; null: nowhere. */
  readonly link: string | null;
}

/** What a key does with the platform. */
export interface KeyAction {
  readonly key: string;
  /** As the footer shows it. */
  readonly label: string;
  /** What it does. */
  readonly help: string;
  /** Whether so much is sent that the single exchanges are not shown. */
  readonly isLong?: boolean;
  run(platform: KeyedPlatform, surroundings: Surroundings): Promise<Ended>;
}

/** Where a login by OAuth starts where the configuration does not say it. */
const USUAL_START = "/login";
const JOBS = path.join("fixtures", "jobs");

/** What keys do with the platform, in the order in which they are shown. */
export const keyActions: readonly KeyAction[] = [
  {
    key: "g",
    label: "log in",
    help: "logs the configured user in through all guards; where one asks for its user, a link leads to the login",
    run: async (platform, { loginLink }) => {
      const login = await platform.guard();
      // What flags of a command would do for the user, the user does.
      const asking = login.stages.find(({ result }) => result === "needs-user");
      if (asking !== undefined) {
        return {
          said: `login: ${asking.module ?? asking.stage} asks for the user: log in on the page`,
          link: loginLink,
        };
      }
      const who = login.deniedBy === null ? "" : ` by ${login.deniedBy}`;
      return ended(`login: ${login.outcome}${who}${because(login)}`);
    },
  },
  {
    key: "w",
    label: "deliver",
    help: "delivers the first event that the manifest names",
    run: async (platform) => {
      const { apps, ...why } = await platform.manifest();
      if (apps.length === 0) return ended(`delivery${because(why)}`);
      const [event] = apps.flatMap(({ webhooks }) => webhooks.flatMap(({ events }) => events));
      if (event === undefined) return ended("delivery: no webhook module of the manifest names an event");
      const { outcome, deliveries } = await platform.webhook(event);
      const reason = deliveries.flatMap(({ attempts }) => attempts).find((attempt) => attempt.reason !== null)?.reason;
      return ended(`delivery of ${event}: ${outcome}${because({ reason })}`);
    },
  },
  {
    key: "i",
    label: "import",
    help: "imports the first fixture of verify.fixtures, or of fixtures/jobs",
    run: async (platform, { config, cwd }) => {
      const file = await firstFixture(config, cwd);
      if (file === null)
        return ended(`import: there is no fixture in ${JOBS}; app-sim fixture makes one of your own texts`);
      const [job] = (await platform.postImport(file)).jobs;
      const changed = job?.changes == null ? "" : `, ${plural(job.changes.changed, "string")} changed`;
      return ended(
        `import of ${path.basename(file)}: ${job?.outcome ?? "nothing was sent"}${changed}${because({ reason: job?.error })}`,
      );
    },
  },
  {
    key: "o",
    label: "OAuth",
    help: "logs in by OAuth, from verify.oauth.start or /login",
    run: async (platform, { config }) => {
      const start = config.verify.oauth?.start ?? USUAL_START;
      // The clock of a platform that stays up is its user's.
      const login = await platform.oauthLogin({ start, refresh: false });
      return ended(`login by OAuth from ${start}: ${login.outcome}${because(login)}`);
    },
  },
  {
    key: "v",
    label: "verify",
    help: "verifies the app",
    isLong: true,
    run: async (platform, { onProgress }) => {
      const { outcome, reason = null, checks } = await platform.verify({ onCheck: countChecks(onProgress) });
      const failed = checks.filter(({ result }) => result === "fail").length;
      const more = failed === 0 ? "" : `, ${plural(failed, "check")} failed: app-sim verify --again shows them`;
      return ended(`verify: ${outcome}${because({ reason })}${more}`);
    },
  },
];

/** Tells after each check how many of them have ended. */
function countChecks(onProgress: (done: string) => void): (event: CheckProgress) => void {
  let [done, planned] = [0, 0];
  return (event) => {
    if (event.what === "began") return;
    if (event.what === "ended") done += 1;
    else [done, planned] = [0, event.parts.reduce((sum, { checks }) => sum + checks, 0)];
    onProgress(`checks ${withCommas(done)} of ${withCommas(planned)}`);
  };
}

function ended(said: string): Ended {
  return { said, link: null };
}

function because({ reason, hint }: Why): string {
  return `${reason == null ? "" : `: ${reason}`}${hint == null ? "" : ` (${hint})`}`;
}

/** Of the configuration, else of the usual folder. */
async function firstFixture({ verify }: Config, cwd: string): Promise<string | null> {
  const [own] = verify.fixtures ?? [];
  if (own !== undefined) return own;
  const [found] = await filesNamed(cwd, JOBS, ["**/*.json"]).catch((error: unknown) => {
    if (error instanceof UsageError) return [];
    throw error;
  });
  return found === undefined || found === JOBS ? null : path.resolve(cwd, found);
}

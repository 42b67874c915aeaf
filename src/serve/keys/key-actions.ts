import path from "node:path";
import type { Config } from "../../config/schema.ts";
import { filesNamed } from "../../output/files-named.ts";
import { plural } from "../../output/text.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { withCommas } from "../../protocol/with-commas.ts";

/** How something ended, for a single line. */
interface Why {
  readonly reason?: string | null | undefined;
  readonly hint?: string | null | undefined;
}

interface CommandOutcome extends Why {
  readonly outcome: string;
}

/** The methods of the platform that keys call. */
export interface KeyedPlatform {
  manifest(): Promise<
    Why & { readonly apps: readonly { readonly webhooks: readonly { readonly events: readonly string[] }[] }[] }
  >;
  guard(): Promise<
    CommandOutcome & {
      readonly deniedBy: string | null;
      readonly stages: readonly {
        readonly stage: string;
        readonly module?: string | undefined;
        readonly result: string;
      }[];
    }
  >;
  webhook(event: string): Promise<
    CommandOutcome & {
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
  oauthLogin(options: { readonly start: string; readonly refresh: boolean }): Promise<CommandOutcome>;
  verify(options: {
    readonly onCheck: (event: CheckProgress) => void;
  }): Promise<CommandOutcome & { readonly checks: readonly { readonly result: string }[] }>;
}

/** The progress events of a run of checks, as far as they are counted. */
type CheckProgress =
  | { readonly what: "planned"; readonly parts: readonly { readonly checks: number }[] }
  | { readonly what: "began" }
  | { readonly what: "ended" };

/** What an action needs besides the platform. */
interface Surroundings {
  readonly config: Config;
  readonly cwd: string;
  /** The page on which a login begins. */
  readonly loginLink: string;
  /** Shows the progress of the action. */
  readonly onProgress: (done: string) => void;
}

/** How an action ended. */
interface Ended {
  /** One line. */
  readonly said: string;
  /** Where the user continues; null: nowhere. */
  readonly link: string | null;
}

/** What a key does with the platform. */
export interface KeyAction {
  readonly key: string;
  /** As shown in the footer. */
  readonly label: string;
  /** What it does. */
  readonly help: string;
  /** Whether it sends so much that single exchanges are not shown. */
  readonly isLong?: boolean;
  run(platform: KeyedPlatform, surroundings: Surroundings): Promise<Ended>;
}

/** Where an OAuth login starts if the configuration does not say. */
const USUAL_START = "/login";
const JOBS = path.join("fixtures", "jobs");

/** The actions of keys, in the order shown. */
export const keyActions: readonly KeyAction[] = [
  {
    key: "g",
    label: "log in",
    help: "logs the configured user in through all guards; if one needs the user, a link leads to the login",
    run: async (platform, { loginLink }) => {
      const login = await platform.guard();
      // The user does what a command's flags would do.
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
        return ended(`import: there is no fixture in ${JOBS}; app-sim fixture creates one from your own texts`);
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
      // A running platform's clock belongs to the user.
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

/** Reports the number of finished checks after each one. */
function countChecks(onProgress: (done: string) => void): (event: CheckProgress) => void {
  let [done, planned] = [0, 0];
  return (event) => {
    if (event.what === "planned") [done, planned] = [0, event.parts.reduce((sum, { checks }) => sum + checks, 0)];
    else if (event.what === "ended") done += 1;
    else return;
    onProgress(`checks ${withCommas(done)} of ${withCommas(planned)}`);
  };
}

function ended(said: string): Ended {
  return { said, link: null };
}

function because({ reason, hint }: Why): string {
  return `${reason == null ? "" : `: ${reason}`}${hint == null ? "" : ` (${hint})`}`;
}

/** From the configuration, otherwise from the usual folder. */
async function firstFixture({ verify }: Config, cwd: string): Promise<string | null> {
  const [own] = verify.fixtures ?? [];
  if (own !== undefined) return own;
  const [found] = await filesNamed(cwd, JOBS, ["**/*.json"]).catch((error: unknown) => {
    if (error instanceof UsageError) return [];
    throw error;
  });
  return found === undefined || found === JOBS ? null : path.resolve(cwd, found);
}

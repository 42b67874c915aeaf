import type { CallContext } from "../app-client/call-app.ts";
import type { Choices } from "../config/choices.ts";
import type { App, Config } from "../config/schema.ts";
import type { ManifestMemory } from "./manifest-memory.ts";
import type { AppIdentity } from "./manifest-words.ts";
import type { Progress } from "./simulator-options.ts";
import type { TokenSigner } from "./tokens.ts";
import type { UnderWay } from "./under-way.ts";

/** What every action works with; capabilities extend it. */
export interface SimulatorContext extends CallContext {
  readonly config: Config;
  readonly choices: Choices;
  readonly signer: TokenSigner;
  /** Address of the platform, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Makes the platform listen, unless it does already, and resolves with its address. */
  readonly listen: () => Promise<string>;
  /** Runs when a pause before a further attempt begins. */
  readonly onPause: (milliseconds: number) => void;
  /** Runs as a long job progresses. */
  readonly onProgress: (progress: Progress) => void;
  /** null: each action reads the manifests again. */
  readonly manifests: ManifestMemory | null;
  /** What the manifests read so far say about their apps, by client id. */
  readonly identities: Map<string, AppIdentity>;
  /** Whether an app counts as installed: until it is uninstalled, or its installation fails. */
  readonly isInstalled: (app: Pick<App, "clientId">) => Promise<boolean>;
  readonly underWay: UnderWay;
  /** The directory that relative file names start from. */
  readonly cwd: string;
}

import type { Choices } from "../config/choices.ts";
import type { ConfigInput } from "../config/config-file-schema.ts";
import type { Config } from "../config/schema.ts";
import type { Journal } from "../journal/journal.ts";
import type { FaultRequest } from "../protocol/fault-kinds.ts";
import type { ManifestNews } from "./manifest-memory.ts";
import type { PlatformClock } from "./platform-clock.ts";

/** Progress of a long operation, such as `strings received`. */
export interface Progress {
  /** What is counted, in words. */
  readonly what: string;
  /** How much is done. */
  readonly done: number;
  /** The total; missing if unknown. */
  readonly of?: number;
}

/** A call to the app that begins. */
export interface StartedCall {
  /** HTTP method. */
  readonly method: string;
  /** Full address. */
  readonly url: string;
  /** Deadline of the whole call, in milliseconds. */
  readonly timeoutMs: number;
}

/** The configuration, in the shape of a config file, and options for running. */
export interface SimulatorOptions extends ConfigInput {
  /**
   * A config file, such as `app-sim.config.json`, relative to the working directory; the other settings override it.
   * Default: none is read.
   */
  readonly configFile?: string;
  /** Port of the platform's server; default 0, a free one. */
  readonly port?: number;
  /** Directory of the journal; default none: the journal is kept in memory. */
  readonly journal?: string;
  /**
   * Whether the platform's server is started; default true. `when-needed`: as soon as a login needs a page of the
   * platform.
   */
  readonly listen?: boolean | "when-needed";
  /** Runs when a call to the app begins. */
  readonly onCall?: (call: StartedCall) => void;
  /** Runs when a pause before a further attempt begins. */
  readonly onPause?: (milliseconds: number) => void;
  /** Runs as a long import or load progresses. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Runs if the journal cannot be written (it is then kept in memory), if a page runs into a bug in app-sim, and if
   * clients are turned away because of their Host header or cannot connect over TLS.
   */
  readonly onTrouble?: (message: string) => void;
  /**
   * Runs when a manifest is read, changes or turns out to be invalid; the last good one then replaces it. Default: an
   * action with an invalid manifest fails.
   */
  readonly onManifest?: (news: ManifestNews) => void;
  /**
   * Faults of the authorization server and the REST API, such as `token=500x2` (see `app-sim serve --help`) or
   * `{ place: "token", kind: "500", times: 2 }`.
   */
  readonly faults?: readonly (string | FaultRequest)[];
  /** Seed of everything random: the same seed gives the same results. Default 1. */
  readonly seed?: number;
  /**
   * A secret of at least 128 bits that permits changing the clock and the faults over HTTP. Default: that is not
   * possible.
   */
  readonly controlToken?: string;
  /** Runs when the clock or the faults were changed over HTTP. */
  readonly onSteered?: (what: "clock" | "faults") => void;
  /**
   * Whether installations and tokens are kept next to the journal, for the next platform on the same port; default
   * false. It needs `journal`, and a `port` other than 0.
   */
  readonly keepsState?: boolean;
  /** Ends every call in flight. */
  readonly signal?: AbortSignal;
}

/** What commands see of a platform, whether it runs in their process or in another. */
export interface PlatformFace {
  /** Address of the platform ({base_url}, {auth_url} and {api_url} of the interface), without a trailing slash. */
  readonly url: string;
  /** Every setting, including defaults. */
  readonly config: Config;
  /** The value of every choice (docs/choices.md). */
  readonly choices: Choices;
  /** What was sent and received, and how it ended. */
  readonly journal: Journal;
  /** The platform's time. */
  readonly clock: Pick<PlatformClock, "now">;
  /** Resolves to true once something listens at every installed app's URL, or to false when the time is over. */
  waitForApp(timeoutMs: number): Promise<boolean>;
}

/** How clients verify the platform over TLS. */
export interface PlatformTls {
  /** The certificates that a client has to trust (PEM), in the form of the option `ca` of `node:tls`. */
  readonly ca: string;
  /**
   * The file that contains them, for NODE_EXTRA_CA_CERTS; null without `journal`, and for a certificate of your own.
   */
  readonly caFile: string | null;
  /**
   * SHA-256 fingerprint of the certificate of your own, as `node:tls` formats it; null for a generated one, which is
   * renewed.
   */
  readonly fingerprint: string | null;
}

/** What every simulator has, whatever its capabilities. */
export interface SimulatorFace extends PlatformFace {
  /** The platform's time: codes, tokens, guard JWTs and states expire by it, the deadlines of requests do not. */
  readonly clock: PlatformClock;
  /** Where the platform listens on this machine, without a trailing slash; it differs from `url` with `publicUrl`. */
  readonly localUrl: string;
  /** How clients verify it over TLS, once it listens; null if it speaks plain HTTP. */
  readonly tls: PlatformTls | null;
  /**
   * What an app must know about the platform and its own installation, as environment variables: addresses, ids and
   * secrets.
   * @param prefix beginning of each name; default `PLATFORM_`
   */
  env(prefix?: string): Record<string, string>;
  /** Ends every call in flight, closes the server and the journal. */
  close(): Promise<void>;
  /** Same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the platform issued to the app (secrets), and where the platform is. No address ends with a slash. */
export interface Settings {
  readonly clientId: string;
  /** Key of the JWTs on guard and post-import calls; also the OAuth client secret. */
  readonly clientSecret: string;
  /** Key of the webhook signatures. */
  readonly appSecret: string;
  /** {auth_url}, where users log in and come back to. */
  readonly authUrl: string;
  /** {sdk_url}, where `host.js` is. */
  readonly sdkUrl: string;
  /** {api_url}, where the REST API is; an enterprise organization has a host of its own. */
  readonly apiUrl: string;
  /** This app's own base address. */
  readonly url: string;
}

export interface SampleAppOptions extends Omit<Settings, "sdkUrl" | "apiUrl" | "url"> {
  /** `authUrl` by default. */
  readonly sdkUrl?: string;
  /** `authUrl` by default. */
  readonly apiUrl?: string;
  /** 0, the default, lets the system choose a free port. */
  readonly port?: number;
}

export interface SampleApp {
  /** Base address, without a slash at its end. */
  readonly url: string;
  /** How often each event has come in signed webhook deliveries, by event name. */
  readonly received: ReadonlyMap<string, number>;
  /** Stops listening, cuts every connection, and removes the files that wait for the platform. */
  close(): Promise<void>;
}

/**
 * Starts the app on 127.0.0.1. Rejects with a TypeError when a credential is empty (an empty key would accept what
 * anybody signs) or an address is not one, and with EADDRINUSE when the port is taken.
 */
export function startSampleApp(options: SampleAppOptions): Promise<SampleApp>;

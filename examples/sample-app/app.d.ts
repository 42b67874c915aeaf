/** The credentials that the platform issued to the app, and the platform's addresses, without a trailing slash. */
export interface Settings {
  readonly clientId: string;
  /** Key of the JWTs on guard and post-import calls; also the OAuth client secret. */
  readonly clientSecret: string;
  /** Key of the webhook signatures. */
  readonly appSecret: string;
  /** {auth_url}, where users log in, and where guards send them back. */
  readonly authUrl: string;
  /** {sdk_url}, where `host.js` is. */
  readonly sdkUrl: string;
  /** {api_url}, where the REST API is; an enterprise organization has its own host. */
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
  /** Base address, without a trailing slash. */
  readonly url: string;
  /** How many times each event has arrived in signed webhook deliveries, by event name. */
  readonly received: ReadonlyMap<string, number>;
  /** Stops listening, closes every connection, and removes the files that the platform has not fetched yet. */
  close(): Promise<void>;
}

/**
 * Starts the app on 127.0.0.1. Rejects with a TypeError if a credential is empty (with an empty key, anybody could
 * sign) or an address is not valid, and with EADDRINUSE if the port is taken.
 */
export function startSampleApp(options: SampleAppOptions): Promise<SampleApp>;

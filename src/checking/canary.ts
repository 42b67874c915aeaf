import type { RecordedCheck } from "../journal/exchange.ts";
import type { FileHost, HostedFile } from "../web/hosted-files.ts";
import type { TwinCheck } from "./check.ts";
import type { RequestParts } from "./request-parts.ts";

/** The same file at another origin: the platform under another name of this machine. */
export function elsewhere(url: string): string {
  const address = new URL(url);
  address.hostname = address.hostname === "localhost" ? "127.0.0.1" : "localhost";
  return address.href;
}

/** A twin that names a file. */
interface CanaryTwin {
  /** Makes the twin, which names the file by this URL. */
  readonly twinAt: (url: string) => RequestParts | null;
  /** Makes the content of the file. */
  readonly content: NonNullable<TwinCheck["canary"]>;
}

/**
 * Sends a twin while the file that it names is served.
 * @param tag the journal's tag for the app's requests for the file
 */
export async function withCanary(
  files: FileHost,
  { twinAt, content }: CanaryTwin,
  tag: RecordedCheck,
  send: (twin: RequestParts) => Promise<unknown>,
): Promise<void> {
  let bytes: Uint8Array = Buffer.alloc(0);
  const file: HostedFile = {
    name: "keys.json",
    contentType: "application/json",
    size: null,
    async *open() {
      yield bytes;
    },
  };
  using hosting = await files.host(file, tag.subject, tag);
  const twin = twinAt(elsewhere(hosting.url));
  if (twin === null) return;
  bytes = Buffer.from(content(twin));
  await send(twin);
}

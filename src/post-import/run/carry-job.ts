import type { HostedFile, Hosting } from "../../web/hosted-files.ts";
import type { JobStrings } from "../files/job-strings.ts";
import type { PlannedJob } from "../files/plan-jobs.ts";
import type { ImportContext } from "../import-context.ts";
import type { Via } from "../import-result.ts";
import { jobWithPayload } from "../rules/import-job.ts";
import { base64Size, chooseTransport, type Transport } from "../rules/import-transport.ts";

/** A request with a job. The files that it names are served until it ends. */
export interface CarriedJob {
  readonly body: Buffer;
  /** Ids of the exchanges in which the app has fetched these files so far. */
  readonly fetches: readonly string[];
  end(): void;
}

/**
 * How a job is sent, and the minimum size of its request. The request is not built for this: a job may be larger than
 * memory.
 * @param limit bytes of the largest request, for `auto`
 */
export function planTransport(
  { job, strings, fixture }: PlannedJob,
  via: Via | "auto",
  limit: number,
): { readonly transport: Transport; readonly bytes: number } {
  const empty = jobWithPayload(job, { strings: { strings: [] }, content: { content: "" } });
  const isNamed = fixture.strings.kind === "url" && via !== "inline";
  const { size } = fixture.sourceFile;
  const sizes = {
    rest: Buffer.byteLength(JSON.stringify(empty)),
    // A comma between two strings, instead of a line feed after each.
    strings: isNamed ? null : Math.max(0, strings.size - 1),
    content: size === null ? null : base64Size(size),
  };
  const transport = chooseTransport(via, sizes, limit);
  const inline = (["strings", "content"] as const).filter((part) => transport[part] === "inline");
  return { transport, bytes: inline.reduce((sum, part) => sum + (sizes[part] ?? 0), sizes.rest) };
}

/** Makes the request (interface 2.3), with strings and source file in it, or served at addresses that it names. */
export async function carryJob(
  context: ImportContext,
  module: string,
  { job, strings, fixture }: PlannedJob,
  transport: Transport,
): Promise<CarriedJob> {
  const hostings: Hosting[] = [];
  const fetches: string[] = [];
  const unsubscribe = context.journal.subscribe((record) => {
    if (record.type !== "exchange" || record.purpose !== "file") return;
    if (hostings.some(({ url }) => url === record.request.url)) fetches.push(record.id);
  });
  const host = async (file: HostedFile) => {
    const hosting = await context.files.host(file, module);
    hostings.push(hosting);
    return hosting.url;
  };
  const end = () => {
    unsubscribe();
    for (const hosting of hostings) hosting.end();
  };
  const { sourceFile } = fixture;
  try {
    const carried = jobWithPayload(job, {
      strings:
        transport.strings === "inline"
          ? { strings: Array.from({ length: strings.count }, (_, position) => strings.record(position)) }
          : { stringsUrl: fixture.strings.kind === "url" ? fixture.strings.url : await host(stringsFile(strings)) },
      content:
        transport.content === "inline"
          ? { content: await sourceFile.base64() }
          : { contentUrl: sourceFile.url ?? (await host(await sourceFile.hosted())) },
    });
    return { body: Buffer.from(JSON.stringify(carried)), fetches, end };
  } catch (error) {
    end();
    throw error;
  }
}

function stringsFile(strings: JobStrings): HostedFile {
  const { size } = strings;
  return { name: "strings.ndjson", contentType: "application/x-ndjson", size, open: () => strings.open() };
}

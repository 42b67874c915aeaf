import type { HostedFile, Hosting } from "../../web/hosted-files.ts";
import type { JobStrings } from "../files/job-strings.ts";
import type { PlannedJob } from "../files/plan-jobs.ts";
import type { ImportContext } from "../import-context.ts";
import { withPayload } from "../rules/import-job.ts";
import { base64Size, chooseTransport, type JobSizes, type Transport, type Via } from "../rules/import-transport.ts";

/** A job as it goes out. What it names is served until it has ended. */
export interface CarriedJob {
  readonly body: Buffer;
  /** Ids of the exchanges in which the app fetched what the job names, so far. */
  readonly fetches: readonly string[];
  end(): void;
}

/**
 * How a job is to travel, and at least how many bytes its request will have.
 * @param limit bytes of the largest request, for `auto`
 */
export function planTransport(
  planned: PlannedJob,
  via: Via | "auto",
  limit: number,
): { readonly transport: Transport; readonly bytes: number } {
  const sizes = sizesOf(planned, via);
  const transport = chooseTransport(via, sizes, limit);
  const inline = (["strings", "content"] as const).filter((part) => transport[part] === "inline");
  return { transport, bytes: inline.reduce((sum, part) => sum + (sizes[part] ?? 0), sizes.rest) };
}

/** The sizes of a job's parts in a request, without making one: a job may be larger than memory. */
function sizesOf({ job, strings, fixture }: PlannedJob, via: Via | "auto"): JobSizes {
  const empty = withPayload(job, { strings: { strings: [] }, content: { content: "" } });
  const isNamed = fixture.strings.kind === "elsewhere" && via !== "inline";
  const { size } = fixture.sourceFile;
  return {
    rest: Buffer.byteLength(JSON.stringify(empty)),
    // Between two strings stands a comma, where a file has a line feed after each.
    strings: isNamed ? null : Math.max(0, strings.size - 1),
    content: size === null ? null : base64Size(size),
  };
}

/**
 * The body of a request (interface 2.3), with the strings and the source file in it, or served at addresses that it
 * names.
 */
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
  const stringsUrl = async () =>
    fixture.strings.kind === "elsewhere" ? fixture.strings.url : host(stringsFile(strings));
  const contentUrl = async () => fixture.sourceFile.url ?? (await host(await fixture.sourceFile.hosted()));
  const end = () => {
    unsubscribe();
    for (const hosting of hostings) hosting.end();
  };
  try {
    const carried = withPayload(job, {
      strings:
        transport.strings === "inline"
          ? { strings: Array.from({ length: strings.count }, (_, position) => strings.record(position)) }
          : { stringsUrl: await stringsUrl() },
      content:
        transport.content === "inline"
          ? { content: await fixture.sourceFile.base64() }
          : { contentUrl: await contentUrl() },
    });
    return { body: Buffer.from(JSON.stringify(carried)), fetches, end };
  } catch (error) {
    end();
    throw error;
  }
}

function stringsFile(strings: JobStrings): HostedFile {
  return {
    name: "strings.ndjson",
    contentType: "application/x-ndjson",
    size: strings.size,
    open: () => strings.open(),
  };
}

import { originOf, type Platform, parseUrl } from "./platform.ts";
import { parseString, type StringRecord } from "./post-import-string.ts";
import { demand, isObject, parseJson } from "./request.ts";

/** What this app reads of a job (interface 2.3): its strings, or where they can be fetched. */
export type Job = { readonly strings: readonly StringRecord[] } | { readonly stringsUrl: string };

/** Reads the body of a post-import call. Refuses what breaks the interface, and an address that is not the platform's. */
export function parseJob(body: Buffer, platform: Platform): Job {
  const job = parseJson(body);
  demand(isObject(job), "The job must be an object.");
  demandFile(job.file, platform);
  demandOne(job, "strings", "stringsUrl", "The job");
  if (isGiven(job.stringsUrl)) return { stringsUrl: platformUrl(job.stringsUrl, "stringsUrl", platform) };
  demand(Array.isArray(job.strings), "The strings must be an array.");
  return { strings: job.strings.map((value, index) => parseString(value, `strings[${index}]`)) };
}

/** This app tidies the strings and does not look into the file; a file that it could not read is refused all the same. */
function demandFile(file: unknown, platform: Platform): void {
  demand(isObject(file), "The job has no file.");
  const { content, contentUrl } = file;
  demandOne(file, "content", "contentUrl", "The file");
  if (isGiven(contentUrl)) platformUrl(contentUrl, "contentUrl", platform);
  else demand(typeof content === "string" && isBase64(content), "The content of the file must be base64.");
}

function demandOne(fields: Readonly<Record<string, unknown>>, inline: string, byUrl: string, owner: string): void {
  const isInline = isGiven(fields[inline]);
  const isByUrl = isGiven(fields[byUrl]);
  demand(isInline || isByUrl, `${owner} has neither ${inline} nor ${byUrl}.`);
  demand(!(isInline && isByUrl), `${owner} has both ${inline} and ${byUrl}; it must have one of them.`);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Buffer.from skips whatever is not base64, so that only what it writes again the same was right. */
function isBase64(content: string): boolean {
  return Buffer.from(content, "base64").toString("base64") === content;
}

/**
 * An address of the platform. Any other is refused: whoever sent the job could have this app fetch what only this app
 * can reach, such as a server of its own network (server-side request forgery).
 */
function platformUrl(address: unknown, name: string, platform: Platform): string {
  const url = typeof address === "string" ? parseUrl(address) : null;
  const origins = [platform.authUrl, platform.apiUrl].map(originOf);
  demand(
    url !== null && origins.includes(url.origin) && url.username + url.password === "",
    `${name} must be an address of the platform, which is at ${[...new Set(origins)].join(" and ")}.`,
  );
  return url.href;
}

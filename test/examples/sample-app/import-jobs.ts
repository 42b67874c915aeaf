import { bearer, type Fields } from "./platform.ts";

/** What the sample app adds to the labels of a string that it changed. */
export const label = "reviewed-by-app";

type Body = NonNullable<RequestInit["body"]>;

export interface ImportAnswer {
  readonly status: number;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

/** A string record that is tidy already, with some fields changed. */
export function string(changes: Fields = {}): Fields {
  return { uniqId: "3f2a::1", identifier: "title", text: "Welcome", ...changes };
}

/** The body of a job with these strings; undefined leaves them out. */
export function job(strings: unknown, changes: Fields = {}): string {
  const file = { id: 5, name: "app.json", content: "e30=" };
  return JSON.stringify({ jobType: "file-post-import", file, targetLanguages: [], strings, ...changes });
}

/** Calls the post-import module of the sample app at `url`. */
export async function callPostImport(
  url: string,
  body: Body,
  { authorization = bearer({ module: "tidy-strings" }), signal }: { authorization?: string; signal?: AbortSignal } = {},
): Promise<ImportAnswer> {
  const headers = { authorization, "content-type": "application/json" };
  const init = { method: "POST", headers, body, duplex: "half", ...(signal && { signal }) };
  const response = await fetch(`${url}/post-import`, init as RequestInit);
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json";
  return { status: response.status, text, json: isJson ? JSON.parse(text) : undefined };
}

/** The lines of the file that the answer names; fetching them makes the app forget it. */
export async function fetchLines(answer: ImportAnswer): Promise<string[]> {
  const { data } = answer.json as { data: { stringsUrl: string } };
  const response = await fetch(data.stringsUrl);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return text.split("\n").slice(0, -1);
}

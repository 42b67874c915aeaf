import type { AppCall } from "../../app-client/ports.ts";
import type { ChoiceReader } from "../../config/choices.ts";

/** A file named by its address, and the consumer of its content. */
type NamedFile = Pick<AppCall, "url" | "sizeLimit"> & Required<Pick<AppCall, "take">>;

/** The request for a file that a job or an answer names by its address (interface 2.3, 2.4). It has no credentials. */
export function fileRequest(choices: ChoiceReader, file: NamedFile): Omit<AppCall, "signal"> {
  return {
    method: "GET",
    headers: [["Accept-Encoding", "identity"]],
    body: new Uint8Array(),
    timeoutMs: choices.get("postImport.fetch.timeout"),
    ...file,
  };
}

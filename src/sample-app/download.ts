import { demand, Refusal } from "./request.ts";

/**
 * Fetches a file of the platform as it comes. Refuses one that cannot be fetched whole until the signal ends it, and
 * one that is elsewhere: an address that was found good could lead anywhere by a redirect.
 * @param name the field of the job that holds the address, as a refusal names it
 */
export async function* download(address: string, name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    const headers = { "accept-encoding": "identity" };
    const response = await fetch(address, { headers, redirect: "manual", signal });
    if (response.status !== 200) await response.body?.cancel();
    demand(response.status === 200, `${name} was answered with ${response.status} instead of 200.`);
    yield* response.body ?? [];
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // What exactly went wrong may name inner addresses, and is nothing that the user could do anything about.
    const what = signal.aborted ? "did not arrive in time" : "cannot be reached, or broke off";
    throw new Refusal(502, `The file at ${name} ${what}.`);
  }
}

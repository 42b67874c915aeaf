import type { Exchange } from "../../../journal/exchange.ts";
import type { Person } from "../../call.ts";
import type { ReadyForm } from "../walk/login.ts";
import type { RepeatedExchange } from "../walk/replay.ts";
import type { FormTools } from "../walk/tools.ts";
import { fieldsSent, valuesSent, withParameters } from "./earlier-requests.ts";
import { secretsAskedIn } from "./secret-fields.ts";

/** A password that a form of a page asks for. */
export interface AskedPassword {
  /** The page with the form. */
  readonly shown: Exchange;
  /** The password that the form was sent with. */
  readonly password: string;
}

/**
 * The forms before the last one that ask for a password.
 * @param walked the requests that led to the last form, in order
 */
export function earlierForms(walked: readonly Exchange[]): AskedPassword[] {
  return walked.slice(0, -1).flatMap((shown, index) => {
    const sent = walked[index + 1];
    if (sent === undefined) return [];
    const names = secretsAskedIn(shown);
    return fieldsSent(sent.request).flatMap(([name, password]) => (names.includes(name) ? [{ shown, password }] : []));
  });
}

/** The passwords that forms before the last one ask for, by the configured name of their field. */
export function earlierPasswords({ walked }: ReadyForm, configured: FormTools["configured"]): [string, string][] {
  const asked = earlierForms(walked).map(({ password }) => password);
  return Object.entries(configured).flatMap(([field, value]): [string, string][] =>
    typeof value === "string" && asked.includes(value) ? [[field, value]] : [],
  );
}

/**
 * Sends passwords in a form before the last one, all in one login, and then the last form.
 * @param password the right one
 * @param typed what is sent in its place
 * @returns the answer to the last form; null: the app does not let the login get that far
 */
export async function tryEarlier(
  tools: FormTools,
  password: string,
  { role, person, typed }: { readonly role: string; readonly person: Person; readonly typed: readonly string[] },
): Promise<Exchange | null> {
  const request = await tools.lastRequest(person, (between) =>
    valuesSent(between.request).includes(password)
      ? typed.map((other) => (other === password ? between : withOther(between, password, other)))
      : [between],
  );
  return request === null ? null : tools.send(role, request);
}

function withOther(exchange: Exchange, password: string, other: string): RepeatedExchange {
  return withParameters(exchange, (parameters) => {
    for (const [name, value] of [...parameters]) if (value === password) parameters.set(name, other);
  });
}

import type { CallbackOutcome } from "../../src/guard/login/interactions.ts";
import type { CallbackQuery } from "../../src/guard/rules/callback.ts";
import type { Interaction, LoginOptions, LoginSession, LoginView } from "../../src/index.ts";
import type { Simulator } from "../../src/simulator.ts";

/** Begins a login whose manifests are to be had. */
export async function begin(sim: Pick<Simulator, "login">, options: LoginOptions = {}): Promise<LoginSession> {
  const begun = await sim.login(options);
  if (!begun.ok) throw new Error(`the login did not begin: ${begun.result.reason}`);
  return begun.login;
}

/** Resolves with the view of the login as soon as it is as wanted; rejects when the login ends otherwise. */
export function until(login: LoginSession, isWanted: (view: LoginView) => boolean): Promise<LoginView> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const view = login.view();
      if (isWanted(view)) resolve(view);
      else if (view.result !== null) reject(new Error(`the login ended: ${view.result.outcome} ${view.result.reason}`));
      else return;
      stop();
    };
    const stop = login.subscribe(look);
    look();
  });
}

/** The interaction of a guard that asks for its user, as soon as one does. */
export async function awaitPage(login: LoginSession, module?: string): Promise<Interaction> {
  await until(
    login,
    ({ interaction }) => interaction !== null && (module ?? interaction.module) === interaction.module,
  );
  const interaction = login.interaction();
  if (interaction === null) throw new Error("a view with an interaction, of a login without");
  return interaction;
}

/** The query of a callback; a parameter with several values is given as a list. */
export function callbackQuery(parts: Partial<Record<keyof CallbackQuery, string | readonly string[]>>): CallbackQuery {
  const { state = [], code = [], error = [] } = parts;
  return { state: [state].flat(), code: [code].flat(), error: [error].flat(), others: [] };
}

/** The app's page sends its user back, by callback or out of the frame as the guard's type has it. */
export function comeBack(
  sim: Pick<Simulator, "logins">,
  login: LoginSession,
  came: { readonly code: string } | { readonly error: string },
): boolean {
  const interaction = login.interaction();
  if (interaction === null) throw new Error("nobody is at a page");
  const { state, guard } = interaction;
  if (guard.type === "frame") return sim.logins.frameReturned(login, state, came);
  return sim.logins.callback(sim.logins.domain, callbackQuery({ state, ...came })).ok;
}

/** Why a callback was not accepted; null: it was. */
export function refusalOf(arrival: CallbackOutcome): { readonly status: number; readonly reason: string } | null {
  return arrival.ok ? null : { status: arrival.status, reason: arrival.reason };
}

/** Where a login is, whatever was said of its page. */
export function whereIs(login: LoginSession): LoginView {
  const view = login.view();
  const stages = view.stages.map((stage) => ({ ...stage, warnings: [] }));
  return { ...view, stages, interaction: view.interaction && { ...view.interaction, troubles: [] } };
}

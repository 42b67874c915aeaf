import type { ActionDefinition } from "./action/define-action.ts";
import { demoActions } from "./demo/action.ts";
import { doctorActions } from "./doctor/action.ts";
import { fixtureActions } from "./fixture/action.ts";
import { type GuardMethods, guardActions } from "./guard/action.ts";
import { initActions } from "./init/action.ts";
import { inspectorActions } from "./inspector/action.ts";
import { type InstallMethods, installActions } from "./install/action.ts";
import { type LoadMethods, loadActions } from "./load/action.ts";
import { logActions } from "./log/action.ts";
import { type ManifestMethods, manifestActions } from "./manifest/action.ts";
import { type OAuthLoginMethods, oauthLoginActions } from "./oauth-login/action.ts";
import { type ImportMethods, importActions } from "./post-import/action.ts";
import { reportActions } from "./report/action.ts";
import { type ScenarioMethods, scenarioActions } from "./scenario/action.ts";
import { serveActions } from "./serve/action.ts";
import { settingsActions } from "./settings/action.ts";
import { type TokenMethods, tokenActions } from "./token/action.ts";
import { type VerifyMethods, verifyActions } from "./verify/action.ts";
import { withTamper } from "./verify/tamper-flag.ts";
import { type WebhookMethods, webhookActions } from "./webhook/action.ts";

/** All actions, in the order in which help lists them. */
export const actions = {
  ...demoActions,
  ...initActions,
  ...doctorActions,
  ...guardActions,
  guard: withTamper(guardActions.guard, ["guard", "page"], ["modules", "user", "ip"]),
  ...importActions,
  postImport: withTamper(importActions.postImport, ["import"], ["as", "edition", "allowOrigin"]),
  ...fixtureActions,
  ...webhookActions,
  ...verifyActions,
  ...scenarioActions,
  ...loadActions,
  ...serveActions,
  ...oauthLoginActions,
  ...manifestActions,
  ...installActions,
  ...tokenActions,
  ...settingsActions,
  ...logActions,
  ...reportActions,
  ...inspectorActions,
};

/** The same as a list, with the type of each method left open. */
export const allActions = Object.values(actions) as ActionDefinition<never>[];

/** The methods of these actions. */
export interface SimulatorMethods
  extends GuardMethods,
    ImportMethods,
    WebhookMethods,
    VerifyMethods,
    ScenarioMethods,
    LoadMethods,
    OAuthLoginMethods,
    ManifestMethods,
    InstallMethods,
    TokenMethods {}

/** The definition of a command, by its name; undefined if there is no such command. */
export function actionOfCommand(name: string): ActionDefinition<never> | undefined {
  return allActions.find(({ command }) => command?.name === name);
}

/** Allowed values of a command's --format, the default first; empty if there is no such command. */
export function formatsOf(name: string): readonly string[] {
  const command = actionOfCommand(name)?.command;
  return command === undefined ? [] : (command.formats ?? ["text", "json"]);
}

/** The commands that have this format in addition to the usual ones. */
export function commandsWith(format: string): string[] {
  return allActions.flatMap(({ command }) => (command?.formats?.includes(format) ? [command.name] : []));
}

interface RemoteFacts {
  readonly run?: unknown;
  readonly isLocal?: boolean;
}

/** The methods that commands in other processes can run. */
export const remoteMethods: readonly string[] = Object.entries<RemoteFacts>(actions)
  .filter(([, { run, isLocal }]) => run !== undefined && isLocal !== true)
  .map(([name]) => name);

import type { CheckFacts } from "../checking/check.ts";
import { checkResult } from "../checking/check-result.ts";
import type { DeclaredApp } from "../checking/declared-app.ts";
import { exchangesOf } from "../checking/evidence.ts";
import { moduleTokenParts } from "../checking/module-request.ts";
import type { RequestParts } from "../checking/request-parts.ts";
import { type Subject, sendTo, taggedContext } from "../checking/subject.ts";
import type { Unit, Verification } from "../checking/unit.ts";
import { findUser } from "../config/users.ts";
import { guardCall, guardRequest, makeFirstCall } from "../guard-checks/call.ts";
import { pageRequest } from "../guard-checks/pages/walk/page-request.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { joinUrl } from "../protocol/url.ts";
import { deliveryCall, deliveryRequest } from "../webhook-checks/delivery.ts";
import { freshEvents, freshNumber } from "../webhook-checks/fresh-events.ts";
import { addressChecks, DECLARED, ELSEWHERE, judgeAddress } from "./addresses.ts";
import { readingChecks } from "./checks.ts";

/** The units of area `manifest`: how it was read, and one for each address in it. */
export function manifestUnits(verification: Verification): Unit[] {
  return verification.apps.flatMap((declared) => [
    readingUnit(verification, declared),
    ...addressesOf(verification, declared).map((address) => addressUnit(verification, address)),
  ]);
}

function readingUnit({ wants, onCheck }: Verification, { reading }: DeclaredApp): Unit {
  const checks = readingChecks.filter(wants);
  const about = { title: "manifest", module: null };
  return {
    module: null,
    checks,
    run: async () =>
      checks.map((check) => {
        onCheck(null, check, "began");
        const result = checkResult(about, check, check.judge(reading), reading.exchanges);
        onCheck(null, check, "ended");
        return result;
      }),
  };
}

/** A declared address, and the request that the platform makes to it. */
interface Address extends Pick<Subject, "module" | "call"> {
  readonly check: CheckFacts;
  readonly module: string;
  readonly appUrl: string;
  readonly request: (context: SimulatorContext) => Promise<RequestParts>;
}

function addressUnit({ wants, onCheck, context, run }: Verification, address: Address): Unit {
  const { check, module, appUrl } = address;
  const subject = `${check.id}:${module}`;
  const send = (role: string, request: RequestParts) =>
    sendTo(address, taggedContext(context, { run, subject, id: check.id, role }), request);
  return {
    module,
    checks: wants(check) ? [check] : [],
    run: async () => {
      if (!wants(check)) return [];
      onCheck(module, check, "began");
      const request = await address.request(context);
      await send(DECLARED, request);
      // Requests to an undeclared address carry nothing that the app could mistake for a real call.
      const { signature: _, ...unsigned } = request;
      await send(ELSEWHERE, { ...unsigned, token: null, url: joinUrl(appUrl, "/app-sim-there-is-nothing-here") });
      const exchanges = exchangesOf(context.journal.list(), run, subject);
      onCheck(module, check, "ended");
      return [checkResult({ title: `address of ${module}`, module }, check, judgeAddress(check, exchanges), exchanges)];
    },
  };
}

function addressesOf({ choices, context: { config } }: Verification, declared: DeclaredApp): Address[] {
  const { app, manifest } = declared;
  const user = findUser(config, config.login.user);
  const person = { user, ipAddress: config.login.ipAddress };
  const isAtApp = (url: string) => new URL(joinUrl(app.url, url)).origin === new URL(app.url).origin;
  const world = { projects: config.projects, ids: choices.get("webhook.ids") };
  return [
    ...manifest.guards.map((module) => ({
      check: addressChecks.guard,
      module: module.key,
      appUrl: app.url,
      call: guardCall,
      request: (context: SimulatorContext) => guardRequest(context, choices, { installed: declared, module }, person),
    })),
    ...manifest.guards
      .filter(({ optionsUrl }) => optionsUrl !== null && isAtApp(optionsUrl))
      .map((module) => {
        const guard = { installed: declared, module };
        return {
          check: addressChecks.page,
          module: module.key,
          appUrl: app.url,
          call: { ...guardCall, purpose: "guard-page" as const },
          request: async (context: SimulatorContext) => {
            // An app may hide the page from users whom it has not asked.
            await makeFirstCall(context, { choices, guard }, person);
            return pageRequest(context, choices, guard, { user, state: context.ids.secret() });
          },
        };
      }),
    ...manifest.imports.map(({ key, url }) => ({
      check: addressChecks.import,
      module: key,
      appUrl: app.url,
      call: { ...guardCall, purpose: "post-import" as const },
      request: async (context: SimulatorContext): Promise<RequestParts> => ({
        method: "POST",
        url: joinUrl(app.url, url),
        headers: [["Content-Type", "application/json"]],
        body: { json: {} },
        token: await moduleTokenParts(context, choices, { app, user, module: key }),
        tokenIn: { scheme: "Bearer" },
      }),
    })),
    ...manifest.webhooks.map((module) => ({
      check: addressChecks.webhook,
      module: module.key,
      appUrl: app.url,
      call: deliveryCall(choices),
      request: async (context: SimulatorContext) => {
        const own = { ...world, names: module.events };
        const events = freshEvents(own, freshNumber(own, [], context.ids.seed()));
        return deliveryRequest(context, choices, { installed: declared, module }, events);
      },
    })),
  ];
}

import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import { UsageError } from "../protocol/usage-error.ts";
import { INSPECTOR_LINKS_PATH } from "../serve/control.ts";
import { answerPost, guardControl, readControl, refuseControl } from "../serve/control-access.ts";
import { InspectorCodes } from "../serve/inspector-link.ts";
import { keepBodies } from "../web/incoming-request.ts";
import { refuseOtherMethods } from "../web/methods.ts";
import { isOwnRequest } from "../web/own-origin.ts";
import { EventStream } from "./event-stream.ts";
import type { Inspected } from "./inspected.ts";
import { INSPECTOR_PATHS } from "./paths.ts";
import type { PlatformView } from "./view.ts";

const revealSchema = z.strictObject({
  id: z.string(),
  part: z.strictObject({
    side: z.enum(["request", "response"]),
    place: z.enum(["url", "header", "body"]),
    line: z.int().min(0),
    nth: z.int().min(0),
  }),
});
const keySchema = z.strictObject({ code: z.string() });
const searchSchema = z.strictObject({ text: z.string().min(1).max(1000) });

/**
 * The requests of the inspector's page, with the token of this run (hardening S8).
 * @param inspect loads what is shown, when a page first needs it
 */
export function inspectorRoutes(scope: FastifyInstance, inspect: () => Promise<Inspected>, token: string): void {
  const codes = new InspectorCodes(token);
  scope.register(async (inner) => keyRoute(inner, codes, token));
  scope.register(async (inner) => {
    guardControl(inner, token);
    dataRoutes(inner, inspect);
    answerPost(inner, INSPECTOR_LINKS_PATH, () => ({ code: codes.add() }));
  });
}

/** Gives the key of this run to the browser that presents the code of a link: each code is valid once. */
function keyRoute(scope: FastifyInstance, codes: InspectorCodes, token: string): void {
  keepBodies(scope);
  const refuse = (reply: FastifyReply, status: number, why: string) => {
    const hint = "`app-sim inspect` prints another link";
    return refuseControl(reply, status, new UsageError("control-invalid", why, hint));
  };
  answerPost(scope, INSPECTOR_PATHS.key, (request, reply) => {
    if (!isOwnRequest(request, false)) return refuse(reply, 403, "a page of another site made this request");
    const { code } = readControl(keySchema, request, '{"code":"…"}');
    return codes.spend(code)
      ? { key: token }
      : refuse(reply, 401, "this link was opened before, or is from an earlier run");
  });
}

function dataRoutes(scope: FastifyInstance, inspect: () => Promise<Inspected>): void {
  keepBodies(scope);
  const streams = new WeakMap<Inspected, EventStream>();
  const views = () => import("./exchange-view.ts");

  scope.get(INSPECTOR_PATHS.events, { exposeHeadRoute: false }, async (request, reply) => {
    const inspected = await inspect();
    const stream = streams.get(inspected) ?? new EventStream(inspected.feed);
    streams.set(inspected, stream);
    const last = request.headers["last-event-id"];
    reply.hijack();
    stream.send(reply.raw, Array.isArray(last) ? last[0] : last);
    return reply;
  });
  scope.get(INSPECTOR_PATHS.platform, async () => platformView(await inspect()));
  scope.get(`${INSPECTOR_PATHS.exchanges}/:id`, async (request, reply) => {
    const { id } = request.params as { readonly id: string };
    const inspected = await inspect();
    const found = findExchange(inspected, id);
    return found === null ? notKept(reply, id) : (await views()).exchangeView(inspected, found.exchange, found.row);
  });
  answerPost(scope, INSPECTOR_PATHS.reveal, async (request) => {
    const inspected = await inspect();
    const { id, part } = readControl(revealSchema, request, '{"id":"…","part":{…}}');
    const found = findExchange(inspected, id);
    if (found === null) throw new UsageError("unknown-id", `the journal has no exchange ${id}`, "it may be too old");
    return { text: (await views()).revealedPart(inspected, found.exchange, part) };
  });
  answerPost(scope, INSPECTOR_PATHS.search, async (request) => {
    const inspected = await inspect();
    const { text } = readControl(searchSchema, request, '{"text":"welcome"}');
    return { ids: (await views()).idsWith(inspected, text) };
  });
  for (const path of [INSPECTOR_PATHS.events, INSPECTOR_PATHS.platform, `${INSPECTOR_PATHS.exchanges}/:id`])
    refuseOtherMethods(scope, path, ["GET", "HEAD"]);
}

function findExchange({ find, feed }: Inspected, id: string) {
  const [record, row] = [find(id), feed.row(id)];
  return record?.type === "exchange" && row !== null ? { exchange: record, row } : null;
}

function notKept(reply: FastifyReply, id: string) {
  const hint = "`app-sim inspect` shows what was saved on disk";
  return refuseControl(reply, 404, new UsageError("unknown-id", `exchange ${id} is not kept in memory`, hint));
}

function platformView({ config, url, directory }: Inspected): PlatformView {
  return {
    url: url === null ? null : url(),
    domain: config.organization.domain,
    journal: directory,
    apps: config.apps.map((app) => ({
      name: app.name ?? app.url,
      url: app.url,
      redirectUri: app.redirectUris[0] ?? null,
    })),
    users: config.users.map(({ login, role }) => ({ login, role })),
    login: { user: config.login.user, ipAddress: config.login.ipAddress },
    oauthStart: config.verify.oauth?.start ?? null,
  };
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SimulatorContext } from "../platform/context.ts";
import { clip } from "../protocol/harmless.ts";
import { withoutQuery } from "../protocol/url.ts";
import { sendMessage } from "./send-page.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether pages of other sites may load it. */
    readonly isPublic?: boolean;
  }
}

/** How many characters of a path and an origin the journal keeps. */
const KEPT_CHARACTERS = 200;

/** Requests from pages of other sites, made without the user's knowledge (cross-site requests). */
export interface ForeignRequests {
  /** Refuses a request before its body is read, and counts it. */
  refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  /** Writes the last count into the journal. */
  end(): void;
}

/**
 * Creates the counter of these requests. The journal gets a record at the first, second, fourth, eighth and so on: even
 * a page that sends millions does not fill it.
 */
export function countForeignRequests({
  journal,
  ids,
  clock,
}: Pick<SimulatorContext, "journal" | "ids" | "clock">): ForeignRequests {
  let count = 0;
  let recorded = 0;
  let latest = { method: "", path: "", origin: null as string | null };
  const record = () => {
    recorded = count;
    journal.append({ type: "foreign", id: ids.next(), at: new Date(clock.now()).toISOString(), count, ...latest });
  };
  return {
    refuse(request, reply) {
      const { method, url, headers } = request;
      const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
      const path = clip(withoutQuery(url), KEPT_CHARACTERS);
      latest = { method, path, origin: headers.origin === undefined ? null : clip(headers.origin, KEPT_CHARACTERS) };
      count += 1;
      if (count >= 2 * recorded) record();
      // Do not wait for the body.
      if (hasBody) reply.header("connection", "close");
      return sendMessage(request, reply, 403, {
        title: "This request is refused",
        reason: "it comes from a page of another site",
        hint: "send it from the app's server; a browser may only come here through a link or a redirect",
      });
    },
    end() {
      if (count > recorded) record();
    },
  };
}

/**
 * Whether the browser says that a page of another site, or of another port of this machine, made this request. Other
 * clients send no such header (hardening S5).
 */
export function isForeign({ headers: { "sec-fetch-site": site } }: FastifyRequest): boolean {
  return site === "cross-site" || site === "same-site";
}

/**
 * Refuses, before any route, requests that other sites load or send, as opposed to navigations that they lead the user
 * to.
 */
export function refuseForeign(server: FastifyInstance, foreign: ForeignRequests): void {
  server.addHook("onRequest", async (request, reply) => {
    const isNavigation = request.headers["sec-fetch-mode"] === "navigate";
    if (!isForeign(request) || isNavigation || request.routeOptions.config.isPublic === true) return;
    return foreign.refuse(request, reply);
  });
}

/** In a scope for programs, also refuses navigations from other sites: a link or a form in a hidden frame. */
export function refuseForeignPages(scope: FastifyInstance, foreign: ForeignRequests): void {
  scope.addHook("onRequest", async (request, reply) => {
    if (isForeign(request)) return foreign.refuse(request, reply);
  });
}

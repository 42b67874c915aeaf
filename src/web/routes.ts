import type { FastifyInstance } from "fastify";
import type { OnBug } from "./errors.ts";
import type { ForeignRequests } from "./foreign-requests.ts";
import type { FormTokens } from "./forms.ts";

/** What all routes of the platform's server share. */
export interface Site {
  /** Tokens of our own forms (hardening S10). */
  readonly tokens: FormTokens;
  readonly onBug: OnBug;
  readonly foreign: ForeignRequests;
}

/** Adds the routes of one capability to the server. */
export type AddRoutes<Context> = (server: FastifyInstance, context: Context, site: Site) => void;

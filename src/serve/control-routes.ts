import type { FastifyInstance, FastifyRequest } from "fastify";
import type { OAuth } from "../oauth/endpoints/oauth.ts";
import type { PlatformClock } from "../platform/platform-clock.ts";
import { keepBodies } from "../web/incoming-request.ts";
import { actionRoutes, type ServedActions } from "./action-routes.ts";
import { type ClockChange, CONTROL_PATHS, clockChangeSchema, faultsChangeSchema } from "./control.ts";
import { answerPost, guardControl, readControl } from "./control-access.ts";

/** Who may change a running platform, and who is notified. */
export interface SteeringAccess {
  readonly token: string;
  readonly onSteered: (what: "clock" | "faults") => void;
  /** Aborted when the platform ends. */
  readonly ended: AbortSignal;
}

interface Steered {
  readonly clock: PlatformClock;
  readonly oauth: Pick<OAuth, "faults">;
}

/** Larger than any list of payloads or strings that a command sends. */
const ARGUMENTS_LIMIT_BYTES = 256 * 1_048_576;

/** The requests of commands in other processes to a running platform, with its token. */
export function controlRoutes(
  scope: FastifyInstance,
  steered: Steered,
  actions: ServedActions,
  { token, onSteered }: SteeringAccess,
): void {
  guardControl(scope, token);
  scope.register(async (inner) => {
    keepBodies(inner);
    steeringRoutes(inner, steered, onSteered);
  });
  scope.register(async (inner) => {
    keepBodies(inner, ARGUMENTS_LIMIT_BYTES);
    actionRoutes(inner, actions);
  });
}

/** Changes the clock and the faults of a running platform. */
function steeringRoutes(
  scope: FastifyInstance,
  { clock, oauth }: Steered,
  onSteered: SteeringAccess["onSteered"],
): void {
  const serve = (what: "clock" | "faults", state: () => unknown, change: (request: FastifyRequest) => void) => {
    const path = CONTROL_PATHS[what];
    scope.get(path, async () => state());
    const steer = (request: FastifyRequest) => {
      change(request);
      onSteered(what);
      return state();
    };
    answerPost(scope, path, steer, ["GET", "HEAD"]);
  };
  serve("clock", clock.state, (request) =>
    changeClock(clock, readControl(clockChangeSchema, request, '{"advance":"2h"}, {"set":TIME}, {"freeze":true}')),
  );
  serve(
    "faults",
    () => ({ faults: oauth.faults.list() }),
    (request) => {
      const change = readControl(faultsChangeSchema, request, '{"add":["token=500x2"]} or {"clear":true}');
      if ("clear" in change) oauth.faults.clear();
      else oauth.faults.add(...change.add);
    },
  );
}

function changeClock(clock: PlatformClock, change: ClockChange): void {
  if ("advance" in change) clock.advance(change.advance);
  else if ("set" in change) clock.set(change.set);
  else if ("freeze" in change) clock.freeze(change.freeze === true ? undefined : change.freeze);
  else if ("resume" in change) clock.resume();
  else clock.reset();
}

import { remoteMethods, type SimulatorMethods } from "./actions.ts";
import type { GivenSettings } from "./config/load.ts";
import { settingsOnPlatform } from "./config/settings-on-platform.ts";
import { inspectPlatform } from "./inspector/inspect-platform.ts";
import { inspectorHome } from "./inspector/inspector-page.ts";
import { guardRoutes } from "./login-pages/login-pages-routes.ts";
import { oauthRoutes } from "./oauth/oauth-routes.ts";
import type { SimulatorFace } from "./platform/simulator-options.ts";
import { importRoutes } from "./post-import/import-routes.ts";
import type { ServedActions } from "./serve/action-routes.ts";
import { controlRoutes, type SteeringAccess } from "./serve/control-routes.ts";
import type { Simulator } from "./simulator.ts";
import type { ServerTls } from "./tls/server-tls.ts";
import type { OnBug } from "./web/errors.ts";
import { type PlatformServer, startServer } from "./web/server.ts";

/** How the platform's server is started. */
interface ServedParts {
  readonly simulator: Simulator;
  readonly clock: SimulatorFace["clock"];
  /** 0: a free one. */
  readonly port: number;
  /** null: plain HTTP. */
  readonly tls?: ServerTls | null;
  /** null: the clock and the faults cannot be changed over HTTP, and no actions can be run. */
  readonly control: SteeringAccess | null;
  readonly onBug: OnBug;
  readonly onTurnedAway?: (message: string) => void;
}

/** Starts the platform's server with the routes of every capability. */
export async function serveCapabilities({
  simulator,
  clock,
  port,
  tls = null,
  control,
  onBug,
  onTurnedAway,
}: ServedParts): Promise<PlatformServer> {
  const { publicUrl, organization } = simulator.config;
  const { domain } = organization;
  return startServer({
    port,
    tls,
    publicUrl,
    onTurnedAway,
    domain,
    home: control === null ? undefined : (address) => inspectorHome(domain, address),
    addRoutes: (server, site) => {
      const context = { ...simulator.context, ...simulator };
      for (const addRoutes of [guardRoutes, importRoutes, oauthRoutes]) addRoutes(server, context, site);
      if (control === null) return;
      inspectPlatform(server, simulator, control.token);
      const steered = { clock, oauth: simulator.oauth };
      server.register(async (scope) =>
        controlRoutes(scope, steered, servedActions(simulator, clock, control.ended), control),
      );
    },
    onBug,
    record: simulator.context,
  });
}

/** What commands in other processes can do on this platform. */
function servedActions(simulator: Simulator, clock: SimulatorFace["clock"], ended: AbortSignal): ServedActions {
  const { config, choices, journal, underWay, context } = simulator;
  const settle = (given: GivenSettings) => settingsOnPlatform({ config, choices }, given);
  return {
    names: remoteMethods,
    journal,
    underWay,
    ended,
    settle: (given) => ({ url: context.baseUrl(), ...settle(given), clock: clock.state() }),
    run: async (name, args, { given, cwd }, listeners) => {
      const methods = simulator.methodsFor({ ...settle(given), cwd, ...listeners });
      return methods[name as keyof SimulatorMethods](...(args as [never, never]));
    },
  };
}

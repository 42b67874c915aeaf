import type { SimulatorContext } from "../../platform/context.ts";
import type { AddRoutes } from "../../web/routes.ts";
import type { OAuth } from "../endpoints/oauth.ts";
import { apiRoutes } from "./api-routes.ts";
import { authorizeRoutes } from "./authorize-routes.ts";
import { type DiscoveryParts, discoveryRoutes } from "./discovery-routes.ts";
import { tokenRoutes } from "./token-routes.ts";

/** The authorization server and the REST API (interface 4.1, 5.2 to 5.4). */
export const oauthRoutes: AddRoutes<SimulatorContext & DiscoveryParts & { readonly oauth: OAuth }> = (
  server,
  { config, oauth, jwks },
  { tokens },
) => {
  discoveryRoutes(server, { oauth, jwks });
  server.register(async (scope) => authorizeRoutes(scope, { oauth, config, tokens }));
  server.register(async (scope) => tokenRoutes(scope, oauth));
  server.register(async (scope) => apiRoutes(scope, oauth));
};

import { hostedFileRoutes } from "../web/hosted-file-routes.ts";
import type { AddRoutes } from "../web/routes.ts";
import type { ImportContext } from "./import-context.ts";
import { previewRoutes } from "./preview-routes.ts";

/** The files of jobs and the previews of apps (interface 2.3, 2.4). */
export const importRoutes: AddRoutes<ImportContext> = (server, { files, previews }, { onBug }) => {
  server.register(async (scope) => hostedFileRoutes(scope, files, onBug));
  server.register(async (scope) => previewRoutes(scope, previews));
};

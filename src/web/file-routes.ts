import type { FastifyInstance } from "fastify";
import { FRAME_SCRIPT } from "../guard/pages/frame-script.ts";
import { HOST_SCRIPT } from "../guard/pages/host-script.ts";
import { PAGE_SCRIPT } from "../guard/pages/page-script.ts";
import { FRAME_SCRIPT_PATH, ICON_PATH, PAGE_SCRIPT_PATH, STYLE_PATH } from "./layout.ts";
import { refuseOtherMethods } from "./methods.ts";
import { ICON, STYLE } from "./style.ts";

const JAVASCRIPT = "text/javascript; charset=utf-8";

/** Serves the script for the app's pages (interface 4.2), which any page may load, and the scripts and styles of our own. */
export function fileRoutes(server: FastifyInstance): void {
  const serve = (url: string, type: string, content: string, policy: "same-origin" | "cross-origin") => {
    server.get(url, (_, reply) =>
      reply.headers({ "content-type": type, "cross-origin-resource-policy": policy }).send(content),
    );
    refuseOtherMethods(server, url, ["GET", "HEAD"]);
  };
  serve("/host.js", JAVASCRIPT, HOST_SCRIPT, "cross-origin");
  serve("/iframe.js", JAVASCRIPT, HOST_SCRIPT, "cross-origin");
  serve(PAGE_SCRIPT_PATH, JAVASCRIPT, PAGE_SCRIPT, "same-origin");
  serve(FRAME_SCRIPT_PATH, JAVASCRIPT, FRAME_SCRIPT, "same-origin");
  serve(STYLE_PATH, "text/css; charset=utf-8", STYLE, "same-origin");
  serve(ICON_PATH, "image/svg+xml", ICON, "same-origin");
}

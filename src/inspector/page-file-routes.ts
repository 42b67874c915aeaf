import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { refuseOtherMethods } from "../web/methods.ts";
import { PAGE_FILES_PATH } from "./paths.ts";

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** Addresses of the files that the inspector's page loads. */
export interface PageAddresses {
  readonly script: string;
  readonly style: string;
}

/** The files of the inspector's page, as built: compressed, each with a hash of its content in its name. */
const FOLDER = new URL("../../dist/inspector/", import.meta.url);

/** Looks for the page when a browser first requests it; null if it was not built. */
export function findInspectorPage(): PageAddresses | null {
  try {
    const names = readdirSync(FOLDER).map((name) => name.replace(/\.gz$/, ""));
    const [script, style] = ["js", "css"].map((ending) => names.find((name) => name.endsWith(`.${ending}`)));
    if (script === undefined || style === undefined) return null;
    return { script: `${PAGE_FILES_PATH}/${script}`, style: `${PAGE_FILES_PATH}/${style}` };
  } catch {
    return null;
  }
}

/** Serves these files. They contain nothing of the journal, so they need no token. */
export function pageFileRoutes(server: FastifyInstance): void {
  const path = `${PAGE_FILES_PATH}/:name`;
  server.get(path, async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    const [, ending = ""] = /^[\w-]+\.(js|css)$/.exec(name) ?? [];
    const page = findInspectorPage();
    if (page === null || ![page.script, page.style].includes(`${PAGE_FILES_PATH}/${name}`)) return reply.callNotFound();
    const packed = readFileSync(new URL(`${name}.gz`, FOLDER));
    reply.header("content-type", types[ending] ?? "").header("vary", "accept-encoding");
    const takesGzip = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
    return takesGzip ? reply.header("content-encoding", "gzip").send(packed) : reply.send(gunzipSync(packed));
  });
  refuseOtherMethods(server, path, ["GET", "HEAD"]);
}

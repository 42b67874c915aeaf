import type { FastifyInstance } from "fastify";
import { refuseOtherMethods } from "./methods.ts";

/** A file that the platform serves unchanged. */
export interface StaticFile {
  readonly path: string;
  readonly type: string;
  readonly content: string;
  /** Whether pages of other origins may load it. */
  readonly isPublic: boolean;
}

export function serveFiles(server: FastifyInstance, files: readonly StaticFile[]): void {
  for (const { path, type, content, isPublic } of files) {
    const policy = isPublic ? "cross-origin" : "same-origin";
    server.get(path, { config: { isPublic } }, (_, reply) =>
      reply.headers({ "content-type": type, "cross-origin-resource-policy": policy }).send(content),
    );
    refuseOtherMethods(server, path, ["GET", "HEAD"]);
  }
}

/**
 * A classic script that runs a function in the browser. The function's own source is sent, so it must not use anything
 * from its module.
 */
export function scriptFile(path: string, run: () => void, isPublic = false): StaticFile {
  return { path, type: "text/javascript; charset=utf-8", content: `"use strict";\n(${run})();\n`, isPublic };
}

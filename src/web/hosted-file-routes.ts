import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { randomIds } from "../app-client/ports.ts";
import { BASE_HEADERS } from "../platform/base-headers.ts";
import type { OnBug } from "./errors.ts";
import { filePath, type HostedFiles } from "./hosted-files.ts";
import { incomingRequest } from "./incoming-request.ts";
import type { Message } from "./message-page.ts";
import { otherMethod } from "./methods.ts";
import { messageAnswer, sendAnswer } from "./send-page.ts";

type FileRequest = FastifyRequest<{ Params: { id: string } }>;

const allowed = ["GET", "HEAD"];

const NO_FILE: Message = {
  title: "There is no such file",
  reason: "it is served only while the job runs that it belongs to",
  hint: "fetch contentUrl and stringsUrl before answering the call that holds them",
};

/**
 * The files of jobs (interface 2.3: `contentUrl`, `stringsUrl`), each at an address that nobody can guess and that is
 * never a path (hardening S26). A part of one cannot be asked for: ranges are ignored, as RFC 9110 section 14.2 allows.
 */
export function hostedFileRoutes(scope: FastifyInstance, files: HostedFiles, onBug: OnBug): void {
  const refuse = (request: FileRequest, reply: FastifyReply, status: number, message: Message) =>
    sendAnswer(
      reply,
      files.refuse(request.params.id, incomingRequest(request), messageAnswer(request, status, message)),
    );

  scope.route({
    method: allowed,
    url: filePath(":id"),
    exposeHeadRoute: false,
    handler: async (request: FileRequest, reply) => {
      const file = files.find(request.params.id);
      if (file === null) return refuse(request, reply, 404, NO_FILE);
      reply.raw.writeHead(file.head.status, { ...BASE_HEADERS, ...file.head.headers });
      reply.hijack();
      await file.sendTo(reply.raw, incomingRequest(request)).catch((error) => onBug(randomIds.next(), error));
      return reply;
    },
  });

  scope.route({
    method: scope.supportedMethods.filter((method) => !allowed.includes(method)),
    url: filePath(":id"),
    exposeHeadRoute: false,
    // Before the body is read: its type and size do not matter.
    onRequest: async (request: FileRequest, reply) =>
      refuse(request, reply.header("allow", allowed.join(", ")), 405, otherMethod(request, allowed)),
    handler: () => {},
  });
}

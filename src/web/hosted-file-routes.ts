import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { randomIds } from "../app-client/ports.ts";
import { BASE_HEADERS } from "../platform/base-headers.ts";
import type { OnBug } from "./errors.ts";
import { filePath, type HostedFiles } from "./hosted-files.ts";
import { incomingRequest } from "./incoming-request.ts";
import { refuseOtherMethods } from "./methods.ts";
import { type Message, messageAnswer, sendAnswer } from "./send-page.ts";

type FileRequest = FastifyRequest<{ Params: { id: string } }>;

const allowed = ["GET", "HEAD"];

const NO_FILE: Message = {
  title: "There is no such file",
  reason: "a file is served only while its job runs",
  hint: "fetch contentUrl and stringsUrl before you answer the call that names them",
};

/**
 * Serves the files of jobs (interface 2.3: `contentUrl`, `stringsUrl`), each at an unguessable address that is never
 * mapped to a path on disk (hardening S26). Ranges are ignored, as RFC 9110 section 14.2 allows.
 */
export function hostedFileRoutes(scope: FastifyInstance, files: HostedFiles, onBug: OnBug): void {
  const refuse = (request: FileRequest, reply: FastifyReply, status: number, message: Message) => {
    const answer = messageAnswer(request, status, message);
    return sendAnswer(reply, files.refuse(request.params.id, incomingRequest(request), answer));
  };

  scope.route({
    method: allowed,
    url: filePath(":id"),
    exposeHeadRoute: false,
    handler: async (request: FileRequest, reply) => {
      const { id } = request.params;
      const head = files.find(id);
      if (head === null) return refuse(request, reply, 404, NO_FILE);
      reply.raw.writeHead(head.status, { ...BASE_HEADERS, ...head.headers });
      reply.hijack();
      await files.send(id, reply.raw, incomingRequest(request)).catch((error) => onBug(randomIds.next(), error));
      return reply;
    },
  });

  refuseOtherMethods(scope, filePath(":id"), allowed, (request, reply, refusal) =>
    refuse(request as FileRequest, reply, 405, refusal),
  );
}

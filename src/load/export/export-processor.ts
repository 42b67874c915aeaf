import type { SignatureScheme } from "../../webhook/rules/signature.ts";
import { BODIES_FILE } from "./export-bodies.ts";

/** What the functions that Artillery calls go by. */
export interface ProcessorSettings {
  /** Header lines of every delivery. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signature: SignatureScheme;
  /** Name of the header with the delivery's id; null for none. */
  readonly idHeader: string | null;
  /** Virtual users of a closed loop and when they end; null for an open loop. */
  readonly loop: {
    readonly users: number;
    readonly count: number | null;
    readonly durationMs: number | null;
  } | null;
}

/**
 * The functions of an Artillery test (a CommonJS module): one signs each delivery anew (interface 2.6, 5.1), one counts
 * what was acknowledged (interface 4.2), one says whether a virtual user goes on. The app's secret is read from the
 * environment when it is loaded, and stands in no file.
 */
export function processorText(settings: ProcessorSettings): string {
  return `"use strict";
// Made by app-sim. Artillery calls these functions; it changes no byte of a body that is a Buffer.

const { createHmac, randomUUID } = require("node:crypto");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const settings = ${JSON.stringify(settings, null, 2)};

const receivers = readBodies();
let sent = 0;
let begun = settings.loop === null ? 0 : settings.loop.users;
let endsAt = null;

/** Before a request: the next body, signed now. */
function sign(request, context, events, next) {
  const bodies = receivers[sent % receivers.length];
  const { url, module, secret, body } = bodies[Math.floor(sent / receivers.length) % bodies.length];
  sent += 1;
  if (endsAt === null && settings.loop !== null) endsAt = Date.now() + settings.loop.durationMs;
  const { header, encoding, prefix, timestampHeader } = settings.signature;
  const seconds = String(Math.floor(Date.now() / 1000));
  const hmac = createHmac("sha256", secret);
  if (timestampHeader !== null) hmac.update(seconds + ".");
  request.url = url;
  request.body = body;
  request.headers = {
    ...settings.headers,
    "X-Module-Key": module,
    ...(settings.idHeader === null ? {} : { [settings.idHeader]: randomUUID() }),
    ...(timestampHeader === null ? {} : { [timestampHeader]: seconds }),
    [header]: prefix + hmac.update(body).digest(encoding),
  };
  next();
}

/** After a response: any 2XX acknowledges. */
function judge(request, response, context, events, next) {
  const isAcknowledged = response.statusCode >= 200 && response.statusCode <= 299;
  events.emit("counter", "deliveries.acknowledged", isAcknowledged ? 1 : 0);
  events.emit("counter", "deliveries.failed", isAcknowledged ? 0 : 1);
  next();
}

/** In a closed loop: whether this virtual user sends another one. */
function another(context, next) {
  const { count } = settings.loop;
  const isOver = count === null ? Date.now() >= endsAt : begun >= count;
  if (!isOver) begun += 1;
  next(!isOver);
}

/** The bodies of each receiver. */
function readBodies() {
  const byReceiver = new Map();
  for (const line of readFileSync(join(__dirname, "${BODIES_FILE}"), "utf8").trimEnd().split("\\n")) {
    const { url, module, secret, body } = JSON.parse(line);
    const receiver = url + " " + module;
    const bodies = byReceiver.get(receiver) ?? [];
    byReceiver.set(receiver, bodies);
    bodies.push({ url, module, secret: secretNamed(secret), body: Buffer.from(body) });
  }
  return [...byReceiver.values()];
}

function secretNamed(variable) {
  const secret = process.env[variable];
  if (secret) return secret;
  throw new Error(variable + ' is not set: it is to hold the app secret, which "app-sim env" prints');
}

module.exports = { sign, judge, another };
`;
}

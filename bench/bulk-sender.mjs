import { createHmac } from "node:crypto";
import { Pool } from "undici";
import { startSimulator } from "../dist/index.js";
import { median } from "./median.mjs";
import { startReceiver } from "./processes.mjs";

// How near `app-sim load` comes to the least that sending signed deliveries costs: a bare loop over an undici Pool that
// signs bodies of the same length, adds the same headers and throws the answers away. Both have as many connections, to
// one receiver, and wait for nothing but answers; neither is measured while it makes bodies or closes its connections.
// The bare loop measures no times, sets no deadlines and names no outcomes. Rounds of both take turns.

const DELIVERIES = 10_000;
const CONCURRENCY = 10;
/** Short ones in turn, so that whatever else the machine does hits both. */
const ROUNDS = 40;
/** Until both are compiled. */
const WARM_UPS = 8;
const LEAST_RATIO = 0.9;

const receiver = await startReceiver();
const simulator = await startSimulator({ app: { url: receiver.url }, listen: "when-needed" });
const sample = await sampleDelivery();
try {
  for (let round = 0; round < WARM_UPS; round++) {
    await loadRound();
    await bareRound();
  }
  process.stdout.write("round   app-sim load   bare Pool loop   ratio\n");
  const ratios = [];
  for (let round = 1; round <= ROUNDS; round++) {
    // Whoever begins changes, for the machine may get slower or faster.
    const isLoadFirst = round % 2 === 1;
    const first = await (isLoadFirst ? loadRound() : bareRound());
    const second = await (isLoadFirst ? bareRound() : loadRound());
    const [load, bare] = isLoadFirst ? [first, second] : [second, first];
    ratios.push(load / bare);
    process.stdout.write(
      `${String(round).padStart(5)}   ${rate(load)}   ${rate(bare)}     ${(load / bare).toFixed(2)}\n`,
    );
  }
  const ratio = median(ratios);
  process.stdout.write(`median ratio ${ratio.toFixed(2)}, at least ${LEAST_RATIO}\n`);
  process.exitCode = ratio < LEAST_RATIO ? 1 : 0;
} finally {
  await simulator.close();
  await receiver.close();
}

/** Deliveries a second of `load()`. */
async function loadRound() {
  const { acknowledged, seconds } = await simulator.load("project.translated", {
    count: DELIVERIES,
    concurrency: CONCURRENCY,
    seed: 1,
  });
  if (acknowledged !== DELIVERIES) throw new Error(`${acknowledged} of ${DELIVERIES} were acknowledged`);
  return DELIVERIES / seconds;
}

/** Deliveries a second of the bare loop. */
async function bareRound() {
  const pool = new Pool(receiver.url, { connections: CONCURRENCY, headersTimeout: 0, bodyTimeout: 0 });
  let left = DELIVERIES;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (left-- > 0) await sendBare(pool, sample.bodies[left % sample.bodies.length] ?? "");
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  await pool.close();
  return DELIVERIES / seconds;
}

/**
 * @param {Pool} pool
 * @param {Buffer | string} body
 * @returns {Promise<void>}
 */
function sendBare(pool, body) {
  const signature = createHmac("sha256", "app-sim-app-secret").update(body).digest("hex");
  return new Promise((resolve, reject) => {
    pool.dispatch(
      { method: "POST", path: "/webhook", headers: [...sample.headers, "X-Platform-Signature", signature], body },
      {
        onRequestStart() {},
        onResponseStart(_controller, status) {
          if (status !== 204) reject(new Error(`answered ${status}`));
        },
        onResponseData() {},
        onResponseEnd: () => resolve(),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

/** What a delivery of `load()` is made of, as the journal has it; in bodies that are 256, as there. */
async function sampleDelivery() {
  const { deliveries } = await simulator.webhook("project.translated");
  const exchange = simulator.journal.find(deliveries[0]?.attempts[0]?.exchange ?? "");
  if (exchange?.type !== "exchange") throw new Error("the receiver got nothing");
  const own = ["host", "connection", "content-length", "x-platform-signature"];
  const lines = exchange.request.headers.filter(([name]) => !own.includes(name.toLowerCase()));
  const bytes = Buffer.from(exchange.request.body.base64, "base64");
  return { headers: lines.flat(), bodies: Array.from({ length: 256 }, () => Buffer.from(bytes)) };
}

/** @param {number} perSecond */
function rate(perSecond) {
  return `${Math.round(perSecond).toLocaleString("en-US").padStart(10)}/s`;
}

import { type HostileAnswer, pours, sendsBlocks, taken } from "./hostile-answer.ts";

/** Just below what a line may have. */
const LONG = 15_000_000;
const LINES = 3;

const long = "x".repeat(LONG);
const andMore = /and [\d,]+ more: see the findings\)$/;

/** Lines of 15 MB each, by their number. */
function longLines(lineOf: (number: number) => object): HostileAnswer["play"] {
  return sendsBlocks(function* () {
    for (let number = 1; number <= LINES; number += 1) yield Buffer.from(`${JSON.stringify(lineOf(number))}\n`);
  });
}

const string = (number: number) => ({ uniqId: `new ${number}`, identifier: `new.key.${number}`, text: "Saved" });
const broken = (name: string, lineOf: (number: number) => object): HostileAnswer => ({
  name: `S25: is ${LINES} lines, each with a fault and 15 MB ${name}`,
  play: longLines(lineOf),
  ends: { stringsUrl: { outcome: "answered", reason: andMore, check: "import.string.shape" } },
  fileLimit: 4_294_967_296,
});
const added = (name: string, lineOf: (number: number) => object): HostileAnswer => ({
  name: `S25: adds ${LINES} strings, each with 15 MB ${name}`,
  play: longLines(lineOf),
  ends: { stringsUrl: taken },
  fileLimit: 4_294_967_296,
});

/** Answers that are too much of something that is small elsewhere: they are read, and hardly anything of them kept. */
export const hostileAmounts: readonly HostileAnswer[] = [
  {
    name: "S25: has a line of 7,500,000 labels that are none",
    play: (call) =>
      call.send(`{"uniqId":"1","identifier":"key.1","text":"Saved","labels":[0${",0".repeat(LONG / 2 - 1)}]}`),
    ends: {
      stringsUrl: {
        outcome: "answered",
        reason: /line 1: has more than 20,000 values: a string record is not that large$/,
        check: "import.string.shape",
      },
    },
    fileLimit: 4_294_967_296,
  },
  {
    name: "S25: has 2,500,000 elements that are no strings",
    play: (call) =>
      call.send(`{"data":{"strings":[0${",0".repeat(2_499_999)}]}}`, {
        headers: { "content-type": "application/json" },
      }),
    ends: { answer: { outcome: "answered", reason: andMore, check: "import.string.shape" } },
  },
  {
    name: "S25: is 2,000,000 lines that are no strings",
    play: pours("{}\n", 6_000_000),
    ends: {
      stringsUrl: {
        outcome: "cut-off",
        reason: /line 1\.uniqId: is missing: .*\(and [\d,]+ more: see the findings\)$/,
        check: "import.string.shape",
      },
    },
    fileLimit: 4_294_967_296,
  },
  broken("of a text that is none", (number) => ({ ...string(number), text: [long] })),
  broken("of uniqId", (number) => ({ ...string(number), uniqId: number + long, text: 0 })),
  broken("of identifier", (number) => ({ ...string(number), identifier: number + long, text: 0 })),
  broken("of path", (number) => ({ ...string(number), translations: { [number + long]: { text: 0 } } })),
  added("of text", (number) => ({ ...string(number), text: number + long })),
  added("of uniqId", (number) => ({ ...string(number), uniqId: number + long })),
  added("of identifier", (number) => ({ ...string(number), identifier: number + long })),
];

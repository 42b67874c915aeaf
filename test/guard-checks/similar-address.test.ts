import { expect, test } from "vitest";
import { similarAddresses } from "../../src/guard-checks/similar-address.ts";

test.each([
  ["203.0.113.10", ["3.0.113.10"]],
  [
    "10.1.20.7",
    [
      "110.1.20.7",
      "210.1.20.7",
      "101.1.20.7",
      "109.1.20.7",
      "10.11.20.7",
      "10.13.20.7",
      "10.19.20.7",
      "10.1.201.7",
      "10.1.203.7",
      "10.1.209.7",
    ],
  ],
])("%s resembles addresses of other networks", (address, similar) => {
  expect(similarAddresses(address).map((variant) => variant.address)).toEqual(similar);
});

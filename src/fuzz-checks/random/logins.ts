import {
  type Arbitrary,
  array,
  boolean,
  constant,
  integer,
  ipV4,
  ipV6,
  oneof,
  option,
  record,
  tuple,
} from "fast-check";
import { oddText, oddWord } from "./texts.ts";

/** Who logs in; null: as somebody does who is known. */
export interface RandomLogin {
  readonly id: number | null;
  /** Name to log in with. */
  readonly login: string | null;
  readonly ipAddress: string | null;
}

/** Somebody whose ids may be of any size, in any organization. */
export interface RandomStranger extends RandomLogin {
  readonly organization: { readonly id: number; readonly domain: string } | null;
}

const maybe = <T>(value: Arbitrary<T>) => option(value, { nil: null });

const parts = {
  id: maybe(integer({ min: 1, max: 2 ** 31 - 1 })),
  login: maybe(oddText(1, 20)),
  ipAddress: maybe(oneof(ipV4(), ipV6())),
};

/** Logins of ids that fit into 32 bits. */
export const randomLogin: Arbitrary<RandomLogin> = record(parts);

const anyId = integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const domain = array(integer({ min: 0, max: 35 }), { minLength: 1, maxLength: 63 }).map((digits) =>
  digits.map((digit) => digit.toString(36)).join(""),
);

/** Logins of any ids, and to any organization. */
export const randomStranger: Arbitrary<RandomStranger> = record({
  ...parts,
  id: maybe(anyId),
  organization: maybe(record({ id: anyId, domain })),
});

const value = oneof(
  oddText(0, 10),
  integer(),
  boolean(),
  constant(null),
  array(integer(), { maxLength: 2 }),
  constant({}),
);

/** Fields of names that the interface does not have. */
export const otherFields: Arbitrary<Readonly<Record<string, unknown>>> = array(
  tuple(
    oddWord(4).map((word) => `x-${word}`),
    value,
  ),
  { maxLength: 3 },
).map((entries) => Object.fromEntries(entries));

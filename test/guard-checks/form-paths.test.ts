import { expect, test } from "vitest";
import { isSamePath } from "../../src/guard-checks/pages/walk/form-paths.ts";

test.each([
  ["/confirm", "/confirm", true],
  ["/confirm/f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "/confirm/0b5e7c3a-7dec-11d0-a765-00a0c91e6bf6", true],
  ["/logins/99/confirm", "/logins/100/confirm", true],
  ["/vow/form/Hs8x-kQz_LpA", "/vow/form/TrMwqYvNbKdE", true],
  ["/vow/eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln", "/vow/eyJhbGciOiJIUzI1NiJ9.eyJhIjoxMjN9.c2ln", true],
  ["/accept", "/sign-in", false],
  ["/acceptTerms", "/verifyLogin", false],
  ["/confirm/f81d4fae", "/again/f81d4fae", false],
  ["/confirm/f81d4fae", "/confirm", false],
  ["/step2", "/step1", false],
])("%s and %s: the same is %s", (one, other, isSame) => {
  expect(isSamePath(one, other)).toBe(isSame);
});

test("a key without digits counts where a form goes to its own page", () => {
  expect(isSamePath("/vow/HsKxQzLpAbCd", "/vow/TrMwqYvNbKdE")).toBe(false);
  expect(isSamePath("/vow/HsKxQzLpAbCd", "/vow/TrMwqYvNbKdE", true)).toBe(true);
  expect(isSamePath("/vow/start", "/vow/error", true)).toBe(false);
});

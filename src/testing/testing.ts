export type { ContractOptions, StopApp } from "./contract.ts";
export { describeContractWith as describeContract, type TestRunner } from "./describe-contract.ts";
export { contractMatchers, type MatcherEnd } from "./matchers.ts";

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** They take long for their size, by which Vitest goes where it has not run them before. */
const LONG =
  /\/(docs\/(api|examples)|guard\/browser-visitor|package\/package|serve\/keys|verify\/(run|sample-app))\.test\.ts$/;

/** Starts the longest files first, so that no worker has one of them left when the others are done. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

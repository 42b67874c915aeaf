import { constants } from "node:fs";
import { access } from "node:fs/promises";

/** Whether this process may write a file, or in a directory; not where it is missing. */
export async function canWrite(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

import { constants } from "node:fs";
import { access } from "node:fs/promises";

/** Whether this process may write to a file or directory; false if it does not exist. */
export async function canWrite(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

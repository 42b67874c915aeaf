import type { OptionsOf } from "../action/define-action.ts";

/** Options of `replay()`. */
export interface ReplayOptions {
  /** Signs anew, with the secret and the choices of now. */
  readonly resign?: boolean | undefined;
  /** Other bytes, before they are compressed if the delivery was; signed anew. */
  readonly body?: Uint8Array | undefined;
}

/** Definitions of {@link ReplayOptions}. */
export const replayOptions: OptionsOf<ReplayOptions> = {
  resign: {
    flag: "--resign",
    help: "sign anew, with the secret and the choices of now",
    schema: (z) => z.boolean(),
  },
  body: {
    help: "other bytes, before they are compressed if the delivery was; signed anew",
    schema: (z) => z.custom<Uint8Array>((value) => value instanceof Uint8Array, "expected bytes, such as a Buffer"),
  },
};

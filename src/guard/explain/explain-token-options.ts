import type { OptionsOf } from "../../action/define-action.ts";

/** Options of `explainToken()`. */
export interface ExplainTokenOptions {
  /** Key of the guard or post-import module that the token is for; default a placeholder. */
  readonly module?: string | undefined;
}

/** Definitions of {@link ExplainTokenOptions}. */
export const explainTokenOptions: OptionsOf<ExplainTokenOptions> = {
  module: { help: "key of the module that the token is for", schema: (z) => z.string().min(1) },
};

import type { LoginView, StageView } from "../guard/login/login-view.ts";

/** The copy of a login's view that may be shown: an app's words may tell one of the secrets (hardening S27). */
export function withoutSecrets(view: LoginView, hide: (text: string) => string): LoginView {
  const hideIn = <T extends { readonly reason?: string | null | undefined; readonly hint?: string | null | undefined }>(
    texts: T,
  ): T => ({
    ...texts,
    ...(texts.reason == null ? {} : { reason: hide(texts.reason) }),
    ...(texts.hint == null ? {} : { hint: hide(texts.hint) }),
  });
  const hideInStage = (stage: StageView): StageView => ({ ...hideIn(stage), warnings: stage.warnings.map(hide) });
  const { stages, interaction, result } = view;
  return {
    ...view,
    stages: stages.map(hideInStage),
    interaction: interaction && { ...interaction, troubles: interaction.troubles.map(hideIn) },
    result: result && {
      ...hideIn(result),
      stages: result.stages.map(hideIn),
      warnings: result.warnings.map(hide),
    },
  };
}

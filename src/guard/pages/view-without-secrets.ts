import type { LoginView } from "../login/login-view.ts";

interface Explained {
  readonly reason?: string | null | undefined;
  readonly hint?: string | null | undefined;
}

/** The view of a login with the secrets hidden that an app's words may repeat (hardening S27). */
export function viewWithoutSecrets(view: LoginView, hide: (text: string) => string): LoginView {
  const hideIn = <T extends Explained>(texts: T): T => ({
    ...texts,
    ...(texts.reason == null ? {} : { reason: hide(texts.reason) }),
    ...(texts.hint == null ? {} : { hint: hide(texts.hint) }),
  });
  const { stages, interaction, result } = view;
  return {
    ...view,
    stages: stages.map((stage) => ({ ...hideIn(stage), warnings: stage.warnings.map(hide) })),
    interaction: interaction && { ...interaction, troubles: interaction.troubles.map(hideIn) },
    result: result && {
      ...hideIn(result),
      stages: result.stages.map(hideIn),
      warnings: result.warnings.map(hide),
    },
  };
}

/** What this app can do, and where (interface 2.1). */
export const manifest = {
  modules: {
    "auth-guard": [
      { key: "network", name: "Network check", url: "/guards/network", options: { type: "direct" } },
      {
        key: "working-account",
        name: "Account check",
        url: "/guards/account",
        options: { type: "direct", applyToAdmins: true },
      },
      {
        key: "terms",
        name: "Confidentiality terms",
        description: "Managers accept the confidentiality terms at every login.",
        url: "/guards/terms",
        options: { type: "redirect", url: "/guards/terms/page" },
      },
      {
        key: "presence",
        name: "Are you there?",
        description: "A login from outside the office has to be confirmed.",
        url: "/guards/presence",
        options: { type: "frame", applyToAdmins: true, url: "/guards/presence/page" },
      },
    ],
    "file-post-import": [{ key: "tidy-strings", url: "/post-import" }],
    webhook: [
      {
        key: "translation-events",
        url: "/webhooks",
        events: ["project.translated", "project.approved"],
        environments: ["platform", "platform-enterprise"],
      },
    ],
  },
};

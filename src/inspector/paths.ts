/** Addresses for the inspector's page; no organization can have such a name. */
export const INSPECTOR_PATHS = {
  events: "/-/inspector/events",
  platform: "/-/inspector/platform",
  /** Followed by the id. */
  exchanges: "/-/inspector/exchanges",
  reveal: "/-/inspector/reveal",
  search: "/-/inspector/search",
  /** Gives the key of the run for the code of a link, once. */
  key: "/-/inspector/key",
} as const;

/** Where the files of the page are. */
export const PAGE_FILES_PATH = "/inspector";

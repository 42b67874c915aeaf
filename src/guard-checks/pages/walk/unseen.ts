/** What only a browser shows, for a walk without one. */
export const unseen = {
  loaded: [],
  left: {},
  keepsData: false,
  blocked: [],
  refused: null,
  misuse: null,
  askedAgain: "no" as const,
  errors: [],
  endButtons: [],
  pause: null,
};

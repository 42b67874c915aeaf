/** What only a browser shows of a walk, where there is none. */
export const unseen = {
  loaded: [],
  left: {},
  keepsData: false,
  blocked: [],
  refused: null,
  misuse: null,
  errors: [],
  pause: null,
};

/**
 * Seconds after which codes, logins and sessions must still be valid. A lifetime of some minutes that is taken for
 * milliseconds is over by then.
 */
export const A_MOMENT_SECONDS = 2;

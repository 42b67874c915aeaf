/** Roles of interface 1, 2.1 and 5.1; an outsider has an account, but belongs to none of the projects. */
export const roles = ["owner", "admin", "manager", "member", "outsider"] as const;
/** The role of a user (interface 1, 2.1): an outsider has an account, but belongs to none of the projects. */
export type Role = (typeof roles)[number];

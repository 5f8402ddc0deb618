/** Ids of our own: add-ons, accounts, organizations, grants, sessions. */
const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether a string can be an id of our own at all; what cannot is unknown without asking the log. */
export const isUlid = (value: string): boolean => ulid.test(value);

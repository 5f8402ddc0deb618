/** Ids of our own: add-ons, accounts, organizations, grants, sessions. */
const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether a string can be an id of our own at all; what cannot is unknown without asking the log. */
export const isUlid = (value: string): boolean => ulid.test(value);

const recordId = /^[A-Za-z0-9_]{1,64}$/;

/** Whether a string can be the id of a record of the host platform, or of a user that a profile names. */
export const isRecordId = (value: string): boolean => recordId.test(value);

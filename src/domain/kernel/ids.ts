/** Our own ids: add-ons, accounts, organizations, grants, sessions. */
const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether a string has the form of our own ids. Any other string is unknown, without a look into the log. */
export const isUlid = (value: string): boolean => ulid.test(value);

const recordId = /^[A-Za-z0-9_]{1,64}$/;

/** Whether a string has the form of a record id of the host platform, or of a user id in a profile. */
export const isRecordId = (value: string): boolean => recordId.test(value);

/** Our own ids: add-ons, accounts, organizations, grants, sessions. */
const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether a string has the form of our own ids. Any other string is unknown, without a look into the log. */
export const isUlid = (value: string): boolean => ulid.test(value);

/** An id of ours in what others send. It has no dot: the first one ends the organization's id in names and keys. */
export const ownId = { pattern: '^[A-Za-z0-9_]{1,64}$', allowed: '1 to 64 characters out of A–Z a–z 0–9 _' };

/** The host platform's id of a record (ADR 85). */
export const recordId = {
  pattern: '^[A-Za-z0-9._~:@+/=-]{1,128}$',
  allowed: '1 to 128 characters out of A–Z a–z 0–9 . _ ~ : @ + / = -',
};

const [own, record] = [new RegExp(ownId.pattern), new RegExp(recordId.pattern)];

/** Whether a string may be the id of an organization or an account; the log knows whether there is one. */
export const isOwnId = (value: string): boolean => own.test(value);

/** Whether a string has the form of a record id of the host platform. */
export const isRecordId = (value: string): boolean => record.test(value);

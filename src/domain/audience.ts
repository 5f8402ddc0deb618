const maxLength = 2048;

/** RFC 3986 §4.3 with its characters, no more: what is compared octet for octet must have one spelling that is seen. */
const absoluteUri = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;

/** What is wrong with a resource indicator that an add-on is to answer for, or null (RFC 8707 §2). */
export const audienceProblem = (uri: string): string | null => {
  if (uri.length > maxLength) return `must have at most ${maxLength} characters`;
  if (uri.includes('#')) return 'must not have a fragment';
  return absoluteUri.test(uri) ? null : 'must be an absolute URI';
};

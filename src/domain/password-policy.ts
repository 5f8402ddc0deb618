/** Only length, as NIST SP 800-63B §5.1.1 advises: no rules of composition. */
const minLength = 8;
const maxLength = 256;

/** What is wrong with a password, or null. The message never contains the password. */
export const passwordProblem = (password: string): string | null => {
  const length = Array.from(password).length;
  return length >= minLength && length <= maxLength
    ? null
    : `must have ${minLength} to ${maxLength} characters`;
};

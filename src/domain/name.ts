const maxLength = 100;
const printable = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;

/** What is wrong with the name of an add-on, an organization or a person, or null. Shown to people, so it is one line. */
export const nameProblem = (name: string): string | null => {
  if (name.trim() === '') return 'must not be empty';
  if (Array.from(name).length > maxLength) return `must have at most ${maxLength} characters`;
  if (!printable.test(name)) return 'must be one line without control characters';
  return null;
};

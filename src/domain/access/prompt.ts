export const prompts = ['none', 'consent', 'login', 'select_account'] as const;
export type Prompt = (typeof prompts)[number];

const isPrompt = (value: string): value is Prompt => (prompts as readonly string[]).includes(value);

/** Reads `prompt`: values separated by spaces (OIDC Core §3.1.2.1; AZ-19); null for unknown ones, and `none` with another. */
export const parsePrompt = (text: string): ReadonlySet<Prompt> | null => {
  const values = text.split(' ').filter((value) => value !== '');
  if (!values.every(isPrompt)) return null;
  const asked = new Set(values);
  return asked.has('none') && asked.size > 1 ? null : asked;
};

/** Whether the user is to say which account to use, also one who is signed in (OIDC Core §3.1.2.1). */
export const asksWho = (prompt: readonly Prompt[]): boolean => prompt.includes('select_account');

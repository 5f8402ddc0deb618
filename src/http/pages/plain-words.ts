import { eachRecord } from '../../domain/records/each-record.ts';
import type { Scope } from '../../domain/access/scope.ts';

/** What a scope permits, in plain words: as a sentence, and in a few words for lists. */
export const plainWords: Readonly<Record<Scope, { readonly long: string; readonly short: string }>> = {
  openid: { long: 'Recognize you: an identifier of your account', short: 'an identifier of your account' },
  profile: { long: 'See your name', short: 'your name' },
  email: { long: 'See your e-mail address', short: 'your e-mail address' },
  ...eachRecord('scope', ({ words: { many, consent } }) => ({
    long: `See ${many}: ${consent}`,
    short: many,
  })),
};

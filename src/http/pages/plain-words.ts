import { eachRecord } from '../../domain/each-record.ts';
import type { Scope } from '../../domain/scope.ts';

/** What a scope permits, in plain words: as a sentence, and in a few words for lists. */
export const plainWords: Readonly<Record<Scope, { readonly long: string; readonly short: string }>> = {
  openid: { long: 'See who you are: your name and e-mail address', short: 'your name and e-mail address' },
  ...eachRecord('scope', ({ words: { many, consent } }) => ({
    long: `See ${many}: ${consent}`,
    short: many,
  })),
};

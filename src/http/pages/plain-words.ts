import type { Scope } from '../../domain/scope.ts';

/** What a scope opens, in plain words: as a sentence, and in a few words for lists. */
export const plainWords: Readonly<Record<Scope, { readonly long: string; readonly short: string }>> = {
  openid: { long: 'See who you are: your name and e-mail address', short: 'your name and e-mail address' },
  'profiles:read': { long: 'See profiles: names and contact details of people', short: 'profiles' },
  'reservations:read': { long: 'See reservations: who booked what, and when', short: 'reservations' },
  'access-rights:read': { long: 'See access rights: who may open what, and when', short: 'access rights' },
};

import { english } from '../../common/words.ts';
import { accept, type Decider, type Decision, refuse, type At } from '../kernel/decision.ts';
import type { DataIn, EventsIn } from '../describe-event.ts';
import type { accountEvents, identityEvents } from './events.ts';

/** An identity of an account, and the digest that names its claim's stream. Only (`issuer`, `subject`) identifies the user (OIDC Core §5.7). */
export type LinkedIdentity = Omit<DataIn<typeof accountEvents, 'IdentityLinked'>, 'at'>;

export type IdentityEvent = EventsIn<typeof identityEvents>;

export type IdentityClaim = { readonly userId: string | null };

export const identityDecider: Decider<IdentityClaim, IdentityEvent> = {
  initial: { userId: null },
  evolve: (_claim, event) => ({ userId: event.type === 'IdentityClaimed' ? event.data.userId : null }),
};

/** The first claim wins. Later callers learn from the state which user the identity belongs to. */
export const claimIdentity = (
  claim: IdentityClaim,
  { userId, now }: At<'userId'>,
): Decision<IdentityEvent, 'identity-taken'> => {
  if (claim.userId === userId) return accept();
  if (claim.userId !== null) return refuse('identity-taken');
  return accept({ type: 'IdentityClaimed', data: { userId, at: now } });
};

/** Releases an identity, so that it can be claimed again. If another user has claimed it since, it stays theirs. */
export const releaseIdentity = (
  claim: IdentityClaim,
  { userId, now }: At<'userId'>,
): Decision<IdentityEvent> =>
  claim.userId === userId ? accept({ type: 'IdentityReleased', data: { userId, at: now } }) : accept();

/** OpenID Connect Core §2: at most 255 ASCII characters. Some providers send others, so only the length is checked. */
export const subjectProblem = (subject: string): string | null => {
  if (subject === '') return english.problems.empty;
  return subject.length > 255 ? english.problems.tooLong(255) : null;
};

/** Algorithms with a public key, by which a provider may sign (RFC 7518 §3.1, RFC 8037, RFC 9864). */
export const signingAlgs = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
export type SigningAlg = (typeof signingAlgs)[number];

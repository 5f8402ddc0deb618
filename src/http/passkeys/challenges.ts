import { randomBytes } from 'node:crypto';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { EndInteraction } from '../../projections/working-state/done-once.ts';
import type { ValueSigner } from '../session/value-signer.ts';

/** What a challenge was made for: an interaction of this browser, or a session. */
export type BoundTo = `interaction:${string}` | `session:${string}`;

/** In milliseconds. */
const lifetime = 5 * 60_000;

type Signed = { readonly challenge: string; readonly boundTo: BoundTo; readonly expiresAt: Instant };
type Dependencies = {
  readonly signer: ValueSigner;
  readonly end: EndInteraction;
  readonly now: () => Instant;
};

/** Signed, expiring, single-use and bound to one browser, like the forms of pages (AZ-40). */
export const makeChallenges = ({ signer, end, now }: Dependencies) => ({
  /** A new challenge, base64url, and the same signed for the page's form. */
  begin: (boundTo: BoundTo) => {
    const challenge = randomBytes(32).toString('base64url');
    const value: Signed = { challenge, boundTo, expiresAt: now() + lifetime };
    return { challenge, signed: signer.sign(value, 'passkey') };
  },
  /** Uses one up, on whichever instance: true for the first use alone. */
  use: async (signed: string | undefined, boundTo: BoundTo) => {
    const value = signer.verify(signed ?? '', 'passkey') as Signed | null;
    if (!value) return 'malformed';
    if (value.boundTo !== boundTo) return 'other-browser';
    if (value.expiresAt <= now()) return 'expired';
    return (await end(`passkey:${value.challenge}`, value.expiresAt))
      ? { challenge: value.challenge }
      : 'used';
  },
});

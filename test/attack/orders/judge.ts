import { fenceSubjectsOf, judgeFence } from '../../../src/domain/fence/fence.ts';
import type { AccessTokenClaims } from '../../../src/commands/credentials/access-token.ts';
import type { GrantSubject } from '../../../src/domain/access/grant.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { prepared } from './prepared.ts';
import type { SharedFence } from './shared-fence.ts';

/** What must never be seen, in the words of docs/explanation/revocation.md. */
export class Violation extends Error {}

/** The newest epoch of an activation that is over, and how often a consent was withdrawn and an account disabled. */
type Ended = { activation: number; withdrawn: number; disabled: number };

type Watched = { readonly log: () => readonly RecordedEvent[]; readonly fence: () => SharedFence };

export type Asked = {
  readonly isOver: boolean;
  readonly suspendedAt: number | null;
  /** Whether the removal of a redirect URI or a scope had been answered. */
  readonly isRemoved: boolean;
};

type Issued = { readonly grantId: string; readonly subject: GrantSubject };

/** Looks on, and objects to the first thing that breaks a promise. */
export const makeJudge = ({ log, fence }: Watched) => {
  const tokens: AccessTokenClaims[] = [...prepared.claims];
  const ended: Ended = { activation: 0, withdrawn: 0, disabled: 0 };
  /** Where the log stood when an epoch was over: once the fence said so or its end was answered. */
  const overAt = new Map<string, number>();
  /** Where the log stood when a suspension was answered that nobody has begun to lift; null while there is none. */
  let suspendedAt: number | null = null;
  let isRemoved = false;
  const successes = { issued: 0, accepted: 0 };
  let seen = false;

  /** Of a user's own grants: each epoch below the sum was reached before one of the two ends. */
  const isOver = (subject: GrantSubject, { activation, withdrawn, disabled }: Ended) =>
    subject.kind === 'organization' ? subject.epoch <= activation : subject.epoch < withdrawn + disabled;
  const isRefused = (claims: AccessTokenClaims) =>
    judgeFence(claims, fence().seenByBearer(fenceSubjectsOf(claims), claims.subject.epoch)) !== null;
  const keyOf = ({ kind, epoch }: GrantSubject) => `${kind} ${epoch}`;
  const noteOver = (what: Ended) => {
    seen = false;
    const note = (subject: GrantSubject) => {
      if (isOver(subject, what) && !overAt.has(keyOf(subject))) overAt.set(keyOf(subject), log().length);
    };
    const { organizationId, userId } = prepared;
    for (let epoch = 0; epoch < 5; epoch += 1) {
      note({ kind: 'organization', organizationId, epoch });
      note({ kind: 'user', userId, epoch });
    }
  };

  return {
    successes,
    /** A token that was answered is watched from now on. */
    watch(claims: AccessTokenClaims) {
      tokens.push(claims);
      seen = false;
    },
    /** Whether whatever was answered would be refused right now. */
    refused: () => tokens.filter(isRefused).length,
    /** The fence has changed: issuing for an epoch that it has closed is over (P2). */
    fenceChanged: () => noteOver(fence().ended()),
    /** An end was answered: from now on nothing of before is accepted. */
    answered(what: keyof Ended, upTo: number) {
      ended[what] = Math.max(ended[what], upTo);
      noteOver(ended);
    },
    suspension(state: 'answered' | 'being lifted') {
      suspendedAt = state === 'answered' ? log().length : null;
      seen = false;
    },
    /** What the flows use was removed from the add-on (AM-12). */
    removed() {
      isRemoved = true;
    },
    /** What somebody who begins to ask for something now could have known. */
    asked: (subject: GrantSubject): Asked => ({
      isOver: overAt.has(keyOf(subject)),
      suspendedAt,
      isRemoved,
    }),
    /** P1: whatever began right now would be refused. */
    look() {
      if (seen) return;
      seen = true;
      for (const claims of tokens) {
        if (isRefused(claims)) continue;
        successes.accepted += 1;
        if (isOver(claims.subject, ended)) throw new Violation('P1: accepted after the answer');
        if (suspendedAt !== null) throw new Violation('SU-01: accepted while suspended');
      }
    },
    /** P2: what was answered with success was asked for, and appended, before the fence had closed. */
    issued({ grantId, subject }: Issued, asked: Asked, types: readonly string[]) {
      const place = log().findLastIndex(
        ({ stream, event }) => stream === `grant-${grantId}` && types.includes(event.type),
      );
      successes.issued += 1;
      if (asked.isOver || place >= (overAt.get(keyOf(subject)) ?? Infinity))
        throw new Violation('P2: issued after the fence had closed');
      const removal = log().findIndex(
        ({ stream, event }) => event.type === 'AddonUpdated' && stream === `addon-${prepared.addonId}`,
      );
      if (asked.isRemoved) throw new Violation('AM-12: issued after the answer to the removal');
      if (types.includes('AuthorizationCodeIssued') && removal >= 0 && place > removal)
        throw new Violation('AM-12: a code was answered whose event follows the removal');
      // Who asks while it is suspended may be answered once that is being lifted.
      if (suspendedAt !== null && (place >= suspendedAt || asked.suspendedAt === suspendedAt))
        throw new Violation('SU-01: issued while suspended');
    },
    /** What decides about the rest of a play, in addition to the log and the fence. */
    key: () => JSON.stringify([ended, suspendedAt, isRemoved, [...overAt], tokens.length]),
  };
};

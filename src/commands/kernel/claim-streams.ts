import { createHash } from 'node:crypto';
import { claimEmail, emailDecider, releaseEmail } from '../../domain/people/account.ts';
import type { Decider, Decision, Instant } from '../../domain/kernel/decision.ts';
import { normaliseEmail } from '../../domain/people/email.ts';
import type { DomainEvent } from '../../domain/events.ts';
import {
  claimExternalId,
  externalIdDecider,
  normaliseExternalId,
  releaseExternalId,
} from '../../domain/organizations/external-id.ts';
import { claimIdentity, identityDecider, releaseIdentity } from '../../domain/people/identity.ts';
import { emailStream, externalIdStream, identityStream, type StreamName } from '../../domain/streams.ts';
import type { EventMetadata } from '../../eventstore/event-store.ts';
import type { CommandContext } from './context.ts';
import type { CommandDependencies } from './dependencies.ts';
import type { AccountDependencies } from '../people/dependencies.ts';
import { load } from './handle.ts';
import { handleRetrying } from './handle-retrying.ts';

/** Who makes the change, and in which context. */
export type Change = { readonly context: CommandContext | undefined; readonly metadata: EventMetadata };

type Dependencies = Pick<CommandDependencies, 'store' | 'now'>;
type By = { readonly owner: string; readonly now: Instant };

type Kind<S, E> = {
  readonly streamOf: (value: string) => Promise<StreamName>;
  readonly decider: Decider<S, E>;
  readonly owner: (claim: S) => string | null;
  readonly claim: (claim: S, by: By) => Decision<E, string>;
  readonly release: (claim: S, by: By) => Decision<E>;
};

/** Who a value belongs to: a user id or an organization's, decided in the stream of the value. */
const makeClaimStreams = <S, E extends DomainEvent>(
  { store, now }: Dependencies,
  { streamOf, decider, owner: ownerIn, ...decisions }: Kind<S, E>,
) => {
  const decide = async (
    stream: StreamName,
    decision: (claim: S) => Decision<E, string>,
    change: Change,
  ): Promise<string | null> => {
    const { state } = await handleRetrying(store, stream, decider, decision, change);
    return ownerIn(state);
  };
  return {
    /** Null: nobody's. A free value costs the same reads as one that is taken. */
    ownerOf: async (value: string) => {
      const { state } = await load(store, await streamOf(value), decider);
      return ownerIn(state);
    },
    /** The first claim wins. @returns whose it is from now on */
    claim: async (value: string, owner: string, change: Change) => {
      const stream = await streamOf(value);
      return decide(stream, (claim) => decisions.claim(claim, { owner, now: now() }), change);
    },
    /** If it is this owner's. */
    release: async (value: string, owner: string, change: Change) => {
      const stream = await streamOf(value);
      await decide(stream, (claim) => decisions.release(claim, { owner, now: now() }), change);
    },
  };
};

export type ClaimStreams = ReturnType<typeof makeClaimStreams>;

/** Of normalised addresses. The stream is named by a digest under a key: nobody else can try addresses on it. */
export const addressStreams = (dependencies: Dependencies & Pick<AccountDependencies, 'persons'>) =>
  makeClaimStreams(dependencies, {
    streamOf: async (email) => emailStream(await dependencies.persons.emailDigest(normaliseEmail(email))),
    decider: emailDecider,
    owner: ({ userId }) => userId,
    claim: (claim, { owner: userId, now }) => claimEmail(claim, { userId, now }),
    release: (claim, { owner: userId, now }) => releaseEmail(claim, { userId, now }),
  });

/** Of identities, by their digest (`Persons.identityDigest`). */
export const identityStreams = (dependencies: Dependencies) =>
  makeClaimStreams(dependencies, {
    streamOf: (digest) => Promise.resolve(identityStream(digest)),
    decider: identityDecider,
    owner: ({ userId }) => userId,
    claim: (claim, { owner: userId, now }) => claimIdentity(claim, { userId, now }),
    release: (claim, { owner: userId, now }) => releaseIdentity(claim, { userId, now }),
  });

/** Of normalised external ids. The stream is named by a digest: names of streams are short ASCII. */
export const externalIdStreams = (dependencies: Dependencies) =>
  makeClaimStreams(dependencies, {
    streamOf: (externalId) => {
      const digest = createHash('sha256').update(normaliseExternalId(externalId)).digest('hex');
      return Promise.resolve(externalIdStream(digest));
    },
    decider: externalIdDecider,
    owner: ({ organizationId }) => organizationId,
    claim: (claim, { owner: organizationId, now }) => claimExternalId(claim, { organizationId, now }),
    release: (claim, { owner: organizationId, now }) => releaseExternalId(claim, { organizationId, now }),
  });

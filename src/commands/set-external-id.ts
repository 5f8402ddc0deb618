import {
  claimExternalId,
  externalIdDecider,
  externalIdProblem,
  normaliseExternalId,
  releaseExternalId,
} from '../domain/external-id.ts';
import { isUlid } from '../domain/ids.ts';
import { organizationDecider, setExternalId } from '../domain/organization.ts';
import { organizationStream } from '../domain/streams.ts';
import { byOperator } from './by-operator.ts';
import type { OrganizationChanged } from './change-organization.ts';
import type { CommandContext } from './context.ts';
import type { CommandDependencies } from './dependencies.ts';
import { streamOfExternalId } from './find-organization.ts';
import { handle, load } from './handle.ts';
import type { OutcomeWithProblems } from './outcome.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

export type SetExternalId = { readonly organizationId: string; readonly externalId: string };

type Dependencies = Pick<CommandDependencies, 'store' | 'now'>;

/**
 * Gives an organization the id by which the host platform knows it, in three steps that each can be repeated: the claim
 * on the id, the organization's event, and the release of the ids that it had before. After a crash in between, the same
 * request completes what is missing. The same id again changes nothing.
 */
export const makeSetExternalId =
  (dependencies: Dependencies) =>
  async (
    { organizationId, ...request }: SetExternalId,
    context?: CommandContext,
  ): Promise<
    OutcomeWithProblems<OrganizationChanged, 'organization-unknown' | 'external-id-taken' | 'invalid'>
  > => {
    const { store, now } = dependencies;
    const externalId = normaliseExternalId(request.externalId);
    const message = externalIdProblem(externalId);
    if (message !== null) return invalid('invalid', message);
    if (!isUlid(organizationId)) return unknown;
    const stream = organizationStream(organizationId);
    const { state } = await load(store, stream, organizationDecider);
    if (state.status === 'unknown') return unknown;
    const claim = makeClaim(dependencies, organizationId, context);
    const owner = await claim.take(externalId);
    if (owner !== organizationId)
      return invalid('external-id-taken', `belongs to the organization ${owner ?? 'that took it just now'}`);
    const set = await retryUnknownOutcome(() =>
      handle(
        store,
        stream,
        organizationDecider,
        (organization) => setExternalId(organization, { externalId, now: now() }),
        { context, ...byOperator() },
      ),
    );
    const earlier = set.state.status === 'created' ? set.state.earlierExternalIds : [];
    for (const former of earlier) await claim.release(former);
    // Somebody who replaced this id at the same time may have released it.
    await claim.take(externalId);
    return { ok: true, value: { changed: set.events.length > 0, position: set.position } };
  };

const unknown = { ok: false, refusal: 'organization-unknown' } as const;

const invalid = <R extends string>(refusal: R, message: string) =>
  ({ ok: false, refusal, problems: [{ field: 'external_id', message }] }) as const;

const makeClaim = (
  { store, now }: Dependencies,
  organizationId: string,
  context: CommandContext | undefined,
) => {
  const change = (externalId: string, decide: typeof claimExternalId | typeof releaseExternalId) =>
    retryUnknownOutcome(() =>
      handle(
        store,
        streamOfExternalId(externalId),
        externalIdDecider,
        (claim) => decide(claim, { organizationId, now: now() }),
        { context, ...byOperator() },
      ),
    );
  return {
    /** @returns the organization that the id belongs to */
    take: async (externalId: string) => (await change(externalId, claimExternalId)).state.organizationId,
    release: (externalId: string) => change(externalId, releaseExternalId),
  };
};

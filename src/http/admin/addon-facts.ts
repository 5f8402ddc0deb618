import type { Approval, Connections } from '../../projections/read-models.ts';
import type { Addon } from '../../commands/find-addon.ts';
import type { Activation, ActivationEpoch } from '../../commands/show-activation.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';

/** What an administrator may know about one add-on. */
export type AddonFacts = {
  readonly addon: Addon;
  /** From the stream: never older than an answer that was given. */
  readonly activation: Activation;
  /** The epoch that the rest is about; null before the first. */
  readonly epoch: ActivationEpoch | null;
  /** Whether all servers are known to refuse what the epoch gave out: the log alone does not say that the fence has closed. */
  readonly refusedEverywhere: boolean;
  /** From the read models, as those who follow; null when they are away or have not heard of the epoch. */
  readonly held: Connections | null;
  readonly approvals: readonly Approval[] | null;
  /** Of those who acted, as far as they are known. */
  readonly names: ReadonlyMap<string, string>;
};

/** A read model that is away keeps nobody from the facts of the log. */
const patience = 1_000;

/**
 * @param epochOf which epoch it is about; the present or last by default
 * @returns null for an add-on that does not exist
 */
export const addonFacts = async (
  { commands, readModels }: Pick<HttpDependencies, 'commands' | 'readModels'>,
  { organizationId, addonId }: { readonly organizationId: string; readonly addonId: string },
  epochOf: (activation: Activation) => number | undefined = () => undefined,
): Promise<AddonFacts | null> => {
  const [addon, activation] = await Promise.all([
    commands.findAddon(addonId),
    commands.showActivation(organizationId, addonId),
  ]);
  if (!addon) return null;
  const epoch = epochOf(activation) ?? activation.epoch;
  const about = activation.history.find((one) => one.epoch === epoch) ?? null;
  if (!about)
    return {
      addon,
      activation,
      epoch: null,
      refusedEverywhere: false,
      held: nothing,
      approvals: [],
      names: new Map(),
    };
  const actors = [about.activated.by, about.deactivated?.by].filter((by) => by !== undefined);
  const [refusedEverywhere, held, approvals, names] = await Promise.all([
    isFenceClosed(readModels, about),
    withTimeoutOrNull(patience, readModels.connections(organizationId, addonId, about.epoch)),
    withTimeoutOrNull(patience, readModels.approvals(organizationId, addonId, about.epoch)),
    withTimeoutOrNull(patience, readModels.namesOf(actors)),
  ]);
  return { addon, activation, epoch: about, refusedEverywhere, held, approvals, names: names ?? new Map() };
};

/**
 * A deactivation that was not answered may have ended between its event and the fence. The reaction closes the fence before it
 * does anything, and the projector in the transaction that takes the read models past the event.
 */
const isFenceClosed = async (
  readModels: HttpDependencies['readModels'],
  { deactivated, revokedGrants }: ActivationEpoch,
): Promise<boolean> => {
  if (!deactivated || revokedGrants !== null) return deactivated !== null;
  return (await withTimeoutOrNull(patience, readModels.waitFor(deactivated.position, 0))) ?? false;
};

const nothing: Connections = {
  liveGrants: 0,
  unredeemedCodes: 0,
  approvers: 0,
  scopes: [],
  lastTokenAt: null,
};

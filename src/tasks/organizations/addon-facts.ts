import type { Approval, Connections, ReadModels } from '../../projections/read-models.ts';
import type { Addon } from '../../commands/addons/find-addon.ts';
import type { Activation, ActivationEpoch } from '../../commands/organizations/show-activation.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import type { Services } from '../task.ts';

export type AddonFacts = {
  readonly addon: Addon;
  /** Read from the stream, so it is never older than a previous answer. */
  readonly activation: Activation;
  /** The epoch that the other fields describe; null before the first activation. */
  readonly epoch: ActivationEpoch | null;
  /** Whether all instances are known to refuse this epoch's tokens: the log alone does not tell. */
  readonly refusedEverywhere: boolean;
  /** From the read models; null when they are unavailable or do not know the epoch yet. */
  readonly held: Connections | null;
  readonly approvals: readonly Approval[] | null;
  /** Names of the people who activated and deactivated the add-on, where known. */
  readonly names: ReadonlyMap<string, string>;
};

export type AddonFactsDependencies = {
  readonly commands: Pick<Services['commands'], 'findAddon' | 'showActivation'>;
  readonly readModels: Pick<ReadModels, 'approvals' | 'connections' | 'namesOf' | 'waitFor'>;
};

/** How long to wait for the read models, in milliseconds. Without them the page still shows the facts of the log. */
const patience = 1_000;

/** @param epochOf by default the current or last one @returns null for an add-on that does not exist */
export const addonFacts = async (
  { commands, readModels }: AddonFactsDependencies,
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

/** A deactivation without an answer may have missed the fence: the reaction closes it first, the projector with the read models. */
const isFenceClosed = async (
  readModels: Pick<ReadModels, 'waitFor'>,
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
  notRevoked: 0,
};

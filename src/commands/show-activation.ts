import { activationDecider } from '../domain/activation.ts';
import { isUlid } from '../domain/ids.ts';
import { activationStream } from '../domain/streams.ts';
import type { Commands } from './commands.ts';
import { load } from './handle.ts';
import type { CommandNeeds } from './needs.ts';

/** Reads the activation from its stream, so it is never older than an answer that was given. */
export const makeShowActivation =
  ({ store }: Pick<CommandNeeds, 'store'>): Commands['showActivation'] =>
  async (organizationId, addonId) => {
    if (!isUlid(organizationId) || !isUlid(addonId)) return { status: 'never-activated', epoch: 0 };
    const { state } = await load(store, activationStream(organizationId, addonId), activationDecider);
    return { status: state.status, epoch: state.epoch };
  };

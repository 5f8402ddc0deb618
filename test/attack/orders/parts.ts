import type { UpdateAddon } from '../../../src/commands/addons/update-addon.ts';
import type { EventType } from '../../../src/domain/events.ts';
import { comparePositions, type Position } from '../../../src/eventstore/event-store.ts';
import type { Wire } from './instances.ts';
import { prepared } from './prepared.ts';
import { everyEpoch } from './shared-fence.ts';
import type { Actor, Part } from './stage.ts';
import type { World } from './world.ts';

const { addonId, organizationId, userId } = prepared;

export type Trouble = { readonly diesAfter?: number | undefined; readonly wire?: Wire | undefined };

/** Somebody who asks until there is an answer: a process that dies on the way is followed by another one. */
export const insist = (
  world: World,
  name: string,
  diesAfter: number | undefined,
  ask: (actor: Actor) => Promise<void>,
): void => {
  const first: Part = async (actor, died) => {
    const isAnswered = await Promise.race([ask(actor).then(() => true), died.then(() => false)]);
    if (!isAnswered) world.stage.enter(`${name} again`, ask);
  };
  world.stage.enter(name, first, diesAfter);
};

/** An administrator deactivates the add-on. */
export const deactivate = (world: World, { diesAfter, wire }: Trouble = {}): void =>
  insist(world, 'deactivator', diesAfter, async (actor) => {
    const asked = { addonId, organizationId, by: userId };
    const answer = await world.instance(actor, 'command', wire).deactivateAddon(asked);
    if (answer.ok) world.judge.answered('activation', answer.value.epoch);
  });

/** An operator closes the organization. */
export const close = (world: World, { diesAfter, wire }: Trouble = {}): void =>
  insist(world, 'operator', diesAfter, async (actor) => {
    const answer = await world.instance(actor, 'command', wire).closeOrganization({ organizationId });
    if (answer.ok) world.judge.answered('activation', everyEpoch);
  });

/** Another administrator activates it again, at any time; `then` goes on in the epoch that was answered. */
export const activate = (world: World, then: (actor: Actor, epoch: number) => Promise<void>): void =>
  world.stage.enter('activator', async (actor) => {
    const asked = { addonId, organizationId, by: userId, sessionId: null };
    const answer = await world.instance(actor, 'command').activateAddon(asked);
    if (answer.ok) await then(actor, answer.value.epoch);
  });

/** The user takes back the consent to see the own data. */
export const withdraw = (world: World, { diesAfter, wire }: Trouble = {}): void =>
  insist(world, 'user', diesAfter, async (actor) => {
    const answer = await world.instance(actor, 'command', wire).withdrawConsent({ userId, addonId });
    if (answer.ok)
      world.judge.answered('withdrawn', countUpTo(world, 'ConsentWithdrawn', answer.value.position));
  });

/** An operator disables the user's account. */
export const disable = (world: World, { diesAfter, wire }: Trouble = {}): void =>
  insist(world, 'operator', diesAfter, async (actor) => {
    const answer = await world.instance(actor, 'command', wire).disableUser(userId);
    if (answer.ok)
      world.judge.answered('disabled', countUpTo(world, 'AccountDisabled', answer.value.position));
  });

/** An operator enables the account, at any time. */
export const enable = (world: World): void =>
  world.stage.enter('another operator', async (actor) => {
    await world.instance(actor, 'command').enableUser(userId);
  });

const countUpTo = ({ log }: World, type: EventType, upTo: Position | null): number =>
  log
    .all()
    .filter(({ event, position }) => event.type === type && upTo && comparePositions(position, upTo) <= 0)
    .length;

/** An operator suspends the add-on; when that was answered, another one lifts it, at any time. */
export const suspend = (world: World, { diesAfter, wire }: Trouble = {}): void => {
  let isAnswered = false;
  insist(world, 'operator', diesAfter, async (actor) => {
    const { ok } = await world.instance(actor, 'command', wire).suspendAddon(addonId);
    if (ok) world.judge.suspension('answered');
    isAnswered = ok;
  });
  world.stage.enter('another operator', async (actor) => {
    await actor.turn('thinks again', () => world.judge.suspension('being lifted'), {
      when: () => isAnswered,
    });
    await world.instance(actor, 'command').resumeAddon(addonId);
  });
};

/** An operator removes from the add-on what the flows under way use. */
export const remove = (
  world: World,
  changes: Omit<UpdateAddon, 'addonId'>,
  { diesAfter, wire }: Trouble = {},
): void =>
  insist(world, 'operator', diesAfter, async (actor) => {
    const answer = await world.instance(actor, 'command', wire).updateAddon({ addonId, ...changes });
    if (answer.ok) world.judge.removed();
  });

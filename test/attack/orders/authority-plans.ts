import { closeOrganization } from '../../../src/tasks/organizations/close-organization.ts';
import type { Services } from '../../../src/tasks/task.ts';
import { livingTokens, administratorTokenDecider } from '../../../src/domain/people/administrator-token.ts';
import { addonDecider, type AddonEvent } from '../../../src/domain/addons/addon.ts';
import { accountDecider, type AccountEvent } from '../../../src/domain/people/account.ts';
import { fold } from '../../../src/domain/kernel/decision.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { isOperator } from '../../../src/domain/people/operators.ts';
import { t0 } from '../../support/scenes/grants.ts';
import type { Plan } from './explore.ts';
import { Violation } from './judge.ts';
import type { People } from './instances.ts';
import { deactivate, insist, type Trouble } from './parts.ts';
import { placeOf, settingWith, settled } from './people.ts';
import { prepared } from './prepared.ts';
import type { Actor } from './stage.ts';
import type { World } from './world.ts';

const { addonId, organizationId, userId } = prepared;

/** How often somebody succeeded, so that a service that refuses everything is noticed. */
export type Tally = { succeeded: number };

/** Whether the removal of the administrator was answered. */
type Removal = { isAnswered: boolean };

const remove = (world: World, { diesAfter, wire }: Trouble): Removal => {
  const removal = { isAnswered: false };
  insist(world, 'operator', diesAfter, async (actor) => {
    const asked = { organizationId, userId };
    const { ok } = await world.instance(actor, 'command', wire).removeAdministrator(asked);
    if (!ok) throw new Violation('the removal was refused');
    removal.isAnswered = true;
  });
  return removal;
};

/** What the administrator asks for after the answer is refused, and what was answered is in the log before the removal. */
const judged = (world: World, began: boolean, place: number, what: string): void => {
  if (began) throw new Violation(`AC-04: ${what} after the removal of its administrator was answered`);
  const removed = placeOf(world, 'AdministratorRemoved');
  if (removed >= 0 && place > removed)
    throw new Violation(`AC-04: ${what} was answered whose event follows the removal`);
};

const click = (actor: Actor, removal: Removal): Promise<boolean> =>
  actor.turn('clicks', () => removal.isAnswered, { saw: String });

/** A consent is under way while the administrator who gives it is removed. */
export const approval =
  (tally: Tally, secondLook = true) =>
  (trouble: Trouble): Plan => ({
    setting: settingWith(),
    cast(world) {
      const removal = remove(world, trouble);
      world.stage.enter('administrator', async (actor) => {
        const began = await click(actor, removal);
        if (!(await world.instance(actor, 'issuer').mayApproveFor(organizationId, userId))) return;
        const code = await world.issueCode(actor, 'organization', 1, { asAdministrator: secondLook });
        if (code === null) return;
        const stream = `grant-${prepared.grantIdOf('code', code)}`;
        judged(world, began, placeOf(world, 'AuthorizationCodeIssued', stream), 'a code');
        tally.succeeded += 1;
        await world.exchange(actor, code);
      });
    },
  });

/** An activation, with a session or a token, while its administrator is removed; somebody else deactivates. */
export const activation =
  (tally: Tally, secondLook = true) =>
  (trouble: Trouble): Plan => ({
    setting: settingWith(),
    cast(world) {
      deactivate(world);
      const removal = remove(world, trouble);
      world.stage.enter('administrator', async (actor) => {
        const began = await click(actor, removal);
        const by = world.instance(actor, 'command');
        if (!(await by.isAdministrator(organizationId, userId))) return;
        const asked = { addonId, organizationId, by: userId, sessionId: null, asAdministrator: secondLook };
        const answer = await by.activateAddon(asked);
        if (!answer.ok) return;
        judged(world, began, placeOf(world, 'AddonActivated'), 'an activation');
        tally.succeeded += 1;
      });
    },
  });

/** Administrator tokens: one is in use, and another one is made, while their user is removed. */
export const tokens =
  (tally: Tally) =>
  (trouble: Trouble): Plan => ({
    setting: settingWith(),
    cast(world) {
      const removal = remove(world, trouble);
      const use = async (actor: Actor, token: string) => {
        const began = await click(actor, removal);
        const read = await world.instance(actor, 'command').readAdministratorToken(token);
        if (read.ok && began) throw new Violation('AC-04: a token works after the answer to the removal');
        tally.succeeded += read.ok ? 1 : 0;
      };
      world.stage.enter('program', (actor) => use(actor, settled.token));
      world.stage.enter('administrator', async (actor) => {
        const began = await click(actor, removal);
        const asked = { userId, organizationId, name: 'another', days: 1, by: userId };
        const made = await world.instance(actor, 'command').issueAdministratorToken(asked);
        if (!made.ok) return;
        judged(world, began, -1, 'a token');
        await use(actor, made.value.token);
      });
    },
    atEnd({ log }) {
      const living = livingTokens(
        fold(administratorTokenDecider, eventsOf(log, `administratorTokens-${userId}`)),
        {
          now: t0,
          ended: new Set(),
        },
      );
      if (living.length > 0) throw new Violation('AC-04: a token of a former administrator lives on');
    },
  });

/** A member of a publisher adds a secret and proposes a change of its add-on while the membership ends. `isFree`: nobody has to approve. */
export const publishing =
  (tally: Tally, secondLook = true, isFree = false) =>
  (trouble: Trouble): Plan => ({
    setting: settingWith(),
    cast(world) {
      const { publisherId, published } = settled;
      const removal = { isAnswered: false };
      insist(world, 'operator', trouble.diesAfter, async (actor) => {
        const by = world.instance(actor, 'command', trouble.wire);
        if (!(await by.removePublisherMember({ publisherId, userId })).ok)
          throw new Violation('the removal was refused');
        removal.isAnswered = true;
      });
      const asked = { addonId: published, member: { userId, byClaim: true } };
      const act = (what: string, type: 'AddonSecretAdded' | 'AddonChangeRequested') =>
        world.stage.enter(what, async (actor) => {
          const began = await click(actor, removal);
          const by = world.instance(actor, 'command');
          const answer = await (type === 'AddonChangeRequested'
            ? by.proposeAddonChange({ ...asked, isFree, website: 'https://bells.example/' })
            : secondLook
              ? by.addOwnAddonSecret(asked)
              : addedUnseen(by, published));
          if (!answer.ok) return;
          if (began) throw new Violation(`AP-10: ${what} after the removal of the member was answered`);
          const removed = placeOf(world, 'PublisherMemberRemoved');
          if (removed >= 0 && placeOf(world, type) > removed)
            throw new Violation(`AP-10: ${what} was answered whose event follows the removal`);
          tally.succeeded += 1;
        });
      act('a secret', 'AddonSecretAdded');
      if (secondLook) act('a change', 'AddonChangeRequested');
    },
    atEnd({ log }) {
      const state = fold(addonDecider, eventsOf<AddonEvent>(log, `addon-${settled.published}`));
      const removed = log.all().findIndex(({ event }) => event.type === 'PublisherMemberRemoved');
      const late = log.all().slice(removed);
      const isLeft = late.some(
        ({ event }) =>
          state.status !== 'unregistered' &&
          ((event.type === 'AddonSecretAdded' &&
            state.secrets.some(({ secretId }) => secretId === event.data.secretId)) ||
            (event.type === 'AddonChangeRequested' &&
              state.changes.some(
                ({ changeId, state: of }) => changeId === event.data.changeId && of !== 'withdrawn',
              ))),
      );
      if (removed >= 0 && isLeft) throw new Violation('AP-10: what a former member did is left');
    },
  });

/** Without the second look. */
const addedUnseen = async (
  by: ReturnType<World['instance']>,
  addonId: string,
): Promise<{ readonly ok: boolean }> =>
  (await by.isPublisherMember(settled.publisherId, userId)) ? by.addAddonSecret(addonId) : { ok: false };

const eventsOf = <E extends DomainEvent>(log: World['log'], stream: string): readonly E[] =>
  log.all().flatMap((recorded) => (recorded.stream === stream ? [recorded.event as E] : []));

/** The last two operators are ended at once, while something else happens to the account of one. */
export const operators =
  (tally: Tally, broken?: People['broken']) =>
  (trouble: Trouble): Plan => ({
    setting: settingWith(broken),
    cast(world) {
      const { olga, otto } = settled;
      insist(world, 'operator', trouble.diesAfter, async (actor) => {
        const by = world.instance(actor, 'command', trouble.wire);
        tally.succeeded += (await by.removeRole({ userId: olga, role: 'operator' })).ok ? 1 : 0;
      });
      world.stage.enter('another operator', async (actor) => {
        tally.succeeded += (await world.instance(actor, 'command').disableUser(otto)).ok ? 1 : 0;
      });
      world.stage.enter('third operator', async (actor) => {
        await world.instance(actor, 'command').updateUser({ userId: olga, name: 'Olga King' });
      });
    },
    atEnd({ log }) {
      const left = [settled.olga, settled.otto].filter((id) =>
        isOperator(fold(accountDecider, eventsOf<AccountEvent>(log, `account-${id}`))),
      );
      if (left.length !== 1) throw new Violation(`AM-11: ${left.length} operators are left`);
    },
  });

/** An organization is closed while somebody deactivates its add-on and an administrator activates it again. */
export const closing =
  (tally: Tally) =>
  (trouble: Trouble): Plan => ({
    setting: settingWith(),
    cast(world) {
      deactivate(world);
      insist(world, 'operator', trouble.diesAfter, async (actor) => {
        const services = servicesOf(world, actor, trouble);
        const closed = await closeOrganization(services, organizationId, { traceparent: '' });
        if (!closed.ok) throw new Violation('the close was refused');
        const epoch = epochsOf(world, 'AddonActivated');
        if (epoch > epochsOf(world, 'AddonDeactivated')) throw new Violation('AM-10: active after the close');
        world.judge.answered('activation', epoch);
      });
      world.stage.enter('administrator', async (actor) => {
        const asked = { addonId, organizationId, by: userId, sessionId: null, asAdministrator: true };
        const answer = await world.instance(actor, 'command').activateAddon(asked);
        if (!answer.ok) return;
        const closed = placeOf(world, 'OrganizationClosed');
        if (closed >= 0 && placeOf(world, 'AddonActivated') > closed)
          throw new Violation('AM-10: an activation was answered whose event follows the close');
        tally.succeeded += 1;
      });
    },
    atEnd(world) {
      if (epochsOf(world, 'AddonActivated') !== epochsOf(world, 'AddonDeactivated'))
        throw new Violation('AM-10: an add-on is active for a closed organization');
    },
  });

const epochsOf = ({ log }: World, type: 'AddonActivated' | 'AddonDeactivated'): number =>
  Math.max(0, ...log.all().flatMap(({ event }) => (event.type === type ? [event.data.epoch] : [])));

/** The read models have caught up by the time they are asked: `waitFor` says so. */
const servicesOf = (world: World, actor: Actor, { wire }: Trouble): Services => {
  const readModels = {
    waitFor: () => Promise.resolve(true),
    beginCount: () => () => Promise.resolve(null),
    addonsActivatedFor: () =>
      actor.turn('asks for add-ons', () => (epochsOf(world, 'AddonActivated') > 0 ? [addonId] : []), {
        saw: String,
      }),
  };
  const commands = world.instance(actor, 'command', wire);
  return { commands, readModels, settle: () => Promise.resolve() } as unknown as Services;
};

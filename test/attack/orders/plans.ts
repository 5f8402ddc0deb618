import type { Plan } from './explore.ts';
import { Violation } from './judge.ts';
import {
  activate,
  close,
  deactivate,
  disable,
  enable,
  remove,
  suspend,
  withdraw,
  type Trouble,
} from './parts.ts';
import { react } from './reaction.ts';
import { settingWith } from './people.ts';
import { reckon } from './reckoning.ts';
import { prepared } from './prepared.ts';
import { project, rebuild } from './workers.ts';
import type { World } from './world.ts';
import { terms } from '../../support/scenes/grants.ts';

const { organization, own } = prepared;

const refresher = (world: World, { pair } = organization, trouble: Trouble = {}) =>
  world.stage.enter('refresher', async (actor) => {
    await world.refresh(actor, pair.refreshToken, trouble.wire);
  });
const exchanger = (world: World, { code } = organization, trouble: Trouble = {}) =>
  world.stage.enter('exchanger', async (actor) => {
    await world.exchange(actor, code, trouble.wire);
  });
const approver = (world: World, kind: 'organization' | 'user', epoch: number) =>
  world.stage.enter('approver', async (actor) => {
    const code = await world.issueCode(actor, kind, epoch);
    if (code !== null) await world.exchange(actor, code);
  });

/** Two issuers, somebody who deactivates and somebody who activates again. */
const issuers = (trouble: Trouble, theirs: Trouble = {}): Plan => ({
  cast(world) {
    refresher(world, organization, theirs);
    exchanger(world, organization, theirs);
    deactivate(world, trouble);
    activate(world, async () => {});
  },
});

/** Everybody who writes the fence. */
const writers = (trouble: Trouble): Plan => ({
  cast(world) {
    deactivate(world, trouble);
    activate(world, async () => {});
    project(world);
    rebuild(world);
  },
});

/** A code is being issued while its epoch ends, and exchanged when it was answered. */
const codes = (trouble: Trouble): Plan => ({
  cast(world) {
    approver(world, 'organization', 1);
    deactivate(world, trouble);
    activate(world, async () => {});
  },
});

/** Whoever asks what a token is good for, of both kinds. */
const introspection = (trouble: Trouble): Plan => ({
  cast(world) {
    const subject = world.subjectOf(prepared.claims[0]?.grantId ?? '');
    for (const token of [organization.pair.accessToken, organization.pair.refreshToken])
      world.stage.enter('resource server', (actor) => world.introspect(actor, token, subject));
    deactivate(world, trouble);
    activate(world, async () => {});
  },
});

/** The organization is closed while its add-on is used; authority-plans.ts also deactivates and activates it. */
const closing = (trouble: Trouble): Plan => ({
  setting: settingWith(),
  cast(world) {
    refresher(world);
    approver(world, 'organization', 1);
    close(world, trouble);
  },
});

/** After a closing nobody deactivates the add-on: the reaction does, and dies on the way. */
const closed = ({ diesAfter }: Trouble, theirs: Trouble = {}): Plan => ({
  setting: settingWith(),
  cast(world) {
    world.stage.enter('approver', async (actor) => void (await world.issueCode(actor, 'organization', 1)));
    close(world, theirs);
    react(world, project(world), diesAfter);
  },
  atEnd(world) {
    reckon(world);
    if (!world.log.all().some(({ event }) => event.type === 'AddonDeactivated'))
      throw new Violation('AM-10: an add-on is active for a closed organization');
  },
});

/** A user's own grants, and the user takes the consent back. */
const consent = (trouble: Trouble): Plan => ({
  cast(world) {
    refresher(world, own);
    approver(world, 'user', 0);
    withdraw(world, trouble);
  },
});

/** A user's own grants, and an operator disables the account, and enables it again. */
const account = (trouble: Trouble): Plan => ({
  cast(world) {
    refresher(world, own);
    exchanger(world, own);
    disable(world, trouble);
    enable(world);
  },
});

/** An operator suspends the add-on, and lifts that later: what was refused works again, and nothing has ended. */
const suspension = (trouble: Trouble): Plan => ({
  cast(world) {
    refresher(world);
    exchanger(world);
    suspend(world, trouble);
  },
  atEnd({ judge, log }) {
    if (judge.refused() > 0) throw new Violation('SU-01: refused after the suspension was lifted');
    if (log.all().some(({ event }) => event.type === 'GrantRevoked'))
      throw new Violation('SU-01: a suspension has ended a grant');
  },
});

/** A code is being issued, and another one exchanged, while an operator removes what they use from the add-on (AM-12). */
const removal =
  (changes: Parameters<typeof remove>[1]) =>
  (trouble: Trouble): Plan => ({
    cast(world) {
      exchanger(world);
      approver(world, 'organization', 1);
      remove(world, changes, trouble);
    },
  });

const redirectUri = removal({
  addRedirectUris: ['https://addon.example/another'],
  removeRedirectUris: [terms.redirectUri],
});
const scope = removal({ scopes: ['profiles:read'] });

/** The reaction dies on the way and begins again, while a code is issued and its epoch ends; the read models lag. */
const reaction = ({ diesAfter }: Trouble, theirs: Trouble = {}): Plan => ({
  cast(world) {
    world.stage.enter('approver', async (actor) => void (await world.issueCode(actor, 'organization', 1)));
    deactivate(world, theirs);
    react(world, project(world), diesAfter);
  },
  atEnd: reckon,
});

export const plans = {
  issuers,
  writers,
  codes,
  introspection,
  closing,
  closed,
  consent,
  account,
  suspension,
  redirectUri,
  scope,
  reaction,
};

/** Everybody at once. */
export const everybody = (trouble: Trouble, theirs: Trouble): Plan => ({
  cast(world) {
    refresher(world, organization, theirs);
    refresher(world);
    exchanger(world, organization, theirs);
    approver(world, 'organization', 1);
    refresher(world, own);
    approver(world, 'user', 0);
    deactivate(world, trouble);
    activate(world, async (actor, epoch) => {
      const code = await world.issueCode(actor, 'organization', epoch);
      if (code !== null) await world.exchange(actor, code);
    });
    withdraw(world, trouble);
    react(world, project(world), theirs.diesAfter);
    rebuild(world);
  },
  atEnd: reckon,
});

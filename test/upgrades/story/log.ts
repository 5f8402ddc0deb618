import { expect } from 'vitest';
import { removeOverdue } from '../../../src/audit/retention/remove-streams.ts';
import { newestRemoval } from '../../../src/audit/retention/removals.ts';
import { headBefore } from '../../../src/audit/log-heads/log-state.ts';
import { addonTokenStream } from '../../../src/domain/streams.ts';
import { makeTileTable } from '../../../src/projections/log-guard/log-tiles-table.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { days } from '../../support/scenes/grants.ts';
import type { Addons } from './addons.ts';
import type { Story } from './story.ts';

const place = { topic: 'dead-letters', partition: 0, organizationId: null, by: 'operator' };
const resent = (offset: string) => ({ ...place, offset, to: 'host.profiles', writtenAt: 1 });
const expired = { records: 'profiles', topic: 'host.profiles', partition: 0 } as const;
const swap = (version: number) => ({
  projection: 'profiles',
  previousVersion: version - 1,
  version,
  at: version,
});
const parked = (eventId: string) => ({ projection: 'commands', key: 'addon-X', eventId });
const { signal } = new AbortController();

/** deadLetters, expiredMessages, projection, signingKey, logHead */
export const beginLog = async ({ running, step, says }: Story) => {
  const { commands, logHeads, signingKeys } = running.core;
  const letters = async () => (await commands.resentDeadLetters()).resent.size;
  await step('a dead letter is resent', () => commands.noteDeadLettersResent([resent('1')]));
  await step('and shown', () => commands.noteDeadLetterShown({ ...place, offset: '1' }));
  await step('and another is resent', () => commands.noteDeadLettersResent(['1', '2'].map(resent)));
  await says('both are known', letters, 2);
  await step('messages expired', () => commands.noteExpired({ ...expired, from: 1n, until: 5n }));
  await step('which is confirmed', () => commands.confirmExpired('profiles'));
  for (const version of [2, 3]) await step('a read model is swapped', () => commands.noteSwap(swap(version)));
  for (const eventId of ['E1', 'E2'])
    await step('an event is skipped', () => commands.skipParkedEvent(parked(eventId)));
  await says('a signing key is made', async () => (await signingKeys.rotate('RS256')).ok, true);
  const first = await step('a head is signed', () => logHeads.sign(signal));
  const second = await step('and another', () => logHeads.sign(signal));
  expect(second?.previousSize).toBe(first?.size);
  for (const head of [first, second])
    await says(
      'both are found',
      async () => (await headBefore(running.core.store, head?.at ?? 0))?.root,
      head?.root,
    );
};

export const goOnWithLog = async ({ running, step, says }: Story) => {
  const { commands, logHeads, signingKeys } = running.core;
  await step('a dead letter is resent', () => commands.noteDeadLettersResent([resent('3')]));
  await says('all are known', async () => (await commands.resentDeadLetters()).resent.size, 3);
  await step('messages expired', () => commands.noteExpired({ ...expired, from: 7n, until: 9n }));
  await says('all are known', async () => (await commands.expiredMessages()).found.length, 2);
  await step('a read model is swapped', () => commands.noteSwap(swap(4)));
  await says('a signing key is made', async () => (await signingKeys.rotate('ES256')).ok, true);
  const keys = await step('all are listed', () => signingKeys.list());
  expect(keys.map(({ alg }) => alg)).toContain('ES256');
  expect(keys.filter(({ publishedAt }) => publishedAt === null)).toEqual([]);
  const head = await step('the newest head is read', () => logHeads.newest());
  const next = await step('the next is signed', () => logHeads.sign(signal));
  expect(next?.previousSize).toBe(head?.size);
};

/** Of an add-on; the newer version does not write to its stream. */
const takeToken = async ({ running, newer, done }: Story, { addonId, secretId }: Addons) => {
  const { commands } = running.core;
  const ask = { addonId, secretId, scopes: ['ssf.read'] } as const;
  const { accessToken } = await done('an add-on takes a token', () => commands.issueAddonToken(ask));
  const { tokenId = '' } = commands.readAddonToken(accessToken) ?? {};
  newer.leaveAlone(addonTokenStream(tokenId));
  return tokenId;
};

/** retention: what it does not know in full stays. */
export const removeOne = async (story: Story, addons: Addons) => {
  const { running, newer, step } = story;
  const { logHeads, store, reader } = running.core;
  const [tokenId, other] = [await takeToken(story, addons), await takeToken(story, addons)];
  await newer.writeOfVersion99(addonTokenStream(other), 'AddonTokenRevoked');
  await logHeads.keepTree(await logHeads.tree(signal));
  await step('a head is signed', () => logHeads.sign(signal));
  const tiles = makeTileTable((statement, values) => reader.query(statement, values));
  const overdue = { store, tiles, logger: quietLogger(), now: () => Date.now() + days(1000), keepMs: 0 };
  await step('what is overdue is removed', () =>
    removeOverdue(overdue, null, signal, () => Promise.resolve()),
  );
  expect((await newestRemoval(store))?.streams.map(({ id }) => id)).toEqual([tokenId]);
};

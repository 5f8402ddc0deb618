import { afterAll, expect, test } from 'vitest';
import { makeRevokeOnDeactivation } from '../../src/reactions/revoke-on-deactivation.ts';
import { readEpochGrants } from '../../src/projections/access/grants-to-end.ts';
import { startReaction } from '../../src/reactions/reaction.ts';
import { issuanceOver } from '../support/memory/issuance.ts';
import { valueOf } from '../support/outcomes.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { testEventStore } from '../support/servers/test-event-store.ts';
import { startTestProjector } from '../support/log/test-projector.ts';

const [side, store] = await Promise.all([testReadModels(), testEventStore()]);
const projector = startTestProjector({ databaseUrl: side.database.url, log: store });
afterAll(async () => {
  await projector.stop();
  await store.close();
  await side.close();
});

test('P2, DE-04: of codes that race a deactivation on two instances, each that was answered is ended and counted', async () => {
  const { fence } = side;
  const over = issuanceOver({ store, fence });
  await over.prepare();
  valueOf(await over.activate());
  const { organizationId, addonId, instance, commands } = over;
  const subject = { kind: 'organization', organizationId, epoch: 1 } as const;
  const instances = [commands, instance()];
  const answered: string[] = [];
  const refused: string[] = [];
  const issuers = Array.from({ length: 8 }, async (_, index) => {
    while (refused.length <= index) {
      const outcome = await over.issueOutcome({ subject }, instances[index % 2]);
      if (outcome.ok) answered.push(over.grantIdOf(outcome.value.code));
      else refused.push(outcome.refusal);
    }
  });
  await expect.poll(() => answered.length).toBeGreaterThan(8);
  const epochGrants = readEpochGrants(side.reader, { log: store, progress: side.progress });
  const reaction = startReaction({
    databaseUrl: side.database.url,
    log: store,
    logger: quietLogger(),
    name: 'revoke-on-deactivation',
    eventTypes: ['AddonDeactivated'],
    handle: makeRevokeOnDeactivation({ store, fence, now: () => Date.now(), epochGrants }),
  });
  valueOf(await over.deactivate());
  await Promise.all(issuers);
  const activation = async () => (await store.read(`activation-${organizationId}.${addonId}`)).events;
  await expect.poll(async () => (await activation()).at(-1)?.event.type).toBe('RevocationCompleted');
  await reaction.stop();
  const completed = (await activation()).at(-1)?.event;
  const ends = await Promise.all(
    answered.map(async (grantId) =>
      (await store.read(`grant-${grantId}`)).events.map(({ event }) => event.type),
    ),
  );
  expect(ends.map((types) => types.at(-1))).toEqual(answered.map(() => 'GrantRevoked'));
  expect(ends.every((types) => types.filter((type) => type === 'GrantRevoked').length === 1)).toBe(true);
  if (completed?.type !== 'RevocationCompleted') throw new Error('not completed');
  expect(completed.data.grants).toBeGreaterThanOrEqual(answered.length);
  expect(new Set(refused)).toEqual(new Set(['addon-not-active']));
});

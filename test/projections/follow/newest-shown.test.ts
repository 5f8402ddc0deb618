import { expect, test } from 'vitest';
import { accountStream, organizationStream } from '../../../src/domain/streams.ts';
import { newestShown } from '../../../src/projections/follow/newest-shown.ts';
import { patience } from '../../support/patience.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';

test('of an event that no read model applies nothing is waited for, of one that they apply no later one', async () => {
  const store = memoryStore();
  const append = async (name: string) => {
    const event = { type: 'OrganizationCreated', data: { organizationId: name, name, at: 1 } } as const;
    return store.append(organizationStream(name), 'no-stream', [{ event }]);
  };
  const readModels = { checkpoint: () => Promise.resolve(null) };
  const data = { counter: 'account-and-address', failures: 5, until: 2, at: 1 } as const;
  const noted = await store.append(accountStream('A1'), 'no-stream', [
    { event: { type: 'SignInBlocked', data } },
  ]);
  const { position } = noted as Extract<typeof noted, { ok: true }>;
  expect(await newestShown(store, readModels, 10_000, position)).toBeNull();
  const [first, second] = [await append('O1'), await append('O2')];
  expect(first).toMatchObject({ position: await newestShown(store, readModels, 10_000, position) });
  expect(second).toMatchObject({ position: await newestShown(store, readModels, patience) });
});

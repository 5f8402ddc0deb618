import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeNoteSwap } from '../../../src/commands/log/note-swap.ts';
import { patience } from '../../support/patience.ts';
import { valueOf } from '../../support/outcomes.ts';
import { newAddon } from '../../support/registering.ts';
import { drop } from '../../../src/projections/rebuild/drop.ts';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import { rebuildables } from '../../../src/projections/rebuild/rebuildables.ts';
import type { RebuildDependencies } from '../../../src/projections/rebuild/session.ts';
import { swap } from '../../../src/projections/rebuild/swap.ts';
import { verify } from '../../../src/projections/rebuild/verify.ts';
import { mintAccessToken } from '../../../src/commands/credentials/access-token.ts';
import { startHttpApp, type OwnHttpApp } from '../../support/scenes/http-app.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

const keys = { current: 'k1', keys: new Map([['k1', randomBytes(32)]]) };
const store = memoryStore();
let http: OwnHttpApp;
let organizationId: string;
let addonId: string;
let needs: RebuildDependencies;

const records = 60;
const put = async (id: string) =>
  valueOf(
    await http.commands.recordProfile({
      organizationId,
      id,
      version: 1,
      record: { name: id, email: 'a@example.com', userId: null, phone: null, locale: null, externalId: null },
    }),
  );

beforeAll(async () => {
  http = await startHttpApp({ keys, store, projector: { lingerMs: 0 } });
  ({ organizationId } = valueOf(await http.commands.createOrganization({ name: 'Harbour' })));
  ({ clientId: addonId } = await newAddon(http.commands));
  for (let n = 0; n < records; n += 1) await put(`first_${n}`);
  await http.settle();
  needs = {
    databaseUrl: http.database.url,
    log: store,
    noteSwap: makeNoteSwap({ store }),
    logger: quietLogger(),
    now: () => Date.now(),
    signal: new AbortController().signal,
  };
});
afterAll(() => http.close());

type Page = {
  readonly items: readonly { readonly id: string }[];
  readonly _links: readonly { readonly rel: string; readonly href: string }[];
};

test('LI-03: no request fails and no walk loses or repeats a record while read models are swapped', async () => {
  const subject = { kind: 'organization', organizationId, epoch: 1 } as const;
  const by = 'break-glass';
  const activate = () => http.commands.activateAddon({ organizationId, addonId, by, sessionId: null });
  valueOf(await activate());
  const token = mintAccessToken(
    keys,
    { keyId: keys.current, salt: 'salt' },
    {
      grantId: 'G1',
      rotation: 0,
      expiresAt: Date.now() + 3_600_000,
      addonId,
      userId: 'U1',
      subject,
      scopes: ['profiles:read'],
      audience: { ownApi: true, among: 1 },
    },
  );
  const server = http.another();
  const names = rebuildables.filter(({ group }) => group === 'read-models').map(({ name }) => name);
  let swapping = true;
  const failures: unknown[] = [];
  let [walks, requests, added] = [0, 0, 0];

  const get = async (url: string): Promise<Page | null> => {
    requests += 1;
    const answer = await server.inject({ url, headers: { authorization: `Bearer ${token}` } });
    if (answer.statusCode === 200) return answer.json<Page>();
    failures.push([url, answer.statusCode, answer.body]);
    return null;
  };
  const walker = async (direction: 'next' | 'prev', first: string) => {
    while (swapping) {
      const seen: string[] = [];
      let url: string | undefined = first;
      while (url !== undefined) {
        const page = await get(url);
        const ids = page?.items.map(({ id }) => id) ?? [];
        seen.push(...(direction === 'next' ? ids : ids.toReversed()));
        url = page?._links.find(({ rel }) => rel === direction)?.href.replace(http.baseUrl, '');
      }
      const old = seen.filter((id) => id.startsWith('first_'));
      const expected = Array.from({ length: direction === 'next' ? records : 30 }, (_, n) => `first_${n}`);
      if (direction === 'prev') expected.reverse();
      if (JSON.stringify(old) !== JSON.stringify(expected) || new Set(seen).size !== seen.length)
        failures.push([direction, seen]);
      walks += 1;
    }
  };
  const writer = async () => {
    for (; swapping; added += 1) {
      const { position } = await put(`later_${added}`);
      if (!position || !(await http.readModels.waitFor(position, patience))) failures.push('not shown');
    }
  };
  const others = async () => {
    while (swapping) {
      const read = [
        http.readModels.addonsOf(organizationId),
        http.readModels.organization(organizationId),
        http.readModels.addons(),
        http.readModels.connections(organizationId, addonId, 1),
      ];
      await Promise.all(read).catch((error: unknown) => failures.push(error));
    }
  };

  const load = Promise.all([
    walker('next', '/profiles?page=1&per_page=7'),
    walker('prev', '/profiles?page=3&per_page=10'),
    writer(),
    walker('next', '/profiles?page=1&per_page=50'),
    others(),
  ]);
  try {
    for (const name of [...names, 'lists', 'lists']) {
      const { version } = await rebuild(needs, { name, batchSize: 20 });
      expect((await verify(needs, { name })).differences).toEqual([]);
      const { previousVersion } = await swap(needs, { name });
      await drop(needs, { name, version: previousVersion ?? version });
    }
    // A swap may be quicker than a few walks; some that begin before it and end after it are wanted.
    await expect.poll(() => walks > 5 && requests > 50 && added > 5).toBe(true);
  } finally {
    swapping = false;
    await load;
  }
  expect(failures.slice(0, 3)).toEqual([]);
});

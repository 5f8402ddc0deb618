import pg from 'pg';
import { seedRecords } from '../lists/seed-records.ts';
import { getPage } from '../lists/walk-by-links.ts';
import { percentile } from '../percentile.ts';
import { result, type Result } from '../results.ts';
import { tell } from '../tell.ts';
import { furnishOrganization, type World } from '../world.ts';
import { accessToken } from './lists.ts';
import { sessionHeader } from '../session-header.ts';

/** The cost of a page of changes, the first and one by its link, compared with such pages of the list, in turns (AP-05). */
export const measureChanges = async (
  world: World,
  { records, samples }: { readonly records: number; readonly samples: number },
): Promise<readonly Result[]> => {
  const { core, clientId, servers, baseUrl } = world;
  const { organizationId, session } = await furnishOrganization(core, clientId, 'changes');
  tell(`seeding a list of ${records} records`);
  const from = { position: 1n, created: Date.now() };
  const step = { position: 1, created: 1 };
  await seedRecords(servers.databaseUrl, { organizationId, userIds: [null], records, from, step });
  const authorization = `Bearer ${await accessToken({ ...world, cookie: sessionHeader(world.baseUrl, session) })}`;
  const get = (url: string) => getPage(url, authorization);
  const nextOf = async (url: string) =>
    (await get(url))._links.find(({ rel }) => rel === 'next')?.href ?? url;

  const list = `${baseUrl}/access-rights`;
  const before = await changeAll(
    servers.databaseUrl,
    organizationId,
    async () => (await get(list)).sync_token,
  );
  const changes = `${list}?sync_token=${before}`;
  const { total_items: total } = (await get(changes))._pagination;
  tell(`reading pages of the list and of ${total} changes`);
  const pages = { list, changes, listByLink: await nextOf(list), changesByLink: await nextOf(changes) };
  const names = Object.keys(pages) as (keyof typeof pages)[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    keyof typeof pages,
    number[]
  >;
  for (let sample = -20; sample < samples; sample += 1)
    for (const name of names) {
      const began = performance.now();
      await get(pages[name]);
      if (sample >= 0) times[name].push(performance.now() - began);
    }
  const median = (name: keyof typeof pages) => percentile(times[name], 0.5) ?? 0;
  return [
    result('changes-first', median('changes'), 'ms', samples, median('list')),
    result('changes-page', median('changesByLink'), 'ms', samples, median('listByLink')),
  ];
};

/** Of all records a tenth changes after `walk` has begun; what was seeded had not. */
const changeAll = async (
  databaseUrl: string,
  organizationId: string,
  walk: () => Promise<string>,
): Promise<string> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('update access_rights set changed = 1 where organization_id = $1', [organizationId]);
    await client.query('update list_removals set removed = 1 where organization_id = $1', [organizationId]);
    const token = await walk();
    // As far apart as events of such records are.
    const newest = `(select commit_position::bigint + 10 from checkpoints where name = 'read-models')`;
    await client.query(
      `update access_rights set changed = ${newest} + 500 * ordinal where organization_id = $1 and ordinal % 11 = 0`,
      [organizationId],
    );
    await client.query(
      `update list_removals set removed = ${newest} + 500 * ordinal where organization_id = $1 and ordinal % 7 = 0`,
      [organizationId],
    );
    await client.query('vacuum (analyze) access_rights, list_removals');
    return token;
  } finally {
    await client.end();
  }
};

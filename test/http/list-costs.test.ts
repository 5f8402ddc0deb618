import { afterAll, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import {
  accountStream,
  activationStream,
  addonStream,
  grantStream,
  organizationStream,
  publisherStream,
  type StreamName,
} from '../../src/domain/streams.ts';
import { countedStore, countEverything, counting } from '../support/costs/counts.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { startHttpApp } from '../support/scenes/http-app.ts';
import { createUser, signedIn } from '../support/scenes/http-scene.ts';
import { operatorApi } from '../support/scenes/operator-api.ts';
import type { TestBrowser } from '../support/scenes/pages.ts';
import {
  account,
  activated,
  addon,
  administrator,
  issued,
  organization,
} from '../projections/follow/a-story.ts';

// Lists of operators: everything but the rows, which the log has, is read for all of them at once.

const stopCounting = countEverything(() => undefined);
// On a clock that stands still, what is kept for some seconds is kept on a busy machine, too.
const service = await startHttpApp({ store: countedStore(memoryStore()), startAt: Date.now() });
afterAll(async () => {
  await service.close();
  stopCounting();
});

const idOf = (kind: string, n: number) => `01JD${kind.repeat(16)}${String(n).padStart(6, '0')}`;
const rows = { few: 50, many: 200 };

const { email, credentials } = await operatorApi(service, 'olive');
for (let n = 0; n <= rows.many; n += 1) {
  const [o, u, a, g, p] = [idOf('0', n), idOf('V', n), idOf('A', n), idOf('G', n), idOf('P', n)];
  const subject = { kind: 'organization', organizationId: o, epoch: 1 } as const;
  const publisher: readonly DomainEvent[] = [
    { type: 'PublisherCreated', data: { publisherId: p, name: `Publisher ${n}`, at: 1 } },
    { type: 'PublisherMemberAdded', data: { userId: u, source: 'manual', at: 1 } },
  ];
  const story: readonly (readonly [StreamName, readonly DomainEvent[]])[] = [
    [organizationStream(o), [organization(o).event, administrator(o, u).event]],
    [accountStream(u), [account(u).event]],
    [addonStream(a), [addon(a).event]],
    [activationStream(o, a), [activated(1, o, a).event]],
    [grantStream(g), [issued(g, subject, a).event]],
    [publisherStream(p), publisher],
  ];
  for (const [stream, events] of story)
    await service.store.append(
      stream,
      'no-stream',
      events.map((event) => ({ event })),
    );
}
await service.settle();
const browser = await signedIn(service, { email });

const costsOf = async (get: () => Promise<Answer>) => {
  await get(); // what is kept for a while is not of each request
  const { counts, answer } = await counting(get);
  expect(answer.statusCode).toBe(200);
  const statements = counts.statements.filter((name) => /^[\w- ]+$/.test(name)).toSorted();
  return { statements, reads: counts.calls.length, answer };
};
type Answer = Awaited<ReturnType<TestBrowser['get']>>;

/** The statements of a list, and how often the log is read for each row. */
const costs = {
  organizations: [['names', 'organizations'], 0],
  // The account, and what says whether the user has the role: the organization and the publisher.
  users: [['administrator-of', 'names', 'publishers-of', 'users--false-'], 3],
  addons: [['addon-ids'], 1],
  publishers: [['addons-of-publisher', 'names', 'publishers'], 1],
  grants: [['grants---false-false-false issued_at', 'names', 'read-fence'], 1],
} as const;

test.each(Object.entries(costs))(
  `PG-04: a list of ${rows.many} %s has the statements of one of ${rows.few}, and no more reads of the log than rows`,
  async (plural, [statements, each]) => {
    const list = (limit: number) =>
      costsOf(() => {
        const url = `/operator/api/${plural}?limit=${limit}`;
        return service.app.inject({ url, headers: credentials });
      });
    const [few, many] = [await list(rows.few), await list(rows.many)];
    expect(many.answer.json<{ items: readonly unknown[] }>().items).toHaveLength(rows.many);
    expect([few.statements, many.statements]).toEqual([statements, statements]);
    expect(many.reads - few.reads).toBeLessThanOrEqual((rows.many - rows.few) * each);
  },
);

test('PG-06: an administrator’s home of 60 organizations has the statements of one of 2', async () => {
  const homeOf = async (count: number) => {
    const email = `ada${count}@example.com`;
    const administratorOf = Array.from({ length: count }, (_, n) => idOf('0', n));
    await createUser(service, email, administratorOf);
    await service.settle();
    const ada = await signedIn(service, { email });
    const { statements, answer } = await costsOf(() => ada.get('/admin'));
    expect(answer.body.match(/set-up is not finished/g)).toHaveLength(count);
    return statements;
  };
  const statements = await homeOf(60);
  expect(statements).toEqual(await homeOf(2));
  expect(statements.filter((name) => !ofEveryPage.includes(name))).toEqual([
    'active-addons',
    'counted-since',
    'failing-among-addons',
    'names-in-use',
    'partner-changes',
  ]);
});

test('PG-04: the add-ons of an organization have the same statements in every order', async () => {
  const [email, organizationId] = ['addie@example.com', idOf('0', 0)];
  await createUser(service, email, [organizationId]);
  await service.settle();
  const hers = await signedIn(service, { email });
  const statementsOf = async (query: string) =>
    (await costsOf(() => hers.get(`/admin/organizations/${organizationId}${query}`))).statements;
  expect(await statementsOf('?list=active&sort=-last_token_at')).toEqual(await statementsOf('?list=active'));
});

/** Who is signed in, which areas the user has, and what the ids are called. */
const ofEveryPage = ['names', 'organizations-administered-by', 'publishers-of'];

const withReferences = new Set(['users', 'addons', 'grants']);

test.each(Object.entries(costs))(
  'PG-04: a page of %s asks for all names at once, and one statement more counts what it shows, with a search and without (FX-79)',
  async (plural, [statements]) => {
    // What waits is counted for every page of operators.
    const ofList = async (query: string) =>
      (await costsOf(() => browser.get(`/operator/${plural}${query}`))).statements.filter(
        (name) => !/-waiting$|^count-signal-streams$/.test(name),
      );
    const page = await ofList('');
    const sorted = (names: readonly string[]) =>
      [...new Set(names.map((name) => name.replace(/ -?\w+_at$/, '')))].toSorted();
    // What its filters can name, in one statement.
    const all = [...statements, ...ofEveryPage, ...(withReferences.has(plural) ? ['choices'] : [])];
    expect(page.length).toBeLessThanOrEqual(all.length + 1);
    expect(sorted(page).filter((name) => !name.startsWith('count-'))).toEqual(sorted(all));
    const found = plural === 'grants' ? [] : [await ofList('?search=0000&sort=-name')];
    for (const each of [page, ...found])
      expect(each.filter((name) => name.startsWith('count'))).toHaveLength(1);
  },
);

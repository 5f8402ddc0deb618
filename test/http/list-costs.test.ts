import pMap from 'p-map';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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
import { counting } from '../support/costs/counts.ts';
import { startCountedService } from '../support/costs/counted-service.ts';
import { password } from '../support/scenes/http-scene.ts';
import { valueOf } from '../support/scenes/marketplace.ts';
import { testBrowser, type TestBrowser } from '../support/scenes/pages.ts';
import {
  account,
  activated,
  addon,
  administrator,
  issued,
  organization,
} from '../projections/follow/a-story.ts';

// Lists of operators: everything but the rows, which the log has, is read for all of them at once.

let service: Awaited<ReturnType<typeof startCountedService>>;
let token: string;
let browser: TestBrowser;

const idOf = (kind: string, n: number) => `01JD${kind.repeat(16)}${String(n).padStart(6, '0')}`;

beforeAll(async () => {
  service = await startCountedService();
  const person = { email: 'olive@example.com', name: 'Olive', password, administratorOf: [] };
  const { userId } = valueOf(await service.commands.createUser({ ...person, roles: ['operator'] }));
  const asked = { userId, organizationId: null, name: 'counted', days: 30, by: userId };
  ({ token } = valueOf(await service.commands.issueAdministratorToken(asked)));
  browser = testBrowser(service.app);
  await browser.signIn(person.email, password);
  const stories = Array.from(
    { length: 201 },
    (_, n): readonly (readonly [StreamName, readonly DomainEvent[]])[] => {
      const [o, u, a, g, p] = [idOf('0', n), idOf('V', n), idOf('A', n), idOf('G', n), idOf('P', n)];
      const subject = { kind: 'organization', organizationId: o, epoch: 1 } as const;
      return [
        [organizationStream(o), [organization(o).event, administrator(o, u).event]],
        [accountStream(u), [account(u).event]],
        [addonStream(a), [addon(a).event]],
        [activationStream(o, a), [activated(1, o, a).event]],
        [grantStream(g), [issued(g, subject, a).event]],
        [
          publisherStream(p),
          [
            { type: 'PublisherCreated', data: { publisherId: p, name: `Publisher ${n}`, at: 1 } },
            { type: 'PublisherMemberAdded', data: { userId: u, source: 'manual', at: 1 } },
          ],
        ],
      ];
    },
  );
  await pMap(
    stories.flat(),
    ([stream, events]) =>
      service.store.append(
        stream,
        'no-stream',
        events.map((event) => ({ event })),
      ),
    { concurrency: 16 },
  );
  await service.settle();
});
afterAll(() => service.close());
/** Of a request that is answered: a machine that is busy may answer 503. */
const costsOf = async (get: () => Promise<Answer>) => {
  const { counts, answer } = await vi.waitFor(async () => {
    await get(); // what is kept for a while is not of each request
    const counted = await counting(get);
    expect(counted.answer.statusCode).toBe(200);
    return counted;
  }, 20_000);
  const statements = counts.statements.filter((name) => /^[\w- ]+$/.test(name)).toSorted();
  return { statements, reads: counts.calls.length, answer };
};
type Answer = Awaited<ReturnType<TestBrowser['get']>>;

/** The statements of a list, and how often the log is read for each row. */
const costs = {
  organizations: [['names', 'organizations'], 0],
  // The account, and what says whether the user has the role: the organization and the publisher.
  users: [['administrator-of', 'names', 'publishers-of', 'users-false--false-'], 3],
  addons: [['addon-ids'], 1], // kept for 5 s
  publishers: [['addons-of-publisher', 'names', 'publishers'], 1],
  grants: [['grants---false-false-false issued_at', 'names', 'read-fence'], 1],
} as const;

test.each(Object.entries(costs))(
  'PG-04: a list of 200 %s has the statements of one of 50, and no more reads of the log than rows',
  async (plural, [statements, each]) => {
    const list = (limit: number) =>
      costsOf(() => {
        const headers = { authorization: `Bearer ${token}` };
        return service.app.inject({ url: `/operator/api/${plural}?limit=${limit}`, headers });
      });
    const [few, many] = [await list(50), await list(200)];
    expect(many.answer.json<{ items: readonly unknown[] }>().items).toHaveLength(200);
    expect([few.statements, many.statements]).toEqual([statements, statements]);
    expect(many.reads - few.reads).toBeLessThanOrEqual(150 * each);
  },
);

test('PG-06: an administrator’s home of 60 organizations has the statements of one of 2', async () => {
  const homeOf = async (count: number) => {
    const email = `ada${count}@example.com`;
    const administratorOf = Array.from({ length: count }, (_, n) => idOf('0', n));
    valueOf(await service.commands.createUser({ email, name: 'Ada', password, administratorOf, roles: [] }));
    await service.settle();
    const ada = testBrowser(service.app);
    await ada.signIn(email, password);
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
  const addie = { email, name: 'Addie', password, administratorOf: [organizationId], roles: [] };
  valueOf(await service.commands.createUser(addie));
  await service.settle();
  const hers = testBrowser(service.app);
  await hers.signIn(email, password);
  const statementsOf = async (query: string) =>
    (await costsOf(() => hers.get(`/admin/organizations/${organizationId}${query}`))).statements;
  expect(await statementsOf('?list=active&sort=-last_token_at')).toEqual(await statementsOf('?list=active'));
});

/** Who is signed in, which areas the user has, how many there are of everything, and what the ids are called. */
const ofEveryPage = ['counts', 'names', 'organizations-administered-by', 'publishers-of'];

test.each(Object.entries(costs))(
  'PG-04: a page of %s asks for all names at once, and one statement more counts what a search finds',
  async (plural, [statements]) => {
    const page = await costsOf(() => browser.get(`/operator/${plural}`));
    const sorted = (names: readonly string[]) => [...new Set(names)].toSorted();
    expect(page.statements.length).toBeLessThanOrEqual(statements.length + ofEveryPage.length + 1);
    expect(sorted(page.statements).filter((name) => !name.startsWith('count-'))).toEqual(
      sorted([...statements, ...ofEveryPage]),
    );
    if (plural === 'grants') return;
    const found = await costsOf(() => browser.get(`/operator/${plural}?search=0000&sort=-name`));
    expect(found.statements.filter((name) => name.startsWith('count-'))).toHaveLength(1);
  },
);

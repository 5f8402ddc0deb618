import { describe, expect, test } from 'vitest';
import { auditStream } from '../../../src/domain/streams.ts';
import type { RecordAuditQuery } from '../../../src/commands/log/record-audit-query.ts';
import { EventStoreUnavailable, InvalidAppend } from '../../../src/eventstore/event-store.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import { atAppend } from '../../support/memory/at-append.ts';

const nobody = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const person = { name: 'Audrey', password: 'correct horse', administratorOf: [] as readonly string[] };

const withAuditor = async (hooks: Parameters<typeof marketplace>[0] = {}) => {
  const market = marketplace(hooks);
  const { organizationId: harbour } = valueOf(await market.createOrganization({ name: 'Harbour House' }));
  const { organizationId: mill } = valueOf(await market.createOrganization({ name: 'Mill' }));
  const create = async (email: string, roles: readonly 'auditor'[], auditorOf: readonly string[] = []) =>
    valueOf(await market.createUser({ ...person, email, roles, auditorOf })).userId;
  const audrey = await create('audrey@example.com', ['auditor'], [harbour]);
  const bo = await create('bo@example.com', []);
  return { ...market, harbour, mill, audrey, bo };
};

describe('an auditor', () => {
  test('sees the organizations that were given to the account, and is no administrator', async () => {
    const { isAuditor, isAdministrator, audrey, bo, harbour, mill } = await withAuditor();
    expect(await isAuditor(harbour, audrey)).toBe(true);
    expect(await isAdministrator(harbour, audrey)).toBe(false);
    expect(await isAuditor(mill, audrey)).toBe(false);
    expect(await isAuditor(harbour, bo)).toBe(false);
    expect(await isAuditor('../organization', audrey)).toBe(false);
    expect(await isAuditor(harbour, nobody)).toBe(false);
  });

  test('an auditor who was removed, or disabled, sees nothing once the call has returned', async () => {
    const { isAuditor, addAuditor, removeAuditor, disableUser, audrey, harbour, mill } = await withAuditor();
    const inHarbour = { organizationId: harbour, userId: audrey };
    expect(valueOf(await removeAuditor(inHarbour))).toMatchObject({ changed: true });
    expect(await isAuditor(harbour, audrey)).toBe(false);
    expect(valueOf(await removeAuditor(inHarbour))).toMatchObject({ changed: false });
    expect(valueOf(await addAuditor({ organizationId: mill, userId: audrey }))).toMatchObject({
      changed: true,
    });
    expect(await isAuditor(mill, audrey)).toBe(true);
    await disableUser(audrey);
    expect(await isAuditor(mill, audrey)).toBe(false);
  });

  test('needs the role: without it nobody is made one, whatever the log of the organization says', async () => {
    const { addAuditor, createUser, isAuditor, store, bo, harbour, types } = await withAuditor();
    expect(await addAuditor({ organizationId: harbour, userId: bo })).toMatchObject({
      refusal: 'not-an-auditor',
    });
    const asked = { ...person, email: 'cy@example.com', roles: [], auditorOf: [harbour] };
    expect(await createUser(asked)).toMatchObject({ refusal: 'invalid', problems: [{ field: 'auditorOf' }] });
    expect(types().filter((type) => type === 'AuditorAdded')).toHaveLength(1);
    const { revision } = await store.read(`organization-${harbour}`);
    await store.append(`organization-${harbour}`, revision, [
      { event: { type: 'AuditorAdded', data: { userId: bo, at: 1 } } },
    ]);
    expect(await isAuditor(harbour, bo)).toBe(false);
  });

  test.each([nobody, 'not an id'])(
    'of %j, or as %j, is refused before anything is written',
    async (unknown) => {
      const { addAuditor, removeAuditor, createUser, audrey, harbour, types } = await withAuditor();
      const before = types();
      for (const change of [addAuditor, removeAuditor]) {
        expect(await change({ organizationId: unknown, userId: audrey })).toMatchObject({
          refusal: 'organization-unknown',
        });
        expect(await change({ organizationId: harbour, userId: unknown })).toMatchObject({
          refusal: 'user-unknown',
        });
      }
      const request = {
        ...person,
        email: 'cy@example.com',
        roles: ['auditor' as const],
        auditorOf: [harbour, unknown],
      };
      expect(await createUser(request)).toMatchObject({
        refusal: 'organization-unknown',
        problems: [{ field: 'auditorOf[1]' }],
      });
      expect(types()).toEqual(before);
    },
  );
});

describe('a question about the history', () => {
  const question = (organizationId: string, by: string): RecordAuditQuery => ({
    by,
    organizationId,
    query: 'timeline',
    parameters: { addon: nobody, limit: 50, from: '2026-01-01T00:00:00Z', at: undefined, after: null },
  });

  test('is an event in the stream of who asks: what was asked, and when', async () => {
    const { recordAuditQuery, store, now, audrey, harbour } = await withAuditor();
    await recordAuditQuery(question(harbour, audrey));
    await recordAuditQuery({
      by: 'break-glass',
      organizationId: null,
      query: 'replay',
      parameters: { stream: 'addon-1' },
    });
    const { events } = await store.read(auditStream(audrey));
    const noted = {
      type: 'AuditQueried',
      data: {
        organizationId: harbour,
        query: 'timeline',
        parameters: [
          { name: 'addon', value: nobody },
          { name: 'limit', value: '50' },
          { name: 'from', value: '2026-01-01T00:00:00Z' },
        ],
        at: now(),
      },
    };
    expect(events.map(({ event }) => event)).toEqual([noted]);
    expect(events[0]?.metadata).toMatchObject({ actor: audrey });
    expect((await store.read(auditStream('break-glass'))).events).toMatchObject([
      { event: { data: { organizationId: null, query: 'replay' } }, metadata: { actor: 'break-glass' } },
    ]);
  });

  const other = (parameters: RecordAuditQuery['parameters']) => (asked: RecordAuditQuery) => ({
    ...asked,
    parameters: { ...asked.parameters, ...parameters },
  });

  test.each([
    ['another add-on', other({ addon: '01ARZ3NDEKTSV4RRFFQ69G5FAA' }), 0],
    ['another period', other({ from: '2026-01-02T00:00:00Z' }), 0],
    ['no period', other({ from: null }), 0],
    ['no organization', (asked: RecordAuditQuery) => ({ ...asked, organizationId: null }), 0],
    ['another word', (asked: RecordAuditQuery) => ({ ...asked, query: 'grants' as const }), 0],
    ['another token', (asked: RecordAuditQuery) => ({ ...asked, tokenId: nobody }), 0],
    ['the same 15 minutes later', (asked: RecordAuditQuery) => asked, 15 * 60_000],
  ])('FX-97: %s is another question, and recorded', async (_what, another, passed) => {
    const { recordAuditQuery, store, pass, audrey, harbour } = await withAuditor();
    await recordAuditQuery(question(harbour, audrey));
    pass(passed);
    await recordAuditQuery(another(question(harbour, audrey)));
    expect((await store.read(auditStream(audrey))).events).toHaveLength(2);
  });

  test('FX-97: another page of an answer, and the same question within 15 minutes, are one event, on every instance', async () => {
    const { recordAuditQuery, store, pass, reads, audrey, harbour } = await withAuditor();
    const asked = question(harbour, audrey);
    await recordAuditQuery(asked);
    const instances = [recordAuditQuery, marketplace({}, store).recordAuditQuery];
    for (const record of instances) {
      const others = Object.fromEntries(Object.entries(asked.parameters).toReversed());
      for (const page of [{}, { after: '1/1' }, { before: 'end', limit: 3 }, { skip: 100 }])
        await record({ ...asked, parameters: { ...others, ...page } });
    }
    const before = reads.length;
    pass(15 * 60_000 - 1);
    await recordAuditQuery(asked);
    expect(reads.length, 'what this instance knows is not read again').toBe(before);
    expect((await store.read(auditStream(audrey))).events).toHaveLength(1);
  });

  test('FX-97: another instance sees what was recorded since by the refusal of its append', async () => {
    const { recordAuditQuery, store, audrey, harbour } = await withAuditor();
    const elsewhere = marketplace({}, store).recordAuditQuery;
    const first = other({ user: audrey })(question(harbour, audrey));
    await elsewhere(first);
    await recordAuditQuery(question(harbour, audrey));
    await elsewhere(question(harbour, audrey));
    expect((await store.read(auditStream(audrey))).events).toHaveLength(2);
  });

  test('many at once, and another process at the same stream, are all noted, each once', async () => {
    const { recordAuditQuery, store, audrey, harbour } = await withAuditor();
    const elsewhere = marketplace({}, store).recordAuditQuery;
    const asked = Array.from({ length: 5 }, (_each, index) =>
      other({ revision: index })(question(harbour, audrey)),
    );
    await Promise.all(asked.flatMap((one) => [recordAuditQuery(one), recordAuditQuery(one), elsewhere(one)]));
    expect((await store.read(auditStream(audrey))).events).toHaveLength(5);
  });

  test('throws where it cannot be noted, and is noted once where only the word of it was lost', async () => {
    const { hooks, arm } = atAppend('afterAppend');
    let isAway = false;
    const { recordAuditQuery, store, audrey, harbour } = await withAuditor({
      ...hooks,
      beforeAppend: () => {
        if (isAway) throw new EventStoreUnavailable('away');
      },
    });
    isAway = true;
    await expect(recordAuditQuery(question(harbour, audrey))).rejects.toThrow(EventStoreUnavailable);
    isAway = false;
    arm();
    await recordAuditQuery(question(harbour, audrey));
    expect((await store.read(auditStream(audrey))).events).toHaveLength(1);
  });

  test.each(['audrey@example.com', 'Audrey Ahoi', '', 'x'.repeat(257), 'é'])(
    'that would keep %j permanently is not recorded, so it is not answered',
    async (value) => {
      const { recordAuditQuery, types, audrey, harbour } = await withAuditor();
      const asked = { ...question(harbour, audrey), parameters: { user: value } };
      await expect(recordAuditQuery(asked)).rejects.toThrow(InvalidAppend);
      expect(types()).not.toContain('AuditQueried');
    },
  );
});

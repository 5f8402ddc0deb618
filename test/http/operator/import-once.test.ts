import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { setScene } from '../../support/scenes/http-scene.ts';
import { operatorApi } from '../../support/scenes/operator-api.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

const http = await startHttpApp();
const { organizationId } = await setScene(http);
const { credentials } = await operatorApi(http);
afterAll(() => http.close());

const line = (id: string, version = 1, name = 'Ada') =>
  JSON.stringify({ id, version, name, email: 'ada@example.com' });

/** Stores what comes before the line `until`, and fails. */
const dying = (until: number) =>
  http.another((parts) => ({
    ...parts,
    importBatch: async (resource, batch, context) => {
      const lines = (await text(batch.input)).split('\n').slice(0, until);
      const input = Readable.from([Buffer.from(lines.join('\n'))]);
      await parts.importBatch(resource, { ...batch, input }, context);
      throw new EventStoreUnavailable('the event store ends here');
    },
  }));

const importing = async (key: string | null, lines: readonly string[], app = http.app) => {
  const answer = await app.inject({
    method: 'POST',
    url: `/operator/api/organizations/${organizationId}/import/profiles?first_line=501`,
    headers: {
      ...credentials,
      'content-type': 'application/x-ndjson',
      ...(key !== null && { 'idempotency-key': key }),
    },
    payload: lines.join('\n'),
  });
  const { type, ...json } = answer.json<Readonly<Record<string, unknown>>>();
  return { status: answer.statusCode, kind: String(type).split('/').at(-1), json };
};

describe('FX-77: a batch that is sent again with its Idempotency-Key', () => {
  test('FX-106: counts as added what an earlier try stored, and as unchanged what a line before it in the file did', async () => {
    expectTrouble(/^warn: request failed: temporarily unavailable .*the event store ends here/);
    const lines = [line('A'), line('B'), line('A'), line('B', 2), '{', line('C'), line('C')];
    const counts = { lines: 7, added: 3, changed: 1, unchanged: 2, refused: 1 };
    expect((await importing('half', lines, dying(4))).status).toBe(503);
    await http.settle();
    const again = await importing('half', lines);
    expect(again).toMatchObject({ status: 200, json: counts });
    expect(again.json['errors']).toMatchObject([{ line: 505 }]);
    expect(await importing('half', lines)).toEqual(again);
    const anew = { lines: 7, added: 0, changed: 0, unchanged: 6, outdated: 1, refused: 1 };
    expect((await importing(null, lines)).json).toMatchObject(anew);
    expect((await importing('new', lines)).json).toMatchObject(anew);
  });

  test('has the position to wait for, although everything was stored before', async () => {
    expectTrouble(/^warn: request failed: temporarily unavailable .*the event store ends here/);
    const lines = [line('D'), line('E')];
    expect((await importing('whole', lines, dying(2))).status).toBe(503);
    const { json } = await importing('whole', lines);
    expect([json['added'], typeof json['position']]).toEqual([2, 'string']);
  });

  test('other lines under the key are refused, and so is a malformed key', async () => {
    await importing('reused', [line('F')]);
    expect((await importing('reused', [line('G')])).kind).toBe('idempotency-key-reused');
    expect((await importing('a key', [line('G')])).json['errors']).toMatchObject([
      { parameter: 'Idempotency-Key' },
    ]);
  });
});

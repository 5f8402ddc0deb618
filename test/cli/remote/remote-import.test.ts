import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { batchesOf } from '../../../src/cli/import/batches.ts';
import { words } from '../../support/words.ts';
import { startWithCommandLines } from '../../support/scenes/command-lines.ts';

const service = await startWithCommandLines();
const operator = await service.user('olga', '--operator');
const token = await service.token(operator);

const profiles = (count: number, version = 1) =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ id: `P${n}`, version, name: `Person ${n}`, email: `p${n}@example.com` }),
  );
const bad = [
  '{"id": "broken"',
  '{"id": "P1", "version": 0, "name": "x", "email": "x@example.com"}',
  '',
  `{"id": "long", "version": 1, "name": "${'x'.repeat(300_000)}"}`,
  '{"id": "P2", "version": 1, "name": "another", "email": "p2@example.com"}',
  '\u{FEFF}{"id": "P3", "version": 1, "deleted": true}',
];
const file = [...profiles(600), ...bad, ...profiles(3), '{"id": "P5", "version": 2, "deleted": true}'].join(
  '\n',
);

const importing = (organization: string) =>
  words(`import profiles - --organization "${organization}" --json`);
const overApi = (organization: string, input: string) =>
  service.overApi(token, importing(organization), input);
const onServers = (organization: string, input: string) =>
  service.onServers(token, importing(organization), input);
/** Without what differs between runs. */
const reportOf = ({ json, exitCode }: Awaited<ReturnType<typeof overApi>>) => {
  const { seconds: _, visible_after_seconds: __, organization_id: ___, ...report } = json;
  return { exitCode, report };
};

describe('AP-08: an import over the API', () => {
  test('reports what the same import on the servers does, line by line, and a second run changes nothing', async () => {
    const [there, here] = [
      await service.organization('over the API'),
      await service.organization('on the servers'),
    ];
    const [api, servers] = [await overApi(there, file), await onServers(here, file)];
    expect(reportOf(api)).toEqual(reportOf(servers));
    expect(api.json).toMatchObject({ lines: 609, removed: 1, refused: 5, visible: true });
    const again = await overApi('over the API', file); // AP-09: the name of one organization alone
    expect(again.json).toMatchObject({ organization_id: there });
    expect(reportOf(again)).toEqual(reportOf(await onServers('on the servers', file)));
    const recorded = service.all().find(({ event }) => event.type === 'ProfileRecorded');
    expect(recorded?.metadata).toMatchObject({ actor: operator, tokenId: expect.any(String) as string });
  });

  test('an unknown organization is refused before anything is sent', async () => {
    for (const id of ['01K9RZ3Q5V0000000000000003', 'none', '..'])
      expect([reportOf(await overApi(id, file))]).toEqual([reportOf(await onServers(id, file))]);
  });

  test('the endpoint bounds a batch, and takes it from operators alone', async () => {
    const organization = await service.organization('bounded');
    const send = async (body: string, headers: Readonly<Record<string, string>> = {}) =>
      (
        await fetch(`${service.baseUrl}/operator/api/organizations/${organization}/import/profiles`, {
          method: 'POST',
          headers: { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}`, ...headers },
          body,
        })
      ).status;
    expect(await send(profiles(2).join('\n'))).toBe(200);
    expect(await send(profiles(1_001).join('\n'))).toBe(413);
    expect(await send('x'.repeat(2 * 1024 * 1024 + 1))).toBe(413);
    expect(await send('{}', { 'content-type': 'application/json' })).toBe(415);
    expect(await send('', { authorization: 'Bearer none' })).toBe(401);
  });
});

describe('the batches of a file', () => {
  const cut = async (text: string, chunk: number) => {
    const pieces = Array.from({ length: Math.ceil(text.length / chunk) }, (_, n) =>
      Buffer.from(text.slice(n * chunk, (n + 1) * chunk)),
    );
    const batches: { firstLine: number; lines: number; text: string; endsAtByte: number }[] = [];
    for await (const { bytes, ...batch } of batchesOf(Readable.from(pieces) as AsyncIterable<Buffer>))
      batches.push({ ...batch, text: bytes.toString() });
    return batches;
  };

  test.each([1, 7, 4096, 1_000_000])(
    'are whole lines, in order, however the file comes: %i bytes at a time',
    async (chunk) => {
      const text = Array.from({ length: 1_101 }, (_, n) => `line ${n}`).join('\n');
      const batches = await cut(text, chunk);
      expect(batches.map(({ firstLine, lines }) => [firstLine, lines])).toEqual([
        [1, 500],
        [501, 500],
        [1_001, 101],
      ]);
      expect(batches.map((batch) => batch.text).join('')).toBe(text);
      expect(batches.at(-1)?.endsAtByte).toBe(text.length);
    },
  );

  test('an empty file has none, and of a line that is too long only the beginning is kept', async () => {
    expect(await cut('', 10)).toEqual([]);
    const [batch] = await cut(`${'x'.repeat(2_000_000)}\ny\n`, 65_536);
    expect([batch?.lines, batch?.text.length, batch?.endsAtByte]).toEqual([2, 257 * 1024 + 3, 2_000_003]);
  });
});

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { timestampRequest, verifyTimestamp } from '#verify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toAuthority, toDirectory } from '../../../src/audit/deposits/deposit-targets.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { endSessions } from '../log-tiles/memory-tiles.ts';
import { depositScene } from './deposit-scene.ts';
import { noAuthority, startAuthority } from './timestamp-authority.ts';

const { depositing, jwksFile, newFolder, sign, table, threeDeposits, verify } = await depositScene();

describe.skipIf(noAuthority)(
  `HI-03: timestamps of an authority (RFC 3161)${noAuthority ? `: skipped, ${noAuthority}` : ''}`,
  () => {
    let authority: Awaited<ReturnType<typeof startAuthority>>;
    beforeAll(async () => void (authority = await startAuthority()));
    afterAll(() => authority.stop());

    test('HI-03: are stored next to the head, and ours and another program take them', async () => {
      const [store, folder] = [memoryStore(), newFolder()];
      const targets = [toDirectory(folder), toAuthority(authority.url, folder)];
      await endSessions(store, 3);
      await sign(store);
      authority.answers(503);
      await depositing(store, targets);
      expect(await table.counts()).toMatchObject([
        { target: 'directory', waiting: 0 },
        { target: 'timestamp', waiting: 1 },
      ]);
      authority.answers(200);
      await depositing(store, targets);
      expect(readdirSync(folder)).toEqual(['head-000000000003.json', 'head-000000000003.tsr']);
      const [head, tsr] = readdirSync(folder).map((name) => join(folder, name)) as [string, string];
      expect(authority.accepts(tsr, head)).toBe(true);
      const stamped = (known: boolean) => ({
        exitCode: 0,
        json: { timestamps: 1, deposits: [{ timestamp: { authority_is_known: known } }] },
      });
      expect(await verify(folder)).toMatchObject(stamped(false));
      expect(await verify(head, '--timestamp-ca', authority.certificate)).toMatchObject(stamped(true));
      expect(await verify(head, '--timestamp-ca', authority.strange)).toMatchObject(stamped(false));
      const nonsense = await verify(head, '--timestamp-ca', jwksFile);
      expect(nonsense.exitCode).toBe(2);
    });

    test('HI-03: one over something else, or one that was changed, is refused with the sentence', async () => {
      const { folder, names } = await threeDeposits();
      const head = readFileSync(join(folder, String(names[0])));
      const other = authority.answer(timestampRequest(Buffer.from('something else')));
      writeFileSync(join(folder, 'head-000000000004.tsr'), other);
      const verdict = await verify(folder);
      expect([verdict.exitCode, verdict.json]).toMatchObject([
        1,
        {
          error: {
            message: expect.stringContaining('head-000000000004.tsr is over something else') as unknown,
          },
        },
      ]);
      const good = authority.answer(timestampRequest(head));
      await expect(verifyTimestamp(good, head)).resolves.toMatchObject({ authority: 'signer of the test' });
      const changed = Buffer.from(good);
      changed[changed.length - 5] = (changed[changed.length - 5] ?? 0) ^ 1;
      await expect(verifyTimestamp(changed, head)).rejects.toThrow('was changed');
      await expect(verifyTimestamp(Buffer.from('no'), head)).rejects.toThrow('is no answer');
    });
  },
);

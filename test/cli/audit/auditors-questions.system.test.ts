import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../src/process/package-root.ts';
import { authorize } from '../authorize.ts';
import { startLiveService } from '../live-process.ts';
import type { LiveService } from '../live-service.ts';
import { usualEveryMs } from '../../../src/projections/read-counts/keep-reads.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();

/** Every question of docs/how-to/answer-auditors-questions.md with its command, as they are written. */
const commands = new Map(
  [
    ...readFileSync(join(packageRoot, 'docs/how-to/answer-auditors-questions.md'), 'utf8').matchAll(
      /^\| ([^|]*?) *\| `grantbook ([^`]*)` *\|$/gm,
    ),
  ].map(([, question = '', command = '']) => [question, command]),
);

test('each of the five questions stands in docs/how-to/answer-auditors-questions.md on one line with its command', () => {
  expect([...commands.keys()]).toEqual([
    'what could X read and what did it read',
    'who allowed it and when was it last used',
    'was anything removed since March',
    'which add-ons hold access that nobody used for 90 days',
    'everything that a person did',
  ]);
});

/** In the service: what is done every half minute is done twice a second. */
const hurried = `--import=data:text/javascript,${encodeURIComponent(
  `const set = setInterval; globalThis.setInterval = (act, ms, ...more) => set(act, ms === ${usualEveryMs} ? 500 : ms, ...more);`,
)}`;

describe('the commands of docs/how-to/answer-auditors-questions.md', () => {
  let service: LiveService;
  let known: Readonly<Record<'ORG' | 'ADDON' | 'GRANT' | 'USER' | 'HEAD', string>>;

  beforeAll(async () => {
    service = await startLiveService(undefined, { NODE_OPTIONS: hurried });
    const organization = await service.organization('Quay');
    const user = await service.user('zoe', '--administrator-of', organization);
    const addon = await service.addon('Doors');
    await service.run(['activation', 'activate', '--organization', organization, '--addon', addon]);
    const { grantId, list } = await authorize(service, { user, addon, organization });
    for (let time = 0; time < 3; time += 1) await list('profiles');
    const head = join(folder, 'head.json');
    await service.run(['audit', 'head', '--sign', '-o', head]);
    known = { ORG: organization, ADDON: addon, GRANT: grantId, USER: user, HEAD: head };
  });
  afterAll(() => service.stop());

  /** With what stands for ids, and the days of this month instead of those of March. */
  const ask = async (question: string): Promise<Readonly<Record<string, unknown>>> => {
    const today = new Date().toISOString().slice(0, 10);
    const words = (commands.get(question) ?? '').split(' ').map((word) => {
      if (word === '2026-03-31') return today;
      if (word === '2026-03-01') return `${today.slice(0, 8)}01`;
      return Object.hasOwn(known, word) ? known[word as keyof typeof known] : word;
    });
    const ran = await service.run([...words, '--json']);
    return { exitCode: ran.exitCode, ...ran.json };
  };

  test('HI-05: what it could read and what it read, in the running hour, within two minutes', async () => {
    const asked = () => ask('what could X read and what did it read');
    expect(usualEveryMs).toBeLessThanOrEqual(60_000);
    await expect
      .poll(async () => (await asked())['reads'], { interval: 200 })
      .toEqual([
        {
          grant_id: known.GRANT,
          list: 'profiles',
          pages: 3,
          records: 0,
          networks: ['127.0.0.0/24'],
          from: expect.any(String) as string,
          until: expect.any(String) as string,
        },
      ]);
    expect(await asked()).toMatchObject({
      exitCode: 0,
      intervals: [{ scope: 'profiles:read', closed: null }],
      reads_in_all: 1,
      reads_unattributed: 0,
    });
  });

  test('who allowed it and when was it last used', async () => {
    expect(await ask('who allowed it and when was it last used')).toMatchObject({
      exitCode: 0,
      grant_id: known.GRANT,
      user_id: known.USER,
      client_id: known.ADDON,
      last_token_at: expect.any(String) as string,
      last_read_at: expect.stringMatching(/Z$/) as string,
    });
  });

  test('was anything removed', async () => {
    expect(await ask('was anything removed since March')).toMatchObject({ exitCode: 0 });
  });

  test('which add-ons hold access that nobody used', async () => {
    const question = 'which add-ons hold access that nobody used for 90 days';
    expect(await ask(question)).toMatchObject({ exitCode: 0, items: [] });
  });

  test('everything that a person did', async () => {
    const { exitCode, entries } = (await ask('everything that a person did')) as unknown as {
      readonly exitCode: number;
      readonly entries: readonly { readonly type: string; readonly actor: { readonly id?: string } }[];
    };
    expect(exitCode).toBe(0);
    expect(entries.map(({ type }) => type)).toContain('AuthorizationCodeIssued');
    expect(new Set(entries.map(({ actor }) => actor.id))).toEqual(new Set([known.USER]));
  });

  test('an act of somebody who is no user is asked about with something else next to it', async () => {
    const ran = await service.run(['audit', 'timeline', '--actor', 'break-glass', '--json']);
    expect(ran.exitCode).toBe(2);
  });
});

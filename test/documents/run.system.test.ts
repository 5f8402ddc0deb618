import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeBrowser } from '../../demo/browser.ts';
import { packageRoot } from '../../src/process/package-root.ts';
import { commandsBeside, password } from '../cli/live-service.ts';
import { blocksOf, isWritten, makeOperator, pages, type Operator } from '../support/documents/runbook.ts';
import { freePort } from '../support/servers/free-port.ts';
import { endInstance, readyInstance, spawnInstance, type Instance } from '../support/servers/instance.ts';
import { roomyFolder } from '../support/servers/roomy-folder.ts';
import { allowTrouble } from '../support/trouble/expect-trouble.ts';

allowTrouble(/^error: lists cannot apply ProfileRecorded .*: its key is parked/); // docs/how-to/parked-events.md

/** Blocks that another test runs, because they need other servers: what they begin with, or all of the page. */
const elsewhere: Readonly<Record<string, string | RegExp>> = {
  'tutorials/receive-signals': 'test/http/signals/recipe.test.ts',
  'how-to/back-up-and-restore': 'test/operations/drills.system.test.ts',
  'how-to/copy-the-log': 'test/operations/drills.system.test.ts',
  'how-to/run-two-versions': 'test/operations/drills.system.test.ts',
  'how-to/run-kurrentdb': 'test/documents/blocks.system.test.ts',
  'how-to/prepare-the-servers': /^ADMIN_URL=/, // test/eventstore/server/account.system.test.ts
  'how-to/rotate-keys': /^(?:cat|cp) \S*ca\.crt/, // test/eventstore/rotation.system.test.ts
};
const missing = ['curl', 'jq', 'openssl', 'psql', 'python3'].filter(
  (program) => spawnSync(program, ['--version']).error,
);

let service: Instance;
let folder: string;
let known: Record<string, string>;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = mkdtempSync(join(roomyFolder(), 'grantbook-pages-'));
  chmodSync(folder, 0o711); // PostgreSQL may have to pass through as another user
  const dataDir = join(folder, 'data');
  env = { PATH: process.env['PATH'], DATA_DIR: dataDir };
  service = await readyInstance(spawnInstance({ LOG_LEVEL: 'error', DATA_DIR: dataDir }));
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  const servers = (await json(connect(join(dataDir, 'control.sock')))) as Record<string, string>;
  const { organization, user, addon, token, run } = commandsBeside(env);
  const organizationId = await organization('Mill House');
  const userId = await user('mia', '--administrator-of', organizationId);
  await user('olga', '--operator');
  const clientId = await addon('Mill Wheel', '--confidential');
  await run(['activation', 'activate', '--organization', organizationId, '--addon', clientId]);
  known = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    DATA_DIR: dataDir,
    ISSUER: service.baseUrl,
    BASE_URL: service.baseUrl,
    CALLBACK: `http://127.0.0.1:${await freePort()}/callback`,
    ORGANIZATION_ID: organizationId,
    CLIENT_ID: clientId,
    EMAIL: 'olga@example.com',
    ADMINISTRATOR_TOKEN: await token(userId),
    DATABASE_URL: servers['databaseUrl'] ?? '',
    EVENTSTORE_URL: servers['eventStoreUrl'] ?? '',
  };
});
afterAll(async () => {
  await endInstance(service, 'SIGTERM');
  rmSync(folder, { recursive: true, force: true });
});

/** What somebody does in the browser who opens an add-on's link: sign in as Ada, choose the organization, allow. */
const allow = async (link: string): Promise<void> => {
  const browser = makeBrowser();
  let page = await browser.open(link);
  if (page.heading.startsWith('Sign in')) {
    const [, ofAda = ''] = /ada@example\.com +password: (\S+)/.exec(service.output()) ?? [];
    page = await browser.press(page, 'Sign in', { 'E-mail address': 'ada@example.com', Password: ofAda });
  }
  if (page.heading.startsWith('Allow')) page = await browser.press(page, 'Allow');
  expect([page.status, page.html]).toEqual([200, expect.stringContaining('close this window')]);
};

/** The browser shows this address in the end, although no add-on listens there. */
const shownAfter = async (link: string): Promise<string> => {
  let shown = '';
  const server = createServer((request, response) => {
    shown = new URL(request.url ?? '', known['CALLBACK']).href;
    response.end('close this window');
  });
  await new Promise<void>((resolve) => {
    server.listen(Number(new URL(known['CALLBACK'] ?? '').port), '127.0.0.1', resolve);
  });
  await allow(link);
  await new Promise((resolve) => server.close(resolve));
  return shown;
};

type Scene = {
  readonly given?: () => Promise<Readonly<Record<string, string>>>;
  /** The exit codes of blocks that do not end with 0, by what is in the blocks. */
  readonly exits?: Readonly<Record<string, number>>;
};

/** An event in the log that no release can decode. */
const wrongEvent = async (): Promise<Readonly<Record<string, string>>> => {
  const stream = `profile-${known['ORGANIZATION_ID']}.P99`;
  const log = EventStoreDBClient.connectionString(known['EVENTSTORE_URL'] ?? '');
  await log.appendToStream(
    stream,
    jsonEvent({ type: 'ProfileRecorded', data: {}, metadata: { version: 1 } }),
  );
  await log.dispose();
  const parked = async () =>
    (await commandsBeside(env).runJson(['parked', 'list']))['keys'] as readonly { event: { id: string } }[];
  await expect.poll(parked).toHaveLength(1);
  const [key] = await parked();
  return { STREAM: stream, EVENT: key?.event.id ?? '' };
};

const scenes: Readonly<Record<string, Scene>> = {
  'how-to/parked-events': { given: wrongEvent, exits: { 'parked retry': 1 } },
};

const played = pages.filter(
  (page) =>
    typeof elsewhere[page] !== 'string' &&
    blocksOf(page).some(({ language, mark }) => language === 'sh' && mark === null),
);

describe.skipIf(missing.length > 0)(
  `the commands and files, as they are written${missing.length > 0 ? ` (skipped: no ${missing.join(', ')})` : ''}, of`,
  () => {
    test.each(played)('docs/%s.md', async (page) => {
      const place = join(folder, page.replace(/^.*\//, ''));
      mkdirSync(place);
      const { given, exits = {} } = scenes[page] ?? {};
      const { DATABASE_URL: _, EVENTSTORE_URL: _log, ...local } = known;
      const operator: Operator = await makeOperator(place, {
        ...local,
        ...(await given?.()),
      });
      let [written, input] = ['', ''];
      for (const { language, mark, text } of blocksOf(page)) {
        const [, file] = /^file: (.*)$/.exec(mark ?? '') ?? [];
        if (file !== undefined) writeFileSync(join(place, file), text);
        if (language === 'text' && !isWritten(text, written)) throw new Error(`not\n${text}but\n${written}`);
        if (language !== 'sh' || mark !== null) continue;
        const other = elsewhere[page];
        if (other instanceof RegExp && other.test(text)) continue;
        const browsing: Promise<void>[] = [];
        const asksForPassword = /^grantbook (?:login|user create) /.test(text);
        const ran = await operator(text, asksForPassword ? `${password}\n` : input, (stdout) => {
          const [, link] = /^Open (\S+)\n/m.exec(stdout) ?? [];
          if (link !== undefined && browsing.length === 0) browsing.push(allow(link));
        });
        await Promise.all(browsing);
        const code = Object.entries(exits).find(([part]) => text.includes(part))?.[1] ?? 0;
        expect([text, ran.exitCode, ran.output]).toEqual([text, code, ran.output]);
        written = ran.stdout;
        input = /^http\S+\/oauth\/authorize\?\S+\n$/.test(written)
          ? `${await shownAfter(written.trim())}\n`
          : '';
      }
    });
  },
);

test('every page is run, here or by another test, or is about a deployment that cannot be here', () => {
  const deployments = pages.filter((page) => page.startsWith('how-to/deploy-'));
  expect(pages.filter((page) => !played.includes(page) && typeof elsewhere[page] !== 'string')).toEqual(
    deployments,
  );
});

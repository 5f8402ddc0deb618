import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { judgeExpired } from '../../src/cli/doctor/kafka.ts';
import { judgeLeaders } from '../../src/cli/doctor/leaders.ts';
import { findService } from '../../src/cli/doctor/running.ts';
import { judgeService } from '../../src/cli/doctor/service.ts';
import { packageRoot } from '../../src/process/package-root.ts';
import { makeCertificates } from '../support/servers/certificates.ts';
import { commandsIn, missingParts, unknownCommands } from '../support/documents/advised-commands.ts';

const doctor = join(packageRoot, 'src/cli/doctor');
const sources = [
  ...readdirSync(doctor).map((name) => join(doctor, name)),
  join(packageRoot, 'src/eventstore/server/trouble-words.ts'),
  join(packageRoot, 'src/kafka/kafkajs/topics.ts'),
].map((file) => readFileSync(file, 'utf8').replaceAll(/^\s*(\/?\*|\/\/).*$/gm, ''));

/** Every text of the sources, those with values in them as well; what is quoted in them is no longer escaped. */
const texts = sources.flatMap((source) =>
  [...source.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)].map(([text]) =>
    text.slice(1, -1).replaceAll('\\', ''),
  ),
);

test('every command that the doctor names exists, and every part of a document', async () => {
  const commands = [...new Set(texts.flatMap(commandsIn))];
  expect(commands).toEqual(
    expect.arrayContaining(['npm start', 'grantbook migrate', 'grantbook keys restore FILE', 'ulimit -n']),
  );
  expect(await unknownCommands(commands)).toEqual([]);
  expect(texts.flatMap(missingParts)).toEqual([]);
  expect(texts.some((text) => text.includes('docs/how-to/operations.md, "'))).toBe(true);
});

test('what does not exist would be found', async () => {
  const none = ['grantbook keys mend', 'grantbook keys restore --softly', 'npm begin', 'no-such-program -x'];
  expect(await unknownCommands([...none, 'grantbook doctor', 'grantbook keys rotate --alg RS256'])).toEqual(
    none,
  );
  expect(missingParts('docs/how-to/operations.md, "No such part", and docs/none.md')).toEqual([
    'docs/how-to/operations.md, "No such part"',
    'docs/none.md',
  ]);
});

const url = 'http://127.0.0.1:8080';
const led = [
  { name: 'read-models', leader: '10.0.0.7' },
  { name: 'streams', leader: null },
];
const checks = {
  eventStore: 'ok',
  database: 'ok',
  projector: 'leading',
  history: 'standby',
  parked: 'nothing',
};
const answering = (status: string, more: Readonly<Record<string, string>> = {}) => ({
  url,
  readiness: { isReady: status === 'ready' || status === 'degraded', status, checks: { ...checks, ...more } },
  led,
  isStopped: false,
});
const found = (check: string): Finding => ({ check, state: 'failure', found: '', advice: '' });

test('a service that is stopped is one warning, and what hangs on it is none', () => {
  const facts = { url, readiness: null, led: [{ name: 'read-models', leader: null }], isStopped: true };
  expect(judgeService(facts, [])).toEqual({
    check: 'service',
    state: 'warning',
    found: `is stopped: no answer at ${url}, and no worker has a leader`,
    advice: 'start it: `npm start`',
  });
  expect(judgeService({ ...facts, url: null }, []).found).toBe('is stopped: no worker has a leader');
  expect(judgeLeaders(facts.led, true)).toEqual([]);
});

test('FX-75: a service behind an authority of one’s own is not taken for one that is away', async () => {
  const server = createServer((await makeCertificates()).server).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const nothing = { databaseUrl: null, withKafka: false, isKnownStopped: false };
  const there = findService({ url: `https://127.0.0.1:${port}`, ...nothing });
  expect(await there.distrusted()).toMatch(/^(?:UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/);
  expect([await there.readiness(), await there.isStopped()]).toEqual([null, false]);
  const away = findService({ url: 'https://127.0.0.1:1', ...nothing });
  expect([await away.distrusted(), await away.isStopped()]).toEqual([null, true]);
});

test('a service that runs elsewhere, or at an address that is not known, is a warning', () => {
  const unknown = { readiness: null, distrusted: 'SELF_SIGNED_CERT_IN_CHAIN', isStopped: false };
  expect(judgeService({ url: 'https://auth.example', led, ...unknown }, [])).toMatchObject({
    found: expect.stringMatching(/authority that this machine does not know .*SELF_SIGNED/),
    advice: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  });
  expect(judgeService({ url, readiness: null, led, isStopped: false }, [])).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('but an instance is the leader') as string,
  });
  expect(judgeService({ url: null, readiness: null, led, isStopped: false }, [])).toMatchObject({
    state: 'warning',
    advice: expect.stringContaining('MANAGEMENT_PORT') as string,
  });
  expect(judgeLeaders(led, false).map(({ check, state }) => [check, state])).toEqual([
    ['leader of read-models', 'ok'],
    ['leaders', 'failure'],
  ]);
});

test('FX-72: the doctor names messages that expired unread, with what to do', () => {
  const range = {
    records: 'profiles',
    topic: 'host.profiles',
    partition: 3,
    from: 5n,
    until: 8n,
    at: 0,
  } as const;
  expect(judgeExpired([]).map(({ state }) => state)).toEqual(['ok']);
  expect(judgeExpired([range])).toMatchObject([
    {
      state: 'failure',
      found: expect.stringContaining('3 messages of profiles expired unread since 1970-01-01') as string,
      advice: expect.stringContaining('grantbook expired-messages confirm') as string,
    },
  ]);
});

test('what readiness says is reported with what to do for each reason, and not again where another look has reported it', () => {
  expect(judgeService(answering('ready'), []).state).toBe('ok');
  const lost = { personalKeys: 'key lost: of 3 persons', headDeposits: '2 waiting' };
  expect(judgeService(answering('degraded', lost), [])).toMatchObject({
    state: 'warning',
    found: `${url} says degraded: personalKeys key lost: of 3 persons, headDeposits 2 waiting`,
    advice: expect.stringMatching(/grantbook keys restore FILE.*grantbook audit deposits/) as string,
  });
  const told = judgeService(answering('degraded', lost), [found('keys of persons')]);
  expect(told.found).toBe(`${url} says degraded: headDeposits 2 waiting`);
  expect(told.advice).not.toContain('kafka');
  const away = { eventStore: 'unreachable', tokens: 'not accepted until the read models are current' };
  expect(judgeService(answering('not-ready', away), [])).toMatchObject({
    state: 'failure',
    found: `${url} says not-ready: eventStore unreachable`,
  });
  expect(judgeService(answering('not-ready', away), [found('event store')])).toMatchObject({
    state: 'ok',
    found: `${url} says not-ready, for reasons that other checks report: eventStore, tokens`,
  });
  expect(judgeService(answering('not-ready', { tokens: 'not accepted' }), []).state).toBe('failure');
});

test('that the workers of an instance need a database that is away is reported with the database, not once more', () => {
  const away = {
    database: 'unreachable',
    projector: 'leading, and does not work: see the log',
    signals: 'stuck',
  };
  expect(judgeService(answering('not-ready', away), [found('database')])).toMatchObject({
    state: 'ok',
    found: `${url} says not-ready, for reasons that other checks report: database, projector, signals`,
  });
  expect(judgeService(answering('not-ready', away), []).state).toBe('failure');
  expect(judgeService(answering('degraded', { signals: 'stuck' }), [found('event store')])).toMatchObject({
    found: `${url} says degraded: signals stuck`,
    advice: expect.stringContaining('The read models are behind') as string,
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { receiveByPoll } from '../../../docs/examples/receive-by-poll.ts';
import { startProjector } from '../../../src/projections/follow/projector.ts';
import { makeSignalsProjection, signalsGroup } from '../../../src/signals/projection.ts';
import { startWakingPolls } from '../../../src/signals/wake-polls.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { activate, deactivate, setScene } from '../../support/scenes/http-scene.ts';
import { createPollStream } from '../../support/scenes/told-addons.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');

test('SG-13: the receiver by poll that docs/tutorials/receive-signals.md leads to has 30 lines', () => {
  const source = read('docs/examples/receive-by-poll.ts');
  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  expect(read('docs/tutorials/receive-signals.md')).toContain('(../examples/receive-by-poll.ts)');
});

test('SG-13: each row about conformance names a test that there is', () => {
  const tables = read('test/signals/conformance.md').split('## Conformance: ').slice(1);
  const sources = ['test/http', 'test/signals', 'test/commands'].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, '../../..', folder), { encoding: 'utf8', recursive: true })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => read(`${folder}/${file}`)),
  );
  const tests = sources.join('').toLowerCase();
  const rows = tables.map((table) => [...table.matchAll(/^\| [A-Z\d][^|]*\|[^|]+\| ([^|]*?) *\|$/gm)]);
  expect(rows.map((all) => all.length > 6)).toEqual(tables.map(() => true));
  const named = rows.flat().map(([, name = '']) => name.toLowerCase());
  const unknown = named.filter((name) => !tests.includes(name) && !/^(by |the same$)/.test(name));
  expect(unknown).toEqual([]);
});

test('SG-13: it is notified of a deactivation while it waits, and of the next one only after it has taken the first', async () => {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const http = await startHttpApp({ config: { baseUrl: issuer, issuer } });
  onTestFinished(() => http.close());
  const databaseUrl = http.database.url;
  const needs = { databaseUrl, log: http.store, logger: quietLogger() };
  const waking = startWakingPolls({ ...needs, ...http.polls, listener: http.listener });
  onTestFinished(() => waking.stop());
  const telling = makeSignalsProjection({ issuer, keepMs: 86_400_000, now: Date.now });
  const worker = startProjector({ ...needs, name: signalsGroup, projections: [telling] });
  onTestFinished(() => worker.stop());
  await http.app.listen({ port, host: '127.0.0.1' });

  const scene = await setScene(http, { confidential: true });
  const event = (name: string) => `${issuer}/signals/addon-${name}`;
  const events = [event('activated'), event('deactivated')];
  const streamId = await createPollStream(http, scene.clientId, events);
  const told: string[] = [];
  const enough = new Error('enough');
  const receiving = receiveByPoll(
    {
      issuer,
      clientId: scene.clientId,
      clientSecret: scene.clientSecret ?? '',
      endpointUrl: `${issuer}/ssf/poll/${streamId}`,
    },
    ({ events }) => {
      told.push(...Object.keys(events as object));
      return told.length === 3 ? Promise.reject(enough) : Promise.resolve();
    },
  );
  const ended = receiving.catch((error: unknown) => error);
  await expect.poll(http.polls.places.count).toBe(1);
  await activate(http, scene);
  await deactivate(http, scene);
  await activate(http, scene);
  expect(await ended).toBe(enough);
  expect(told).toEqual([event('activated'), event('deactivated'), event('activated')]);
});

test('SG-13: it acknowledges with its next token where one has ended, and ends where it gets none', async () => {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'K', alg: 'RS256' }];
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const set = await new SignJWT({ iss: issuer, aud: 'A', jti: 'J' })
    .setProtectedHeader({ alg: 'RS256', kid: 'K', typ: 'secevent+jwt' })
    .sign(privateKey);
  const tokens = [200, 200, 401, 200];
  const polls = [200, 401, 200, 401];
  const acknowledged: unknown[] = [];
  const server = createServer((request, answer) => {
    const send = (status = 500, body: object = {}) => answer.writeHead(status).end(JSON.stringify(body));
    const act = async () => {
      if (request.url === '/oauth/jwks') return send(200, { keys });
      if (request.url === '/oauth/token') return send(tokens.shift(), { access_token: 'T' });
      acknowledged.push(((await json(request)) as { readonly ack: unknown }).ack);
      return send(polls.shift(), { sets: acknowledged.length === 1 ? { J: set } : undefined });
    };
    void act();
  }).listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  const receiver = { issuer, clientId: 'A', clientSecret: 'S', endpointUrl: `${issuer}/ssf/poll/X` };
  await expect(receiveByPoll(receiver, () => Promise.resolve())).rejects.toThrow('token was answered 401');
  expect(acknowledged).toEqual([[], ['J'], ['J'], []]);
});

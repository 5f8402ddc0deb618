import { createHmac, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, eventTypeFilter, jsonEvent } from '@eventstore/db-client';
import Fastify from 'fastify';
import pg from 'pg';
import { startEmbedded } from '../../src/embedded/start-embedded.ts';
import type { Side } from '../against/side.ts';
import { startProgram } from '../child.ts';
import { form } from '../token-steps.ts';
import { closedInAnyCase, closeWhenInterrupted } from '../closing.ts';

/**
 * No authorization server, but what one costs at least that keeps our promises with the same two servers: Fastify, the
 * event store's client, pipelined statements. A refresh, an exchange and an authorization append one event, and ask
 * PostgreSQL before and after it; an introspection asks once; one subscriber gets each event and does nothing with it.
 * It checks nothing. Its CPU is that of a process apart: the first one only starts it.
 */
const clientId = 'bench';
const redirectUri = 'https://addon.example/callback';
const key = randomBytes(32);
const eventType = 'BenchTokensIssued';
const text = 'y'.repeat(180);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const serve = async (): Promise<Side> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'grantbook-bench-bare-'));
  const embedded = await startEmbedded({ dataDir, need: { postgres: true, eventStore: true } });
  const events = EventStoreDBClient.connectionString(embedded.eventStoreUrl ?? '');
  const database = new pg.Client({ connectionString: embedded.databaseUrl, pipeline: true });
  await database.connect();
  await database.query('create table bench_fence (subject text collate "C" primary key, open bool not null)');
  await database.query("insert into bench_fence select 'subject-' || n, true from generate_series(1, 200) n");
  await database.query('analyze bench_fence');
  events.subscribeToAll({ filter: eventTypeFilter({ prefixes: [eventType] }) }).on('data', () => undefined);
  const app = Fastify({ logger: false });
  app.addContentTypeParser(form['content-type'], { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(body as string))),
  );

  const isOpen = async (): Promise<boolean> => {
    const fence = { name: 'fence', text: 'select open from bench_fence where subject = any($1)' };
    const { rowCount } = await database.query({ ...fence, values: [['subject-1', 'subject-100']] });
    return rowCount === 2;
  };
  const append = async (stream: string): Promise<string> => {
    const data = { salt: randomBytes(16).toString('base64url'), text };
    await events.appendToStream(stream, jsonEvent({ type: eventType, data }));
    return createHmac('sha256', key).update(data.salt).digest('base64url');
  };
  const issue = async (stream: string): Promise<string | null> =>
    (await isOpen()) ? append(stream).then(async (token) => ((await isOpen()) ? token : null)) : null;
  const idToken = (): string => {
    const claims = Buffer.from(JSON.stringify({ iss: 'https://auth.example', sub: 'bench' })).toString(
      'base64url',
    );
    return `e30.${claims}.${sign('sha256', Buffer.from(`e30.${claims}`), privateKey).toString('base64url')}`;
  };
  type Form = { readonly code?: string; readonly refresh_token?: string };
  app.get('/oauth/authorize', async (request, reply) => {
    const { scope = '' } = request.query as { readonly scope?: string };
    const stream = `bench-${randomUUID().replaceAll('-', '')}`;
    await issue(stream);
    const code = `${stream}.${scope.includes('openid') ? 'openid' : ''}`;
    return reply.redirect(`${redirectUri}?code=${encodeURIComponent(code)}`, 303);
  });
  app.post('/oauth/token', async (request) => {
    const { code, refresh_token = code } = request.body as Form;
    const [stream = '', scope = ''] = (refresh_token ?? '').split('.');
    const token = await issue(stream);
    const tokens = {
      access_token: token,
      refresh_token: `${stream}.${scope}`,
      token_type: 'Bearer',
      expires_in: 300,
    };
    return scope === 'openid' ? { ...tokens, id_token: idToken() } : tokens;
  });
  app.post('/oauth/introspect', async () => ({
    active: await isOpen(),
    client_id: clientId,
    scope: 'profiles:read',
  }));
  closedInAnyCase(async () => {
    await app.close();
    await Promise.allSettled([events.dispose(), database.end()]);
    await embedded.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  const scopes = ['openid', 'profiles:read', 'reservations:read', 'access-rights:read'];
  const authorizePath = '/oauth/authorize?response_type=code';
  const secrets = { clientSecret: 'none', codeVerifier: 'none', cookies: ['none=none'] };
  return { baseUrl, clientId, redirectUri, authorizePath, scopes, ...secrets };
};

closeWhenInterrupted();
const [what] = process.argv.slice(2);
const side =
  what === 'serve' ? await serve() : (await startProgram<Side>(process.env, 'peers/bare', 'serve')).said;
console.log(JSON.stringify(side));

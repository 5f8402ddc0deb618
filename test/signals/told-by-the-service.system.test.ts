import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { composeRebuilds } from '../../src/compose/command-line.ts';
import { supportedTypes } from '../../src/signals/set-types.ts';
import { grantedBy, makeCast, run } from '../operations/running.ts';
import { eventually } from '../support/eventually.ts';
import { valueOf } from '../support/outcomes.ts';
import { startTestServers } from '../support/test-servers.ts';
import { newAddon } from '../support/registering.ts';

const { stores } = await startTestServers();
const running = await run(stores);
afterAll(() => running.stop());
await running.workers.ready;
const cast = await makeCast(running.core);

const issuer = 'http://127.0.0.1';
const redirectUri = 'https://addon.example/cb';

/** A confidential add-on with a poll stream for everything, and a token to poll with. */
const receiver = async (idTokenAlg: 'RS256' | 'ES256') => {
  const { commands } = running.core;
  const { clientId: addonId } = await newAddon(commands, {
    redirectUris: [redirectUri],
    confidential: true,
    idTokenAlg,
  });
  const delivery = { method: 'poll', endpointUrl: null, authorization: null, description: null } as const;
  const configuration = { ...delivery, eventsRequested: supportedTypes(issuer) };
  const { stream } = valueOf(await commands.createSignalStream({ addonId, caller: 'addon', configuration }));
  const [secret] = (await commands.listAddonSecrets(addonId)) ?? [];
  const issued = { addonId, secretId: secret?.secretId ?? '', scopes: ['ssf.read'] } as const;
  const { accessToken } = valueOf(await commands.issueAddonToken(issued));
  return { addonId, streamId: stream.streamId, accessToken };
};
type Receiver = Awaited<ReturnType<typeof receiver>>;

type Claims = {
  readonly jti: string;
  readonly sub_id: object;
  readonly events: Readonly<Record<string, object>>;
};

/** Polls and acknowledges until so many SETs came; each is verified with the published keys. */
const receive = async ({ addonId, streamId, accessToken }: Receiver, count: number, alg = 'RS256') => {
  const keys = createLocalJWKSet((await running.app.inject('/oauth/jwks')).json<JSONWebKeySet>());
  const received: Claims[] = [];
  let ack: readonly string[] = [];
  await eventually(async () => {
    const answer = await running.app.inject({
      method: 'POST',
      url: `/ssf/poll/${streamId}`,
      headers: { authorization: `Bearer ${accessToken}` },
      payload: { returnImmediately: true, ack },
    });
    const { sets } = answer.json<{ sets: Record<string, string> }>();
    ack = Object.keys(sets);
    for (const set of Object.values(sets)) {
      const expected = { issuer, audience: addonId, typ: 'secevent+jwt', algorithms: [alg] };
      const { payload } = await jwtVerify(set, keys, expected);
      expect(Object.keys(payload).toSorted()).toEqual(
        ['aud', 'events', 'iat', 'iss', 'jti', 'sub_id', 'txn'].toSorted(),
      );
      const claims = payload as unknown as Claims;
      expect(Object.keys(claims.events)).toHaveLength(1);
      received.push(claims);
    }
    expect([received.length, ack]).toEqual([count, []]);
  });
  return received.map(
    ({ events }) => Object.keys(events).map((type) => type.slice(type.lastIndexOf('/') + 1))[0],
  );
};

const everySet = async () =>
  (await running.core.pool.query('select * from signal_sets order by stream_id, jti'))
    .rows as readonly object[];

test('SG-04, SG-05: an add-on holds verifiable SETs of what ends its access, without personal data', async () => {
  const { commands } = running.core;
  const told = await receiver('RS256');
  const other = await receiver('ES256');
  const { addonId } = told;
  const by = { addonId, organizationId: cast.organizationId, by: cast.userId };
  valueOf(await commands.activateAddon({ ...by, sessionId: null }));
  valueOf(await commands.deactivateAddon(by));
  expect(await receive(told, 2)).toEqual(['addon-activated', 'addon-deactivated']);

  const person = { name: 'Ada Lovelace', email: 'ada@example.org' };
  const made = await commands.createUser({
    ...person,
    password: 'correct horse battery staple',
    administratorOf: [],
    roles: [],
  });
  const { userId } = valueOf(made);
  const subject = { kind: 'user', userId, epoch: 0 } as const;
  await grantedBy(commands, { addonId, userId, subject, scopes: ['profiles:read'] });
  valueOf(await commands.disableUser(userId));
  expect(await receive(told, 3)).toEqual(['account-disabled', 'session-revoked', 'tokens-revoked']);
  valueOf(await commands.eraseUser(userId));
  expect(await receive(told, 1)).toEqual(['account-purged']);
  valueOf(await commands.suspendAddon(other.addonId));
  expect(await receive(other, 1, 'ES256')).toEqual(['addon-suspended']);

  const sets = await everySet();
  const kept = JSON.stringify(sets, (_key, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  for (const personal of [...Object.values(person), 'Door Sync', 'Harbour House'])
    expect(kept).not.toContain(personal);
  const { rows } = await running.core.pool.query('select * from signal_holders where user_id = $1', [userId]);
  expect(rows).toEqual([]);
});

test('SG-11: a rebuild of the read models queues nothing again', async () => {
  await running.settled();
  const before = await everySet();
  expect(before.length).toBeGreaterThan(0);
  const rebuilds = composeRebuilds({ ...running.core, databaseUrl: stores.databaseUrl });
  const { signal } = new AbortController();
  await rebuilds.rebuild({ name: 'grants' }, signal);
  await rebuilds.swap({ name: 'grants', unverified: true }, signal);
  await running.settled();
  expect(await everySet()).toEqual(before);
});

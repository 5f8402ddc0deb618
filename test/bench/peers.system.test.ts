import { createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { measureInTurns, measures } from '../../bench/against/sides.ts';
import { tableOf } from '../../bench/against/turns.ts';
import { heavyPeers, peers, peersNamed, startPeers } from '../../bench/peers/peers.ts';
import { form } from '../../bench/token-steps.ts';
import { listening } from '../support/servers/serve.ts';

/** A hundredth of each burst. */
const share = 0.01;

test('a peer is measured like a version of ours; one that cannot be started says why, and is left out', async () => {
  const port = await listening(createServer());
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => said.mockRestore());
  const blocked = { name: 'blocked', program: ['peers/oidc-provider', String(port)] } as const;

  const started = await startPeers([blocked, ...peers], measures, share);
  onTestFinished(async () => {
    for (const { side } of started) await side.stop();
  });
  expect(started.map(({ name }) => name)).toEqual(peers.map(({ name }) => name));
  expect(said.mock.calls.flat().join('\n')).toMatch(
    new RegExp(`blocked cannot be started, and is left out: .*port ${port} of 127.0.0.1 is in use`),
  );

  const sides = started.flatMap(({ side }) => [side, side]);
  const turns = await measureInTurns(sides, measures, { rounds: 1, share });
  for (const { sides: bursts } of turns)
    for (const { perSecond } of bursts.flat()) expect(perSecond).toBeGreaterThan(0);
  const table = tableOf(
    started.flatMap(({ name }) => [name, `${name} again`]),
    turns,
  );
  for (const { name } of measures) expect(table).toContain(name);
});

test('a peer that is not known is refused with those that are', () => {
  expect(peersNamed(undefined)).toEqual(peers);
  expect(peersNamed(['keycloak', 'bare']).map(({ name }) => name)).toEqual(['keycloak', 'bare']);
  expect(() => peersNamed(['zitadel'])).toThrow(
    '--peer zitadel: no such peer; allowed: oidc-provider, bare, hydra, keycloak',
  );
});

/** Names, with a comma between each two: fetching one, and building it, takes minutes. */
const wanted = process.env['GRANTBOOK_HEAVY_PEERS']?.split(',') ?? [];

test.each(heavyPeers.filter(({ name }) => wanted.includes(name)))(
  '$name is measured, rotates refresh tokens, and knows the access token that is introspected',
  { timeout: 900_000 },
  async (peer) => {
    const [started] = await startPeers([peer], measures, share);
    if (!started) throw new Error('it cannot be started');
    const { side } = started;
    onTestFinished(() => side.stop());
    const { baseUrl, tokenPath = '', introspection, clientId, clientSecret } = side.said;
    const post = async (url: string, params: Readonly<Record<string, string>>) => {
      const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
      const headers = { ...form, authorization: `Basic ${basic}` };
      const answer = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(params) });
      return (await answer.json()) as unknown;
    };
    const refresh = (token = '') =>
      post(`${baseUrl}${tokenPath}`, { grant_type: 'refresh_token', refresh_token: token });

    const tokens = { access_token: expect.any(String), refresh_token: expect.any(String) };
    const plain = side.plain.at(-1);
    const refreshed = await refresh(plain);
    expect(refreshed).toMatchObject(tokens);
    expect(refreshed).not.toHaveProperty('id_token');
    expect(await refresh(plain)).toMatchObject({ error: 'invalid_grant' });
    expect(await refresh(side.identified.at(-1))).toMatchObject({ ...tokens, id_token: expect.any(String) });
    const introspected = `${introspection?.baseUrl ?? baseUrl}${introspection?.path}`;
    expect(await post(introspected, { token: side.accessToken })).toMatchObject({ active: true });
  },
);

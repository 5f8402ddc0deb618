import { createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { measureInTurns, measures } from '../../bench/against/sides.ts';
import type { Side } from '../../bench/against/side.ts';
import { tableOf } from '../../bench/against/turns.ts';
import { startProgram } from '../../bench/child.ts';
import { peers, peersNamed, startPeers } from '../../bench/peers/peers.ts';
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

test.runIf(process.env['GRANTBOOK_HEAVY_PEERS'])(
  'Keycloak rotates refresh tokens, gives an id_token only with openid, and knows its access tokens',
  { timeout: 600_000 },
  async () => {
    const keycloak = await startProgram<Side>(process.env, 'peers/keycloak');
    onTestFinished(() => keycloak.stop());
    const { said } = keycloak;
    const post = async (path: string, params: Record<string, string>) => {
      const client = { client_id: said.clientId, client_secret: said.clientSecret };
      const body = new URLSearchParams({ ...client, ...params });
      return (await fetch(said.baseUrl + path, { method: 'POST', body })).json();
    };
    const refresh = (token = '') =>
      post(said.tokenPath ?? '', { grant_type: 'refresh_token', refresh_token: token });

    const [plain, identified] = [said.opened?.plain[0], said.opened?.identified[0]];
    const refreshed = await refresh(plain);
    expect(refreshed).toEqual(expect.objectContaining({ refresh_token: expect.any(String) }));
    expect(refreshed).not.toHaveProperty('id_token');
    expect(await refresh(plain)).toMatchObject({ error: 'invalid_grant' });
    expect(await refresh(identified)).toHaveProperty('id_token');
    const token = said.opened?.accessToken ?? '';
    expect(await post(said.introspection?.path ?? '', { token })).toMatchObject({ active: true });
  },
);

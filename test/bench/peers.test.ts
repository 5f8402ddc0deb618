import { createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { measureInTurns, measures } from '../../bench/against/sides.ts';
import { tableOf } from '../../bench/against/turns.ts';
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

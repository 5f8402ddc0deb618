import { NotComparable } from '../against/commit.ts';
import { type Measure, type Running, startSide } from '../against/sides.ts';
import { tell } from '../tell.ts';

/** Another authorization server, and the program of `bench` that starts it and signs a user in. */
export type Peer = { readonly name: string; readonly program: readonly [string, ...string[]] };

/** Measured unless others are named. */
export const peers: readonly Peer[] = [
  { name: 'oidc-provider', program: ['peers/oidc-provider'] },
  { name: 'bare', program: ['peers/bare'] },
];

/** Only by name: they are fetched, and built, the first time. */
export const heavyPeers: readonly Peer[] = [
  { name: 'hydra', program: ['peers/hydra'] },
  { name: 'keycloak', program: ['peers/keycloak'] },
];

/** @throws {NotComparable} for a name that is none of theirs */
export const peersNamed = (names: readonly string[] | undefined): readonly Peer[] => {
  const all = [...peers, ...heavyPeers];
  if (!names) return peers;
  return names.map((wanted) => {
    const peer = all.find(({ name }) => name === wanted);
    if (peer) return peer;
    const allowed = all.map(({ name }) => name).join(', ');
    throw new NotComparable(`--peer ${wanted}: no such peer; allowed: ${allowed}`);
  });
};

type Started = { readonly name: string; readonly side: Running };

/**
 * The peers that can be started, warm; says which cannot, after they have said why.
 * @throws {NotComparable} if there are peers and none can be started
 */
export const startPeers = async (
  wanted: readonly Peer[],
  measured: readonly Measure[],
  warmUp?: number,
): Promise<readonly Started[]> => {
  const started: Started[] = [];
  for (const { name, program } of wanted)
    try {
      tell(`starting ${name}`);
      started.push({ name, side: await startSide(program, measured, warmUp) });
    } catch (error) {
      console.error(`${name} cannot be started, and is left out: ${String(error)}`);
    }
  if (wanted.length > 0 && started.length === 0)
    throw new NotComparable('--only peers: none of the peers can be started');
  return started;
};

import { NotComparable } from '../against/commit.ts';
import { type Measure, type Running, startSide } from '../against/sides.ts';
import { tell } from '../tell.ts';

/** Another authorization server, and the program of `bench` that starts it and signs a user in. */
export type Peer = { readonly name: string; readonly program: readonly [string, ...string[]] };

export const peers: readonly Peer[] = [
  { name: 'oidc-provider', program: ['peers/oidc-provider'] },
  { name: 'bare', program: ['peers/bare'] },
];

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

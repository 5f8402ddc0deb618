import type { Pool } from 'pg';
import { startChild } from '../child.ts';
import { expectList, accessTokenOf } from './tokens-of.ts';
import { revive } from './revive.ts';
import type { SeededActivation, Stage } from './stage.ts';
import { sessionHeader } from '../session-header.ts';

/** Milliseconds from sending the request to the complete answer, one for each round. */
export type Latencies = {
  /** In the order of the activations. */
  readonly measured: readonly (readonly number[])[];
  /** Of the minimum work, measured in each round. */
  readonly bare: readonly number[];
};

export type Rounds = {
  readonly baseUrl: string;
  readonly activations: readonly SeededActivation[];
  readonly rounds: number;
  /** Whether a projector runs: then each round begins with read models that are up to date. */
  readonly projected: boolean;
};

/** Warm-up rounds that do not count. */
const rehearsals = 5;

/**
 * Deactivates each activation once per round, in alternation with the minimum work, so that other load affects every
 * size alike. In every round a token of the activation works before and is refused after. The reaction must not run: it
 * would revoke the grants in the first round.
 */
export const timeDeactivations = async (
  stage: Stage,
  pool: Pool,
  { baseUrl, activations, rounds, projected }: Rounds,
): Promise<Latencies> => {
  const bareChild = await startChild<{ baseUrl: string }>(
    'bare-deactivation',
    stage.eventStoreUrl,
    stage.databaseUrl,
  );
  const tokens = await Promise.all(activations.map((activation) => sampledTokens(stage, activation)));
  const measured: number[][] = activations.map(() => []);
  const bare: number[] = [];
  try {
    for (let round = -rehearsals; round < rounds; round += 1) {
      const took = await timed(`${bareChild.said.baseUrl}/bare`, {});
      if (round >= 0) bare.push(took.ms);
      for (const [index, activation] of activations.entries()) {
        const [token = ''] = tokens[index]?.splice(0, 1) ?? [];
        tokens[index]?.push(token);
        const ms = await oneDeactivation(stage, pool, { baseUrl, activation, token, projected });
        if (round >= 0) measured[index]?.push(ms);
      }
    }
  } finally {
    await bareChild.stop();
  }
  return { measured, bare };
};

const sampledTokens = ({ core }: Stage, { grantIds }: SeededActivation): Promise<string[]> => {
  const places = new Set([0, grantIds.length >> 1, grantIds.length - 1]);
  return Promise.all([...places].map((place) => accessTokenOf(core, grantIds[place] ?? '')));
};

type One = Pick<Rounds, 'baseUrl' | 'projected'> & {
  readonly activation: SeededActivation;
  readonly token: string;
};

const oneDeactivation = async (stage: Stage, pool: Pool, one: One): Promise<number> => {
  const { baseUrl, activation, token, projected } = one;
  const { organizationId, grantIds } = activation;
  const position = await revive(stage, pool, organizationId);
  if (projected && !(await stage.core.readModels.waitFor(position, 30_000)))
    throw new Error('the read models do not follow: no deactivation can be measured');
  await expectList(baseUrl, token, 200);
  const { ms, body } = await deactivate(stage, baseUrl, organizationId);
  const { live_grants: live } = JSON.parse(body) as { live_grants: number | null };
  if (live !== null && live !== grantIds.length)
    throw new Error(`a receipt counts ${live} live grants where ${grantIds.length} were seeded`);
  await expectList(baseUrl, token, 401);
  return ms;
};

/** The administrator's call to the running service. @throws unless the answer is the receipt */
export const deactivate = ({ clientId, cookie }: Stage, baseUrl: string, organizationId: string) =>
  timed(`${baseUrl}/organizations/${organizationId}/addons/${clientId}/activation`, {
    cookie: sessionHeader(baseUrl, cookie),
  });

const timed = async (url: string, headers: Record<string, string>) => {
  const began = performance.now();
  const answer = await fetch(url, { method: 'DELETE', headers });
  const body = await answer.text();
  const ms = performance.now() - began;
  if (answer.status !== 200) throw new Error(`DELETE answered ${answer.status}: ${body.slice(0, 200)}`);
  return { ms, body };
};

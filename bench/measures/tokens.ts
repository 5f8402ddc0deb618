import { startChild } from '../child.ts';
import { load, type Load } from '../load.ts';
import { result, type Result } from '../results.ts';
import { authorizing, exchanging, refreshing } from '../token-steps.ts';
import type { World } from '../world.ts';

type Timing = { readonly seconds: number; readonly codes: number };

/** Exchanges and refreshes over HTTP, compared with the client's raw appends with as many in flight. */
export const measureTokens = async (world: World, timing: Timing): Promise<readonly Result[]> => {
  const results: Result[] = [];
  await warmUp(world);
  for (const inFlight of [16, 64]) {
    const raw = await startChild<Load>(
      'raw-appends',
      world.servers.eventStoreUrl,
      String(inFlight),
      String(timing.seconds),
    );
    await raw.stop();
    const ceiling = raw.said;
    const codes: string[] = [];
    const issued = await issueCodes(world, codes, timing.codes);
    const refreshTokens: string[] = [];
    const exchanged = await exchange(world, codes, refreshTokens, inFlight);
    const refreshed = await refresh(world, refreshTokens, inFlight, timing.seconds);
    results.push(
      result(`raw-appends-${inFlight}`, ceiling.perSecond, 'per s', ceiling.n),
      result(`raw-appends-${inFlight}-p50`, ceiling.p50, 'ms', ceiling.n),
      result(`authorize-${inFlight}`, issued.perSecond, 'per s', issued.n),
      ...withLatency(`exchange-${inFlight}`, exchanged, ceiling),
      ...withLatency(`refresh-${inFlight}`, refreshed, ceiling),
    );
  }
  return results;
};

/** Warm-up, so that the figures are those of a service that has run for a while. */
const warmUp = async (world: World): Promise<void> => {
  const codes: string[] = [];
  const refreshTokens: string[] = [];
  await issueCodes(world, codes, 300);
  await exchange(world, codes, refreshTokens, 16);
  await refresh(world, refreshTokens, 64, 3);
};

export const withLatency = (name: string, measured: Load, ceiling: Load): readonly Result[] => [
  result(name, measured.perSecond, 'per s', measured.n, ceiling.perSecond),
  result(`${name}-p50`, measured.p50, 'ms', measured.n),
  result(`${name}-p99`, measured.p99, 'ms', measured.n),
];

/** Below the limit of a session per minute (GR-06), even if a few extra requests are sent. */
const codesPerSession = 25;

/** With a remembered consent, so the answer is a redirect with the code, not a page. */
const issueCodes = async (world: World, codes: string[], amount: number): Promise<Load> => {
  const { baseUrl, authorizePath } = world;
  const cookies = await world.moreSessions(Math.ceil(amount / codesPerSession));
  const step = authorizing(authorizePath, [...cookies], codes);
  return load({ baseUrl, inFlight: 16, amount, expect: 303, step });
};

const exchange = (
  { baseUrl, clientId, redirectUri, codeVerifier }: World,
  codes: string[],
  refreshTokens: string[],
  inFlight: number,
): Promise<Load> =>
  load({
    baseUrl,
    inFlight,
    amount: codes.length,
    expect: 200,
    step: exchanging(
      { clientId, redirectUri, codeVerifier },
      codes,
      ({ refresh_token }) => void refreshTokens.push(refresh_token),
    ),
  });

const refresh = (
  { baseUrl, clientId }: World,
  refreshTokens: string[],
  inFlight: number,
  seconds: number,
): Promise<Load> =>
  load({ baseUrl, inFlight, seconds, expect: 200, step: refreshing({ clientId }, refreshTokens) });

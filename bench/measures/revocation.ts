import { result, type Result } from '../results.ts';
import { startChild } from '../child.ts';
import { tell } from '../tell.ts';
import type { Load } from '../load.ts';
import { percentile } from '../percentile.ts';
import { timeListRequests, timeListStatement, type Pairs } from '../revocation/fence-share.ts';
import { openGround, type Ground } from '../revocation/measuring-stage.ts';
import { timeRevocation } from '../revocation/last-grant-revoked.ts';
import { measureLeadership } from '../revocation/leadership.ts';
import { deactivationSizes, largest, revocationSizes, wantedOf, type Wants } from '../revocation/names.ts';
import { timeDeactivations, type Latencies } from '../revocation/deactivation.ts';

type Options = {
  /** The value of `--only`. */
  readonly only: string | undefined;
  readonly quick: boolean;
};

/** The duration of a deactivation and of everything that follows it, on its own servers. */
export const measureRevocation = async ({ only, quick }: Options): Promise<readonly Result[]> => {
  const wants = wantedOf(only, quick);
  tell(`seeding ${sizesFor(wants).join(' + ') || 'no'} live grants`);
  const ground = await openGround(sizesFor(wants));
  try {
    return [
      ...(await deactivations(ground, wants, quick ? 12 : 60)),
      ...(await revocations(ground, wants, quick ? 2 : 4)),
      ...(await fenceShare(ground, wants, quick ? 300 : 3_000)),
      ...(await measureLeadership(ground.stage, wants, quick ? 2 : 5)),
    ];
  } finally {
    await ground.close();
  }
};

const wantsAny = (wants: Wants, name: string): boolean =>
  ['', '-p99', '-rate'].some((suffix) => wants(`${name}${suffix}`));
const wantsFlatness = (wants: Wants) => wants('deactivation-flatness');
const unprojected = `deactivation-${largest}-unprojected`;

const deactivatedSizes = (wants: Wants): readonly number[] =>
  deactivationSizes.filter(
    (size) =>
      wantsAny(wants, `deactivation-${size}`) || (wantsFlatness(wants) && [1, largest].includes(size)),
  );
const revokedSizes = (wants: Wants): readonly number[] =>
  revocationSizes.filter((size) => wantsAny(wants, `last-grant-revoked-${size}`));

const sizesFor = (wants: Wants): readonly number[] => [
  ...new Set([
    ...deactivatedSizes(wants),
    ...(wantsAny(wants, unprojected) ? [largest] : []),
    ...revokedSizes(wants),
  ]),
];

/** For every size with a projector running, and for the largest without one (DE-06). */
const deactivations = async (ground: Ground, wants: Wants, rounds: number): Promise<readonly Result[]> => {
  const sizes = deactivatedSizes(wants);
  const results: Result[] = [];
  const time = (of: readonly number[], projected: boolean, baseUrl: string) =>
    timeDeactivations(ground.stage, ground.pool, {
      baseUrl,
      rounds,
      projected,
      activations: of.map((size) => ground.activation(size)),
    });
  if (sizes.length > 0) {
    tell(`${rounds} rounds of deactivations`);
    const latencies = await ground.withInstance(['revoke-on-deactivation'], ({ baseUrl }) =>
      time(sizes, true, baseUrl),
    );
    for (const [index, size] of sizes.entries())
      results.push(...deactivationResults(`deactivation-${size}`, latencies, index));
    const [one, most] = [1, largest].map((size) => latencies.measured[sizes.indexOf(size)]);
    if (one && most) results.push(result('deactivation-flatness', p50(most) / p50(one), 'x', rounds));
  }
  if (wantsAny(wants, unprojected)) {
    tell(`${rounds} rounds with the projector stopped`);
    const latencies = await ground.withInstance(['revoke-on-deactivation', 'read-models'], ({ baseUrl }) =>
      time([largest], false, baseUrl),
    );
    results.push(...deactivationResults(unprojected, latencies, 0));
  }
  return results;
};

const p50 = (values: readonly number[]): number => percentile(values, 0.5);
/** DE-06. The aim does not fail the bench; the table shows whether it is met. */
const aimMs = 50;

const deactivationResults = (
  name: string,
  { measured, bare }: Latencies,
  index: number,
): readonly Result[] => {
  const samples = measured[index] ?? [];
  const median = result(name, p50(samples), 'ms', samples.length, p50(bare));
  const note = `the aim is less than ${aimMs}`;
  return [
    p50(samples) < aimMs ? median : { ...median, note },
    result(`${name}-p99`, percentile(samples, 0.99), 'ms', samples.length),
  ];
};

/** Compared with as many raw appends of the client with 64 in flight, before and after each. */
const revocations = async (ground: Ground, wants: Wants, seconds: number): Promise<readonly Result[]> => {
  const sizes = revokedSizes(wants);
  if (sizes.length === 0) return [];
  const rawAppends = async (): Promise<number> => {
    const child = await startChild<Load>('raw-appends', ground.stage.eventStoreUrl, '64', String(seconds));
    await child.stop();
    return child.said.perSecond;
  };
  await ground.nothingToReactTo();
  return ground.withInstance([], async (instance) => {
    await instance.waitForRole('revocations', 'leading');
    const results: Result[] = [];
    let before = await rawAppends();
    for (const size of sizes) {
      tell(`revoking ${size} grants`);
      const activation = ground.activation(size);
      const took = await timeRevocation(ground.stage, ground.pool, instance.baseUrl, activation);
      const after = await rawAppends();
      const name = `last-grant-revoked-${size}`;
      results.push(
        result(name, took, 's', size),
        result(`${name}-rate`, size / took, 'per s', size, (before + after) / 2),
      );
      before = after;
    }
    return results;
  });
};

const fenceShare = async (ground: Ground, wants: Wants, pairs: number): Promise<readonly Result[]> => {
  const results: Result[] = [];
  if (wants('fence-share') || wants('fence-share-p50'))
    results.push(...shareResults('fence-share', await timeListRequests(ground.stage, pairs)));
  if (wants('fence-share-statement') || wants('fence-share-statement-p50'))
    results.push(...shareResults('fence-share-statement', await timeListStatement(ground.stage, pairs)));
  return results;
};

/** The share of the time, and the time itself compared with that without the fence. */
const shareResults = (name: string, { fenced, fenceless, n }: Pairs): readonly Result[] => [
  result(name, (1 - fenceless / fenced) * 100, '%', n),
  result(`${name}-p50`, fenced * 1000, 'µs', n, fenceless * 1000),
];

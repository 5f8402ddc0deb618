import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../src/process/package-root.ts';
import { NotComparable } from './against/commit.ts';
import { compareWith } from './against/compare.ts';
import { closeAll, closeWhenInterrupted, isInterrupted } from './closing.ts';
import { measureCatchUp } from './measures/catch-up.ts';
import { measureHistory } from './measures/history.ts';
import { measureImport } from './measures/import.ts';
import { measureKafka } from './measures/kafka.ts';
import { measureChanges } from './measures/changes.ts';
import { measureCommandLine } from './measures/command-line.ts';
import { measureDepth } from './measures/depth.ts';
import { measureLists } from './measures/lists.ts';
import { measureNotified } from './measures/notified.ts';
import { measurePages } from './measures/pages.ts';
import { measureRebuild } from './measures/rebuild.ts';
import { measureRevocation } from './measures/revocation.ts';
import { measureRotations } from './measures/rotations.ts';
import { measureSignals } from './measures/signals.ts';
import { measureTokens } from './measures/tokens.ts';
import { measureVisible } from './measures/visible.ts';
import { choose, type Group, groupNames, groups } from './only.ts';
import { peersNamed } from './peers/peers.ts';
import { printResults, type Result, writeResults } from './results.ts';
import { tell } from './tell.ts';
import { crowds, rotationCounts } from './rotations/names.ts';
import { startWorld, type World } from './world.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    against: { type: 'string', multiple: true },
    peer: { type: 'string', multiple: true },
  },
});
const seconds = values.quick ? 2 : 6;

let world: World | undefined;
const inWorld =
  (measure: (world: World) => Promise<readonly Result[]>): (() => Promise<readonly Result[]>) =>
  async () =>
    measure((world ??= await startWorld({ records: 200 })));
const leaveWorld = async (): Promise<void> => {
  const left = world;
  world = undefined;
  await left?.close();
};

/**
 * The order matters: the catch-up reads the events of earlier groups, and the import writes many. Revocation, kafka,
 * rebuild, history, rotations and signals use their own servers.
 */
const measures: Readonly<Record<Group, () => Promise<readonly Result[]>>> = {
  tokens: inWorld((here) => measureTokens(here, { seconds, codes: values.quick ? 1500 : 6000 })),
  lists: inWorld((here) => measureLists(here, { seconds })),
  visible: inWorld((here) => measureVisible(here, { samples: values.quick ? 100 : 500 })),
  'catch-up': inWorld(measureCatchUp),
  import: inWorld((here) => measureImport(here, { seconds, records: values.quick ? 20_000 : 100_000 })),
  depth: inWorld((here) =>
    measureDepth(
      here,
      values.quick ? { records: 200_000, samples: 100 } : { records: 1_000_000, samples: 500 },
    ),
  ),
  changes: inWorld((here) =>
    measureChanges(
      here,
      values.quick ? { records: 200_000, samples: 100 } : { records: 1_000_000, samples: 500 },
    ),
  ),
  pages: inWorld((here) => measurePages(here, { samples: values.quick ? 50 : 300 })),
  notified: inWorld((here) =>
    measureNotified(
      here,
      values.quick
        ? { records: 20_000, organizations: 200, turns: 3 }
        : { records: 100_000, organizations: 200, turns: 5 },
    ),
  ),
  'command-line': () => measureCommandLine({ runs: values.quick ? 5 : 21 }),
  revocation: async () => {
    await leaveWorld();
    return measureRevocation({ only: values.only, quick: values.quick });
  },
  kafka: async () => {
    await leaveWorld();
    return measureKafka({
      grants: values.quick ? 15_000 : 50_000,
      rounds: 200,
      records: values.quick ? 20_000 : 100_000,
    });
  },
  rebuild: async () => {
    await leaveWorld();
    return measureRebuild({ only: values.only, events: values.quick ? 100_000 : 1_000_000 });
  },
  history: async () => {
    await leaveWorld();
    return measureHistory({
      sizes: values.quick ? [10_000, 100_000] : [100_000, 1_000_000],
      samples: 3,
    });
  },
  rotations: async () => {
    await leaveWorld();
    return measureRotations(
      values.quick
        ? {
            rotations: rotationCounts.slice(0, 3),
            samples: 20,
            crowds: [crowds[0], 10_000],
            refreshes: 5_000,
          }
        : { rotations: rotationCounts, samples: 100, crowds, refreshes: 20_000 },
    );
  },
  signals: async () => {
    await leaveWorld();
    return measureSignals({ only: values.only, quick: values.quick });
  },
};

const withPeers = values.only === 'peers' || values.peer !== undefined;
const chosen = choose(values.only === 'peers' ? undefined : values.only);
if (!chosen) {
  console.error(`--only ${values.only}: no such measure; allowed: a group (${groupNames.join(', ')}, peers)`);
  console.error(`or one result of it: ${Object.values(groups).flat().join(', ')}`);
  process.exit(2);
}

closeWhenInterrupted();
if (values.against || withPeers) {
  try {
    await compareWith(
      { commits: values.against ?? [], peers: withPeers ? peersNamed(values.peer) : [] },
      { rounds: 6, share: values.quick ? 0.25 : 1 },
    );
  } catch (error) {
    if (!isInterrupted()) console.error(error instanceof NotComparable ? error.message : error);
    process.exitCode = error instanceof NotComparable ? 2 : 1;
  }
  await closeAll();
  process.exit();
}
const results: Result[] = [];
try {
  for (const name of chosen.groups) {
    tell(`measuring ${name}`);
    const measured = await measures[name]();
    const nameless = measured.find((each) => !(groups[name] as readonly string[]).includes(each.name));
    if (nameless) throw new Error(`bench/only.ts does not know the result ${nameless.name} of ${name}`);
    results.push(...measured.filter(chosen.keeps));
  }
} catch (error) {
  if (!isInterrupted()) throw error;
  await new Promise(() => undefined); // the process ends when everything is closed
} finally {
  await leaveWorld();
}
printResults(results);
writeResults(join(packageRoot, 'bench/latest.json'), results);

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { startChild } from '../child.ts';
import { reservationFile } from '../import/reservations.ts';
import { importFile, type Imported } from '../import/run-cli.ts';
import type { Load } from '../load.ts';
import { result, type Result } from '../results.ts';
import { tell } from '../tell.ts';
import { done, type World } from '../world.ts';

/** At least as many as the import keeps in flight. */
const inFlight = 256;
/** The aim does not fail the bench; the table shows whether it is met. */
const aimPerSecond = 5_000;

/**
 * An import of new reservations while the service keeps the lists up to date, compared with the client's raw appends
 * (before and after, without a projector); then the same file again, which changes nothing, and a newer version of each
 * record.
 */
export const measureImport = async (
  { core, servers, env }: World,
  { records, seconds }: { readonly records: number; readonly seconds: number },
): Promise<readonly Result[]> => {
  const { organizationId } = done(await core.commands.createOrganization({ name: 'Import' }));
  const folder = await mkdtemp(join(tmpdir(), 'grantbook-bench-import-'));
  const file = join(folder, 'reservations.ndjson');
  const rawAppends = async (): Promise<Load> => {
    const child = await startChild<Load>(
      'raw-appends',
      servers.eventStoreUrl,
      String(inFlight),
      String(seconds),
    );
    await child.stop();
    return child.said;
  };
  try {
    await pipeline(Readable.from(reservationFile(records)), createWriteStream(file));
    const before = await rawAppends();
    tell(`importing ${records} reservations`);
    const first = await importFile(env, file, organizationId);
    expectAll(first, first.added, records);
    const after = await rawAppends();
    tell('importing them again');
    const again = await importFile(env, file, organizationId);
    expectAll(again, again.unchanged, records);
    await pipeline(Readable.from(reservationFile(records, 2)), createWriteStream(file));
    tell('importing a new version of each');
    const newer = await importFile(env, file, organizationId);
    expectAll(newer, newer.changed, records);
    const ceiling = (before.perSecond + after.perSecond) / 2;
    const imported = result('import', records / first.seconds, 'records/s', records, ceiling);
    return [
      result(`raw-appends-${inFlight}`, ceiling, 'per s', before.n + after.n),
      imported.value < aimPerSecond ? { ...imported, note: `the aim is ${aimPerSecond}` } : imported,
      result('import-visible', first.visible_after_seconds, 's', records),
      result('import-again', records / again.seconds, 'records/s', records),
      result('import-changed', records / newer.seconds, 'records/s', records, ceiling),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** A fast import with another outcome is no result. */
const expectAll = (imported: Imported, counted: number, records: number): void => {
  if (counted !== records || !imported.visible)
    throw new Error(`the import did something else: ${JSON.stringify(imported)}`);
};

import { randomBytes } from 'node:crypto';
import { profileRecord } from '../support/documents/record-schemas.ts';
import { runImport } from '../../src/kafka/import/run-import.ts';
import type { CliService } from '../../src/cli/base/service.ts';
import type { Acknowledged } from './acknowledged.ts';

/** An import whose input does not end: new profiles, and every fourth time a newer version of an earlier one. */
export const importRecords = async (
  organizationId: string,
  { commands }: CliService,
  told: Acknowledged,
  isOver: () => boolean,
): Promise<void> => {
  const { counts, stopped } = await runImport({
    input: lines(isOver),
    organizationId,
    schema: profileRecord,
    // Always some under way; with more there is nothing left of the machine for those who are waited for.
    concurrency: 4,
    record: async (request) => {
      const outcome = await commands.recordProfile(request);
      if (outcome.ok) told.records.set(request.id, request.version);
      return outcome;
    },
  });
  // Unchanged is what a retry found already there.
  const stored = counts.added + counts.changed + counts.unchanged;
  if (stored !== sumOf(told.records) || counts.refused > 0)
    told.surprises.push(`the import counted ${JSON.stringify(counts)}`);
  if (stopped && !isOver()) throw stopped.cause;
};

const sumOf = (records: ReadonlyMap<string, number>): number =>
  [...records.values()].reduce((sum, version) => sum + version, 0);

async function* lines(isOver: () => boolean): AsyncGenerator<Buffer> {
  const versions = new Map<string, number>();
  const batch = randomBytes(4).toString('hex');
  for (let turn = 0; !isOver(); turn += 1) {
    const number = turn % 4 === 3 ? Math.floor(turn / 2) : turn;
    const id = `person_${batch}_${number}`;
    const version = (versions.get(id) ?? 0) + 1;
    versions.set(id, version);
    const line = { id, version, name: `Person ${number}`, email: `person${number}@example.com` };
    yield await Promise.resolve(Buffer.from(`${JSON.stringify(line)}\n`));
  }
}

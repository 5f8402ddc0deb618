import { organizations } from '../../administration/organizations.ts';
import { parsePosition, positionText } from '../../audit/timeline/position-text.ts';
import type { Importer, ImportTask } from '../import/importer.ts';
import type { ImportResult } from '../import/run-import.ts';
import { addCounts, noCounts, type ImportCounts } from '../import/tally.ts';
import { type Api, RefusedByService } from './api.ts';
import { batchesOf, type Batch } from './batches.ts';
import { remoteTasks } from './remote-tasks.ts';

type Imported = ImportCounts & { readonly position: string | null };

/** The service waits for some seconds in each. */
const attempts = 12;

/** Imports over the API, batch by batch. A batch that failed may be stored in part: sent again, it changes nothing. */
export const remoteImporter = (api: Api): Importer => {
  const send = async (
    { resource, organizationId }: Pick<ImportTask, 'resource' | 'organizationId'>,
    { bytes, firstLine }: Batch,
  ): Promise<Imported> => {
    const path = `/operator/api/organizations/${organizationId}/import/${resource.path}`;
    const answered = await api.ask('POST', path, {
      query: { first_line: firstLine },
      body: bytes,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    if (!answered.ok) throw new RefusedByService(answered);
    return answered.json as Imported;
  };
  return {
    organization: (text) => remoteTasks(api, undefined).show(organizations, text),
    run: async (task) => {
      let result: ImportResult = { counts: noCounts, position: null };
      let atLine = 0;
      try {
        for await (const batch of batchesOf(task.input)) {
          atLine = batch.firstLine;
          const { position, ...counts } = await send(task, batch);
          const newest = position === null ? null : parsePosition(position);
          result = { counts: addCounts(result.counts, counts), position: newest ?? result.position };
          atLine += batch.lines - 1;
          task.onProgress({ lines: atLine, bytes: batch.endsAtByte, counts: result.counts });
        }
        return result;
      } catch (cause) {
        return { ...result, stopped: { atLine, cause } };
      }
    },
    isVisible: async ({ position }, { signal }) => {
      if (position === null) return true;
      const query = { position: positionText(position) };
      for (let attempt = 0; attempt < attempts && !signal.aborted; attempt += 1) {
        const answered = await api.ask('GET', '/operator/api/shown', { query });
        if (!answered.ok) throw new RefusedByService(answered);
        if (answered.json['shown'] === true) return true;
      }
      return false;
    },
    close: () => Promise.resolve(),
  };
};

import type { Refused } from '../../audit/questions/service.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import type { AuditAnswered, AuditQuestion, Parameters } from '../../tasks/audit-questions.ts';
import { type Api, type Asked, type Refused as RefusedRequest, RefusedByService } from '../base/api.ts';
import type { CliIo } from '../base/cli-io.ts';
import { NotReached } from '../base/not-reached.ts';
import { showEventsRead } from '../base/progress.ts';

export type ExportLines = AsyncIterable<Uint8Array>;

/** Asks auditors' questions over the API. The events that are read are counted where that is in this process. */
export const auditsOver = (api: Api, { stderr }: Pick<CliIo, 'stderr'>) => ({
  ask: async (question: AuditQuestion, parameters: Parameters): Promise<AuditAnswered> => {
    const progress = api.isHere && question === 'exposure' ? showEventsRead(stderr) : null;
    const answered = await api
      .ask('GET', pathOf(question), asked(parameters, progress))
      .finally(() => progress?.end());
    return answered.ok ? answered : refusalIn(answered);
  },
  /** The lines as they come; the last one has the manifest. */
  export: async (parameters: Parameters): Promise<ExportLines | Refused> => {
    const progress = api.isHere ? showEventsRead(stderr) : null;
    const lines = await api.stream(pathOf('export'), asked(parameters, progress)).catch((error: unknown) => {
      progress?.end();
      throw error;
    });
    if (!('ok' in lines)) return progress ? ended(lines, progress.end) : complete(lines);
    progress?.end();
    return refusalIn(lines);
  },
  close: api.close,
});

const pathOf = (question: AuditQuestion): string => `/operator/api/audit/${question}`;

const asked = (query: Parameters, progress: Asked['meanwhile'] | null): Asked => ({
  query,
  ...(progress && { meanwhile: progress }),
});

const refusalIn = (refused: RefusedRequest): Refused => {
  const { code, status, message, kind } = refused;
  if (code === kind) throw new RefusedByService(refused);
  if (status === 403) throw new NotAllowed(code, message);
  return { ok: false, code, message, isMisuse: code === 'usage' };
};

async function* ended(lines: ExportLines, end: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* lines;
  } finally {
    end();
  }
}

async function* complete(bytes: ExportLines): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (cause) {
    throw new NotReached('GRANTBOOK_SERVER', 'The export ended early: there is no file', { cause });
  }
}

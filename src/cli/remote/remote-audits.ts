import type { AuditAnswered } from '../../tasks/audit-questions.ts';
import type { Audits } from '../audit/audits.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import { NotReached } from '../base/not-reached.ts';
import { type Api, type Refused, RefusedByService } from './api.ts';

/** Asks a service over its API. */
export const remoteAudits = (api: Api): Audits => ({
  ask: async (question, parameters) => {
    const answered = await api.ask('GET', `/operator/api/audit/${question}`, { query: parameters });
    return answered.ok ? answered : refusalIn(answered);
  },
  export: async (parameters) => {
    const answered = await api.stream('/operator/api/audit/export', { query: parameters });
    return 'ok' in answered ? refusalIn(answered) : complete(answered);
  },
  close: () => Promise.resolve(),
});

const refusalIn = (refused: Refused): Extract<AuditAnswered, { readonly ok: false }> => {
  const { code, status, message, kind } = refused;
  if (code === kind) throw new RefusedByService(refused);
  if (status === 403) throw new NotAllowed(code, message);
  return { ok: false, code, message, isMisuse: code === 'usage' };
};

async function* complete(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (cause) {
    throw new NotReached('GRANTBOOK_SERVER', 'The export ended early: there is no file', { cause });
  }
}

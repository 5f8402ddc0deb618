import type { AuditAnswered, AuditQuestion, Parameters } from '../../tasks/audit-questions.ts';
import type { Refused } from '../../audit/questions/service.ts';

/** Who answers auditors' questions: the servers of the settings, or a service over its API. */
export type Audits = {
  readonly ask: (question: AuditQuestion, parameters: Parameters) => Promise<AuditAnswered>;
  /** The lines of an export, as they come; the last one has the manifest. */
  readonly export: (parameters: Parameters) => Promise<ExportLines | Refused>;
  readonly close: () => Promise<void>;
};

export type ExportLines = AsyncIterable<string | Uint8Array>;

/** An export that had begun was refused. */
export class ExportRefused extends Error {
  override readonly name = 'ExportRefused';
  readonly refusal: Refused;
  constructor(refusal: Refused) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

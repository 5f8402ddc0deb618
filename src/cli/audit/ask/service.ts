import type { AuditAnswered } from '../../../administration/audit-questions.ts';
import type { Services } from '../../../administration/task.ts';
import type { CliService } from '../../base/service.ts';

/** What answers auditors' questions, and who asks. */
export type AuditService = Pick<
  CliService,
  'actor' | 'audit' | 'commands' | 'logHeads' | 'personal' | 'sign' | 'store'
> & {
  /** By which names are found. */
  readonly services: Services;
};

export type How = {
  readonly signal: AbortSignal;
  /** Called with each event that is read. */
  readonly passed?: (event: { readonly created: number }) => void;
};

export const answered = (json: Readonly<Record<string, unknown>>): AuditAnswered => ({ ok: true, json });

export type Refused = Extract<AuditAnswered, { readonly ok: false }>;

export const refusedQuestion = (code: string, message: string): Refused => ({
  ok: false,
  code,
  message,
  isMisuse: false,
});

/** Parameters that nothing can be answered about. */
export const misusedQuestion = (message: string): Refused => ({
  ok: false,
  code: 'usage',
  message,
  isMisuse: true,
});

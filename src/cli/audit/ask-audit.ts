import type { AuditQuestion, Parameters } from '../../tasks/audit-questions.ts';
import { answer, misused, refused, type Answer, type Text } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import type { Refused } from '../../audit/questions/service.ts';
import { auditsOver } from './audits.ts';

/** Asks a question, and prints its answer as text of the same JSON. */
export const askAudit = async <Shown>(
  io: Pick<CliIo, 'openApi' | 'stderr'>,
  question: AuditQuestion,
  parameters: Parameters,
  textOf: (json: Shown) => Text,
): Promise<Answer> => {
  const audits = auditsOver(await io.openApi('auditor'), io);
  try {
    const answered = await audits.ask(question, parameters);
    // The question says what its answer is.
    return answered.ok ? answer(answered.json, textOf(answered.json as Shown)) : refusedAnswer(answered);
  } finally {
    await audits.close();
  }
};

export const refusedAnswer = ({ code, message, isMisuse }: Refused): Answer =>
  isMisuse ? misused(message) : refused(code, message);

import {
  auditQuestions,
  type Asked,
  type AuditAnswered,
  type AuditQuestion,
  type Parameters,
} from '../../../administration/audit-questions.ts';
import { readInput } from '../../../administration/fields.ts';
import { askAsOf } from './as-of.ts';
import { askDeposits } from './deposits.ts';
import { askExport } from './export.ts';
import { askExposure } from './exposure.ts';
import { askHead } from './head.ts';
import { withoutNames } from './named.ts';
import { askReplay } from './replay.ts';
import { misusedQuestion, refusedQuestion, type AuditService, type How } from './service.ts';
import { askTimeline } from './timeline.ts';

type Ask<Question extends AuditQuestion> = (
  service: AuditService,
  asked: Asked<Question>,
  how: How,
) => Promise<AuditAnswered>;

const asks: { readonly [Question in Exclude<AuditQuestion, 'export'>]: Ask<Question> } = {
  timeline: askTimeline,
  replay: askReplay,
  'as-of': askAsOf,
  exposure: askExposure,
  deposits: askDeposits,
  head: askHead,
};

type Refused = Extract<AuditAnswered, { readonly ok: false }>;

/** Answers a question with its parameters as text. */
export const askQuestion = async (
  service: AuditService,
  question: AuditQuestion,
  parameters: Parameters,
  how: How,
): Promise<AuditAnswered> => {
  if (question === 'export') throw new Error('an export has lines');
  const asked = await read(service, question, parameters);
  // Each is asked with what its own parameters were read as.
  return 'ok' in asked ? asked : (asks[question] as Ask<AuditQuestion>)(service, asked.value, how);
};

export const exportLines = async (
  service: AuditService,
  parameters: Parameters,
  how: How,
): Promise<AsyncIterable<string> | Refused> => {
  const asked = await read(service, 'export', parameters);
  return 'ok' in asked ? asked : askExport(service, asked.value, how);
};

const read = async <Question extends AuditQuestion>(
  service: AuditService,
  question: Question,
  parameters: Parameters,
): Promise<{ readonly value: Asked<Question> } | Refused> => {
  const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
  const input = readInput(auditQuestions[question], given);
  if (input.ok) {
    const found = await withoutNames(service, input.value);
    return found.ok
      ? { value: found.value as Asked<Question> }
      : refusedQuestion(found.refusal, found.message);
  }
  return misusedQuestion(
    input.problems.map(({ field, allowed }) => `${field} is invalid. Allowed is ${allowed}.`).join(' '),
  );
};

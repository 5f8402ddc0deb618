import {
  auditQuestions,
  type Asked,
  type AuditAnswered,
  type AuditQuestion,
  type Parameters,
  readQuestion,
} from '../../tasks/audit-questions.ts';
import { addons } from '../../tasks/addons.ts';
import { idOf, withIds, type Found } from '../../tasks/find.ts';
import type { Json, Services } from '../../tasks/task.ts';
import { users } from '../../tasks/users.ts';
import { askAsOf } from './as-of.ts';
import { askDeposits } from './deposits.ts';
import { askExport } from './export.ts';
import { askExposure } from './exposure.ts';
import { askHead } from './head.ts';
import { askReplay } from './replay.ts';
import { misusedQuestion, refusedQuestion, type AuditService, type How, type Refused } from './service.ts';
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

/** With ids where names, e-mail addresses or external ids were given (AP-09). */
const read = async <Question extends AuditQuestion>(
  { services }: AuditService,
  question: Question,
  parameters: Parameters,
): Promise<{ readonly value: Asked<Question> } | Refused> => {
  const asked = readQuestion(question, parameters);
  if ('wrong' in asked) return misusedQuestion(asked.wrong);
  const found = await withIds(services, auditQuestions[question], asked.value as Json);
  const named = found.ok ? await withActor(services, found.value) : found;
  return named.ok ? { value: named.value as Asked<Question> } : refusedQuestion(named.refusal, named.message);
};

/** Actors that are neither a user nor an add-on: break-glass, and parts of Grantbook. */
const noName = /^[a-z]+(?:-[a-z]+)+$/;

/** The actor is recorded with the question, so a name that is nobody's is refused: it may be personal. */
const withActor = async (services: Services, asked: Json): Promise<Found<Json>> => {
  const { actor } = asked;
  if (typeof actor !== 'string' || noName.test(actor)) return { ok: true, value: asked };
  const [, addon] = /^addon:(.+)$/.exec(actor) ?? [];
  const about = addon === undefined ? users : addons;
  const id = await idOf(services, about, addon ?? actor);
  if (!id.ok) return id;
  if (!about.isId(id.value))
    return { ok: false, refusal: `${about.name}-unknown`, message: 'nobody is called like --actor says' };
  return { ok: true, value: { ...asked, actor: addon === undefined ? id.value : `addon:${id.value}` } };
};

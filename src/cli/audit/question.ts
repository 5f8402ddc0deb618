import type { Command } from 'commander';
import {
  type Asked,
  type AuditQuestion,
  auditQuestions,
  auditSummaries,
  type Parameters,
  readQuestion,
} from '../../tasks/audit-questions.ts';
import { type Field, fieldsOf } from '../../tasks/fields.ts';
import { addOptions, lowered, optionIn, optionOf } from '../base/fields.ts';
import { leaf } from '../base/define.ts';

/** What the option of a parameter is; those of a head are read from its file. */
const optionsOf = (question: AuditQuestion): readonly Field[] =>
  fieldsOf(auditQuestions[question])
    .filter(({ name }) => name !== 'stream' && !name.startsWith('head_'))
    .map((field) => (field.name === 'records' ? { ...field, kind: 'flag' } : field));

export const questionCommand = (audit: Command, question: AuditQuestion): Command => {
  const command = leaf(audit, question, lowered(auditSummaries[question]));
  const stream = fieldsOf(auditQuestions[question]).find(({ name }) => name === 'stream');
  if (stream) command.argument('<stream>', stream.description);
  addOptions(command, optionsOf(question));
  return command;
};

/** The parameters that were given, as text and as they are read. What is wrong with them is a usage error, before any server is asked. */
export const askedIn = <Question extends AuditQuestion>(
  command: Command,
  question: Question,
): { readonly parameters: Parameters; readonly asked: Asked<Question> } => {
  const [stream] = command.args;
  const parameters = Object.fromEntries([
    ['stream', command.registeredArguments.length > 0 ? stream : undefined],
    ...optionsOf(question).map(({ name }) => {
      const value = optionIn(command, name);
      return [name, value === true ? 'true' : value];
    }),
  ]) as Parameters;
  const read = readQuestion(question, parameters, ({ field }) =>
    field === 'stream' ? field : `option '${optionOf(field)}'`,
  );
  if ('wrong' in read) return command.error(`error: ${read.wrong}`);
  return { parameters, asked: read.value };
};

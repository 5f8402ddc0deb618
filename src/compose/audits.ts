import { exportRefusal } from '../audit/questions/export.ts';
import { askQuestion, exportLines } from '../audit/questions/ask-question.ts';
import { refusedQuestion, type AuditService } from '../audit/questions/service.ts';
import { NotAllowed } from '../common/not-allowed.ts';
import { inContext, type Commands } from '../commands/commands.ts';
import type { AskingAudits, OperatorDependencies } from '../http/operator/dependencies.ts';

type Answering = Omit<AuditService, 'actor' | 'commands'> & { readonly commands: Commands };

/** Auditors' questions over HTTP, asked as on the command line. */
export const composeAudits = (service: Answering): OperatorDependencies['audits'] => {
  const as = ({ holder, context }: AskingAudits): AuditService => ({
    ...service,
    actor: { by: holder.userId, user: holder },
    commands: inContext(service.commands, context),
  });
  return {
    ask: (question, parameters, asking) =>
      askQuestion(as(asking), question, parameters, asking).catch(refusedAsker),
    export: async (parameters, asking) => {
      const lines = await exportLines(as(asking), parameters, asking).catch(refusedAsker);
      return 'ok' in lines ? lines : begun(lines);
    },
  };
};

const refusedAsker = (error: unknown) => {
  if (error instanceof NotAllowed) return refusedQuestion(error.code, error.message);
  throw error;
};

/** With the first line: what is refused until then is an answer. */
const begun = async (lines: AsyncIterable<string>) => {
  const iterator = lines[Symbol.asyncIterator]();
  try {
    const first = await iterator.next();
    return (async function* () {
      if (first.done === true) return;
      yield first.value;
      try {
        yield* { [Symbol.asyncIterator]: () => iterator };
      } catch (error) {
        const refusal = exportRefusal(error);
        throw refusal ? new NotAllowed(refusal.code, refusal.message) : error;
      }
    })();
  } catch (error) {
    const refusal = exportRefusal(error);
    if (refusal === null) throw error;
    return refusal;
  }
};

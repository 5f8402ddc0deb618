import type { CliIo } from '../base/cli-io.ts';
import { showEventsRead } from '../base/progress.ts';
import { servicesOf } from '../base/local-tasks.ts';
import type { CliService } from '../base/service.ts';
import { ExportRefused, type Audits } from './audits.ts';
import { exportRefusal } from '../../audit/questions/export.ts';
import { askQuestion, exportLines } from '../../audit/questions/ask-question.ts';

/** Asks the servers of the settings. */
export const localAudits = (
  given: CliService,
  { signal, stderr }: Pick<CliIo, 'signal' | 'stderr'>,
): Audits => {
  const service = { ...given, services: servicesOf(given) };
  const reads = <Answer>(ask: (passed: (event: { readonly created: number }) => void) => Promise<Answer>) => {
    const progress = showEventsRead(stderr);
    return ask(progress.passed).finally(progress.end);
  };
  return {
    ask: (question, parameters) =>
      question === 'exposure'
        ? reads((passed) => askQuestion(service, question, parameters, { signal, passed }))
        : askQuestion(service, question, parameters, { signal }),
    export: async (parameters) => {
      const progress = showEventsRead(stderr);
      const lines = await exportLines(service, parameters, { signal, passed: progress.passed });
      if ('ok' in lines) progress.end();
      return 'ok' in lines ? lines : ended(lines, progress.end);
    },
    close: () => service.close(),
  };
};

/** @throws ExportRefused */
async function* ended(lines: AsyncIterable<string>, end: () => void): AsyncGenerator<string> {
  try {
    yield* lines;
  } catch (error) {
    const refusal = exportRefusal(error);
    throw refusal ? new ExportRefused(refusal) : error;
  } finally {
    end();
  }
}

import { parsePlace, type Place } from '../../kafka/dead-letters/letter.ts';
import { parseCursor } from '../../kafka/dead-letters/read-letters.ts';
import { deadLetterReasons } from '../../kafka/ingest/dead-letter.ts';
import type { Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { agreed, notConfirmed } from '../base/confirm.ts';
import { changing, leaf, type AddCommands } from '../base/define.ts';
import { allowing, collect, matching, oneOf, wholeFrom1To } from '../base/option-values.ts';
import { withColumns } from '../base/list.ts';
import { withService } from '../base/service.ts';
import {
  letterStates,
  listLetters,
  resendLetters,
  showLetter,
  type LetterDependencies,
  type ListOptions,
} from './letter-tasks.ts';
import { letterColumns } from './present-letters.ts';
import { brokersAway, configWithKafka } from './kafka-facts.ts';

export const addDeadLetterCommands: AddCommands = (kafka, io, run) => {
  const group = kafka
    .command('dead-letters')
    .description('messages of the host platform that could not be recorded');
  withColumns(leaf(group, 'list', 'list dead letters with their reasons, newest first'), letterColumns)
    .option('--reason <reason>', `only with one: ${deadLetterReasons.join(', ')}`, oneOf(deadLetterReasons))
    .option('--topic <topic>', 'only those that came from this topic', parseTopic)
    .option('--state <state>', `only these: ${letterStates.join(', ')}`, oneOf(letterStates))
    .option('--limit <n>', 'maximum number, up to 1000', wholeFrom1To(1000), 50)
    .option('--after <cursor>', 'next page: the `next` of the previous output', parseAfter)
    .action((options: ListOptions) =>
      run(() => withLetters(io, (dependencies) => listLetters(dependencies, options))),
    );
  changing(group, 'show', 'show a dead letter: why it was refused, and where it came from')
    .argument('<dead-letter>', nameHelp, parseName)
    .option('--content', 'its key, headers and value, too: personal data; the audit log says who saw it')
    .action((name: Place, { content = false }: { readonly content?: boolean }) =>
      run(() => withLetters(io, (dependencies) => showLetter(dependencies, name, content))),
    );
  changing(group, 'resend', 'publish dead letters to the topics that they came from')
    .argument('<dead-letter...>', nameHelp, collect(parseName))
    .option('--yes', 'do not ask at a terminal')
    .action((names: readonly Place[], { yes = false }: { readonly yes?: boolean }) =>
      run(async () => {
        const warning = `Messages to publish again to the topics that they came from: ${names.length}.`;
        if (!(await agreed(io, { yes, word: 'resend', warning }))) return notConfirmed;
        return withLetters(io, (dependencies) => resendLetters(dependencies, names));
      }),
    );
};

const nameHelp = 'TOPIC/PARTITION/OFFSET, as list prints it';
const parseName = allowing('is TOPIC/PARTITION/OFFSET of a dead letter: host.dead-letter/0/17', parsePlace);
const parseAfter = allowing('is the `next` of the previous output', parseCursor);
const parseTopic = matching('is the name of a topic, such as host.profiles', /^[A-Za-z0-9._-]{1,249}$/);

const withLetters = async (
  io: CliIo,
  use: (dependencies: LetterDependencies) => Promise<Answer>,
): Promise<Answer> => {
  const { kafka } = configWithKafka(io);
  return withService(io, async ({ actor, commands }) => {
    const { openLetters } = await import('./broker.ts');
    const { reader, client, close } = openLetters(kafka);
    try {
      return await use({ actor, commands, reader, client, topics: kafka.topics, signal: io.signal });
    } catch (error) {
      return brokersAway(error);
    } finally {
      await close();
    }
  });
};

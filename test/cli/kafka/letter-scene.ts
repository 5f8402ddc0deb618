import { textFor, type Answer } from '../../../src/cli/base/answer.ts';
import {
  listLetters,
  resendLetters,
  showLetter,
  type ListOptions,
} from '../../../src/cli/kafka/letter-tasks.ts';
import { inContext } from '../../../src/commands/commands.ts';
import { parsePlace, type Place } from '../../../src/kafka/dead-letters/letter.ts';
import { parseCursor } from '../../../src/kafka/dead-letters/read-letters.ts';
import { topics } from '../../kafka/ingest/scene.ts';
import type { ingestScene } from '../../kafka/ingest/scene.ts';

export const operator = '01K9RZ3Q5V0000000000000007';

const context = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  acting: { actor: operator, tokenId: null },
  reason: 'because of a test',
};

const placeOf = (name: string): Place => {
  const place = parsePlace(name);
  if (place === null) throw new Error(`${name} is no name`);
  return place;
};

/** With the text as it is in a file. */
const asText = async (given: Promise<Answer>) => {
  const { text, ...answered } = await given;
  return { ...answered, text: textFor(Infinity, text) };
};

/** What an operator does with the dead letters of this scene. */
export const operatorOf = (
  scene: Awaited<ReturnType<typeof ingestScene>>,
  client: Pick<typeof scene.kafka.client, 'publish'> = scene.kafka.client,
) => {
  const dependencies = {
    actor: { by: operator },
    commands: inContext(scene, context),
    reader: scene.kafka.reader,
    client,
    topics,
    signal: new AbortController().signal,
  };
  return {
    list: ({ after, ...options }: Omit<Partial<ListOptions>, 'after'> & { readonly after?: string } = {}) =>
      asText(
        listLetters(dependencies, {
          limit: 50,
          ...options,
          ...(after !== undefined && { after: parseCursor(after) ?? [] }),
        }),
      ),
    show: (name: string, withContent = false) => asText(showLetter(dependencies, placeOf(name), withContent)),
    resend: (...names: readonly string[]) => asText(resendLetters(dependencies, names.map(placeOf))),
  };
};

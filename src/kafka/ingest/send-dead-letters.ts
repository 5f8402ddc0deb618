import { type KafkaClient, MessageRefused, type MessageToPublish } from '../kafka-client.ts';
import { type DeadLetter, type LeftOut, sizeOf, toDeadLetter } from './dead-letter.ts';

type Needs = {
  readonly client: Pick<KafkaClient, 'publish'>;
  readonly topic: string;
  readonly now: () => number;
};

/** Half of what a broker takes at once, unless it was told otherwise. */
const bytesAtOnce = 512 * 1024;

const forms = ['nothing', 'value', 'value, key and headers'] as const satisfies readonly LeftOut[];

/**
 * Resolves once the broker has all of them. Where it refuses one for its size, that one goes without its value, then
 * without its key and headers too. When it refuses even that, it is the topic and not the message: this rejects.
 */
export const makeSendDeadLetters =
  ({ client, topic, now }: Needs) =>
  async (letters: readonly DeadLetter[], signal: AbortSignal): Promise<void> => {
    const at = new Date(now());
    const sendForm = async (letter: DeadLetter, form: LeftOut) =>
      client.publish([toDeadLetter(topic, letter, at, form)], signal);
    const sendAlone = async (letter: DeadLetter): Promise<void> => {
      for (const form of forms) {
        try {
          return await sendForm(letter, form);
        } catch (error) {
          if (!(error instanceof MessageRefused) || form === forms.at(-1)) throw error;
        }
      }
    };
    for (const chunk of chunksOf(letters, (letter) => toDeadLetter(topic, letter, at, 'nothing'))) {
      try {
        await client.publish(
          chunk.map(({ message }) => message),
          signal,
        );
      } catch (error) {
        if (!(error instanceof MessageRefused)) throw error;
        for (const { letter } of chunk) await sendAlone(letter);
      }
    }
  };

type Prepared = { readonly letter: DeadLetter; readonly message: MessageToPublish };

/** A request must not grow beyond what the broker takes because many small ones came together. */
const chunksOf = function* (
  letters: readonly DeadLetter[],
  prepare: (letter: DeadLetter) => MessageToPublish,
): Generator<readonly Prepared[]> {
  let chunk: Prepared[] = [];
  let bytes = 0;
  for (const letter of letters) {
    const message = prepare(letter);
    const size = sizeOf(message);
    if (chunk.length > 0 && bytes + size > bytesAtOnce) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push({ letter, message });
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
};

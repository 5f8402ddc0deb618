import { type KafkaClient, MessageRefused } from '../kafka-client.ts';
import { type DeadLetter, type LeftOut, toDeadLetter } from './dead-letter.ts';

type Dependencies = {
  readonly client: Pick<KafkaClient, 'publish'>;
  readonly topic: string;
  readonly now: () => number;
};

/** Well below the default maximum size of a message. */
const usualBytes = 512 * 1024;

/** Above this, a broker closes the connection (`socket.request.max.bytes`), like an unavailable one. */
const mostBytes = 16 * 1024 * 1024;

const forms = ['nothing', 'value', 'value, key and headers'] as const satisfies readonly LeftOut[];

/**
 * Resolves once the broker has all of them. If it refuses one because of its size, that one is sent without its value,
 * then also without key and headers. If it refuses even that, the topic is the problem, not the message: this rejects.
 */
export const makeSendDeadLetters = ({ client, topic, now }: Dependencies) => {
  const sendAlone = async (letter: DeadLetter, at: Date, signal: AbortSignal): Promise<void> => {
    for (const form of formsFor(letter)) {
      try {
        return await client.publish([toDeadLetter(topic, letter, at, form)], signal);
      } catch (error) {
        if (!(error instanceof MessageRefused) || form === forms.at(-1)) throw error;
      }
    }
  };
  return async (letters: readonly DeadLetter[], signal: AbortSignal): Promise<void> => {
    const at = new Date(now());
    const alone = letters.filter((letter) => bytesOf(letter) > usualBytes);
    const together = letters.filter((letter) => bytesOf(letter) <= usualBytes);
    try {
      const messages = together.map((letter) => toDeadLetter(topic, letter, at, 'nothing'));
      if (messages.length > 0) await client.publish(messages, signal);
    } catch (error) {
      if (!(error instanceof MessageRefused)) throw error;
      alone.push(...together);
    }
    for (const letter of alone) await sendAlone(letter, at, signal);
  };
};

/** A compressed message may have arrived with any size. */
const formsFor = (letter: DeadLetter): readonly LeftOut[] => {
  const { value } = letter.message;
  if (bytesOf(letter) <= mostBytes) return forms;
  return bytesOf(letter) - (value?.length ?? 0) <= mostBytes ? forms.slice(1) : forms.slice(2);
};

const bytesOf = ({ message: { key, value, headers } }: DeadLetter): number =>
  headers.reduce(
    (sum, [name, content]) => sum + name.length + content.length,
    (key?.length ?? 0) + (value?.length ?? 0),
  );

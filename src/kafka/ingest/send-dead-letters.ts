import { type KafkaClient, MessageRefused } from '../kafka-client.ts';
import { type DeadLetter, type LeftOut, toDeadLetter } from './dead-letter.ts';

type Dependencies = {
  readonly client: Pick<KafkaClient, 'publish'>;
  readonly topic: string;
  readonly now: () => number;
};

/** Well below what a broker takes as one message, unless it was told otherwise. */
const usualBytes = 512 * 1024;

/** Beyond this a broker does not refuse: it hangs up (`socket.request.max.bytes`), as one that is away does. */
const mostBytes = 16 * 1024 * 1024;

const forms = ['nothing', 'value', 'value, key and headers'] as const satisfies readonly LeftOut[];

/**
 * Resolves once the broker has all of them. Where it refuses one for its size, that one goes without its value, then
 * without its key and headers too. When it refuses even that, it is the topic and not the message: this rejects.
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

/** Packed, a message may come in at any size. */
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

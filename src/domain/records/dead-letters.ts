import type { DataIn, EventsIn } from '../describe-event.ts';
import { accept, type Decider, type Decision } from '../kernel/decision.ts';
import type { deadLetterEvents } from './events.ts';

export type DeadLetterEvent = EventsIn<typeof deadLetterEvents>;
export type DeadLetterResent = DataIn<typeof deadLetterEvents, 'DeadLetterResent'>;
export type DeadLetterShown = DataIn<typeof deadLetterEvents, 'DeadLetterShown'>;

type Place = Pick<DeadLetterResent, 'topic' | 'partition' | 'offset'>;

/** The dead letters that were resent: the last time of each, by name. */
export type ResentLetters = { readonly resent: ReadonlyMap<string, DeadLetterResent> };

const nameOf = ({ topic, partition, offset }: Place): string => `${topic}/${partition}/${offset}`;

export const deadLettersDecider: Decider<ResentLetters, DeadLetterEvent> = {
  initial: { resent: new Map() },
  evolve(letters, { type, data }) {
    switch (type) {
      case 'DeadLetterResent':
        return { resent: new Map(letters.resent).set(nameOf(data), data) };
      case 'DeadLetterShown':
        return letters;
    }
  },
};

/** When it was resent; null for one that was not, and for another one that got this offset in a topic of the same name. */
export const whenResent = (
  { resent }: ResentLetters,
  letter: Place & Pick<DeadLetterResent, 'writtenAt'>,
): DeadLetterResent | null => {
  const known = resent.get(nameOf(letter));
  return known?.writtenAt === letter.writtenAt ? known : null;
};

/** Recording one again changes nothing: two operators may have resent the same letter at once. */
export const noteResent = (
  letters: ResentLetters,
  resent: readonly DeadLetterResent[],
): Decision<DeadLetterEvent> =>
  accept(
    ...resent
      .filter((letter) => whenResent(letters, letter) === null)
      .map((data) => ({ type: 'DeadLetterResent', data }) as const),
  );

export const noteShown = (shown: DeadLetterShown): Decision<DeadLetterEvent> =>
  accept({ type: 'DeadLetterShown', data: shown });

type Kept = { readonly partition: number; readonly first: bigint; readonly end: bigint };

/** How many of the letters that the topic has were resent. */
export const countResent = ({ resent }: ResentLetters, topic: string, kept: readonly Kept[]): number =>
  [...resent.values()].filter(
    (letter) =>
      letter.topic === topic &&
      kept.some(
        ({ partition, first, end }) =>
          partition === letter.partition && first <= BigInt(letter.offset) && BigInt(letter.offset) < end,
      ),
  ).length;

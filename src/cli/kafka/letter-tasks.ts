import { Interrupted } from '../../audit/interrupted.ts';
import type { Commands } from '../../commands/commands.ts';
import { whenResent, type DeadLetterResent, type ResentLetters } from '../../domain/records/dead-letters.ts';
import {
  organizationIn,
  placeText,
  toResend,
  type Letter,
  type Place,
} from '../../kafka/dead-letters/letter.ts';
import {
  cursorText,
  findLetter,
  readLetters,
  type LetterFound,
  type LettersCursor,
} from '../../kafka/dead-letters/read-letters.ts';
import type { DeadLetterReason } from '../../kafka/ingest/dead-letter.ts';
import { MessageRefused, type KafkaClient, type TopicReader } from '../../kafka/kafka-client.ts';
import type { TopicNames } from '../../kafka/topics.ts';
import { misused, refused, type Answer } from '../base/answer.ts';
import type { ColumnOptions } from '../base/list.ts';
import type { Actor } from '../../commands/people/tokens/read-operator-token.ts';
import {
  presentLetter,
  presentLetters,
  presentResent,
  type LetterShown,
  type Refusal,
  type Resent,
} from './present-letters.ts';

export type LetterDependencies = {
  readonly actor: Pick<Actor, 'by'>;
  readonly commands: Pick<Commands, 'resentDeadLetters' | 'noteDeadLettersResent' | 'noteDeadLetterShown'>;
  readonly reader: TopicReader;
  readonly client: Pick<KafkaClient, 'publish'>;
  readonly topics: Pick<TopicNames, 'in' | 'deadLetter'>;
  readonly signal: AbortSignal;
};

export const letterStates = ['waiting', 'resent'] as const;

export type ListOptions = ColumnOptions & {
  readonly reason?: DeadLetterReason;
  readonly topic?: string;
  readonly state?: (typeof letterStates)[number];
  readonly limit: number;
  readonly after?: LettersCursor;
};

export const listLetters = async (
  { commands, reader, topics, signal }: LetterDependencies,
  { reason, topic, state, limit, after, columns }: ListOptions,
): Promise<Answer> => {
  const allowed = Object.values(topics.in);
  if (topic !== undefined && !allowed.includes(topic))
    return misused(
      `option '--topic <topic>': records do not come from ${topic}. Allowed are ${allowed.join(', ')}.`,
    );
  const shown = shownWith(await commands.resentDeadLetters());
  const matches = (letter: Letter): boolean =>
    (reason ?? letter.reason) === letter.reason &&
    (topic ?? letter.from?.topic) === letter.from?.topic &&
    (state === undefined || (shown(letter).resent === null) === (state === 'waiting'));
  const page = await readLetters(reader, topics.deadLetter, {
    matches,
    limit,
    after: after ?? null,
    signal,
  });
  if (page === null) return answerOf(refusalOf({ state: 'no-topic' }, topics));
  return presentLetters(page.letters.map(shown), page.next && cursorText(page.next), columns);
};

/** The content is recorded as shown before it is shown. */
export const showLetter = async (
  dependencies: LetterDependencies,
  name: Place,
  withContent: boolean,
): Promise<Answer> => {
  const { commands, reader, topics } = dependencies;
  const found = await find(reader, topics, name);
  if (found.state !== 'found') return answerOf(refusalOf(found, topics));
  const shown = shownWith(await commands.resentDeadLetters());
  if (withContent) await commands.noteDeadLetterShown(notedOf(dependencies, found));
  return presentLetter(shown(found.letter), found.message, withContent);
};

/** Recorded in groups of this size: after a crash in between, some are still listed as waiting, and a repeat resends them once more. */
const groupSize = 100;

/** Publishes each that was not resent yet: one that is refused again is another dead letter. */
export const resendLetters = async (
  dependencies: LetterDependencies,
  names: readonly Place[],
): Promise<Answer> => {
  const { commands, signal } = dependencies;
  const different = [...new Map(names.map((name) => [placeText(name), name])).values()];
  const known = await commands.resentDeadLetters();
  const done: Resent[] = [];
  for (let from = 0; from < different.length; from += groupSize) {
    const letters: Noted[] = [];
    try {
      for (const name of different.slice(from, from + groupSize)) {
        if (signal.aborted) throw new Interrupted();
        const { noted, ...resent } = await resendOne(dependencies, known, name);
        if (noted !== undefined) letters.push(noted);
        done.push(resent);
      }
    } finally {
      if (letters.length > 0) await commands.noteDeadLettersResent(letters);
    }
  }
  return presentResent(done);
};

type Noted = Omit<DeadLetterResent, 'at'>;

const resendOne = async (
  dependencies: LetterDependencies,
  known: ResentLetters,
  name: Place,
): Promise<Resent & { readonly noted?: Noted }> => {
  const { reader, client, topics, signal } = dependencies;
  const found = await find(reader, topics, name);
  if (found.state !== 'found') return { name, letter: null, outcome: refusalOf(found, topics) };
  const letter = shownWith(known)(found.letter);
  if (letter.resent !== null) return { name, letter, outcome: 'already-resent' };
  const to = whereTo(found.letter, topics);
  if (typeof to !== 'string') return { name, letter, outcome: to };
  try {
    await client.publish([toResend(name, to, found.message)], signal);
  } catch (cause) {
    if (!(cause instanceof MessageRefused)) throw cause;
    return { name, letter, outcome: { code: 'refused-by-kafka', message: cause.message } };
  }
  const { writtenAt } = found.letter;
  return { name, letter, outcome: 'resent', noted: { ...notedOf(dependencies, found), to, writtenAt } };
};

/** The topic that it came from, which must be one that records come from: no header makes us publish to another. */
const whereTo = (
  { from, leftOut, ...letter }: Letter,
  topics: LetterDependencies['topics'],
): string | Refusal => {
  if (from === null)
    return { code: 'no-origin', message: 'it does not say where it came from: Grantbook did not write it' };
  if (!Object.values(topics.in).includes(from.topic))
    return {
      code: 'unknown-topic',
      message: `it came from ${from.topic}, and records come from ${Object.values(topics.in).join(', ')} now (KAFKA_TOPIC_…)`,
    };
  if (leftOut !== null)
    return {
      code: 'left-out',
      message: `${letter.topic} did not take it with its ${leftOut}: send the message again from ${placeText(from)}`,
    };
  return from.topic;
};

type Found = Extract<LetterFound, { readonly state: 'found' }>;
type NotFound = Exclude<LetterFound, Found> | { readonly state: 'other-topic'; readonly topic: string };

const find = (
  reader: TopicReader,
  { deadLetter }: LetterDependencies['topics'],
  name: Place,
): Promise<LetterFound | NotFound> =>
  name.topic === deadLetter
    ? findLetter(reader, name)
    : Promise.resolve({ state: 'other-topic', topic: name.topic });

const refusalOf = (why: NotFound, { deadLetter }: LetterDependencies['topics']): Refusal => {
  switch (why.state) {
    case 'other-topic':
      return {
        code: 'not-dead-letters',
        message: `${why.topic} is not the topic of dead letters, which is ${deadLetter} (KAFKA_TOPIC_DEAD_LETTER)`,
      };
    case 'no-topic':
      return { code: 'no-topic', message: `there is no topic ${deadLetter}: grantbook migrate creates it` };
    case 'no-partition':
      return { code: 'unknown-letter', message: `${deadLetter} has ${why.partitions} partitions, from 0 on` };
    case 'gone':
      return {
        code: 'gone',
        message: `it is no longer kept: the oldest dead letter of that partition has the offset ${why.first}`,
      };
    case 'not-there':
      return {
        code: 'unknown-letter',
        message: `there is no such dead letter: the next offset is ${why.end}`,
      };
  }
};

const answerOf = ({ code, message }: Refusal): Answer => refused(code, message);

const shownWith =
  (known: ResentLetters) =>
  (letter: Letter): LetterShown => ({
    letter,
    resent: whenResent(known, { ...letter, offset: String(letter.offset) }),
  });

const notedOf = ({ actor }: Pick<LetterDependencies, 'actor'>, { letter, message }: Found) => ({
  topic: letter.topic,
  partition: letter.partition,
  offset: String(letter.offset),
  organizationId: organizationIn(message),
  by: actor.by,
});

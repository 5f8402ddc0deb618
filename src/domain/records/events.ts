import { z } from 'zod';
import {
  type AnyEventDescription,
  instant,
  maySkip,
  mustKnow,
  type SentenceContext,
  whole,
} from '../describe-event.ts';
import { organization, user } from '../event-subjects.ts';
import { isUserId } from '../kernel/actor.ts';
import { internal } from '../kernel/publication.ts';
import { profilePerson } from '../personal-data.ts';
import { recordStream } from '../streams.ts';
import { eachRecord, eachRecordEvent } from './each-record.ts';
import { recordResources } from './record-resources.ts';
import {
  changesOf,
  personalFields,
  profileIn,
  type RecordChange,
  type RecordDescription,
  type RecordField,
} from './record-resource.ts';
import type { RecordKey } from './record.ts';

/** Fields of every record of the host platform; a removal contains only these. */
const key = { organizationId: z.string(), id: z.string(), version: whole, at: instant };

/** Records were validated on arrival (records/schemas.ts): this only ensures the types that the program relies on. */
const fieldSchema = (field: RecordField): z.ZodType => {
  const value = field.kind === 'one-of' ? z.enum(field.values) : z.string();
  return field.optional ? value.nullable() : value;
};

const sentenceOf =
  ({ words: { one } }: RecordDescription, change: RecordChange) =>
  ({ id, version }: RecordKey, { words }: SentenceContext): string => {
    switch (change) {
      case 'Recorded':
        return words.RecordSent(one, id, version);
      case 'Removed':
        return words.RecordRemoved(one, id, version);
      case 'Erased':
        return words.RecordErased(one, id);
    }
  };

const describeChange = (resource: RecordDescription, change: RecordChange): AnyEventDescription => {
  const isRecorded = change === 'Recorded';
  const fields = isRecorded ? personalFields(resource) : [];
  const shape = Object.entries(isRecorded ? resource.fields : {}).map(
    ([name, field]) => [name, fieldSchema(field)] as const,
  );
  return {
    ...mustKnow(
      { ...key, ...Object.fromEntries(shape) },
      {
        sentence: sentenceOf(resource, change),
        /** Records are found by the names of their streams. There are too many to index each one. */
        subjects: null,
        notices: null,
        kafka: internal('it came from the host platform, which can tell of it itself, and is personal data'),
        ownStream: ({ organizationId, id }) => recordStream(resource, organizationId, id) as never,
      },
    ),
    ...(fields.length > 0 && {
      /** The personal fields of a record belong to its profile; a profile's belong to itself. */
      personal: {
        fields,
        subject: (data: RecordKey) => profilePerson(data.organizationId, profileIn(resource, data)),
      },
    }),
  };
};

export const recordEvents = eachRecordEvent(describeChange);

export const recordEventsByCategory = eachRecord('category', (resource) =>
  Object.fromEntries(
    changesOf(resource).map((change) => {
      const type = `${resource.name}${change}` as keyof typeof recordEvents;
      return [type, recordEvents[type]];
    }),
  ),
);

/** `by` whom, so that it is in the timeline of that user, too. */
const ofDeadLetter = {
  topic: z.string(),
  partition: whole,
  offset: z.string(),
  organizationId: z.string().nullable(),
  by: z.string(),
  at: instant,
};

type OfDeadLetter = {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly organizationId: string | null;
  readonly by: string;
};

const aboutDeadLetters = {
  subjects: ({ organizationId, by }: OfDeadLetter) => [
    ...(organizationId === null ? [] : [organization(organizationId)]),
    ...(isUserId(by) ? [user(by)] : []),
  ],
  notices: null,
  kafka: internal('it is for auditors, and authorizes no add-on'),
};

const nameOf = ({ topic, partition, offset }: OfDeadLetter): string => `${topic}/${partition}/${offset}`;

/** Notes for auditors: nothing is decided by them. */
export const deadLetterEvents = {
  DeadLetterResent: maySkip(
    {
      ...ofDeadLetter,
      to: z.string(),
      /** Of the dead letter: tells it from one in a newer topic of the same name. */
      writtenAt: instant,
    },
    {
      ...aboutDeadLetters,
      sentence: (data, { words }) => words.DeadLetterResent(nameOf(data), data.to),
    },
  ),
  /** Its key, headers and value, which are personal data; recorded before they are shown. */
  DeadLetterShown: maySkip(ofDeadLetter, {
    ...aboutDeadLetters,
    sentence: (data, { words }) => words.DeadLetterShown(nameOf(data)),
  }),
};

const records = z.enum(recordResources.map(({ path }) => path));

/** Messages of the host platform that were deleted before they were read: notes, by which nothing is decided. */
export const expiredMessageEvents = {
  HostMessagesExpired: maySkip(
    /** From one offset up to another (exclusive). */
    { records, topic: z.string(), partition: whole, from: z.string(), until: z.string(), at: instant },
    {
      subjects: null,
      notices: null,
      kafka: internal('it is for operators, and says which messages of the host platform were lost'),
      sentence: ({ records: kind, topic, partition, from, until }, { words }) =>
        words.HostMessagesExpired(kind, topic, partition, from, until),
    },
  ),
  /** Of all that were found before. `by` whom, so that it is in the timeline of that user, too. */
  ExpiredMessagesConfirmed: maySkip(
    { records, by: z.string(), at: instant },
    {
      subjects: ({ by }) => (isUserId(by) ? [user(by)] : []),
      notices: null,
      kafka: internal('it is for auditors, and authorizes no add-on'),
      sentence: ({ records: kind }, { words }) => words.ExpiredMessagesConfirmed(kind),
    },
  ),
};

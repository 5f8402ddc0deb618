import { addonTokenEvents, consentEvents, grantEvents } from './access/events.ts';
import { addonEvents } from './addons/events.ts';
import type { AnyEventDescription, EventsIn, SentenceContext } from './describe-event.ts';
import { type About, type Owner, type Place, thisGrant, thisSession } from './event-subjects.ts';
import { sentenceOf, type Sentence } from './kernel/sentence.ts';
import { idOf } from './kernel/stream-name.ts';
import {
  auditQueryEvents,
  logCopyEvents,
  logHeadEvents,
  projectionEvents,
  retentionEvents,
  signingKeyEvents,
} from './log/events.ts';
import { activationEvents, externalIdEvents, organizationEvents } from './organizations/events.ts';
import {
  accountEvents,
  administratorTokenEvents,
  emailEvents,
  identityEvents,
  operatorsEvents,
} from './people/events.ts';
import { publisherEvents } from './publishers/events.ts';
import type { PersonalSubject } from './personal-data.ts';
import type { RecordEvent } from './records/each-record.ts';
import { deadLetterEvents, expiredMessageEvents, recordEventsByCategory } from './records/events.ts';
import { sessionEvents } from './sign-in/events.ts';
import { signalStreamEvents } from './signals/events.ts';
import type { StreamName } from './streams.ts';

/** The events that the streams of each category may hold. `docs/reference/events.md` lists them with their fields. */
export const eventsByCategory = {
  addon: addonEvents,
  account: accountEvents,
  email: emailEvents,
  identity: identityEvents,
  operators: operatorsEvents,
  administratorTokens: administratorTokenEvents,
  clientToken: addonTokenEvents,
  organization: organizationEvents,
  publisher: publisherEvents,
  externalId: externalIdEvents,
  activation: activationEvents,
  consent: consentEvents,
  grant: grantEvents,
  session: sessionEvents,
  ...recordEventsByCategory,
  deadLetters: deadLetterEvents,
  expiredMessages: expiredMessageEvents,
  projection: projectionEvents,
  audit: auditQueryEvents,
  logHead: logHeadEvents,
  logCopy: logCopyEvents,
  signingKey: signingKeyEvents,
  signalStream: signalStreamEvents,
  retention: retentionEvents,
};

/** Those of records are typed by the descriptions of the records. */
type Own = Omit<typeof eventsByCategory, keyof typeof recordEventsByCategory>;
type EventsOf<C> = C extends keyof Own ? EventsIn<Own[C]> : never;

/** The descriptions by event type, but for the events of records. */
export type EventDescriptions = {
  [T in EventsOf<keyof Own>['type']]: Extract<Own[keyof Own], Readonly<Record<T, unknown>>>[T];
};

/** All events of the log. */
export type DomainEvent = EventsOf<keyof Own> | RecordEvent;

export type EventType = DomainEvent['type'];

export type EventOf<T extends EventType> = Extract<DomainEvent, { readonly type: T }>;

/** The description of each event type: what other modules know about a type is derived from it. */
export const eventDescriptions = Object.assign({}, ...Object.values(eventsByCategory)) as {
  readonly [T in EventType]: AnyEventDescription;
};

export const eventTypes = Object.keys(eventDescriptions) as readonly EventType[];

/** What happened, in the language of `words` in the context. */
export const eventSentence = ({ type, data }: DomainEvent, context: SentenceContext): string =>
  eventDescriptions[type].sentence(data as never, context);

export const describeEvent = (event: DomainEvent, context: SentenceContext): Sentence =>
  sentenceOf(eventSentence(event, context));

/** Event types that appear in timelines. */
export const typesWithSubjects = eventTypes.filter((type) => eventDescriptions[type].subjects !== null);

/** Event types whose subjects are those of the stream's first event, and no others. */
export const ownedTypes: ReadonlySet<EventType> = new Set(
  typesWithSubjects.filter((type) => {
    const subjects: unknown = eventDescriptions[type].subjects;
    return subjects === thisGrant || subjects === thisSession;
  }),
);

export const subjectsOf = ({ type, data }: DomainEvent, place: Place): readonly About[] =>
  eventDescriptions[type].subjects?.(data as never, place) ?? [];

/** The subjects that the first event of a grant or a session gives to all later ones; null for any other event. */
export const ownerIn = (event: DomainEvent): Owner | null => {
  if (event.type === 'AuthorizationCodeIssued') {
    const { addonId, userId, subject } = event.data;
    const organizationId = subject.kind === 'organization' ? subject.organizationId : null;
    return { organizationId, addonId, userId };
  }
  if (event.type !== 'SessionStarted') return null;
  return { organizationId: null, addonId: null, userId: event.data.userId };
};

const descriptionOf = (type: string): AnyEventDescription | undefined =>
  Object.hasOwn(eventDescriptions, type) ? eventDescriptions[type as EventType] : undefined;

/** The only stream that may hold the event, from its data; null where the data do not say it. */
export const ownStreamOf = (type: EventType, data: unknown): StreamName | null =>
  descriptionOf(type)?.ownStream?.(data as never) ?? null;

/** The personal fields of a type, or null when it has none. */
export const personalFieldsOf = (type: string): readonly string[] | null =>
  descriptionOf(type)?.personal?.fields ?? null;

/** The person that an event's fields belong to; only for types that have personal fields. */
export const personIn = (type: string, data: object, stream: string): PersonalSubject | null =>
  descriptionOf(type)?.personal?.subject(data as never, idOf(stream)) ?? null;

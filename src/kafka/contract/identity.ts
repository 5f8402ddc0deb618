import type { GrantSubject } from '../../domain/access/grant.ts';
import { idOf, idsOf, isOfCategory } from '../../domain/kernel/stream-name.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import type { EventOf, EventType } from '../../domain/events.ts';

/** In every message of a kind, for readers without other messages. Messages of one `key` stay in order. */
export type Identity<Data> = { readonly key: string; readonly data: Data };

export const identities = {
  activation: ({ stream }: RecordedEvent) => {
    const [organizationId, addonId] = idsOf(stream);
    return {
      key: `${organizationId}.${addonId}`,
      data: { organization_id: organizationId, addon_id: addonId },
    };
  },
  grant: (recorded: RecordedEvent, known: GrantOwner | null) => {
    const { stream } = recorded;
    const grantId = grantIdOf(stream);
    const owner = ownerFrom(recorded) ?? known;
    if (grantId === null || owner === null) throw new Error(`nobody said whose ${stream} is`);
    const subject = publishedSubject(owner.subject);
    return {
      key: `${subject.id}.${owner.addonId}`,
      data: { grant_id: grantId, addon_id: owner.addonId, subject },
    };
  },
  consent: (recorded: RecordedEvent) => {
    const [id, addonId] = idsOf(recorded.stream);
    return {
      key: `${id}.${addonId}`,
      data: { addon_id: addonId, subject: { kind: consentKind(recorded, id), id } },
    };
  },
  addon: ({ stream }: RecordedEvent) => {
    const addonId = idOf(stream);
    return { key: addonId, data: { addon_id: addonId } };
  },
  organization: ({ stream }: RecordedEvent) => {
    const organizationId = idOf(stream);
    return { key: organizationId, data: { organization_id: organizationId } };
  },
} satisfies Record<string, (recorded: RecordedEvent, owner: GrantOwner | null) => Identity<object>>;

export type IdentityKind = keyof typeof identities;
export type IdentityData<I extends IdentityKind> = ReturnType<(typeof identities)[I]>['data'];

type SubjectKind = 'organization' | 'user';

type PublishedSubject = { readonly kind: SubjectKind; readonly id: string; readonly epoch: number };

const publishedSubject = (subject: GrantSubject): PublishedSubject => {
  switch (subject.kind) {
    case 'organization':
      return { kind: 'organization', id: subject.organizationId, epoch: subject.epoch };
    case 'user':
      return { kind: 'user', id: subject.userId, epoch: subject.epoch };
  }
};

/** A consent is about the records of the user who gave it, or of an organization. */
const consentKind = ({ event }: RecordedEvent, subjectId: string): SubjectKind => {
  if (event.type !== 'ScopesApproved' && event.type !== 'ConsentWithdrawn')
    throw new Error(`${event.type} is about no consent`);
  return event.data.userId === subjectId ? 'user' : 'organization';
};

/** The add-on and the subject of a grant. Only the first event of a grant contains them (`ownerFrom`). */
export type GrantOwner = { readonly addonId: string; readonly subject: GrantSubject };

type First = EventOf<'AuthorizationCodeIssued'>['data'];

/** From the first event of a grant; null for any other event. */
export const ownerFrom = ({ event }: Pick<RecordedEvent, 'event'>): GrantOwner | null =>
  event.type === 'AuthorizationCodeIssued' ? ownerOf(event.data) : null;

const ownerOf = ({ addonId, subject }: First): GrantOwner => ({ addonId, subject });

/** The id in `grant-<id>`; null for another stream. */
export const grantIdOf = (stream: string): string | null =>
  isOfCategory(stream, 'grant') ? idOf(stream) : null;

/** Whether `toMessage` needs the owner: for every event of a grant except the first. */
export const needsOwner = ({ stream, event }: Pick<RecordedEvent, 'stream' | 'event'>): boolean =>
  grantIdOf(stream) !== null && event.type !== ('AuthorizationCodeIssued' satisfies EventType);

import {
  type DomainEvent,
  eventsByCategory,
  type EventType,
  ownStreamOf,
} from '../../../src/domain/events.ts';
import type { StreamName } from '../../../src/domain/streams.ts';
import { codec, eventSchemas } from '../../../src/eventstore/codec/codec.ts';
import { fixtures, stored } from '../../eventstore/codec/fixtures.ts';

/** An event that may follow any other of its stream, as far as its schema says. */
export type Variant = {
  /** The fixture, and what is different. */
  readonly name: string;
  readonly stream: StreamName;
  readonly event: DomainEvent;
};

type Data = Readonly<Record<string, unknown>>;

/** The fixtures were made one by one: here the same thing has the same id in all of them. */
const ids = {
  userId: '01K9RZ3Q5V0000000000000001',
  addonId: '01K9RZ3Q5V0000000000000002',
  organizationId: '01K9RZ3Q5V0000000000000003',
  grantId: '01K9RZ3Q5V0000000000000004',
  sessionId: '01K9RZ3Q5V0000000000000005',
  publisherId: '01K9RZ3Q5V0000000000000006',
  tokenId: '01K9RZ3Q5V0000000000000007',
  streamId: '01K9RZ3Q5V0000000000000002_01K9RZ3Q5V0000000000000008',
};
const { userId, addonId, organizationId, grantId } = ids;

/** Where no field says which stream it is. A consent is one for a user's own data, or for an organization's. */
const streamsOf: Readonly<Record<string, readonly string[]>> = {
  consent: [`consent-${userId}.${addonId}`, `consent-${organizationId}.${addonId}`],
  activation: [`activation-${organizationId}.${addonId}`],
  account: [`account-${userId}`],
  administratorTokens: [`administratorTokens-${userId}`],
  addon: [`addon-${addonId}`],
  signalStream: [`signalStream-${addonId}`],
  organization: [`organization-${organizationId}`],
  publisher: [`publisher-${ids.publisherId}`],
  grant: [`grant-${grantId}`],
  session: [`session-${ids.sessionId}`],
  clientToken: [`clientToken-${ids.tokenId}`],
};

const aligned = (data: Data): Data => ({ ...data, ...pick(ids, Object.keys(data)) });
const pick = (from: Data, keys: readonly string[]): Data =>
  Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(from, key) ? [[key, from[key]]] : [])));

const each = (data: Data, change: (value: unknown, key: string) => unknown): Data =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, change(value, key)]));
const where = (data: Data, changes: Data): Data => ({ ...data, ...pick(changes, Object.keys(data)) });

/** Other values of the same fields. What a schema does not allow is not among the variants. */
const changes = (type: EventType): Readonly<Record<string, (data: Data) => Data>> => {
  const allows = (data: Data) => eventSchemas[type].safeParse(data).success;
  return {
    'as stored': (data) => data,
    'without what may be missing': (data) =>
      each(data, (value, key) => (allows({ ...data, [key]: null }) ? null : value)),
    'with empty lists': (data) => each(data, (value) => (Array.isArray(value) ? [] : value)),
    'identity alone': (data) => where(data, { scopes: ['openid', 'email'], allowedScopes: ['openid'] }),
    'of openid alone': (data) => where(data, { scopes: ['openid'], allowedScopes: ['openid', 'email'] }),
    later: (data) =>
      each(data, (value, key) =>
        typeof value === 'number' && Object.hasOwn(added, key) ? value + (added[key] ?? 0) : value,
      ),
    'of an organization': (data) =>
      where(data, { subject: { kind: 'organization', organizationId, epoch: 2 } }),
    'of a user': (data) => where(data, { subject: { kind: 'user', userId, epoch: 2 } }),
  };
};
const added: Readonly<Record<string, number>> = { epoch: 1, version: 1, at: 60_000, expiresAt: 60_000 };

const variantsOf = ({ file, type, ...fixture }: (typeof fixtures)[number]): readonly Variant[] => {
  const decoded = codec.decode(stored({ type, ...fixture })).event;
  const category =
    Object.entries(eventsByCategory).find(([, types]) => Object.hasOwn(types, type))?.[0] ?? '';
  const seen = new Set<string>();
  return Object.entries(changes(decoded.type)).flatMap(([name, change]) => {
    const checked = eventSchemas[decoded.type].safeParse(change(aligned(decoded.data)));
    const text = JSON.stringify(checked.data);
    if (!checked.success || seen.has(text)) return [];
    seen.add(text);
    const own = ownStreamOf(decoded.type, checked.data);
    const streams = own === null ? (streamsOf[category] ?? [`${category}-log`]) : [own];
    return streams.map((stream) => ({
      name: `${file} ${name}`,
      stream: stream as StreamName,
      event: { type: decoded.type, data: checked.data } as DomainEvent,
    }));
  });
};

/** Every fixture of an event with its variants, by the stream that holds them all. */
export const variants: ReadonlyMap<StreamName, readonly Variant[]> = fixtures
  .flatMap(variantsOf)
  .reduce(
    (byStream, variant) => byStream.set(variant.stream, [...(byStream.get(variant.stream) ?? []), variant]),
    new Map<StreamName, readonly Variant[]>(),
  );

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codec } from '../../../src/eventstore/codec/codec.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import type { GrantOwner } from '../../../src/kafka/contract/identity.ts';
import { makeToMessage } from '../../../src/kafka/contract/to-message.ts';
import { defaultTopicNames } from '../../../src/kafka/topics.ts';

/** An event as it was stored, and the message that goes out for it permanently. */
export type MessageFixture = {
  /** Of the message. */
  readonly type: string;
  readonly event: {
    readonly id: string;
    readonly stream: string;
    readonly position: { readonly commit: string; readonly prepare: string };
    readonly created: string;
    readonly type: string;
    readonly data: Readonly<Record<string, unknown>>;
    readonly metadata: Readonly<Record<string, unknown>>;
  };
  readonly owner: GrantOwner | null;
  readonly message: {
    readonly topic: string;
    readonly key: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly value: string;
  };
};

const folder = join(import.meta.dirname, '../../fixtures/messages');

/** One per type of message, whose name has the version in it; kept permanently. */
export const messageFixtures: readonly MessageFixture[] = readdirSync(folder).map((file) => ({
  type: file.replace(/\.json$/, ''),
  ...(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Omit<MessageFixture, 'type'>),
}));

export const toMessage = makeToMessage({
  source: 'https://grantbook.example',
  baseUrl: 'https://grantbook.example',
  topics: defaultTopicNames,
});

/** The event as the relay is given it, whatever version it was stored in. */
export const recordedIn = ({ event }: MessageFixture): RecordedEvent =>
  codec.decode({
    id: event.id,
    streamId: event.stream,
    revision: 3n,
    type: event.type,
    data: event.data,
    metadata: event.metadata,
    created: new Date(event.created),
    position: { commit: BigInt(event.position.commit), prepare: BigInt(event.position.prepare) },
  });

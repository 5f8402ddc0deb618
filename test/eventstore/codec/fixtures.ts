import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EventType, ownStreamOf, eventsByCategory } from '../../../src/domain/events.ts';
import type { StoredEvent } from '../../../src/eventstore/codec/codec.ts';

/** An event as some version of this program stored it, and in words what its schema said then. */
export type Fixture = {
  readonly file: string;
  readonly type: string;
  readonly version: number;
  readonly shape: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
};

const folder = join(import.meta.dirname, '../../fixtures/events');

/** One per event type and version, kept permanently. */
export const fixtures: readonly Fixture[] = readdirSync(folder).map((file) => {
  const [, type = '', version = ''] = /^(\w+)\.v(\d+)\.json$/.exec(file) ?? [];
  const kept = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Omit<Fixture, 'file' | 'version'>;
  if (kept.type !== type) throw new Error(`${file} holds an event of type ${kept.type}`);
  return { ...kept, file, version: Number(version) };
});

/** A stream that may hold it. */
const streamFor = (type: EventType, data: unknown): string =>
  ownStreamOf(type, data) ??
  `${Object.entries(eventsByCategory).find(([, types]) => Object.hasOwn(types, type))?.[0] ?? 'grant'}-G1`;

/** A fixture as the log would hand it out. */
export const stored = (
  { type, data, metadata }: Pick<Fixture, 'type' | 'data' | 'metadata'>,
  changes: Partial<StoredEvent> = {},
): StoredEvent => ({
  id: '0b5b2f0e-7f5e-4c8a-9d53-6a6f3a1f2c11',
  streamId: streamFor(type as EventType, data),
  revision: 4n,
  type,
  data,
  metadata,
  created: new Date(1_795_168_800_123),
  position: { commit: 90_071_992_547_409_931n, prepare: 90_071_992_547_409_931n },
  ...changes,
});

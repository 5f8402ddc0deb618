import { fold } from '../domain/kernel/decision.ts';
import {
  signingKeyDecider,
  type SigningKeyEvent,
  type SigningKeyHistory,
} from '../domain/log/signing-key-history.ts';
import { signingKeyStream } from '../domain/streams.ts';
import type {
  EventMetadata,
  EventStore,
  ExpectedRevision,
  LogReader,
  RecordedEvent,
} from '../eventstore/event-store.ts';

export type KeyLog = {
  /** @throws EventStoreUnavailable */
  read(): Promise<SigningKeyHistory>;
  /** Appends what is decided on the newest history; decides again after a conflict. @throws EventStoreUnavailable */
  record(
    decide: (history: SigningKeyHistory) => Promise<readonly SigningKeyEvent[]>,
    metadata?: EventMetadata,
  ): Promise<void>;
};

type Known = { readonly history: SigningKeyHistory; readonly revision: ExpectedRevision };

const beginning: Known = { history: signingKeyDecider.initial, revision: 'no-stream' };
const pageSize = 500;
const attempts = 16;

/** Keeps what it has read, so that each time it reads only newer events. */
export const makeKeyLog = (store: Pick<EventStore, 'append'> & Pick<LogReader, 'readEach'>): KeyLog => {
  let known = beginning;
  const readNew = async (): Promise<Known> => {
    let { history, revision } = known;
    for (;;) {
      const from = revision === 'no-stream' ? 0n : revision + 1n;
      const page = await store.readEach(signingKeyStream, from, pageSize);
      // An event that cannot be decoded, or does not belong here, says nothing about any key: each row in the database
      // is judged by itself.
      const events = page.flatMap((read) => (read.kind === 'event' ? keyEventIn(read.event) : []));
      history = fold({ ...signingKeyDecider, initial: history }, events);
      revision = page.at(-1)?.event.revision ?? revision;
      if (page.length < pageSize) return (known = { history, revision });
    }
  };
  return {
    read: async () => (await readNew()).history,
    async record(decide, metadata) {
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const { history, revision } = await readNew();
        const events = await decide(history);
        if (events.length === 0) return;
        const toAppend = events.map((event) => ({ event, ...(metadata && { metadata }) }));
        if ((await store.append(signingKeyStream, revision, toAppend)).ok) return;
        known = beginning; // the stream may be shorter than was known
      }
      throw new Error(`the stream ${signingKeyStream} changed during each of ${attempts} attempts`);
    },
  };
};

const keyEventIn = ({ event }: RecordedEvent): readonly SigningKeyEvent[] =>
  event.type === 'SigningKeyMade' ||
  event.type === 'SigningKeyPublished' ||
  event.type === 'SigningKeyRetired'
    ? [event]
    : [];

import { randomUUID } from 'node:crypto';
import { type ClientReadableStream, credentials, type ServiceError, type StatusObject } from '@grpc/grpc-js';
import type { StreamsClient, SupportedMethods } from '../../src/stubs.ts';
import { Empty, ServerFeaturesClient, shared, streams } from '../../src/stubs.ts';

/** What a server says that it is and can do. */
export const supportedMethods = (url: string): Promise<SupportedMethods> =>
  new Promise((resolve, reject) => {
    const address = new URL(url.replace('esdb:', 'http:')).host;
    const client = new ServerFeaturesClient(address, credentials.createInsecure());
    client.getSupportedMethods(new shared.Empty(), (error, answer) => {
      client.close();
      if (error) reject(error);
      else resolve(answer);
    });
  });

/** Calls below the client, for what it cannot say or does not show. */
export type Raw = InstanceType<typeof StreamsClient>;

type ReadReq = InstanceType<typeof streams.ReadReq>;
type ReadResp = InstanceType<typeof streams.ReadResp>;
type ReadOptions = InstanceType<typeof streams.ReadReq.Options>;
export type BatchReq = InstanceType<typeof streams.BatchAppendReq>;
export type BatchResp = InstanceType<typeof streams.BatchAppendResp>;

export const streamId = (name: string) => new shared.StreamIdentifier().setStreamName(Buffer.from(name));

/** A valid read of a stream from its start, for the test to bend. */
export const streamRead = (name: string, count = '10'): ReadOptions =>
  new streams.ReadReq.Options()
    .setStream(
      new streams.ReadReq.Options.StreamOptions()
        .setStreamIdentifier(streamId(name))
        .setStart(new shared.Empty()),
    )
    .setCount(count)
    .setNoFilter(new shared.Empty())
    .setUuidOption(new streams.ReadReq.Options.UUIDOption().setString(new shared.Empty()));

/** The same of `$all`. */
export const allRead = (count = '10'): ReadOptions =>
  streamRead('x', count).setAll(new streams.ReadReq.Options.AllOptions().setStart(new shared.Empty()));

export const fromPosition = (commit: bigint, prepare = commit) =>
  new streams.ReadReq.Options.AllOptions().setPosition(
    new streams.ReadReq.Options.Position()
      .setCommitPosition(String(commit))
      .setPreparePosition(String(prepare)),
  );

export const typeFilter = (prefixes: string[], window: number, multiplier = 1) =>
  new streams.ReadReq.Options.FilterOptions()
    .setEventType(new streams.ReadReq.Options.FilterOptions.Expression().setPrefixList(prefixes))
    .setMax(window)
    .setCheckpointintervalmultiplier(multiplier);

export const subscribing = (options: ReadOptions): ReadOptions =>
  options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());

export const request = (options: ReadOptions): ReadReq => new streams.ReadReq().setOptions(options);

export type Ending = {
  readonly code: number;
  readonly details: string;
  readonly trailers: Record<string, unknown>;
};

/** The messages of one Read call, in order. */
export type Reading = {
  readonly messages: readonly ReadResp[];
  /** Resolves when the predicate holds, which is tried after each message. */
  until(holds: (messages: readonly ReadResp[]) => boolean): Promise<void>;
  readonly ended: Promise<Ending>;
  cancel(): void;
};

export const read = (raw: Raw, options: ReadOptions): Reading => {
  const call: ClientReadableStream<ReadResp> = raw.read(request(options));
  const messages: ReadResp[] = [];
  const waiting = new Set<() => void>();
  const ended = new Promise<Ending>((resolve) => {
    call.on('status', (status: StatusObject) =>
      resolve({ code: status.code, details: status.details, trailers: status.metadata.getMap() }),
    );
  });
  call.on('error', () => undefined);
  call.on('data', (message: ReadResp) => {
    messages.push(message);
    for (const look of waiting) look();
  });
  return {
    messages,
    ended,
    cancel: () => call.cancel(),
    until: (holds) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!holds(messages)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void ended.then(({ details }) => reject(new Error(`the call ended: ${details}`)));
      }),
  };
};

/** A read to its end. */
export const readToEnd = async (
  raw: Raw,
  options: ReadOptions,
): Promise<Ending & { messages: readonly ReadResp[] }> => {
  const reading = read(raw, options);
  const ending = await reading.ended;
  return { ...ending, messages: reading.messages };
};

const names: Record<number, string> = Object.fromEntries(
  Object.entries(streams.ReadResp.ContentCase).map(([name, number]) => [number, name.toLowerCase()]),
);
/** What kind of message each is: `event`, `confirmation`, `caught_up`, … */
export const kinds = (messages: readonly ReadResp[]): string[] =>
  messages.map((message) => names[message.getContentCase()] ?? 'unknown');

export const recordedOf = (message: ReadResp | undefined) => message?.getEvent()?.getEvent();

type Proposed = { id?: string; metadata?: Record<string, string>; data?: Uint8Array; custom?: Uint8Array };
const valid = { type: 'Happened', 'content-type': 'application/json' };

const fill = <Message extends InstanceType<typeof streams.AppendReq.ProposedMessage>>(
  message: Message,
  { id = randomUUID(), metadata = valid, data = Buffer.from('{}'), custom }: Proposed,
): Message => {
  message.setId(new shared.UUID().setString(id)).setData(data);
  if (custom) message.setCustomMetadata(custom);
  for (const [key, value] of Object.entries(metadata)) message.getMetadataMap().set(key, value);
  return message;
};

export const appendOptions = (stream: string): InstanceType<typeof streams.AppendReq> =>
  new streams.AppendReq().setOptions(
    new streams.AppendReq.Options().setStreamIdentifier(streamId(stream)).setAny(new shared.Empty()),
  );

export const appendMessage = (proposed: Proposed = {}): InstanceType<typeof streams.AppendReq> =>
  new streams.AppendReq().setProposedMessage(fill(new streams.AppendReq.ProposedMessage(), proposed));

/** The classic call with exactly these messages: its answer, or the error it ends with. */
export const append = (
  raw: Raw,
  messages: InstanceType<typeof streams.AppendReq>[],
): Promise<InstanceType<typeof streams.AppendResp> | ServiceError> =>
  new Promise((resolve) => {
    const call = raw.append((error, response) => resolve(error ?? response));
    for (const message of messages) call.write(message);
    call.end();
  });

export const uuid = (id: string) => new shared.UUID().setString(id);

export const batchPart = (
  id: string,
  {
    stream,
    events = [],
    final = true,
    deadline,
  }: { stream?: string; events?: Proposed[]; final?: boolean; deadline?: Date },
): BatchReq => {
  const part = new streams.BatchAppendReq()
    .setCorrelationId(uuid(id))
    .setIsFinal(final)
    .setProposedMessagesList(
      events.map((event) => fill(new streams.BatchAppendReq.ProposedMessage(), event)),
    );
  if (stream === undefined) return part;
  const options = new streams.BatchAppendReq.Options()
    .setStreamIdentifier(streamId(stream))
    .setAny(new Empty());
  return part.setOptions(deadline ? options.setDeadline(timestamp(deadline)) : options);
};

type Timestamp = NonNullable<ReturnType<InstanceType<typeof streams.BatchAppendReq.Options>['getDeadline']>>;
/** The timestamp class is not exported by the stubs; a parsed message brings one. */
const timestamp = (date: Date): Timestamp => {
  const bytes = Buffer.from([0x32, 0x02, 0x08, 0x01]);
  const parsed = streams.BatchAppendReq.Options.deserializeBinary(bytes).getDeadline();
  if (!parsed) throw new Error('the deadline field moved');
  parsed.fromDate(date);
  return parsed;
};

/** An open batch stream and all that came back. */
export const batch = (raw: Raw) => {
  const call = raw.batchAppend();
  const answers: BatchResp[] = [];
  const waiting = new Set<() => void>();
  const ended = new Promise<Ending>((resolve) => {
    call.on('status', (status: StatusObject) =>
      resolve({ code: status.code, details: status.details, trailers: status.metadata.getMap() }),
    );
  });
  call.on('error', () => undefined);
  call.on('data', (answer: BatchResp) => {
    answers.push(answer);
    for (const look of waiting) look();
  });
  return {
    answers,
    ended,
    send: (...parts: BatchReq[]): void => {
      for (const part of parts) call.write(part);
    },
    halfClose: (): void => void call.end(),
    cancel: (): void => call.cancel(),
    count: (wanted: number): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (answers.length >= wanted) resolve();
        };
        waiting.add(look);
        look();
      }),
  };
};

/** `success 3`, or the type name of the error's details. */
export const verdict = (answer: BatchResp | undefined): string => {
  const success = answer?.getSuccess();
  if (success) return `success ${success.hasNoStream() ? 'no stream' : success.getCurrentRevision()}`;
  const name = answer?.getError()?.getDetails()?.getTypeUrl().split('/').at(-1) ?? 'nothing';
  return `${name} (${answer?.getError()?.getCode()})`;
};

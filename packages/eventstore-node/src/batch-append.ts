import type { ServerDuplexStream } from '@grpc/grpc-js';
import { answer, failed } from './batch-answers.ts';
import type { BatchError } from './batch-errors.ts';
import { batchRefused, batchTimeout } from './batch-errors.ts';
import type { Request } from './group.ts';
import type { Perform, Reply } from './perform.ts';
import type { Refused, SizeLimits } from './proposals.ts';
import { makeProposals, parseExpected, parseStream, parseUuid } from './proposals.ts';
import type { StatusError } from './status-errors.ts';
import { ended, notLeader, thrown } from './status-errors.ts';
import type { BatchAppendReq, Uuid } from './stubs.ts';

/** Its answers are already encoded, see `batch-answers.ts`. */
export type BatchCall = ServerDuplexStream<BatchAppendReq, Buffer>;

/** An append that has not arrived completely. */
type Collecting = {
  readonly key: string;
  readonly id: Uuid;
  readonly stream: string;
  readonly expected: bigint;
  readonly proposals: ReturnType<typeof makeProposals>;
  readonly patienceMs: number;
  /** Runs only while parts are missing. */
  timer?: NodeJS.Timeout;
};

type Options = NonNullable<ReturnType<BatchAppendReq['getOptions']>>;

/** An append that is not complete after this long is answered with Timeout. */
const collectingMs = 2_000;

/**
 * One long-lived stream of appends, distinguished only by their correlation ids. Each must get exactly one answer, or
 * the client breaks. The stream must never end with OK while it is in use, or the client's later appends hang.
 */
export const makeBatchAppend =
  (perform: Perform, limits: SizeLimits) =>
  (call: BatchCall): void => {
    const collecting = new Map<string, Collecting>();
    let unanswered = 0;
    let halfClosed = false;
    let over = false;

    const endWhenIdle = (): void => {
      if (!halfClosed || unanswered > 0 || collecting.size > 0 || over) return;
      over = true;
      call.end();
    };
    const stop = (): void => {
      over = true;
      for (const { timer } of collecting.values()) clearTimeout(timer);
      collecting.clear();
    };
    const fail = (error: StatusError): void => {
      if (over) return;
      stop();
      call.emit('error', error);
    };
    const forget = ({ key, timer }: Collecting): void => {
      clearTimeout(timer);
      collecting.delete(key);
    };
    const refuse = (id: Uuid, stream: string, error: BatchError): void => {
      if (!over) call.write(failed(id, stream, error));
      endWhenIdle();
    };

    const settle = (append: Collecting, request: Request, reply: Reply): void => {
      unanswered -= 1;
      if (over) return;
      if (reply.kind === 'not-leader') return fail(notLeader(reply.host, reply.port));
      if (reply.kind === 'end') {
        if (reply.status !== 'OK') return fail(ended(reply.status));
        stop();
        return void call.end();
      }
      const message = answer(append.id, request, reply);
      if (message) call.write(message);
      endWhenIdle();
    };

    const finish = (append: Collecting): void => {
      forget(append);
      const { stream, expected, proposals } = append;
      const request: Request = { kind: 'append', stream, expected, events: proposals.events };
      unanswered += 1;
      void perform(request).then((reply) => settle(append, request, reply));
    };

    const begin = (key: string, id: Uuid, options: Options): Collecting | undefined => {
      const stream = parseStream(options.getStreamIdentifier()?.getStreamName_asU8());
      const exact = options.hasStreamPosition() ? options.getStreamPosition() : undefined;
      const expected = parseExpected(options, exact);
      if (stream === undefined || expected === undefined || expected === null) {
        refuse(id, stream ?? '', batchRefused(bad, limits.maxAppendSize));
        return undefined;
      }
      const wait = patience(options);
      if (wait <= 0) {
        refuse(id, stream, batchTimeout());
        return undefined;
      }
      const append: Collecting = {
        key,
        id,
        stream,
        expected,
        proposals: makeProposals(limits),
        patienceMs: wait,
      };
      collecting.set(key, append);
      return append;
    };

    call.on('data', (message: BatchAppendReq) => {
      const id = message.getCorrelationId();
      const key = id && parseUuid(id);
      if (over) return;
      if (!id || !key) return fail(thrown());
      const options = message.getOptions();
      const append = collecting.get(key) ?? (options && begin(key, id, options));
      if (!append) return; // part of an append that was already answered, or never began
      for (const proposed of message.getProposedMessagesList()) {
        const refused = append.proposals.add(proposed);
        if (!refused) continue;
        forget(append);
        return refuse(id, append.stream, batchRefused(refused, limits.maxAppendSize));
      }
      if (message.getIsFinal()) finish(append);
      else
        append.timer ??= setTimeout(() => {
          forget(append);
          refuse(id, append.stream, batchTimeout());
        }, append.patienceMs);
    });
    call.on('end', () => {
      halfClosed = true;
      endWhenIdle();
    });
    call.on('cancelled', stop);
  };

const bad: Refused = { kind: 'bad-request', error: thrown() };

/** The deadline is an absolute time of the client's clock; limited by the server's own timeout. */
const patience = (options: Options): number => {
  const deadline = options.getDeadline();
  if (!deadline) return collectingMs;
  return Math.min(collectingMs, deadline.getSeconds() * 1000 + deadline.getNanos() / 1e6 - Date.now());
};

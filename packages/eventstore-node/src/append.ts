import type { ServerReadableStream, sendUnaryData } from '@grpc/grpc-js';
import type { Request } from './group.ts';
import type { Perform, Reply } from './perform.ts';
import type { SizeLimits } from './proposals.ts';
import { makeProposals, parseExpected, parseStream } from './proposals.ts';
import { expectAny, expectNoStream, expectStreamExists } from './record.ts';
import type { StatusError } from './status-errors.ts';
import {
  accessDenied,
  commitTimeout,
  ended,
  invalidArgument,
  notLeader,
  notReady,
  streamDeleted,
  thrown,
} from './status-errors.ts';
import type { AppendReq, AppendResp } from './stubs.ts';
import { shared, streams } from './stubs.ts';

type Target = { readonly stream: string; readonly expected: bigint };

/** The unary append: options first, then one event per message, one answer after the half-close. */
export const makeAppend =
  (perform: Perform, limits: SizeLimits) =>
  (call: ServerReadableStream<AppendReq, AppendResp>, answer: sendUnaryData<AppendResp>): void => {
    const proposals = makeProposals(limits);
    let target: Target | undefined;
    let done = false;
    const fail = (error: StatusError): void => {
      if (!done) answer(error);
      done = true;
    };
    call.on('data', (message: AppendReq) => {
      if (done) return;
      if (!target) {
        const parsed = parseTarget(message);
        if ('code' in parsed) return fail(parsed);
        target = parsed;
        return;
      }
      const proposed = message.getProposedMessage();
      const refused = proposed && proposals.add(proposed);
      if (!proposed || refused) fail(refused?.error ?? thrown());
    });
    call.on('end', () => {
      if (done) return;
      if (!target) return fail(thrown());
      const request: Request = { kind: 'append', ...target, events: proposals.events };
      void perform(request).then((reply) => respond(answer, request, reply));
    });
  };

const parseTarget = (message: AppendReq): Target | StatusError => {
  const options = message.getOptions();
  if (!options) return thrown();
  const stream = parseStream(options.getStreamIdentifier()?.getStreamName_asU8());
  const expected = parseExpected(options, options.hasRevision() ? options.getRevision() : undefined);
  if (expected === undefined) return invalidArgument('An expected revision is required');
  if (stream === undefined || expected === null) return thrown();
  return { stream, expected };
};

const respond = (answer: sendUnaryData<AppendResp>, request: Request, reply: Reply): void => {
  switch (reply.kind) {
    case 'written':
      return answer(null, success(reply.revision, reply.position));
    case 'wrong-expected-version':
      return answer(null, wrongExpectedVersion(request.expected, reply.actual));
    case 'stream-deleted':
      return answer(streamDeleted(request.stream));
    case 'denied':
      return answer(accessDenied());
    case 'not-ready':
      return answer(notReady());
    case 'timeout':
      return answer(commitTimeout());
    case 'not-leader':
      return answer(notLeader(reply.host, reply.port));
    case 'end':
      return answer(reply.status === 'OK' ? thrown() : ended(reply.status));
    case 'silence':
  }
};

const success = (revision: bigint, position: bigint | null): AppendResp => {
  const message = new streams.AppendResp.Success();
  if (revision < 0n) message.setNoStream(new shared.Empty());
  else message.setCurrentRevision(String(revision));
  if (position === null) message.setNoPosition(new shared.Empty());
  else {
    const place = new streams.AppendResp.Position();
    message.setPosition(place.setCommitPosition(String(position)).setPreparePosition(String(position)));
  }
  return new streams.AppendResp().setSuccess(message);
};

/** A normal response with status OK. */
const wrongExpectedVersion = (expected: bigint, actual: bigint): AppendResp => {
  const message = new streams.AppendResp.WrongExpectedVersion();
  if (actual < 0n) message.setCurrentNoStream(new shared.Empty());
  else message.setCurrentRevision(String(actual));
  if (expected === expectAny) message.setExpectedAny(new shared.Empty());
  else if (expected === expectNoStream) message.setExpectedNoStream(new shared.Empty());
  else if (expected === expectStreamExists) message.setExpectedStreamExists(new shared.Empty());
  else message.setExpectedRevision(String(expected));
  return new streams.AppendResp().setWrongExpectedVersion(message);
};

import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { nextInTrace } from '../tracing/traceparent.ts';
import { problemKinds } from './problems.ts';
import { traceUrn } from './trace.ts';

/** Answers what never becomes a request because it cannot be parsed: without a route, so always as a problem. */
export const answerUnreadable =
  (baseUrl: string) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code !== 'ECONNRESET' && socket.writable) socket.write(answerTo(error, baseUrl));
    socket.destroySoon();
  };

const answerTo = ({ code }: NodeJS.ErrnoException, baseUrl: string): string => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return `${head(408)}content-length: 0\r\n\r\n`;
  const kind = code === 'HPE_HEADER_OVERFLOW' ? 'headers-too-large' : 'malformed-request';
  const { status, title } = problemKinds[kind];
  const detail = `The request line and all header fields together may have ${maxHeaderSize} bytes`;
  const body = JSON.stringify({
    type: `${baseUrl}/problems/${kind}`,
    title,
    status,
    ...(kind === 'headers-too-large' && { detail }),
    instance: traceUrn(nextInTrace(null)),
  });
  const length = Buffer.byteLength(body);
  return `${head(status)}content-type: application/problem+json\r\ncache-control: no-store\r\ncontent-length: ${length}\r\n\r\n${body}`;
};

const head = (status: number): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\n`;

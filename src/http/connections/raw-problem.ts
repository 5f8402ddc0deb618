import { maxHeaderSize, STATUS_CODES } from 'node:http';
import { nextInTrace } from '../../observability/tracing/traceparent.ts';
import { edgeHeaders } from '../answers/edge-headers.ts';
import { problemKinds, type ProblemKind } from '../answers/problems.ts';
import { traceUrn } from '../requests/trace.ts';

/** Explanations for error codes of Node's parser (names of llhttp). All others get a general text. */
const malformed: Readonly<Record<string, string>> = {
  HPE_INVALID_METHOD: 'The request line does not begin with a known method',
  HPE_INVALID_URL: 'The address in the request line is not one',
  HPE_INVALID_VERSION: 'The request line does not end with HTTP/1.1 or HTTP/1.0',
  HPE_INVALID_CONSTANT: 'The request line does not end with HTTP/1.1 or HTTP/1.0',
  HPE_INVALID_HEADER_TOKEN: 'A header field has a character that is not allowed in its name or value',
  HPE_INVALID_CONTENT_LENGTH: 'Content-Length is not a number',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'Content-Length is sent twice, or together with Transfer-Encoding',
  HPE_INVALID_CHUNK_SIZE: 'A chunk of the body does not begin with its size in hexadecimal digits',
  HPE_INVALID_EOF_STATE: 'The connection was closed before the request was complete',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'The extensions of the chunks are too long',
  HPE_LF_EXPECTED: 'A line does not end with CR LF',
  HPE_CR_EXPECTED: 'A line does not end with CR LF',
  HPE_STRICT: 'A line does not end with CR LF',
  HPE_CLOSED_CONNECTION: 'There is more after a request with Connection: close',
};

type ParserError = { readonly code?: string | undefined; readonly reason?: string | undefined };

const kindOf = ({ code, reason = '' }: ParserError): ProblemKind => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request-timeout';
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large';
  if (code !== 'HPE_INVALID_TRANSFER_ENCODING') return 'malformed-request';
  return /Content-Length/i.test(reason) ? 'malformed-request' : 'unsupported-transfer-encoding';
};

const detailOf = (kind: ProblemKind, { code = '' }: ParserError): string | undefined => {
  if (kind === 'headers-too-large')
    return `The request line and all header fields together may have ${maxHeaderSize} bytes`;
  if (kind !== 'malformed-request') return undefined;
  if (code === 'HPE_INVALID_TRANSFER_ENCODING')
    return 'Content-Length and Transfer-Encoding are sent together';
  return malformed[code] ?? 'It breaks the grammar of HTTP/1.1 (RFC 9112)';
};

/** A complete HTTP answer as text, for a socket without a request to answer. */
export const rawProblem = (error: ParserError, baseUrl: string): string => {
  const kind = kindOf(error);
  const { status, title } = problemKinds[kind];
  const body = JSON.stringify({
    type: `${baseUrl}/problems/${kind}`,
    title,
    status,
    detail: detailOf(kind, error),
    instance: traceUrn(nextInTrace(null)),
  });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    `date: ${new Date().toUTCString()}`,
    'content-type: application/problem+json',
    ...Object.entries(edgeHeaders(baseUrl)).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
};

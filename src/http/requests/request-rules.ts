import type { FastifyRequest } from 'fastify';
import { UnacceptableRequest } from '../answers/failures.ts';

/**
 * Checks that Node's parser leaves to the server: one valid Host field (RFC 9112 §3.2), supported transfer codings
 * (§6.1), content codings (RFC 9110 §8.4) and expectations (§10.1.1). Undefined when nothing is wrong.
 */
export const unacceptable = ({
  raw,
  headers,
}: Pick<FastifyRequest, 'raw' | 'headers'>): UnacceptableRequest | undefined => {
  if (raw.httpVersion !== '1.0') {
    const wrong = hostProblem(raw.rawHeaders);
    if (wrong !== undefined) return new UnacceptableRequest('malformed-request', wrong);
  }
  const { 'transfer-encoding': transfer, 'content-encoding': content, expect } = headers;
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') return wrongTransfer(transfer);
  if (content !== undefined && !/^(identity)?$/i.test(content.trim()) && hasBody(headers))
    return new UnacceptableRequest('unsupported-content-encoding', 'Send the body without Content-Encoding');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    return new UnacceptableRequest('expectation-failed', 'The only expectation that is met is 100-continue');
  return undefined;
};

const host = /^(?:(?:[\w\-.~!$&'()*+,;=]|%[0-9a-f]{2})+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i;

const hostProblem = (rawHeaders: readonly string[]): string | undefined => {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (found !== undefined) return 'There is more than one Host field';
    found = rawHeaders[index + 1] ?? '';
  }
  if (found === undefined) return 'There is no Host field';
  return host.test(found.trim()) ? undefined : 'The Host field is not a host with an optional port';
};

const wrongTransfer = (value: string): UnacceptableRequest =>
  value.split(',').every((coding) => coding.trim().toLowerCase() === 'chunked')
    ? new UnacceptableRequest('malformed-request', 'Transfer-Encoding names chunked more than once')
    : new UnacceptableRequest('unsupported-transfer-encoding', 'The only transfer coding is chunked');

const hasBody = (headers: FastifyRequest['headers']): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

import { BadTimestamp, timestampRequest, verifyTimestamp } from '@grantbook/verify';

const patienceMs = 10_000;
/** More than any answer with a few certificates. */
const mostBytes = 64 * 1024;

/**
 * Asks a timestamp authority for a timestamp over bytes (RFC 3161 §3.4), and checks the answer before it is kept.
 * @returns the answer, DER
 * @throws BadTimestamp; Error when the authority cannot be reached
 */
export const askAuthority = async (url: string, data: Buffer, signal: AbortSignal): Promise<Buffer> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: new Uint8Array(timestampRequest(data)),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
  });
  if (!response.ok) throw new BadTimestamp(`is none: the authority answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    if ((length += chunk.length) > mostBytes) throw new BadTimestamp('is larger than 64 KiB');
    chunks.push(chunk);
  }
  const answer = Buffer.concat(chunks);
  await verifyTimestamp(answer, data);
  return answer;
};

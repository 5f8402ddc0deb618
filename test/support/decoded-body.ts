import type { LightMyRequestResponse } from 'fastify';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const decoders = { br: brotliDecompressSync, gzip: gunzipSync } as const;

/** The body of an answer without its content coding. */
export const decodedBody = ({ headers, rawPayload }: LightMyRequestResponse): string => {
  const coding = headers['content-encoding'];
  if (coding === undefined || rawPayload.length === 0) return rawPayload.toString();
  return decoders[coding as keyof typeof decoders](rawPayload).toString();
};

import { canonicalJson, BadJws, parsePayload, verifyJws, type Jwks } from '@grantbook/verify';
import { z } from 'zod';
import type { EventOf } from '../../domain/events.ts';
import type { SignJws } from '../../signing/sign-jws.ts';

export const logCopyFormat = 'grantbook-log-copy/1';

type LogCopied = EventOf<'LogCopied'>['data'];

/** The event at the end of a copy, with a signature over its content. */
export const signCopy = async (sign: SignJws, copy: Omit<LogCopied, 'jws'>): Promise<LogCopied> => ({
  ...copy,
  jws: await sign('log-copy+jws', textOf(copy)),
});

/** Verifies that the content of the event is what was signed. @throws BadJws */
export const verifyCopy = async (
  { events, streams, streamsLeftOut, head, at, jws }: LogCopied,
  kept: Jwks | null,
): Promise<{ readonly trusted: boolean }> => {
  const { payload, trusted } = await verifyJws(jws, 'log-copy+jws', kept);
  parsePayload(z.looseObject({ format: z.literal(logCopyFormat) }), payload);
  if (payload !== textOf({ events, streams, streamsLeftOut, head, at }))
    throw new BadJws('says something else than was signed');
  return { trusted };
};

const textOf = (copy: Omit<LogCopied, 'jws'>): string => canonicalJson({ ...copy, format: logCopyFormat });

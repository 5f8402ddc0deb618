import { z } from 'zod';
import type { LogCopyEvent } from '../../domain/log-copy.ts';
import type { LogHeadEvent } from '../../domain/log-head.ts';
import { instant, schemasOf, whole } from './schemas-of.ts';

const head = z.strictObject({
  size: whole,
  root: z.string(),
  position: z.string(),
  previousSize: whole,
  proof: z.array(z.string()),
  jws: z.string(),
  at: instant,
});

export const logHeadSchemas = schemasOf<LogHeadEvent>()({ LogHeadSigned: head });

export const logCopySchemas = schemasOf<LogCopyEvent>()({
  LogCopied: z.strictObject({
    events: whole,
    streams: whole,
    streamsLeftOut: whole,
    head,
    jws: z.string(),
    at: instant,
  }),
});

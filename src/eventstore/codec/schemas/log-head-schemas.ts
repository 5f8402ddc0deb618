import { z } from 'zod';
import type { LogCopyEvent } from '../../../domain/log/log-copy.ts';
import type { LogHeadEvent } from '../../../domain/log/log-head.ts';
import { instant, mustKnow, schemasOf, whole } from './schemas-of.ts';

const head = {
  size: whole,
  root: z.string(),
  position: z.string(),
  previousSize: whole,
  proof: z.array(z.string()),
  jws: z.string(),
  at: instant,
};

export const logHeadSchemas = schemasOf<LogHeadEvent>()({ LogHeadSigned: mustKnow(head) });

export const logCopySchemas = schemasOf<LogCopyEvent>()({
  LogCopied: mustKnow({
    events: whole,
    streams: whole,
    streamsLeftOut: whole,
    head: z.strictObject(head),
    jws: z.string(),
    at: instant,
  }),
});

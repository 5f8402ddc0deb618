import { z } from 'zod';
import type { LogHeadEvent } from '../../domain/log-head.ts';
import { instant, schemasOf, whole } from './schemas-of.ts';

export const logHeadSchemas = schemasOf<LogHeadEvent>()({
  LogHeadSigned: z.strictObject({
    size: whole,
    root: z.string(),
    position: z.string(),
    previousSize: whole,
    proof: z.array(z.string()),
    jws: z.string(),
    at: instant,
  }),
});

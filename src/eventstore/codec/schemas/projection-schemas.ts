import { z } from 'zod';
import type { ProjectionEvent } from '../../../domain/log/projection-swap.ts';
import { instant, mustKnow, schemasOf } from './schemas-of.ts';

export const projectionSchemas = schemasOf<ProjectionEvent>()({
  ProjectionSwapped: mustKnow({
    projection: z.string(),
    version: z.int(),
    previousVersion: z.int(),
    at: instant,
  }),
  ParkedEventSkipped: mustKnow({
    projection: z.string(),
    key: z.string(),
    eventId: z.string(),
    at: instant,
  }),
});

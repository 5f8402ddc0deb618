import { z } from 'zod';
import type { ProjectionSwapEvent } from '../../domain/projection-swap.ts';
import { instant, schemasOf } from './schemas-of.ts';

export const projectionSchemas = schemasOf<ProjectionSwapEvent>()({
  ProjectionSwapped: z.strictObject({
    projection: z.string(),
    version: z.int(),
    previousVersion: z.int(),
    at: instant,
  }),
});

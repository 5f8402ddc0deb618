import { z } from 'zod';
import { retentionCategories, type RetentionEvent } from '../../../domain/log/streams-removed.ts';
import { instant, mustKnow, schemasOf, whole } from './schemas-of.ts';

export const retentionSchemas = schemasOf<RetentionEvent>()({
  StreamsRemoved: mustKnow({
    category: z.enum(retentionCategories),
    streams: z.array(z.strictObject({ id: z.string(), leaves: z.array(whole), hashes: z.array(z.string()) })),
    total: z.strictObject({ session: whole, 'unredeemed-grant': whole, 'addon-token': whole.optional() }),
    at: instant,
  }),
});

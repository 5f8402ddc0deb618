import { z } from 'zod';

// Fields that several answers share. `format` is only an annotation, for readers and for tools that check it.

export const instant = () => z.string().meta({ format: 'date-time', examples: ['2026-05-01T08:00:00Z'] });

export const uri = () => z.string().meta({ format: 'uri' });

/** An id that we generate; ids of records come from the host platform. */
export const ulid = () =>
  z.string().meta({ pattern: '^[0-7][0-9A-HJKMNP-TV-Z]{25}$', examples: ['01JD0000000000000000000000'] });

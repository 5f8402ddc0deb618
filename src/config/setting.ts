import { z } from 'zod';
import { decimal } from './parsers.ts';

/** One setting. `allowed` completes "allowed: …". A secret's value is never in a problem; `<NAME>_FILE` may hold it. */
export type Setting<T> = {
  readonly schema: z.ZodType<T, string>;
  readonly fallback: T;
  readonly allowed: string;
  readonly secret?: true;
  readonly requiredInProduction?: true;
};

export const setting = <T>(schema: z.ZodType<T, string>, fallback: T, allowed: string): Setting<T> => ({
  schema,
  fallback,
  allowed,
});

export const seconds = (fallback: number, min: number, max: number) =>
  setting(decimal(min, max), fallback, `seconds, from ${min} to ${max} (default ${fallback})`);

export const perMinute = (fallback: number): Setting<number> =>
  setting(
    decimal(0, 10_000_000),
    fallback,
    `requests a minute, from 0 to 10000000; 0 switches it off (default ${fallback})`,
  );

export const perHour = (fallback: number): Setting<number> =>
  setting(
    decimal(0, 10_000_000),
    fallback,
    `how many an hour, from 0 to 10000000; 0 switches it off (default ${fallback})`,
  );

export const optional = <T>(schema: z.ZodType<T, string>, allowed: string): Setting<T | null> => ({
  schema,
  fallback: null,
  allowed,
});

/** Whether production may connect to `what` on another machine without TLS. */
export const allowing = (what: string): Setting<boolean> =>
  setting(
    z.enum(['0', '1']).transform((text) => text === '1'),
    false,
    `1 (production may use ${what} without TLS) or 0 (default 0)`,
  );

import type { z } from 'zod';

/** The location of an event, for messages: never its data. */
export type Place = { readonly stream: string; readonly revision: bigint; readonly type: string };

/** An event of ours that does not match any schema: damaged, or written by a newer version of this program. */
export class UndecodableEvent extends Error {
  override readonly name = 'UndecodableEvent';
  readonly place: Place;
  /** It is of a newer version and states that a reader may continue without it. */
  readonly maySkip: boolean;
  constructor(place: Place, problem: string, maySkip = false) {
    super(`event ${place.type} at ${place.stream}@${place.revision} cannot be decoded: ${problem}`);
    this.place = place;
    this.maySkip = maySkip;
  }
}

/** A stream of ours holds an event type that this program does not know. */
export class UnknownEventType extends Error {
  override readonly name = 'UnknownEventType';
  readonly place: Place;
  readonly maySkip: boolean;
  constructor(place: Place, maySkip = false) {
    super(`event type ${place.type} at ${place.stream}@${place.revision} is unknown`);
    this.place = place;
    this.maySkip = maySkip;
  }
}

/**
 * An event that does not belong into its stream: none of our commands wrote it. It is ignored for decisions and read
 * models; the rest of the stream is still valid.
 */
export class RefusedEvent extends Error {
  override readonly name = 'RefusedEvent';
  readonly place: Place;
  constructor(place: Place, problem: string) {
    super(`event ${place.type} at ${place.stream}@${place.revision} is refused: ${problem}`);
    this.place = place;
  }
}

/** Describes which fields are wrong, without values: data may be personal. */
export const describeIssues = (root: string, { issues }: z.ZodError): string =>
  issues.map((issue) => `${[root, ...issue.path.map(String)].join('.')} ${describeIssue(issue)}`).join('; ');

const describeIssue = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'invalid_type') return `is not ${article(issue.expected)}`;
  if (issue.code === 'unrecognized_keys') return `has unknown fields: ${issue.keys.join(', ')}`;
  if (issue.code === 'invalid_value') return 'is not one of the known values';
  return `is refused (${issue.code})`;
};

const article = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

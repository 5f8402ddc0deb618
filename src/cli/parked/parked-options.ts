import { InvalidArgumentError } from 'commander';

/** Other programs may write streams, too: any printable name is accepted. */
export const parseStream = (value: string): string => {
  if (/^[\x21-\x7e]{1,300}$/.test(value)) return value;
  throw new InvalidArgumentError('Allowed is the name of a stream, such as profile-<organization>.<id>.');
};

export const parseEventId = (value: string): string => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) return value.toLowerCase();
  throw new InvalidArgumentError('Allowed is the id of an event, a UUID.');
};

export const parseProjection = (value: string): string => {
  if (/^[a-z-]{1,64}$/.test(value)) return value;
  throw new InvalidArgumentError('Allowed is the name of a read model, such as lists or grants.');
};

/** The person that data belong to: a user's account, or a person known to an organization. Each has its own key. */
export type PersonalSubject = `account:${string}` | `profile:${string}.${string}`;

export const accountPerson = (userId: string): PersonalSubject => `account:${userId}`;
export const profilePerson = (organizationId: string, id: string): PersonalSubject =>
  `profile:${organizationId}.${id}`;

/** The person that was erased, from the name of the account's or profile's stream. */
export const personOfStream = (stream: string): PersonalSubject =>
  stream.replace('-', ':') as PersonalSubject;

export const streamOfPerson = (subject: PersonalSubject): string => subject.replace(':', '-');

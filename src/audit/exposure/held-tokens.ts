import TinyQueue from 'tinyqueue';
import { fenceSubjectsOf } from '../../domain/fence/fence.ts';
import type { IssuedToken } from '../access/access-fold.ts';
import type { StoredEvent } from '../../eventstore/event-store.ts';

/** Where something began or ended. Without an event, a token expired. */
export type Edge = { readonly at: number; readonly event: StoredEvent | null };

/** A token that has not expired. */
export type Held = {
  readonly token: IssuedToken;
  readonly dependsOn: readonly string[];
  /** Counts up in the order of issue. */
  readonly number: number;
  isOpen: boolean;
  inWindow: boolean;
  closed: Edge | null;
};

const inOrderOfIssue = (a: Held, b: Held): number => a.number - b.number;

/** The tokens that have not expired, by what they depend on, so that an event judges few again; `more`: besides the fence subjects. */
export const makeHeldTokens = (more: (token: IssuedToken) => readonly string[]) => {
  const bySubject = new Map<string, Set<Held>>();
  const byExpiry = new TinyQueue<Held>([], (a, b) => a.token.expiresAt - b.token.expiresAt);
  let issued = 0;

  const remove = (held: Held) => {
    for (const subject of held.dependsOn) {
      const others = bySubject.get(subject);
      others?.delete(held);
      if (others?.size === 0) bySubject.delete(subject);
    }
  };
  const nextExpiry = (): number => byExpiry.peek()?.token.expiresAt ?? Infinity;

  return {
    add(token: IssuedToken): Held {
      const { terms, rotation } = token;
      const dependsOn = [...fenceSubjectsOf({ ...terms, rotation }), ...more(token)];
      const held = { token, dependsOn, number: (issued += 1), isOpen: false, inWindow: false, closed: null };
      for (const subject of dependsOn)
        bySubject.set(subject, (bySubject.get(subject) ?? new Set()).add(held));
      byExpiry.push(held);
      return held;
    },
    concerned(subjects: readonly string[]): readonly Held[] {
      const [only, ...others] = subjects.flatMap((subject) => bySubject.get(subject) ?? []);
      if (only === undefined) return [];
      if (others.length === 0) return [...only];
      return [...new Set([...only, ...others.flatMap((some) => [...some])])].toSorted(inOrderOfIssue);
    },
    nextExpiry,
    /** Removes those that have expired by this time, and returns them in the order of issue. */
    takeExpired(time: number): readonly Held[] {
      const expired: Held[] = [];
      for (let next = byExpiry.peek(); next && next.token.expiresAt <= time; next = byExpiry.peek()) {
        byExpiry.pop();
        remove(next);
        expired.push(next);
      }
      return expired.toSorted(inOrderOfIssue);
    },
    all: (): readonly Held[] => byExpiry.data.toSorted(inOrderOfIssue),
  };
};

import { breakGlass } from '../../domain/kernel/actor.ts';
import { english } from '../../common/words.ts';
import { markName } from '../../domain/kernel/sentence.ts';
import type { Actor } from './timeline.ts';

/** "Quay (01J…)", or the id alone. */
export const nameWithId = ({ id, name }: { readonly id: string; readonly name: string | null }): string =>
  name === null ? id : `${name} (${id})`;

/** The same as a part of a sentence. */
export const markedNameWithId = ({ id, name }: Parameters<typeof nameWithId>[0]): string =>
  nameWithId({ id, name: name && markName(name) });

export const actorOf = (actor: string, names: ReadonlyMap<string, string>): Actor => {
  if (actor === breakGlass) return { kind: 'break-glass' };
  if (actor.startsWith('addon:')) return withName('addon', actor.slice('addon:'.length), names);
  return actor.includes('-') ? { kind: 'service', id: actor } : withName('user', actor, names);
};

const withName = (kind: 'user' | 'addon', id: string, names: ReadonlyMap<string, string>) => ({
  kind,
  id,
  name: names.get(id) ?? null,
});

export const actorWords = (actor: Actor | null, say = nameWithId): string | null => {
  switch (actor?.kind) {
    case undefined:
      return null;
    case 'break-glass':
    case 'service':
      return english.auditLog.actors[actor.kind];
    case 'addon':
    case 'user':
      return say(actor);
  }
};

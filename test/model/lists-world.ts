import type { DomainEvent } from '../../src/domain/events.ts';
import type { GrantSubject } from '../../src/domain/access/grant.ts';
import type { StreamName } from '../../src/domain/streams.ts';
import type { RecordedEvent } from '../../src/eventstore/event-store.ts';
import {
  accessRight,
  accessRightRemoved,
  activated,
  deactivated,
  profile,
  profileRemoved,
  reservation,
  reservationRemoved,
} from '../projections/follow/a-story.ts';
import { emptyLists, type Entry, type Kind } from './lists-array.ts';
import type { Present } from './lists-walk.ts';
import { organizations, profiles, type Story, users, type Write } from './lists-story.ts';

export type Tell = (stream: StreamName, event: DomainEvent) => RecordedEvent;

/** An add-on's activation in one organization. */
type Activation = { readonly epoch: number; readonly open: boolean };

export type World = ReturnType<typeof makeWorld>;

/** The host platform of one story, and the arrays of what it has told. `name` keeps it apart from all others. */
export const makeWorld = (name: string, { token, kind }: Pick<Story, 'token' | 'kind'>, tell: Tell) => {
  const model = emptyLists();
  const letters = Array.from({ length: organizations }, (_, n) => String.fromCharCode(97 + n));
  const organizationIds = letters.map((letter) => name + letter);
  const organizationId = (n: number) => organizationIds[n] ?? '';
  const reader = `${name}u0`;
  const userOf = (n: number) => (n % (users + 1) === users ? null : `${name}u${n % (users + 1)}`);
  const activations: Activation[] = letters.map(() => ({ epoch: 0, open: false }));
  let version = 0;

  const happened = ({ position, created }: RecordedEvent) => ({
    position: position.commit,
    at: new Date(created).toISOString(),
  });
  const recordProfile = (n: number, id: string, owner: string | null): void => {
    const { stream, event } = profile(id, (version += 1), owner, organizationId(n));
    const told = { organizationId: organizationId(n), id, version, owner };
    model.record('profiles', told, happened(tell(stream, event)));
  };
  const removeProfile = (n: number, id: string): void => {
    const { stream, event } = profileRemoved(id, (version += 1), organizationId(n));
    model.remove('profiles', organizationId(n), id, tell(stream, event).position.commit);
  };
  const record = (n: number, id: string, profileNumber: number): void => {
    if (kind === 'profiles') return recordProfile(n, id, userOf(profileNumber));
    const owner = `p${letters[n]}${profileNumber}`;
    version += 1;
    const { stream, event } = (kind === 'reservations' ? reservation : accessRight)(
      id,
      owner,
      version,
      organizationId(n),
    );
    const told = { organizationId: organizationId(n), id, version, owner };
    model.record(kind, told, happened(tell(stream, event)));
  };
  const remove = (n: number, id: string): void => {
    if (kind === 'profiles') return removeProfile(n, id);
    const { stream, event } = (kind === 'reservations' ? reservationRemoved : accessRightRemoved)(
      id,
      (version += 1),
      organizationId(n),
    );
    model.remove(kind, organizationId(n), id, tell(stream, event).position.commit);
  };
  const setActivation = (n: number, open: boolean): void => {
    const epoch = (activations[n]?.epoch ?? 0) + (open ? 1 : 0);
    activations[n] = { epoch, open };
    const { stream, event } = (open ? activated : deactivated)(epoch, organizationId(n));
    tell(stream, event);
  };
  /** One that was never activated has nothing to take out of a user's list. */
  const isShown = (n: number) => activations[n]?.open === true || activations[n]?.epoch === 0;

  if (token === 'organization') setActivation(0, true);

  const listsOf = (which: (n: number) => boolean) => {
    if (token === 'organization') return [model.listOf(kind, organizationId(0), '')];
    const shown = organizationIds.filter((_, n) => which(n));
    return shown.map((id) => model.listOf(kind, id, reader));
  };
  const visibleLists = () => listsOf(isShown);
  const shownOf = ({ organizationId: organization, id }: Entry) => {
    const found = model.find(kind, organization, id);
    if (!found) throw new Error(`the model lists ${id}, which is gone`);
    return found;
  };

  return {
    model,
    organizationIds,
    do(write: Write): void {
      const n = write.organization;
      const letter = letters[n] ?? '';
      switch (write.do) {
        case 'record':
          return record(n, `${letter}${write.id}`, write.profile);
        case 'remove':
          return remove(n, `${letter}${write.id}`);
        case 'profile':
          return recordProfile(n, `p${letter}${write.id}`, userOf(write.user));
        case 'remove profile':
          return removeProfile(n, `p${letter}${write.id}`);
        case 'switch':
          return setActivation(n, !activations[n]?.open);
        case 'many':
          for (let id = write.from; id < write.from + write.count; id += 1)
            if (write.there) record(n, `${letter}m${id}`, id % profiles);
            else remove(n, `${letter}m${id}`);
          return;
        case 'churn':
          for (let time = 0; time < write.times; time += 1) {
            record(n, `${letter}x`, 0);
            remove(n, `${letter}x`);
          }
      }
    },
    subject: (): GrantSubject =>
      token === 'organization'
        ? { kind: 'organization', organizationId: organizationId(0), epoch: activations[0]?.epoch ?? 0 }
        : { kind: 'user', userId: reader, epoch: 0 },
    /** An organization's token dies with the activation; a user's loses what that organization has. */
    isRefused: () => token === 'organization' && !activations[0]?.open,
    present: (): Present => ({
      visible: visibleLists().flatMap(({ entries }) => entries),
      all: listsOf(() => true).flatMap(({ entries }) => entries),
    }),
    shownOf,
    /** Log position of the newest change of what is shown. */
    newest: () => visibleLists().reduce((newest, { changed }) => (changed > newest ? changed : newest), 0n),
    /** Changes with every event that changes the list. */
    state: () =>
      organizationIds
        .filter((_, n) => token === 'organization' || isShown(n))
        .map((id) => `${id}:${model.listOf(kind, id, token === 'organization' ? '' : reader).changed}`)
        .join(' '),
    /** Changes with every activation and deactivation. */
    activations: () => JSON.stringify(activations),
    /** All that any page of it shows. */
    content: () =>
      JSON.stringify(visibleLists().flatMap(({ entries }) => entries.map((entry) => shownOf(entry)))),
  };
};

/** Where each list is read. */
export const pathOf: Readonly<Record<Kind, string>> = {
  profiles: '/profiles',
  reservations: '/reservations',
  access_rights: '/access-rights',
};

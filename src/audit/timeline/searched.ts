import type { About } from '../../domain/event-subjects.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import type { HistoryReader } from '../../projections/history/read-history.ts';

/** Something that a search was for. */
export type Searched = {
  readonly about: About;
  /** The add-on of a grant. */
  readonly ofAddon: string | null;
};

/**
 * What searches were for, as far as events of the organization that was searched are about it, or are its acts: only that may be
 * named to its readers.
 */
export const makeSearchedIn = (history: Pick<HistoryReader, 'references'>) => {
  const known = new Map<string, Promise<Searched | null>>();
  const look = async (organizationId: string, about: About): Promise<Searched | null> => {
    const first = async (filters: object) =>
      (
        await history.references(
          { kind: 'organization', id: organizationId },
          { order: 'forward', after: null },
          1,
          filters,
        )
      )[0];
    const found =
      (await first({ concerning: [about] })) ??
      (about.kind === 'user' ? await first({ actor: about.id }) : undefined);
    return found ? { about, ofAddon: about.kind === 'grant' ? (found.owner?.addonId ?? null) : null } : null;
  };
  return async (recorded: RecordedEvent | null): Promise<readonly Searched[]> => {
    const { event } = recorded ?? {};
    if (event?.type !== 'AuditQueried' || event.data.organizationId === null) return [];
    const { organizationId, parameters } = event.data;
    const found = await Promise.all(
      parameters.flatMap(aboutIn).map((about) => {
        const key = `${organizationId} ${about.kind} ${about.id}`;
        const searched = known.get(key) ?? look(organizationId, about);
        known.set(key, searched);
        return searched;
      }),
    );
    return found.filter((one) => one !== null);
  };
};

type Parameter = { readonly name: string; readonly value: string };

const aboutIn = ({ name, value }: Parameter): readonly About[] => {
  if (name === 'addon' || name === 'user' || name === 'grant') return [{ kind: name, id: value }];
  if (name !== 'actor') return [];
  const [, addonId] = /^addon:(.+)$/.exec(value) ?? [];
  return [addonId === undefined ? { kind: 'user', id: value } : { kind: 'addon', id: addonId }];
};

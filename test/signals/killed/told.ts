import { decodeJwt } from 'jose';

type Claims = {
  readonly jti: string;
  readonly events: Readonly<Record<string, { readonly organization_id?: string; readonly epoch?: number }>>;
};

/** What an add-on is told, judged SET by SET as it comes. */
export type Told = {
  readonly take: (set: string) => void;
  /** What the service knows the receiver to have: from now on none of it may come. */
  readonly noted: (jtis: readonly string[]) => void;
  /** How many changes of this organization came, in order and without a gap. */
  readonly count: (organizationId: string) => number;
  /** How many SETs about the stream itself came, each counted once. */
  readonly ofStream: () => number;
  /** Whatever must not have come. */
  readonly wrong: readonly string[];
};

export const makeTold = (): Told => {
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();
  const noted = new Set<string>();
  const wrong: string[] = [];
  let ofStream = 0;
  return {
    take(set) {
      const { jti, events } = decodeJwt<Claims>(set);
      const [type = ''] = Object.keys(events);
      const { organization_id: organizationId = 'stream', epoch = 0 } = events[type] ?? {};
      const what = `${organizationId} ${epoch} ${type}${organizationId === 'stream' ? jti : ''}`;
      const known = ids.get(what);
      if (noted.has(jti)) wrong.push(`what was acknowledged comes again: ${what}`);
      if (known !== undefined && known !== jti) wrong.push(`a repeat with another jti: ${what}`);
      ids.set(what, jti);
      if (organizationId === 'stream') {
        if (known === undefined) ofStream += 1;
        return;
      }
      const count = counts.get(organizationId) ?? 0;
      const place = 2 * epoch - (type.endsWith('/addon-activated') ? 1 : 0); // of an epoch first this, then its end
      if (place === count + 1) counts.set(organizationId, place);
      else if (place !== count) wrong.push(`after ${count} changes: ${what}`);
    },
    noted: (jtis) => jtis.forEach((jti) => noted.add(jti)),
    count: (organizationId) => counts.get(organizationId) ?? 0,
    ofStream: () => ofStream,
    wrong,
  };
};

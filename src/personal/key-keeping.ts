import type { KeptKeyTable, KeyPlace, LiveKey } from './kept-key-table.ts';
import type { SubjectKeyTable } from './subject-key-table.ts';
import {
  emailDigests,
  MasterKeyMissing,
  unwrapKey,
  wrapKey,
  type MasterKeys,
  type WrappedKey,
} from './wrapped-key.ts';

export type UnderMaster = { readonly masterKeyId: string; readonly count: number; readonly current: boolean };

export type Restored = {
  readonly added: number;
  /** Number of keys that were there already. */
  readonly present: number;
  /** Number of keys of persons who were erased. */
  readonly erased: number;
  /** Persons who got another key meanwhile: those of the file are added as earlier ones, and both decrypt. */
  readonly replaced: number;
  /** Whether the key of the digests of e-mail addresses is among those. It is not added. */
  readonly emailsReplaced: boolean;
};

type Dependencies = {
  readonly table: KeptKeyTable & Pick<SubjectKeyTable, 'countByMaster'>;
  readonly masters: MasterKeys;
  readonly atOnce?: number;
};

export const makeKeyKeeping = ({ table, masters, atOnce = 1_000 }: Dependencies) => {
  const check = async (): Promise<void> => {
    for (const { masterKeyId } of await table.countByMaster()) {
      const key = await table.anyUnder(masterKeyId);
      if (key) unwrapKey(masters, key);
    }
  };
  return {
    /** @throws MasterKeyMissing unless our master keys unwrap what is stored; it tries one key under each */
    check,
    countByMaster: async () =>
      (await table.countByMaster()).map((counted) => ({
        ...counted,
        current: counted.masterKeyId === masters.current,
      })),
    all: () => pagesOf((after) => table.page(after, atOnce)),
    /** @throws MasterKeyMissing when it is not wrapped under one of ours */
    checkKey: (key: LiveKey) => void unwrapKey(masters, key),
    /** @param isErased the subjects whose keys stay deleted */
    async restore(keys: AsyncIterable<LiveKey>, isErased: (subject: string) => boolean) {
      let restored: Restored = { added: 0, present: 0, erased: 0, replaced: 0, emailsReplaced: false };
      for await (const batch of batched(keys, atOnce))
        restored = sum(restored, await restoreBatch(table, batch, isErased));
      return restored;
    },
    /** How many of these keys are missing but not deleted. */
    async countMissing(keys: AsyncIterable<LiveKey>) {
      let missing = 0;
      for await (const batch of batched(keys, atOnce)) {
        const stored = await table.bySubjects(batch.map(({ subject }) => subject));
        const [known, ids] = [currentOf(stored), idsOf(stored)];
        missing += batch.filter(({ subject, keyId }) => {
          const current = known.get(subject);
          // A person whose row has no key was erased.
          return current === undefined || (current.wrapped !== null && !ids.has(keyId));
        }).length;
      }
      return missing;
    },
    /** Wraps all keys under the current master key, from where a call stopped. @throws MasterKeyMissing before it begins */
    async rewrap(signal: AbortSignal) {
      await check();
      let rewrapped = 0;
      for await (const page of pagesOf((after) => table.pageNotUnder(masters.current, after, atOnce))) {
        if (signal.aborted) return { rewrapped, interrupted: true };
        rewrapped += await table.rewrap(
          page.map((stored) => ({ ...stored, ...wrappedAnew(masters, stored), was: stored.masterKeyId })),
        );
      }
      return { rewrapped, interrupted: false };
    },
  };
};

export type KeyKeeping = ReturnType<typeof makeKeyKeeping>;

const currentOf = (rows: readonly WrappedKey[]): ReadonlyMap<string, WrappedKey> =>
  new Map(rows.filter(({ earlier }) => !earlier).map((row) => [row.subject, row]));

const idsOf = (rows: readonly WrappedKey[]): ReadonlySet<string> => new Set(rows.map(({ keyId }) => keyId));

const wrappedAnew = (masters: MasterKeys, stored: LiveKey) => {
  const key = unwrapKey(masters, stored);
  const wrapped = key && wrapKey(masters, stored, key).wrapped;
  if (!wrapped) throw new MasterKeyMissing(`the key ${stored.keyId} could not be wrapped`);
  return { masterKeyId: masters.current, wrapped };
};

const restoreBatch = async (
  table: KeptKeyTable,
  batch: readonly LiveKey[],
  isErased: (subject: string) => boolean,
): Promise<Restored> => {
  const wanted = batch.filter(({ subject }) => !isErased(subject));
  const added = new Set(await table.addMissing(wanted));
  const others = wanted.filter(({ subject }) => !added.has(subject));
  const rows = await table.bySubjects(others.map(({ subject }) => subject));
  const [stored, ids] = [currentOf(rows), idsOf(rows)];
  // A key may be deleted before its erasure is in the log.
  const destroyed = others.filter(({ subject }) => stored.get(subject)?.wrapped === null);
  const same = others.filter(({ subject, keyId }) => ids.has(keyId) && stored.get(subject)?.wrapped !== null);
  const replaced = others.filter((key) => !destroyed.includes(key) && !same.includes(key));
  // Digests are computed from an address, and only under the current key: an earlier one would be of no use.
  const earlier = await table.addEarlier(replaced.filter(({ subject }) => subject !== emailDigests));
  return {
    added: added.size + earlier.length,
    present: same.length,
    erased: batch.length - wanted.length + destroyed.length,
    replaced: replaced.length,
    emailsReplaced: replaced.some(({ subject }) => subject === emailDigests),
  };
};

const sum = (a: Restored, b: Restored): Restored => ({
  added: a.added + b.added,
  present: a.present + b.present,
  erased: a.erased + b.erased,
  replaced: a.replaced + b.replaced,
  emailsReplaced: a.emailsReplaced || b.emailsReplaced,
});

async function* pagesOf(read: (after: KeyPlace | null) => Promise<readonly LiveKey[]>) {
  for (let page = await read(null); page.length > 0; page = await read(page.at(-1) ?? null)) yield page;
}

async function* batched<T>(all: AsyncIterable<T>, size: number) {
  let batch: T[] = [];
  for await (const one of all) {
    batch.push(one);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Why our master keys do not unwrap what is stored; null when they do. */
export const keyProblem = (keeping: Pick<KeyKeeping, 'check'>): Promise<string | null> =>
  keeping.check().then(
    () => null,
    (error: unknown) => {
      if (!(error instanceof MasterKeyMissing)) throw error;
      return error.message;
    },
  );

import {
  attemptSignIn,
  type Counter,
  unusedCounter,
  type SignInCounters,
} from '../../../src/domain/sign-in/sign-in-limits.ts';

/** The counters of failed sign-ins in memory, with the behaviour of the table. */
export const memoryCounters = (): SignInCounters => {
  const kept = new Map<string, { readonly account: string | null; readonly counter: Counter }>();
  const text = (key: Uint8Array) => Buffer.from(key).toString('hex');
  return {
    async count(names, now) {
      await Promise.resolve();
      const limited = names.map((name) => ({
        ...name,
        counter: kept.get(text(name.key))?.counter ?? unusedCounter,
      }));
      const attempt = attemptSignIn(limited, now);
      if (attempt.admitted)
        for (const { key, account, counter } of attempt.counted)
          kept.set(text(key), { account: account && text(account), counter });
      return attempt;
    },
    async takeBack(counted) {
      await Promise.resolve();
      for (const { key, forget, counter } of counted) {
        const row = kept.get(text(key));
        if (!row) continue;
        const { failures, agesFrom, blockedUntil } = row.counter;
        const isOwn = blockedUntil === counter.blockedUntil;
        const left = {
          failures: failures - 1,
          agesFrom,
          blockedUntil: isOwn ? 0 : blockedUntil,
        };
        if (forget) kept.delete(text(key));
        else kept.set(text(key), { ...row, counter: left });
      }
    },
    async forgetAccount(account) {
      await Promise.resolve();
      const own = [...kept].filter(([, row]) => row.account === text(account));
      for (const [key] of own) kept.delete(key);
      return own.length;
    },
  };
};

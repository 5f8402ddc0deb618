/** What was set last, by key: so much and no more. Whatever it then has no room for is the longest unset. */
export const makeRecent = <V>(most: number, pushedOut: (key: string) => void = () => undefined) => {
  const entries = new Map<string, V>();
  return {
    get: (key: string): V | undefined => entries.get(key),
    set(key: string, value: V): void {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= most) return;
      const [oldest = ''] = entries.keys();
      entries.delete(oldest);
      pushedOut(oldest);
    },
  };
};

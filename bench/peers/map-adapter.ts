type Payload = Readonly<Record<string, unknown>> & { readonly grantId?: string; readonly uid?: string };

/**
 * Storage of `oidc-provider` in maps of this process. Its own adapter keeps a thousand entries only, and goes through all
 * tokens of a grant for each new one.
 */
export const makeMapAdapter = () => {
  const stored = new Map<string, Payload>();
  const idsByUid = new Map<string, string>();
  const keysByGrant = new Map<string, Set<string>>();
  const keysOf = (grantId: string): Set<string> => {
    const keys = keysByGrant.get(grantId) ?? new Set();
    keysByGrant.set(grantId, keys);
    return keys;
  };
  return (model: string) => {
    const keyOf = (id: string) => `${model}:${id}`;
    const find = (id: string) => Promise.resolve(stored.get(keyOf(id)));
    return {
      find,
      findByUid: (uid: string) => find(idsByUid.get(uid) ?? ''),
      upsert: (id: string, payload: Payload) => {
        stored.set(keyOf(id), payload);
        if (payload.uid !== undefined) idsByUid.set(payload.uid, id);
        if (payload.grantId !== undefined) keysOf(payload.grantId).add(keyOf(id));
        return Promise.resolve();
      },
      consume: (id: string) => {
        stored.set(keyOf(id), { ...stored.get(keyOf(id)), consumed: Math.floor(Date.now() / 1_000) });
        return Promise.resolve();
      },
      destroy: (id: string) => {
        const grantId = stored.get(keyOf(id))?.grantId;
        if (grantId !== undefined) keysOf(grantId).delete(keyOf(id));
        stored.delete(keyOf(id));
        return Promise.resolve();
      },
      revokeByGrantId: (grantId: string) => {
        for (const key of keysOf(grantId)) stored.delete(key);
        keysByGrant.delete(grantId);
        return Promise.resolve();
      },
    };
  };
};

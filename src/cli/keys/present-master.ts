import type { UnderMaster } from '../../personal/key-keeping.ts';

export const presentMaster = ({ masterKeyId, count, current }: UnderMaster) => ({
  id: masterKeyId,
  keys: count,
  current,
});

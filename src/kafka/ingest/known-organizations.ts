import { LRUCache } from 'lru-cache';
import { isUlid } from '../../domain/kernel/ids.ts';

/** Far more than are active at a time; a miss costs one read of the stream. */
const remembered = 10_000;

/**
 * Asks the log whether an organization exists, and caches those that do: they are never removed. One that does not
 * exist may be created the next moment, so it is asked again; concurrent calls share one read.
 */
export const makeKnownOrganizations = (exists: (organizationId: string) => Promise<boolean>) => {
  const known = new LRUCache<string, true>({ max: remembered });
  const asked = new Map<string, Promise<boolean>>();
  const ask = async (organizationId: string): Promise<boolean> => {
    try {
      const found = await exists(organizationId);
      if (found) known.set(organizationId, true);
      return found;
    } finally {
      asked.delete(organizationId);
    }
  };
  return (organizationId: string): boolean | Promise<boolean> => {
    if (known.get(organizationId)) return true;
    if (!isUlid(organizationId)) return false;
    const asking = asked.get(organizationId) ?? ask(organizationId);
    asked.set(organizationId, asking);
    return asking;
  };
};

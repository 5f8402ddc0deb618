import { LRUCache } from 'lru-cache';
import { isUlid } from '../../domain/ids.ts';

/** Far more than write at a time; one that was pushed out costs a look at its stream. */
const remembered = 10_000;

/**
 * Asks the log whether an organization exists, and remembers those that do: they are never removed. One that does not may
 * be created the next moment, so that is asked again, though only once for all who ask at the same time.
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

import { isUlid } from '../kernel/ids.ts';
import { externalIdProblem, normaliseExternalId } from './external-id.ts';

/** How somebody names an organization: by its id, or by `external:` and its external id, normalised. */
export type OrganizationSelector = { readonly organizationId: string } | { readonly externalId: string };

const external = 'external:';

/** Null for what can be neither. */
export const readSelector = (text: string): OrganizationSelector | null => {
  if (isUlid(text)) return { organizationId: text };
  if (!text.startsWith(external)) return null;
  const externalId = normaliseExternalId(text.slice(external.length));
  return externalIdProblem(externalId) === null ? { externalId } : null;
};

import type { Loaders } from './contents.ts';

/** What operators and auditors do: on the servers, and over the API. */
export const taskGroups: Loaders = {
  organization: async () => (await import('./organizations/organization.ts')).addOrganizationCommands,
  user: async () => (await import('./people/user.ts')).addUserCommands,
  addon: async () => (await import('./addons/addon.ts')).addAddonCommands,
  activation: async () => (await import('./addons/activation.ts')).addActivationCommands,
  signals: async () => (await import('./signals.ts')).addSignalsCommands,
  grant: async () => (await import('./grant.ts')).addGrantCommands,
  import: async () => (await import('./import/import.ts')).addImportCommands,
  profile: async () => (await import('./organizations/organization.ts')).addProfileCommands,
  audit: async () => (await import('./audit/audit.ts')).addAuditCommands,
};

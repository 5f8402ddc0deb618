/** The names of all topics, from the settings. */
export type TopicNames = {
  /** Written by the relay. */
  readonly out: { readonly activations: string; readonly grants: string; readonly addons: string };
  /** Written by the host platform, read by the ingest. */
  readonly in: { readonly profiles: string; readonly reservations: string; readonly accessRights: string };
  /** Messages of the host platform that cannot be used. */
  readonly deadLetter: string;
};

export const defaultTopicNames: TopicNames = {
  out: {
    activations: 'grantbook.activations',
    grants: 'grantbook.grants',
    addons: 'grantbook.addons',
  },
  in: {
    profiles: 'host.profiles',
    reservations: 'host.reservations',
    accessRights: 'host.access-rights',
  },
  deadLetter: 'host.dead-letter',
};

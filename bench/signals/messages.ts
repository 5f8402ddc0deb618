/** A confidential add-on with a stream. */
export type Receiver = {
  readonly clientId: string;
  /** Its own access token. */
  readonly token: string;
  /** Where it polls. */
  readonly url: string;
};

/** What the receivers' process is asked to do. */
export type Asked =
  | { readonly do: 'open'; readonly receivers: readonly Receiver[] }
  /** Long polls from now on, so many at once of each stream. */
  | { readonly do: 'poll'; readonly each: number }
  /** Take and acknowledge all that waits. */
  | { readonly do: 'drain' };

export type Told = { readonly clientId: string; readonly organizationId: string; readonly at: number };

export type Said =
  | { readonly done: 'open' | 'poll' }
  | { readonly done: 'drain'; readonly sets: number; readonly perSecond: number }
  | { readonly told: Told };

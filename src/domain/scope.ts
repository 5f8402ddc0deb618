/** The scopes that exist. `openid` identifies the user; the others open one list each (LI-09). */
export const scopes = ['openid', 'profiles:read', 'reservations:read', 'access-rights:read'] as const;
export type Scope = (typeof scopes)[number];

export const isScope = (value: string): value is Scope => (scopes as readonly string[]).includes(value);

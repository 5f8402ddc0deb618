/** The actor on the command line when nobody signed in (HI-06). Events from before sign-ins existed say `operator`. */
export const breakGlass = 'break-glass';

export const isUserId = (by: string): boolean => by !== 'operator' && by !== breakGlass;

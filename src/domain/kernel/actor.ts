/** The actor on the command line when nobody signed in (HI-06). */
export const breakGlass = 'break-glass';

export const isUserId = (by: string): boolean => by !== breakGlass;

const always = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;
const overTls = { ...always, 'strict-transport-security': 'max-age=31536000' } as const;

/** Headers of every answer (CL-09); an answer that may be cached overrides `Cache-Control`. */
export const edgeHeaders = (baseUrl: string): Readonly<Record<string, string>> =>
  baseUrl.startsWith('https:') ? overTls : always;

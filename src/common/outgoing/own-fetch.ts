/** Makes Node load its own undici first: the package's dispatcher refuses some of `fetch`'s requests. */
void globalThis.Response;

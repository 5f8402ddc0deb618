/**
 * Node's `fetch` takes the dispatcher of whichever undici was loaded first, and the one of the package refuses some of its
 * requests (such as those with a content-length of their own). Node loads its own at the first look at `Response`.
 */
void globalThis.Response;

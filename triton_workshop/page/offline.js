// The service worker of a site: it keeps what the page has loaded, so that a reload works without a network. The page
// itself comes from the network if there is one; parts are named by their content, so one that is kept is never old.
(() => {
  "use strict";
  const PART = /\/parts\/([^/]+)$/;
  const openCache = () => caches.open(`triton-workshop ${registration.scope}`);

  addEventListener("install", (event) => {
    skipWaiting();
    event.waitUntil(openCache().then((cache) => cache.add(registration.scope)));
  });
  addEventListener("activate", (event) => event.waitUntil(clients.claim()));
  addEventListener("fetch", (event) => {
    const { method, url } = event.request;
    if (method === "GET" && url.startsWith(registration.scope)) event.respondWith(answer(event.request));
  });

  async function answer(request) {
    const cache = await openCache(), kept = await cache.match(request);
    if (kept && PART.test(request.url)) return kept;
    try {
      const response = await fetch(request);
      if (response.ok) await cache.put(request, response.clone());
      if (response.ok && request.mode === "navigate") await dropOldParts(cache, await response.clone().text());
      return response;
    } catch (error) {
      if (kept) return kept;
      throw error;
    }
  }

  // Parts that the page does not name any more.
  async function dropOldParts(cache, page) {
    for (const { url } of await cache.keys()) {
      const [, name] = PART.exec(url) ?? [];
      if (name && !page.includes(name)) await cache.delete(url);
    }
  }
})();

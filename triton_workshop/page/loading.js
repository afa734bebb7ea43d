// A bar that shows how much of something large the page has loaded. `page.loadingBar(parent)` returns a function for
// `Parts`, which takes the bytes so far and in all, and whose `remove()` takes the bar away.
globalThis.page.loadingBar = (parent) => {
  "use strict";
  const { make } = globalThis.page;
  const bar = make("progress", "", { ariaLabel: "Loading" }), label = make("span", "Loading …");
  const element = make("p", [bar, label], { className: "coming" });
  parent.append(element);
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  const update = (loaded, total) => {
    [bar.max, bar.value] = [total, loaded];
    if (loaded >= total) bar.removeAttribute("value");  // then it only says that something happens
    label.textContent = loaded < total ? `Loading: ${megabytes(loaded)} of ${megabytes(total)} MB` : "Starting …";
  };
  return Object.assign(update, { remove: () => element.remove() });
};

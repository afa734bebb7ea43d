// How far something large has come that the page loads, until it is `done`.
globalThis.page.loading = (place) => {
  "use strict";
  const { make } = globalThis.page;
  const bar = make("progress", "", { ariaLabel: "Loading" }), words = make("span", "Loading …"), shown = make("p", [bar, words], { className: "coming" });
  place.append(shown);
  const tell = (soFar, total) => {
    const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
    [bar.max, bar.value] = [total, soFar];
    if (soFar >= total) bar.removeAttribute("value");
    words.textContent = soFar < total ? `Loading: ${megabytes(soFar)} of ${megabytes(total)} MB` : "Starting …";
  };
  tell.done = () => shown.remove();
  return tell;
};

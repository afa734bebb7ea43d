// What the checker says, in one line at the lower edge of a narrow window, while the verdict is out of sight.
// `createGlance(pane)` returns its `element` and `show(text, tone)`; pressing it leads to the verdict's `pane`.
globalThis.createGlance = (pane) => {
  "use strict";
  const { button } = globalThis.page;
  const EDGE = "-48px";  // so much of the verdict has to be seen
  const element = button("", () => pane.scrollIntoView(), "Go to what the checker says");
  element.hidden = true;
  const observer = new IntersectionObserver(([{ isIntersecting }]) => { element.hidden = isIntersecting; },
    { rootMargin: `0px 0px ${EDGE}` });
  observer.observe(pane);

  function show(text, tone) {
    Object.assign(element, { textContent: text, className: `glance t-${tone}` });
  }

  return { element, show };
};

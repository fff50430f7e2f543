// Notes from the first moment on what a page does until it is ready.
window.work = { ends: [0], blocked: 0, shift: 0 };
const note = (type, read) => new PerformanceObserver((list) => list.getEntries().forEach(read))
  .observe({ type, buffered: true });
note("longtask", ({ startTime, duration }) => {
  window.work.ends.push(startTime + duration);
  window.work.blocked += duration - 50;
});
note("largest-contentful-paint", ({ startTime }) => window.work.ends.push(startTime));
note("resource", ({ responseEnd }) => window.work.ends.push(responseEnd));
note("layout-shift", ({ value }) => { window.work.shift += value; });

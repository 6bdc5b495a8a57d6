// The bills of an archive without calls: what a collection has read is shown at once.

document.addEventListener("archive:collected", () => location.reload());

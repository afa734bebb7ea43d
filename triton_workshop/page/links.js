// Links that contain a text: compressed, behind the `#` of the page's address, which no browser sends to a server.
// `Links` offers `create(text)`, `read(hash)`, `isLink(hash)` and `copy(text)`, which resolves to what to say of it.
// `create` and `read` throw errors whose messages are sentences for the reader.
globalThis.Links = (() => {
  "use strict";
  const { make, copyText } = globalThis.page;
  const PREFIX = "#code=";
  const MAX_CHARACTERS = 8000;  // of a link: mail and chat cut off longer ones
  const MAX_BYTES = 100_000;  // of a text, also of one that unpacks to more than its link lets expect
  const BROKEN = "This link is damaged: a part of the text in it is missing. Ask for the link again, or for the file.";
  const TOO_LARGE = "The text in this link is too long for this page. Ask for the file.";

  const isLink = (hash) => hash.startsWith(PREFIX);

  async function pipe(bytes, transform) {
    const chunks = [], reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
    let size = 0;
    for (let chunk; !(chunk = await reader.read()).done;) {
      chunks.push(chunk.value);
      size += chunk.value.length;
      if (size > MAX_BYTES) throw new RangeError(TOO_LARGE);
    }
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  }

  async function create(text) {
    if (!globalThis.CompressionStream) throw new Error("This browser is too old to make links: download the script.");
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > MAX_BYTES) throw tooLong(`it has ${inWords(bytes.length)} bytes of ${inWords(MAX_BYTES)}`);
    const packed = await pipe(bytes, new CompressionStream("deflate-raw"));
    const coded = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
    const hash = PREFIX + coded.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    const link = location.href.replace(/[?#].*/s, "") + hash;  // a room's word is behind the `?`
    if (hash.length <= MAX_CHARACTERS) return link;
    throw tooLong(`the link would have ${inWords(link.length)} characters, and mail or chat may cut off what has more `
      + `than ${inWords(MAX_CHARACTERS)}`);
  }

  const inWords = (number) => number.toLocaleString("en");
  const tooLong = (why) => new Error(`This script is too long for a link: ${why}. Download it, and send the file.`);

  async function read(hash) {
    const [, coded] = /^#code=([\w-]+)/.exec(hash) ?? [];  // chat may take a full stop for a part of a link
    if (!coded) throw new Error(BROKEN);
    try {
      const packed = atob(coded.replaceAll("-", "+").replaceAll("_", "/"));
      const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
      const unpacked = await pipe(bytes, new DecompressionStream("deflate-raw"));
      return new TextDecoder("utf-8", { fatal: true }).decode(unpacked);
    } catch (error) {
      throw error instanceof RangeError ? error : new Error(BROKEN);
    }
  }

  // Copies a link to a text; resolves to the sentence to show, and the link to take by hand.
  async function copy(text) {
    try {
      const link = await create(text);
      await copyText(link);
      const scope = location.protocol === "file:"
        ? "This page is a file: the link works only where the same file is in the same place."
        : "Whoever opens it sees the script, and it runs only if they press Run.";
      const field = make("input", "", { value: link, readOnly: true, ariaLabel: "The link" });
      const words = `The link is copied. The script is in the link itself, and no server gets it. ${scope}`;
      return [make("p", words), field];
    } catch (error) {
      return [make("p", error.message)];
    }
  }

  return { create, read, isLink, copy };
})();

// Files of a record, as previews: pictures, sounds and short texts; of everything else only the size. What a file
// is, its first bytes say. Nothing of a file becomes HTML or code.

import { h } from "../core/render.js";
import { update } from "../core/state.js";
import { plural, size } from "../core/words.js";
import { Icon } from "../parts/icons.js";

const mostBytes = 2048;
const mostKept = 100;
const previews = new Map();

/** The files of a value, if it has any. */
export const Assets = ({ value, type }) =>
  /^ASSETID/.test(type ?? "") && [value].flat().filter((asset) => asset?.downloadURL).map(Asset);

function Asset(asset, at) {
  // The server's own address, by whatever name the browser knows it.
  const { pathname, search } = new URL(asset.downloadURL, location.href);
  const address = pathname + search;
  const preview = known(asset.fileChecksum ?? address, address, asset.size);
  return h(
    "div.asset",
    { key: `asset-${at}` },
    Preview(preview, address, asset),
    h(
      "p.note",
      null,
      [preview.name, asset.size !== undefined && size(asset.size)].filter(Boolean).join(", "),
      " ",
      h("a", { href: address, download: "asset" }, "Download"),
    ),
  );
}

function Preview({ kind, text }, address, asset) {
  switch (kind) {
    case "image": return h("img", { src: address, alt: `Picture of ${plural(asset.size ?? 0, "byte")}` });
    case "audio": return h("audio", { src: address, controls: true, preload: "metadata", "aria-label": "Sound" });
    case "text": return h("pre", { tabindex: 0, role: "region", "aria-label": "Beginning of the file" }, text);
    case "asked": return h("p.note", null, "Looking…");
    default: return h("p.marked", null, Icon("box"), "no preview");
  }
}

/** What is known of a file; asks for its first bytes once. */
function known(key, address, bytes) {
  if (!previews.has(key)) {
    if (previews.size >= mostKept) previews.delete(previews.keys().next().value);
    previews.set(key, { kind: "asked" });
    look(key, address, bytes);
  }
  return previews.get(key);
}

async function look(key, address, bytes) {
  try {
    // The browser would show a picture out of the part that it has.
    const headers = bytes > mostBytes ? { range: `bytes=0-${mostBytes - 1}` } : {};
    const answer = await fetch(address, { headers, cache: "no-store" });
    if (!answer.ok) throw new Error(`The file answered ${answer.status}`);
    const head = new Uint8Array(await answer.arrayBuffer()).slice(0, mostBytes);
    previews.set(key, previewOf(head, bytes > head.length));
  } catch (error) {
    previews.set(key, { kind: "none", name: error.message });
  }
  update();
}

const signatures = [
  ["image", "PNG", 0, [0x89, 0x50, 0x4e, 0x47]],
  ["image", "JPEG", 0, [0xff, 0xd8, 0xff]],
  ["image", "GIF", 0, [0x47, 0x49, 0x46, 0x38]],
  ["image", "WebP", 8, [0x57, 0x45, 0x42, 0x50]],
  ["audio", "WAV", 8, [0x57, 0x41, 0x56, 0x45]],
  ["audio", "MP3", 0, [0x49, 0x44, 0x33]],
  ["audio", "MP3", 0, [0xff, 0xfb]],
  ["audio", "Ogg", 0, [0x4f, 0x67, 0x67, 0x53]],
  ["audio", "M4A", 4, [0x66, 0x74, 0x79, 0x70, 0x4d, 0x34, 0x41]],
  ["none", "MPEG-4", 4, [0x66, 0x74, 0x79, 0x70]],
  ["none", "PDF", 0, [0x25, 0x50, 0x44, 0x46]],
  ["none", "ZIP", 0, [0x50, 0x4b, 0x03, 0x04]],
];

/** What the first bytes say; `isCut`: more bytes follow. */
export function previewOf(head, isCut) {
  const found = signatures.find(([, , at, bytes]) => bytes.every((byte, index) => head[at + index] === byte));
  if (found) return { kind: found[0], name: found[1] };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: isCut });
    // Control characters are no text, but for tabs and ends of lines.
    if (/[\u0000-\u0008\u000e-\u001f]/.test(text)) return { kind: "none", name: "binary" };
    return { kind: "text", name: "text", text: text.slice(0, 600) + (isCut || text.length > 600 ? "…" : "") };
  } catch {
    return { kind: "none", name: "binary" };
  }
}

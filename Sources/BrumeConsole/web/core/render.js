// Descriptions of elements, and making the document what they describe. Elements that stay are kept, so
// focus, selection and scrolling survive; nothing is ever parsed as HTML, so no text can become code.
// When to draw again is decided in state.js.

const described = new WeakMap();
const svgNamespace = "http://www.w3.org/2000/svg";

/**
 * Describes an element: `h("button.primary", { onclick }, "Save")`, or calls a function that does.
 * `key` distinguishes siblings; `created` is called with the element once it stands in the document.
 */
export function h(type, props, ...children) {
  const given = props ?? {};
  const content = children.flat(Infinity).filter((child) => child != null && child !== false && child !== "");
  if (typeof type === "function") return type({ ...given, children: content });
  const [tag, ...classes] = type.split(".");
  const names = [...classes, given.class].filter(Boolean).join(" ");
  return { tag, key: given.key, props: { ...given, class: names || undefined }, children: content };
}

/** Makes the children of an element what is described. */
export function render(parent, wanted) {
  const places = reusable(parent, wanted);
  for (const node of [...parent.childNodes]) if (!places.includes(node)) node.remove();
  wanted.forEach((description, index) => {
    const node = places[index] ?? create(description, parent);
    if (parent.childNodes[index] !== node) parent.insertBefore(node, parent.childNodes[index] ?? null);
    update(node, description);
  });
}

/** For each description the node that can become it, or undefined: by key, or the next of its kind. */
function reusable(parent, wanted) {
  const keyed = new Map();
  const others = [];
  for (const node of parent.childNodes) {
    const key = described.get(node)?.key;
    if (key === undefined) others.push(node);
    else keyed.set(key, node);
  }
  return wanted.map((description) => {
    if (description.key !== undefined) {
      const node = keyed.get(description.key);
      return node && sameKind(node, description) ? node : undefined;
    }
    const at = others.findIndex((node) => sameKind(node, description));
    return at < 0 ? undefined : others.splice(0, at + 1)[at];
  });
}

function sameKind(node, description) {
  return description.tag ? described.get(node)?.tag === description.tag : node.nodeType === Node.TEXT_NODE;
}

function create(description, parent) {
  if (!description.tag) return document.createTextNode("");
  const isDrawing = description.tag === "svg" || parent.namespaceURI === svgNamespace;
  return isDrawing ? document.createElementNS(svgNamespace, description.tag) : document.createElement(description.tag);
}

function update(node, description) {
  if (!description.tag) {
    const text = String(description);
    if (node.data !== text) node.data = text;
    return;
  }
  const before = described.get(node);
  described.set(node, description);
  render(node, description.children);
  const props = description.props;
  for (const name of Object.keys(before?.props ?? {})) if (!(name in props)) set(node, name, undefined);
  for (const name of Object.keys(props)) {
    if (before?.props[name] !== props[name] || name === "value" || name === "checked") set(node, name, props[name]);
  }
  if (!before && props.created) queueMicrotask(() => props.created(node));
}

/** Handlers and what users change are properties; the rest are attributes. */
function set(node, name, value) {
  if (name === "key" || name === "created" || name === "children") return;
  // A handler that returns false would cancel what the key or the click does.
  if (name.startsWith("on")) node[name] = value ? (event) => void value(event) : null;
  else if (name === "value" || name === "checked" || name === "disabled" || name === "indeterminate") {
    const wanted = value ?? (name === "value" ? "" : false);
    if (node[name] !== wanted) node[name] = wanted;
  } else if (value === undefined || value === null || value === false) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : value);
}

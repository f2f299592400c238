const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for HTML and SVG, in content and in attributes. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");

/** Returns an SVG element. `content` is markup; attribute values are escaped here. */
export function element(name: string, attributes: Readonly<Record<string, string | number>>, content = ""): string {
  const written = Object.entries(attributes).map(([key, value]) => {
    const text = typeof value === "number" ? String(Number(value.toFixed(2))) : escaped(value);
    return ` ${key}="${text}"`;
  });
  return `<${name}${written.join("")}>${content}</${name}>`;
}

/** Returns a text element. */
export function label(text: string, attributes: Readonly<Record<string, string | number>>): string {
  return element("text", { "font-size": 12, fill: "currentColor", ...attributes }, escaped(text));
}

/** Returns a whole drawing with a title, which screen readers read. */
export function drawing(title: string, width: number, height: number, content: readonly string[]): string {
  const attributes = {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "font-family": "system-ui, sans-serif",
  };
  return element("svg", attributes, [element("title", {}, escaped(title)), ...content].join("\n"));
}

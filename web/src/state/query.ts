// The query as text, which is all the state a filter has: buttons read terms out of it and write terms into it.
//
// Only the terms at the top level are looked at; what is inside parentheses or after OR belongs to the person
// who typed it and is left alone. The server alone decides what a query means.

/** Terms at the top level, as written. */
export function terms(query: string): string[] {
  const found: string[] = [];
  let [depth, quoted, from] = [0, false, -1];
  for (let i = 0; i <= query.length; i++) {
    const c = query[i];
    const ends = i === query.length || (c === " " && depth === 0 && !quoted);
    if (ends) {
      if (from >= 0) found.push(query.slice(from, i));
      from = -1;
      continue;
    }
    if (from < 0) from = i;
    if (c === '"') quoted = !quoted;
    else if (c === "(" && !quoted) depth++;
    else if (c === ")" && !quoted) depth = Math.max(0, depth - 1);
  }
  return found;
}

/** The value of the first term of this field, without quotes. */
export function valueOf(query: string, field: string): string | undefined {
  for (const term of terms(query)) {
    if (term.startsWith(`${field}:`)) return term.slice(field.length + 1).replaceAll('"', "");
  }
  return undefined;
}

/** A term, quoted where it must be. */
export function term(field: string, value: string): string {
  const plain = /^[^\s()"]+$/.test(value);
  return `${field}:${plain ? value : `"${value.replaceAll('"', "")}"`}`;
}

/** The query with this field's terms replaced by one, or taken out. */
export function withTerm(query: string, field: string, value: string | undefined): string {
  const rest = terms(query).filter((t) => !t.startsWith(`${field}:`));
  // What is joined by OR cannot be added to without parentheses.
  const kept = rest.includes("OR") && value !== undefined ? [`(${rest.join(" ")})`] : rest;
  return (value === undefined ? kept : [...kept, term(field, value)]).join(" ");
}

/** Fields that a whole stack shares, so that its top stands for it. */
const SHARED = ["taken", "session", "imported", "path", "job", "camera"];

/** Whether stacks may be closed in this result: a search that looks at single photos must find them in a stack too. */
export const mayClose = (query: string): boolean =>
  terms(query).every((t) => SHARED.some((field) => t.startsWith(`${field}:`)));

/** Sets a term, or takes it out where it is set to the same already. */
export function toggled(query: string, field: string, value: string): string {
  return withTerm(query, field, valueOf(query, field) === value ? undefined : value);
}

export interface Suggestion {
  /** What is put in the place of the word at the cursor. */
  text: string;
  /** What it means, or how many photos have it. */
  note: string;
}

export const FIELDS: Suggestion[] = [
  { text: "camera:", note: "camera model" },
  { text: "lens:", note: "lens" },
  { text: "keyword:", note: "keyword" },
  { text: "rating:3..", note: "three stars or more" },
  { text: "flag:pick", note: "picked" },
  { text: "flag:reject", note: "rejected" },
  { text: "flag:none", note: "neither picked nor rejected" },
  { text: "label:", note: "colour label" },
  { text: "taken:", note: "2009, 2009-07, 2009-07-12, or a range with .." },
  { text: "imported:today", note: "by day of import" },
  { text: "iso:1600..", note: "ISO 1600 and above" },
  { text: "aperture:..2.8", note: "f/2.8 and wider" },
  { text: "focal:200", note: "focal length in millimetres" },
  { text: "type:raw", note: "raw, jpeg, heif, tiff, video" },
  { text: "kind:video", note: "clips" },
  { text: "album:", note: "album" },
  { text: "job:", note: "job code" },
  { text: "has:gps", note: "with a place" },
  { text: "has:conflict", note: "marks that another program changed too" },
  { text: "has:unverified", note: "with a copy that is not proven" },
];

/** Suggestions for the word that ends at the cursor; `values` gives what photos have. */
export function suggest(
  query: string,
  cursor: number,
  values: (field: string) => { value: string; count: number }[],
): { from: number; list: Suggestion[] } {
  const before = query.slice(0, cursor);
  const words = terms(before);
  const last = before.endsWith(" ") || words.length === 0 ? "" : words[words.length - 1];
  const from = cursor - last.length;
  const bare = last.replace(/^[-(]+/, "");
  const start = from + (last.length - bare.length);
  const colon = bare.indexOf(":");
  if (colon < 0) {
    const list = bare === "" ? [] : FIELDS.filter((f) => f.text.startsWith(bare.toLowerCase()));
    return { from: start, list: list.slice(0, 8) };
  }
  const [field, typed] = [bare.slice(0, colon), bare.slice(colon + 1).replaceAll('"', "").toLowerCase()];
  const fixed = FIELDS.filter((f) => !f.text.endsWith(":") && f.text.startsWith(bare.toLowerCase()));
  const had = values(field)
    .filter((v) => v.value.toLowerCase().includes(typed))
    .map((v) => ({ text: term(field, v.value), note: v.count.toLocaleString() }));
  return { from: start, list: [...fixed, ...had].slice(0, 8) };
}

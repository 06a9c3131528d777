import { describe, expect, test } from "vitest";
import { provenText, stateText } from "./facts";
import { COMMANDS, Keymap, keyName } from "./keys";
import { suggest, terms, toggled, valueOf, withTerm } from "./query";
import { packRows } from "./rows";

describe("the query", () => {
  test("is read by its terms at the top level", () => {
    expect(terms('camera:5D "two words" (a OR flag:pick)  -x')).toEqual(["camera:5D", '"two words"', "(a OR flag:pick)", "-x"]);
    expect(valueOf('lens:"70-200 L" (flag:pick)', "lens")).toBe("70-200 L");
    expect(valueOf("(flag:pick OR x)", "flag")).toBeUndefined();
    expect(terms('"never closed (')).toEqual(['"never closed (']);
  });

  test("takes terms in and out", () => {
    expect(withTerm("beach", "flag", "pick")).toBe("beach flag:pick");
    expect(withTerm("flag:pick beach", "flag", "reject")).toBe("beach flag:reject");
    expect(withTerm("flag:pick beach", "flag", undefined)).toBe("beach");
    expect(withTerm("", "lens", "EF 70-200")).toBe('lens:"EF 70-200"');
    expect(withTerm("sea OR sky", "flag", "pick")).toBe("(sea OR sky) flag:pick");
    expect(toggled("rating:3..", "rating", "3..")).toBe("");
  });

  test("suggests fields, then what photos have", () => {
    const values = (field: string): { value: string; count: number }[] =>
      field === "camera" ? [{ value: "Canon EOS 5D Mark II", count: 1200 }, { value: "D70", count: 3 }] : [];
    expect(suggest("beach cam", 9, values)).toEqual({ from: 6, list: [{ text: "camera:", note: "camera model" }] });
    expect(suggest("-camera:5d", 10, values)).toEqual({
      from: 1,
      list: [{ text: 'camera:"Canon EOS 5D Mark II"', note: (1200).toLocaleString() }],
    });
    expect(suggest("beach ", 6, values).list).toEqual([]);
  });

  test("goes on suggesting a field's own words after its colon", () => {
    expect(suggest("flag:pi", 7, () => []).list).toEqual([{ text: "flag:pick", note: "picked" }]);
    expect(suggest("has:", 4, () => []).list.map((s) => s.text)).toEqual(["has:gps", "has:conflict", "has:unverified"]);
  });
});

describe("keys", () => {
  const press = (key: string, code: string, mods: Partial<KeyboardEvent> = {}): string | undefined =>
    keyName({ key, code, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...mods });

  test("have the names that people give them", () => {
    expect(press("p", "KeyP")).toBe("P");
    expect(press("P", "KeyP", { shiftKey: true })).toBe("Shift+P");
    expect(press("P", "KeyP")).toBe("P"); // Caps Lock
    expect(press("!", "Digit1", { shiftKey: true })).toBe("Shift+1");
    expect(press("&", "Digit1")).toBe("1"); // a French keyboard
    expect(press("?", "Slash", { shiftKey: true })).toBe("?");
    expect(press(" ", "Space")).toBe("Space");
    expect(press("z", "KeyZ", { metaKey: true, shiftKey: true })).toBe("Ctrl+Shift+Z");
    expect(press("Shift", "ShiftLeft", { shiftKey: true })).toBeUndefined();
  });

  test("no two commands share one", () => {
    const keys = COMMANDS.flatMap((c) => c.keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("Shift or Caps Lock before a mark goes on after it", () => {
    const map = new Keymap();
    expect(map.find("P", false)).toMatchObject({ command: { id: "pick" }, advance: false });
    expect(map.find("Shift+P", false)).toMatchObject({ command: { id: "pick" }, advance: true });
    expect(map.find("P", true)).toMatchObject({ advance: true });
    expect(map.find("Shift+S", false)).toMatchObject({ command: { id: "unstack" }, advance: false });
    expect(map.find("Shift+G", false)).toBeUndefined();
    expect(map.find("ArrowRight", true)).toMatchObject({ advance: false });
  });

  test("can be given to another command, and kept", () => {
    const map = new Keymap();
    map.bind("reject", ["D"]);
    map.bind("pick", ["E"]);
    const again = new Keymap(JSON.parse(JSON.stringify(map)) as Record<string, string[]>);
    expect(again.find("X", false)).toBeUndefined();
    expect(again.find("D", false)?.command.id).toBe("reject");
    expect(again.find("E", false)?.command.id).toBe("pick");
    expect(again.find("Enter", false)?.command.id).toBe("loupe");
    again.reset();
    expect(again.find("E", false)?.command.id).toBe("loupe");
  });
});

test("rows are packed into runs", () => {
  expect(packRows([])).toBe("");
  expect(packRows([5, 3, 4, 9, 9, 11])).toBe("3-5,9,11");
});

// The page of an import once said "148 cold".
test("how copies were proven is said in words that a photographer knows", () => {
  expect(provenText({ cold: 148, twice: 0, reread: 0, stream: 0 })).toBe("148 read back from the disk and compared");
  expect(provenText({ cold: 1, twice: 0, reread: 2, stream: 0 })).toMatch(/^1 read back from the disk and compared; 2 read back and compared, but /);
  expect(stateText("duplicate", null)).toBe("already here");
  expect(stateText("ignored", "a system file")).toBe("ignored: a system file");
});
